// Inputs, outputs and temporaries of graphs: who keeps what alive, and for how long. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#include "graphs/recording.h"

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

// Graphs for several batch sizes, of which one runs at a time: all of them take what the largest one does.
TEST_P(RecordingLifetime, GraphsOfOneNameShareAnArena) {
  const auto in_use = [&] {
    must(rondo_engine_wait_all(engine()));
    must(rondo_memory_trim(engine(), device()));
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info.in_use;
  };
  const int64_t sizes[] = {40000, 30000, 20000, 10000, 40000};
  const auto chain = [](rondo_tensor* x) {
    Tensor value = make(rondo_cumulative, RONDO_SUM, x, 0, 0);
    for (int i = 0; i < 4; ++i) value = make(rondo_cumulative, RONDO_MAX, value, 0, i % 2);
    return value;
  };
  int64_t taken[2];
  for (const bool shared : {false, true}) {
    std::vector<Tensor> inputs, outputs(std::size(sizes));
    std::vector<Graph> graphs;
    for (const int64_t size : sizes) inputs.push_back(ones(size));
    const int64_t before = in_use();
    int64_t kept = 0;
    for (size_t i = 0; i < std::size(sizes); ++i) {
      rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
      options.arena = shared ? "batches" : nullptr;
      graphs.push_back(record(
          engine(), [&] { outputs[i] = chain(inputs[i]); }, &options));
      kept += graph_info(graphs[i].get()).output_bytes;
    }
    taken[shared ? 1 : 0] = in_use() - before - kept;
    if (shared) {
      EXPECT_LE(taken[1], graph_info(graphs[0].get()).arena_bytes + (1 << 16));
    }
    // Back to back, so that one would overwrite what another still needs.
    for (int round = 0; round < 4; ++round)
      for (size_t i = 0; i < graphs.size(); ++i) {
        must(rondo_fill(inputs[i], round + 1));
        must(rondo_graph_launch(graphs[(i * 3) % graphs.size()].get()));
      }
    for (size_t i = 0; i < graphs.size(); ++i) must(rondo_graph_launch(graphs[i].get()));
    for (size_t i = 0; i < graphs.size(); ++i)
      expect_same_bits(download(outputs[i]), download(chain(inputs[i])), "chain");
  }
  EXPECT_LE(2 * taken[1], taken[0]);
}

// One that comes later and needs more has a block of its own; those before keep theirs.
TEST_P(RecordingLifetime, ALargerGraphOfTheNameTakesMore) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.arena = "slot";
  const Tensor small = ones(100, 2), large = ones(100000, 3);
  Tensor a, b;
  const auto twice = [](rondo_tensor* x) {
    return make(rondo_cumulative, RONDO_SUM, make(rondo_cumulative, RONDO_MAX, x, 0, 0), 0, 0);
  };
  Graph first_graph = record(
      engine(), [&] { a = twice(small); }, &options);
  const Graph second = record(
      engine(), [&] { b = twice(large); }, &options);
  for (int i = 0; i < 3; ++i) {
    must(rondo_graph_launch(first_graph.get()));
    must(rondo_graph_launch(second.get()));
  }
  expect_same_bits(download(a), download(twice(small)), "small");
  expect_same_bits(download(b), download(twice(large)), "large");
  first_graph.reset();
  must(rondo_graph_launch(second.get()));
  expect_same_bits(download(b), download(twice(large)), "large");
}

// The state of random numbers lies in the arena, where another graph has its temporaries.
TEST_P(RecordingLifetime, SharedArenaKeepsRandomNumbers) {
  const auto drawn = [&](const char* arena) {
    must(rondo_engine_seed(engine(), 3));
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.arena = arena;
    const int64_t size = 5000;
    Tensor sums[2];
    Graph graphs[2];
    for (int k = 0; k < 2; ++k)
      graphs[k] = record(
          engine(),
          [&] {
            const Tensor noise = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &size, 0.0, 1.0);
            sums[k] = make(rondo_cumulative, RONDO_SUM, noise, 0, k);
          },
          &options);
    std::vector<Array> bits;
    for (int i = 0; i < 5; ++i) {
      for (const int k : {0, 1, 1, 0}) must(rondo_graph_launch(graphs[k].get()));
      for (const Tensor& each : sums) bits.push_back(download(each));
    }
    return bits;
  };
  const std::vector<Array> apart = drawn(nullptr), shared = drawn("noise");
  for (size_t i = 0; i < apart.size(); ++i) expect_same_bits(apart[i], shared[i], "draw");
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

// A graph is not recorded again; another takes its place, and what users hold of the first one stays as it was left.
TEST_P(RecordingLifetime, AnotherIsRecordedInItsPlace) {
  const Tensor a = ones(1000, 3), state = ones(1000, 0);
  Tensor left;
  Graph graph = record(engine(), [&] {
    left = make(rondo_unary, RONDO_SQUARE, a);
    into(state, rondo_binary, RONDO_ADD, state, left);
  });
  for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
  graph.reset();
  graph = record(engine(), [&] { into(state, rondo_binary, RONDO_SUB, state, reduce(RONDO_SUM, a, {})); });
  expect_captured(graph.get());
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(left), 9);
  EXPECT_EQ(first(state), 27 - 3000);
}

// Workspaces of products and reductions go with their recording, also those of libraries.
TEST_P(RecordingLifetime, ManyProductsTakeTheMemoryOfAFew) {
  const Tensor a = up(random_array(RONDO_F32, {64, 96}, 1, -1, 1)), b = up(random_array(RONDO_F32, {96, 32}, 2, -1, 1));
  const auto held = [&] {
    must(rondo_engine_wait_all(engine()));
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info.in_use + info.cached;
  };
  const Array expected = download(reduce(RONDO_SUM, make(rondo_matmul, a, b, nullptr), {0}));
  int64_t after_a_few = 0;
  for (int i = 0; i < 100; ++i) {
    Tensor out;
    const Graph graph = record(engine(), [&] { out = reduce(RONDO_SUM, make(rondo_matmul, a, b, nullptr), {0}); });
    expect_captured(graph.get());
    must(rondo_graph_launch(graph.get()));
    if (i % 25 == 0) expect_same_bits(download(out), expected, "product");
    must(rondo_engine_wait_all(engine()));  // what is under way has its memory
    if (i == 4) after_a_few = held();
  }
  EXPECT_LE(held(), after_a_few);
}

// Memory of a branch's temporaries is not another branch's before they have joined, and anybody's then.
TEST_P(RecordingLifetime, BranchesShareMemoryAfterJoining) {
  constexpr int64_t kElements = 10000, kBlock = kElements * 4 + 512;
  for (const int32_t branches : {2, 4}) {
    const Tensor a = up(random_array(RONDO_F32, {kElements}, 1, 0, 1));
    const auto body = [&] {
      std::vector<Tensor> ends;
      for (int32_t k = 0; k < branches; ++k) {
        const Tensor begin = make(rondo_binary_scalar, RONDO_ADD, a, double(k));
        ends.push_back(make(rondo_cumulative, RONDO_MAX, make(rondo_cumulative, RONDO_SUM, begin, 0, k % 2), 0, 0));
      }
      std::vector<rondo_tensor*> list(ends.begin(), ends.end());
      Tensor value = make(rondo_add_n, branches, list.data());
      ends.clear();
      for (int k = 0; k < 6; ++k) value = make(rondo_cumulative, RONDO_MAX, value, 0, k % 2);
      return value;
    };
    const Array expected = download(body());
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;
    Tensor out;
    const Graph graph = record(
        engine(), [&] { out = body(); }, &options);
    expect_captured(graph.get());
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.branches, on_cuda() ? branches : 0) << graph_report(graph.get());
    EXPECT_GE(info.temporary_bytes, (3 * branches + 6) * kElements * 4);
    EXPECT_LE(info.arena_bytes, (2 * branches + 1) * kBlock);
    for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
    expect_same_bits(download(out), expected, "value");
  }
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
