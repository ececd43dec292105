// What the body of a task, and what goes with the task at its end, may do to the engine: throw, and submit to another
// engine. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <thread>

#include "engine/tasks/workers.h"
#include "engine_fixture.h"

namespace rondo {
namespace {

using testing::EngineOverFake;
using testing::make_work;
using testing::message;

constexpr std::array kModes = {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED, RONDO_ENGINE_NAIVE};

class EngineBodies : public ::testing::TestWithParam<rondo_engine_mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, EngineBodies, ::testing::ValuesIn(kModes));

// --- their order ---

// The queue of the workers: by priority, then by submission, in whatever order the tasks come and go.
TEST(WorkersQueue, TasksComeOutByPriorityThenOrder) {
  constexpr int kWorkers = 3, kTasks = 200;
  std::vector<std::pair<int, int>> ran;  // less its priority, and its place: ascending
  EngineOverFake over;
  std::atomic<int> begun{0}, open{0};
  for (int i = 0; i < kWorkers; ++i)  // every worker has something to do, and one of them is done first
    ASSERT_TRUE(over.host({}, {},
                          [&, i] {
                            ++begun;
                            while (open <= i) std::this_thread::yield();
                            return Status();
                          })
                    .ok());
  while (begun < kWorkers) std::this_thread::yield();
  for (int i = 0; i < kTasks; ++i) {
    const int priority = i * 7919 % 5;
    auto task = make_work("counts", cpu_device(), {}, {}, [&, priority, i](const TaskContext&) {
      ran.emplace_back(-priority, i);
      if (ran.size() == kTasks) open = kWorkers;
      return Status();
    });
    task->priority = priority;
    ASSERT_TRUE(over.engine->submit(std::move(task)).ok());
  }
  open = 1;
  ASSERT_TRUE(over.engine->wait_all().ok());
  EXPECT_EQ(ran.size(), size_t{kTasks});
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
}

// --- exceptions ---

// Memory of the host may end anywhere in a body.
TEST_P(EngineBodies, OneThatThrowsIsATaskThatFailed) {
  EngineOverFake over(GetParam());
  for (Device* device : {static_cast<Device*>(&over.device), static_cast<Device*>(&cpu_device())}) {
    const Ref<Variable> output = over.variable();
    int enqueued = 0;
    (void)over.engine->submit(make_work("asks", *device, {}, {output}, [&](const TaskContext& context) -> Status {
      if (context.stream) over.device.enqueue(context.stream, [&] { ++enqueued; });
      throw std::bad_alloc();
    }));
    const Status failed = over.engine->wait(*output);
    EXPECT_EQ(failed.code(), RONDO_OUT_OF_MEMORY);
    EXPECT_NE(message(failed).find("'asks'"), std::string::npos) << message(failed);
    EXPECT_FALSE(Engine::in_task()) << "the thread is not inside the body any more";
    // What follows on the same thread, or worker, is as ever.
    const Ref<Variable> next = over.variable();
    int value = 0;
    ASSERT_TRUE(over.engine
                    ->submit(make_work("next", *device, {}, {next},
                                       [&](const TaskContext& context) {
                                         if (context.stream)
                                           over.device.enqueue(context.stream, [&] { value = 7; });
                                         else
                                           value = 7;
                                         return Status();
                                       }))
                    .ok());
    EXPECT_TRUE(over.engine->wait(*next).ok());
    EXPECT_EQ(value, 7);
    EXPECT_EQ(over.engine->wait_all().code(), RONDO_OUT_OF_MEMORY);
    EXPECT_TRUE(over.engine->wait_all().ok()) << "told once";
    EXPECT_EQ(enqueued, device == &over.device ? 1 : 0) << "what it had enqueued is waited for like any other work";
  }
}

// Whichever thread does the part that throws, no thread is at the rest when the task ends.
TEST_P(EngineBodies, OnePartThatThrowsEndsTheWhole) {
  EngineOverFake over(GetParam());
  for (int64_t at : {0, 1, 63, 199}) {
    const Ref<Variable> output = over.variable();
    std::atomic<int64_t> inside{0};
    std::atomic<bool> ended{false}, late{false};
    (void)over.host({}, {output}, [&, at]() -> Status {
      struct End {
        std::atomic<bool>& ended;
        ~End() { ended = true; }
      } const end{ended};
      Workers::share(200, [&, at](int64_t part) {
        ++inside;
        if (ended) late = true;
        std::this_thread::yield();
        --inside;
        if (part == at) throw std::bad_alloc();
      });
      return {};
    });
    EXPECT_EQ(over.engine->wait(*output).code(), RONDO_OUT_OF_MEMORY) << "part " << at;
    EXPECT_EQ(inside, 0);
    EXPECT_FALSE(late);
  }
  std::atomic<int64_t> parts{0};
  const Ref<Variable> output = over.variable();
  ASSERT_TRUE(over.host({}, {output},
                        [&] {
                          Workers::share(200, [&](int64_t) { ++parts; });
                          return Status();
                        })
                  .ok());
  EXPECT_TRUE(over.engine->wait(*output).ok());
  EXPECT_EQ(parts, 200) << "the workers are all there";
  (void)over.engine->wait_all();
}

// --- other engines ---

// Submits to the other engine when it is destroyed, as the `destroy` of a user task's argument may.
struct Submits {
  EngineOverFake& other;
  Ref<Variable> output;
  int* value;
  std::atomic<bool>& gone;
  ~Submits() {
    EXPECT_TRUE(other.kernel({}, {output}, [value = value] { *value += 1; }).ok());
    EXPECT_TRUE(other.kernel({output}, {output}, [value = value] { *value *= 10; }).ok());
    gone = true;
  }
};

// A thread that issues tasks of one engine keeps those it submits meanwhile for afterwards: each is its own engine's.
TEST_P(EngineBodies, EndOfATaskSubmitsToAnotherEngine) {
  for (const rondo_engine_mode inner : {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED}) {
    int value = 0;
    std::atomic<bool> gone{false};
    EngineOverFake other(inner);
    EngineOverFake over(GetParam());
    const Ref<Variable> there = other.variable();
    const Ref<Variable> here = over.variable();
    {
      std::shared_ptr<Submits> submits(new Submits{other, there, &value, gone});
      ASSERT_TRUE(over.engine
                      ->submit(make_work("outer", over.device, {}, {here},
                                         [submits = std::move(submits)](const TaskContext&) { return Status(); }))
                      .ok());
    }
    EXPECT_TRUE(over.engine->wait(*here).ok());
    EXPECT_TRUE(over.engine->wait_all().ok());
    while (!gone) std::this_thread::yield();  // the task itself, unlike what it uses, may outlive the wait
    EXPECT_TRUE(other.engine->wait(*there).ok());
    EXPECT_TRUE(other.engine->wait_all().ok());
    EXPECT_EQ(value, 10);
    EXPECT_EQ(over.device.calls().streams, 1) << "the other engine's tasks are not this one's";
    EXPECT_EQ(other.device.calls().streams, 1);
  }
}

// Asked not to (docs/threads.md), but nothing goes wrong where a body does.
TEST_P(EngineBodies, BodySubmitsToAnotherEngine) {
  for (const rondo_engine_mode inner : {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED}) {
    int value = 0;
    EngineOverFake other(inner);
    EngineOverFake over(GetParam());
    const Ref<Variable> there = other.variable();
    const Ref<Variable> here = over.variable();
    ASSERT_TRUE(over.engine
                    ->submit(make_work("outer", over.device, {}, {here},
                                       [&](const TaskContext&) {
                                         EXPECT_TRUE(other.kernel({}, {there}, [&] { value += 1; }).ok());
                                         return other.kernel({there}, {there}, [&] { value *= 10; });
                                       }))
                    .ok());
    EXPECT_TRUE(over.engine->wait_all().ok());
    EXPECT_TRUE(other.engine->wait_all().ok());
    EXPECT_EQ(value, 10);
    EXPECT_EQ(over.device.calls().streams, 1);
    EXPECT_EQ(other.device.calls().streams, 1);
  }
}

}  // namespace
}  // namespace rondo
