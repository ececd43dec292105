// Declares the functions that translate nodes, by the table of operators, and finds their rows.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx/translate/call.h"

namespace rondo_onnx {

// --- elementwise.cc
void elementwise_unary(Call& call, rondo_unary_op op);
void elementwise_binary(Call& call, rondo_binary_op op);
void elementwise_variadic(Call& call, rondo_binary_op op);
template <rondo_unary_op op>
void unary(Call& call) {
  elementwise_unary(call, op);
}
template <rondo_binary_op op>
void binary(Call& call) {
  elementwise_binary(call, op);
}
template <rondo_binary_op op>
void variadic(Call& call) {
  elementwise_variadic(call, op);
}
void bit_shift(Call& call);
// A cast to an 8-bit float in which numbers that are too large become NaN, or infinite where the type has that.
Tensor unsaturated(const Call& call, const Tensor& x, rondo_dtype dtype);
void cast_like(Call& call);
void cast_node(Call& call);
void clip_node(Call& call);
void dropout_node(Call& call);
void identity(Call& call);
void is_inf(Call& call);
void swiglu(Call& call);
void mean_node(Call& call);
void mod_node(Call& call);
void pow_node(Call& call);
void where_node(Call& call);

// --- activations.cc
void celu(Call& call);
void elu(Call& call);
void fast_gelu(Call& call);
void gelu_node(Call& call);
void hard_sigmoid(Call& call);
void leaky_relu(Call& call);
void prelu(Call& call);
void quick_gelu(Call& call);
void selu(Call& call);
void shrink(Call& call);
void swish(Call& call);
void thresholded_relu(Call& call);

// --- caches.cc
void causal_convolution(Call& call);
void group_query_attention(Call& call);
void linear_attention(Call& call);
void tensor_scatter(Call& call);

// --- constants.cc
void constant_node(Call& call);
void constant_of_shape(Call& call);
void eye_like(Call& call);
void range(Call& call);
void shape_node(Call& call);
void size_node(Call& call);

// --- limits.cc
void compress(Call& call);
void non_max_suppression(Call& call);
void nonzero_node(Call& call);
void unique_node(Call& call);

// --- shapes.cc
void concat_node(Call& call);
void center_crop_pad(Call& call);
void depth_to_space(Call& call);
void expand_node(Call& call);
void flatten_node(Call& call);
void pad_node(Call& call);
void reshape_node(Call& call);
void slice_node(Call& call);
void space_to_depth(Call& call);
void split_node(Call& call);
void squeeze_node(Call& call);
void tile_node(Call& call);
void transpose_node(Call& call);
void trilu(Call& call);
void unsqueeze_node(Call& call);

// --- indices.cc
void gather(Call& call);
void gather_elements(Call& call);
void gather_nd(Call& call);
void one_hot_node(Call& call);
void reverse_sequence(Call& call);
void scatter_elements(Call& call);
void scatter_nd(Call& call);
void topk_node(Call& call);

// --- reductions.cc
void arg_reduction(Call& call, rondo_reduce_op op);
void cumulative_reduction(Call& call, rondo_reduce_op op);
void reduction(Call& call, rondo_reduce_op op);
template <rondo_reduce_op op>
void arg_reduce(Call& call) {
  arg_reduction(call, op);
}
template <rondo_reduce_op op>
void cumulative_node(Call& call) {
  cumulative_reduction(call, op);
}
template <rondo_reduce_op op>
void reduce_node(Call& call) {
  reduction(call, op);
}
void reduce_log_sum(Call& call);
void reduce_sum_square(Call& call);

// --- rows.cc
void group_normalization(Call& call);
void hardmax(Call& call);
void instance_normalization(Call& call);
void layer_normalization(Call& call);
void lp_normalization(Call& call);
void mean_variance_normalization(Call& call);
void negative_log_likelihood(Call& call);
void rms_normalization(Call& call);
void skip_layer_normalization(Call& call);
void softmax_cross_entropy(Call& call);
void softmax_rows(Call& call, rondo_softmax_op op);
template <rondo_softmax_op op>
void softmax_node(Call& call) {
  softmax_rows(call, op);
}

// --- products.cc
void einsum(Call& call);
void fused_matmul(Call& call);
void gemm(Call& call);
void matmul_node(Call& call);
// A product as MatMul of ONNX has it: vectors too, and whole numbers, exactly.
Tensor matrix_product(const Tensor& a, const Tensor& b);

// --- images.cc
void average_pool(Call& call);
void batch_normalization(Call& call);
void convolution_node(Call& call);
void convolution_transposed(Call& call);
void global_reduction(Call& call, rondo_reduce_op op);
template <rondo_reduce_op op>
void global_pool(Call& call) {
  global_reduction(call, op);
}
void local_response(Call& call);
void lp_pool(Call& call);
void max_pool_node(Call& call);
// The convolution of a node with its attributes, of these operands; bias may be null.
Tensor convolved(Call& call, const Tensor& x, const Tensor& w, const Tensor* bias, int64_t more = 0);
// The same of u8 and i8 less their zero points, in i32, as a product: x's is one number, w's one or one for each
// filter, and each may be none. An empty tensor where that would be no gain.
Tensor integer_convolved(Call& call, const Tensor& x, const Tensor& w, const Tensor& x_zero, const Tensor& w_zero);

// --- attention.cc
void attention_node(Call& call);
// x is [batch, places, heads, size]; the tables broadcast to [batch, places, 1, half of what is turned].
Tensor rotary_turned(const Tensor& x, const Tensor& cosines, const Tensor& sines, int64_t width, bool interleaved);
void rotary_embedding(Call& call);

// --- recurrent.cc
void gru_node(Call& call);
void lstm_node(Call& call);
void rnn_node(Call& call);

// --- regions.cc
void column_to_image(Call& call);
void max_unpool(Call& call);
void roi_align(Call& call);

// --- resize.cc
void resize_node(Call& call);
void upsample(Call& call);

// --- sampling.cc
void affine_grid(Call& call);
void grid_sample(Call& call);

// --- quantized.cc
void convolution_integer(Call& call);
void dequantize_linear(Call& call);
void dynamic_quantize_linear(Call& call);
void matmul_integer(Call& call);
void matmul_nbits(Call& call);
void quantize_linear(Call& call);
void quantized_convolution(Call& call);
void quantized_matmul(Call& call);
void quantized_binary(Call& call, rondo_binary_op op);
template <rondo_binary_op op>
void quantized(Call& call) {
  quantized_binary(call, op);
}
void quantized_concat(Call& call);
void quantized_gemm(Call& call);
void quantized_global_average(Call& call);
void quantized_leaky_relu(Call& call);
void quantized_sigmoid(Call& call);

struct OperatorRow {
  const char* domain;
  const char* name;
  int64_t since;
  void (*translate)(Call&);  // null: the converter walks such nodes itself
};
// The row for an operator of a model of that version; null: there is none. *known: it has rows of later versions.
const OperatorRow* find_operator(const std::string& domain, const std::string& name, int64_t opset, bool* known);
// All rows, in the order of the table; null where there are not as many.
const OperatorRow* operator_row(int64_t index);

}  // namespace rondo_onnx
