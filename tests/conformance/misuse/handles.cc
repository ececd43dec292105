// Handles that two threads destroy at once, and handles of other kinds in a task context's place.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <barrier>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

class MisuseHandles : public OnEngine {
 protected:
  // A handle of a kind, to be destroyed by the second function.
  struct Made {
    void* handle;
    std::function<void(void*)> destroy;
  };
  struct Kind {
    const char* name;
    std::function<Made()> make;
  };
  template <class Handle>
  static Made made(Handle* handle, void (*destroy)(Handle*)) {
    return {handle, [destroy](void* each) { destroy(static_cast<Handle*>(each)); }};
  }
  std::vector<Kind> kinds() {
    return {
        {"engine", [this] { return made(create_engine(options()).release(), rondo_engine_destroy); }},
        {"tensor", [this] { return made(up(full(RONDO_F32, {4}, 1)).release(), rondo_tensor_destroy); }},
        {"variable",
         [this] {
           rondo_variable* variable = nullptr;
           must(rondo_variable_create(engine(), &variable));
           return made(variable, rondo_variable_destroy);
         }},
        {"graph",
         [this] {
           const Tensor x = up(full(RONDO_F32, {4}, 1));
           return made(record(engine(), [&] { must(rondo_fill(x, 2)); }).release(), rondo_graph_destroy);
         }},
        {"tape",
         [this] {
           rondo_tape* tape = nullptr;
           must(rondo_tape_begin(engine(), 0, &tape));
           must(rondo_tape_end(tape));
           return made(tape, rondo_tape_destroy);
         }},
        {"callable",
         [this] {
           rondo_callable* callable = nullptr;
           must(rondo_callable_create(
               engine(), 1, nullptr,
               [](void*, int32_t, rondo_tensor* const* in, int32_t, rondo_tensor** out) {
                 return rondo_unary(RONDO_NEG, in[0], out);
               },
               nullptr, nullptr, &callable));
           return made(callable, rondo_callable_destroy);
         }},
        {"expression",
         [] {
           rondo_expression* expression = nullptr;
           must(rondo_expression_create("y = 2 * x", "handles_twice", &expression));
           return made(expression, rondo_expression_destroy);
         }},
    };
  }
};
CONFORMANCE_ENGINE_SUITE(MisuseHandles);

TEST_P(MisuseHandles, DestroyedByTwoThreadsAtOnceGoOnce) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    for (int round = 0; round < (quick() ? 50 : 1000); ++round) {
      const Made one = kind.make();
      std::barrier together(2);
      std::string told[2];
      const auto destroy = [&](int which) {
        together.arrive_and_wait();
        one.destroy(one.handle);
        told[which] = rondo_last_error();
      };
      std::thread one_thread(destroy, 0), other(destroy, 1);  // new ones: nothing has failed on them
      one_thread.join();
      other.join();
      ASSERT_EQ(told[0].empty() + told[1].empty(), 1) << told[0] << "; " << told[1];
      const std::string& refused = told[0].empty() ? told[1] : told[0];
      ASSERT_TRUE(has_word(refused.c_str(), kind.name)) << refused;
    }
  }
}

TEST_P(MisuseHandles, OfOtherKindsAreNoTaskContexts) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const Made one = kind.make();
    auto* const context = static_cast<rondo_task_context*>(one.handle);
    void* address = nullptr;
    rondo_completion* completion = nullptr;
    expect_refused(rondo_task_operand(context, 0, &address, nullptr), RONDO_INVALID_ARGUMENT, "rondo_task_operand",
                   "context");
    expect_refused(rondo_task_defer(context, &completion), RONDO_INVALID_ARGUMENT, "rondo_task_defer", "context");
    EXPECT_EQ(rondo_task_stream(context), nullptr);
    EXPECT_EQ(rondo_task_auxiliary_stream(context, 0), nullptr);
    EXPECT_EQ(rondo_task_device(context).kind, RONDO_CPU);
    EXPECT_EQ(rondo_task_is_capturing(context), 0);
    rondo_task_fail(context, "nothing");
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_task_fail")) << rondo_last_error();
    bool destroyed = false;
    rondo_task_fail_cause(context, &destroyed, [](void* cause) { *static_cast<bool*>(cause) = true; });
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_task_fail_cause")) << rondo_last_error();
    EXPECT_TRUE(destroyed);
    EXPECT_EQ(address, nullptr);
    EXPECT_EQ(completion, nullptr);
    one.destroy(one.handle);
  }
}

}  // namespace
}  // namespace conformance
