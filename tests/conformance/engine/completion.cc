// Host tasks that end later than their function: when a thread of somebody else's completes them, or nobody does.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

rondo_completion* deferred(rondo_task_context* context) {
  rondo_completion* completion = nullptr;
  EXPECT_EQ(rondo_task_defer(context, &completion), RONDO_OK) << rondo_last_error();
  return completion;
}

void complete(rondo_completion* completion, rondo_status status = RONDO_OK, const char* message = nullptr) {
  EXPECT_EQ(rondo_completion_complete(completion, status, message), RONDO_OK) << rondo_last_error();
  rondo_completion_destroy(completion);
}

float* floats(rondo_task_context* context, size_t operand) {
  void* address = nullptr;
  EXPECT_EQ(rondo_task_operand(context, operand, &address, nullptr), RONDO_OK) << rondo_last_error();
  return static_cast<float*>(address);
}

// A library that works on threads of its own.
class Library {
 public:
  ~Library() {
    for (std::thread& each : threads_) each.join();
  }
  void start(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(std::move(work));
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

// Submits from a thread of its own, since in naive mode the call lasts as long as the task.
class Pushed {
 public:
  Pushed(rondo_engine* engine, const char* name, Task task, std::vector<rondo_variable*> reads,
         std::vector<rondo_variable*> writes)
      : thread_([=, this] {
          const rondo_task_options options = task_options(name);
          status = push(engine, task, reads, writes, &options);
        }) {}
  ~Pushed() {
    if (thread_.joinable()) thread_.join();
  }
  void join() { thread_.join(); }
  rondo_status status = RONDO_OK;

 private:
  std::thread thread_;
};

class Completions : public OnEngine {
 protected:
  // A task that has handed its completion out.
  rondo_completion* handed_out(std::unique_ptr<Pushed>* pushed, const std::vector<rondo_variable*>& writes,
                               rondo_status returned = RONDO_OK) {
    std::atomic<rondo_completion*> out{nullptr};
    *pushed = std::make_unique<Pushed>(
        engine(), "later",
        [&out, returned](rondo_task_context* context) {
          out = deferred(context);
          return returned;
        },
        std::vector<rondo_variable*>{}, writes);
    EXPECT_TRUE(eventually([&out] { return out.load() != nullptr; }));
    if (!naive()) (*pushed)->join(), pushed->reset();
    return out;
  }
};
CONFORMANCE_ENGINE_SUITE(Completions);

TEST_P(Completions, EndTheTaskWithWhatItsThreadWrote) {
  Library library;
  const Tensor home = upload(engine(), kCpu, full(RONDO_F32, {100}, 0)), a = up(full(RONDO_F32, {100}, 0));
  for (int round = 1; round <= 5; ++round) {
    must(push_tensors(engine(),
                      [&, round](rondo_task_context* context) {
                        float* to = floats(context, 0);
                        library.start([=, completion = deferred(context)] {
                          for (int i = 0; i < 100; ++i) to[i] = static_cast<float>(round);
                          complete(completion);
                        });
                        return RONDO_OK;
                      },
                      {}, {home}));
    into(a, rondo_copy, home);
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
    expect_same_bits(download(home), full(RONDO_F32, {100}, round), "written");
    expect_same_bits(download(a), full(RONDO_F32, {100}, round + 1), "what follows");
  }
}

TEST_P(Completions, AreAwaitedAndNothingElse) {
  const Variable v(engine()), w(engine());
  std::unique_ptr<Pushed> pushed;
  rondo_completion* completion = handed_out(&pushed, {v});
  EXPECT_EQ(rondo_variable_wait_for(v, 0), RONDO_TIMED_OUT);
  EXPECT_TRUE(has_word(rondo_last_error(), "later")) << rondo_last_error();
  EXPECT_EQ(rondo_engine_wait_all_for(engine(), 0), RONDO_TIMED_OUT);
  must(rondo_variable_wait(w));
  complete(completion);
  must(rondo_variable_wait(v));
  must(rondo_engine_wait_all(engine()));
  uint64_t version = 0;
  must(rondo_variable_version(v, &version));
  EXPECT_EQ(version, 1u);
}

TEST_P(Completions, HoldNoWorkerMeanwhile) {
  if (naive()) GTEST_SKIP() << "a naive call lasts as long as the task";
  std::vector<std::unique_ptr<Pushed>> none(16);
  std::vector<rondo_completion*> open;
  for (auto& each : none) open.push_back(handed_out(&each, {}));  // eight for each worker
  const Variable v(engine());
  int ran = 0;
  must(push(engine(),
            [&ran](rondo_task_context*) {
              ++ran;
              return RONDO_OK;
            },
            {}, {v}));
  must(rondo_variable_wait_for(v, 60000));
  EXPECT_EQ(ran, 1);
  for (rondo_completion* each : open) complete(each);
}

TEST_P(Completions, CarryStatusAndMessage) {
  const struct {
    rondo_status given, seen;
    const char *message, *part;
  } cases[] = {{RONDO_IO_ERROR, RONDO_IO_ERROR, "disk gone", "task 'later' on cpu:0: disk gone"},
               {RONDO_USER_ERROR, RONDO_USER_ERROR, nullptr, "without a message"},
               {RONDO_DEVICE_LOST, RONDO_USER_ERROR, "no device", "no device (the status was 9"},
               {static_cast<rondo_status>(99), RONDO_USER_ERROR, "odd", "odd (the status was 99"},
               {static_cast<rondo_status>(-1), RONDO_USER_ERROR, "odd", "odd (the status was -1"}};
  for (const auto& each : cases) {
    const Variable v(engine()), behind(engine());
    std::unique_ptr<Pushed> pushed;
    complete(handed_out(&pushed, {v}), each.given, each.message);
    if (naive()) {
      pushed->join();
      EXPECT_EQ(pushed->status, each.seen) << "the call's status is the task's";
    }
    bool ran = false;
    (void)push(engine(),
               [&ran](rondo_task_context*) {
                 ran = true;
                 return RONDO_OK;
               },
               {v}, {behind});
    for (rondo_variable* poisoned : {static_cast<rondo_variable*>(v), static_cast<rondo_variable*>(behind)}) {
      EXPECT_EQ(rondo_variable_wait(poisoned), each.seen);
      EXPECT_NE(std::string(rondo_last_error()).find(each.part), std::string::npos) << rondo_last_error();
    }
    EXPECT_FALSE(ran);
    EXPECT_EQ(rondo_engine_wait_all(engine()), each.seen);
  }
}

TEST_P(Completions, CountOnce) {
  const Variable v(engine());
  std::unique_ptr<Pushed> pushed;
  rondo_completion* completion = handed_out(&pushed, {v});
  must(rondo_completion_complete(completion, RONDO_OK, nullptr));
  for (const rondo_status again : {RONDO_OK, RONDO_IO_ERROR})
    expect_refused(rondo_completion_complete(completion, again, "again"), RONDO_INVALID_STATE,
                   "rondo_completion_complete", "already");
  must(rondo_variable_wait(v));
  expect_refused(rondo_completion_complete(completion, RONDO_OK, nullptr), RONDO_INVALID_STATE,
                 "rondo_completion_complete", "already");
  rondo_completion_destroy(completion);
  expect_refused(rondo_completion_complete(completion, RONDO_OK, nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_completion_complete", "completion");
  must(rondo_variable_wait(v));
}

TEST_P(Completions, DestroyedOnTheWayFailTheTask) {
  const Variable v(engine());
  std::unique_ptr<Pushed> pushed;
  rondo_completion_destroy(handed_out(&pushed, {v}));
  EXPECT_EQ(rondo_variable_wait(v), RONDO_USER_ERROR);
  EXPECT_NE(std::string(rondo_last_error()).find("task 'later' on cpu:0: its completion was destroyed"),
            std::string::npos)
      << rondo_last_error();
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

// The function has failed, but its thread may be at work still: the memory is the task's until that says it is not.
TEST_P(Completions, FailedFunctionEndsTheTaskWithItsError) {
  for (const rondo_status completed : {RONDO_OK, RONDO_OUT_OF_MEMORY}) {
    const Variable v(engine());
    std::unique_ptr<Pushed> pushed;
    rondo_completion* completion = handed_out(&pushed, {v}, RONDO_IO_ERROR);
    EXPECT_EQ(rondo_variable_wait_for(v, 0), RONDO_TIMED_OUT);
    complete(completion, completed, "too late");
    EXPECT_EQ(rondo_variable_wait(v), RONDO_IO_ERROR);
    EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_IO_ERROR);
  }
}

TEST_P(Completions, MayComeBeforeTheFunctionReturns) {
  const Variable v(engine());
  for (int i = 0; i < 50; ++i)
    must(push(engine(),
              [](rondo_task_context* context) {
                complete(deferred(context));
                return RONDO_OK;
              },
              {v}, {v}));
  must(rondo_variable_wait(v));
  (void)push(engine(),
             [](rondo_task_context* context) {
               rondo_completion_destroy(deferred(context));
               return RONDO_OK;
             },
             {}, {v});
  EXPECT_EQ(rondo_variable_wait(v), RONDO_USER_ERROR);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

TEST_P(Completions, AreOnePerRunAndOfHostFunctions) {
  const Variable v(engine());
  must(push(engine(),
            [](rondo_task_context* context) {
              rondo_completion *first = deferred(context), *second = nullptr;
              expect_refused(rondo_task_defer(context, &second), RONDO_INVALID_STATE, "rondo_task_defer", "already");
              EXPECT_EQ(second, nullptr);
              complete(first);
              return RONDO_OK;
            },
            {}, {v}));
  if (on_cuda()) {
    const rondo_task_options options = task_options("kernel", kCuda);
    must(push(
        engine(),
        [](rondo_task_context* context) {
          rondo_completion* none = nullptr;
          expect_refused(rondo_task_defer(context, &none), RONDO_UNSUPPORTED, "rondo_task_defer", "kernel");
          return RONDO_OK;
        },
        {}, {v}, &options));
  }
  must(rondo_variable_wait(v));
}

TEST_P(Completions, AreCompletedByAnotherEnginesTask) {
  const Variable v(engine());
  const Engine other = create_engine(options());
  std::unique_ptr<Pushed> pushed;
  rondo_completion* completion = handed_out(&pushed, {v});
  must(push(other.get(),
            [completion](rondo_task_context*) {
              complete(completion);
              return RONDO_OK;
            },
            {}, {}));
  must(rondo_engine_wait_all(other.get()));
  must(rondo_variable_wait(v));
}

// Nobody completes them: the engine's end does not wait, and leaves to their owners what they may be using.
TEST_P(Completions, ThatAreMissingDoNotHoldTheEngineBack) {
  if (naive()) GTEST_SKIP() << "a naive call lasts as long as the task, and the engine must not be destroyed in a call";
  Engine mine = create_engine(options());
  struct Given {
    std::atomic<int> destroyed{0};
    std::atomic<rondo_completion*> completion{nullptr};
    float* to = nullptr;
  } given;
  Tensor home = upload(mine.get(), kCpu, full(RONDO_F32, {1000}, 1));
  rondo_tensor* const written = home;
  must(rondo_engine_push_tensors(
      mine.get(),
      [](void* arg, rondo_task_context* context) {
        auto* all = static_cast<Given*>(arg);
        all->to = floats(context, 0);
        all->completion = deferred(context);
        return RONDO_OK;
      },
      &given, [](void* arg) { ++static_cast<Given*>(arg)->destroyed; }, nullptr, 0, &written, 1, nullptr));
  ASSERT_TRUE(eventually([&given] { return given.completion.load() != nullptr; }));
  bool behind = false, apart = false;
  must(push(mine.get(),
            [&behind](rondo_task_context*) {
              behind = true;
              return RONDO_OK;
            },
            {}, {variable_of(home)}));
  must(push(mine.get(),
            [&apart](rondo_task_context*) {
              apart = true;
              return RONDO_OK;
            },
            {}, {}));
  home.reset();
  mine.reset();
  EXPECT_TRUE(apart) << "what has nothing to do with it is run";
  EXPECT_FALSE(behind) << "it would write what the owner of the completion may be writing";
  EXPECT_EQ(given.destroyed, 0);
  for (int i = 0; i < 1000; ++i) given.to[i] = 2;
  expect_refused(rondo_completion_complete(given.completion, RONDO_OK, nullptr), RONDO_INVALID_STATE,
                 "rondo_completion_complete", "engine");
  EXPECT_EQ(given.destroyed, 0);
  rondo_completion_destroy(given.completion);
  EXPECT_EQ(given.destroyed, 1);
}

TEST_P(Completions, OfARecordedTaskAreOnePerLaunch) {
  Library library;
  const Tensor a = up(full(RONDO_F32, {10}, 1)), home = upload(engine(), kCpu, full(RONDO_F32, {10}, 0));
  Tensor result;
  std::atomic<int> calls{0};
  const auto task = [&](rondo_task_context* context) {
    float *from = floats(context, 0), *to = floats(context, 1);
    ++calls;
    library.start([=, completion = deferred(context)] {
      for (int i = 0; i < 10; ++i) to[i] = 10 * from[i];
      complete(completion);
    });
    return RONDO_OK;
  };
  const Graph graph = record(engine(), [&] {
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
    into(home, rondo_copy, a);
    must(push_tensors(engine(), task, {home}, {home}));
    must(push_tensors(engine(), task, {home}, {home}));
    const Tensor there = make(rondo_copy, home);
    result = make(rondo_binary_scalar, RONDO_ADD, there, 1.0);
  });
  EXPECT_EQ(calls, 0);
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(result), full(RONDO_F32, {10}, 301), "two launches");
  EXPECT_EQ(calls, 4);
}

TEST_P(Completions, OfARecordedTaskFailForItAlone) {
  Library library;
  const Tensor a = upload(engine(), kCpu, full(RONDO_F32, {10}, 0)),
               b = upload(engine(), kCpu, full(RONDO_F32, {10}, 0));
  std::atomic<int> turn{0};
  const rondo_task_options options = task_options("second time not");
  const Graph graph = record(engine(), [&] {
    must(push_tensors(
        engine(),
        [&](rondo_task_context* context) {
          float* to = floats(context, 0);
          library.start([=, &turn, completion = deferred(context)] {
            for (int i = 0; i < 10; ++i) to[i] = 5;
            complete(completion, ++turn == 2 ? RONDO_IO_ERROR : RONDO_OK, "disk gone");
          });
          return RONDO_OK;
        },
        {}, {a}, &options));
    into(b, rondo_binary_scalar, RONDO_ADD, b, 1.0);
  });
  for (int launch = 1; launch <= 3; ++launch) {
    (void)rondo_graph_launch(graph.get());
    EXPECT_EQ(rondo_tensor_wait(a), launch == 2 ? RONDO_IO_ERROR : RONDO_OK);
    if (launch == 2) {
      EXPECT_NE(std::string(rondo_last_error()).find("'second time not'"), std::string::npos) << rondo_last_error();
      EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_IO_ERROR);
    } else {
      expect_same_bits(download(a), full(RONDO_F32, {10}, 5), "written");
    }
    expect_same_bits(download(b), full(RONDO_F32, {10}, launch), "what does not depend on it");
  }
}

TEST_P(Completions, OfALaunchThatAreMissingEndIt) {
  if (naive()) GTEST_SKIP() << "a naive call lasts as long as the task, and the engine must not be destroyed in a call";
  Engine mine = create_engine(options());
  std::atomic<rondo_completion*> out{nullptr};
  std::atomic<bool> behind{false};
  {
    const Variable v(mine.get());
    const Graph graph = record(mine.get(), [&] {
      must(push(mine.get(),
                [&out](rondo_task_context* context) {
                  out = deferred(context);
                  return RONDO_OK;
                },
                {}, {v}));
      must(push(mine.get(),
                [&behind](rondo_task_context*) {
                  behind = true;
                  return RONDO_OK;
                },
                {}, {v}));
    });
    must(rondo_graph_launch(graph.get()));
    ASSERT_TRUE(eventually([&out] { return out.load() != nullptr; }));
  }
  mine.reset();
  EXPECT_FALSE(behind);
  EXPECT_EQ(rondo_completion_complete(out, RONDO_OK, nullptr), RONDO_INVALID_STATE);
  rondo_completion_destroy(out);
}

TEST_P(Completions, FromManyThreadsKeepTheOrder) {
  Library library;
  constexpr int kThreads = 4, kTasks = 100;
  std::vector<std::unique_ptr<Variable>> variables;
  std::vector<int> counts(kThreads, 0);  // no lock: the order of tasks is what protects them
  for (int t = 0; t < kThreads; ++t) variables.push_back(std::make_unique<Variable>(engine()));
  {
    std::vector<std::thread> pushers;
    for (int t = 0; t < kThreads; ++t)
      pushers.emplace_back([&, t] {
        rondo_variable* const mine = *variables[static_cast<size_t>(t)];
        for (int i = 0; i < kTasks; ++i)
          must(push(engine(),
                    [&, t, i](rondo_task_context* context) {
                      int& count = counts[static_cast<size_t>(t)];
                      EXPECT_EQ(count, i);
                      const auto work = [&count, completion = deferred(context)] {
                        ++count;
                        complete(completion);
                      };
                      if (i % 10 == 0)
                        library.start(work);
                      else
                        work();
                      return RONDO_OK;
                    },
                    {}, {mine}));
      });
    for (std::thread& each : pushers) each.join();
  }
  must(rondo_engine_wait_all(engine()));
  for (const int count : counts) EXPECT_EQ(count, kTasks);
}

}  // namespace
}  // namespace conformance
