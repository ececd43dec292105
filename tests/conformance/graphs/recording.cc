// Recording and replay: what a graph computes, launch after launch, and what it tells about itself. Copyright 2026 the
// Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "graphs/recording.h"

namespace conformance {
namespace {

class Recording : public OnRecording {};
CONFORMANCE_ENGINE_SUITE(Recording);

TEST_P(Recording, RecordsWithoutRunning) {
  const Tensor a = ones(100), counter = ones(100, 0);
  Tensor out;
  Graph graph = record(engine(), [&] {
    into(counter, rondo_binary_scalar, RONDO_ADD, counter, 1.0);
    out = make(rondo_binary, RONDO_ADD, a, counter);
  });
  expect_captured(graph.get());
  EXPECT_EQ(first(counter), 0) << "recording or preparing ran a task on the user's tensor";
  for (int i = 1; i <= 3; ++i) {
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(out), 1 + i);
  }
  EXPECT_EQ(first(counter), 3);
}

TEST_P(Recording, InputsAreReadAtTheLaunch) {
  const Tensor a = ones(1000);
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_binary_scalar, RONDO_MUL, a, 10.0); });
  std::vector<Tensor> copies;
  for (int i = 1; i <= 5; ++i) {
    must(rondo_fill(a, i));  // eager work before and after, with no wait in between
    must(rondo_graph_launch(graph.get()));
    copies.push_back(make(rondo_copy, out));
  }
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(first(copies[i]), Real(10 * (i + 1)));
}

// A training loop: parameters and momentum updated in place, dropout, gradients; the replayed one has the bits of the
// eager one.
TEST_P(Recording, TrainingLoopHasTheSameBits) {
  const Array x = random_array(RONDO_F32, {16, 12}, 1, -1, 1), labels = random_array(RONDO_I64, {16}, 2, 0, 4);
  struct Model {
    Tensor w, b, momentum, input, labels;
  };
  const auto model = [&] {
    return Model{up(random_array(RONDO_F32, {12, 5}, 3, -1, 1)), up(full(RONDO_F32, {5}, 0)),
                 up(full(RONDO_F32, {12, 5}, 0)), up(x), up(labels)};
  };
  const auto step = [&](const Model& m, Tensor* loss) {
    Tensor dropped, mask;
    must(rondo_dropout(m.input, 0.25, dropped.slot(), mask.slot()));
    rondo_matmul_options forward = RONDO_MATMUL_OPTIONS_INIT;
    forward.bias = m.b;
    const Tensor logits = make(rondo_matmul, dropped, m.w, &forward);
    const Tensor mean = reduce(RONDO_MEAN, make(rondo_cross_entropy, logits, m.labels), {});
    if (*loss) {
      into(*loss, rondo_copy, mean);
    } else {
      *loss = make(rondo_copy, mean);
    }
    const Tensor slope = make(rondo_cross_entropy_grad, logits, m.labels, 1.0 / 16);
    rondo_matmul_options backward = RONDO_MATMUL_OPTIONS_INIT;
    backward.transpose_a = 1;
    const Tensor dw = make(rondo_matmul, dropped, slope, &backward);
    into(m.momentum, rondo_binary_scalar, RONDO_MUL, m.momentum, 0.9);
    into(make(rondo_tensor_accumulator, m.momentum), rondo_unary, RONDO_NEG, dw);
    into(m.w, rondo_binary, RONDO_ADD, m.w, make(rondo_binary_scalar, RONDO_MUL, m.momentum, 0.1));
    into(make(rondo_tensor_accumulator, m.b), rondo_binary_scalar, RONDO_MUL, reduce(RONDO_SUM, slope, {0}), -0.1);
  };
  must(rondo_engine_seed(engine(), 42));
  const Model eager = model();
  Tensor eager_loss;
  for (int i = 0; i < 12; ++i) step(eager, &eager_loss);

  must(rondo_engine_seed(engine(), 42));
  const Model replayed = model();
  Tensor loss;
  step(replayed, &loss), step(replayed, &loss);
  Graph graph = record(engine(), [&] { step(replayed, &loss); });
  expect_captured(graph.get());
  for (int i = 0; i < 10; ++i) must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(replayed.w), download(eager.w), "weights");
  expect_same_bits(download(replayed.b), download(eager.b), "bias");
  expect_same_bits(download(replayed.momentum), download(eager.momentum), "momentum");
  expect_same_bits(download(loss), download(eager_loss), "loss");
}

TEST_P(Recording, TwoGraphsAlternately) {
  const Tensor state = ones(1000, 1);
  Graph doubled = record(engine(), [&] { into(state, rondo_binary_scalar, RONDO_MUL, state, 2.0); });
  Graph increased = record(engine(), [&] { into(state, rondo_binary_scalar, RONDO_ADD, state, 1.0); });
  Real expected = 1;
  for (int i = 0; i < 10; ++i) {
    must(rondo_graph_launch(doubled.get()));
    must(rondo_graph_launch(increased.get()));
    into(state, rondo_binary_scalar, RONDO_SUB, state, 0.5);
    expected = expected * 2 + 0.5L;
  }
  EXPECT_EQ(first(state), expected);
  EXPECT_EQ(graph_info(doubled.get()).launches, 10);
}

// One graph's output is the next one's input, and the arena of neither disturbs the other.
TEST_P(Recording, ChainedGraphs) {
  const Tensor a = ones(5000, 2);
  Tensor middle, out;
  Graph produce =
      record(engine(), [&] { middle = make(rondo_unary, RONDO_SQUARE, make(rondo_binary_scalar, RONDO_ADD, a, 1.0)); });
  Graph consume = record(
      engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, make(rondo_binary_scalar, RONDO_ADD, middle, 1.0)); });
  for (int i = 0; i < 3; ++i) {
    must(rondo_graph_launch(produce.get()));
    must(rondo_graph_launch(consume.get()));
  }
  EXPECT_EQ(first(out), 100);
}

TEST_P(Recording, FromHostInsideIsAnInput) {
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, ones(10, 6)); });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -6);
}

TEST_P(Recording, OnlyViews) {
  const Tensor a = ones(12);
  Tensor view;
  Graph graph = record(engine(), [&] { view = transpose(reshape(a, {3, 4}), {1, 0}); });
  EXPECT_EQ(graph_info(graph.get()).tasks, 0);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(query(view).shape[0], 4);
  EXPECT_EQ(first(view), 1);
}

// Only a view of what was made inside is kept: its storage is the output.
TEST_P(Recording, ViewsAsOutputs) {
  const Array x = range(RONDO_F32, {6, 7});
  const Tensor a = up(x);
  Tensor view;
  Graph graph = record(engine(), [&] { view = slice(transpose(make(rondo_unary, RONDO_NEG, a), {1, 0}), 0, 1, 7, 2); });
  must(rondo_graph_launch(graph.get()));
  Array expected = host_slice(host_transpose(x, {1, 0}), 0, 1, 3, 2);
  for (size_t i = 0; i < expected.size(); ++i) expected.set(i, -expected[i]);
  expect_same_bits(download(view), expected, "view");
}

TEST_P(Recording, ViewsAsInputs) {
  const Array x = range(RONDO_F32, {6, 7});
  Tensor a = up(x), view = slice(a, 1, 1, 6, 2), out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, view); });
  a.reset(), view.reset();
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -1);
}

TEST_P(Recording, Empty) {
  Graph graph = record(engine(), [] {});
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 0);
  EXPECT_EQ(info.nodes, 0);
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(graph_info(graph.get()).launches, 2);
  EXPECT_FALSE(graph_report(graph.get()).empty());
}

TEST_P(Recording, LongGraph) {
  const Tensor a = ones(64, 0);
  Tensor out;
  const int n = quick() ? 300 : 1000;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;  // else it would be a short one
  Graph graph = record(
      engine(),
      [&] {
        out = make(rondo_copy, a);
        for (int i = 0; i < n; ++i) into(out, rondo_binary_scalar, RONDO_ADD, out, 1.0);
      },
      &options);
  expect_captured(graph.get());
  EXPECT_EQ(graph_info(graph.get()).tasks, n + 1);
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), n);
}

TEST_P(Recording, Branches) {
  const Tensor a = ones(1000);
  Tensor left, right, line;
  Graph two = record(engine(), [&] {
    left = reduce(RONDO_SUM, make(rondo_matmul, reshape(a, {10, 100}), reshape(a, {100, 10}), nullptr), {0});
    right = reduce(RONDO_MAX, make(rondo_matmul, reshape(a, {20, 50}), reshape(a, {50, 20}), nullptr), {0});
  });
  Graph one = record(engine(), [&] {
    const Tensor product = make(rondo_matmul, reshape(a, {10, 100}), reshape(a, {100, 10}), nullptr);
    line = reduce(RONDO_SUM, product, {0});
  });
  expect_captured(two.get());
  expect_captured(one.get());
  EXPECT_EQ(graph_info(two.get()).branches, on_cuda() ? 2 : 0) << graph_report(two.get());
  EXPECT_EQ(graph_info(one.get()).branches, on_cuda() ? 1 : 0) << graph_report(one.get());
  must(rondo_graph_launch(two.get()));
  must(rondo_graph_launch(one.get()));
  EXPECT_EQ(first(left), 1000);
  EXPECT_EQ(first(right), 50);
  EXPECT_EQ(first(line), 1000);
}

TEST_P(Recording, SmallTaskJoinedAtOnceHasNoBranch) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  const auto diamonds = [](const Tensor& x) {
    Tensor at = make(rondo_binary_scalar, RONDO_MUL, x, 0.5);
    for (int i = 0; i < 5; ++i) {
      const Tensor left = make(rondo_unary, RONDO_TANH, at), right = make(rondo_binary_scalar, RONDO_ADD, at, 1.5);
      at = make(rondo_binary, RONDO_MUL, left, right);
    }
    return at;
  };
  for (const char* const how : {"cost", "all"})
    for (const int64_t elements : {1000, 100000}) {
      const Setting branches("RONDO_GRAPH_BRANCHES", how);
      const Tensor x = up(random_array(RONDO_F32, {elements}, 3, -1, 1));
      Tensor out;
      const Graph graph = record(
          engine(), [&] { out = diamonds(x); }, &options);
      const rondo_graph_info info = graph_info(graph.get());
      const int forked = elements > 1000 || std::string(how) == "all" ? 2 : 1;
      EXPECT_EQ(info.branches, on_cuda() ? forked : 0) << graph_report(graph.get());
      EXPECT_EQ(info.nodes, on_cuda() ? 16 : 0) << graph_report(graph.get());
      for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
      expect_same_bits(download(out), download(diamonds(x)), how);
    }
}

TEST_P(Recording, WideGraphs) {
  const Tensor a = ones(257);
  std::vector<Tensor> outs;
  rondo_record_options narrow = RONDO_RECORD_OPTIONS_INIT;
  narrow.max_branches = 3;
  Graph graph = record(
      engine(),
      [&] {
        const Tensor start = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
        for (int i = 0; i < 20; ++i)
          outs.push_back(reduce(RONDO_SUM, make(rondo_binary_scalar, RONDO_MUL, start, double(i)), {}));
        Tensor sum = make(rondo_copy, outs[0]);
        for (size_t i = 1; i < outs.size(); ++i) into(sum, rondo_binary, RONDO_ADD, sum, outs[i]);
        outs.push_back(std::move(sum));
      },
      &narrow);
  expect_captured(graph.get());
  const rondo_graph_info info = graph_info(graph.get());
  if (on_cuda()) {
    EXPECT_GE(info.branches, 2) << graph_report(graph.get());
    EXPECT_LE(info.branches, 3) << graph_report(graph.get());
    EXPECT_GE(info.edges, info.nodes - 1);
  }
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(first(outs[i]), Real(514 * i));
  EXPECT_EQ(first(outs[20]), 514 * 190);
}

TEST_P(Recording, ReportAndDot) {
  const Tensor a = ones(100);
  Tensor out;
  rondo_record_options named = RONDO_RECORD_OPTIONS_INIT;
  named.name = "the name of the graph";
  Graph graph = record(
      engine(), [&] { out = make(rondo_cumulative, RONDO_SUM, make(rondo_unary, RONDO_EXP, a), 0, 0); }, &named);
  must(rondo_graph_launch(graph.get()));
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 2);
  EXPECT_GT(info.record_ms, 0);
  EXPECT_GE(info.prepare_ms, 0);
  EXPECT_GE(info.capture_ms, 0);
  const std::string report = graph_report(graph.get());
  EXPECT_NE(report.find(named.name), std::string::npos) << report;
  EXPECT_EQ(report.back(), '\n');

  size_t length = 0;
  char small[8];
  std::fill(std::begin(small), std::end(small), 'x');
  must(rondo_graph_report(graph.get(), small, 5, &length));
  EXPECT_GE(length, 8u);
  EXPECT_EQ(small[4], '\0') << "cut off, with the final zero";
  EXPECT_EQ(small[5], 'x') << "nothing beyond the capacity";

  char path[] = "/tmp/rondo-test-XXXXXX";
  close(mkstemp(path));
  must(rondo_graph_dot(graph.get(), path));
  std::ifstream stream(path);
  const std::string dot((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::remove(path);
  EXPECT_NE(dot.find("digraph"), std::string::npos) << dot;
  EXPECT_NE(dot.find("->"), std::string::npos) << "no data flow in: " << dot;
  EXPECT_NE(dot.find("exp"), std::string::npos) << dot;
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
  EXPECT_EQ(rondo_graph_dot(graph.get(), "/dev/null/nonexistent/graph.dot"), RONDO_IO_ERROR);
}

}  // namespace
}  // namespace conformance
