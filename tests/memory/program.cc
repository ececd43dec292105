// The steps of the program. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/dlpack.h"
#include "graphs.h"
#include "steps.h"

namespace memory {

namespace {

rondo_status nothing(void*, rondo_task_context*) {
  return RONDO_OK;
}

// A thread that ends what tasks have left to it.
class Finisher {
 public:
  ~Finisher() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void take(rondo_completion* completion, bool completes) {
    {
      const std::lock_guard lock(mutex_);
      left_.emplace_back(completion, completes);
    }
    changed_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return over_ || !left_.empty(); });
      if (left_.empty()) return;
      const auto [completion, completes] = left_.front();
      left_.pop_front();
      lock.unlock();
      if (completes) (void)rondo_completion_complete(completion, RONDO_OK, nullptr);
      rondo_completion_destroy(completion);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<rondo_completion*, bool>> left_;
  bool over_ = false;
  std::thread thread_{[this] { run(); }};
};

template <bool kCompletes>
rondo_status defer_to(void* finisher, rondo_task_context* context) {
  rondo_completion* completion = nullptr;
  if (const rondo_status status = rondo_task_defer(context, &completion); status != RONDO_OK) return status;
  static_cast<Finisher*>(finisher)->take(completion, kCompletes);
  return RONDO_OK;
}

class Program : public Steps {
 public:
  Program(rondo_engine* engine, rondo_device device, const At& at, std::string prefix = "")
      : Steps(engine, device, at, std::move(prefix)) {}

  void main() {
    eager();
    views();
    tasks();
    completions();
    limits();
    record();
    tape();
    autocast();
    model();
    threads();
    exchange();
    trace();
    step("wait_all");
    call(rondo_engine_wait_all(engine_));
    for (const char* name :
         {"a", "sum", "rows", "product", "softmax", "drawn", "sorted", "normed", "deviation", "column"})
      read(name);
  }
  // What each of several threads does.
  void beside() {
    from_host("mine", [](int64_t i) { return static_cast<float>(i % 11); });
    for (int i = 0; i < 4; ++i)
      make("next" + std::to_string(i), {"mine"},
           [&](rondo_tensor** out) { return rondo_binary_scalar(RONDO_MUL, of("mine"), 1.5 + i, out); });
    make("both", {"next0", "next3"},
         [&](rondo_tensor** out) { return rondo_binary(RONDO_ADD, of("next0"), of("next3"), out); });
    read("both");
    step("an error");
    if (of("both")) (void)rondo_tensor_reshape(of("both"), -1, nullptr, nullptr);
  }

 private:
  void eager() {
    from_host("a", [](int64_t i) { return static_cast<float>(i % 7) - 3; });
    from_host("b", [](int64_t i) { return static_cast<float>(i % 5) + 1; });
    make("sum", {"a", "b"}, [&](rondo_tensor** out) { return rondo_binary(RONDO_ADD, of("a"), of("b"), out); });
    const int32_t axis = 1;
    make("rows", {"sum"}, [&](rondo_tensor** out) { return rondo_reduce(RONDO_SUM, of("sum"), 1, &axis, 0, out); });
    make("product", {"a", "b"}, [&](rondo_tensor** out) {
      rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
      options.transpose_b = 1;
      return rondo_matmul(of("a"), of("b"), &options, out);
    });
    make("softmax", {"a"}, [&](rondo_tensor** out) { return rondo_softmax(of("a"), -1, out); });
    step("seed");
    call(rondo_engine_seed(engine_, 5));
    const int64_t shape[] = {kRows, kColumns};
    make("drawn", {},
         [&](rondo_tensor** out) { return rondo_random_uniform(engine_, device_, RONDO_F32, 2, shape, 0, 1, out); });
    make("sorted", {"drawn"}, [&](rondo_tensor** out) { return rondo_sort(of("drawn"), 1, 0, out); });
    make("normed", {"drawn"},
         [&](rondo_tensor** out) { return rondo_layer_norm(of("drawn"), 1, nullptr, nullptr, 1e-5, out); });
    step("expression");
    rondo_expression* expression = nullptr;
    if (call(rondo_expression_create("let d = x - m; y = d * d * scale", "deviation", &expression))) {
      make("deviation", {"a", "b"}, [&](rondo_tensor** out) {
        const rondo_argument arguments[] = {RONDO_TENSOR("x", of("a")), RONDO_TENSOR("m", of("b")),
                                            RONDO_SCALAR("scale", 0.5)};
        return rondo_expression_run(expression, 3, arguments, 1, out);
      });
      rondo_expression_destroy(expression);
    }
    step("in place");
    if (rondo_tensor* b = of("b")) call(rondo_binary_scalar(RONDO_ADD, b, 1, &b));
    step("write");
    if (rondo_tensor* b = of("b")) {
      const std::vector<float> data(kRows * kColumns, 2.0f);
      call(rondo_tensor_write(b, data.data(), data.size() * sizeof(float)));
    }
  }

  void views() {
    make("column", {"sum"}, [&](rondo_tensor** out) { return rondo_tensor_slice(of("sum"), 1, 2, 5, 1, out); });
    make("across", {"sum"}, [&](rondo_tensor** out) { return rondo_tensor_transpose(of("sum"), nullptr, out); });
    make("packed", {"across"}, [&](rondo_tensor** out) { return rondo_copy(of("across"), out); });
    make("moved", {"sum"}, [&](rondo_tensor** out) {
      return rondo_copy_to(of("sum"), rondo_device{RONDO_CPU, 0}, out);
    });
    read("packed");
    read("moved");
  }

  // Many readers and a writer behind them all, so that there are long lists of who waits for whom.
  void tasks() {
    from_host("shared", [](int64_t i) { return static_cast<float>(i); });
    step("push");
    rondo_tensor* shared = of("shared");
    rondo_variable* variable = nullptr;
    if (!shared || !call(rondo_tensor_variable(shared, &variable))) return;
    rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
    options.name = "reader";
    for (int i = 0; i < 12; ++i) {
      auto* arg = new int(i);
      call(rondo_engine_push(
          engine_, nothing, arg, [](void* each) { delete static_cast<int*>(each); }, &variable, 1, nullptr, 0,
          &options));
    }
    options.name = "writer";
    call(rondo_engine_push(engine_, nothing, nullptr, nullptr, nullptr, 0, &variable, 1, &options));
    step("push_tensors");
    call(rondo_engine_push_tensors(engine_, nothing, nullptr, nullptr, &shared, 1, nullptr, 0, nullptr));
    step("variables");
    rondo_variable* own = nullptr;
    if (call(rondo_variable_create(engine_, &own))) {
      call(rondo_engine_push(engine_, nothing, nullptr, nullptr, nullptr, 0, &own, 1, &options));
      call(rondo_variable_wait(own));
      rondo_variable_destroy(own);
    }
    read("shared");
  }

  // Tasks whose end is left to a thread of the program's: it completes one, and lets the other go.
  void completions() {
    step("deferred");
    rondo_variable* own = nullptr;
    if (!call(rondo_variable_create(engine_, &own))) return;
    rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
    options.name = "deferred";
    Finisher finisher;
    call(rondo_engine_push(engine_, defer_to<true>, &finisher, nullptr, nullptr, 0, &own, 1, &options));
    call(rondo_variable_wait(own));
    step("deferred and let go");
    rondo_status ended = rondo_engine_push(engine_, defer_to<false>, &finisher, nullptr, nullptr, 0, &own, 1, &options);
    if (ended == RONDO_OK) ended = rondo_variable_wait(own);  // in naive mode the call has
    if (ended != RONDO_USER_ERROR) call(ended == RONDO_OK ? RONDO_INTERNAL : ended);
    (void)rondo_engine_wait_all(engine_);  // says the first failure once more
    rondo_variable_destroy(own);
  }

  // Waits with a limit of time that they do not reach, and one that does.
  void limits() {
    constexpr int64_t kLong = 60000;
    step("tensor_wait_for");
    if (rondo_tensor* a = of("a")) call(rondo_tensor_wait_for(a, kLong));
    step("engine_wait_all_for");
    call(rondo_engine_wait_all_for(engine_, kLong));
    step("variable_wait_for");
    rondo_variable* own = nullptr;
    if (!call(rondo_variable_create(engine_, &own))) return;
    std::atomic<bool> held{true};
    std::thread holder([&] {  // in naive mode it is in the call for as long
      const auto hold = [](void* arg, rondo_task_context*) {
        while (*static_cast<std::atomic<bool>*>(arg)) std::this_thread::yield();
        return RONDO_OK;
      };
      (void)rondo_engine_push(engine_, hold, &held, nullptr, nullptr, 0, &own, 1, nullptr);
    });
    // Not yet submitted, or not to be, it is not waited for.
    const rondo_status early = rondo_variable_wait_for(own, 1);
    if (early != RONDO_TIMED_OUT) call(early);
    held = false;
    holder.join();
    call(rondo_variable_wait_for(own, kLong));
    rondo_variable_destroy(own);
  }

  void record() {
    step("record_begin");
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.name = "step";
    if (!call(rondo_record_begin(engine_, &options))) return;
    make("left", {"a", "b"}, [&](rondo_tensor** out) { return rondo_binary(RONDO_MUL, of("a"), of("b"), out); });
    const int64_t shape[] = {kRows, kColumns};
    make("noise", {},
         [&](rondo_tensor** out) { return rondo_random_uniform(engine_, device_, RONDO_F32, 2, shape, 0, 1, out); });
    make("joined", {"left", "noise"},
         [&](rondo_tensor** out) { return rondo_binary(RONDO_ADD, of("left"), of("noise"), out); });
    make("on_host", {"joined"}, [&](rondo_tensor** out) {
      return rondo_copy_to(of("joined"), rondo_device{RONDO_CPU, 0}, out);
    });
    make("behind", {"joined"}, [&](rondo_tensor** out) { return rondo_unary(RONDO_EXP, of("joined"), out); });
    for (const char* temporary : {"left", "noise"}) {
      rondo_tensor_destroy(of(temporary));
      tensors_.erase(temporary);
    }
    step("record_end");
    rondo_graph* graph = nullptr;
    if (call(rondo_record_end(engine_, &graph))) {
      step("seed the launches");
      bool all = call(rondo_engine_seed(engine_, 6));
      for (int i = 0; i < 2; ++i) {
        step("launch");
        all &= call(rondo_graph_launch(graph));
      }
      step("profile");
      all &= call(rondo_graph_profile(graph, "/dev/null"));
      step("report");
      std::string text(1 << 14, '\0');
      size_t length = 0;
      call(rondo_graph_report(graph, text.data(), text.size(), &length));
      if (all)
        for (const char* output : {"joined", "on_host", "behind"}) read(output);
    }
    step("graph_destroy");
    rondo_graph_destroy(graph);
    for (const char* output : {"joined", "on_host", "behind"}) {
      rondo_tensor_destroy(of(output));
      tensors_.erase(output);
    }
  }

  void tape() {
    step("tape_begin");
    rondo_tape* tape = nullptr;
    rondo_tensor* a = of("a");
    if (!a || !call(rondo_tape_begin(engine_, 0, &tape))) return;
    step("tape_watch");
    const bool watched = call(rondo_tape_watch(tape, a));
    make("squared", {"a"}, [&](rondo_tensor** out) { return rondo_binary(RONDO_MUL, a, a, out); });
    make("soft", {"squared"}, [&](rondo_tensor** out) { return rondo_softmax(of("squared"), -1, out); });
    make("weighed", {"soft", "b"},
         [&](rondo_tensor** out) { return rondo_binary(RONDO_MUL, of("soft"), of("b"), out); });
    make("loss", {"weighed"},
         [&](rondo_tensor** out) { return rondo_reduce(RONDO_SUM, of("weighed"), 0, nullptr, 0, out); });
    step("tape_gradients");
    rondo_tensor* loss = of("loss");
    rondo_tensor* gradient = nullptr;
    if (watched && loss && call(rondo_tape_gradients(tape, 1, &loss, nullptr, 1, &a, &gradient))) {
      keep("gradient", gradient);
      read("gradient");
    }
    step("tape_destroy");
    rondo_tape_destroy(tape);
    descend();
  }

  void descend() {
    rondo_tensor* gradient = of("gradient");
    if (!gradient) return;
    make("weights", {"gradient"}, [&](rondo_tensor** out) { return rondo_copy(gradient, out); });
    rondo_tensor* weights = of("weights");
    if (!weights) return;
    rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
    options.kind = RONDO_OPTIMIZER_LAMB, options.max_norm = 1;
    rondo_optimizer* optimizer = nullptr;
    step("optimizer_create");
    if (!call(rondo_optimizer_create(1, &weights, &options, &optimizer))) return;
    step("optimizer_step");
    if (call(rondo_optimizer_step(optimizer, 1, &gradient, nullptr, nullptr))) read("weights");
    rondo_loss_scaler* scaler = nullptr;
    step("loss_scaler_create");
    if (call(rondo_loss_scaler_create(engine_, device_, nullptr, &scaler))) {
      step("loss_scaler_step");
      if (call(rondo_loss_scaler_step(scaler, optimizer, 1, &gradient))) {
        step("loss_scaler_update");
        call(rondo_loss_scaler_update(scaler));
      }
      rows(scaler, optimizer);
      rondo_loss_scaler_destroy(scaler);
    }
    rondo_optimizer_destroy(optimizer);
  }

  // Rows of a table that step or are skipped together with an optimizer.
  void rows(rondo_loss_scaler* scaler, rondo_optimizer* optimizer) {
    make("table", {"gradient"}, [&](rondo_tensor** out) { return rondo_copy(of("gradient"), out); });
    make("of_bags", {"gradient"}, [&](rondo_tensor** out) {
      const int64_t shape[] = {kRows, 1, kColumns};
      return rondo_tensor_reshape(of("gradient"), 3, shape, out);
    });
    make("indices", {}, [&](rondo_tensor** out) {
      const int64_t shape[] = {1, kRows, 1};
      const int32_t rows[kRows] = {3, 1, 3, 0, 7, 3, 1, 5};
      return rondo_tensor_from_host(engine_, device_, RONDO_I32, 3, shape, rows, out);
    });
    step("optimizer_state");
    const char* name = nullptr;
    rondo_tensor* rate = nullptr;
    if (!call(rondo_optimizer_state(optimizer, 1, &name, &rate))) return;
    keep("rate", rate);
    step("loss_scaler_finite");
    rondo_tensor *gradient = of("gradient"), *finite = nullptr, *scale = nullptr, *table = of("table");
    if (!call(rondo_loss_scaler_finite(scaler, 1, &gradient, &finite, &scale))) return;
    keep("finite", finite);
    keep("scale", scale);
    step("embedding_bag_descend");
    rondo_descend_options options = RONDO_DESCEND_OPTIONS_INIT;
    options.finite = finite, options.scale = scale;
    if (table && of("indices") && of("of_bags") &&
        call(rondo_embedding_bag_descend(1, &table, of("indices"), nullptr, RONDO_BAG_SUM, of("of_bags"), rate,
                                         &options)))
      read("table");
    step("loss_scaler_update behind rows");
    call(rondo_loss_scaler_update(scaler));
  }

  void autocast() {
    step("autocast_begin");
    if (!call(rondo_autocast_begin(engine_, RONDO_F16))) return;
    step("autocast_set");
    call(rondo_autocast_set(engine_, "exp", RONDO_PRECISION_WIDEST));
    for (const char* name : {"half", "half_again"})
      make(name, {"a", "b"}, [&](rondo_tensor** out) {
        rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
        options.transpose_b = 1;
        return rondo_matmul(of("a"), of("b"), &options, out);
      });
    step("autocast_end");
    call(rondo_autocast_end(engine_));
  }

  void model() {
    step("model_write");
    rondo_tensor* tensors[] = {of("a"), of("softmax")};
    if (!tensors[0] || !tensors[1]) return;
    const char* const names[] = {"first", "second"};
    const char* folder = std::getenv("TMPDIR");
    const std::string path = std::string(folder ? folder : "/tmp") + "/rondo.memory." + std::to_string(getpid());
    if (call(rondo_model_file_write(path.c_str(), names, tensors, 2, nullptr, nullptr, 0))) {
      rondo_model_file* file = nullptr;
      step("model_open");
      if (call(rondo_model_file_open(path.c_str(), &file))) {
        make("loaded", {},
             [&](rondo_tensor** out) { return rondo_model_file_load(file, "second", engine_, device_, out); });
        rondo_model_file_destroy(file);
        read("loaded");
      }
    }
    unlink(path.c_str());
  }

  void threads() {
    std::vector<std::thread> all;
    std::mutex mutex;
    for (int i = 0; i < 3; ++i)
      all.emplace_back([this, i, &mutex] {
        Outcome mine;
        {
          Program beside(engine_, device_, at_, "thread " + std::to_string(i) + ": ");
          beside.beside();
          mine = std::move(beside.outcome);
        }
        const std::lock_guard lock(mutex);
        for (Failure& each : mine.failures) outcome.failures.push_back(std::move(each));
        outcome.values.merge(mine.values);
      });
    for (std::thread& each : all) each.join();
  }

  // Out to another library and back.
  void exchange() {
    step("to_dlpack");
    rondo_tensor* a = of("a");
    DLManagedTensorVersioned* managed = nullptr;
    if (!a || !call(rondo_tensor_to_dlpack(a, nullptr, &managed))) return;
    step("from_dlpack");
    rondo_tensor* back = nullptr;
    if (call(rondo_tensor_from_dlpack(engine_, managed, nullptr, &back)))
      keep("back", back);
    else
      managed->deleter(managed);
    make("doubled", {"back"}, [&](rondo_tensor** out) { return rondo_binary_scalar(RONDO_MUL, of("back"), 2, out); });
    read("doubled");
  }

  void trace() {
    step("trace_begin");
    if (!call(rondo_trace_begin(engine_))) return;
    make("traced", {"a", "b"}, [&](rondo_tensor** out) { return rondo_binary(RONDO_SUB, of("a"), of("b"), out); });
    step("trace_end");
    if (!call(rondo_trace_end(engine_, "/dev/null"))) (void)rondo_trace_end(engine_, nullptr);
    read("traced");
  }
};

}  // namespace

Outcome run(Subject subject, rondo_engine* engine, rondo_device device, const At& at) {
  Outcome outcome;
  if (subject == Subject::graphs) {
    outcome = run_graphs(engine, device, at);
  } else {
    Program program(engine, device, at);
    program.main();
    outcome = std::move(program.outcome);
  }
  // What failed, and nobody waited for, is said once. A wait needs no memory.
  (void)rondo_engine_wait_all(engine);
  return outcome;
}

Outcome run_alone(Subject subject, rondo_engine_mode mode, rondo_device device, const At& at) {
  at("engine_create");
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  options.mode = mode;
  options.workers = 2;
  rondo_engine* engine = nullptr;
  const rondo_status status = rondo_engine_create(&options, &engine);
  if (status != RONDO_OK) return {{{"engine_create", status, rondo_last_error()}}, {}};
  Outcome outcome = run(subject, engine, device, at);
  at("engine_destroy");
  rondo_engine_destroy(engine);
  return outcome;
}

}  // namespace memory
