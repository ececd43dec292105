// Graphs that are called, callables, control flow, optimizers, attention, autocast and profiles, and what tapes note of
// them. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graphs.h"

#include "steps.h"

namespace memory {

namespace {

class Graphs : public Steps {
 public:
  Graphs(rondo_engine* engine, rondo_device device, const At& at) : Steps(engine, device, at) {}

  void main() {
    from_host("a", [](int64_t i) { return static_cast<float>(i % 7) - 3; });
    from_host("b", [](int64_t i) { return static_cast<float>(i % 5) + 1; });
    calls();
    callables();
    control();
    attention();
    autocast();
    whole_products();
    optimizer();
    step("wait_all");
    call(rondo_engine_wait_all(engine_));
  }

 private:
  // tanh(softmax(exp(x)) * b), into *out.
  rondo_status layer(rondo_tensor* x, rondo_tensor** out) const {
    rondo_tensor *exponents = nullptr, *weights = nullptr, *product = nullptr;
    rondo_status status = rondo_unary(RONDO_EXP, x, &exponents);
    if (status == RONDO_OK) status = rondo_softmax(exponents, -1, &weights);
    if (status == RONDO_OK) status = rondo_binary(RONDO_MUL, weights, of("b"), &product);
    if (status == RONDO_OK) status = rondo_unary(RONDO_TANH, product, out);
    for (rondo_tensor* each : {exponents, weights, product}) rondo_tensor_destroy(each);
    return status;
  }

  // What `run` makes of a while a tape follows that, and the gradient of its sum, as `name` and `name` gradient.
  void followed(const std::string& name, const std::function<rondo_status(rondo_tensor** out)>& run) {
    step(name + ": tape");
    rondo_tape* tape = nullptr;
    rondo_tensor *a = of("a"), *sum = nullptr, *gradient = nullptr;
    if (!a || !call(rondo_tape_begin(engine_, 0, &tape))) return;
    step(name + ": watch");
    bool good = call(rondo_tape_watch(tape, a));
    make(name, {"a", "b"}, run);
    good = good && of(name);
    step(name + ": sum");
    good = good && call(rondo_reduce(RONDO_SUM, of(name), 0, nullptr, 0, &sum));
    step(name + ": gradient");
    good = good && call(rondo_tape_gradients(tape, 1, &sum, nullptr, 1, &a, &gradient));
    rondo_tensor_destroy(sum);
    rondo_tape_destroy(tape);
    if (!good) return drop(name);
    keep(name + " gradient", gradient);
    read(name), read(name + " gradient");
  }

  // A graph that is called, by itself and in another one.
  void calls() {
    rondo_graph* inner = record_calls("inner", [this](rondo_tensor* x, rondo_tensor** y) { return layer(x, y); });
    if (!inner) return;
    const auto call_inner = [inner](rondo_tensor* x, rondo_tensor** y) { return rondo_graph_call(inner, 1, &x, 1, y); };
    make("called", {"a"}, [&](rondo_tensor** out) { return call_inner(of("a"), out); });
    make("called again", {"a"}, [&](rondo_tensor** out) { return call_inner(of("a"), out); });
    read("called"), read("called again");
    step("profile_call");
    rondo_tensor *in = of("a"), *out = nullptr;
    if (in && call(rondo_graph_profile_call(inner, "/dev/null", 1, &in, 1, &out))) keep("profiled", out);
    for (const char* name : {"followed", "followed again"})
      followed(name, [&](rondo_tensor** y) { return call_inner(of("a"), y); });
    rondo_graph* outer = record_calls("outer", [&](rondo_tensor* x, rondo_tensor** y) {
      rondo_tensor* once = nullptr;
      rondo_status status = call_inner(x, &once);
      if (status == RONDO_OK) status = call_inner(once, y);
      rondo_tensor_destroy(once);
      return status;
    });
    if (outer)
      followed("followed outer", [outer, this](rondo_tensor** y) {
        rondo_tensor* x = of("a");
        return rondo_graph_call(outer, 1, &x, 1, y);
      });
    rondo_graph_destroy(outer);
    rondo_graph_destroy(inner);
  }
  rondo_graph* record_calls(const std::string& name,
                            const std::function<rondo_status(rondo_tensor* x, rondo_tensor** y)>& body) {
    step(name + ": record_begin");
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.name = name.c_str(), options.flags = RONDO_RECORD_CALLABLE;
    if (!of("b") || !call(rondo_record_begin(engine_, &options))) return nullptr;
    const int64_t shape[] = {kRows, kColumns};
    rondo_tensor *x = nullptr, *y = nullptr;
    step(name + ": recording");
    const bool good = call(rondo_record_input(engine_, device_, RONDO_F32, 2, shape, &x)) && call(body(x, &y)) &&
                      call(rondo_record_output(engine_, y));
    rondo_tensor_destroy(x), rondo_tensor_destroy(y);
    rondo_graph* graph = nullptr;
    step(name + ": record_end");
    if (good)
      call(rondo_record_end(engine_, &graph));
    else
      call(rondo_record_abort(engine_));
    return graph;
  }

  // One function, called with and without a tape: a signature that was not recorded well is recorded anew.
  void callables() {
    struct Function {
      const Graphs* self;
      static rondo_status run(void* arg, int32_t, rondo_tensor* const* inputs, int32_t, rondo_tensor** outputs) {
        return static_cast<Function*>(arg)->self->layer(inputs[0], outputs);
      }
    } function{this};
    rondo_callable* callable = nullptr;
    step("callable_create");
    rondo_callable_options options = RONDO_CALLABLE_OPTIONS_INIT;
    options.flags = RONDO_CALLABLE_FALL_BACK;
    if (!of("b") || !call(rondo_callable_create(engine_, 1, &options, Function::run, &function, nullptr, &callable)))
      return;
    const auto run = [callable, this](rondo_tensor** y) {
      rondo_tensor* x = of("a");
      return rondo_callable_call(callable, 1, &x, 1, y);
    };
    for (const char* name : {"unfollowed", "unfollowed again"}) {
      make(name, {"a"}, run);
      read(name);
    }
    for (const char* name : {"traced", "traced again", "traced for good"}) followed(name, run);
    step("callable_report");
    std::string text(1 << 12, '\0');
    size_t length = 0;
    if (call(rondo_callable_report(callable, text.data(), text.size(), &length)) &&
        text.find("eagerly") != std::string::npos)
      outcome.failures.push_back({step_, RONDO_INTERNAL, "a signature runs eagerly for good: " + text});
    rondo_callable_destroy(callable);
  }

  // A loop of three turns with a condition inside, eagerly and recorded.
  void control() {
    for (const bool recorded : {false, true}) {
      const std::string which = recorded ? "recorded " : "eager ";
      const std::string turns = which + "turns", total = which + "total", going = which + "going";
      for (const std::string& name : {turns, total}) {
        make(name, {},
             [&](rondo_tensor** out) { return rondo_tensor_create(engine_, device_, RONDO_F32, 0, nullptr, out); });
        if (of(name) && !call(rondo_fill(of(name), name == turns ? 3 : 0))) drop(name);
      }
      make(going, {turns}, [&](rondo_tensor** out) { return rondo_binary_scalar(RONDO_GT, of(turns), 0, out); });
      if (!of(turns) || !of(total) || !of(going)) continue;
      Loop loop{engine_, of(turns), of(total), of(going)};
      step(which + "loop");
      bool good = false;
      if (!recorded) {
        good = call(rondo_while(engine_, loop.going, Loop::turn, 0, &loop));
      } else if (call(rondo_record_begin(engine_, nullptr))) {
        good = call(rondo_while(engine_, loop.going, Loop::turn, 0, &loop));
        rondo_graph* graph = nullptr;
        step("loop: record_end");
        if (good)
          good = call(rondo_record_end(engine_, &graph));
        else
          call(rondo_record_abort(engine_));
        step("loop: launch");
        good = good && call(rondo_graph_launch(graph));
        rondo_graph_destroy(graph);
      }
      if (good) read(total);
    }
  }
  struct Loop {
    rondo_engine* engine;
    rondo_tensor *turns, *total, *going;
    static rondo_status turn(void* arg) {
      auto* self = static_cast<Loop*>(arg);
      rondo_tensor* last = nullptr;
      rondo_status status = rondo_binary_scalar(RONDO_SUB, self->turns, 1, &self->turns);
      if (status == RONDO_OK) status = rondo_binary_scalar(RONDO_EQ, self->turns, 0, &last);
      if (status == RONDO_OK) status = rondo_if(self->engine, last, add<100>, add<1>, arg);
      if (status == RONDO_OK) status = rondo_binary_scalar(RONDO_GT, self->turns, 0, &self->going);
      rondo_tensor_destroy(last);
      return status;
    }
    template <int kNumber>
    static rondo_status add(void* arg) {
      auto* self = static_cast<Loop*>(arg);
      return rondo_binary_scalar(RONDO_ADD, self->total, kNumber, &self->total);
    }
  };

  void attention() {
    followed("attended", [this](rondo_tensor** out) {
      const int64_t shape[] = {1, kRows, 2, kColumns / 2};
      rondo_tensor *q = nullptr, *k = nullptr;
      rondo_status status = rondo_tensor_reshape(of("a"), 4, shape, &q);
      if (status == RONDO_OK) status = rondo_tensor_reshape(of("b"), 4, shape, &k);
      if (status == RONDO_OK) status = rondo_attention(q, k, q, nullptr, out, nullptr);
      rondo_tensor_destroy(q), rondo_tensor_destroy(k);
      return status;
    });
  }

  void autocast() {
    step("autocast_begin");
    if (!call(rondo_autocast_begin(engine_, RONDO_F16))) return;
    step("autocast_set");
    call(rondo_autocast_set(engine_, "exp", RONDO_PRECISION_WIDEST));
    const auto product = [this](rondo_tensor** out) {
      rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
      options.transpose_b = 1;
      return rondo_matmul(of("a"), of("b"), &options, out);
    };
    for (const char* name : {"half", "half again"}) followed(name, product);
    rondo_graph* graph = record_calls("cast", [&](rondo_tensor* x, rondo_tensor** y) {
      rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
      options.transpose_b = 1;
      return rondo_matmul(x, of("b"), &options, y);
    });
    step("autocast_end");
    call(rondo_autocast_end(engine_));
    if (graph)
      followed("cast and called", [graph, this](rondo_tensor** y) {
        rondo_tensor* x = of("a");
        return rondo_graph_call(graph, 1, &x, 1, y);
      });
    rondo_graph_destroy(graph);
  }

  // Products of whole numbers with zero points, eagerly and in a graph, which packs the right side on the cpu.
  void whole_products() {
    constexpr int64_t kDepth = 64, kWide = 80;
    const auto bytes = [this](const std::string& name, rondo_dtype dtype, std::vector<int64_t> shape) {
      int64_t count = 1;
      for (const int64_t size : shape) count *= size;
      std::vector<uint8_t> data(static_cast<size_t>(count));
      for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 37 + 11);
      make(name, {}, [&](rondo_tensor** out) {
        return rondo_tensor_from_host(engine_, device_, dtype, static_cast<int32_t>(shape.size()), shape.data(),
                                      data.data(), out);
      });
    };
    bytes("left", RONDO_U8, {5, kDepth});
    bytes("right", RONDO_I8, {kDepth, kWide});
    bytes("left zeros", RONDO_U8, {5, 1});
    bytes("right zeros", RONDO_I8, {kWide});
    const std::vector<std::string> operands = {"left", "right", "left zeros", "right zeros"};
    const auto product = [this](rondo_tensor** out) {
      return rondo_matmul_integer(of("left"), of("right"), of("left zeros"), of("right zeros"), out);
    };
    make("whole", operands, product);
    step("whole: record_begin");
    for (const std::string& each : operands)
      if (!of(each)) return;
    rondo_graph* graph = nullptr;
    if (!call(rondo_record_begin(engine_, nullptr))) return;
    make("recorded whole", operands, product);
    step("whole: record_end");
    if (of("recorded whole"))
      call(rondo_record_end(engine_, &graph));
    else
      call(rondo_record_abort(engine_));
    for (int i = 0; graph && i < 2; ++i) {
      step("whole: launch");
      if (call(rondo_graph_launch(graph))) read("recorded whole");
    }
    rondo_graph_destroy(graph);
    read("whole");
  }

  // Steps of each kind, eagerly and in a graph that is profiled.
  void optimizer() {
    for (const rondo_optimizer_kind kind : {RONDO_OPTIMIZER_SGD, RONDO_OPTIMIZER_ADAM, RONDO_OPTIMIZER_ADAMW}) {
      const std::string name = "weights " + std::to_string(kind);
      make(name, {"a"}, [&](rondo_tensor** out) { return rondo_copy(of("a"), out); });
      rondo_tensor *weights = of(name), *gradient = of("b");
      if (!weights || !gradient) continue;
      rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
      options.kind = kind, options.momentum = kind == RONDO_OPTIMIZER_SGD ? 0.9 : 0, options.weight_decay = 0.01;
      rondo_optimizer* optimizer = nullptr;
      step(name + ": create");
      if (!call(rondo_optimizer_create(1, &weights, &options, &optimizer))) continue;
      step(name + ": step");
      bool good = call(rondo_optimizer_step(optimizer, 1, &gradient, nullptr, nullptr));
      step(name + ": record");
      rondo_graph* graph = nullptr;
      if (call(rondo_record_begin(engine_, nullptr))) {
        good &= call(rondo_optimizer_step(optimizer, 1, &gradient, nullptr, nullptr));
        step(name + ": record_end");
        good &= call(rondo_record_end(engine_, &graph));
      } else {
        good = false;
      }
      step(name + ": launch");
      good = good && call(rondo_graph_launch(graph));
      step(name + ": profile");
      good = good && call(rondo_graph_profile(graph, "/dev/null"));
      if (good) read(name);
      rondo_graph_destroy(graph);
      rondo_optimizer_destroy(optimizer);
    }
  }
};

}  // namespace

Outcome run_graphs(rondo_engine* engine, rondo_device device, const At& at) {
  Graphs graphs(engine, device, at);
  graphs.main();
  return std::move(graphs.outcome);
}

}  // namespace memory
