// Control flow in graphs: what is chosen when a graph runs, and that the results are those of eager calls.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "control/control.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace conformance {
namespace {

class Control : public OnControl {};
CONFORMANCE_ENGINE_SUITE(Control);

TEST_P(Control, IfRunsTheBodyThatTheConditionChooses) {
  const Tensor x = ones(64), y = ones(64, 5);
  const auto program = [&] {
    const Tensor condition = positive(x);
    if_else(
        condition, [&] { into(y, rondo_binary, RONDO_MUL, y, x); }, [&] { add(y, 100); });
    add(y, 1);
  };
  program();  // eager: 5 * 1 + 1
  EXPECT_EQ(first(y), 6);
  const Graph graph = record(engine(), program);
  EXPECT_EQ(first(y), 6) << "nothing runs while it is recorded";
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(y), 7);
  must(rondo_fill(x, -1));
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(y), 7 + 101 + 101);
  must(rondo_fill(x, 2));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(y), 2 * 209 + 1);
}

TEST_P(Control, IfWithoutElseLeavesWhatIsThere) {
  const Tensor condition = truth(false), y = ones(10, 3);
  const Graph graph = record(engine(), [&] { if_else(condition, [&] { must(rondo_fill(y, 8)); }); });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(y), 3);
  must(rondo_fill(condition, 1));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(y), 8);
}

TEST_P(Control, WhileRunsUntilItsBodySaysSo) {
  const Tensor x = ones(33), turns = ones(1, 0);
  const auto program = [&] {
    const Tensor condition = make(rondo_binary_scalar, RONDO_LT, slice(x, 0, 0, 1), 1000.0);
    while_true(condition, [&] {
      multiply(x, 2);
      add(turns, 1);
      into(condition, rondo_binary_scalar, RONDO_LT, slice(x, 0, 0, 1), 1000.0);
    });
  };
  program();
  EXPECT_EQ(first(x), 1024);
  EXPECT_EQ(first(turns), 10);
  const Graph graph = record(engine(), program);
  for (const Real start : {1, 500, 2000}) {
    must(rondo_fill(x, start));
    must(rondo_fill(turns, 0));
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(x), start == 1 ? 1024 : start == 500 ? 1000 : 2000);
    EXPECT_EQ(first(turns), start == 1 ? 10 : start == 500 ? 1 : 0);
  }
}

// The condition is made in the recording, what it is written from in the body.
TEST_P(Control, ConditionIsWrittenFromATensorOfTheBody) {
  const Tensor x = ones(33);
  const auto program = [&] {
    const Tensor condition = positive(x);
    while_true(condition, [&] {
      multiply(x, 2);
      into(condition, rondo_binary_scalar, RONDO_LT, reduce(RONDO_SUM, x, {}), 33 * 1000.0);
    });
  };
  program();
  EXPECT_EQ(first(x), 1024);
  const Graph graph = record(engine(), program);
  must(rondo_fill(x, 3));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 1536);
}

TEST_P(Control, WhileEndsAtItsLimit) {
  const Tensor condition = truth(true), x = ones(7, 0);
  const auto program = [&] {
    while_true(
        condition, [&] { add(x, 1); }, 5);
  };
  program();
  EXPECT_EQ(first(x), 5);
  const Graph graph = record(engine(), program);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 10);
}

TEST_P(Control, SwitchRunsTheBodyOfTheIndex) {
  for (const rondo_dtype dtype : {RONDO_I32, RONDO_I64}) {
    const Tensor index = up(full(dtype, {1}, 0)), x = ones(9, 0);
    const auto program = [&] { choose(index, {[&] { add(x, 1); }, [&] { add(x, 10); }, [&] { add(x, 100); }}); };
    const Graph graph = record(engine(), program);
    for (const bool launched : {false, true}) {
      must(rondo_fill(x, 0));
      Real expected = 0;
      for (const int64_t i : {0, 1, 2, -1, 3, 2}) {
        must(rondo_fill_i64(index, i));
        if (launched)
          must(rondo_graph_launch(graph.get()));
        else
          program();
        expected += i == 0 ? 1 : i == 1 ? 10 : i == 2 ? 100 : 0;
      }
      EXPECT_EQ(first(x), expected) << launched;
    }
  }
}

TEST_P(Control, BodiesNest) {
  const Tensor x = ones(16), parity = up(full(RONDO_I64, {}, 0)), n = up(full(RONDO_I64, {}, 6)), out = ones(16, 0);
  // Collatz: while n != 1: n = n even ? n / 2 : 3 n + 1, and out counts the turns, twofold for odd numbers.
  const auto program = [&] {
    const Tensor condition = make(rondo_binary_scalar_i64, RONDO_NE, n, 1);
    while_true(condition, [&] {
      into(parity, rondo_binary_scalar_i64, RONDO_MOD, n, 2);
      choose(parity, {[&] { into(n, rondo_binary_scalar_i64, RONDO_FLOOR_DIV, n, 2); },
                      [&] {
                        into(n, rondo_binary_scalar_i64, RONDO_MUL, n, 3);
                        into(n, rondo_binary_scalar_i64, RONDO_ADD, n, 1);
                        if_else(make(rondo_binary_scalar_i64, RONDO_GT, n, 0), [&] { add(out, 1); });
                      }});
      add(out, 1);
      into(condition, rondo_binary_scalar_i64, RONDO_NE, n, 1);
    });
  };
  program();
  EXPECT_EQ(first(out), 8 + 2);  // 6 3 10 5 16 8 4 2 1: two odd ones
  const Graph graph = record(engine(), program);
  must(rondo_fill_i64(n, 7));
  must(rondo_fill(out, 0));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), 16 + 5);
  EXPECT_EQ(first(n), 1);
}

TEST_P(Control, RandomNumbersAreThoseOfEagerCalls) {
  const auto program = [&](const Tensor& condition, const Tensor& turns, const Tensor& out) {
    const Shape shape = {50};
    const auto draw = [&] {
      return make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0);
    };
    into(out, rondo_binary, RONDO_ADD, out, draw());
    if_else(
        condition, [&] { into(out, rondo_binary, RONDO_ADD, out, draw()); },
        [&] {
          into(out, rondo_binary, RONDO_SUB, out, draw());
          into(out, rondo_binary, RONDO_SUB, out, draw());
        });
    const Tensor going = make(rondo_binary_scalar, RONDO_GT, turns, 0.0);
    while_true(going, [&] {
      multiply(out, 0.5);
      into(out, rondo_binary, RONDO_ADD, out, draw());
      if_else(condition, [&] { into(out, rondo_binary, RONDO_ADD, out, draw()); });
      add(turns, -1);
      into(going, rondo_binary_scalar, RONDO_GT, turns, 0.0);
    });
    into(out, rondo_binary, RONDO_ADD, out, draw());
  };
  const Tensor condition = truth(true), turns = ones(1, 3), out = ones(50, 0);
  const Graph graph = record(engine(), [&] { program(condition, turns, out); });
  Array results[2];
  for (const bool launched : {false, true}) {
    must(rondo_engine_seed(engine(), 77));
    must(rondo_fill(out, 0));
    for (int i = 0; i < 3; ++i) {
      must(rondo_fill(condition, i % 2));
      must(rondo_fill(turns, i + 1));
      if (launched)
        must(rondo_graph_launch(graph.get()));
      else
        program(condition, turns, out);
      // What comes between has the same numbers too.
      const Shape shape = {50};
      into(out, rondo_binary, RONDO_ADD, out,
           make(rondo_random_normal, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0));
    }
    results[launched] = download(out);
  }
  expect_same_bits(results[1], results[0], "launched");
}

TEST_P(Control, LaunchDoesNotWait) {
  if (naive()) GTEST_SKIP() << "naive mode waits for each call";
  Gate gate;
  const Tensor x = ones(8), y = ones(8, 0);
  const Graph graph = record(engine(), [&] {
    must(push(engine(), waiting(gate), {}, {variable_of(x)}));
    if_else(positive(x), [&] { add(y, 1); });
    add(y, 10);
  });
  for (int i = 0; i < 5; ++i) must(rondo_graph_launch(graph.get()));
  add(y, 1000);
  EXPECT_FALSE(gate.open.load());
  gate.open = true;
  EXPECT_EQ(first(y), 1055);
}

// A large read has a stream of its own.
TEST_P(Control, WhatFollowsComesAfterTheDevice) {
  constexpr int64_t kMany = 1 << 20;
  const Tensor x = ones(kMany, 0), condition = truth(true);
  const auto program = [&] {
    if_else(condition, [&] {
      for (int i = 0; i < 4; ++i) add(x, 1);
    });
  };
  const Graph by_itself = record(engine(), program), for_host = record_for_host(program);
  for (const Graph* const graph : {&by_itself, &for_host}) {
    must(rondo_fill(x, 0));
    for (int turn = 1; turn <= 3; ++turn) {
      must(rondo_graph_launch(graph->get()));
      const Array got = download(x);
      for (const size_t i : {size_t{0}, got.size() / 2, got.size() - 1}) EXPECT_EQ(got[i], 4 * turn) << "at " << i;
    }
  }
}

// The device waits for a task that needs a worker, while the only one waits for the device.
TEST_P(Control, WaitsForTheDeviceTakeNoWorker) {
  std::string missing;
  const Driver& table = driver(&missing);
  if (!on_cuda() || naive() || !table.launch_host) GTEST_SKIP() << "no device that works by itself: " << missing;
  rondo_engine_options with = options();
  with.workers = 1;
  restart(with);
  static std::atomic<bool> open{false};
  static std::atomic<bool> late{false};
  open = late = false;
  const auto wait_for_the_task = [](void*) { late = !eventually([] { return open.load(); }); };
  rondo_task_options blocking = task_options("blocking", device());
  blocking.flags = RONDO_TASK_NO_CAPTURE;
  const Tensor x = ones(8), condition = truth(true);
  const Graph graph = record(engine(), [&] {
    if_else(condition, [&] {
      must(push(
          engine(),
          [&](rondo_task_context* context) {
            return table.launch_host(rondo_task_stream(context), wait_for_the_task, nullptr) == 0 ? RONDO_OK
                                                                                                  : RONDO_DEVICE_ERROR;
          },
          {}, {variable_of(x)}, &blocking));
      add(x, 1);
    });
  });
  must(rondo_graph_launch(graph.get()));
  const Variable other(engine());
  must(push(engine(), [&](rondo_task_context*) { return open = true, RONDO_OK; }, {}, {other}));
  EXPECT_EQ(first(x), 2);
  EXPECT_FALSE(late);
}

TEST_P(Control, ConditionMayBeOnAnotherDevice) {
  const Tensor home = upload(engine(), kCpu, full(RONDO_BOOL, {}, 1)), x = ones(8);
  const auto program = [&] {
    if_else(
        home, [&] { add(x, 1); }, [&] { add(x, 10); });
  };
  program();
  const Graph graph = record(engine(), program);
  must(rondo_graph_launch(graph.get()));
  must(rondo_fill(home, 0));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 13);
}

TEST_P(Control, ThreadsLaunchSideBySide) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      try {
        const Tensor x = ones(64, t), turns = ones(1, 0);
        const Graph graph = record(engine(), [&] {
          const Tensor going = make(rondo_binary_scalar, RONDO_LT, turns, 5.0);
          while_true(going, [&] {
            if_else(
                positive(x), [&] { add(x, 1); }, [&] { add(x, -1); });
            add(turns, 1);
            into(going, rondo_binary_scalar, RONDO_LT, turns, 5.0);
          });
          must(rondo_fill(turns, 0));
        });
        for (int i = 0; i < 10; ++i) must(rondo_graph_launch(graph.get()));
        EXPECT_EQ(first(x), t > 0 ? t + 50 : -50);
      } catch (const std::exception& problem) {
        ADD_FAILURE() << problem.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Control, SegmentsOfBodiesAreCapturedAndReported) {
  const Tensor x = ones(8), y = ones(8, 0);
  const Graph graph = record_for_host([&] {
    add(y, 1);
    if_else(
        positive(x), [&] { add(y, 1); }, [&] { multiply(y, 2); });
    add(y, 10);
  });
  const std::string report = graph_report(graph.get());
  EXPECT_EQ(graph_info(graph.get()).segments, on_cuda() ? 5 : 3) << report;
  EXPECT_EQ(graph_info(graph.get()).captured, on_cuda() ? 4 : 0) << report;
  EXPECT_NE(report.find("'if', then: 1 task in 1 segment"), std::string::npos) << report;
  EXPECT_NE(report.find("'if', else: 1 task in 1 segment"), std::string::npos) << report;
  if (on_cuda()) {
    EXPECT_NE(report.find("'if' chooses what runs, which the host decides"), std::string::npos) << report;
  }
  const std::string dot = written([&](const char* path) { return rondo_graph_dot(graph.get(), path); });
  EXPECT_NE(dot.find("label=\"then\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"else\""), std::string::npos) << dot;
}

// From the device to the host and back, in a body and behind it.
TEST_P(Control, SegmentsOfABodyFollowEachOther) {
  constexpr int64_t kMany = 1 << 14;
  const Tensor x = ones(kMany), y = ones(kMany, 0), turns = ones(1, 0),
               after = upload(engine(), kCpu, full(RONDO_F32, {kMany}, 0));
  const Tensor home = upload(engine(), kCpu, full(RONDO_F32, {kMany}, 0)), condition = up(full(RONDO_BOOL, {1}, 1)),
               yes = truth(true);
  const Graph graph = record(engine(), [&] {
    must(rondo_fill(turns, 3));
    must(rondo_fill(condition, 1));
    while_true(condition, [&] {
      add(x, 1);
      into(home, rondo_copy, x);
      multiply(home, 2);
      into(y, rondo_copy, home);
      into(x, rondo_binary, RONDO_ADD, x, y);
      add(turns, -1);
      into(condition, rondo_binary_scalar, RONDO_GT, turns, 0.0);
      into(home, rondo_copy, x);
    });
    if_else(yes, [&] {
      add(x, 1);
      into(home, rondo_copy, x);
    });
    into(after, rondo_binary_scalar, RONDO_ADD, home, 0.5);
  });
  for (int i = 0; i < 3; ++i) {
    must(rondo_fill(x, 1));
    must(rondo_graph_launch(graph.get()));
    const Array got = download(after);
    for (size_t k = 0; k < got.size() && !HasFailure(); ++k) EXPECT_EQ(got[k], 67.5) << "at " << k;
    must(rondo_fill(after, 0));
  }
}

TEST_P(Control, MemoryOfBodiesIsTheArenas) {
  constexpr int64_t kMany = 1 << 16;
  const Tensor x = ones(kMany), y = ones(kMany, 0), condition = truth(true);
  const auto grown = [&](const Issue& no) {
    const Graph graph = record(engine(), [&] {
      if_else(
          condition,
          [&] {
            const Tensor sums = make(rondo_cumulative, RONDO_SUM, x, 0, 0);
            into(y, rondo_binary, RONDO_ADD, y, sums);
          },
          no);
    });
    must(rondo_graph_launch(graph.get()));
    must(rondo_engine_wait_all(engine()));
    return graph_info(graph.get()).arena_bytes;
  };
  const int64_t one = grown(nullptr);
  EXPECT_GE(one, 4 * kMany);
  const int64_t two = grown([&] {
    const Tensor sums = make(rondo_cumulative, RONDO_SUM, y, 0, 0);
    into(y, rondo_binary, RONDO_SUB, y, sums);
  });
  EXPECT_LT(two, one + kMany) << "bodies of which one runs share their memory";
}

TEST_P(Control, PassesRunInsideBodies) {
  const Tensor x = ones(64), y = ones(64, 0), condition = truth(true);
  const Graph graph = record(engine(), [&] {
    if_else(condition, [&] {
      const Tensor dead = make(rondo_cumulative, RONDO_SUM, x, 0, 0);
      const Tensor a = make(rondo_binary_scalar, RONDO_MUL, x, 3.0);
      const Tensor b = make(rondo_unary, RONDO_TANH, a);
      into(y, rondo_binary, RONDO_ADD, y, b);
    });
  });
  const std::string report = graph_report(graph.get());
  EXPECT_EQ(graph_info(graph.get()).tasks, 2) << report;
  EXPECT_NE(report.find("mul+tanh+add"), std::string::npos) << report;
  must(rondo_graph_launch(graph.get()));
  EXPECT_NEAR(first(y), 0.99505475, 1e-5);
}

TEST_P(Control, NodesThatNobodyReadsAreLeftOut) {
  const Tensor x = ones(64), y = ones(64, 0), condition = truth(true);
  const Graph graph = record(engine(), [&] {
    const Tensor unread = make(rondo_unary, RONDO_NEG, x);
    if_else(condition, [&] { add(unread, 1); });
    if_else(condition, [&] { add(y, 1); });  // draws what the other one has drawn from the cpu's sequence
  });
  EXPECT_EQ(graph_info(graph.get()).tasks, 2) << graph_report(graph.get());
}

TEST_P(Control, WhatIsBesideAWrittenPartIsReadFromBefore) {
  const Tensor x = ones(6, 3), y = ones(6, 0), condition = truth(true);
  const Graph graph = record(engine(), [&] {
    const Tensor t = make(rondo_binary_scalar, RONDO_MUL, x, 2.0);
    const auto body = [&] {
      const Tensor part = slice(t, 0, 0, 2);
      must(rondo_fill(part, 1));
      into(y, rondo_binary, RONDO_ADD, t, x);
    };
    if_else(condition, body, body);
  });
  must(rondo_graph_launch(graph.get()));
  const Array got = download(y);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(got[i], i < 2 ? 4 : 9) << "at " << i;
}

TEST_P(Control, FailuresInABodyPoisonWhatItWrites) {
  const Tensor x = ones(8), y = ones(8, 0), z = ones(8, 0), condition = truth(true);
  const Graph graph = record(engine(), [&] {
    if_else(
        condition,
        [&] {
          must(push(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(y)}));
          add(z, 1);
        },
        [&] { must(rondo_fill(y, 4)); });
  });
  (void)rondo_graph_launch(graph.get());
  EXPECT_EQ(rondo_tensor_wait(y), RONDO_USER_ERROR);
  EXPECT_EQ(first(z), 1) << "the failure is another's";
  EXPECT_NE(rondo_engine_wait_all(engine()), RONDO_OK);
  must(rondo_fill(condition, 0));
  must(rondo_tensor_accept(y));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(y), 4);
}

TEST_P(Control, PoisonedConditionPoisonsWhatAnyBodyWrites) {
  const Tensor y = ones(8, 0), z = ones(8, 0), condition = truth(true), other = ones(8);
  const Graph graph = record_for_host([&] {
    if_else(
        condition, [&] { add(y, 1); }, [&] { add(z, 1); });
    add(other, 1);
  });
  (void)push(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(condition)});
  (void)rondo_graph_launch(graph.get());
  EXPECT_EQ(rondo_tensor_wait(y), RONDO_USER_ERROR);
  EXPECT_EQ(rondo_tensor_wait(z), RONDO_USER_ERROR);
  EXPECT_EQ(first(other), 2);
  EXPECT_NE(rondo_engine_wait_all(engine()), RONDO_OK);
}

TEST_P(Control, PoisonOfABodyThatIsNotChosenDoesNoHarm) {
  const Tensor bad = ones(8), y = ones(8, 0), condition = truth(false);
  const Graph graph = record_for_host([&] {
    if_else(
        condition, [&] { into(y, rondo_binary, RONDO_ADD, y, bad); }, [&] { add(y, 7); });
  });
  (void)push(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(bad)});
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(y), 7);
  EXPECT_NE(rondo_engine_wait_all(engine()), RONDO_OK) << "of the task that failed";
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OK);
}

TEST_P(Control, TasksThatEndLaterGoOnInBodies) {
  if (naive()) GTEST_SKIP() << "naive mode waits for each call";
  const Tensor turns = ones(1, 3), y = ones(8, 0);
  std::vector<std::thread> threads;
  std::mutex mutex;
  const Graph graph = record(engine(), [&] {
    const Tensor going = make(rondo_binary_scalar, RONDO_GT, turns, 0.0);
    while_true(going, [&] {
      must(push(engine(),
                [&](rondo_task_context* context) {
                  rondo_completion* completion = nullptr;
                  if (const rondo_status status = rondo_task_defer(context, &completion)) return status;
                  const std::lock_guard lock(mutex);
                  threads.emplace_back([completion] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                    rondo_completion_complete(completion, RONDO_OK, nullptr);
                    rondo_completion_destroy(completion);
                  });
                  return RONDO_OK;
                },
                {}, {variable_of(y)}));
      add(y, 1);
      add(turns, -1);
      into(going, rondo_binary_scalar, RONDO_GT, turns, 0.0);
    });
    add(y, 10);
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(y), 13);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(threads.size(), 3U);
}

TEST_P(Control, CallsBindTensorsInBodies) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_CALLABLE;
  const Shape shape = {64};
  const Graph graph = record(
      engine(),
      [&] {
        const Tensor x = make(rondo_record_input, engine(), device(), RONDO_F32, 1, shape.data());
        const Tensor y = make(rondo_unary, RONDO_NEG, x);
        if_else(
            positive(x), [&] { into(y, rondo_binary, RONDO_MUL, x, x); }, [&] { add(y, 0.5); });
        must(rondo_record_output(engine(), y));
      },
      &options);
  for (const Real value : {3, -3, 2, -2, 0}) {
    const Tensor x = ones(64, value);
    rondo_tensor* inputs[] = {x};
    rondo_tensor* outputs[] = {nullptr};
    must(rondo_graph_call(graph.get(), 1, inputs, 1, outputs));
    const Tensor y(outputs[0]);
    EXPECT_EQ(first(y), value > 0 ? value * value : -value + 0.5);
  }
}

TEST_P(Control, GraphsAreLaunchedInBodies) {
  const Tensor x = ones(8), condition = truth(true);
  const Graph inner = record(engine(), [&] { add(x, 1); });
  const Graph graph = record(engine(), [&] {
    if_else(condition, [&] {
      must(rondo_graph_launch(inner.get()));
      multiply(x, 2);
      must(rondo_graph_launch(inner.get()));
    });
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 5);
}

TEST_P(Control, TapesNoteTheBodyThatRuns) {
  const Tensor x = ones(4, 3);
  rondo_tape* tape = nullptr;
  must(rondo_tape_begin(engine(), 0, &tape));
  must(rondo_tape_watch(tape, x));
  Tensor y;
  if_else(positive(x), [&] { y = reduce(RONDO_SUM, make(rondo_binary, RONDO_MUL, x, x), {}); });
  rondo_tensor* outputs[] = {y};
  rondo_tensor* sources[] = {x};
  rondo_tensor* gradients[] = {nullptr};
  must(rondo_tape_gradients(tape, 1, outputs, nullptr, 1, sources, gradients));
  const Tensor gradient(gradients[0]);
  EXPECT_EQ(first(gradient), 6);
  rondo_tape_destroy(tape);
}

TEST_P(Control, TapesInsideOfBodiesAreRecorded) {
  const Tensor x = ones(4, 3), condition = truth(true);
  const Graph graph = record(engine(), [&] {
    if_else(condition, [&] {
      rondo_tape* tape = nullptr;
      must(rondo_tape_begin(engine(), 0, &tape));
      must(rondo_tape_watch(tape, x));
      const Tensor y = reduce(RONDO_SUM, make(rondo_binary, RONDO_MUL, x, x), {});
      rondo_tensor* outputs[] = {y};
      rondo_tensor* sources[] = {x};
      rondo_tensor* gradients[] = {nullptr};
      must(rondo_tape_gradients(tape, 1, outputs, nullptr, 1, sources, gradients));
      const Tensor gradient(gradients[0]);
      rondo_tape_destroy(tape);
      into(x, rondo_binary, RONDO_SUB, x, gradient);
    });
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), -3);
}

}  // namespace
}  // namespace conformance
