// Functions of the user's that call Rondo, which calls them again: so deep and no deeper; and what they borrow stays.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "callables/callables.h"

namespace conformance {
namespace {

class Nesting : public OnCallables {
 protected:
  // The call was refused where functions nest too deep.
  static void expect_too_deep(rondo_status status) {
    const std::string message = rondo_last_error();
    EXPECT_EQ(status, RONDO_INVALID_STATE) << message;
    for (const char* word : {"RONDO_MAX_NESTED", "100"})
      EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  }
  // The thread records and the engine works.
  void expect_usable() const {
    int32_t open = 1;
    must(rondo_record_is_open(engine(), &open));
    EXPECT_EQ(open, 0);
    expect_all(make(rondo_binary_scalar, RONDO_ADD, ones(4), 1.0), 2);
  }

  // A body that chooses itself again, `levels` deep.
  struct Chooser {
    rondo_engine* engine;
    rondo_tensor *condition, *counter;
    int levels, depth = 0;
  };
  static rondo_status choose(void* argument) {
    auto* self = static_cast<Chooser*>(argument);
    if (++self->depth >= self->levels) return rondo_binary_scalar(RONDO_ADD, self->counter, 1, &self->counter);
    return rondo_if(self->engine, self->condition, choose, nullptr, self);
  }
  rondo_status run(Chooser* chooser) const {
    chooser->depth = 0;
    return rondo_if(engine(), chooser->condition, choose, nullptr, chooser);
  }

  // A function that calls its callable again, `levels` deep.
  struct Caller {
    rondo_callable* callable = nullptr;
    int levels = 0, depth = 0;
  };
  static rondo_status call_again(void* arg, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                                 rondo_tensor** outputs) {
    auto* self = static_cast<Caller*>(arg);
    if (self->depth + 1 >= self->levels) return rondo_binary_scalar(RONDO_ADD, inputs[0], 1, outputs);
    ++self->depth;
    const rondo_status status = rondo_callable_call(self->callable, n_inputs, inputs, n_outputs, outputs);
    --self->depth;
    return status;
  }
};
CONFORMANCE_ENGINE_SUITE(Nesting);

TEST_P(Nesting, BodiesDeeperThanTheLimitAreRefused) {
  const Tensor truth = up(full(RONDO_BOOL, {}, 1)), counter = ones(1, 0);
  for (const int levels : {RONDO_MAX_NESTED, RONDO_MAX_NESTED + 1, 20000}) {
    Chooser chooser{engine(), truth, counter, levels};
    const rondo_status eager = run(&chooser);
    if (levels > RONDO_MAX_NESTED)
      expect_too_deep(eager);
    else
      must(eager);
    EXPECT_EQ(chooser.depth, std::min(levels, RONDO_MAX_NESTED));
    if (on_cuda() && levels == RONDO_MAX_NESTED) continue;  // a hundred kinds of conditional nodes are another subject
    must(rondo_record_begin(engine(), nullptr));
    const rondo_status recorded = run(&chooser);
    if (levels > RONDO_MAX_NESTED)
      expect_too_deep(recorded);
    else
      must(recorded);
    rondo_graph* graph = nullptr;
    must(rondo_record_end(engine(), &graph));
    must(rondo_graph_launch(graph));
    rondo_graph_destroy(graph);
  }
  // What was eager and deep enough, and on the cpu the launch of it.
  EXPECT_EQ(download(counter)[0], on_cuda() ? 1 : 2);
  expect_usable();
}

TEST_P(Nesting, CallablesDeeperThanTheLimitAreRefused) {
  const Tensor x = ones(4);
  for (const bool falls_back : {false, true})
    for (const int levels : {RONDO_MAX_NESTED, RONDO_MAX_NESTED + 1, 20000}) {
      const rondo_callable_options options =
          named("again", falls_back ? RONDO_CALLABLE_FALL_BACK : RONDO_CALLABLE_DEFAULT);
      Caller caller;
      caller.levels = levels;
      must(rondo_callable_create(engine(), 1, &options, call_again, &caller, nullptr, &caller.callable));
      for (int i = 0; i < 2; ++i) {
        rondo_tensor *in = x, *out = nullptr;
        const rondo_status status = rondo_callable_call(caller.callable, 1, &in, 1, &out);
        if (levels > RONDO_MAX_NESTED) {
          expect_too_deep(status);
          EXPECT_EQ(out, nullptr);
        } else {
          must(status);
          expect_all(Tensor(out), 2);
        }
      }
      rondo_callable_destroy(caller.callable);
    }
  expect_usable();
}

// A gradient that asks a tape for a gradient that is made by the same function.
TEST_P(Nesting, GradientsDeeperThanTheLimitAreRefused) {
  struct Again {
    rondo_engine* engine;
    int depth = 0;
    static rondo_status gradient(void* arg, int32_t, rondo_tensor* const* dy, int32_t, rondo_tensor** dx) {
      auto* self = static_cast<Again*>(arg);
      ++self->depth;
      rondo_tape* tape = nullptr;
      rondo_tensor *x = nullptr, *y = nullptr;
      rondo_status status = rondo_copy(dy[0], &x);
      if (status == RONDO_OK) status = rondo_tape_begin(self->engine, 0, &tape);
      if (status == RONDO_OK) status = rondo_tape_watch(tape, x);
      if (status == RONDO_OK) status = rondo_unary(RONDO_NEG, x, &y);
      if (status == RONDO_OK) status = rondo_tape_custom("again", 1, &x, 1, &y, gradient, arg, nullptr);
      if (status == RONDO_OK) status = rondo_tape_gradients(tape, 1, &y, dy, 1, &x, dx);
      rondo_tape_destroy(tape), rondo_tensor_destroy(x), rondo_tensor_destroy(y);
      return status;
    }
  } again{engine()};
  const Tensor x = ones(4), dy = ones(4);
  const Tape tape(engine());
  tape.watch(x);
  const Tensor y = make(rondo_unary, RONDO_NEG, x);
  rondo_tensor *in = x, *of = y, *given = dy, *dx = nullptr;
  must(rondo_tape_custom("again", 1, &in, 1, &of, Again::gradient, &again, nullptr));
  EXPECT_EQ(rondo_tape_gradients(tape, 1, &of, &given, 1, &in, &dx), RONDO_INVALID_STATE) << rondo_last_error();
  EXPECT_EQ(again.depth, RONDO_MAX_NESTED);
  expect_usable();
}

// Each holds a launch of the one before, which stays one for the sake of the user's task.
TEST_P(Nesting, LaunchesDeeperThanTheLimitAreRefused) {
  const Tensor x = ones(1, 0);
  const auto add_one = [&] { into(x, rondo_binary_scalar, RONDO_ADD, x, 1.0); };
  std::vector<Graph> graphs;
  for (int i = 0; i <= RONDO_MAX_NESTED; ++i)
    graphs.push_back(record(engine(), [&] {
      if (i == 0) must(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {variable_of(x)}, {}));
      if (i > 0) must(rondo_graph_launch(graphs.back().get()));
      add_one();
    }));
  must(rondo_graph_launch(graphs.back().get()));
  EXPECT_EQ(first(x), RONDO_MAX_NESTED + 1);
  must(rondo_record_begin(engine(), nullptr));
  must(rondo_graph_launch(graphs.back().get()));
  rondo_graph* graph = nullptr;
  expect_too_deep(rondo_record_end(engine(), &graph));
  expect_usable();
}

// In a recording of the callable's own, in one of the caller's, and eagerly.
TEST_P(Nesting, BorrowedInputsAreNotDestroyed) {
  enum class Way { recorded, plain, eager };
  for (const Way way : {Way::recorded, Way::plain, Way::eager}) {
    const auto destroys = [&](const Inputs& x, Outputs* y) {
      if (way == Way::eager) must(rondo_tensor_wait(x[1]));  // keeps it from being recorded
      rondo_tensor_destroy(x[1]);
      EXPECT_NE(std::string(rondo_last_error()).find("borrowed"), std::string::npos) << rondo_last_error();
      const Tensor other = make(rondo_copy, x[0]);  // would have the handle that is free
      y->push_back(make(rondo_binary, RONDO_ADD, x[0], x[1]));
      return RONDO_OK;
    };
    const rondo_callable_options options =
        named("wrong", way == Way::eager ? RONDO_CALLABLE_FALL_BACK : RONDO_CALLABLE_DEFAULT);
    const Called called(engine(), 1, destroys, &options);
    const Tensor x = ones(4), y = ones(4);
    rondo_tensor *in[] = {x, y}, *out = nullptr;
    if (way == Way::plain) must(rondo_record_begin(engine(), nullptr));
    for (int i = 0; i < 3; ++i) {
      expect_refused(rondo_callable_call(called, 2, in, 1, &out), RONDO_USER_ERROR, "rondo_callable_call", "inputs[1]");
      EXPECT_EQ(out, nullptr);
    }
    if (way == Way::plain) must(rondo_record_abort(engine()));
    for (rondo_tensor* each : {in[0], in[1]}) expect_all(each, 1);
  }
  expect_usable();
}

TEST_P(Nesting, BorrowedGradientsAreLeftAlone) {
  enum Wrong { destroyed, given_back, given_twice };
  struct Function {
    Wrong wrong;
    static rondo_status gradient(void* arg, int32_t, rondo_tensor* const* dy, int32_t, rondo_tensor** dx) {
      switch (static_cast<Function*>(arg)->wrong) {
        case destroyed: rondo_tensor_destroy(dy[0]); break;
        case given_back: dx[0] = dy[0]; return RONDO_OK;
        case given_twice: break;
      }
      const rondo_status status = rondo_copy(dy[0], &dx[0]);
      if (static_cast<Function*>(arg)->wrong == given_twice) dx[1] = dx[0];
      return status;
    }
  };
  const Tensor a = ones(4), b = ones(4), dy = ones(4);
  for (const Wrong wrong : {destroyed, given_back, given_twice}) {
    Function function{wrong};
    const Tape tape(engine());
    tape.watch(a), tape.watch(b);
    const Tensor y = make(rondo_binary, RONDO_ADD, a, b);
    rondo_tensor *in[] = {a, b}, *of = y, *given = dy, *dx[2] = {nullptr, nullptr};
    must(rondo_tape_custom("mine", 2, in, 1, &of, Function::gradient, &function, nullptr));
    expect_refused(rondo_tape_gradients(tape, 1, &of, &given, 2, in, dx), RONDO_USER_ERROR, "rondo_tape_gradients",
                   wrong == destroyed    ? "output_gradients[0]"
                   : wrong == given_back ? "input_gradients[0]"
                                         : "input_gradients[1]");
    for (rondo_tensor* each : {in[0], in[1], given}) expect_all(each, 1);
  }
  expect_usable();
}

}  // namespace
}  // namespace conformance
