// Operators on elements, rows and matrices. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_OPERATORS_HPP
#define RONDO_HPP_OPERATORS_HPP

#include <rondo/hpp/generated/binary.hpp>
#include <rondo/hpp/generated/reduce.hpp>
#include <rondo/hpp/generated/ternary.hpp>
#include <rondo/hpp/generated/unary.hpp>
#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

inline Tensor add_n(const Tensors& tensors) {
  return Tensor::made_by(tensors.engine(),
                         [&](rondo_tensor** out) { return rondo_add_n(tensors.count(), tensors.data(), out); });
}
// Limited to two numbers.
inline Tensor clamp(const Tensor& a, Number low, Number high) {
  return clip(a, low.f64(), high.f64());
}

// a * op(gate): SwiGLU with RONDO_SILU, GEGLU with RONDO_GELU.
inline Tensor gated(rondo_unary_op op, const Tensor& a, const Tensor& gate) {
  return a.made([&](rondo_tensor** out) { return rondo_gated(op, a.get(), gate.get(), out); });
}
inline Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return condition.made([&](rondo_tensor** out) { return rondo_where(condition.get(), a.get(), b.get(), out); });
}
inline Tensor cast(const Tensor& a, rondo_dtype dtype) {
  return a.made([&](rondo_tensor** out) { return rondo_cast(a.get(), dtype, out); });
}
inline Tensor astype(const Tensor& a, rondo_dtype dtype) {
  return a.astype(dtype);
}
inline Tensor copy(const Tensor& a) {
  return a.made([&](rondo_tensor** out) { return rondo_copy(a.get(), out); });
}
inline const Tensor& copy_into(const Tensor& a, const Tensor& out) {
  return detail::into(out, [&](rondo_tensor** given) { return rondo_copy(a.get(), given); });
}
inline Tensor copy_to(const Tensor& a, rondo_device device) {
  return a.made([&](rondo_tensor** out) { return rondo_copy_to(a.get(), device, out); });
}
inline Tensor cumulative(rondo_reduce_op op, const Tensor& a, int32_t axis, bool reverse = false) {
  return a.made([&](rondo_tensor** out) { return rondo_cumulative(op, a.get(), axis, reverse, out); });
}
inline Tensor cumsum(const Tensor& a, int32_t axis) {
  return cumulative(RONDO_SUM, a, axis);
}
inline Tensor cumprod(const Tensor& a, int32_t axis) {
  return cumulative(RONDO_PROD, a, axis);
}
inline rondo_matmul_options matmul_defaults() {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  return options;
}
inline Tensor matmul(const Tensor& a, const Tensor& b, const rondo_matmul_options& options = matmul_defaults()) {
  return a.made([&](rondo_tensor** out) { return rondo_matmul(a.get(), b.get(), &options, out); });
}
// The exact product of u8 and i8, less their zero points, in i32.
inline Tensor matmul_integer(const Tensor& a, const Tensor& b, const Tensor* a_zero = nullptr,
                             const Tensor* b_zero = nullptr) {
  return a.made([&](rondo_tensor** out) {
    return rondo_matmul_integer(a.get(), b.get(), a_zero ? a_zero->get() : nullptr, b_zero ? b_zero->get() : nullptr,
                                out);
  });
}
inline Tensor softmax(const Tensor& a, int32_t axis = -1) {
  return a.made([&](rondo_tensor** out) { return rondo_softmax(a.get(), axis, out); });
}
inline Tensor log_softmax(const Tensor& a, int32_t axis = -1) {
  return a.made([&](rondo_tensor** out) { return rondo_log_softmax(a.get(), axis, out); });
}
inline Tensor softmax_grad(const Tensor& y, const Tensor& dy, int32_t axis = -1) {
  return y.made([&](rondo_tensor** out) { return rondo_softmax_grad(y.get(), dy.get(), axis, out); });
}
// lengths: how many elements of each row count; without it, all.
inline Tensor softmax_with(rondo_softmax_op op, const Tensor& a, int32_t axis, double temperature,
                           const Tensor* lengths = nullptr) {
  return a.made([&](rondo_tensor** out) {
    return rondo_softmax_with(op, a.get(), axis, temperature, lengths ? lengths->get() : nullptr, out);
  });
}
inline Tensor softmax_grad_with(rondo_softmax_op op, const Tensor& y, const Tensor& dy, int32_t axis,
                                double temperature, const Tensor* lengths = nullptr) {
  return y.made([&](rondo_tensor** out) {
    return rondo_softmax_grad_with(op, y.get(), dy.get(), axis, temperature, lengths ? lengths->get() : nullptr, out);
  });
}
// weight and bias: null, or one element per place of the axis.
inline Tensor layer_norm(const Tensor& a, int32_t axis = -1, const Tensor* weight = nullptr,
                         const Tensor* bias = nullptr, double epsilon = 1e-5) {
  return a.made([&](rondo_tensor** out) {
    return rondo_layer_norm(a.get(), axis, weight ? weight->get() : nullptr, bias ? bias->get() : nullptr, epsilon,
                            out);
  });
}
inline Tensor rms_norm(const Tensor& a, int32_t axis = -1, const Tensor* weight = nullptr, double epsilon = 1e-5) {
  return a.made([&](rondo_tensor** out) {
    return rondo_rms_norm(a.get(), axis, weight ? weight->get() : nullptr, epsilon, out);
  });
}
inline Tensor cross_entropy(const Tensor& logits, const Tensor& labels) {
  return logits.made([&](rondo_tensor** out) { return rondo_cross_entropy(logits.get(), labels.get(), out); });
}
inline Tensor cross_entropy_grad(const Tensor& logits, const Tensor& labels, double scale) {
  return logits.made(
      [&](rondo_tensor** out) { return rondo_cross_entropy_grad(logits.get(), labels.get(), scale, out); });
}
struct Dropout {
  Tensor out, mask;
};
inline Dropout dropout(const Tensor& a, double p) {
  detail::Made made(2, a.engine());
  throw_on_failure(rondo_dropout(a.get(), p, made.at(0), made.at(1)));
  return {made.take(0), made.take(1)};
}
inline Tensor dropout_grad(const Tensor& dy, const Tensor& mask, double p) {
  return dy.made([&](rondo_tensor** out) { return rondo_dropout_grad(dy.get(), mask.get(), p, out); });
}
inline Tensor one_hot(const Tensor& indices, int64_t depth, rondo_dtype dtype) {
  return indices.made([&](rondo_tensor** out) { return rondo_one_hot(indices.get(), depth, dtype, out); });
}
inline Tensor gather_rows(const Tensor& table, const Tensor& indices) {
  return table.made([&](rondo_tensor** out) { return rondo_gather_rows(table.get(), indices.get(), out); });
}

// Whether two tensors have the same dtype, shape and elements; NaN equals nothing. Waits.
inline bool equal(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && all(eq(a, b)).item<bool>();
}
// Whether |a - b| <= absolute + relative * |b| for all elements, broadcast. Whole numbers are compared as f64. Waits.
inline bool allclose(const Tensor& a, const Tensor& b, double relative = 1e-5, double absolute = 1e-8) {
  const auto real = [](const Tensor& t) {
    const rondo_dtype dtype = t.dtype();
    return dtype == RONDO_F16 || dtype == RONDO_BF16 || dtype == RONDO_F32 ? t : t.to(RONDO_F64);
  };
  const Tensor x = real(a), y = real(b);
  return all(logical_or(eq(x, y), le(abs(x - y), abs(y) * relative + absolute))).item<bool>();
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_OPERATORS_HPP
