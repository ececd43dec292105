// Reductions, softmaxes and normalisations that a recording makes one task with what is around them: results have the
// bits of eager calls. Reductions on the host read memory. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace conformance {
namespace {

class FusedRows : public OnProgramsByPasses {
 protected:
  // A reduction that the device splits has two kernels.
  void expect(const Graph& graph, int32_t on_cuda_tasks, int32_t on_host_tasks) const {
    expect_captured(graph.get());
    EXPECT_EQ(graph_info(graph.get()).tasks, on_cuda() ? on_cuda_tasks : on_host_tasks) << graph_report(graph.get());
  }
  static Tensor reduced(rondo_reduce_op op, rondo_tensor* of, std::vector<int32_t> axes = {}) {
    return make(rondo_reduce, op, of, static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), 0);
  }
};
CONFORMANCE_ENGINE_SUITE(FusedRows);

// Along rows, along columns, and all of it: also where the device splits what is reduced, and ends that fill no vector.
TEST_P(FusedRows, SumsOfProductsAreOneTask) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64, RONDO_I32})
    for (const Shape& shape : {Shape{3, 5}, Shape{64, 96}, Shape{7, 1025}, Shape{2, 70000}, Shape{3000, 8}})
      for (const std::vector<int32_t>& axes : {std::vector<int32_t>{}, {0}, {1}}) {
        if (quick() && dtype != RONDO_F32 && shape[0] != 64) continue;
        const std::string label = std::string(rondo_dtype_name(dtype)) + " " + std::to_string(shape[0]) + " x " +
                                  std::to_string(shape[1]) + " over " + std::to_string(axes.empty() ? -1 : axes[0]);
        const Graph graph = compare(
            {random_array(dtype, shape, 3, -2, 2), random_array(dtype, shape, 4, -2, 2)},
            [&](const auto& x) { return list(reduced(RONDO_SUM, make(rondo_binary, RONDO_MUL, x[0], x[1]), axes)); },
            label);
        expect(graph, 1, 2);
        if (on_cuda()) {
          const std::string report = graph_report(graph.get());
          EXPECT_TRUE(has_word(report, "pass fuse_rows: 2 nodes before, 1 after")) << report;
          EXPECT_TRUE(has_word(report, "one of 0 'mul', 1 'sum'")) << report;
        }
      }
}

TEST_P(FusedRows, EveryReductionTakesWhatIsBeforeIt) {
  for (const rondo_reduce_op op : {RONDO_SUM, RONDO_MEAN, RONDO_MAX, RONDO_MIN, RONDO_PROD, RONDO_ARGMAX, RONDO_ANY,
                                   RONDO_VAR, RONDO_STD, RONDO_LOGSUMEXP, RONDO_L2_NORM, RONDO_NANSUM}) {
    const Graph graph = compare(
        {random_array(RONDO_F32, {40, 70}, 3, -2, 2), random_array(RONDO_F32, {70}, 4, -2, 2)},
        [&](const auto& x) { return list(reduced(op, make(rondo_binary, RONDO_SUB, x[0], x[1]), {1})); },
        "operator " + std::to_string(op));
    expect(graph, 1, 2);
  }
}

// Rounded to the reduction's dtype before what follows, as in memory.
TEST_P(FusedRows, WhatFollowsAReductionFinishesIt) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16}) {
    const Graph graph = compare(
        {random_array(dtype, {50, 300}, 3, -2, 2)},
        [&](const auto& x) {
          const Tensor mean = reduced(RONDO_MEAN, make(rondo_unary, RONDO_SQUARE, x[0]), {1});
          const Tensor root = make(rondo_unary, RONDO_SQRT, make(rondo_binary_scalar, RONDO_ADD, mean, 1e-3));
          return list(make(rondo_unary, RONDO_RECIPROCAL, root));
        },
        rondo_dtype_name(dtype));
    if (on_cuda()) expect(graph, 1, 0);
  }
}

TEST_P(FusedRows, WhatSomebodyElseReadsStaysInMemory) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {50, 30}, 3, -2, 2)},
      [&](const auto& x) {
        const Tensor exp = make(rondo_unary, RONDO_EXP, x[0]);
        const Tensor sum = make(rondo_reduce, RONDO_SUM, exp, 0, nullptr, 0);
        return list(make(rondo_binary, RONDO_DIV, exp, sum));
      },
      "softmax by hand");
  expect(graph, 3, 3);
}

TEST_P(FusedRows, WhatIsWrittenInBetweenKeepsThemApart) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {50, 30}, 3, -2, 2), random_array(RONDO_F32, {50, 30}, 4, -2, 2)},
      [&](const auto& x) {
        const Tensor exp = make(rondo_unary, RONDO_EXP, x[0]);
        into(x[0], rondo_cumulative, RONDO_SUM, x[1], 0, 0);
        const Tensor other = make(rondo_cumulative, RONDO_SUM, x[0], 0, 0);
        into(exp, rondo_binary, RONDO_ADD, exp, other);
        return list(reduced(RONDO_SUM, exp, {0}));
      },
      "written in between");
  EXPECT_LE(graph_info(graph.get()).tasks, 5) << graph_report(graph.get());
}

// A tensor that lies otherwise than the temporary would: elements would be combined in another order.
TEST_P(FusedRows, OtherOrdersOfElementsStayApart) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {50, 30}, 3, -2, 2)},
      [&](const auto& x) {
        return list(reduced(RONDO_SUM, make(rondo_unary, RONDO_EXP, transpose(x[0], {1, 0})), {0}));
      },
      "turned");
  EXPECT_LE(graph_info(graph.get()).tasks, 2) << graph_report(graph.get());
}

// One element at a time, where the temporary would be loaded in packs.
TEST_P(FusedRows, OperandsThatAreLoadedOtherwiseStayApart) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {30001}, 3, -20, 2)},
      [&](const auto& x) { return list(reduced(RONDO_SUM, make(rondo_unary, RONDO_EXP, slice(x[0], 0, 1, 30001)))); },
      "misaligned");
  expect(graph, 2, 2);
}

// Short rows, long ones that a block keeps, longer ones, and rows that lie side by side.
TEST_P(FusedRows, SoftmaxesTakeScaleAndMaskBeforeThem) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16})
    for (const Shape& shape : {Shape{64, 128}, Shape{5, 77}, Shape{4, 5000}, Shape{2, 40000}})
      for (const int32_t axis : {1, 0}) {
        if (quick() && dtype != RONDO_F32 && shape[0] != 64) continue;
        const Graph graph = compare(
            {random_array(dtype, shape, 3, -9, 9), random_array(dtype, {shape[1]}, 4, -2, 0)},
            [&](const auto& x) {
              const Tensor scaled = make(rondo_binary_scalar, RONDO_MUL, x[0], 0.37);
              const Tensor masked = make(rondo_binary, RONDO_ADD, scaled, x[1]);
              const Tensor soft = make(rondo_softmax, masked, axis);
              return list(make(rondo_binary_scalar, RONDO_MUL, soft, 3.0));
            },
            std::string(rondo_dtype_name(dtype)) + " " + std::to_string(shape[0]) + " axis " + std::to_string(axis));
        const std::string report = graph_report(graph.get());
        EXPECT_TRUE(has_word(report, "softmax")) << report;
        EXPECT_LE(graph_info(graph.get()).tasks, 2) << report;
        if (shape[0] == 64 && axis == 1)
          expect(graph, 1, is_half(dtype) ? 2 : 1);  // `fuse` leaves scale and mask apart
      }
}

// With weight and bias or without, of rows that lie either way, in registers and not.
TEST_P(FusedRows, NormalisationsTakeWhatIsBesideThem) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64})
    for (const Shape& shape : {Shape{64, 96}, Shape{5, 77}, Shape{3, 40000}})
      for (const int parts : {0, 1, 3})
        for (const int32_t axis : {1, 0}) {
          if (quick() && dtype != RONDO_F32 && shape[0] != 64) continue;
          if (sparing() && shape[0] == 3 && parts != 3) continue;
          const int64_t length = shape[static_cast<size_t>(axis)];
          const Graph graph = compare(
              {random_array(dtype, shape, 3, -9, 9), random_array(dtype, shape, 4, -2, 2),
               random_array(dtype, {length}, 5, -2, 2), random_array(dtype, {length}, 6, -2, 2)},
              [&](const auto& x) {
                rondo_tensor *const weight = parts ? static_cast<rondo_tensor*>(x[2]) : nullptr,
                                    *const bias = parts > 1 ? static_cast<rondo_tensor*>(x[3]) : nullptr;
                const Tensor sum = make(rondo_binary, RONDO_ADD, x[0], x[1]);
                const Tensor norm = make(rondo_layer_norm, sum, axis, weight, bias, 1e-5);
                const Tensor other = make(rondo_rms_norm, make(rondo_unary, RONDO_TANH, x[0]), axis, weight, 1e-5);
                return list(make(rondo_unary, RONDO_RELU, norm), make(rondo_binary_scalar, RONDO_MUL, other, 3.0));
              },
              std::string(rondo_dtype_name(dtype)) + " " + std::to_string(shape[0]) + " axis " + std::to_string(axis));
          expect(graph, 2, 2);
        }
}

// Quantised rows, and what a comparison says of them, with elements that are no number.
TEST_P(FusedRows, RowsBecomeWholeNumbersOnTheHost) {
  for (const Shape& shape : {Shape{64, 128}, Shape{5, 77}, Shape{3, 1}, Shape{4, 5000}})
    for (const rondo_dtype dtype : {RONDO_U8, RONDO_I8, RONDO_I32, RONDO_BOOL}) {
      Array x = random_array(RONDO_F32, shape, 3, -9, 9);
      x.set(x.size() / 2, NAN);
      const Graph graph = compare(
          {x},
          [&](const auto& x) {
            std::vector<Tensor> made;
            for (const bool norm : {false, true}) {
              const Tensor rows = norm ? make(rondo_layer_norm, x[0], 1, static_cast<rondo_tensor*>(nullptr),
                                              static_cast<rondo_tensor*>(nullptr), 1e-5)
                                       : make(rondo_softmax, x[0], 1);
              const Tensor whole = make(rondo_unary, RONDO_ROUND, make(rondo_binary_scalar, RONDO_DIV, rows, 0.0117));
              made.push_back(make(rondo_cast, make(rondo_binary_scalar, RONDO_ADD, whole, 3.0), dtype));
            }
            return made;
          },
          std::string(rondo_dtype_name(dtype)) + " " + std::to_string(shape[0]));
      if (!on_cuda()) expect(graph, 0, 2);
    }
}

// Sums of whole numbers become what follows them: scaled by column, with a bias and a residual, activated, quantised.
// Rows of 127 columns are too short for it, and rows of 16,385 numbers are added up in parts.
TEST_P(FusedRows, WholeProductsTakeWhatFollowsOnTheHost) {
  if (on_cuda()) GTEST_SKIP() << "of a cpu";
  const struct {
    Shape a, b;
    int32_t tasks;  // on the host
  } problems[] = {{{50, 33}, {33, 127}, 2},     {{1, 7}, {7, 128}, 1},        {{97, 40}, {40, 1100}, 1},
                  {{2, 3, 20, 9}, {9, 130}, 1}, {{2, 5, 6}, {2, 6, 300}, 1},  {{3, 1, 17, 12}, {2, 12, 129}, 1},
                  {{200, 64}, {64, 256}, 1},    {{2, 16385}, {16385, 128}, 2}};
  for (const auto& [a, b, tasks] : problems)
    for (const rondo_dtype dtype : {RONDO_U8, RONDO_I8})
      for (const int ending : {0, 1, 2, 3}) {
        if (quick() && ending == 1 && a.size() == 2) continue;
        const int64_t m = a[a.size() - 2], n = b.back();
        Shape whole = a.size() == 4 && b.size() == 3 ? Shape{3, 2} : Shape(a.begin(), a.end() - 2);
        whole.push_back(m), whole.push_back(n);
        Shape rows = a;
        rows.back() = 1;
        const Real low = dtype == RONDO_U8 ? 0 : -128;
        const std::vector<Array> arrays = {
            random_array(dtype, a, 3, low, low + 255),    random_array(RONDO_I8, b, 4, -128, 127),
            random_array(dtype, rows, 5, low, low + 255), random_array(RONDO_F32, {n}, 6, 0.0001, 0.001),
            random_array(RONDO_F32, {n}, 7, -2, 2),       random_array(RONDO_F32, whole, 8, -2, 2)};
        const auto make_results = [&, ending = ending](const auto& x) {
          const Tensor sums =
              make(rondo_matmul_integer, x[0], x[1], ending ? static_cast<rondo_tensor*>(x[2]) : nullptr,
                   static_cast<rondo_tensor*>(nullptr));
          Tensor y = make(rondo_binary, RONDO_MUL, make(rondo_cast, sums, RONDO_F32), x[3]);
          if (ending == 0) return list(std::move(y));
          y = make(rondo_binary, RONDO_ADD, make(rondo_binary, RONDO_ADD, y, x[4]), x[5]);
          if (ending == 1) return list(make(rondo_cast, make(rondo_unary, RONDO_GELU, y), RONDO_F16));
          const Tensor rounded = make(rondo_unary, RONDO_ROUND, make(rondo_binary_scalar, RONDO_DIV, y, 0.037));
          Tensor bytes = make(rondo_cast, make(rondo_binary_scalar, RONDO_ADD, rounded, 3.0), dtype);
          if (ending == 2) return list(std::move(bytes));
          return list(make(rondo_binary_scalar, RONDO_MUL, make(rondo_cast, bytes, RONDO_F32), 0.037));
        };
        const std::string label = std::string(rondo_dtype_name(dtype)) + " " + std::to_string(m) + " x " +
                                  std::to_string(a.back()) + " x " + std::to_string(n) + ", ending " +
                                  std::to_string(ending);
        const Graph graph = compare(arrays, make_results, label);
        EXPECT_EQ(graph_info(graph.get()).tasks, tasks) << label << graph_report(graph.get());
      }
}

// A sum that others read too, what is written in between, and results that lie across the sums.
TEST_P(FusedRows, WholeProductsThatAreReadElsewhereStay) {
  if (on_cuda()) GTEST_SKIP() << "of a cpu";
  const std::vector<Array> arrays = {random_array(RONDO_U8, {40, 30}, 3, 0, 255),
                                     random_array(RONDO_I8, {30, 200}, 4, -128, 127),
                                     random_array(RONDO_F32, {40, 200}, 5, -2, 2)};
  const auto scaled = [](rondo_tensor* sums) {
    return make(rondo_binary_scalar, RONDO_MUL, make(rondo_cast, sums, RONDO_F32), 0.01);
  };
  const auto product = [](const auto& x) {
    return make(rondo_matmul_integer, x[0], x[1], static_cast<rondo_tensor*>(nullptr),
                static_cast<rondo_tensor*>(nullptr));
  };
  const Graph both = compare(
      arrays,
      [&](const auto& x) {
        const Tensor sums = product(x);
        return list(scaled(sums), make(rondo_reduce, RONDO_SUM, sums, 0, static_cast<const int32_t*>(nullptr), 0));
      },
      "read twice");
  const Graph across = compare(
      arrays,
      [&](const auto& x) {
        into(transpose(reshape(x[2], {200, 40}), {1, 0}), rondo_binary_scalar, RONDO_MUL,
             make(rondo_cast, product(x), RONDO_F32), 0.01);
        return list(make(rondo_copy, x[2]));
      },
      "across");
  const Graph in_place = compare(
      arrays,
      [&](const auto& x) {
        into(x[2], rondo_binary, RONDO_ADD, scaled(product(x)), x[2]);
        return list();
      },
      "in place");
  EXPECT_EQ(graph_info(both.get()).tasks, 3) << graph_report(both.get());
  EXPECT_EQ(graph_info(across.get()).tasks, 2) << graph_report(across.get());
  EXPECT_EQ(graph_info(in_place.get()).tasks, 2) << graph_report(in_place.get());
}

// Threads of the host share what is around one long row, but not the row.
TEST_P(FusedRows, OneLongRowOfTheHostStaysApart) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {1, 70000}, 3, -2, 2), random_array(RONDO_F32, {1, 70000}, 4, -2, 2)},
      [&](const auto& x) {
        return list(make(rondo_layer_norm, make(rondo_binary, RONDO_ADD, x[0], x[1]), 1, nullptr, nullptr, 1e-5),
                    make(rondo_softmax, make(rondo_binary, RONDO_MUL, x[0], x[1]), 1));
      },
      "one row");
  if (on_cuda()) return;
  EXPECT_EQ(graph_info(graph.get()).tasks, 4);
}

// What a normalisation reads besides its rows is not written over by what follows it.
TEST_P(FusedRows, WeightsThatAreWrittenOverStayApart) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {1, 900}, 3, -2, 2), random_array(RONDO_F32, {1, 900}, 4, -2, 2)},
      [&](const auto& x) {
        const Tensor norm = make(rondo_layer_norm, x[0], 1, reshape(x[1], {900}), nullptr, 1e-5);
        into(x[1], rondo_unary, RONDO_TANH, norm);
        return list();
      },
      "over the weight");
  expect(graph, 2, 2);
}

// The result of a reduction, or what is made of it, goes where an operand is: elements that are read yet.
TEST_P(FusedRows, OperandsThatAreWrittenOverStayApart) {
  const std::vector<Array> arrays = {random_array(RONDO_F32, {700, 300}, 3, -2, 2)};
  const Graph sums = compare(
      arrays,
      [&](const auto& x) {
        const int32_t axis = 0;
        into(slice(slice(x[0], 0, 0, 1), 1, 0, 300), rondo_reduce, RONDO_SUM, make(rondo_unary, RONDO_EXP, x[0]), 1,
             &axis, 1);
        return list();
      },
      "sum over a row of its operand");
  expect(sums, 2, 2);
  const Graph soft = compare(
      arrays,
      [&](const auto& x) {
        into(transpose(slice(x[0], 0, 0, 300), {1, 0}), rondo_softmax,
             make(rondo_binary_scalar, RONDO_MUL, slice(x[0], 0, 0, 300), 0.5), 1);
        return list();
      },
      "softmax over its operand, turned");
  expect(soft, 2, 2);
}

// A node stands behind one reduction or before another, never both.
TEST_P(FusedRows, ChainsOfReductionsAreCutBetweenThem) {
  const Graph graph = compare(
      {random_array(RONDO_F32, {20, 30, 40}, 3, -2, 2)},
      [&](const auto& x) {
        const Tensor first = reduced(RONDO_SUM, make(rondo_unary, RONDO_EXP, x[0]), {2});
        const Tensor second = reduced(RONDO_SUM, make(rondo_unary, RONDO_LOG, first), {1});
        return list(make(rondo_unary, RONDO_SQRT, second));
      },
      "chain");
  if (on_cuda()) expect(graph, 2, 0);
}

}  // namespace
}  // namespace conformance
