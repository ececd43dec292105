// The dtypes and shapes of results that kinds of operators give: those that eager calls make, worked out here once more
// from what the headers say of each operator; and errors for operands and attributes that do not go together.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/recommender.h>

#include "infer_fixture.h"
#include "ops/operators/reductions.h"
#include "ops/recommender/interaction.h"

namespace rondo {
namespace {

struct Reduction {
  rondo_reduce_op number;
  ops::ReduceOp op;
  std::string domain;
  bool cumulative;
};
const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> all = {
#define REDUCTION(ID, name, Domain, ...) \
  {RONDO_##ID, ops::ReduceOp::name, #Domain, ops::reduction_row(ops::ReduceOp::name).cumulative},
#include "ops/operators/reductions.def"
#undef REDUCTION
  };
  return all;
}

rondo_dtype dtype_of_reduction(const std::string& domain, rondo_dtype dtype) {
  if (domain == "Truth") return RONDO_BOOL;
  if (domain == "Position") return RONDO_I64;
  if (domain == "Same" || is_floating(dtype)) return dtype;
  if (domain == "Total") return dtype == RONDO_U64 ? RONDO_U64 : RONDO_I64;
  return RONDO_F32;  // Real, Wide
}

TEST_F(Infer, ReductionsGiveWhatEagerCallsMake) {
  for (const Reduction& each : reductions())
    for (int round = 0; round < kRounds; ++round) {
      const Shape shape = random_shape(0, 4, 1);
      const rondo_dtype dtype = computed_dtype();
      rondo_tensor* const a = operand(shape, dtype);
      std::vector<int32_t> axes;
      uint32_t bits = 0;
      for (size_t d = 0; d < shape.size(); ++d)
        if (between(0, 1)) axes.push_back(static_cast<int32_t>(d)), bits |= 1U << d;
      if (axes.empty()) bits = (1U << shape.size()) - 1;  // which no axes mean to a caller
      const bool keep_dims = between(0, 1) != 0;
      Shape expected;
      for (size_t d = 0; d < shape.size(); ++d)
        if (!(bits >> d & 1))
          expected.push_back(shape[d]);
        else if (keep_dims)
          expected.push_back(1);
      const double parameter = ops::reduction_row(each.op).parameter;
      expect(Call(ops::ReduceCall{each.op, parameter, bits, keep_dims}), {a}, dtype_of_reduction(each.domain, dtype),
             expected, [&](rondo_tensor** out) {
               return rondo_reduce(each.number, a, static_cast<int32_t>(axes.size()), axes.data(), keep_dims, out);
             });
    }
}

TEST_F(Infer, RunningValuesGiveWhatEagerCallsMake) {
  for (const Reduction& each : reductions())
    for (int round = 0; each.cumulative && round < kRounds; ++round) {
      const Shape shape = random_shape(1, 4);
      const rondo_dtype dtype = computed_dtype();
      rondo_tensor* const a = operand(shape, dtype);
      const int axis = between<int>(0, static_cast<int>(shape.size()) - 1);
      const bool reverse = between(0, 1) != 0;
      expect(Call(ops::CumulativeCall{each.op, axis, reverse}), {a}, dtype_of_reduction(each.domain, dtype), shape,
             [&](rondo_tensor** out) { return rondo_cumulative(each.number, a, axis, reverse, out); });
    }
}

TEST_F(Infer, SoftmaxesGiveWhatEagerCallsMake) {
  for (int round = 0; round < 3 * kRounds; ++round) {
    const Shape shape = random_shape(1, 4);
    const rondo_dtype dtype = float_dtype();
    const auto op = static_cast<rondo_softmax_op>(round % 3);
    const int axis = between<int>(0, static_cast<int>(shape.size()) - 1);
    const bool has_lengths = between(0, 1) != 0;
    Shape rows = shape;
    rows.erase(rows.begin() + axis);
    std::vector<rondo_tensor*> operands = {operand(shape, dtype)};
    rondo_tensor* const lengths = has_lengths ? operand(rows, index_dtype()) : nullptr;
    if (lengths) operands.push_back(lengths);
    const ops::SoftmaxCall call{op, 0.5, axis, has_lengths};
    expect(Call(call), operands, dtype, shape,
           [&](rondo_tensor** out) { return rondo_softmax_with(op, operands[0], axis, 0.5, lengths, out); });
    rondo_tensor* const dy = operand(shape, dtype);
    operands.insert(operands.begin() + 1, dy);
    expect(Call(ops::SoftmaxGradCall{call}), operands, dtype, shape,
           [&](rondo_tensor** out) { return rondo_softmax_grad_with(op, operands[0], dy, axis, 0.5, lengths, out); });
  }
}

TEST_F(Infer, CrossEntropiesGiveWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const Shape shape = {between<int64_t>(0, 4), between<int64_t>(1, 4)};
    const rondo_dtype dtype = float_dtype();
    rondo_tensor* const logits = operand(shape, dtype);
    rondo_tensor* const labels = operand({shape[0]}, index_dtype());
    expect(Call(ops::CrossEntropyCall{}), {logits, labels}, dtype, {shape[0]},
           [&](rondo_tensor** out) { return rondo_cross_entropy(logits, labels, out); });
    expect(Call(ops::CrossEntropyGradCall{0.5}), {logits, labels}, dtype, shape,
           [&](rondo_tensor** out) { return rondo_cross_entropy_grad(logits, labels, 0.5, out); });
  }
}

TEST_F(Infer, InteractionsGiveWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const Shape shape = {between<int64_t>(0, 3), between<int64_t>(1, 5), between<int64_t>(0, 4)};
    const rondo_dtype dtype = float_dtype();
    const bool keep_first = between(0, 1) != 0;
    rondo_tensor* const x = operand(shape, dtype);
    int64_t columns = keep_first ? shape[2] : 0;
    for (int64_t i = 0; i < shape[1]; ++i) columns += i;
    expect(Call(ops::DotInteractionCall{keep_first}), {x}, dtype, {shape[0], columns},
           [&](rondo_tensor** out) { return rondo_dot_interaction(x, keep_first, out); });
    rondo_tensor* const dy = operand({shape[0], columns}, dtype);
    expect(Call(ops::DotInteractionGradCall{keep_first}), {x, dy}, dtype, shape, [&](rondo_tensor** out) {
      ops::Output made(out);
      const Status status = ops::dot_interaction_grad(x->view, dy->view, keep_first, made);
      EXPECT_TRUE(status.ok()) << status.message();
      return status.code();
    });
  }
}

TEST_F(Infer, PadAndTileGiveWhatEagerCallsMake) {
  for (int round = 0; round < 5 * kRounds; ++round) {
    const Shape shape = random_shape(0, 4, 1);
    const rondo_dtype dtype = any_dtype();
    rondo_tensor* const a = operand(shape, dtype);
    ops::PadCall pad{static_cast<rondo_pad_mode>(round % 5), {}, 0};
    Shape expected = shape;
    const auto n = static_cast<int32_t>(2 * shape.size());
    for (int i = 0; i < n; ++i) {
      pad.widths[i] = between<int64_t>(0, 3);
      expected[static_cast<size_t>(i / 2)] += pad.widths[i];
    }
    expect(Call(pad), {a}, dtype, expected,
           [&](rondo_tensor** out) { return rondo_pad(a, pad.mode, n, pad.widths, 0, out); });
    ops::TileCall tile{between(0, 5), {}};
    expected = shape;
    while (expected.size() < static_cast<size_t>(tile.n)) expected.insert(expected.begin(), 1);
    for (int i = 0; i < tile.n; ++i) {
      tile.counts[i] = between<int64_t>(0, 3);
      expected[expected.size() - static_cast<size_t>(tile.n - i)] *= tile.counts[i];
    }
    expect(Call(tile), {a}, dtype, expected,
           [&](rondo_tensor** out) { return rondo_tile(a, tile.n, tile.counts, out); });
  }
}

TEST_F(Infer, RepeatAndRollGiveWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const Shape shape = random_shape(1, 4);
    const rondo_dtype dtype = any_dtype();
    rondo_tensor* const a = operand(shape, dtype);
    const ops::RepeatCall repeat{between<int64_t>(0, 3), between<int>(0, static_cast<int>(shape.size()) - 1)};
    Shape expected = shape;
    expected[static_cast<size_t>(repeat.axis)] *= repeat.count;
    expect(Call(repeat), {a}, dtype, expected,
           [&](rondo_tensor** out) { return rondo_repeat(a, repeat.count, repeat.axis, out); });
    ops::RollCall roll{};
    for (size_t d = 0; d < shape.size(); ++d)
      if (shape[d] > 0) roll.shifts[d] = between<int64_t>(1 - shape[d], shape[d] - 1);
    expect(Call(roll), {a}, dtype, shape,
           [&](rondo_tensor** out) { return rondo_roll(a, static_cast<int32_t>(shape.size()), roll.shifts, out); });
  }
}

TEST_F(Infer, TrianglesGiveWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const Shape shape = random_shape(2, 4);
    const rondo_dtype dtype = any_dtype();
    rondo_tensor* const a = operand(shape, dtype);
    const bool upper = between(0, 1) != 0;
    const auto diagonal = between<int64_t>(-3, 3);
    expect(Call(ops::TriangleCall{upper, diagonal}), {a}, dtype, shape,
           [&](rondo_tensor** out) { return upper ? rondo_triu(a, diagonal, out) : rondo_tril(a, diagonal, out); });
  }
}

TEST_F(Infer, TakesGiveWhatEagerCallsMake) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    const Shape shape = random_shape(1, 4, 1), places = random_shape(0, 3);
    const rondo_dtype dtype = any_dtype();
    const int axis = round % 4 == 0 ? 0 : between<int>(0, static_cast<int>(shape.size()) - 1);
    rondo_tensor* const a = operand(shape, dtype);
    rondo_tensor* const indices = operand(places, index_dtype());
    Shape expected = shape;
    expected.erase(expected.begin() + axis);
    expected.insert(expected.begin() + axis, places.begin(), places.end());
    expect(Call(ops::TakeCall{axis}), {a, indices}, dtype, expected, [&](rondo_tensor** out) {
      return round % 4 == 0 ? rondo_gather_rows(a, indices, out) : rondo_take(a, indices, axis, out);
    });
    // Of all other axes either may have one element for all of the other's.
    Shape mine = shape, theirs = shape;
    expected = shape;
    for (size_t d = 0; d < shape.size(); ++d)
      if (static_cast<int>(d) == axis)
        theirs[d] = expected[d] = between<int64_t>(0, 4);
      else if (between(0, 2) == 0)
        (between(0, 1) ? mine : theirs)[d] = 1;
    rondo_tensor* const lines = operand(mine, dtype);
    rondo_tensor* const chosen = operand(theirs, index_dtype());
    expect(Call(ops::TakeAlongAxisCall{axis}), {lines, chosen}, dtype, expected,
           [&](rondo_tensor** out) { return rondo_take_along_axis(lines, chosen, axis, out); });
  }
}

TEST_F(Infer, SizesBeyondWhatFitsAreRefused) {
  constexpr int64_t large = int64_t{1} << 62;
  const View long_row = imagined({large}, RONDO_U8);
  ops::PadCall pad{RONDO_PAD_CONSTANT, {large, 0}, 0};
  expect_refused(Call(pad), {long_row}, "out would have more than 2^63 elements along axis 0");
  pad.widths[0] = INT64_MAX;
  expect_refused(Call(pad), {imagined({1}, RONDO_U8)}, "out would have more than 2^63 elements along axis 0");
  pad.widths[0] = large;
  expect_refused(Call(pad), {imagined({1})}, "out: shape [4611686018427387905]");
  expect_refused(Call(ops::TileCall{1, {4}}), {long_row}, "out would have more than 2^63 elements along axis 0");
  const View square = imagined({int64_t{1} << 30, int64_t{1} << 30}, RONDO_U8);
  expect_refused(Call(ops::TileCall{2, {4, 4}}), {square}, "out: shape [4294967296, 4294967296]");
  expect_refused(Call(ops::RepeatCall{4, 0}), {long_row}, "out would have more than 2^63 elements along axis 0");
  expect_refused(Call(ops::RepeatCall{16, 1}), {square}, "out: shape [1073741824, 17179869184]");
  // Sums of bytes are of eight bytes each.
  expect_refused(Call(ops::CumulativeCall{ops::ReduceOp::sum, 0, false}), {long_row},
                 "out: shape [4611686018427387904]");
  expect_refused(Call(ops::ReduceCall{ops::ReduceOp::sum, 0, 0, false}), {long_row},
                 "out: shape [4611686018427387904]");
  const View vectors = imagined({1, INT32_MAX, INT64_MAX - 1}, RONDO_F16);
  expect_refused(Call(ops::DotInteractionCall{true}), {vectors}, "more than 2^63 columns");
  expect_refused(Call(ops::DotInteractionGradCall{true}), {vectors, imagined({1, 1}, RONDO_F16)},
                 "more than 2^63 columns");
  expect_refused(Call(ops::DotInteractionCall{false}), {imagined({1, int64_t{1} << 31, 1})}, "2^31 - 1 are the most");
  const View many = imagined({large}, RONDO_I32);
  expect_refused(Call(ops::TakeCall{0}), {imagined({1, 4}), many}, "out: shape [4611686018427387904, 4]");
  expect_refused(Call(ops::TakeAlongAxisCall{0}), {imagined({1}), many}, "out: shape [4611686018427387904]");
  // An operand that no memory holds.
  const View none = imagined({large, large});
  expect_refused(Call(ops::RollCall{}), {none}, "out: shape [4611686018427387904, 4611686018427387904]");
  expect_refused(Call(ops::TriangleCall{}), {none}, "out: shape [4611686018427387904, 4611686018427387904]");
  expect_refused(Call(ops::SoftmaxCall{RONDO_SOFTMAX, 1, 0, false}), {none}, "out: shape [4611686018427387904");
  expect_refused(Call(ops::SoftmaxGradCall{{RONDO_SOFTMAX, 1, 0, false}}), {none, none},
                 "da: shape [4611686018427387904");
  expect_refused(Call(ops::CrossEntropyGradCall{1}), {none, imagined({large}, RONDO_I64)},
                 "dlogits: shape [4611686018427387904");
  expect_refused(Call(ops::CrossEntropyCall{}), {none, imagined({large}, RONDO_I64)},
                 "out: shape [4611686018427387904]");
}

TEST_F(Infer, OperandsOfTheWrongRankAreRefused) {
  const View number = imagined({}), row = imagined({4}), matrix = imagined({4, 4}), cube = imagined({4, 4, 4});
  const View labels = imagined({4}, RONDO_I64);
  expect_refused(Call(ops::ReduceCall{ops::ReduceOp::sum, 0, 4, false}), {matrix}, "axes is 0x4");
  for (const int axis : {-1, 1}) {
    const std::string words = "axis is " + std::to_string(axis);
    expect_refused(Call(ops::CumulativeCall{ops::ReduceOp::sum, axis, false}), {row}, words);
    expect_refused(Call(ops::SoftmaxCall{RONDO_SOFTMAX, 1, axis, false}), {row}, words);
    expect_refused(Call(ops::SoftmaxGradCall{{RONDO_SOFTMAX, 1, axis, false}}), {row, row}, words);
    expect_refused(Call(ops::RepeatCall{1, axis}), {row}, words);
    expect_refused(Call(ops::TakeCall{axis}), {row, labels}, words);
    expect_refused(Call(ops::TakeAlongAxisCall{axis}), {row, labels}, words);
  }
  expect_refused(Call(ops::RepeatCall{1, 0}), {number}, "axis is 0; the operand has 0 dimensions");
  expect_refused(Call(ops::SoftmaxCall{RONDO_SOFTMAX, 1, 0, true}), {matrix, imagined({4, 1}, RONDO_I64)},
                 "lengths has shape [4, 1]");
  expect_refused(Call(ops::SoftmaxGradCall{{RONDO_SOFTMAX, 1, 0, false}}), {matrix, row}, "dy has shape [4] but y");
  for (const View& logits : {row, cube}) {
    expect_refused(Call(ops::CrossEntropyCall{}), {logits, labels}, "[n, classes] is needed");
    expect_refused(Call(ops::CrossEntropyGradCall{1}), {logits, labels}, "[n, classes] is needed");
  }
  expect_refused(Call(ops::CrossEntropyCall{}), {matrix, imagined({4, 1}, RONDO_I64)}, "labels has shape [4, 1]");
  expect_refused(Call(ops::DotInteractionCall{false}), {matrix}, "[batch, vectors, width] is needed");
  expect_refused(Call(ops::DotInteractionGradCall{false}), {matrix, matrix}, "[batch, vectors, width] is needed");
  expect_refused(Call(ops::DotInteractionGradCall{false}), {cube, row}, "dy is f32 [4]; f32 [4, 6] is needed");
  expect_refused(Call(ops::TriangleCall{}), {row}, "a has 1 dimension; a matrix has 2");
  expect_refused(Call(ops::TakeCall{0}), {imagined({1, 1, 1, 1, 1}), imagined({1, 1, 1, 1, 1}, RONDO_I32)},
                 "would have more than 8 dimensions");
  expect_refused(Call(ops::TakeAlongAxisCall{0}), {matrix, labels}, "indices has shape [4] and a has [4, 4]");
  expect_refused(Call(ops::TakeAlongAxisCall{0}), {matrix, imagined({4, 3}, RONDO_I64)}, "indices has shape [4, 3]");
  expect_refused(Call(ops::TileCall{kMaxDims + 1, {}}), {row}, "n is 9; 0 to 8 are possible");
}

TEST_F(Infer, AttributesThatNoCallHasAreRefused) {
  const View row = imagined({4}), matrix = imagined({4, 4});
  const auto no_reduction = static_cast<ops::ReduceOp>(ops::kReductions);
  expect_refused(Call(ops::ReduceCall{no_reduction, 0, 0, false}), {row}, "the reductions have the numbers 0 to");
  expect_refused(Call(ops::CumulativeCall{no_reduction, 0, false}), {row}, "the reductions have the numbers 0 to");
  expect_refused(Call(ops::CumulativeCall{ops::ReduceOp::var, 0, false}), {row},
                 "op is var, which is no running value");
  expect_refused(Call(ops::ReduceCall{ops::ReduceOp::max, 0, 1, false}), {imagined({0})}, "there is no max of nothing");
  expect_refused(Call(ops::ReduceCall{ops::ReduceOp::sum, 0, 1, false}), {imagined({4}, RONDO_F8_E4M3)},
                 "a has dtype f8_e4m3");
  expect_refused(Call(ops::SoftmaxCall{static_cast<rondo_softmax_op>(3), 1, 0, false}), {row}, "op is 3");
  expect_refused(Call(ops::SoftmaxCall{RONDO_SOFTMAX, 0, 0, false}), {row}, "temperature is 0");
  expect_refused(Call(ops::SoftmaxGradCall{{RONDO_SOFTMAX, 1, 0, false}}), {row, imagined({4}, RONDO_F64)},
                 "dy has dtype f64 but y has f32");
  expect_refused(Call(ops::CrossEntropyCall{}), {matrix, row}, "labels has dtype f32");
  expect_refused(Call(ops::PadCall{static_cast<rondo_pad_mode>(5), {}, 0}), {row}, "mode is 5");
  expect_refused(Call(ops::PadCall{RONDO_PAD_CONSTANT, {0, -1}, 0}), {row}, "widths[1] is -1");
  expect_refused(Call(ops::PadCall{RONDO_PAD_EDGE, {1, 0}, 0}), {imagined({0})}, "a has size 0 along axis 0");
  expect_refused(Call(ops::TileCall{1, {-1}}), {row}, "counts[0] is -1");
  expect_refused(Call(ops::RepeatCall{-1, 0}), {row}, "count is -1");
  expect_refused(Call(ops::TakeCall{0}), {row, row}, "indices has dtype f32");
  expect_refused(Call(ops::TakeAlongAxisCall{0}), {row, row}, "indices has dtype f32");
  expect_refused(Call(ops::RollCall{{-4}}), {row}, "shifts[0] is -4; less than the size of the axis, 4, is needed");
}

TEST_F(Infer, OperandsThatTheRowDoesNotNameAreRefused) {
  const View row = imagined({4});
  expect_refused(Call(ops::TriangleCall{}), {}, "Triangle has 0 inputs and 1 results; its operands are a -> out");
  expect_refused(Call(ops::TriangleCall{}), {row, row}, "Triangle has 2 inputs");
  expect_refused(Call(ops::TriangleCall{}), {row}, "Triangle has 1 inputs and 2 results", 2);
  expect_refused(Call(ops::SoftmaxCall{RONDO_SOFTMAX, 1, 0, true}), {row}, "Softmax has 1 inputs");
}

TEST_F(Infer, AKindWithoutAFunctionSaysSo) {
  std::vector<ops::ResultType> results(1);
  const Status status = ops::infer_results(Call(ops::FillCall{}), {}, &results);
  EXPECT_EQ(status.code(), RONDO_UNSUPPORTED);
  EXPECT_STREQ(status.message(), "the results of Fill are not inferred");
}

}  // namespace
}  // namespace rondo
