// Small products that are alike, of which a recording makes one: results have the bits of eager calls. On the host they
// stay apart. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace conformance {
namespace {

class Stacked : public OnProgramsByPasses {
 protected:
  // Of this tensor's first axis, one.
  static Tensor part(rondo_tensor* of, int64_t i) {
    const rondo_tensor_info info = query(of);
    return reshape(slice(of, 0, i, i + 1), Shape(info.shape + 1, info.shape + info.ndim));
  }
  static Tensor product(rondo_tensor* a, rondo_tensor* b) { return make(rondo_matmul, a, b, nullptr); }
  void expect(const Graph& graph, int32_t on_cuda_tasks, int32_t on_host_tasks) const {
    expect_tasks(graph.get(), on_cuda() ? on_cuda_tasks : on_host_tasks);
  }
};
CONFORMANCE_ENGINE_SUITE(Stacked);

// Each head projects by its part of one weight.
TEST_P(Stacked, ProjectionsOfHeadsAreOneProduct) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64}) {
    const Graph graph = compare(
        {random_array(dtype, {24, 40}, 1, -1, 1), random_array(dtype, {7, 40, 16}, 2, -1, 1)},
        [](const auto& x) {
          std::vector<Tensor> heads;
          for (int64_t i = 0; i < 7; ++i) heads.push_back(make(rondo_unary, RONDO_TANH, product(x[0], part(x[1], i))));
          return heads;
        },
        std::string("heads of ") + rondo_dtype_name(dtype));
    expect(graph, 2, 14);  // and one of the operators behind them, by another pass
    if (on_cuda()) {
      const std::string report = graph_report(graph.get());
      EXPECT_TRUE(has_word(report, "pass stack: 14 nodes before, 8 after")) << report;
      EXPECT_TRUE(has_word(report, "one product of 0 'matmul', 2 'matmul', 4 'matmul', 6 'matmul' and 3 more"))
          << report;
    }
  }
}

// Queries, keys and values, each with leading axes and odd sizes, whose places in memory are filled up to 256 bytes.
TEST_P(Stacked, LeadingAxesAndOddSizes) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_BF16}) {
    const Graph graph = compare(
        {random_array(dtype, {2, 5, 12}, 1, -1, 1), random_array(dtype, {3, 12, 13}, 2, -1, 1)},
        [](const auto& x) {
          // Parts whose bytes 256 does not divide begin otherwise, and stay apart.
          std::vector<Tensor> results;
          for (int64_t i = 0; i < 3; ++i) results.push_back(make(rondo_unary, RONDO_NEG, product(x[0], part(x[1], i))));
          return results;
        },
        "odd parts");
    EXPECT_EQ(graph_info(graph.get()).tasks, on_cuda() ? 4 : 6) << graph_report(graph.get());
    const Graph even = compare(
        {random_array(dtype, {2, 5, 12}, 1, -1, 1), random_array(dtype, {3, 128, 12, 13}, 2, -1, 1)},
        [](const auto& x) {
          std::vector<Tensor> results;
          for (int64_t i = 0; i < 3; ++i)
            results.push_back(make(rondo_unary, RONDO_NEG, product(x[0], part(part(x[1], i), 5))));
          return results;
        },
        "even parts");
    EXPECT_EQ(graph_info(even.get()).tasks, on_cuda() ? 2 : 6) << graph_report(even.get());
  }
}

// Results that a caller's tensor has room for stay there; others of the same kind have no even spaces.
TEST_P(Stacked, PartsOfOneResult) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {4, 32, 8}, 1, -1, 1), random_array(RONDO_F32, {8, 16}, 2, -1, 1),
       random_array(RONDO_F32, {4, 32, 16}, 3, -1, 1)},
      [](const auto& x) {
        for (int64_t i = 0; i < 4; ++i) into(part(x[2], i), rondo_matmul, part(x[0], i), x[1], nullptr);
        return list();
      },
      "parts of a result");
  expect(graph, 1, 4);
  const Graph uneven = compare(
      {random_array(RONDO_F32, {7, 32, 8}, 1, -1, 1), random_array(RONDO_F32, {8, 16}, 2, -1, 1)},
      [](const auto& x) {
        std::vector<Tensor> results;
        for (const int64_t i : {0, 1, 3, 6})
          results.push_back(make(rondo_unary, RONDO_NEG, product(part(x[0], i), x[1])));
        return results;
      },
      "no even spaces");
  EXPECT_EQ(graph_info(uneven.get()).tasks, on_cuda() ? 3 : 8) << graph_report(uneven.get());
}

// What reads stacked results, evenly spaced now, is stacked as well.
TEST_P(Stacked, ScoresOfStackedHeads) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {32, 24}, 1, -1, 1), random_array(RONDO_F32, {2, 3, 24, 16}, 2, -1, 1)},
      [](const auto& x) {
        rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
        options.transpose_b = 1;
        std::vector<Tensor> scores;
        for (int64_t i = 0; i < 3; ++i) {
          const Tensor q = product(x[0], part(part(x[1], 0), i)), k = product(x[0], part(part(x[1], 1), i));
          scores.push_back(make(rondo_unary, RONDO_EXP, make(rondo_matmul, q, k, &options)));
        }
        return scores;
      },
      "scores");
  expect(graph, 4, 12);
}

TEST_P(Stacked, WhatFollowsDiffersOrIsLargeStaysApart) {
  const Graph chain = compare(
      {random_array(RONDO_F32, {16, 16}, 1, -1, 1), random_array(RONDO_F32, {3, 16, 16}, 2, -1, 1)},
      [](const auto& x) {
        Tensor last = product(x[0], part(x[1], 0));
        for (int64_t i = 1; i < 3; ++i) last = product(last, part(x[1], i));
        return list(std::move(last));
      },
      "a chain");
  expect(chain, 3, 3);
  const Graph shapes = compare(
      {random_array(RONDO_F32, {16, 16}, 1, -1, 1), random_array(RONDO_F32, {3, 16, 16}, 2, -1, 1)},
      [](const auto& x) {
        Tensor one = make(rondo_unary, RONDO_NEG, product(x[0], part(x[1], 0)));
        Tensor half = make(rondo_unary, RONDO_NEG, product(x[0], slice(part(x[1], 1), 1, 0, 8)));
        return list(std::move(one), std::move(half));
      },
      "other shapes");
  EXPECT_EQ(graph_info(shapes.get()).tasks, on_cuda() ? 3 : 4) << graph_report(shapes.get());
  const Graph large = compare(
      {random_array(RONDO_F32, {1024, 4}, 1, -1, 1), random_array(RONDO_F32, {2, 4, 1024}, 2, -1, 1)},
      [](const auto& x) {
        Tensor one = reduce(RONDO_SUM, product(x[0], part(x[1], 0)), {0, 1});
        Tensor two = reduce(RONDO_SUM, product(x[0], part(x[1], 1)), {0, 1});
        return list(std::move(one), std::move(two));
      },
      "large");
  EXPECT_EQ(graph_info(large.get()).tasks, 4) << graph_report(large.get());
}

// A result that is written twice, or that stays, is where it was.
TEST_P(Stacked, ResultsThatAreMoreThanTemporariesStayWhereTheyAre) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {16, 16}, 1, -1, 1), random_array(RONDO_F32, {2, 16, 16}, 2, -1, 1)},
      [](const auto& x) {
        std::vector<Tensor> results;
        for (int64_t i = 0; i < 2; ++i) results.push_back(product(x[0], part(x[1], i)));
        return results;
      },
      "outputs");
  expect(graph, 2, 2);
  const Graph twice = compare(
      {random_array(RONDO_F32, {16, 16}, 1, -1, 1), random_array(RONDO_F32, {2, 16, 16}, 2, -1, 1)},
      [](const auto& x) {
        std::vector<Tensor> results;
        for (int64_t i = 0; i < 2; ++i) {
          const Tensor made = product(x[0], part(x[1], i));
          into(slice(made, 0, 0, 3), rondo_unary, RONDO_EXP, slice(x[0], 0, i, i + 3));
          results.push_back(make(rondo_cumulative, RONDO_MAX, made, 0, 0));
        }
        return results;
      },
      "written twice");
  EXPECT_GE(graph_info(twice.get()).tasks, on_cuda() ? 5 : 6) << graph_report(twice.get());
}

}  // namespace
}  // namespace conformance
