// Declares the operators, as the C API calls them (rondo/ops.h says what each does). Arguments that are handles have
// been checked to be alive; everything else is checked here. One family per .cc file: elementwise.cc, random.cc,
// reduce.cc, matmul.cc, softmax.cc, cross_entropy.cc, indexing.cc, transfer.cc.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/ops.h>

#include "ops/operators/enumerators.h"
#include "ops/operators/scalar.h"
#include "ops/task/output.h"

namespace rondo::ops {

// parameters: as many as the operator has, or null for its defaults.
Status unary(rondo_unary_op op, const View& a, int n_parameters, const double* parameters, Output& out);
Status binary(rondo_binary_op op, const View& a, const View& b, int n_parameters, const double* parameters,
              Output& out);
Status ternary(rondo_ternary_op op, const View& a, const View& b, const View& c, Output& out);
// At least one tensor, at most kMostAddends.
inline constexpr int kMostAddends = 16;
Status add_n(std::span<const View* const> tensors, Output& out);
// reversed: scalar op a.
Status binary_scalar(rondo_binary_op op, const View& a, Scalar scalar, bool reversed, Output& out);
// a times an activation of the gate.
Status gated(rondo_unary_op op, const View& a, const View& gate, Output& out);
Status where(const View& condition, const View& a, const View& b, Output& out);
Status cast(const View& a, rondo_dtype dtype, Output& out);
Status fill(const View& tensor, Scalar value);
// Same device: an elementwise task. Other devices: transfer.cc.
Status copy(const View& a, Output& out);
Status copy_to(const View& a, Device& device, Output& out);
// The elementwise copy that the others build on: `to` = `from` broadcast, same device; dtypes may differ (a cast).
Status copy_elements(const View& from, const View& to);

// Random operators: out given or made of (device, dtype, shape).
struct NewTensor {
  Engine* engine;
  Device* device;
  rondo_dtype dtype;
  Layout shape;
};
Status random_uniform(const NewTensor& made, double low, double high, Output& out);
Status random_normal(const NewTensor& made, double mean, double deviation, Output& out);
// 0 to n - 1 in a random order. made: without a shape.
Status random_permutation(const NewTensor& made, int64_t n, Output& out);
Status dropout(const View& a, double p, Output& out, Output& mask);
Status dropout_grad(const View& dy, const View& mask, double p, Output& out);

// parameters: as for unary.
Status reduce(rondo_reduce_op op, const View& a, int n_axes, const int32_t* axes, bool keep_dims, int n_parameters,
              const double* parameters, Output& out);
inline Status reduce(rondo_reduce_op op, const View& a, int n_axes, const int32_t* axes, bool keep_dims, Output& out) {
  return reduce(op, a, n_axes, axes, keep_dims, 0, nullptr, out);
}
// reverse: from the last element on.
Status cumulative(rondo_reduce_op op, const View& a, int axis, bool reverse, Output& out);

struct MatmulOptions {
  bool transpose_a = false, transpose_b = false;
  const View* bias = nullptr;
  rondo_activation activation = RONDO_ACTIVATION_NONE;
  bool allow_tf32 = false;
};
Status matmul(const View& a, const View& b, const MatmulOptions& options, Output& out);
// The same of whole numbers of 8 bits; a zero point may be null.
Status matmul_integer(const View& a, const View& b, const View* a_zero, const View* b_zero, Output& out);

struct SoftmaxOptions {
  rondo_softmax_op op = RONDO_SOFTMAX;
  double temperature = 1;
  const View* lengths = nullptr;  // how many elements of each row count
};
// Name of a softmax; null for a number that is none.
const char* softmax_name(int op);
Status softmax(const SoftmaxOptions& options, const View& a, int axis, Output& out);
inline Status softmax(bool log, const View& a, int axis, Output& out) {
  return softmax(SoftmaxOptions{log ? RONDO_LOG_SOFTMAX : RONDO_SOFTMAX}, a, axis, out);
}
Status softmax_grad(const SoftmaxOptions& options, const View& y, const View& dy, int axis, Output& out);
inline Status softmax_grad(const View& y, const View& dy, int axis, Output& out) {
  return softmax_grad(SoftmaxOptions{}, y, dy, axis, out);
}
// A normalisation of rows. weight and bias: null, or one element per place.
Status normalise(Normalisation op, const View& a, int axis, const View* weight, const View* bias, double epsilon,
                 Output& out);
Status cross_entropy(const View& logits, const View& labels, Output& out);
Status cross_entropy_grad(const View& logits, const View& labels, double scale, Output& out);

Status one_hot(const View& indices, int64_t depth, rondo_dtype dtype, Output& out);
Status gather_rows(const View& table, const View& indices, Output& out);

// Host copies (transfer.cc).
Status write_from_host(const View& to, const void* data, size_t bytes);
// The same for a tensor that no other thread knows yet: no task is needed on a cpu.
Status initialise_from_host(const View& to, const void* data, size_t bytes);
Status read_to_host(const View& from, void* data);

}  // namespace rondo::ops
