// What goes with an error beside its text: the operator or task that failed first, and an object of the user's.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

std::atomic<int> destroyed{0};

void destroy_number(void* cause) {
  delete static_cast<int*>(cause);
  ++destroyed;
}
void destroy_of_others(void* cause) {
  ADD_FAILURE() << cause;
}

std::string operator_of_last_error(rondo_device* device = nullptr) {
  const char* name = rondo_last_error_operator(device);
  return name ? name : "none";
}
int cause_of_last_error() {
  const void* cause = rondo_last_error_cause(destroy_number);
  return cause ? *static_cast<const int*>(cause) : -1;
}

class Origins : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    destroyed = 0;
  }
  // A task that fails with a number as its cause.
  rondo_status fails(const char* name, int number, rondo_variable* written, rondo_status status = RONDO_IO_ERROR) {
    const rondo_task_options options = task_options(name, device());
    return push(
        engine(),
        [=](rondo_task_context* context) {
          rondo_task_fail(context, "disk gone");
          rondo_task_fail_cause(context, new int(number), destroy_number);
          return status;
        },
        {}, {written}, &options);
  }
  // Causes are destroyed in later calls, once the thread that ran the task has let go of it too.
  static bool destroyed_soon(int number) {
    for (int patience = 0; patience < 2000 && destroyed != number; ++patience) {
      EXPECT_EQ(rondo_tensor_wait(nullptr), RONDO_INVALID_ARGUMENT);
      if (destroyed != number) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return destroyed == number;
  }
  // All errors are let go of, and with the end of the engine what went with them.
  void expect_destroyed(int number) {
    (void)rondo_engine_wait_all(engine());
    EXPECT_EQ(rondo_engine_seed(nullptr, 0), RONDO_INVALID_ARGUMENT) << "the thread's last error is another one";
    restart(options());
    EXPECT_EQ(destroyed, number);
  }
};
CONFORMANCE_ENGINE_SUITE(Origins);

TEST_P(Origins, NameTheTaskThatFailedFirst) {
  {
    const Tensor a = up(full(RONDO_F32, {10}, 1));
    (void)fails("load", 3, variable_of(a));
    Tensor b, c;
    (void)rondo_binary_scalar(RONDO_ADD, a, 1.0, b.slot());
    if (b) (void)rondo_unary(RONDO_NEG, b, c.slot());
    std::vector<rondo_tensor*> poisoned = {a};
    for (const Tensor* each : {&b, &c})
      if (*each) poisoned.push_back(*each);
    for (rondo_tensor* each : poisoned) {
      EXPECT_EQ(rondo_tensor_wait(each), RONDO_IO_ERROR);
      rondo_device where = {9, 9};
      EXPECT_EQ(operator_of_last_error(&where), "load");
      EXPECT_EQ(where.kind, device().kind);
      EXPECT_EQ(where.index, device().index);
      EXPECT_EQ(cause_of_last_error(), 3);
    }
    // Of every thread that is told of it.
    std::thread([&] {
      EXPECT_EQ(operator_of_last_error(), "none");
      EXPECT_EQ(rondo_tensor_wait_for(a, -1), RONDO_IO_ERROR);
      EXPECT_EQ(operator_of_last_error(), "load");
      EXPECT_EQ(cause_of_last_error(), 3);
    }).join();
    EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_IO_ERROR);
    EXPECT_EQ(operator_of_last_error(), "load");
  }
  expect_destroyed(1);
}

TEST_P(Origins, AreNotOfCallsThatWereRefused) {
  {
    const Variable v(engine());
    (void)fails("load", 1, v);
    EXPECT_EQ(rondo_variable_wait(v), RONDO_IO_ERROR);
    EXPECT_EQ(operator_of_last_error(), "load");
    EXPECT_EQ(rondo_tensor_wait(nullptr), RONDO_INVALID_ARGUMENT);
    rondo_device where = {9, 9};
    EXPECT_EQ(operator_of_last_error(&where), "none");
    EXPECT_EQ(where.kind, 9) << "untouched";
    EXPECT_EQ(cause_of_last_error(), -1);
  }
  expect_destroyed(1);
}

// A wait that took too long, and a wait for a task that did.
TEST_P(Origins, TellTimeLimitsApart) {
  {
    const Variable v(engine()), w(engine());
    (void)fails("slow", 1, v, RONDO_TIMED_OUT);
    EXPECT_EQ(rondo_variable_wait_for(v, -1), RONDO_TIMED_OUT);
    EXPECT_EQ(operator_of_last_error(), "slow");
    std::atomic<bool> open{false};  // read by a task until w is waited for
    if (!naive()) {
      must(push(engine(),
                [&open](rondo_task_context*) {
                  (void)eventually([&open] { return open.load(); });
                  return RONDO_OK;
                },
                {}, {w}));
      EXPECT_EQ(rondo_variable_wait_for(w, 0), RONDO_TIMED_OUT);
      EXPECT_EQ(operator_of_last_error(), "none");
      open = true;
    }
    must(rondo_variable_wait(w));
  }
  expect_destroyed(1);
}

TEST_P(Origins, KeepEachFailuresOwnCause) {
  constexpr int kTasks = 100;
  {
    std::vector<Variable> all;
    for (int i = 0; i < kTasks; ++i) {
      all.emplace_back(engine());
      (void)fails(i % 2 ? "odd" : "even", i, all.back());
    }
    for (int i = 0; i < kTasks; ++i) {
      EXPECT_EQ(rondo_variable_wait(all[static_cast<size_t>(i)]), RONDO_IO_ERROR);
      EXPECT_EQ(cause_of_last_error(), i) << "all have the same text";
      EXPECT_EQ(operator_of_last_error(), i % 2 ? "odd" : "even");
      EXPECT_EQ(rondo_last_error_cause(destroy_of_others), nullptr) << "it is not theirs";
      EXPECT_EQ(rondo_last_error_cause(nullptr), nullptr);
    }
  }
  expect_destroyed(kTasks);
}

TEST_P(Origins, LetGoOfCausesThatNoErrorNeeds) {
  const Variable v(engine());
  must(push(engine(),
            [](rondo_task_context* context) {
              rondo_task_fail_cause(context, new int(1), destroy_number);  // it goes well nevertheless
              return RONDO_OK;
            },
            {}, {v}));
  (void)push(engine(),
             [](rondo_task_context* context) {
               rondo_task_fail_cause(context, new int(2), destroy_number);
               rondo_task_fail_cause(context, new int(3), destroy_number);
               return RONDO_USER_ERROR;
             },
             {}, {v});
  EXPECT_EQ(rondo_variable_wait(v), RONDO_USER_ERROR);
  EXPECT_EQ(cause_of_last_error(), 3);
  rondo_task_fail_cause(nullptr, new int(4), destroy_number);
  rondo_completion_fail_cause(nullptr, new int(5), destroy_number);
  EXPECT_TRUE(destroyed_soon(4)) << destroyed << ": all but the one that the variable's error holds";
  must(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {v}));  // overwrites the error
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
  EXPECT_TRUE(destroyed_soon(5)) << destroyed;
}

TEST_P(Origins, GoWithCompletions) {
  {
    const Variable v(engine());
    std::thread library;
    const rondo_task_options options = task_options("later");
    (void)push(
        engine(),
        [&library](rondo_task_context* context) {
          rondo_completion* completion = nullptr;
          must(rondo_task_defer(context, &completion));
          library = std::thread([completion] {
            rondo_completion_fail_cause(completion, new int(7), destroy_number);
            EXPECT_EQ(rondo_completion_complete(completion, RONDO_IO_ERROR, "disk gone"), RONDO_OK);
            rondo_completion_destroy(completion);
          });
          return RONDO_OK;
        },
        {}, {v}, &options);
    EXPECT_EQ(rondo_variable_wait(v), RONDO_IO_ERROR);
    EXPECT_EQ(operator_of_last_error(), "later");
    EXPECT_EQ(cause_of_last_error(), 7);
    library.join();
  }
  expect_destroyed(1);
}

TEST_P(Origins, AreTheTasksInsideAGraph) {
  {
    const Tensor a = up(full(RONDO_F32, {10}, 1));
    rondo_record_options with = RONDO_RECORD_OPTIONS_INIT;
    with.name = "step";
    const Graph graph = record(
        engine(),
        [&] {
          const rondo_task_options options = task_options("inside");
          must(push(
              engine(),
              [](rondo_task_context* context) {
                rondo_task_fail_cause(context, new int(8), destroy_number);
                return RONDO_IO_ERROR;
              },
              {}, {variable_of(a)}, &options));
        },
        &with);
    (void)rondo_graph_launch(graph.get());
    EXPECT_EQ(rondo_tensor_wait(a), RONDO_IO_ERROR);
    EXPECT_NE(std::string(rondo_last_error()).find("graph 'step'"), std::string::npos) << rondo_last_error();
    EXPECT_EQ(operator_of_last_error(), "inside");
    EXPECT_EQ(cause_of_last_error(), 8);
  }
  expect_destroyed(1);
}

TEST_P(Origins, NameOperators) {
  rondo_engine_options narrow = options();
  narrow.memory_limit = 1 << 20;
  restart(narrow);
  const Tensor a = empty(RONDO_F32, {1 << 20});
  const rondo_status filled = rondo_fill(a, 1);
  EXPECT_EQ(naive() ? filled : rondo_tensor_wait(a), RONDO_OUT_OF_MEMORY);
  rondo_device where = {9, 9};
  EXPECT_EQ(operator_of_last_error(&where), "fill") << rondo_last_error();
  EXPECT_EQ(where.kind, device().kind);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OUT_OF_MEMORY);
}

}  // namespace
}  // namespace conformance
