// Rows of control flow in graphs: what a choice, or a turn of a loop, takes from launch to done where a CUDA graph
// decides by itself, and what programs take that have some: a text, one with several beams, a training step; the floor
// is the same graph with the host deciding.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench.h"
#include "handles.h"

namespace bench {
namespace {

class Controlled {
 public:
  Controlled(rondo_device device, bool loop)
      : loop_(loop), engine_(make_engine(RONDO_ENGINE_ASYNC)), x_(make_tensor(engine_.get(), device, 1024, 1)) {
    graph_ = record(0);
    host_ = record(RONDO_RECORD_HOST_DECIDES);
    rondo_graph_info chosen = RONDO_GRAPH_INFO_INIT, decided = RONDO_GRAPH_INFO_INIT;
    BENCH_CHECK(rondo_graph_query(graph_.get(), &chosen));
    BENCH_CHECK(rondo_graph_query(host_.get(), &decided));
    if (chosen.conditional_nodes != 1 || decided.conditional_nodes != 0)
      throw std::runtime_error("this driver's graphs do not decide by themselves");
  }
  // Microseconds from launch to done, of a choice or a turn.
  double sample(bool host, int launches) const {
    wait();
    const double begin = now_us();
    for (int i = 0; i < launches; ++i) {
      BENCH_CHECK(rondo_graph_launch((host ? host_ : graph_).get()));
      wait();
    }
    return (now_us() - begin) / (launches * (loop_ ? kTurns : 1));
  }

 private:
  static constexpr int kTurns = 100;

  void wait() const { BENCH_CHECK(rondo_engine_wait_all(engine_.get())); }
  static rondo_status body(void* self) {
    rondo_tensor* x = static_cast<Controlled*>(self)->x_.get();
    return rondo_binary_scalar(RONDO_MUL, x, 0.5, &x);
  }
  Graph record(uint32_t flags) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = flags;
    BENCH_CHECK(rondo_record_begin(engine_.get(), &options));
    rondo_graph* graph = nullptr;
    try {
      rondo_tensor *first = nullptr, *goes_on = nullptr;
      BENCH_CHECK(rondo_tensor_slice(x_.get(), 0, 0, 1, 1, &first));
      const Tensor one(first);
      BENCH_CHECK(rondo_binary_scalar(RONDO_GE, first, 0, &goes_on));
      const Tensor condition(goes_on);
      if (loop_)
        BENCH_CHECK(rondo_while(engine_.get(), goes_on, body, kTurns, this));
      else
        BENCH_CHECK(rondo_if(engine_.get(), goes_on, body, nullptr, this));
    } catch (...) {
      rondo_record_abort(engine_.get());
      throw;
    }
    BENCH_CHECK(rondo_record_end(engine_.get(), &graph));
    return Graph(graph);
  }

  const bool loop_;
  Engine engine_;
  Tensor x_;
  Graph graph_, host_;
};

// What an operator makes, and what it writes into a tensor that is there.
template <class Function, class... Arguments>
Tensor made(Function function, Arguments... arguments) {
  rondo_tensor* out = nullptr;
  BENCH_CHECK(function(arguments..., &out));
  return Tensor(out);
}
template <class Function, class... Arguments>
void put(const Tensor& into, Function function, Arguments... arguments) {
  rondo_tensor* out = into.get();
  BENCH_CHECK(function(arguments..., &out));
}

// A program with control flow as programs have it, recorded twice: the graph decides, in a chain, or the host does,
// with branches between the choices.
class Program {
 public:
  explicit Program(rondo_device device) : device_(device), engine_(make_engine(RONDO_ENGINE_ASYNC)) {}
  virtual ~Program() = default;
  void prepare() {
    graph_ = record(0);
    host_ = record(RONDO_RECORD_HOST_DECIDES);
  }
  double sample(bool host, int launches) const {
    BENCH_CHECK(rondo_engine_wait_all(engine_.get()));
    const double begin = now_us();
    for (int i = 0; i < launches; ++i) {
      BENCH_CHECK(rondo_graph_launch((host ? host_ : graph_).get()));
      BENCH_CHECK(rondo_engine_wait_all(engine_.get()));
    }
    return (now_us() - begin) / launches;
  }

 protected:
  virtual void issue() = 0;
  Tensor tensor(const std::vector<int64_t>& shape, double value, rondo_dtype dtype = RONDO_F32) const {
    Tensor tensor =
        made(rondo_tensor_create, engine_.get(), device_, dtype, static_cast<int32_t>(shape.size()), shape.data());
    BENCH_CHECK(rondo_fill(tensor.get(), value));
    return tensor;
  }
  Tensor weights(int64_t rows, int64_t columns) const {
    const int64_t shape[] = {rows, columns};
    return made(rondo_random_uniform, engine_.get(), device_, RONDO_F32, 2, shape, -0.1, 0.1);
  }
  static Tensor product(const Tensor& a, const Tensor& b) {
    return made(rondo_matmul, a.get(), b.get(), static_cast<const rondo_matmul_options*>(nullptr));
  }
  // Makes of a function of the program a body.
  template <class Own, void (Own::*function)()>
  static rondo_status body(void* self) {
    try {
      (static_cast<Own*>(self)->*function)();
      return RONDO_OK;
    } catch (const std::exception&) {
      return RONDO_USER_ERROR;
    }
  }
  rondo_engine* engine() const { return engine_.get(); }

 private:
  Graph record(uint32_t flags) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = flags;
    BENCH_CHECK(rondo_record_begin(engine(), &options));
    try {
      issue();
    } catch (...) {
      rondo_record_abort(engine());
      throw;
    }
    rondo_graph* graph = nullptr;
    BENCH_CHECK(rondo_record_end(engine(), &graph));
    return Graph(graph);
  }

  const rondo_device device_;
  Engine engine_;
  Graph graph_, host_;
};

// A text of 32 tokens, one after the other: a gated recurrent step of width 256, and the likeliest of 4096 tokens. Of
// several beams it keeps the four likeliest, whose two products are side by side.
class Text final : public Program {
 public:
  Text(rondo_device device, int64_t beams)
      : Program(device),
        table_(weights(kTokens, kWidth)),
        gates_(weights(kWidth, kWidth)),
        inner_(weights(kWidth, kWidth)),
        out_(weights(kWidth, kTokens)),
        state_(tensor({beams, kWidth}, 0)),
        token_(tensor({beams}, 1, RONDO_I64)),
        count_(tensor({}, 0)),
        scores_(tensor({beams, 1}, 0)),
        goes_on_(tensor({}, 1, RONDO_BOOL)),
        beams_(beams) {
    prepare();
  }

 protected:
  void issue() override {
    BENCH_CHECK(rondo_fill(count_.get(), 0));
    BENCH_CHECK(rondo_fill(state_.get(), 0));
    BENCH_CHECK(rondo_fill(goes_on_.get(), 1));
    BENCH_CHECK(rondo_while(engine(), goes_on_.get(), body<Text, &Text::step>, kSteps, this));
  }

 private:
  static constexpr int64_t kTokens = 4096, kWidth = 256, kSteps = 32;

  void step() {
    const Tensor x = made(rondo_gather_rows, table_.get(), token_.get());
    const Tensor gate = made(rondo_unary, RONDO_SIGMOID, product(x, gates_).get());
    const Tensor next = made(rondo_unary, RONDO_TANH, product(state_, inner_).get());
    const Tensor mixed = made(rondo_binary, RONDO_MUL, gate.get(), next.get());
    put(state_, rondo_binary, RONDO_ADD, mixed.get(), x.get());
    const Tensor logits = made(rondo_log_softmax, product(state_, out_).get(), 1);
    if (beams_ > 1) {
      const Tensor all = made(rondo_binary, RONDO_ADD, logits.get(), scores_.get());
      const int64_t flat[] = {beams_ * kTokens}, column[] = {beams_, 1};
      const Tensor line = made(rondo_tensor_reshape, all.get(), 1, flat);
      rondo_tensor *values = nullptr, *places = nullptr;
      BENCH_CHECK(rondo_topk(line.get(), beams_, 0, 1, &values, &places));
      const Tensor best(values), where(places);
      const Tensor scores = made(rondo_tensor_reshape, best.get(), 2, column);
      put(scores_, rondo_copy, scores.get());
      const Tensor from = made(rondo_binary_scalar_i64, RONDO_FLOOR_DIV, where.get(), int64_t{kTokens});
      put(token_, rondo_binary_scalar_i64, RONDO_MOD, where.get(), int64_t{kTokens});
      const Tensor states = made(rondo_gather_rows, state_.get(), from.get());
      put(state_, rondo_copy, states.get());
    } else {
      const int32_t axis = 1;
      put(token_, rondo_reduce, RONDO_ARGMAX, logits.get(), 1, &axis, 0);
    }
    put(count_, rondo_binary_scalar, RONDO_ADD, count_.get(), 1.0);
    put(goes_on_, rondo_binary_scalar, RONDO_LT, count_.get(), static_cast<double>(kSteps));
  }

  Tensor table_, gates_, inner_, out_, state_, token_, count_, scores_, goes_on_;
  const int64_t beams_;
};

// A step of training, two layers of 512 on 128 rows, whose gradients count if they are finite.
class Training final : public Program {
 public:
  explicit Training(rondo_device device)
      : Program(device),
        x_(weights(kRows, kWidth)),
        target_(weights(kRows, kWidth)),
        w_{weights(kWidth, kWidth), weights(kWidth, kWidth)} {
    prepare();
  }

 protected:
  void issue() override {
    rondo_tensor* const watched[] = {w_[0].get(), w_[1].get()};
    rondo_tensor* gradients[2] = {};
    {
      rondo_tape* tape = nullptr;
      BENCH_CHECK(rondo_tape_begin(engine(), 0, &tape));
      const std::unique_ptr<rondo_tape, Destroy<rondo_tape, rondo_tape_destroy>> owner(tape);
      for (rondo_tensor* each : watched) BENCH_CHECK(rondo_tape_watch(tape, each));
      const Tensor hidden = made(rondo_unary, RONDO_TANH, product(x_, w_[0]).get());
      const Tensor out = product(hidden, w_[1]);
      const Tensor error = made(rondo_binary, RONDO_SUB, out.get(), target_.get());
      const Tensor squares = made(rondo_binary, RONDO_MUL, error.get(), error.get());
      const Tensor loss = made(rondo_reduce, RONDO_MEAN, squares.get(), 0, static_cast<const int32_t*>(nullptr), 0);
      BENCH_CHECK(rondo_tape_end(tape));
      rondo_tensor* const of[] = {loss.get()};
      BENCH_CHECK(rondo_tape_gradients(tape, 1, of, nullptr, 2, watched, gradients));
    }
    gradients_[0].reset(gradients[0]);
    gradients_[1].reset(gradients[1]);
    const Tensor norm = made(rondo_global_norm, 2, static_cast<rondo_tensor* const*>(gradients));
    const Tensor good = made(rondo_unary, RONDO_ISFINITE, norm.get());
    BENCH_CHECK(rondo_if(engine(), good.get(), body<Training, &Training::update>, nullptr, this));
    for (Tensor& each : gradients_) each.reset();
  }

 private:
  static constexpr int64_t kRows = 128, kWidth = 512;

  void update() {
    for (int i = 0; i < 2; ++i) {
      const Tensor step = made(rondo_binary_scalar, RONDO_MUL, gradients_[i].get(), 0.01);
      put(w_[i], rondo_binary, RONDO_SUB, w_[i].get(), step.get());
    }
  }

  Tensor x_, target_, w_[2], gradients_[2];
};

}  // namespace

void add_control_rows(const Options& options, std::vector<Row>& rows) {
  if (options.device.kind != RONDO_CUDA) return;
  for (const bool loop : {false, true})
    rows.push_back(
        {loop ? "control.while" : "control.if",
         loop ? "100 turns of a loop in a graph, launch to done, each" : "a graph with an if in it, launch to done",
         "the same graph, the host decides", at_most_times(1), [=]() -> Samplers {
           const auto controlled = std::make_shared<Controlled>(options.device, loop);
           const int launches = options.quick ? 5 : 20;
           return {[=] { return controlled->sample(false, launches); },
                   [=] { return controlled->sample(true, launches); }};
         }});
  struct {
    const char *id, *what;
    std::shared_ptr<Program> (*make)(rondo_device);
  } const programs[] = {
      {"control.text", "a text of 32 tokens, a loop in a graph, launch to done",
       [](rondo_device device) -> std::shared_ptr<Program> { return std::make_shared<Text>(device, 1); }},
      {"control.beams", "the same with four beams",
       [](rondo_device device) -> std::shared_ptr<Program> { return std::make_shared<Text>(device, 4); }},
      {"control.step", "a training step that counts if its gradients are finite",
       [](rondo_device device) -> std::shared_ptr<Program> { return std::make_shared<Training>(device); }}};
  for (const auto& each : programs)
    rows.push_back(
        {each.id, each.what, "the same program, the host decides", Goal{}, [=, make = each.make]() -> Samplers {
           const std::shared_ptr<Program> program = make(options.device);
           const int launches = options.quick ? 3 : 10;
           return {[=] { return program->sample(false, launches); }, [=] { return program->sample(true, launches); }};
         }});
}

}  // namespace bench
