// What counts no more on a tape's way back: what a gradient of the user's replaces, what was written over, and what
// came before a tensor was watched again. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {
namespace {

class Replaced : public OnTape {
 protected:
  Tensor ones(const Shape& shape) const { return up(full(RONDO_F32, shape, 1)); }
  static Tensor total(rondo_tensor* x) { return reduce(RONDO_SUM, x, {}); }
  // A task that a tape knows nothing of. What it computes does not matter here.
  void user_task(const std::vector<rondo_tensor*>& reads, const std::vector<rondo_tensor*>& writes) const {
    const rondo_task_options with = task_options("my_task", device());
    must(push_tensors(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, reads, writes, &with));
  }
  // Claims that the gradient is 100 times the incoming one.
  static rondo_status hundredfold(void*, int32_t, rondo_tensor* const* dy, int32_t, rondo_tensor** dx) {
    return rondo_binary_scalar(RONDO_MUL, dy[0], 100.0, &dx[0]);
  }
  static void custom(rondo_tensor* in, rondo_tensor* out) {
    must(rondo_tape_custom("mine", 1, &in, 1, &out, hundredfold, nullptr, nullptr));
  }
  // Eagerly, or as a graph that is launched once.
  void once(const std::function<void()>& body) {
    if (!GetParam().graph) return body();
    const Graph graph = record(engine(), body);
    must(rondo_graph_launch(graph.get()));
  }
  static void expect_refusal(const Tape& tape, rondo_tensor* y, rondo_tensor* x, rondo_status expected,
                             const char* word) {
    rondo_tensor* gradient = nullptr;
    EXPECT_EQ(rondo_tape_gradients(tape, 1, &y, nullptr, 1, &x, &gradient), expected) << rondo_last_error();
    EXPECT_TRUE(has_word(rondo_last_error(), word)) << rondo_last_error();
  }
};
CONFORMANCE_SUITE(Replaced);

TEST_P(Replaced, CustomReplacesAUserTask) {
  const Tensor x = ones({3}), y = ones({3});
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    user_task({x}, {y});
    custom(x, y);
    dx = tape.gradient(total(make(rondo_binary_scalar, RONDO_MUL, y, 2.0)), x);
  });
  expect_same_bits(download(dx), full(RONDO_F32, {3}, 200), "custom");
}

TEST_P(Replaced, CustomReplacesOneOfSeveralTasks) {
  const Tensor x = ones({3}), y = ones({3}), z = ones({3});
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    user_task({x}, {y});
    custom(x, y);
    user_task({y}, {z});
    const Tensor both = total(make(rondo_binary, RONDO_ADD, y, z));
    expect_refusal(tape, both, x, RONDO_UNSUPPORTED, "my_task");
  });
}

TEST_P(Replaced, CustomReplacesWhatWasWrittenInPlace) {
  const Tensor x = ones({3});
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = make(rondo_binary_scalar, RONDO_MUL, x, 3.0);
    user_task({y}, {y});
    custom(y, y);
    dx = tape.gradient(total(y), x);
  });
  expect_same_bits(download(dx), full(RONDO_F32, {3}, 300), "the task's, then the product's");
}

TEST_P(Replaced, CustomInPlaceReplacesWhatWasPaused) {
  const Tensor x = ones({3});
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = make(rondo_binary_scalar, RONDO_MUL, x, 3.0);
    must(rondo_tape_pause());
    user_task({y}, {y});
    must(rondo_tape_resume());
    custom(y, y);
    dx = tape.gradient(total(y), x);
  });
  expect_same_bits(download(dx), full(RONDO_F32, {3}, 300), "the task's, then the product's");
}

// Nothing wrote in place: the gradient passes both.
TEST_P(Replaced, CustomOfATensorAndItselfKeepsWhatMadeIt) {
  const Tensor x = ones({3});
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = make(rondo_binary_scalar, RONDO_MUL, x, 3.0);
    custom(y, y);
    dx = tape.gradient(total(y), x);
  });
  expect_same_bits(download(dx), full(RONDO_F32, {3}, 300), "scaled on its way");
}

TEST_P(Replaced, CustomReplacesALaunchOfAGraph) {
  if (GetParam().graph) GTEST_SKIP() << "a graph is not launched in a recording";
  const Tensor x = ones({3}), y = ones({3});
  const Graph graph = record(engine(), [&] { into(y, rondo_unary, RONDO_EXP, x); });
  for (const bool replaced : {true, false}) {
    const Tape tape(engine());
    tape.watch(x);
    must(rondo_graph_launch(graph.get()));
    if (replaced) custom(x, y);
    const Tensor s = total(y);
    if (replaced)
      expect_same_bits(download(tape.gradient(s, x)), full(RONDO_F32, {3}, 100), "custom");
    else
      expect_refusal(tape, s, x, RONDO_UNSUPPORTED, "graph");
  }
}

// By parts: each has its own gradient, and the task that wrote the whole counts no more where they are.
TEST_P(Replaced, CustomReplacesParts) {
  const Tensor x = ones({2}), y = ones({4}), first = slice(y, 0, 0, 2), last = slice(y, 0, 2, 4);
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    user_task({x}, {first});
    custom(x, first);
    user_task({x}, {last});
    custom(x, last);
    dx = tape.gradient(total(y), x);
  });
  expect_same_bits(download(dx), full(RONDO_F32, {2}, 200), "both parts");
}

TEST_P(Replaced, WhatIsWrittenOverCountsNoMore) {
  const Tensor x = up(full(RONDO_F32, {3}, 0)), y = ones({3});
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    user_task({x}, {y});
    into(y, rondo_unary, RONDO_EXP, x);
    dx = tape.gradient(total(y), x);
  });
  expect_same_bits(download(dx), full(RONDO_F32, {3}, 1), "exp's");
}

// What is written over a part leaves the rest to the task.
TEST_P(Replaced, PartsThatAreLeftCount) {
  const Tensor x = ones({4}), y = ones({4});
  const Tape tape(engine());
  tape.watch(x);
  user_task({x}, {y});
  into(slice(y, 0, 0, 2), rondo_unary, RONDO_EXP, slice(x, 0, 0, 2));
  expect_refusal(tape, total(y), x, RONDO_UNSUPPORTED, "my_task");
}

TEST_P(Replaced, DeadResultsNeedNoValues) {
  const Tensor x = ones({3}), y = ones({3});
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor a = make(rondo_binary_scalar, RONDO_MUL, x, 2.0);
    into(y, rondo_unary, RONDO_LOG, a);
    into(a, rondo_unary, RONDO_EXP, x);  // log's operand is gone, and so is its result
    into(y, rondo_binary, RONDO_ADD, x, x);
    dx = tape.gradient(total(y), x);
  });
  expect_same_bits(download(dx), full(RONDO_F32, {3}, 2), "the sum's");
}

// A constant over a result ends the way to what was there.
TEST_P(Replaced, WhatAConstantIsWrittenOverCountsNoMore) {
  const Tensor x = ones({3}), y = ones({3});
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    user_task({x}, {y});
    must(rondo_fill(y, 5));
    dx = tape.gradient(total(make(rondo_binary, RONDO_MUL, y, x)), x);
  });
  expect_same_bits(download(dx), full(RONDO_F32, {3}, 5), "the constant");
}

// --- watched again ---

TEST_P(Replaced, WatchingAgainMovesTheMoment) {
  const Tensor t = up(full(RONDO_F32, {3}, 2));
  Tensor dt;
  once([&] {
    must(rondo_fill(t, 2));
    const Tape tape(engine());
    tape.watch(t);
    into(t, rondo_unary, RONDO_SQUARE, t);
    tape.watch(t);
    dt = tape.gradient(total(make(rondo_unary, RONDO_SQUARE, t)), t);
  });
  expect_same_bits(download(dt), full(RONDO_F32, {3}, 8), "2 t of the new t");
}

TEST_P(Replaced, WatchingAgainBehindATaskOfTheUsers) {
  const Tensor t = ones({3}), x = ones({3});
  std::vector<Tensor> got;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    tape.watch(t);
    user_task({t}, {t});
    tape.watch(t);
    got = tape.gradients(total(make(rondo_binary, RONDO_MUL, t, x)), {t, x});
  });
  expect_same_bits(download(got[0]), full(RONDO_F32, {3}, 1), "of the new t");
  expect_same_bits(download(got[1]), full(RONDO_F32, {3}, 1), "of x");
}

// Another source still needs what was before that moment.
TEST_P(Replaced, WatchingAgainMovesNoOtherSource) {
  const Tensor x = up(full(RONDO_F32, {3}, 2)), t = ones({3});
  std::vector<Tensor> got;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    tape.watch(t);
    into(t, rondo_unary, RONDO_SQUARE, x);
    tape.watch(t);
    got = tape.gradients(total(make(rondo_binary_scalar, RONDO_MUL, t, 3.0)), {t, x});
  });
  expect_same_bits(download(got[0]), full(RONDO_F32, {3}, 3), "of t");
  expect_same_bits(download(got[1]), full(RONDO_F32, {3}, 12), "of x, through t");
}

}  // namespace
}  // namespace conformance
