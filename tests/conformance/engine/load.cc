// The engine under load: bounded run-ahead, many threads and engines, destruction with work in flight.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

using namespace std::chrono_literals;

class Load : public OnEngine {};
CONFORMANCE_ENGINE_SUITE(Load);

TEST_P(Load, RunAheadIsBounded) {
  if (naive()) GTEST_SKIP() << "naive mode never runs ahead";
  rondo_engine_options tight = options();
  tight.max_tasks = 8;
  restart(tight);
  Gate gate;
  const Variable v(engine());
  must(push(engine(), waiting(gate), {}, {v}));
  std::atomic<int> submitted{0}, ran{0};
  std::thread submitter([&] {
    for (int i = 0; i < 100; ++i) {
      must(push(engine(),
                [&](rondo_task_context*) {
                  ++ran;
                  return RONDO_OK;
                },
                {}, {v}));
      ++submitted;
    }
  });
  EXPECT_TRUE(eventually([&] { return submitted >= 1; }));
  std::this_thread::sleep_for(50ms);
  EXPECT_LE(submitted, 8) << "the submitter ran ahead of the limit";
  gate.open = true;
  submitter.join();
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(ran, 100) << "the limit lost work";
}

// A worker goes on with what its task made ready, and whoever waits sleeps until what it waits for is done: neither
// other workers nor waiters are woken for each task, for they would take the processors from what runs there. Counted
// are the times that threads of this process went to sleep.
TEST_P(Load, AChainOfHostTasksWakesNobodyBetween) {
  if (naive()) GTEST_SKIP() << "naive mode has no workers";
  rondo_engine_options several = options();
  several.workers = 4;
  restart(several);
  constexpr int kTasks = 300;
  Gate gate;
  const Variable v(engine());
  must(push(engine(), waiting(gate), {}, {v}));
  for (int i = 0; i < kTasks; ++i)
    must(push(engine(),
              [](rondo_task_context*) {
                const auto end = std::chrono::steady_clock::now() + 100us;
                while (std::chrono::steady_clock::now() < end) {
                }
                return RONDO_OK;
              },
              {}, {v}));
  const auto sleeps = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
  };
  EXPECT_TRUE(eventually([&] { return gate.entered.load(); }));
  const long before = sleeps();
  gate.open = true;
  must(rondo_variable_wait(v));
  EXPECT_LT(sleeps() - before, kTasks / 3) << "times that threads went to sleep during " << kTasks << " tasks";
}

// What nobody looks for right after is for another worker: a task that goes on for long does not keep what it submits.
TEST_P(Load, WhatATaskSubmitsRunsBesideIt) {
  if (naive()) GTEST_SKIP() << "naive mode has no workers";
  rondo_engine_options several = options();
  several.workers = 2;
  restart(several);
  const Variable v(engine()), w(engine());
  std::atomic<bool> inner{false};
  bool seen = false;
  must(push(engine(),
            [&](rondo_task_context*) {
              must(push(engine(),
                        [&](rondo_task_context*) {
                          inner = true;
                          return RONDO_OK;
                        },
                        {}, {w}));
              seen = eventually([&] { return inner.load(); });
              return RONDO_OK;
            },
            {}, {v}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_TRUE(seen) << "the task that was submitted ran behind the one that submitted it";
}

// On a device too: the host may not run ahead without bounds, and what was submitted is done.
TEST_P(Load, RunAheadOfOperatorsIsBounded) {
  rondo_engine_options tight = options();
  tight.max_tasks = 16;
  restart(tight);
  const Tensor a = up(full(RONDO_F32, {1000}, 0));
  for (int i = 0; i < 500; ++i) into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
  expect_same_bits(download(a), full(RONDO_F32, {1000}, 500), "500 additions");
}

// A loop that makes and drops temporaries needs the memory of a few of them, not of all (an unbounded queue would need
// a block for each).
TEST_P(Load, TemporariesDoNotPileUp) {
  rondo_engine_options tight = options();
  tight.max_tasks = 16;
  tight.memory_limit = 32 << 20;
  restart(tight);
  const int steps = quick() ? 60 : 400;
  Tensor a = up(full(RONDO_F32, {262144}, 0));  // 1 MiB
  for (int i = 0; i < steps; ++i) a = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
  EXPECT_EQ(download(slice(a, 0, 262143, 262144))[0], steps);
  rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
  must(rondo_memory_query(engine(), device(), &info));
  EXPECT_LE(info.peak_in_use, 32 << 20);
}

TEST_P(Load, ManyThreads) {
  constexpr int kThreads = 4, kEach = 50;
  const Variable shared(engine());
  std::vector<int> log;
  std::vector<Array> results(kThreads);
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      try {
        Tensor mine = up(full(RONDO_F32, {1000}, t));
        for (int i = 0; i < kEach; ++i) {
          mine = make(rondo_binary_scalar, RONDO_ADD, mine, 1.0);
          must(push(engine(),
                    [&log, t](rondo_task_context*) {
                      log.push_back(t);
                      return RONDO_OK;
                    },
                    {}, {shared}));
          if (i % 10 == 0) must(rondo_variable_wait(shared));
        }
        results[static_cast<size_t>(t)] = download(mine);
      } catch (const std::exception& problem) {
        ++failed;
        ADD_FAILURE() << problem.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(log.size(), size_t(kThreads * kEach));
  for (int t = 0; t < kThreads; ++t) {
    expect_same_bits(results[static_cast<size_t>(t)], full(RONDO_F32, {1000}, t + kEach),
                     "thread " + std::to_string(t));
  }
}

// Waiting threads and submitting threads at once.
TEST_P(Load, WaitFromManyThreads) {
  const Tensor a = up(full(RONDO_F32, {100}, 0));
  std::atomic<bool> stop{false};
  std::atomic<int> bad{0};
  std::vector<std::thread> waiters;
  for (int t = 0; t < 3; ++t) {
    waiters.emplace_back([&] {
      do {
        if (rondo_tensor_wait(a) != RONDO_OK || rondo_engine_wait_all(engine()) != RONDO_OK) ++bad;
      } while (!stop);
    });
  }
  for (int i = 0; i < 100; ++i) into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
  stop = true;
  for (std::thread& thread : waiters) thread.join();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(download(a)[0], 100);
}

TEST_P(Load, DestroyWithWorkInFlight) {
  Gate gate;
  std::atomic<int> sum{0};
  {
    const Variable v(engine());
    Tensor a = up(full(RONDO_I32, {1000}, 2));
    must(push(engine(), waiting(gate), {}, {v, variable_of(a)}));
    Tensor b = make(rondo_binary_scalar, RONDO_MUL, a, 3.0);
    Tensor c = reduce(RONDO_SUM, b, {});
    a.reset(), b.reset();
    Tensor home = make(rondo_copy_to, c, kCpu);
    void* address = nullptr;
    must(rondo_tensor_data(home, &address));
    must(push(engine(),
              [&sum, address](rondo_task_context*) {
                sum = static_cast<int>(*static_cast<int64_t*>(address));
                return RONDO_OK;
              },
              {v, variable_of(home)}, {}));
    // Everything is destroyed here, none of it blocks, and nothing has run yet.
  }
  gate.open = true;
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(sum, 6000);
}

TEST_P(Load, DestroyingTheEngineFinishesTheWork) {
  std::atomic<int> ran{0};
  {
    const Engine other = create_engine(options());
    const Variable v(other.get());
    for (int i = 0; i < 20; ++i) {
      must(push(other.get(),
                [&](rondo_task_context*) {
                  std::this_thread::sleep_for(1ms);
                  ++ran;
                  return RONDO_OK;
                },
                {}, {v}));
    }
  }
  EXPECT_EQ(ran, 20);
}

TEST_P(Load, ManyEngines) {
  for (int i = 0; i < 10; ++i) {
    const Engine one = create_engine(options()), two = create_engine(options());
    const Tensor a = upload(one.get(), device(), full(RONDO_F32, {10}, i)),
                 b = upload(two.get(), device(), full(RONDO_F32, {10}, -i));
    EXPECT_EQ(download(make(rondo_unary, RONDO_NEG, a))[0], -i);
    EXPECT_EQ(download(make(rondo_unary, RONDO_NEG, b))[0], i);
  }
}

TEST_P(Load, DestroyOfArgumentExactlyOnce) {
  struct Counter {
    std::atomic<int> ran{0}, destroyed{0};
  } counter;
  const auto body = [](void* arg, rondo_task_context*) {
    ++static_cast<Counter*>(arg)->ran;
    return RONDO_OK;
  };
  const auto drop = [](void* arg) { ++static_cast<Counter*>(arg)->destroyed; };
  const Variable v(engine());
  rondo_variable* const writes[] = {v};
  must(rondo_engine_push(engine(), body, &counter, drop, nullptr, 0, writes, 1, nullptr));
  must(rondo_variable_wait(v));
  EXPECT_EQ(counter.destroyed, 1);
  EXPECT_EQ(counter.ran, 1);
  // A push that fails still takes the argument.
  EXPECT_NE(rondo_engine_push(engine(), nullptr, &counter, drop, nullptr, 0, writes, 1, nullptr), RONDO_OK);
  EXPECT_EQ(counter.destroyed, 2);
  EXPECT_NE(rondo_engine_push(nullptr, body, &counter, drop, nullptr, 0, writes, 1, nullptr), RONDO_OK);
  EXPECT_EQ(counter.destroyed, 3);
  EXPECT_EQ(counter.ran, 1);
}

}  // namespace
}  // namespace conformance
