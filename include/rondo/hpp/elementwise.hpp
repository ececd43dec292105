// What the operators that tables list are made of. `*_into` writes into a tensor that is there, and returns it. Part of
// rondo.hpp, which says what holds for all of it. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#ifndef RONDO_HPP_ELEMENTWISE_HPP
#define RONDO_HPP_ELEMENTWISE_HPP

#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

namespace detail {

// A number reaches the operator as what it is, whole or not.
inline rondo_status binary(rondo_binary_op op, const Tensor& a, Number b, rondo_tensor** out) {
  return b.whole() ? rondo_binary_scalar_i64(op, a.get(), b.i64(), out)
                   : rondo_binary_scalar(op, a.get(), b.f64(), out);
}
inline rondo_status binary(rondo_binary_op op, Number a, const Tensor& b, rondo_tensor** out) {
  return a.whole() ? rondo_scalar_binary_i64(op, a.i64(), b.get(), out)
                   : rondo_scalar_binary(op, a.f64(), b.get(), out);
}
inline rondo_status unary(rondo_unary_op op, const Tensor& a, const std::vector<double>& parameters,
                          rondo_tensor** out) {
  return rondo_unary_with(op, a.get(), count(parameters.size(), "rondo::unary: parameters"), parameters.data(), out);
}

}  // namespace detail

inline Tensor unary(rondo_unary_op op, const Tensor& a) {
  return a.made([&](rondo_tensor** out) { return rondo_unary(op, a.get(), out); });
}
inline Tensor unary(rondo_unary_op op, const Tensor& a, const std::vector<double>& parameters) {
  return a.made([&](rondo_tensor** out) { return detail::unary(op, a, parameters, out); });
}
inline const Tensor& unary_into(rondo_unary_op op, const Tensor& a, const Tensor& out) {
  return detail::into(out, [&](rondo_tensor** given) { return rondo_unary(op, a.get(), given); });
}
inline const Tensor& unary_into(rondo_unary_op op, const Tensor& a, const std::vector<double>& parameters,
                                const Tensor& out) {
  return detail::into(out, [&](rondo_tensor** given) { return detail::unary(op, a, parameters, given); });
}

inline Tensor binary(rondo_binary_op op, const Tensor& a, const Tensor& b) {
  return a.made([&](rondo_tensor** out) { return rondo_binary(op, a.get(), b.get(), out); });
}
inline Tensor binary(rondo_binary_op op, const Tensor& a, const Tensor& b, const std::vector<double>& parameters) {
  return a.made([&](rondo_tensor** out) {
    return rondo_binary_with(op, a.get(), b.get(), detail::count(parameters.size(), "rondo::binary: parameters"),
                             parameters.data(), out);
  });
}
inline Tensor binary(rondo_binary_op op, const Tensor& a, Number b) {
  return a.made([&](rondo_tensor** out) { return detail::binary(op, a, b, out); });
}
inline Tensor binary(rondo_binary_op op, Number a, const Tensor& b) {
  return b.made([&](rondo_tensor** out) { return detail::binary(op, a, b, out); });
}
inline const Tensor& binary_into(rondo_binary_op op, const Tensor& a, const Tensor& b, const Tensor& out) {
  return detail::into(out, [&](rondo_tensor** given) { return rondo_binary(op, a.get(), b.get(), given); });
}
inline const Tensor& binary_into(rondo_binary_op op, const Tensor& a, Number b, const Tensor& out) {
  return detail::into(out, [&](rondo_tensor** given) { return detail::binary(op, a, b, given); });
}
inline const Tensor& binary_into(rondo_binary_op op, Number a, const Tensor& b, const Tensor& out) {
  return detail::into(out, [&](rondo_tensor** given) { return detail::binary(op, a, b, given); });
}

inline Tensor ternary(rondo_ternary_op op, const Tensor& a, const Tensor& b, const Tensor& c) {
  return a.made([&](rondo_tensor** out) { return rondo_ternary(op, a.get(), b.get(), c.get(), out); });
}

// Without axes: over all of them. `keep` keeps reduced axes with size 1.
inline Tensor reduce(rondo_reduce_op op, const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return a.made(
      [&](rondo_tensor** out) { return rondo_reduce(op, a.get(), axes.count(), axes.data(), keep ? 1 : 0, out); });
}
inline Tensor reduce_with(rondo_reduce_op op, const Tensor& a, const std::vector<double>& parameters,
                          const Axes& axes = {}, bool keep = false) {
  return a.made([&](rondo_tensor** out) {
    return rondo_reduce_with(op, a.get(), axes.count(), axes.data(), keep ? 1 : 0,
                             detail::count(parameters.size(), "rondo::reduce_with: parameters"), parameters.data(),
                             out);
  });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_ELEMENTWISE_HPP
