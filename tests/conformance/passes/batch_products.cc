// Small products that are alike, of which a recording makes one: results have the bits of eager calls. On the host they
// stay apart. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <random>

#include "control/control.h"
#include "passes/passes.h"

namespace conformance {
namespace {

class Batched : public OnProgramsByPasses {
 protected:
  // Of this tensor's first axis, one.
  static Tensor part(rondo_tensor* of, int64_t i) {
    const rondo_tensor_info info = query(of);
    return reshape(slice(of, 0, i, i + 1), Shape(info.shape + 1, info.shape + info.ndim));
  }
  static Tensor product(rondo_tensor* a, rondo_tensor* b) { return make(rondo_matmul, a, b, nullptr); }
  // A library may have an algorithm for one product that does not do several; then they stay apart.
  bool may_stay_apart(const Graph& graph) const {
    if (!on_cuda() || graph_report(graph.get()).find("one product of") != std::string::npos) return false;
    int32_t library = 0;
    must(rondo_feature("cublaslt", &library, nullptr));
    return library != 0;
  }
  void expect_count(const Graph& graph, int32_t on_cuda_tasks, int32_t on_host_tasks) const {
    if (may_stay_apart(graph)) return;
    EXPECT_EQ(graph_info(graph.get()).tasks, on_cuda() ? on_cuda_tasks : on_host_tasks) << graph_report(graph.get());
  }
  void expect(const Graph& graph, int32_t on_cuda_tasks, int32_t on_host_tasks) const {
    if (!may_stay_apart(graph)) expect_tasks(graph.get(), on_cuda() ? on_cuda_tasks : on_host_tasks);
  }
};
CONFORMANCE_ENGINE_SUITE(Batched);

// Each head projects by its part of one weight.
TEST_P(Batched, ProjectionsOfHeadsAreOneProduct) {
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
    if (on_cuda() && !may_stay_apart(graph)) {
      const std::string report = graph_report(graph.get());
      EXPECT_TRUE(has_word(report, "pass batch_products: 14 nodes before, 8 after")) << report;
      EXPECT_TRUE(has_word(report, "one product of 0 'matmul', 2 'matmul', 4 'matmul', 6 'matmul' and 3 more"))
          << report;
    }
  }
}

// Many of 16 bits that tensor cores take: all of them add up in the order in which each alone does.
TEST_P(Batched, ManyByTensorCoresAddUpAsEachAlone) {
  const Graph graph = compare(
      {random_array(RONDO_F16, {64, 256}, 1, -1, 1), random_array(RONDO_F16, {36, 64, 256}, 2, -1, 1)},
      [](const auto& x) {
        std::vector<Tensor> heads;
        for (int64_t i = 0; i < 36; ++i)
          heads.push_back(make(rondo_unary, RONDO_TANH, product(x[0], transpose(part(x[1], i), {1, 0}))));
        return heads;
      },
      "many products of 16 bits");
  expect_count(graph, 2, 72);
}

// Queries, keys and values, each with leading axes and odd sizes, whose places in memory are filled up to 256 bytes.
TEST_P(Batched, LeadingAxesAndOddSizes) {
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
    expect_count(even, 2, 6);
  }
}

// Results that a caller's tensor has room for stay there; others of the same kind have no even spaces.
TEST_P(Batched, PartsOfOneResult) {
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
  expect_count(uneven, 3, 8);
}

// What reads stacked results, evenly spaced now, is stacked as well.
TEST_P(Batched, ScoresOfStackedHeads) {
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

TEST_P(Batched, WhatFollowsDiffersOrIsLargeStaysApart) {
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

// What stays after the launch is where it was; what is written once more moves with all that is done to it.
TEST_P(Batched, OutputsStayWhereTheyAre) {
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
  expect_count(twice, 4, 6);
}

// A body of control flow reads one of the results; its task is not made again for other memory.
TEST_P(Batched, WhatControlFlowReadsStaysWhereItIs) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {16, 16}, 1, -1, 1), random_array(RONDO_F32, {2, 16, 16}, 2, -1, 1),
       full(RONDO_F32, {16, 16}, 0)},
      [this](const auto& x) {
        const Tensor one = product(x[0], part(x[1], 0)), two = product(x[0], part(x[1], 1));
        Issue body = [&] { into(x[2], rondo_binary, RONDO_SUB, one, two); };
        must(rondo_if(engine(), up(full(RONDO_BOOL, {}, 1)), call_issue, nullptr, &body));
        return list(make(rondo_unary, RONDO_NEG, one));
      },
      "a body");
  EXPECT_EQ(graph_report(graph.get()).find("one product of"), std::string::npos) << graph_report(graph.get());
}

// A library chooses for all of them then, and no bits are promised.
TEST_P(Batched, WithFewerRoundingsAllIsStacked) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_FEWER_ROUNDINGS;
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64}) {
    const Tensor x = up(random_array(dtype, {24, 40}, 1, -1, 1)), w = up(random_array(dtype, {7, 40, 16}, 2, -1, 1));
    std::vector<Tensor> results;
    const auto body = [&] {
      for (int64_t i = 0; i < 7; ++i) results.push_back(make(rondo_unary, RONDO_NEG, product(x, part(w, i))));
    };
    body();
    const Graph graph = record(engine(), body, &options);
    must(rondo_graph_launch(graph.get()));
    expect_tasks(graph.get(), on_cuda() ? 2 : 14);
    for (size_t i = 0; i < 7; ++i) {
      const Array eager = download(results[i]), recorded = download(results[7 + i]);
      for (size_t at = 0; at < eager.size(); ++at)
        EXPECT_NEAR(static_cast<double>(recorded[at]), static_cast<double>(eager[at]),
                    dtype == RONDO_F16 ? 4e-3 : 1e-5);
    }
  }
}

// Sizes, dtypes, transposed operands, biases and activations; parts of weights one behind the other or in between each
// other; one left operand or one for each; results of their own or parts of one.
TEST_P(Batched, ProductsByChanceHaveTheBitsOfEagerCalls) {
  const char* const asked = std::getenv("RONDO_TEST_PROGRAMS");
  const auto count = static_cast<uint32_t>(asked ? std::atoi(asked) : sparing() ? 4 : quick() ? 20 : 60);
  const uint32_t first = (asked || sparing()) && share() > 0 ? 100000 * static_cast<uint32_t>(share()) : 0;
  int stacks = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    std::mt19937 random(seed);
    const auto one_of = [&](std::initializer_list<int64_t> values) { return values.begin()[random() % values.size()]; };
    const auto dtype = static_cast<rondo_dtype>(one_of({RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64}));
    const int64_t m = one_of({1, 5, 16, 33, 64, 128}), n = one_of({1, 8, 24, 64, 65}), k = one_of({1, 8, 32, 96, 100}),
                  products = one_of({2, 3, 4, 7}), room = one_of({0, 0, 128});
    const bool shares_a = random() % 2, within = random() % 2, has_bias = random() % 3 == 0, parts = random() % 2;
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.transpose_a = random() % 2;
    options.transpose_b = random() % 2;
    options.activation = random() % 3 == 0 ? RONDO_ACTIVATION_RELU : RONDO_ACTIVATION_NONE;
    const Shape a = options.transpose_a ? Shape{k, m} : Shape{m, k},
                b = options.transpose_b ? Shape{n, k} : Shape{k, n};
    const auto many = [&](const Shape& one) {
      return within ? Shape{one[0], products, one[1] + room} : Shape{products, one[0], one[1] + room};
    };
    const auto part_of = [&](rondo_tensor* of, int64_t i, const Shape& one) {
      const int32_t axis = within ? 1 : 0;
      return reshape(slice(slice(of, axis, i, i + 1), 2, 0, one[1]), one);
    };
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Graph graph = compare(
        {random_array(dtype, shares_a ? a : many(a), seed, -1, 1), random_array(dtype, many(b), seed + 1, -1, 1),
         random_array(dtype, {n}, seed + 2, -1, 1), random_array(dtype, {products, m, n}, seed + 3, -1, 1)},
        [&](const auto& x) {
          options.bias = has_bias ? static_cast<rondo_tensor*>(x[2]) : nullptr;
          std::vector<Tensor> results;
          for (int64_t i = 0; i < products; ++i) {
            const Tensor left = shares_a ? reshape(x[0], a) : part_of(x[0], i, a), right = part_of(x[1], i, b);
            if (parts)
              into(part(x[3], i), rondo_matmul, left, right, &options);
            else
              results.push_back(make(rondo_unary, RONDO_NEG, make(rondo_matmul, left, right, &options)));
          }
          return results;
        },
        "products");
    stacks += graph_report(graph.get()).find("one product of") != std::string::npos;
    if (HasFailure()) {
      ADD_FAILURE() << graph_report(graph.get());
      return;
    }
  }
  RecordProperty("stacks", stacks);
  std::printf("  %d of %u by chance were stacked\n", stacks, count);
  EXPECT_EQ(stacks > 0, on_cuda());
}

}  // namespace
}  // namespace conformance
