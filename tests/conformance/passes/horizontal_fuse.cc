// Small elementwise operators that a recording makes one launch of: results have the bits of eager calls. On the host
// they stay apart. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace conformance {
namespace {

class Horizontal : public OnProgramsByPasses {
 protected:
  // Parameters and their gradients, of sizes and alignments of all kinds.
  static std::vector<Array> parameters(int count, rondo_dtype dtype = RONDO_F32) {
    std::vector<Array> arrays;
    for (int i = 0; i < 2 * count; ++i)
      arrays.push_back(random_array(dtype, {1 + (i / 2) * 37 % 301, 1 + i / 2 % 3}, static_cast<uint32_t>(i), -1, 1));
    return arrays;
  }
  static void descend(rondo_tensor* parameter, rondo_tensor* gradient, double rate) {
    into(parameter, rondo_binary, RONDO_SUB, parameter, make(rondo_binary_scalar, RONDO_MUL, gradient, rate));
  }
  void expect(const Graph& graph, int32_t on_cuda_tasks, int32_t on_host_tasks) const {
    expect_tasks(graph.get(), on_cuda() ? on_cuda_tasks : on_host_tasks);
  }
};
CONFORMANCE_ENGINE_SUITE(Horizontal);

TEST_P(Horizontal, UpdatesOfManyParametersAreOneLaunch) {
  const Graph graph = compare(
      parameters(40),
      [](const auto& x) {
        for (size_t i = 0; i < x.size(); i += 2) descend(x[i], x[i + 1], 0.125);
        return list();
      },
      "updates");
  expect(graph, 1, 40);
  if (!on_cuda()) return;
  const std::string report = graph_report(graph.get());
  EXPECT_TRUE(has_word(report, "pass horizontal_fuse: 40 nodes before, 1 after")) << report;
  EXPECT_TRUE(has_word(report, "one launch of 0 'mul+sub', 1 'mul+sub'")) << report;
}

// 4096 bytes of arguments are 127 updates of three addresses and a length, beside the scalar.
TEST_P(Horizontal, WhatArgumentsDoNotHoldIsAnotherLaunch) {
  const Graph graph = compare(
      parameters(250),
      [](const auto& x) {
        for (size_t i = 0; i < x.size(); i += 2) descend(x[i], x[i + 1], 0.125);
        return list();
      },
      "many updates");
  expect(graph, 2, 250);
}

TEST_P(Horizontal, OtherScalarsDtypesOrOperatorsStayApart) {
  const Graph graph = compare(
      parameters(4),
      [](const auto& x) {
        descend(x[0], x[1], 0.125);
        descend(x[2], x[3], 0.25);
        into(x[4], rondo_unary, RONDO_NEG, x[5]);
        Tensor half = make(rondo_unary, RONDO_NEG, make(rondo_cast, x[6], RONDO_F16));
        return list(std::move(half));
      },
      "apart");
  EXPECT_EQ(graph_info(graph.get()).tasks, on_cuda() ? 4 : 5) << graph_report(graph.get());
}

// A chain that fusing is cut in by something else: each follows the one before.
TEST_P(Horizontal, WhatFollowsAnotherStaysApart) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {40}, 1, -1, 1)},
      [](const auto& x) {
        Tensor last = make(rondo_unary, RONDO_EXP, x[0]);
        for (int i = 0; i < 3; ++i) last = make(rondo_unary, RONDO_EXP, make(rondo_cumulative, RONDO_MIN, last, 0, 0));
        return list(std::move(last));
      },
      "a chain");
  expect(graph, 7, 7);
}

// Two ways of different lengths: what comes early in the longer one does not wait for what comes late in the other.
TEST_P(Horizontal, TheLongestWayDoesNotGetLonger) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {40}, 1, -1, 1), random_array(RONDO_F32, {40}, 2, -1, 1)},
      [](const auto& x) {
        const auto cumulate = [](rondo_tensor* of) { return make(rondo_cumulative, RONDO_MAX, of, 0, 0); };
        Tensor late = cumulate(make(rondo_unary, RONDO_NEG, cumulate(cumulate(x[0]))));
        Tensor early = cumulate(cumulate(cumulate(make(rondo_unary, RONDO_NEG, x[1]))));
        return list(std::move(late), std::move(early));
      },
      "two ways");
  expect(graph, 8, 8);
}

// Where it cannot be said which way is longer they share a launch.
TEST_P(Horizontal, BranchesOfOneLengthShareTheirLaunches) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {40}, 1, -1, 1), random_array(RONDO_F32, {56}, 2, -1, 1)},
      [](const auto& x) {
        std::vector<Tensor> results;
        for (const Tensor& each : x)
          results.push_back(make(rondo_cumulative, RONDO_MAX, make(rondo_unary, RONDO_NEG, each), 0, 0));
        return results;
      },
      "branches");
  expect(graph, 3, 4);
}

TEST_P(Horizontal, LargeOnesAreLaunchedAlone) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {600000}, 1, -1, 1), random_array(RONDO_F32, {600000}, 2, -1, 1)},
      [](const auto& x) {
        Tensor a = make(rondo_unary, RONDO_NEG, x[0]), b = make(rondo_unary, RONDO_NEG, x[1]);
        return list(std::move(a), std::move(b));
      },
      "large");
  expect(graph, 2, 2);
}

// Halves of one tensor do not touch each other; the whole does.
TEST_P(Horizontal, PartsThatOverlapAreNotWrittenTogether) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {80}, 1, -1, 1), random_array(RONDO_F32, {80}, 2, -1, 1)},
      [](const auto& x) {
        // Something longer beside them, so that they could run in any step.
        Tensor last = make(rondo_cumulative, RONDO_MAX, x[1], 0, 0);
        for (int i = 0; i < 4; ++i) last = make(rondo_cumulative, RONDO_MAX, last, 0, 0);
        const Tensor low = slice(x[0], 0, 0, 40), high = slice(x[0], 0, 40, 80), middle = slice(x[0], 0, 20, 60);
        into(low, rondo_unary, RONDO_EXP, low);
        into(high, rondo_unary, RONDO_EXP, high);
        into(middle, rondo_unary, RONDO_EXP, middle);
        return list(std::move(last));
      },
      "parts");
  expect(graph, 7, 8);
}

}  // namespace
}  // namespace conformance
