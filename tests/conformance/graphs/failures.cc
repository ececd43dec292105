// Failures in launches: of tasks that run one by one, as eager ones do, and of segments as a whole.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "graphs/recording.h"

namespace conformance {
namespace {

class RecordingFailures : public OnRecording {
 protected:
  // A host function that fails while `broken`.
  Task sometimes() {
    return [this](rondo_task_context* context) {
      if (!broken) return RONDO_OK;
      rondo_task_fail(context, "not today");
      return RONDO_USER_ERROR;
    };
  }
  void submit(const std::vector<rondo_variable*>& reads, const std::vector<rondo_variable*>& writes) {
    const rondo_task_options with = task_options("sometimes_bad");
    const rondo_status status = push(engine(), sometimes(), reads, writes, &with);
    if (!broken) must(status);
  }
  void launch(const Graph& graph) {
    EXPECT_EQ(rondo_graph_launch(graph.get()), broken && naive() ? RONDO_USER_ERROR : RONDO_OK) << rondo_last_error();
  }
  void expect_cause(rondo_status status) {
    EXPECT_EQ(status, RONDO_USER_ERROR);
    for (const char* part : {"sometimes_bad", "not today"})
      EXPECT_NE(std::string(rondo_last_error()).find(part), std::string::npos) << rondo_last_error();
  }
  std::atomic<bool> broken{false};
};
CONFORMANCE_ENGINE_SUITE(RecordingFailures);

// The host function fails once: what it does not write goes on counting, as it does eagerly.
TEST_P(RecordingFailures, OneFailureLeavesTheRestAlone) {
  for (const bool graph : {false, true}) {
    const Tensor p = ones(10, 2), q = ones(10, 10);
    const Variable log(engine());
    const auto body = [&] {
      into(p, rondo_binary_scalar, RONDO_ADD, p, 1.0);
      submit({variable_of(p)}, {log});
      into(q, rondo_binary_scalar, RONDO_ADD, q, 1.0);
    };
    Graph recorded;
    if (graph) recorded = record(engine(), body);
    for (const int round : {1, 2, 3}) {
      broken = round == 2;
      if (graph)
        launch(recorded);
      else
        body();
      must(rondo_tensor_wait(p));
      EXPECT_EQ(first(p), 2 + round);
      EXPECT_EQ(first(q), 10 + round);
      if (round == 2)
        expect_cause(rondo_variable_wait(log));
      else
        must(rondo_variable_wait(log));
    }
    expect_cause(rondo_engine_wait_all(engine()));
    must(rondo_engine_wait_all(engine()));
  }
}

// The host function comes first and writes what later tasks read: they are skipped, and no others.
TEST_P(RecordingFailures, WhatDependsIsSkipped) {
  const Tensor source = ones(10, 1), state = ones(10, 0), free = ones(10, 0);
  Tensor derived;
  const Graph graph = record(engine(), [&] {
    submit({}, {variable_of(source)});
    derived = make(rondo_unary, RONDO_NEG, source);
    into(state, rondo_binary, RONDO_ADD, state, derived);
    submit({}, {});  // another segment behind it
    into(free, rondo_binary_scalar, RONDO_ADD, free, 1.0);
  });
  launch(graph);
  EXPECT_EQ(first(state), -1);
  broken = true;
  launch(graph);
  expect_cause(rondo_tensor_wait(source));
  broken = false;
  expect_cause(rondo_tensor_wait(derived));
  expect_cause(rondo_tensor_wait(state));
  EXPECT_EQ(first(free), 2) << "it depends on nothing that failed";
  // Written again without being read they are well; what adds to itself needs its contents to be accepted.
  must(rondo_tensor_accept(state));
  launch(graph);
  EXPECT_EQ(first(derived), -1);
  EXPECT_EQ(first(state), -2);
  EXPECT_EQ(first(free), 3);
  expect_cause(rondo_engine_wait_all(engine()));
}

// A temporary between two segments hands a failure on.
TEST_P(RecordingFailures, ThroughATemporary) {
  const Tensor a = ones(10, 1), other = ones(10, 1);
  Tensor out, beside;
  const Graph graph = record(engine(), [&] {
    const Tensor between = make(rondo_unary, RONDO_NEG, a), apart = make(rondo_unary, RONDO_NEG, other);
    submit({variable_of(between)}, {variable_of(between)});
    out = make(rondo_binary_scalar, RONDO_MUL, between, 2.0);
    submit({}, {});
    beside = make(rondo_binary_scalar, RONDO_MUL, apart, 3.0);
  });
  for (const bool fails : {false, true, false}) {
    broken = fails;
    launch(graph);
    if (fails) {
      expect_cause(rondo_tensor_wait(out));
    } else {
      EXPECT_EQ(first(out), -2);
    }
    broken = false;
    EXPECT_EQ(first(beside), -3);
  }
  expect_cause(rondo_engine_wait_all(engine()));
}

// Within one launch a later write that does not look at what was there makes it well again, as eager ones do.
TEST_P(RecordingFailures, ClearedInTheSameLaunch) {
  const Tensor a = ones(10, 1), copy = ones(10, 0);
  const Graph graph = record(engine(), [&] {
    submit({}, {variable_of(a)});
    into(copy, rondo_copy, a);
    must(rondo_fill(a, 5));
    submit({}, {});
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
  });
  broken = true;
  launch(graph);
  expect_cause(rondo_tensor_wait(copy));
  broken = false;
  if (on_cuda()) {
    expect_cause(rondo_tensor_wait(a));  // copy and fill are one captured segment, skipped as a whole
    must(rondo_tensor_accept(a));
  } else {
    EXPECT_EQ(first(a), 6);
  }
  expect_cause(rondo_engine_wait_all(engine()));
}

// A poisoned input: on the cpu the tasks that do not read it run; a captured segment is skipped as a whole.
TEST_P(RecordingFailures, PoisonedInputs) {
  const Tensor a = ones(10, 1), state = ones(10, 0);
  Tensor out;
  const Graph graph = record(engine(), [&] {
    out = make(rondo_unary, RONDO_NEG, a);
    into(state, rondo_binary_scalar, RONDO_ADD, state, 1.0);
  });
  launch(graph);
  broken = true;
  submit({}, {variable_of(a)});
  launch(graph);
  expect_cause(rondo_tensor_wait(out));
  broken = false;
  if (on_cuda()) {
    expect_cause(rondo_tensor_wait(state));
    must(rondo_tensor_accept(state));
    EXPECT_EQ(first(state), 1);
  } else {
    EXPECT_EQ(first(state), 2);
  }
  expect_cause(rondo_engine_wait_all(engine()));
}

// A graph in a graph fails part by part as well.
TEST_P(RecordingFailures, InsideAnotherGraph) {
  const Tensor p = ones(10, 0), q = ones(10, 0), spoilt = ones(10, 0);
  const Graph inner = record(engine(), [&] {
    submit({}, {variable_of(spoilt)});
    into(p, rondo_binary_scalar, RONDO_ADD, p, 1.0);
  });
  const Graph outer = record(engine(), [&] {
    must(rondo_graph_launch(inner.get()));
    into(q, rondo_binary, RONDO_ADD, q, p);
  });
  for (const int round : {1, 2, 3}) {
    broken = round == 2;
    launch(outer);
    EXPECT_EQ(first(p), round);
    EXPECT_EQ(first(q), round * (round + 1) / 2);
    if (round == 2)
      expect_cause(rondo_tensor_wait(spoilt));
    else
      must(rondo_tensor_wait(spoilt));
  }
  expect_cause(rondo_engine_wait_all(engine()));
}

// Device tasks that are not captured fail one by one, too.
TEST_P(RecordingFailures, DeviceTasksThatAreNotCaptured) {
  if (!on_cuda()) GTEST_SKIP() << "only device tasks can be captured";
  const Variable good(engine()), bad(engine()), after(engine());
  std::atomic<int> ran{0};
  rondo_task_options with = task_options("sometimes_bad", device());
  with.flags = RONDO_TASK_NO_CAPTURE;
  const auto count = [&](rondo_task_context*) {
    ++ran;
    return RONDO_OK;
  };
  const Graph graph = record(engine(), [&] {
    must(push(engine(), sometimes(), {}, {bad}, &with));
    must(push(engine(), count, {bad}, {after}, &with));
    must(push(engine(), count, {}, {good}, &with));
  });
  for (const bool fails : {true, false}) {
    ran = 0;
    broken = fails;
    launch(graph);
    must(rondo_variable_wait(good));
    EXPECT_EQ(ran, fails ? 1 : 2);
    if (fails) {
      expect_cause(rondo_variable_wait(bad));
      expect_cause(rondo_variable_wait(after));
    } else {
      must(rondo_variable_wait(after));
    }
    broken = false;
  }
  expect_cause(rondo_engine_wait_all(engine()));
}

}  // namespace
}  // namespace conformance
