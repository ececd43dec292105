// Rows of submitting: what one eager operator costs its caller, with one and several threads and in each mode, and how
// long it takes until its result is there. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <exception>
#include <thread>

#include "bench.h"
#include "floor/floor.h"
#include "handles.h"

namespace bench {
namespace {

constexpr int kBurst = 64;  // far below the launches a CUDA stream takes before it blocks (about 1000)

// c = a + b over kElements floats, on its own engine or on one that is shared.
struct Addition {
  Addition(rondo_engine* engine, rondo_device device)
      : engine(engine),
        a(make_tensor(engine, device, kElements, 1)),
        b(make_tensor(engine, device, kElements, 2)),
        c(make_tensor(engine, device, kElements, 0)) {}
  void submit() { bench::add(a, b, c); }
  void submit_new() {
    rondo_tensor* fresh = nullptr;
    check(rondo_binary(RONDO_ADD, a.get(), b.get(), &fresh), "rondo_binary");
    rondo_tensor_destroy(fresh);
  }
  void wait() { check(rondo_tensor_wait(c.get()), "rondo_tensor_wait"); }
  void wait_all() { check(rondo_engine_wait_all(engine), "rondo_engine_wait_all"); }

  rondo_engine* engine;
  Tensor a, b, c;
};

struct OneThread {
  OneThread(rondo_device device, rondo_engine_mode mode)
      : engine(make_engine(mode)), addition(engine.get(), device), floor(make_floor(device)) {}
  Engine engine;
  Addition addition;
  std::unique_ptr<Floor> floor;
};

// Runs body(thread) on `threads` threads, which start together, and returns the mean of what they return.
double on_threads(int threads, const std::function<double(int)>& body) {
  std::atomic<int> ready{0};
  std::vector<double> results(threads);
  std::vector<std::exception_ptr> errors(threads);
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([&, t] {
      ready.fetch_add(1);
      while (ready.load() < threads) std::this_thread::yield();
      try {
        results[t] = body(t);
      } catch (...) {
        errors[t] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  double sum = 0;
  for (int t = 0; t < threads; ++t) {
    if (errors[t]) std::rethrow_exception(errors[t]);
    sum += results[t];
  }
  return sum / threads;
}

Samplers many_threads(const Options& options, int threads) {
  struct State {
    Engine engine;
    std::vector<std::unique_ptr<Addition>> additions;
    std::vector<std::unique_ptr<Floor>> floors;
  };
  auto state = std::make_shared<State>();
  state->engine = make_engine(RONDO_ENGINE_ASYNC, threads);  // a stream per thread, as the floor has
  for (int t = 0; t < threads; ++t) {
    state->additions.push_back(std::make_unique<Addition>(state->engine.get(), options.device));
    state->floors.push_back(make_floor(options.device));
  }
  const int bursts = options.quick ? 4 : 20;
  return {[=] {
            return on_threads(threads, [&](int t) {
              Addition& mine = *state->additions[t];
              burst_us(
                  1, kBurst, [&] { mine.submit(); }, [&] { mine.wait(); });  // the thread's first calls
              return burst_us(
                  bursts, kBurst, [&] { mine.submit(); }, [&] { mine.wait(); });
            });
          },
          [=] {
            return on_threads(threads, [&](int t) {
              Floor& mine = *state->floors[t];
              burst_us(
                  1, kBurst, [&] { mine.add(); }, [&] { mine.wait(); });
              return burst_us(
                  bursts, kBurst, [&] { mine.add(); }, [&] { mine.wait(); });
            });
          }};
}

}  // namespace

void add_submission_rows(const Options& options, std::vector<Row>& rows) {
  const bool cuda = options.device.kind == RONDO_CUDA;
  const std::string launch = cuda ? "cuLaunchKernel of an equal kernel" : "pushing a plain loop to a thread's queue";
  const Goal tenth = cuda ? at_most_times(1.10) : Goal{};
  const int bursts = options.quick ? 8 : 40;
  const int trips = options.quick ? 50 : 300;

  const auto eager = [=](rondo_engine_mode mode) {
    return [=]() -> Samplers {
      auto s = std::make_shared<OneThread>(options.device, mode);
      return {[=] {
                return burst_us(
                    bursts, kBurst, [&] { s->addition.submit(); }, [&] { s->addition.wait(); });
              },
              [=] {
                return burst_us(
                    bursts, kBurst, [&] { s->floor->add(); }, [&] { s->floor->wait(); });
              }};
    };
  };
  const auto round_trip = [=](rondo_engine_mode mode) {
    return [=]() -> Samplers {
      auto s = std::make_shared<OneThread>(options.device, mode);
      return {[=] {
                return round_trip_us(
                    trips, [&] { s->addition.submit(); }, [&] { s->addition.wait(); });
              },
              [=] {
                return round_trip_us(
                    trips, [&] { s->floor->add(); }, [&] { s->floor->wait(); });
              }};
    };
  };

  rows.push_back({"add.async", "c = a + b, 1024 floats, host cost", launch, tenth, eager(RONDO_ENGINE_ASYNC)});
  rows.push_back({"add.threaded", "the same, threaded mode", launch, {}, eager(RONDO_ENGINE_THREADED)});
  for (const int threads : {2, 4}) {
    rows.push_back({"add.async." + std::to_string(threads),
                    "the same, async, " + std::to_string(threads) + " threads",
                    launch + ", as many threads",
                    {},
                    [=] { return many_threads(options, threads); }});
  }
  rows.push_back({"add.new",
                  "c = a + b into a new tensor, host cost",
                  cuda ? "cuMemAllocAsync, cuLaunchKernel, cuMemFreeAsync" : launch + ", which takes its memory",
                  {},
                  [=] {
                    auto s = std::make_shared<OneThread>(options.device, RONDO_ENGINE_ASYNC);
                    return Samplers{[=] {
                                      return burst_us(
                                          bursts, kBurst, [&] { s->addition.submit_new(); },
                                          [&] { s->addition.wait_all(); });
                                    },
                                    [=] {
                                      return burst_us(
                                          bursts, kBurst, [&] { s->floor->add_new(); }, [&] { s->floor->wait(); });
                                    }};
                  }});
  rows.push_back({"tensor.create", "create and destroy a tensor, 1024 floats", "none", {}, [=] {
                    auto engine = std::make_shared<Engine>(make_engine(RONDO_ENGINE_ASYNC));
                    return Samplers{
                        [=] {
                          return burst_us(
                              bursts, kBurst,
                              [&] {
                                const int64_t shape = kElements;
                                rondo_tensor* tensor = nullptr;
                                check(rondo_tensor_create(engine->get(), options.device, RONDO_F32, 1, &shape, &tensor),
                                      "rondo_tensor_create");
                                rondo_tensor_destroy(tensor);
                              },
                              [] {});
                        },
                        {}};
                  }});
  const std::string done = cuda ? "cuLaunchKernel, cuEventRecord, cuEventSynchronize" : launch + ", and waiting for it";
  rows.push_back({"wait.async", "c = a + b and wait for it", done, {}, round_trip(RONDO_ENGINE_ASYNC)});
  rows.push_back({"wait.threaded", "the same, threaded mode", done, {}, round_trip(RONDO_ENGINE_THREADED)});
  rows.push_back({"wait.naive", "the same, naive mode", done, {}, round_trip(RONDO_ENGINE_NAIVE)});
}

}  // namespace bench
