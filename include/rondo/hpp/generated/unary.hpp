// Operators of one operand, element by element, as functions. Written by bindings/cpp/generate.py.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GENERATED_UNARY_HPP
#define RONDO_HPP_GENERATED_UNARY_HPP

#include <rondo/hpp/elementwise.hpp>

namespace rondo {
inline namespace abi_0 {

// -x; integers wrap around.
inline Tensor neg(const Tensor& a) {
  return unary(RONDO_NEG, a);
}
inline Tensor operator-(const Tensor& a) {
  return unary(RONDO_NEG, a);
}
// |x|; the lowest integer is its own.
inline Tensor abs(const Tensor& a) {
  return unary(RONDO_ABS, a);
}
// -1, 0 or 1; NaN for NaN.
inline Tensor sign(const Tensor& a) {
  return unary(RONDO_SIGN, a);
}
// x * x.
inline Tensor square(const Tensor& a) {
  return unary(RONDO_SQUARE, a);
}
// x == 0.
inline Tensor logical_not(const Tensor& a) {
  return unary(RONDO_LOGICAL_NOT, a);
}
// Whether x is NaN.
inline Tensor isnan(const Tensor& a) {
  return unary(RONDO_ISNAN, a);
}
// max(x, 0); NaN for NaN.
inline Tensor relu(const Tensor& a) {
  return unary(RONDO_RELU, a);
}
// The next whole number below.
inline Tensor floor(const Tensor& a) {
  return unary(RONDO_FLOOR, a);
}
// The next whole number above.
inline Tensor ceil(const Tensor& a) {
  return unary(RONDO_CEIL, a);
}
// The nearest whole number, halves to even.
inline Tensor round(const Tensor& a) {
  return unary(RONDO_ROUND, a);
}
// The next whole number toward zero.
inline Tensor trunc(const Tensor& a) {
  return unary(RONDO_TRUNC, a);
}
// Whether x is an infinity.
inline Tensor isinf(const Tensor& a) {
  return unary(RONDO_ISINF, a);
}
// The nearest whole number, halves away from zero.
inline Tensor round_away(const Tensor& a) {
  return unary(RONDO_ROUND_AWAY, a);
}
// Whether x is infinity.
inline Tensor isposinf(const Tensor& a) {
  return unary(RONDO_ISPOSINF, a);
}
// Whether x is -infinity.
inline Tensor isneginf(const Tensor& a) {
  return unary(RONDO_ISNEGINF, a);
}
// Whether x is neither NaN nor an infinity.
inline Tensor isfinite(const Tensor& a) {
  return unary(RONDO_ISFINITE, a);
}
// Whether the sign is negative, of -0 and NaN too.
inline Tensor signbit(const Tensor& a) {
  return unary(RONDO_SIGNBIT, a);
}
// Every bit inverted; bool: not x.
inline Tensor bit_not(const Tensor& a) {
  return unary(RONDO_BIT_NOT, a);
}
inline Tensor operator~(const Tensor& a) {
  return unary(RONDO_BIT_NOT, a);
}
// x limited to [low, high]; NaN for NaN.
inline Tensor clip(const Tensor& a, double low, double high) {
  return unary(RONDO_CLIP, a, {low, high});
}
// e to the x.
inline Tensor exp(const Tensor& a) {
  return unary(RONDO_EXP, a);
}
// 2 to the x.
inline Tensor exp2(const Tensor& a) {
  return unary(RONDO_EXP2, a);
}
// exp(x) - 1, exact near 0.
inline Tensor expm1(const Tensor& a) {
  return unary(RONDO_EXPM1, a);
}
// Natural logarithm; NaN below 0.
inline Tensor log(const Tensor& a) {
  return unary(RONDO_LOG, a);
}
// Logarithm to the base 2.
inline Tensor log2(const Tensor& a) {
  return unary(RONDO_LOG2, a);
}
// Logarithm to the base 10.
inline Tensor log10(const Tensor& a) {
  return unary(RONDO_LOG10, a);
}
// log(1 + x), exact near 0.
inline Tensor log1p(const Tensor& a) {
  return unary(RONDO_LOG1P, a);
}
// Square root; NaN below 0.
inline Tensor sqrt(const Tensor& a) {
  return unary(RONDO_SQRT, a);
}
// 1 / sqrt(x).
inline Tensor rsqrt(const Tensor& a) {
  return unary(RONDO_RSQRT, a);
}
// Cube root.
inline Tensor cbrt(const Tensor& a) {
  return unary(RONDO_CBRT, a);
}
// 1 / cbrt(x).
inline Tensor rcbrt(const Tensor& a) {
  return unary(RONDO_RCBRT, a);
}
// 1 / x.
inline Tensor reciprocal(const Tensor& a) {
  return unary(RONDO_RECIPROCAL, a);
}
// sine.
inline Tensor sin(const Tensor& a) {
  return unary(RONDO_SIN, a);
}
// cosine.
inline Tensor cos(const Tensor& a) {
  return unary(RONDO_COS, a);
}
// tangent.
inline Tensor tan(const Tensor& a) {
  return unary(RONDO_TAN, a);
}
// Inverse sine; NaN outside [-1, 1].
inline Tensor asin(const Tensor& a) {
  return unary(RONDO_ASIN, a);
}
// Inverse cosine; NaN outside [-1, 1].
inline Tensor acos(const Tensor& a) {
  return unary(RONDO_ACOS, a);
}
// Inverse tangent.
inline Tensor atan(const Tensor& a) {
  return unary(RONDO_ATAN, a);
}
// Hyperbolic sine.
inline Tensor sinh(const Tensor& a) {
  return unary(RONDO_SINH, a);
}
// Hyperbolic cosine.
inline Tensor cosh(const Tensor& a) {
  return unary(RONDO_COSH, a);
}
// Hyperbolic tangent.
inline Tensor tanh(const Tensor& a) {
  return unary(RONDO_TANH, a);
}
// Inverse hyperbolic sine.
inline Tensor asinh(const Tensor& a) {
  return unary(RONDO_ASINH, a);
}
// Inverse hyperbolic cosine; NaN below 1.
inline Tensor acosh(const Tensor& a) {
  return unary(RONDO_ACOSH, a);
}
// Inverse hyperbolic tangent.
inline Tensor atanh(const Tensor& a) {
  return unary(RONDO_ATANH, a);
}
// Radians to degrees.
inline Tensor degrees(const Tensor& a) {
  return unary(RONDO_DEGREES, a);
}
// Degrees to radians.
inline Tensor radians(const Tensor& a) {
  return unary(RONDO_RADIANS, a);
}
// Error function.
inline Tensor erf(const Tensor& a) {
  return unary(RONDO_ERF, a);
}
// 1 - erf(x), exact for large x.
inline Tensor erfc(const Tensor& a) {
  return unary(RONDO_ERFC, a);
}
// Inverse of erf (start: Giles, GPU Computing Gems 2011).
inline Tensor erfinv(const Tensor& a) {
  return unary(RONDO_ERFINV, a);
}
// Gamma function.
inline Tensor gamma(const Tensor& a) {
  return unary(RONDO_GAMMA, a);
}
// Logarithm of |gamma(x)|.
inline Tensor lgamma(const Tensor& a) {
  return unary(RONDO_LGAMMA, a);
}
// Derivative of lgamma.
inline Tensor digamma(const Tensor& a) {
  return unary(RONDO_DIGAMMA, a);
}
// Derivative of digamma.
inline Tensor trigamma(const Tensor& a) {
  return unary(RONDO_TRIGAMMA, a);
}
// 1 / (1 + exp(-x)).
inline Tensor sigmoid(const Tensor& a) {
  return unary(RONDO_SIGMOID, a);
}
// log(sigmoid(x)), exact for large x.
inline Tensor log_sigmoid(const Tensor& a) {
  return unary(RONDO_LOG_SIGMOID, a);
}
// log(1 + exp(beta x)) / beta.
inline Tensor softplus(const Tensor& a, double beta = 1) {
  return unary(RONDO_SOFTPLUS, a, {beta});
}
// x / (1 + |x|).
inline Tensor softsign(const Tensor& a) {
  return unary(RONDO_SOFTSIGN, a);
}
// x Phi(x), by the error function (Hendrycks and Gimpel, arXiv 1606.08415); 0 where that is below the smallest normal
// number of f32, or of f64.
inline Tensor gelu(const Tensor& a) {
  return unary(RONDO_GELU, a);
}
// GELU by its approximation with tanh (arXiv 1606.08415); in the far tail within 8 (1 + |t|) units, as rondo_activation
// has it.
inline Tensor gelu_tanh(const Tensor& a) {
  return unary(RONDO_GELU_TANH, a);
}
// x sigmoid(x), also called swish.
inline Tensor silu(const Tensor& a) {
  return unary(RONDO_SILU, a);
}
// x tanh(softplus(x)) (Misra, arXiv 1908.08681).
inline Tensor mish(const Tensor& a) {
  return unary(RONDO_MISH, a);
}
// x > 0 ? x : alpha (exp(x) - 1).
inline Tensor elu(const Tensor& a, double alpha = 1) {
  return unary(RONDO_ELU, a, {alpha});
}
// Scaled ELU with fixed constants (Klambauer et al., arXiv 1706.02515).
inline Tensor selu(const Tensor& a) {
  return unary(RONDO_SELU, a);
}
// x > 0 ? x : alpha (exp(x / alpha) - 1).
inline Tensor celu(const Tensor& a, double alpha = 1) {
  return unary(RONDO_CELU, a, {alpha});
}
// x > 0 ? x : slope x.
inline Tensor leaky_relu(const Tensor& a, double slope = 0.01) {
  return unary(RONDO_LEAKY_RELU, a, {slope});
}
// x limited to [low, high].
inline Tensor hard_tanh(const Tensor& a, double low = -1, double high = 1) {
  return unary(RONDO_HARD_TANH, a, {low, high});
}
// Alpha x + beta limited to [0, 1].
inline Tensor hard_sigmoid(const Tensor& a, double alpha = 0.16666666666666666667, double beta = 0.5) {
  return unary(RONDO_HARD_SIGMOID, a, {alpha, beta});
}
// x times x / 6 + 1 / 2 limited to [0, 1] (Howard et al., arXiv 1905.02244).
inline Tensor hard_swish(const Tensor& a) {
  return unary(RONDO_HARD_SWISH, a);
}
// |x| < 1 / sigma^2 ? (sigma x)^2 / 2 : |x| - 1 / (2 sigma^2) (Girshick, arXiv 1504.08083).
inline Tensor smooth_l1_sigma(const Tensor& a, double sigma = 1) {
  return unary(RONDO_SMOOTH_L1_SIGMA, a, {sigma});
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GENERATED_UNARY_HPP
