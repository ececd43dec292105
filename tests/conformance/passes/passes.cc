// What passes leave of a recording: the results are those of eager calls, back to back, and less is run for them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graphs/recording.h"

namespace conformance {
namespace {

class GraphPasses : public OnRecording {
 protected:
  static rondo_record_options as_written() {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;
    return options;
  }
  // So many tasks are launched, and in one CUDA graph where there are any.
  void expect_tasks(rondo_graph* graph, int32_t tasks, int32_t branches = 1) const {
    expect_captured(graph);
    const rondo_graph_info info = graph_info(graph);
    EXPECT_EQ(info.tasks, tasks) << graph_report(graph);
    EXPECT_EQ(info.branches, on_cuda() ? branches : 0) << graph_report(graph);
  }
};
CONFORMANCE_ENGINE_SUITE(GraphPasses);

TEST_P(GraphPasses, LeaveOutWhatNobodyReads) {
  const Array a = random_array(RONDO_F32, {100}, 1, -1, 1);
  const Tensor x = up(a);
  Tensor out, eager;
  const auto body = [&](Tensor* result) {
    const Tensor b = make(rondo_unary, RONDO_RELU, x);
    const Tensor c = make(rondo_unary, RONDO_EXP, b);
    const Tensor d = make(rondo_binary, RONDO_ADD, c, x);  // nobody reads it, so nobody c
    *result = make(rondo_cumulative, RONDO_SUM, b, 0, 0);
  };
  const Graph graph = record(engine(), [&] { body(&out); });
  expect_tasks(graph.get(), 2);
  EXPECT_TRUE(has_word(graph_report(graph.get()), "4 nodes before, 2 after")) << graph_report(graph.get());
  EXPECT_TRUE(has_word(graph_report(graph.get()), "left out: Elementwise 'exp'")) << graph_report(graph.get());
  body(&eager);
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), download(eager), "left out");

  const rondo_record_options options = as_written();
  const Graph whole = record(
      engine(), [&] { body(&out); }, &options);
  EXPECT_EQ(graph_info(whole.get()).tasks, 4);
  must(rondo_graph_launch(whole.get()));
  expect_same_bits(download(out), download(eager), "as written");
}

// The mask of a dropout goes, its numbers stay; those of a draw that nobody reads count as they do in eager calls.
TEST_P(GraphPasses, KeepRandomNumbersWhatTheyWere) {
  const Tensor x = up(full(RONDO_F32, {1000}, 1));
  struct Drawn {
    Tensor dropped, normal, after;
  };
  const auto body = [&](Drawn* drawn) {
    Tensor mask, unread = empty(RONDO_F32, {77});
    rondo_tensor* slot = unread;
    must(rondo_random_uniform(engine(), device(), RONDO_F32, 0, nullptr, 0, 1, &slot));
    must(rondo_dropout(x, 0.4, drawn->dropped.slot(), mask.slot()));
    const int64_t n = 50;
    must(rondo_random_normal(engine(), device(), RONDO_F32, 1, &n, 0, 1, drawn->normal.slot()));
    must(rondo_random_uniform(engine(), device(), RONDO_F32, 0, nullptr, 0, 1, &slot));  // the last draw
  };
  const auto next = [&] {
    Tensor made;
    const int64_t n = 20;
    must(rondo_random_normal(engine(), device(), RONDO_F32, 1, &n, 0, 1, made.slot()));
    return made;
  };
  Drawn eager[2], recorded;
  must(rondo_engine_seed(engine(), 7));
  for (Drawn& each : eager) body(&each), each.after = next();
  must(rondo_engine_seed(engine(), 7));
  const Graph graph = record(engine(), [&] { body(&recorded); });
  expect_tasks(graph.get(), 2, 2);
  for (const Drawn& each : eager) {
    must(rondo_graph_launch(graph.get()));
    const Tensor after = next();
    expect_same_bits(download(recorded.dropped), download(each.dropped), "dropout");
    expect_same_bits(download(recorded.normal), download(each.normal), "normal");
    expect_same_bits(download(after), download(each.after), "next");
  }
}

// What a recording only reads for what nobody reads is no input of its graph: a failure there is not the launch's.
TEST_P(GraphPasses, WhatIsLeftOutCannotFail) {
  const Tensor x = ones(10), y = ones(10);
  Tensor out;
  const Graph graph = record(engine(), [&] {
    const Tensor unread = make(rondo_unary, RONDO_EXP, y);
    out = make(rondo_unary, RONDO_NEG, x);
  });
  expect_tasks(graph.get(), 1);
  (void)push(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(y)});
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -1);
  EXPECT_EQ(rondo_tensor_wait(y), RONDO_USER_ERROR);
  (void)rondo_engine_wait_all(engine());
}

// A pass sees parts of tensors: what a half is written with is left out, what the other is written with is not.
TEST_P(GraphPasses, SeeHalvesOfATensor) {
  const Array a = random_array(RONDO_F32, {4, 6}, 2, -1, 1);
  const Tensor x = up(a);
  Tensor out, eager;
  const auto body = [&](Tensor* result) {
    const Tensor both = empty(RONDO_F32, {8, 6}), upper = slice(both, 0, 0, 4), lower = slice(both, 0, 4, 8);
    rondo_tensor* slot = upper;
    must(rondo_unary(RONDO_EXP, x, &slot));
    slot = lower;
    must(rondo_unary(RONDO_SQUARE, x, &slot));
    *result = make(rondo_cumulative, RONDO_SUM, lower, 0, 0);
  };
  const Graph graph = record(engine(), [&] { body(&out); });
  expect_tasks(graph.get(), 2);
  body(&eager);
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), download(eager), "half");
}

// Nothing of a recording that nobody reads is left; its launch does nothing, and that well.
TEST_P(GraphPasses, MayLeaveNothing) {
  const Tensor x = ones(10);
  const Graph graph = record(engine(), [&] { const Tensor unread = make(rondo_unary, RONDO_EXP, x); });
  EXPECT_EQ(graph_info(graph.get()).tasks, 0);
  must(rondo_graph_launch(graph.get()));
  must(rondo_engine_wait_all(engine()));
}

}  // namespace
}  // namespace conformance
