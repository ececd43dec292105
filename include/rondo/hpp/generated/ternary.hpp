// Operators of three operands, broadcast, as functions. Written by bindings/cpp/generate.py.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GENERATED_TERNARY_HPP
#define RONDO_HPP_GENERATED_TERNARY_HPP

#include <rondo/hpp/elementwise.hpp>

namespace rondo {
inline namespace abi_0 {

// a b + c with one rounding of floats; integers wrap around.
inline Tensor fma(const Tensor& a, const Tensor& b, const Tensor& c) {
  return ternary(RONDO_FMA, a, b, c);
}
// a limited to [b, c]; NaN if any is NaN.
inline Tensor clamp(const Tensor& a, const Tensor& b, const Tensor& c) {
  return ternary(RONDO_CLAMP, a, b, c);
}
// a + c (b - a).
inline Tensor lerp(const Tensor& a, const Tensor& b, const Tensor& c) {
  return ternary(RONDO_LERP, a, b, c);
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GENERATED_TERNARY_HPP
