// Recordings that want fewer roundings: normalisations and attention that are written as their parts are one task, with
// the bits of the operator. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "passes/passes.h"

namespace conformance {
namespace {

class Patterns : public WithFewerRoundings {
 protected:
  static Tensor mean(rondo_tensor* x, int32_t axis, bool keep = true) {
    return make(rondo_reduce, RONDO_MEAN, x, 1, &axis, keep ? 1 : 0);
  }
  static Tensor scaled(rondo_binary_op op, rondo_tensor* x, double by) { return make(rondo_binary_scalar, op, x, by); }
  static Tensor of(rondo_binary_op op, rondo_tensor* a, rondo_tensor* b) { return make(rondo_binary, op, a, b); }
  static Tensor squared(rondo_tensor* x, int way) {
    if (way == 0) return make(rondo_unary, RONDO_SQUARE, x);
    return way == 1 ? of(RONDO_MUL, x, x) : scaled(RONDO_POW, x, 2);
  }
  static Tensor over_root(rondo_tensor* a, rondo_tensor* variance, double epsilon, int way) {
    const Tensor shifted = scaled(RONDO_ADD, variance, epsilon);
    if (way == 0) return of(RONDO_MUL, a, make(rondo_unary, RONDO_RSQRT, shifted));
    const Tensor root = make(rondo_unary, RONDO_SQRT, shifted);
    if (way == 1) return of(RONDO_DIV, a, root);
    return of(RONDO_MUL, make(rondo_unary, RONDO_RECIPROCAL, root), a);
  }
  // A tensor that there may be.
  static rondo_tensor* given(const std::vector<Tensor>& x, size_t i) {
    return i < x.size() ? static_cast<rondo_tensor*>(x[i]) : nullptr;
  }
  struct Ways {
    int square, root, centre;
  };
  static constexpr double kEpsilon = 1e-5;
  static Tensor layer_norm_by_parts(const std::vector<Tensor>& x, const Ways& ways) {
    const Tensor centred = of(RONDO_SUB, x[0], mean(x[0], -1));
    Tensor y;
    if (ways.centre == 0) {
      y = over_root(centred, mean(squared(centred, ways.square), -1), kEpsilon, ways.root);
    } else if (ways.centre == 1) {  // the mean twice
      const Tensor again = of(RONDO_SUB, x[0], mean(x[0], -1));
      y = over_root(centred, mean(squared(again, ways.square), -1), kEpsilon, ways.root);
    } else {
      const int32_t axis = -1;
      y = over_root(centred, make(rondo_reduce, RONDO_VAR, x[0], 1, &axis, 1), kEpsilon, ways.root);
    }
    if (x.size() > 1) y = of(RONDO_MUL, y, x[1]);
    return x.size() > 2 ? of(RONDO_ADD, x[2], y) : std::move(y);
  }
  static std::vector<Array> normalised(rondo_dtype dtype, const Shape& shape, size_t count) {
    std::vector<Array> arrays = {random_array(dtype, shape, 3, -2, 5)};
    for (size_t i = 1; i < count; ++i)
      arrays.push_back(random_array(dtype, {shape.back()}, static_cast<uint32_t>(3 + i), -2, 2));
    return arrays;
  }
  void expect_found(const Graph& graph, const char* name) const {
    const std::string report = graph_report(graph.get());
    EXPECT_NE(report.find("pass patterns: "), std::string::npos) << report;
    EXPECT_NE(report.find(std::string("'") + name + "': "), std::string::npos) << report;
  }
  // A body of which no pattern makes an operator.
  void expect_left(const std::vector<Array>& arrays, const Program& body, const std::string& label) const {
    const Graph graph = compare_nearly(arrays, body, 1e-5L, label);
    const std::string report = graph_report(graph.get());
    EXPECT_EQ(report.find("'layer_norm': "), std::string::npos) << label << report;
    EXPECT_EQ(report.find("'attention': "), std::string::npos) << label << report;
  }
};
CONFORMANCE_ENGINE_SUITE(Patterns);

TEST_P(Patterns, LayerNormByPartsHasItsBits) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64})
    for (const Shape& shape : {Shape{5, 33}, Shape{2, 3, 64}, Shape{700}})
      for (const size_t count : {1, 2, 3})
        for (const Ways& ways : {Ways{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {0, 1, 1}, {1, 0, 1}, {0, 2, 2}}) {
          if (quick() && (dtype == RONDO_BF16 || shape.size() != 2 || (ways.square + ways.root + ways.centre) % 2 == 1))
            continue;
          const std::string label = std::string(rondo_dtype_name(dtype)) + " with " + std::to_string(count) + " ways " +
                                    std::to_string(ways.square) + std::to_string(ways.root) +
                                    std::to_string(ways.centre);
          const Graph graph = compare_with(
              normalised(dtype, shape, count), [&](const auto& x) { return list(layer_norm_by_parts(x, ways)); },
              [&](const auto& x) { return list(make(rondo_layer_norm, x[0], -1, given(x, 1), given(x, 2), kEpsilon)); },
              label, 1);
          expect_found(graph, "layer_norm");
        }
}

TEST_P(Patterns, RmsNormByPartsHasItsBits) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64})
    for (const size_t count : {1, 2})
      for (const Ways& ways : {Ways{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}) {
        const Graph graph = compare_with(
            normalised(dtype, {6, 40}, count),
            [&](const auto& x) {
              Tensor y = over_root(x[0], mean(squared(x[0], ways.square), 1), kEpsilon, ways.root);
              return list(count > 1 ? of(RONDO_MUL, x[1], y) : std::move(y));
            },
            [&](const auto& x) { return list(make(rondo_rms_norm, x[0], 1, given(x, 1), kEpsilon)); },
            rondo_dtype_name(dtype), 1);
        expect_found(graph, "rms_norm");
      }
}

// What a user wrote as one expression beforehand, and what is around it.
TEST_P(Patterns, WhatFollowsANormJoinsItsTask) {
  const Graph graph = compare_with(
      normalised(RONDO_F32, {50, 48}, 3),
      [&](const auto& x) {
        const Tensor doubled = scaled(RONDO_MUL, x[0], 2);
        const Tensor y = layer_norm_by_parts(
            list(make(rondo_copy, doubled), make(rondo_copy, x[1]), make(rondo_copy, x[2])), {0, 0, 0});
        return list(make(rondo_unary, RONDO_TANH, y));
      },
      [&](const auto& x) {
        const Tensor doubled = scaled(RONDO_MUL, x[0], 2);
        return list(make(rondo_unary, RONDO_TANH, make(rondo_layer_norm, doubled, -1, x[1], x[2], kEpsilon)));
      },
      "between others", 1);
  expect_found(graph, "layer_norm");
}

struct Heads {
  int64_t batch, heads, queries, keys, size;
};

TEST_P(Patterns, AttentionByPartsHasItsBits) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16})
    for (Heads p : {Heads{2, 3, 17, 21, 16}, Heads{1, 1, 5, 5, 8}})
      for (const int axes : {4, 3, 2})
        for (int way = 0; way < 5; ++way)
          for (const bool masked : {false, true}) {
            if ((axes < 4 && p.heads > 1) || (quick() && axes == 3)) continue;
            if (!on_cuda()) p.queries = p.queries % 128 + 128;  // of fewer a host computes the parts
            Shape q = {p.batch, p.heads, p.queries, p.size}, k = {p.batch, p.heads, p.keys, p.size};
            Shape mask = {p.batch, 1, p.queries, p.keys};
            for (Shape* each : {&q, &k, &mask}) each->erase(each->begin(), each->begin() + (4 - axes));
            std::vector<Array> arrays = {random_array(dtype, q, 3, -2, 2), random_array(dtype, k, 4, -2, 2),
                                         random_array(dtype, k, 5, -2, 2)};
            if (masked) arrays.push_back(random_array(dtype, mask, 6, -4, 0));
            const double scale = way == 4 ? 1 : 0.25;
            std::vector<int32_t> turned(static_cast<size_t>(axes));
            for (int i = 0; i < axes; ++i) turned[static_cast<size_t>(i)] = i < axes - 2 ? i : 2 * axes - 3 - i;
            const auto parts = [&](const std::vector<Tensor>& x) {
              rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
              const Tensor key = transpose(x[1], turned);
              options.transpose_b = way % 2;
              rondo_tensor* const of_key = way % 2 ? x[1] : static_cast<rondo_tensor*>(key);
              Tensor scores;
              if (way < 2)
                scores = scaled(RONDO_MUL, make(rondo_matmul, x[0], of_key, &options), scale);
              else if (way == 2)
                scores = scaled(RONDO_DIV, make(rondo_matmul, x[0], of_key, &options), 1 / scale);
              else if (way == 3)
                scores = make(rondo_matmul, scaled(RONDO_MUL, x[0], scale), of_key, &options);
              else
                scores = make(rondo_matmul, x[0], of_key, &options);
              if (masked) scores = of(RONDO_ADD, scores, x[3]);
              const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
              return list(make(rondo_matmul, make(rondo_softmax, scores, -1), x[2], &plain));
            };
            const auto whole = [&](const std::vector<Tensor>& x) {
              const auto rows_first = [&](rondo_tensor* each, int64_t rows) {
                const Tensor four = reshape(each, {axes > 3 ? p.batch : 1, axes > 2 ? p.heads : 1, rows, p.size});
                return transpose(four, {0, 2, 1, 3});
              };
              rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
              options.scale = scale;
              options.mask = given(x, 3);
              const Tensor q_rows = rows_first(x[0], p.queries), k_rows = rows_first(x[1], p.keys),
                           v_rows = rows_first(x[2], p.keys);
              Tensor out;
              must(rondo_attention(q_rows, k_rows, v_rows, &options, out.slot(), nullptr));
              return list(reshape(make(rondo_copy, transpose(out, {0, 2, 1, 3})), q));
            };
            const std::string label = std::string(rondo_dtype_name(dtype)) + " of " + std::to_string(axes) +
                                      " axes, way " + std::to_string(way) + (masked ? " masked" : "");
            const Graph graph = compare_with(arrays, parts, whole, label, 1);
            expect_found(graph, "attention");
          }
}

// Each reads or computes something that the operator has not.
TEST_P(Patterns, WhatIsNoneIsLeftAsItIs) {
  const std::vector<Array> arrays = {random_array(RONDO_F32, {12, 12}, 3, -2, 5),
                                     random_array(RONDO_F32, {12}, 4, -2, 2),
                                     random_array(RONDO_F32, {12, 1}, 5, -2, 2)};
  const auto normalise = [&](rondo_tensor* x, rondo_tensor* of_mean, int32_t axis, double epsilon) {
    const Tensor centred = of(RONDO_SUB, x, mean(of_mean, axis));
    return over_root(centred, mean(squared(centred, 0), axis), epsilon, 0);
  };
  expect_left(
      arrays, [&](const auto& x) { return list(normalise(x[0], x[0], 0, 1e-5)); }, "another axis");
  expect_left(
      arrays,
      [&](const auto& x) {
        return list(normalise(x[0], transpose(x[0], {1, 0}), 1, 1e-5));
      },
      "means of columns");
  expect_left(
      arrays, [&](const auto& x) { return list(normalise(x[0], x[0], 1, 2)); }, "a large epsilon");
  expect_left(
      arrays,
      [&](const auto& x) {
        const Tensor centred = of(RONDO_SUB, x[0], mean(x[0], 1));
        Tensor variance = mean(squared(centred, 0), 1);
        Tensor y = over_root(centred, variance, 1e-5, 0);
        return list(std::move(y), std::move(variance));
      },
      "a variance that is an output");
  expect_left(
      arrays,
      [&](const auto& x) {
        const Tensor average = mean(x[0], 1);
        must(rondo_fill(x[0], 3));  // between the mean and what is made of it
        const Tensor centred = of(RONDO_SUB, x[0], average);
        return list(over_root(centred, mean(squared(centred, 0), 1), 1e-5, 0));
      },
      "a row written in between");
  if (quick() && on_cuda()) return;  // the pass is the same
  const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
  const auto attend = [&](const std::vector<Tensor>& x, int32_t axis, rondo_tensor* bias) {
    rondo_matmul_options biased = plain;
    biased.bias = bias;
    const Tensor scores = make(rondo_matmul, x[0], x[0], &biased);
    return list(make(rondo_matmul, make(rondo_softmax, scores, axis), x[0], &plain));
  };
  // As many queries as a host's attention has.
  const std::vector<Array> many = {random_array(RONDO_F32, {130, 130}, 3, -1, 1),
                                   random_array(RONDO_F32, {130}, 4, -2, 2)};
  expect_left(
      many, [&](const auto& x) { return attend(x, 0, nullptr); }, "a softmax of columns");
  expect_left(
      many, [&](const auto& x) { return attend(x, 1, x[1]); }, "scores with a bias");
}

// What the operator would read is made on the way to its result, or the numbers are not those of the operator.
TEST_P(Patterns, ALeafMadeOnTheWayKeepsTheParts) {
  const std::vector<Array> arrays = {random_array(RONDO_F32, {130, 16}, 3, -2, 2)};
  expect_left(
      arrays,
      [&](const auto& x) {
        const Tensor centred = of(RONDO_SUB, x[0], mean(x[0], 1));
        const Tensor y = over_root(centred, mean(squared(centred, 0), 1), kEpsilon, 0);
        return list(of(RONDO_ADD, of(RONDO_MUL, y, centred), centred));
      },
      "a weight that is what is normalised");
  const std::vector<Array> one_row = {random_array(RONDO_F32, {16}, 3, -2, 2)};
  expect_left(
      one_row,
      [&](const auto& x) {
        const Tensor centred = of(RONDO_SUB, x[0], mean(x[0], 0));
        const Tensor y = over_root(centred, mean(squared(centred, 0), 0), kEpsilon, 0);
        return list(of(RONDO_ADD, of(RONDO_MUL, y, centred), centred));
      },
      "the same of one row");
  const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
  expect_left(
      arrays,
      [&](const auto& x) {
        const Tensor product = make(rondo_matmul, x[0], transpose(x[0], {1, 0}), &plain);
        const Tensor scores = of(RONDO_ADD, scaled(RONDO_MUL, product, 0.5), product);
        return list(make(rondo_matmul, make(rondo_softmax, scores, -1), x[0], &plain));
      },
      "a mask that is a product of queries and keys");
  expect_left(
      {random_array(RONDO_F32, {130, 16}, 3, 0.1, 2)},
      [&](const auto& x) {
        const Tensor centred = of(RONDO_SUB, x[0], mean(x[0], 1));
        const Tensor positive = make(rondo_unary, RONDO_ABS, centred);
        return list(over_root(positive, mean(scaled(RONDO_POW, positive, 2.000001), 1), kEpsilon, 0));
      },
      "a power of nearly 2");
}

// A weight that is none of a row stays a product after the norm.
TEST_P(Patterns, AWeightOfColumnsIsNoPartOfTheNorm) {
  compare_with(
      {random_array(RONDO_F32, {12, 30}, 3, -2, 5), random_array(RONDO_F32, {12, 1}, 5, -2, 2)},
      [&](const auto& x) {
        return list(of(RONDO_MUL, layer_norm_by_parts(list(make(rondo_copy, x[0])), {0, 0, 0}), x[1]));
      },
      [&](const auto& x) {
        return list(of(RONDO_MUL, make(rondo_layer_norm, x[0], -1, nullptr, nullptr, kEpsilon), x[1]));
      },
      "a weight of columns", 2);
}

// Norms whose parts, weights and neighbours are drawn by chance: some are found, and all are right.
TEST_P(Patterns, RandomNormsAreRight) {
  size_t found = 0;
  const unsigned seeds = quick() && on_cuda() ? 8 : 60;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    std::mt19937 bits(seed);
    const auto chance = [&](int n) { return static_cast<int>(bits() % static_cast<unsigned>(n)); };
    const int64_t rows = 2 + chance(6), columns = 2 + chance(30);
    const Shape weights[] = {{columns}, {1, columns}, {rows, columns}, {rows, 1}, {1}, {columns}, {columns}};
    const Ways ways = {chance(3), chance(3), chance(3)};
    const int weight = chance(9), bias = chance(9), event = chance(8), root = chance(4);
    std::vector<Array> arrays = {random_array(RONDO_F32, {rows, columns}, seed, -2, 5)};
    for (const int each : {weight, bias})
      arrays.push_back(random_array(RONDO_F32, weights[each % 7], seed + 100 + static_cast<unsigned>(each), -2, 2));
    const Program body = [&](const std::vector<Tensor>& x) {
      std::vector<Tensor> kept;
      const Tensor turned = event == 0 ? make(rondo_copy, transpose(make(rondo_copy, transpose(x[0], {1, 0})), {1, 0}))
                                       : make(rondo_binary_scalar, RONDO_MUL, x[0], 2.0);
      Tensor y;
      if (root == 0) {
        y = over_root(turned, mean(squared(turned, ways.square), 1), kEpsilon, ways.root);
      } else {
        Tensor average = mean(turned, root == 1 ? 0 : 1);
        const Tensor centred = of(RONDO_SUB, turned, average);
        if (event == 1) must(rondo_fill(turned, 7));
        Tensor variance = mean(squared(centred, ways.square), 1);
        if (event == 2) must(rondo_binary_scalar(RONDO_ADD, variance, 1.0, variance.slot()));
        y = over_root(centred, variance, kEpsilon, ways.root);
        if (event == 3) kept.push_back(std::move(average));
        if (event == 4) kept.push_back(std::move(variance));
      }
      if (weight < 7) y = of(RONDO_MUL, y, x[1]);
      if (event == 5) kept.push_back(make(rondo_unary, RONDO_TANH, y));
      if (bias < 7) y = of(RONDO_ADD, y, x[2]);
      rondo_tensor* over = x[0];
      if (event == 6) must(rondo_copy(y, &over));
      kept.push_back(std::move(y));
      return kept;
    };
    const Graph graph = compare_nearly(arrays, body, 2e-5L, "seed " + std::to_string(seed));
    found += std::string(graph_report(graph.get())).find("_norm': ") != std::string::npos;
  }
  EXPECT_GE(found, seeds / 4);
  if (seeds > 8) {
    EXPECT_LT(found, seeds);
  }
}

TEST_P(Patterns, OtherRecordingsKeepTheirParts) {
  const Graph graph = compare(
      normalised(RONDO_F32, {20, 30}, 3),
      [&](const auto& x) {
        return list(layer_norm_by_parts(x, {0, 0, 0}));
      },
      "roundings as they are");
  EXPECT_EQ(std::string(graph_report(graph.get())).find("'layer_norm': "), std::string::npos);
}

}  // namespace
}  // namespace conformance
