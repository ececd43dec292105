// Inputs, outputs and temporaries of graphs: who keeps what alive, and for how long. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#include "recording.h"

namespace conformance {
namespace {

class RecordingLifetime : public OnRecording {};
CONFORMANCE_ENGINE_SUITE(RecordingLifetime);

TEST_P(RecordingLifetime, TemporariesShareAnArena) {
  const Tensor a = ones(10000);
  Tensor out;
  Graph graph = record(engine(), [&] {
    Tensor value = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
    for (int i = 0; i < 20; ++i) value = reduce(RONDO_SUM, broadcast(reshape(value, {1, 10000}), {2, 10000}), {0});
    out = std::move(value);
  });
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 21);
  EXPECT_GE(info.output_bytes, 40000);
  EXPECT_LE(info.output_bytes, 41000);
  EXPECT_GE(info.temporary_bytes, 20 * 40000);
  EXPECT_GT(info.arena_bytes, 0);
  EXPECT_LE(info.arena_bytes, info.temporary_bytes);
  EXPECT_LE(info.arena_bytes, 200000) << "20 temporaries that never live together more than two at a time";
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), Real(2 << 20));
}

// Small temporaries are counted in the arena's steps on both sides: nothing is shared, and nothing seems lost by it.
TEST_P(RecordingLifetime, WhatIsNotSharedCountsAlike) {
  const Tensor a = ones(3);
  Tensor out;
  Graph graph = record(engine(), [&] {
    const Tensor one = make(rondo_unary, RONDO_NEG, a), other = make(rondo_unary, RONDO_SQUARE, a);
    out = make(rondo_binary, RONDO_ADD, one, other);
  });
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_GT(info.arena_bytes, 0);
  EXPECT_EQ(info.arena_bytes, info.temporary_bytes);
}

TEST_P(RecordingLifetime, InputsAreKeptAlive) {
  Tensor a = ones(1000, 5), out;
  Graph graph = record(engine(), [&] { out = make(rondo_binary_scalar, RONDO_MUL, a, 2.0); });
  a.reset();
  std::vector<Tensor> others;  // would take the input's memory
  for (int i = 0; i < 10; ++i) others.push_back(ones(1000, -1));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), 10);
  must(rondo_fill(out, 0));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), 10);
}

TEST_P(RecordingLifetime, OutputsOutliveTheGraph) {
  const Tensor a = ones(1000, 3);
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, a); });
  must(rondo_graph_launch(graph.get()));
  graph.reset();  // right after the launch
  std::vector<Tensor> others;
  for (int i = 0; i < 10; ++i) others.push_back(ones(1000, -1));
  EXPECT_EQ(first(out), 9);
}

// Outputs that the user drops after the recording may still be written by launches.
TEST_P(RecordingLifetime, DroppedOutputs) {
  const Tensor a = ones(1000, 3);
  Tensor kept, dropped;
  Graph graph = record(engine(), [&] {
    dropped = make(rondo_unary, RONDO_SQUARE, a);
    kept = make(rondo_unary, RONDO_NEG, dropped);
  });
  dropped.reset();
  for (int i = 0; i < 2; ++i) must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(kept), -9);
}

// Before the first launch, outputs have no value yet; they can still be written by hand.
TEST_P(RecordingLifetime, OutputsBeforeTheFirstLaunch) {
  const Tensor a = ones(10);
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  must(rondo_fill(out, 4));
  EXPECT_EQ(first(out), 4);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -1);
}

TEST_P(RecordingLifetime, ManyGraphsLeaveNothingBehind) {
  const Tensor a = ones(1000);
  rondo_memory_info before = RONDO_MEMORY_INFO_INIT, after = RONDO_MEMORY_INFO_INIT;
  for (int i = 0; i < 20; ++i) {
    Tensor out;
    Graph graph =
        record(engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, make(rondo_binary_scalar, RONDO_ADD, a, 1.0)); });
    must(rondo_graph_launch(graph.get()));
    graph.reset();
    EXPECT_EQ(first(out), 4);
    out.reset();
    must(rondo_engine_wait_all(engine()));
    if (i == 4) must(rondo_memory_query(engine(), device(), &before));
  }
  must(rondo_memory_query(engine(), device(), &after));
  EXPECT_EQ(after.in_use, before.in_use);
  EXPECT_LE(after.in_use + after.cached, before.in_use + before.cached + (1 << 20));
}

// Launch and destroy in every order, with nothing waited for.
TEST_P(RecordingLifetime, DestroyInEveryOrder) {
  for (int order = 0; order < 6; ++order) {
    Tensor a = ones(1000, 3), out;
    Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, make(rondo_unary, RONDO_NEG, a)); });
    must(rondo_graph_launch(graph.get()));
    Tensor copy = make(rondo_copy, out);
    const std::function<void()> drops[] = {[&] { a.reset(); }, [&] { out.reset(); }, [&] { graph.reset(); }};
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const int which : orders[order]) drops[which]();
    EXPECT_EQ(first(copy), 9);
  }
}

// Launches that cannot begin yet, more than one at a time; then again; then with the graph gone.
TEST_P(RecordingLifetime, ManyLaunchesUnderWay) {
  const Tensor state = ones(1000, 0);
  Graph graph = record(engine(), [&] { into(state, rondo_binary_scalar, RONDO_ADD, state, 1.0); });
  for (const int launched : {20, 40, 60}) {
    Gate gate;
    must(push(engine(), waiting(gate), {variable_of(state)}, {variable_of(state)}));
    for (int i = 0; i < 20; ++i) must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(graph_info(graph.get()).launches, launched);
    if (launched == 60) graph.reset();
    gate.open = true;
    EXPECT_EQ(first(state), launched);
  }
}

TEST_P(RecordingLifetime, EngineDestroyedBeforeTheGraph) {
  Engine other = create_engine(options());
  const Tensor a = upload(other.get(), device(), full(RONDO_F32, {10}, 1));
  Tensor out;
  Graph graph = record(other.get(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  must(rondo_graph_launch(graph.get()));
  other.reset();
  expect_refused(rondo_graph_launch(graph.get()), RONDO_INVALID_STATE, "rondo_graph_launch", nullptr);
}

}  // namespace
}  // namespace conformance
