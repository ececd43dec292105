// Operators on elements, rows and matrices. `*_into` writes into a tensor that is there. Part of rondo.hpp, which says
// what holds for all of it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_OPERATORS_HPP
#define RONDO_HPP_OPERATORS_HPP

#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

inline Tensor unary(rondo_unary_op op, const Tensor& a) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_unary(op, a.get(), out); });
}
inline Tensor unary(rondo_unary_op op, const Tensor& a, const std::vector<double>& parameters) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_unary_with(op, a.get(), static_cast<int32_t>(parameters.size()), parameters.data(), out);
  });
}
inline void unary_into(rondo_unary_op op, const Tensor& a, const Tensor& out) {
  into(out, [&](rondo_tensor** given) { return rondo_unary(op, a.get(), given); });
}
inline Tensor binary(rondo_binary_op op, const Tensor& a, const Tensor& b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_binary(op, a.get(), b.get(), out); });
}
inline Tensor binary(rondo_binary_op op, const Tensor& a, const Tensor& b, const std::vector<double>& parameters) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_binary_with(op, a.get(), b.get(), static_cast<int32_t>(parameters.size()), parameters.data(), out);
  });
}
inline void binary_into(rondo_binary_op op, const Tensor& a, const Tensor& b, const Tensor& out) {
  into(out, [&](rondo_tensor** given) { return rondo_binary(op, a.get(), b.get(), given); });
}
inline Tensor binary(rondo_binary_op op, const Tensor& a, double b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_binary_scalar(op, a.get(), b, out); });
}
inline Tensor binary(rondo_binary_op op, double a, const Tensor& b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_scalar_binary(op, a, b.get(), out); });
}
inline Tensor binary_i64(rondo_binary_op op, const Tensor& a, int64_t b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_binary_scalar_i64(op, a.get(), b, out); });
}
inline Tensor binary_i64(rondo_binary_op op, int64_t a, const Tensor& b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_scalar_binary_i64(op, a, b.get(), out); });
}
inline Tensor ternary(rondo_ternary_op op, const Tensor& a, const Tensor& b, const Tensor& c) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_ternary(op, a.get(), b.get(), c.get(), out); });
}
inline Tensor add_n(Tensors tensors) {
  const std::vector<rondo_tensor*> handles = handles_of(tensors);
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_add_n(static_cast<int32_t>(handles.size()), handles.data(), out); });
}
#define RONDO_HPP_OPERATOR(symbol, op)                              \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { \
    return binary(op, a, b);                                        \
  }                                                                 \
  inline Tensor operator symbol(const Tensor& a, double b) {        \
    return binary(op, a, b);                                        \
  }                                                                 \
  inline Tensor operator symbol(double a, const Tensor& b) {        \
    return binary(op, a, b);                                        \
  }
RONDO_HPP_OPERATOR(+, RONDO_ADD)
RONDO_HPP_OPERATOR(-, RONDO_SUB)
RONDO_HPP_OPERATOR(*, RONDO_MUL)
RONDO_HPP_OPERATOR(/, RONDO_DIV)
#undef RONDO_HPP_OPERATOR
inline Tensor operator-(const Tensor& a) {
  return unary(RONDO_NEG, a);
}

// a * op(gate): SwiGLU with RONDO_SILU, GEGLU with RONDO_GELU.
inline Tensor gated(rondo_unary_op op, const Tensor& a, const Tensor& gate) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_gated(op, a.get(), gate.get(), out); });
}
inline Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_where(condition.get(), a.get(), b.get(), out); });
}
inline Tensor cast(const Tensor& a, rondo_dtype dtype) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_cast(a.get(), dtype, out); });
}
inline Tensor copy(const Tensor& a) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_copy(a.get(), out); });
}
inline void copy_into(const Tensor& a, const Tensor& out) {
  into(out, [&](rondo_tensor** given) { return rondo_copy(a.get(), given); });
}
inline Tensor copy_to(const Tensor& a, rondo_device device) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_copy_to(a.get(), device, out); });
}
// Without axes: over all of them.
inline Tensor reduce(rondo_reduce_op op, const Tensor& a, const std::vector<int32_t>& axes = {}, bool keep = false) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_reduce(op, a.get(), static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), keep,
                        out);
  });
}
inline Tensor reduce_with(rondo_reduce_op op, const Tensor& a, const std::vector<double>& parameters,
                          const std::vector<int32_t>& axes = {}, bool keep = false) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_reduce_with(op, a.get(), static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), keep,
                             static_cast<int32_t>(parameters.size()), parameters.data(), out);
  });
}
inline Tensor cumulative(rondo_reduce_op op, const Tensor& a, int32_t axis, bool reverse = false) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_cumulative(op, a.get(), axis, reverse, out); });
}
inline rondo_matmul_options matmul_defaults() {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  return options;
}
inline Tensor matmul(const Tensor& a, const Tensor& b, const rondo_matmul_options& options = matmul_defaults()) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_matmul(a.get(), b.get(), &options, out); });
}
inline Tensor softmax(const Tensor& a, int32_t axis = -1) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_softmax(a.get(), axis, out); });
}
inline Tensor log_softmax(const Tensor& a, int32_t axis = -1) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_log_softmax(a.get(), axis, out); });
}
inline Tensor softmax_grad(const Tensor& y, const Tensor& dy, int32_t axis = -1) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_softmax_grad(y.get(), dy.get(), axis, out); });
}
// lengths: how many elements of each row count; without it, all.
inline Tensor softmax_with(rondo_softmax_op op, const Tensor& a, int32_t axis, double temperature,
                           const Tensor* lengths = nullptr) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_softmax_with(op, a.get(), axis, temperature, lengths ? lengths->get() : nullptr, out);
  });
}
inline Tensor softmax_grad_with(rondo_softmax_op op, const Tensor& y, const Tensor& dy, int32_t axis,
                                double temperature, const Tensor* lengths = nullptr) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_softmax_grad_with(op, y.get(), dy.get(), axis, temperature, lengths ? lengths->get() : nullptr, out);
  });
}
// weight and bias: null, or one element per place of the axis.
inline Tensor layer_norm(const Tensor& a, int32_t axis = -1, const Tensor* weight = nullptr,
                         const Tensor* bias = nullptr, double epsilon = 1e-5) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_layer_norm(a.get(), axis, weight ? weight->get() : nullptr, bias ? bias->get() : nullptr, epsilon,
                            out);
  });
}
inline Tensor rms_norm(const Tensor& a, int32_t axis = -1, const Tensor* weight = nullptr, double epsilon = 1e-5) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_rms_norm(a.get(), axis, weight ? weight->get() : nullptr, epsilon, out);
  });
}
inline Tensor cross_entropy(const Tensor& logits, const Tensor& labels) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_cross_entropy(logits.get(), labels.get(), out); });
}
inline Tensor cross_entropy_grad(const Tensor& logits, const Tensor& labels, double scale) {
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_cross_entropy_grad(logits.get(), labels.get(), scale, out); });
}
struct Dropout {
  Tensor out, mask;
};
inline Dropout dropout(const Tensor& a, double p) {
  rondo_tensor *out = nullptr, *mask = nullptr;
  check(rondo_dropout(a.get(), p, &out, &mask));
  return {Tensor(out), Tensor(mask)};
}
inline Tensor dropout_grad(const Tensor& dy, const Tensor& mask, double p) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_dropout_grad(dy.get(), mask.get(), p, out); });
}
inline Tensor one_hot(const Tensor& indices, int64_t depth, rondo_dtype dtype) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_one_hot(indices.get(), depth, dtype, out); });
}
inline Tensor gather_rows(const Tensor& table, const Tensor& indices) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_gather_rows(table.get(), indices.get(), out); });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_OPERATORS_HPP
