// A thread that waits runs what it waits for where no worker does: operators on the cpu, and nothing of the user's.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

using namespace std::chrono_literals;

uint64_t version_of(const Tensor& tensor) {
  uint64_t version = 0;
  must(rondo_variable_version(variable_of(tensor), &version));
  return version;
}

// On an engine with one worker, which a function of the user's holds up.
class Helping : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    if (IsSkipped()) return;
    if (naive()) GTEST_SKIP() << "in naive mode nobody but the caller runs anything";
    rondo_engine_options one = options();
    one.workers = 1;
    restart(one);
    x_ = upload(engine(), kCpu, full(RONDO_F32, {1000}, 1));
    hold();
  }
  void TearDown() override {
    gate_.open = true;
    if (HasFatalFailure() || IsSkipped()) return;
    must(rondo_engine_wait_all(engine()));
    x_.reset();
    OnEngine::TearDown();
  }
  void hold() {
    gate_.open = gate_.entered = false;
    must(push(engine(), waiting(gate_), {}, {}));
    ASSERT_TRUE(eventually([this] { return gate_.entered.load(); }));
  }
  // x and so many ones, by as many operators.
  Tensor sum(int ones) {
    Tensor y = make(rondo_binary_scalar, RONDO_ADD, x_, 1.0);
    for (int i = 1; i < ones; ++i) y = make(rondo_binary_scalar, RONDO_ADD, y, 1.0);
    return y;
  }
  // Whether the call returns while the worker is held up; on a thread of its own, which is told.
  template <class Call>
  bool returns(const Call& call) {
    std::atomic<bool> returned{false};
    std::thread thread([&] {
      call();
      returned = true;
    });
    const bool in_time = eventually([&] { return returned.load(); });
    gate_.open = gate_.open || !in_time;
    thread.join();
    return in_time;
  }

  Gate gate_;
  Tensor x_;
};
CONFORMANCE_ENGINE_SUITE(Helping);

// A lock of the user's that the worker's task needs: with a limit only that the test ends.
TEST_P(Helping, WaitEndsThoughAWorkerNeedsItsLock) {
  EXPECT_TRUE(returns([&] {
    std::mutex mutex;
    std::unique_lock held(mutex);
    must(push(engine(),
              [&](rondo_task_context*) {
                const auto end = std::chrono::steady_clock::now() + 5s;
                std::unique_lock needed(mutex, std::try_to_lock);
                while (!needed && std::chrono::steady_clock::now() < end) {
                  std::this_thread::sleep_for(1ms);
                  (void)needed.try_lock();
                }
                return needed ? RONDO_OK : RONDO_USER_ERROR;
              },
              {}, {}));
    const Tensor y = sum(1), z = sum(30), both = make(rondo_binary, RONDO_MUL, y, z), w = sum(200);
    must(rondo_tensor_wait(both));
    expect_same_bits(download(both), full(RONDO_F32, {1000}, 2 * 31), "read while the worker is held up");
    must(rondo_variable_wait(variable_of(w)));
    expect_same_bits(download(w), full(RONDO_F32, {1000}, 201), "a long chain");
    held.unlock();
    gate_.open = true;
    must(rondo_engine_wait_all(engine()));
  }));
}

TEST_P(Helping, AWaitForAllRunsWhatIsReady) {
  const Tensor y = sum(30);
  std::thread waiter([&] { must(rondo_engine_wait_all(engine())); });
  EXPECT_TRUE(eventually([&] { return version_of(y) == 1; }));
  gate_.open = true;
  waiter.join();
}

// A thread that sleeps already: what it waits for becomes ready when the worker has gone on to what came before.
TEST_P(Helping, ASleepingThreadIsCalled) {
  const Variable v(engine());
  Gate next;
  must(push(engine(), waiting(next), {v}, {}));
  // Behind the task that holds the worker now, which writes v.
  const Tensor y = sum(1);
  Gate first;
  rondo_task_options urgent = task_options("first");
  urgent.priority = 1;
  must(push(engine(), waiting(first), {}, {variable_of(y)}, &urgent));
  const Tensor z = make(rondo_unary, RONDO_NEG, y);
  std::atomic<bool> returned{false};
  std::thread waiter([&] {
    must(rondo_tensor_wait(z));
    returned = true;
  });
  EXPECT_TRUE(eventually([&] { return version_of(y) == 1; })) << "the thread runs what comes first";
  gate_.open = true;
  EXPECT_TRUE(eventually([&] { return first.entered.load(); })) << "it is urgent";
  first.open = true;
  EXPECT_TRUE(eventually([&] { return next.entered.load() || returned.load(); }));
  EXPECT_TRUE(eventually([&] { return returned.load(); })) << "nobody ran z";
  next.open = true;
  waiter.join();
  must(rondo_engine_wait_all(engine()));
}

// Functions of host tasks and of device tasks, and what destroys their arguments.
TEST_P(Helping, WaitingThreadRunsNoUserFunction) {
  struct Seen {
    std::mutex mutex;
    std::multiset<std::thread::id> threads;
    void note() {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
  } seen;
  const auto body = [](void* arg, rondo_task_context*) {
    static_cast<Seen*>(arg)->note();
    return RONDO_OK;
  };
  const auto drop = [](void* arg) { static_cast<Seen*>(arg)->note(); };
  constexpr int kRounds = 20;
  Tensor y = sum(1);
  for (int i = 0; i < kRounds; ++i) {
    rondo_variable* const reads[] = {variable_of(y)};
    const rondo_task_options here = task_options("here"), there = task_options("there", device());
    must(rondo_engine_push(engine(), body, &seen, drop, reads, 1, nullptr, 0, &here));
    must(rondo_engine_push(engine(), body, &seen, drop, reads, 1, nullptr, 0, &there));
    y = make(rondo_unary, RONDO_NEG, y);
  }
  std::thread::id id;
  std::thread waiter([&] {
    id = std::this_thread::get_id();
    must(rondo_engine_wait_all(engine()));
  });
  EXPECT_TRUE(eventually([&] { return version_of(y) == 1; })) << "all that it may run it has run";
  gate_.open = true;
  waiter.join();
  EXPECT_EQ(seen.threads.size(), 4u * kRounds);
  EXPECT_EQ(seen.threads.count(id), 0u);
}

TEST_P(Helping, AThreadWithALimitRunsNothing) {
  const Tensor y = sum(1);
  EXPECT_EQ(rondo_tensor_wait_for(y, 20), RONDO_TIMED_OUT);
  EXPECT_EQ(rondo_variable_wait_for(variable_of(y), 20), RONDO_TIMED_OUT);
  EXPECT_EQ(rondo_engine_wait_all_for(engine(), 20), RONDO_TIMED_OUT);
  EXPECT_EQ(version_of(y), 0u);
}

TEST_P(Helping, OnlyWhatIsAwaitedRuns) {
  const Tensor before = sum(1), shared = sum(1), y = make(rondo_unary, RONDO_NEG, shared),
               beside = make(rondo_unary, RONDO_NEG, shared), behind = make(rondo_unary, RONDO_NEG, y);
  EXPECT_TRUE(returns([&] { must(rondo_tensor_wait(y)); }));
  EXPECT_EQ(version_of(shared), 1u);
  EXPECT_EQ(version_of(before), 0u) << "it may take long, and nobody asked for it";
  EXPECT_EQ(version_of(beside), 0u);
  EXPECT_EQ(version_of(behind), 0u);
}

// How the caller's thread rounds is its own business, and stays so.
TEST_P(Helping, ResultsAreRoundedAsOnAWorker) {
  const Tensor y = make(rondo_binary_scalar, RONDO_ADD, x_, 1e-9);
  int after = 0;
  EXPECT_TRUE(returns([&] {
    std::fesetround(FE_UPWARD);
    must(rondo_tensor_wait(y));
    after = std::fegetround();
    std::fesetround(FE_TONEAREST);
  }));
  EXPECT_EQ(after, FE_UPWARD);
  expect_same_bits(download(y), full(RONDO_F32, {1000}, 1), "to the nearest");
}

// A read is a wait for what it reads.
TEST_P(Helping, AReadRunsWhatItReads) {
  const Tensor y = sum(3);
  EXPECT_TRUE(returns([&] { expect_same_bits(download(y), full(RONDO_F32, {1000}, 4), "read"); }));
}

// Operators alone, in bodies and in a graph that it launches, too.
TEST_P(Helping, ALaunchOfOperatorsIsRunByItsWait) {
  gate_.open = true;
  must(rondo_engine_wait_all(engine()));
  const Tensor condition = upload(engine(), kCpu, full(RONDO_BOOL, {1}, 1));
  Tensor z, within;
  const Graph inner = record(engine(), [&] { within = sum(2); });
  struct Bodies {
    rondo_tensor *from, *to;
  } bodies{};
  const Tensor chosen = upload(engine(), kCpu, full(RONDO_F32, {1000}, 0));
  const Graph graph = record(engine(), [&] {
    must(rondo_graph_launch(inner.get()));
    z = make(rondo_unary, RONDO_NEG, within);
    bodies = {z, chosen};
    must(rondo_if(
        engine(), condition,
        [](void* argument) {
          rondo_tensor* to = static_cast<Bodies*>(argument)->to;
          return rondo_unary(RONDO_NEG, static_cast<Bodies*>(argument)->from, &to);
        },
        nullptr, &bodies));
  });
  hold();
  must(rondo_graph_launch(graph.get()));
  EXPECT_TRUE(returns([&] { must(rondo_tensor_wait(chosen)); }));
  expect_same_bits(download(z), full(RONDO_F32, {1000}, -3), "of the graph");
  expect_same_bits(download(chosen), full(RONDO_F32, {1000}, 3), "of its body");
}

TEST_P(Helping, ACallOfOperatorsIsRunByItsWait) {
  gate_.open = true;
  must(rondo_engine_wait_all(engine()));
  rondo_record_options callable = RONDO_RECORD_OPTIONS_INIT;
  callable.flags = RONDO_RECORD_CALLABLE;
  const Graph graph = record(
      engine(),
      [&] {
        const int64_t shape[] = {1000};
        Tensor input;
        must(rondo_record_input(engine(), kCpu, RONDO_F32, 1, shape, input.slot()));
        const Tensor z = make(rondo_unary, RONDO_NEG, input);
        must(rondo_record_output(engine(), z));
      },
      &callable);
  hold();
  rondo_tensor* const inputs[] = {x_};
  Tensor z;
  must(rondo_graph_call(graph.get(), 1, inputs, 1, z.slot()));
  EXPECT_TRUE(returns([&] { must(rondo_tensor_wait(z)); }));
  expect_same_bits(download(z), full(RONDO_F32, {1000}, -1), "of the call");
}

TEST_P(Helping, AGraphWithAUserFunctionIsLeftToAWorker) {
  gate_.open = true;
  must(rondo_engine_wait_all(engine()));
  std::thread::id ran_on, waited;
  Tensor z;
  const Graph graph = record(engine(), [&] {
    z = make(rondo_unary, RONDO_NEG, x_);
    must(push(engine(),
              [&](rondo_task_context*) {
                ran_on = std::this_thread::get_id();
                return RONDO_OK;
              },
              {variable_of(z)}, {}));
  });
  hold();
  must(rondo_graph_launch(graph.get()));
  std::thread waiter([&] {
    waited = std::this_thread::get_id();
    must(rondo_tensor_wait(z));
  });
  std::this_thread::sleep_for(20ms);  // if it does not wait yet the test shows less
  gate_.open = true;
  waiter.join();
  must(rondo_engine_wait_all(engine()));
  EXPECT_NE(ran_on, waited);
  EXPECT_NE(ran_on, std::thread::id());
}

// A worker that has gone on to what waits for the thread destroys nothing.
TEST_P(Helping, AGraphIsDestroyedThoughWorkersAreHeld) {
  gate_.open = true;
  must(rondo_engine_wait_all(engine()));
  Tensor z;
  Graph graph = record(engine(), [&] { z = make(rondo_unary, RONDO_NEG, x_); });
  hold();
  must(rondo_graph_launch(graph.get()));
  graph.reset();
  EXPECT_TRUE(returns([&] { must(rondo_tensor_wait(z)); }));
  expect_same_bits(download(z), full(RONDO_F32, {1000}, -1), "of the graph");
}

// The function of a notice, which needs a lock that the thread holds.
TEST_P(Helping, AWaitDoesNotStayForANotice) {
  gate_.open = true;
  must(rondo_engine_wait_all(engine()));
  std::mutex mutex;
  struct Told {
    std::mutex* mutex;
    std::atomic<bool> told{false};
  } told{&mutex};
  hold();
  EXPECT_TRUE(returns([&] {
    const Tensor y = sum(1);
    std::unique_lock held(mutex);
    must(rondo_variable_notify(
        variable_of(y), 1,
        [](void* argument, rondo_status) {
          Told& told = *static_cast<Told*>(argument);
          const auto end = std::chrono::steady_clock::now() + 5s;
          while (!told.mutex->try_lock() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
          told.told = std::chrono::steady_clock::now() < end;
          told.mutex->unlock();
        },
        &told));
    must(rondo_tensor_wait(y));
    held.unlock();
    gate_.open = true;
    must(rondo_engine_wait_all(engine()));
  }));
  EXPECT_TRUE(eventually([&] { return told.told.load(); }));
}

// What a recording takes is what the thread submits, and nothing else.
TEST_P(Helping, AnOpenRecordingIsLeftAlone) {
  const Tensor y = sum(3);
  EXPECT_TRUE(returns([&] {
    must(rondo_record_begin(engine(), nullptr));
    const Tensor z = make(rondo_unary, RONDO_NEG, x_);
    must(rondo_tensor_wait(y));
    rondo_graph* made = nullptr;
    must(rondo_record_end(engine(), &made));
    const Graph graph(made);
    rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
    must(rondo_graph_query(graph.get(), &info));
    EXPECT_EQ(info.tasks, 1);
  }));
  expect_same_bits(download(y), full(RONDO_F32, {1000}, 4), "beside the recording");
}

// Counted are the times that the waiting thread went to sleep.
TEST_P(Helping, AWaitForAllSleepsUntilTheEnd) {
  constexpr int kTasks = 300;
  for (int i = 0; i < kTasks; ++i)
    must(push(engine(),
              [](rondo_task_context*) {
                const auto end = std::chrono::steady_clock::now() + 100us;
                while (std::chrono::steady_clock::now() < end) {
                }
                return RONDO_OK;
              },
              {}, {}));
  std::atomic<long> before{-1}, after{0};
  std::thread waiter([&] {
    const auto sleeps = [] {
      rusage usage = {};
      getrusage(RUSAGE_THREAD, &usage);
      return usage.ru_nvcsw;
    };
    before = sleeps();
    must(rondo_engine_wait_all(engine()));
    after = sleeps();
  });
  EXPECT_TRUE(eventually([&] { return before >= 0; }));
  std::this_thread::sleep_for(20ms);  // that it sleeps; if it does not yet the test shows less
  gate_.open = true;
  waiter.join();
  EXPECT_LT(after - before, kTasks / 10) << "times that the thread went to sleep during " << kTasks << " tasks";
}

}  // namespace
}  // namespace conformance
