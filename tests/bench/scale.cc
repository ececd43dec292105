// Rows of scale: whether submitting costs the same with ten times as many live variables, and with ten times as long a
// queue. Here the floor is Rondo itself at the smaller size; the goal is ours: no growth beyond the noise. Copyright
// 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <mutex>

#include "bench.h"
#include "floor/floor.h"
#include "handles.h"

namespace bench {
namespace {

constexpr int kBurst = 64;

// An engine with many tensors alive, all written once, and additions over the first three of them.
struct Crowd {
  Crowd(rondo_device device, int tensors) : engine(make_engine(RONDO_ENGINE_ASYNC)) {
    for (int i = 0; i < tensors; ++i) all.push_back(make_tensor(engine.get(), device, kElements, i % 7));
    wait();
  }
  void submit() { add(all[0], all[1], all[2]); }
  void wait() { check(rondo_engine_wait_all(engine.get()), "rondo_engine_wait_all"); }
  Engine engine;
  std::vector<Tensor> all;
};

// A queue of host tasks held back by a first one that waits for the gate to open.
class Gate {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }
  static rondo_status hold(void* arg, rondo_task_context*) {
    Gate& gate = *static_cast<Gate*>(arg);
    std::unique_lock lock(gate.mutex_);
    gate.changed_.wait(lock, [&] { return gate.open_; });
    return RONDO_OK;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// Host cost of one submission while `length` dependent tasks pile up behind a gate.
double queue_us(rondo_engine* engine, rondo_variable* variable, int length) {
  Gate gate;
  rondo_variable* writes[] = {variable};
  check(rondo_engine_push(engine, Gate::hold, &gate, nullptr, nullptr, 0, writes, 1, nullptr), "rondo_engine_push");
  const auto nothing = [](void*, rondo_task_context*) -> rondo_status { return RONDO_OK; };
  rondo_status status = RONDO_OK;
  const double begin = now_us();
  for (int i = 0; i < length && status == RONDO_OK; ++i) {
    status = rondo_engine_push(engine, nothing, nullptr, nullptr, nullptr, 0, writes, 1, nullptr);
  }
  const double took = now_us() - begin;
  gate.open();  // also on failure: the task that waits for it must end before the gate does
  check(rondo_variable_wait(variable), "rondo_variable_wait");
  check(status, "rondo_engine_push");
  return took / length;
}

}  // namespace

void add_scaling_rows(const Options& options, std::vector<Row>& rows) {
  const int bursts = options.quick ? 8 : 40;
  rows.push_back({"scale.variables", "c = a + b with 10,000 tensors alive, host cost", "the same with 1,000 tensors",
                  at_most_times(1.2), [=]() -> Samplers {
                    auto many = std::make_shared<Crowd>(options.device, 10000);
                    auto few = std::make_shared<Crowd>(options.device, 1000);
                    return {[=] {
                              return burst_us(
                                  bursts, kBurst, [&] { many->submit(); }, [&] { many->wait(); });
                            },
                            [=] {
                              return burst_us(
                                  bursts, kBurst, [&] { few->submit(); }, [&] { few->wait(); });
                            }};
                  }});
  rows.push_back({"scale.queue", "one of 3,000 tasks queued behind another, host cost", "the same with 300 tasks",
                  at_most_times(1.2), [=]() -> Samplers {
                    struct State {
                      Engine engine = make_engine(RONDO_ENGINE_ASYNC);
                      Variable variable;
                    };
                    auto s = std::make_shared<State>();
                    rondo_variable* variable = nullptr;
                    BENCH_CHECK(rondo_variable_create(s->engine.get(), &variable));
                    s->variable.reset(variable);
                    return {[=] { return queue_us(s->engine.get(), s->variable.get(), 3000); },
                            [=] {
                              double sum = 0;  // as many tasks in all, so that both samples are equally long
                              for (int i = 0; i < 10; ++i) sum += queue_us(s->engine.get(), s->variable.get(), 300);
                              return sum / 10;
                            }};
                  }});
}

}  // namespace bench
