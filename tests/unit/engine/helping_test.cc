// What a thread that waits runs, and what it is like for what it runs: as on a worker.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "engine/tasks/observer.h"
#include "engine/tasks/workers.h"
#include "engine_fixture.h"

namespace rondo {
namespace {

using testing::EngineOverFake;
using testing::Keeper;
using testing::make_work;

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// An operator of Rondo's, as the engine sees it.
class Own final : public Task {
 public:
  Own(std::function<void()> body) : Task("own", cpu_device()), body_(std::move(body)) { lendable_ = true; }
  Status run(const TaskContext&) override {
    body_();
    return {};
  }

 private:
  std::function<void()> body_;
};

class Helping : public ::testing::Test {
 protected:
  static constexpr int kWorkers = 3;
  Helping() {
    for (int i = 0; i < kWorkers; ++i)
      EXPECT_TRUE(over_
                      .host({}, {},
                            [this] {
                              ++held_;
                              while (!open_) std::this_thread::sleep_for(std::chrono::microseconds(100));
                              --held_;
                              return Status();
                            })
                      .ok());
    EXPECT_TRUE(eventually([this] { return held_ == kWorkers; }));
  }
  ~Helping() override { open_ = true; }

  Status own(const testing::Variables& reads, const testing::Variables& writes, std::function<void()> body) {
    Ref<Own> task = make_ref<Own>(std::move(body));
    for (const Ref<Variable>& each : reads) task->reads(*each);
    for (const Ref<Variable>& each : writes) task->writes(*each);
    return over_.engine->submit(std::move(task));
  }

  std::atomic<int> held_{0};
  std::atomic<bool> open_{false};
  EngineOverFake over_;
};

struct Ears final : Observer {
  void submitted(const Task&, const Ref<const OpInfo>&) noexcept override {}
  void done(const char*, const Ref<const OpInfo>&, const std::vector<TaskOperand>&) noexcept override {}
};

TEST_F(Helping, BodyKnowsNoRecordingOrTapeOfItsCaller) {
  const Ref<Variable> variable = over_.variable();
  std::thread::id ran_on;
  bool in_task = false, recorded = true, heard = true;
  Status wait;
  ASSERT_TRUE(own({}, {variable}, [&] {
                ran_on = std::this_thread::get_id();
                in_task = Engine::in_task();
                recorded = Engine::thread_sink() != nullptr;
                heard = this_thread().tapes != nullptr;
                wait = over_.engine->wait(*variable);
              }).ok());
  Keeper keeper(*over_.engine);
  Ears ears;
  Engine::set_thread_sink(&keeper);
  this_thread().tapes = &ears;
  EXPECT_TRUE(over_.engine->wait(*variable).ok());
  EXPECT_EQ(Engine::thread_sink(), &keeper) << "they are back";
  EXPECT_EQ(this_thread().tapes, &ears);
  Engine::set_thread_sink(nullptr);
  this_thread().tapes = nullptr;
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_TRUE(in_task);
  EXPECT_FALSE(recorded);
  EXPECT_FALSE(heard);
  EXPECT_EQ(wait.code(), RONDO_INVALID_STATE);
  EXPECT_FALSE(Engine::in_task());
}

TEST_F(Helping, AThreadIsNotCancelledInABody) {
  const Ref<Variable> variable = over_.variable();
  std::atomic<bool> begun{false}, go_on{false}, ended{false}, returned{false};
  ASSERT_TRUE(own({}, {variable}, [&] {
                begun = true;
                eventually([&] { return go_on.load(); });
                pthread_testcancel();
                ended = true;
              }).ok());
  std::thread waiter([&] {
    (void)over_.engine->wait(*variable);
    returned = true;
    for (;;) pthread_testcancel();
  });
  ASSERT_TRUE(eventually([&] { return begun.load(); }));
  ASSERT_EQ(pthread_cancel(waiter.native_handle()), 0);
  go_on = true;
  waiter.join();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(returned);
}

// The last use gives it back by a function of the user's, for which the thread waits.
TEST_F(Helping, ForeignMemoryIsGivenBackByAWorker) {
  std::array<char, 64> memory;
  std::thread::id ran_on, released_on;
  const Ref<Variable> result = over_.variable();
  Ref<Task> release;
  ASSERT_TRUE(over_.engine->make_action([&] { released_on = std::this_thread::get_id(); }, &release).ok());
  std::atomic<bool> ran{false};
  ASSERT_TRUE(own({make_ref<Storage>(*over_.engine, cpu_device(), memory.size(), memory.data(), std::move(release))},
                  {result},
                  [&] {
                    ran_on = std::this_thread::get_id();
                    ran = true;
                  })
                  .ok());
  std::thread::id released_before_the_end;
  std::thread waiter([&] {
    EXPECT_TRUE(over_.engine->wait(*result).ok());
    released_before_the_end = released_on;
  });
  const std::thread::id waited = waiter.get_id();
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
  open_ = true;
  waiter.join();
  EXPECT_EQ(ran_on, waited);
  EXPECT_NE(released_on, waited);
  EXPECT_NE(released_before_the_end, std::thread::id());
}

TEST_F(Helping, ReadyDeviceTasksAreIssuedByAWorker) {
  const Ref<Variable> variable = over_.variable(), result = over_.variable();
  std::atomic<bool> ran{false};
  std::thread::id issued_on;
  ASSERT_TRUE(own({}, {variable}, [&] { ran = true; }).ok());
  ASSERT_TRUE(over_.engine
                  ->submit(make_work("device", over_.device, {variable}, {result},
                                     [&](const TaskContext&) {
                                       issued_on = std::this_thread::get_id();
                                       return Status();
                                     }))
                  .ok());
  std::thread waiter([&] { EXPECT_TRUE(over_.engine->wait(*result).ok()); });
  const std::thread::id waited = waiter.get_id();
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
  open_ = true;
  waiter.join();
  EXPECT_NE(issued_on, waited);
  EXPECT_NE(issued_on, std::thread::id());
}

TEST_F(Helping, NoMoreThreadsComputeThanThereAreWorkers) {
  std::atomic<int> computing{0};
  std::atomic<bool> enough{false};
  for (int i = 0; i < kWorkers; ++i)
    ASSERT_TRUE(own({}, {}, [&] {
                  ++computing;
                  eventually([&] { return enough.load(); });
                }).ok());
  const Ref<Variable> variable = over_.variable();
  std::thread::id ran_on;
  open_ = true;
  ASSERT_TRUE(eventually([&] { return computing == kWorkers; }));
  ASSERT_TRUE(own({}, {variable}, [&] { ran_on = std::this_thread::get_id(); }).ok());
  std::atomic<bool> waits{false};
  std::thread waiter([&] {
    waits = true;
    EXPECT_TRUE(over_.engine->wait(*variable).ok());
  });
  const std::thread::id waited = waiter.get_id();
  EXPECT_TRUE(eventually([&] { return waits.load(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // if it does not wait yet the test shows less
  enough = true;
  waiter.join();
  EXPECT_TRUE(over_.engine->wait_all().ok());
  EXPECT_NE(ran_on, waited);
}

// Of two parts each needs the other to have begun.
TEST_F(Helping, PartsAreSharedWithWorkers) {
  const Ref<Variable> variable = over_.variable();
  std::atomic<int> begun{0};
  bool together[2] = {};
  ASSERT_TRUE(own({}, {variable}, [&] {
                open_ = true;
                eventually([&] { return held_ == 0; });
                Workers::share(2, [&](int64_t part) {
                  ++begun;
                  together[part] = eventually([&] { return begun == 2; });
                });
              }).ok());
  EXPECT_TRUE(over_.engine->wait(*variable).ok());
  EXPECT_TRUE(together[0]);
  EXPECT_TRUE(together[1]);
}

// The queue is searched in its middle, too.
TEST_F(Helping, TakenFromTheMiddleLeavesTheOthers) {
  constexpr int kTasks = 12;
  std::mutex mutex;
  std::vector<int> ran;
  std::vector<Ref<Variable>> variables;
  for (int i = 0; i < kTasks; ++i) {
    variables.push_back(over_.variable());
    Ref<Own> task = make_ref<Own>([&, i] {
      const std::lock_guard lock(mutex);
      ran.push_back(i);
    });
    task->writes(*variables.back());
    task->priority = i * 5 % 3;
    ASSERT_TRUE(over_.engine->submit(std::move(task)).ok());
  }
  const std::vector<int> asked = {7, 2, 11, 0};
  for (const int i : asked) ASSERT_TRUE(over_.engine->wait(*variables[static_cast<size_t>(i)]).ok());
  EXPECT_EQ(ran, asked);
  open_ = true;
  ASSERT_TRUE(over_.engine->wait_all().ok());
  std::sort(ran.begin(), ran.end());
  std::vector<int> all(kTasks);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(ran, all);
}

// --- who is woken ---

// Threads alone, without an engine.
class Waking : public ::testing::Test {
 protected:
  Waking()
      : workers_("test", 2, [this](Task& task) {
          (void)task.run({});
          ++done_;
        }) {
    sleep_a_while();
  }
  ~Waking() override { workers_.stop(); }

  // As a call and a wait for it: the thread runs it, or it waits until another one has.
  void push_and_wait(Task& task) {
    const int before = done_;
    ASSERT_TRUE(workers_.push(task));
    Workers::Guest guest(workers_);
    if (Task* const taken = guest.take([](Task&) { return true; }))
      guest.run(*taken);
    else
      ASSERT_TRUE(eventually([&] { return done_ > before; }));
    guest.leave();
  }
  static Ref<Own> some_work() {
    return make_ref<Own>([] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
      while (std::chrono::steady_clock::now() < end) {
      }
    });
  }
  void sleep_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

  std::atomic<int> done_{0};
  Workers workers_;
};

// While other programs compute, the thread that looks may come late, and others are woken: so there are several turns.
TEST_F(Waking, OneThatWaitsForEachTaskWakesNobody) {
  constexpr int kRounds = 200, kTurns = 50;
  const Ref<Own> task = some_work();
  uint64_t fewest = kRounds;
  for (int turn = 0; turn < kTurns && fewest > kRounds / 10; ++turn) {
    const uint64_t before = workers_.wakes();
    for (int i = 0; i < kRounds; ++i) push_and_wait(*task);
    fewest = std::min(fewest, workers_.wakes() - before);
  }
  EXPECT_LE(fewest, uint64_t{kRounds / 10});
}

TEST_F(Waking, ATaskThatIsNotWaitedForRunsAllTheSame) {
  const Ref<Own> task = some_work();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) push_and_wait(*task);
    const int before = done_;
    ASSERT_TRUE(workers_.push(*task));
    EXPECT_TRUE(eventually([&] { return done_ > before; }));
  }
}

TEST_F(Waking, OneThatPushesSeveralWakesForThem) {
  const Ref<Own> first = some_work(), second = some_work();
  for (int i = 0; i < 100; ++i) push_and_wait(*first);
  const uint64_t before = workers_.wakes();
  const int done = done_;
  ASSERT_TRUE(workers_.push(*first));
  ASSERT_TRUE(workers_.push(*second));
  EXPECT_TRUE(eventually([&] { return done_ == done + 2; }));
  EXPECT_GT(workers_.wakes(), before);
}

// What a run has shared before says whether another thread can be there in time.
TEST_F(Waking, LittleSharedWorkWakesNobody) {
  std::atomic<uint32_t> took{0};
  std::atomic<uint64_t> unknown{0}, little{0}, much{0};
  const auto share = [&](std::chrono::microseconds part) {
    sleep_a_while();
    const uint64_t before = workers_.wakes();
    const Workers::Shares shares(took);
    Workers::share(2, [&](int64_t) {
      const auto end = std::chrono::steady_clock::now() + part;
      while (std::chrono::steady_clock::now() < end) {
      }
    });
    return workers_.wakes() - before;
  };
  const Ref<Own> task = make_ref<Own>([&] {
    unknown = share(std::chrono::microseconds(0));
    took = 1000;
    little = share(std::chrono::milliseconds(2));
    much = share(std::chrono::milliseconds(2));
  });
  ASSERT_TRUE(workers_.push(*task));
  EXPECT_TRUE(eventually([&] { return done_ == 1; }));
  EXPECT_EQ(unknown, 1u);
  EXPECT_EQ(little, 0u);
  EXPECT_EQ(much, 1u) << "it was measured";
  EXPECT_GE(took, 3000000u) << "what one thread would take";
}

TEST_F(Waking, SharesWithinOthersAreAPartOfThem) {
  std::atomic<uint32_t> outer{0}, inner{0};
  const Ref<Own> task = make_ref<Own>([&] {
    const Workers::Shares around(outer);
    const Workers::Shares within(inner);
    Workers::share(2, [](int64_t) {});
  });
  ASSERT_TRUE(workers_.push(*task));
  EXPECT_TRUE(eventually([&] { return done_ == 1; }));
  EXPECT_GT(outer, 0u);
  EXPECT_EQ(inner, 0u);
}

}  // namespace
}  // namespace rondo
