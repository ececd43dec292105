// Infers the results of elementwise operators, products, joined tensors, images and attention: those that eager calls
// make, worked out here once more; and errors for operands and attributes that do not go together.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "infer_fixture.h"

namespace rondo {
namespace {

using InferKinds = Infer;

TEST_F(InferKinds, ElementwiseGivesWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    // Of each axis either may have one element for all of the other's.
    const Shape shape = random_shape(0, 4);
    Shape mine = shape, theirs = shape;
    for (size_t d = 0; d < shape.size(); ++d)
      if (between(0, 2) == 0) (between(0, 1) ? mine : theirs)[d] = 1;
    Shape both = shape;
    for (size_t d = 0; d < shape.size(); ++d) both[d] = mine[d] == 1 ? theirs[d] : mine[d];
    const rondo_dtype dtype = float_dtype();
    rondo_tensor *const a = operand(mine, dtype), *const b = operand(theirs, dtype);
    rondo_tensor* const condition = operand(mine, RONDO_BOOL);
    for (const rondo_binary_op op : {RONDO_ADD, RONDO_LT})
      expect(Call(ops::ElementwiseCall{ops::find_binary(op), dtype, false, false, {}}), {a, b},
             op == RONDO_LT ? RONDO_BOOL : dtype, both,
             [&](rondo_tensor** out) { return rondo_binary(op, a, b, out); });
    expect(Call(ops::ElementwiseCall{ops::find_binary(RONDO_MUL), dtype, true, true, {}}), {a}, dtype, mine,
           [&](rondo_tensor** out) { return rondo_scalar_binary(RONDO_MUL, 2, a, out); });
    expect(Call(ops::WhereCall{}), {condition, a, b}, dtype, both,
           [&](rondo_tensor** out) { return rondo_where(condition, a, b, out); });
    expect(Call(ops::GatedCall{ops::find_unary(RONDO_SILU), dtype, {}}), {a, b}, dtype, both,
           [&](rondo_tensor** out) { return rondo_gated(RONDO_SILU, a, b, out); });
    rondo_tensor* const tensors[] = {a, b, a};
    expect(Call(ops::AddNCall{}), {a, b, a}, dtype, both,
           [&](rondo_tensor** out) { return rondo_add_n(3, tensors, out); });
    expect_all(Call(ops::DropoutCall{0.5}), {a}, {{dtype, mine}, {RONDO_U8, mine}},
               [&](rondo_tensor** out, rondo_tensor** mask) { return rondo_dropout(a, 0.5, out, mask); });
    expect_all(Call(ops::CopyCall{}), {a}, {{RONDO_I32, mine}},
               [&](rondo_tensor** out, rondo_tensor**) { return rondo_cast(a, RONDO_I32, out); }, {{RONDO_I32, mine}});
  }
}

TEST_F(InferKinds, IntegerProductsGiveWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const auto m = between<int64_t>(0, 4), n = between<int64_t>(0, 4), k = between<int64_t>(0, 4),
               batch = between<int64_t>(1, 3);
    const rondo_dtype left = one_of({RONDO_U8, RONDO_I8}), right = one_of({RONDO_U8, RONDO_I8});
    rondo_tensor *const a = operand({batch, m, k}, left), *const b = operand({k, n}, right);
    rondo_tensor* const a_zero = between(0, 1) ? operand({m, 1}, left) : nullptr;
    rondo_tensor* const b_zero = between(0, 1) ? operand({n}, right) : nullptr;
    std::vector<rondo_tensor*> operands = {a, b};
    if (a_zero) operands.push_back(a_zero);
    if (b_zero) operands.push_back(b_zero);
    expect(Call(ops::MatmulIntegerCall{a_zero != nullptr, b_zero != nullptr}), operands, RONDO_I32, {batch, m, n},
           [&](rondo_tensor** out) { return rondo_matmul_integer(a, b, a_zero, b_zero, out); });
  }
}

TEST_F(InferKinds, ProductsGiveWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const rondo_dtype dtype = float_dtype();
    const auto m = between<int64_t>(0, 4), n = between<int64_t>(0, 4), k = between<int64_t>(0, 4),
               batch = between<int64_t>(1, 3);
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.transpose_a = between(0, 1);
    options.transpose_b = between(0, 1);
    rondo_tensor* const a = operand(options.transpose_a ? Shape{batch, k, m} : Shape{batch, m, k}, dtype);
    rondo_tensor* const b = operand(options.transpose_b ? Shape{n, k} : Shape{k, n}, dtype);
    rondo_tensor* const bias = operand({n}, dtype);
    if (between(0, 1)) options.bias = bias;
    std::vector<rondo_tensor*> operands = {a, b};
    if (options.bias) operands.push_back(bias);
    expect(Call(ops::MatmulCall{options.transpose_a != 0, options.transpose_b != 0, options.bias != nullptr, false,
                                RONDO_ACTIVATION_NONE}),
           operands, dtype, {batch, m, n}, [&](rondo_tensor** out) { return rondo_matmul(a, b, &options, out); });
  }
}

TEST_F(InferKinds, JoinedAndChosenGiveWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const Shape shape = random_shape(1, 4);
    const rondo_dtype dtype = computed_dtype();
    const int axis = between<int>(0, static_cast<int>(shape.size()) - 1);
    const auto along = static_cast<size_t>(axis);
    Shape longer = shape, joined = shape, kept = shape;
    longer[along] = between<int64_t>(0, 4);
    joined[along] += longer[along];
    kept[along] = between<int64_t>(0, shape[along]);
    rondo_tensor *const a = operand(shape, dtype), *const b = operand(longer, dtype);
    rondo_tensor* const tensors[] = {a, b};
    expect(Call(ops::ConcatCall{axis}), {a, b}, dtype, joined,
           [&](rondo_tensor** out) { return rondo_concat(2, tensors, axis, out); });
    expect_all(
        Call(ops::SortCall{axis, true, true, true}), {a}, {{dtype, kept}, {RONDO_I64, kept}},
        [&](rondo_tensor** out, rondo_tensor** indices) { return rondo_topk(a, kept[along], axis, 1, out, indices); },
        {{dtype, kept}, {RONDO_I64, kept}});
    expect(Call(ops::SortCall{axis, false, false, true}), {a}, RONDO_I64, shape,
           [&](rondo_tensor** out) { return rondo_argsort(a, axis, 0, out); });
    const auto limit = between<int64_t>(0, 5);
    expect_all(Call(ops::NonzeroCall{limit, -1, static_cast<int>(shape.size())}), {a},
               {{RONDO_I64, {limit, static_cast<int64_t>(shape.size())}}, {RONDO_I64, {}}},
               [&](rondo_tensor** out, rondo_tensor** count) { return rondo_nonzero_limit(a, limit, -1, out, count); },
               {{RONDO_I64, {0, 0}}, {RONDO_I64, {}}});
    rondo_tensor* const indices = operand(shape, index_dtype());
    Shape deep = shape;
    deep.push_back(limit);
    expect_all(Call(ops::OneHotCall{limit}), {indices}, {{RONDO_F16, deep}},
               [&](rondo_tensor** out, rondo_tensor**) { return rondo_one_hot(indices, limit, RONDO_F16, out); },
               {{RONDO_F16, {}}});
  }
}

TEST_F(InferKinds, ImagesGiveWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const rondo_dtype dtype = float_dtype();
    const auto size = between<int64_t>(3, 9), kernel = between<int64_t>(1, 3), stride = between<int64_t>(1, 3);
    const int64_t parts = 1 + size / 2;
    rondo_tensor *const x = operand({2, 4, size}, dtype), *const w = operand({6, 2, kernel}, dtype);
    rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
    options.groups = 2;
    options.stride[0] = stride;
    ops::ConvolutionCall call{};
    call.options.groups = 2;
    call.options.stride[0] = stride;
    const int64_t made = (size - kernel) / stride + 1;
    expect(Call(call), {x, w}, dtype, {2, 6, made},
           [&](rondo_tensor** out) { return rondo_convolution(x, w, &options, out); });
    rondo_tensor* const dy = operand({2, 6, made}, dtype);
    expect(Call(ops::ConvolutionFilterGradCall{call.options, {kernel}}), {x, dy}, dtype, {6, 2, kernel},
           [&](rondo_tensor** out) { return rondo_convolution_filter_grad(x, dy, 1, &kernel, &options, out); });
    ops::Windows windows;
    windows.count = 1;
    windows.axis[0].rule = ops::WindowRule::adaptive;
    windows.axis[0].in = size;
    windows.axis[0].out = parts;
    windows.axis[0].stride = windows.axis[0].dilation = 1;
    windows.axis[0].size = size % parts == 0 ? size / parts : size / parts + 2;
    expect(Call(ops::WindowCall{windows, false, false, x->view.layout}), {x}, dtype, {2, 4, parts},
           [&](rondo_tensor** out) { return rondo_adaptive_avg_pool(x, 1, &parts, out); });
  }
}

TEST_F(InferKinds, AttentionGivesWhatEagerCallsMake) {
  for (int round = 0; round < kRounds; ++round) {
    const rondo_dtype dtype = float_dtype();
    const auto batch = between<int64_t>(1, 2), queries = between<int64_t>(0, 4), keys = between<int64_t>(1, 4),
               shared = between<int64_t>(1, 2);
    const Shape of_q = {batch, queries, 2 * shared, 4}, of_k = {batch, keys, 2, 4};
    rondo_tensor *const q = operand(of_q, dtype), *const k = operand(of_k, dtype), *const v = operand(of_k, dtype);
    expect_all(Call(ops::AttentionCall{{0, 0, 0, -1, -1, false}, false, false, false}), {q, k, v},
               {{dtype, of_q}, {dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32, {batch, 2 * shared, queries}}},
               [&](rondo_tensor** out, rondo_tensor** lse) { return rondo_attention(q, k, v, nullptr, out, lse); });
  }
}

TEST_F(InferKinds, OperandsThatDoNotGoTogetherAreRefused) {
  const View row = imagined({4}), other = imagined({3}), matrix = imagined({4, 4}), whole = imagined({4}, RONDO_I32);
  const ops::Operator* const add = ops::find_binary(RONDO_ADD);
  expect_refused(Call(ops::ElementwiseCall{add, RONDO_F32, false, false, {}}), {row, other},
                 "a of shape [4] and b of shape [3] do not broadcast together");
  expect_refused(Call(ops::ElementwiseCall{add, RONDO_F32, false, false, {}}), {row}, "add has 1 inputs");
  expect_refused(Call(ops::ElementwiseCall{add, RONDO_F64, false, false, {}}), {row, row}, "computed is f64");
  expect_refused(Call(ops::ElementwiseCall{}), {row}, "row is missing");
  expect_refused(Call(ops::FusedCall{}), {row}, "there is no expression");
  expect_refused(Call(ops::WhereCall{}), {row, row, row}, "condition has dtype f32");
  expect_refused(Call(ops::AddNCall{}), {}, "0 tensors cannot be added");
  expect_refused(Call(ops::GatedCall{}), {row, row}, "row is an operator that is missing");
  expect_refused(Call(ops::DropoutCall{1}), {row}, "p is 1", 2);
  expect_refused(Call(ops::MatmulCall{}), {row, matrix}, "a has 1 dimensions");
  expect_refused(Call(ops::MatmulCall{}), {matrix, imagined({3, 4})}, "a [4, 4] has 4 columns");
  const View bytes = imagined({4, 4}, RONDO_U8), signed_bytes = imagined({4, 4}, RONDO_I8);
  expect_refused(Call(ops::MatmulIntegerCall{}), {matrix, bytes}, "a has dtype f32; u8 or i8 is needed");
  expect_refused(Call(ops::MatmulIntegerCall{}), {bytes, imagined({3, 4}, RONDO_I8)}, "a [4, 4] has 4 columns");
  expect_refused(Call(ops::MatmulIntegerCall{true, false}), {bytes, signed_bytes, signed_bytes}, "a_zero");
  expect_refused(Call(ops::MatmulIntegerCall{false, true}), {bytes, signed_bytes, signed_bytes}, "with one row");
  expect_refused(Call(ops::ConcatCall{1}), {matrix, imagined({3, 4})}, "tensors[1] has shape [3, 4]");
  expect_refused(Call(ops::PutCall{0, false, true}), {row, row, row}, "indices has dtype f32");
  expect_refused(Call(ops::PutCall{0, false, true}), {whole, other, row}, "values has shape [3]");
  expect_refused(Call(ops::OneHotCall{-1}), {whole}, "depth is -1");
  expect_refused(Call(ops::NonzeroCall{-1, 0, 1}), {row}, "limit is -1", 2);
  expect_refused(Call(ops::NormalisationGradCall{ops::Normalisation{}, false, 0, 0}), {row, other}, "dy is f32 [3]");
  expect_refused(Call(ops::NormalisationCall{ops::Normalisation{}, false, false, 1, 0}), {row}, "axis is 1");
  expect_refused(Call(ops::RotaryCall{{0, 10000, 0, false, false}, false}), {row}, "x has shape [4]");
  expect_refused(Call(ops::EmbeddingBagCall{false, true}), {whole, whole}, "there are no tables");
  expect_refused(Call(ops::GlobalNormCall{}), {whole}, "tensors[0] is i32 [4]");
  expect_refused(Call(ops::RecurrentCall{}), {row}, "x has shape [4]");
  expect_refused(Call(ops::RecurrentGradCall{}), {row, row}, "it has 2 inputs");
}

}  // namespace
}  // namespace rondo
