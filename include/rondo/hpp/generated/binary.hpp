// Operators of two operands, broadcast, as functions. Written by bindings/cpp/generate.py.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GENERATED_BINARY_HPP
#define RONDO_HPP_GENERATED_BINARY_HPP

#include <rondo/hpp/elementwise.hpp>

namespace rondo {
inline namespace abi_0 {

// a + b.
inline Tensor add(const Tensor& a, const Tensor& b) {
  return binary(RONDO_ADD, a, b);
}
inline Tensor add(const Tensor& a, Number b) {
  return binary(RONDO_ADD, a, b);
}
inline Tensor add(Number a, const Tensor& b) {
  return binary(RONDO_ADD, a, b);
}
inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return binary(RONDO_ADD, a, b);
}
inline Tensor operator+(const Tensor& a, Number b) {
  return binary(RONDO_ADD, a, b);
}
inline Tensor operator+(Number a, const Tensor& b) {
  return binary(RONDO_ADD, a, b);
}
// a - b.
inline Tensor sub(const Tensor& a, const Tensor& b) {
  return binary(RONDO_SUB, a, b);
}
inline Tensor sub(const Tensor& a, Number b) {
  return binary(RONDO_SUB, a, b);
}
inline Tensor sub(Number a, const Tensor& b) {
  return binary(RONDO_SUB, a, b);
}
inline Tensor operator-(const Tensor& a, const Tensor& b) {
  return binary(RONDO_SUB, a, b);
}
inline Tensor operator-(const Tensor& a, Number b) {
  return binary(RONDO_SUB, a, b);
}
inline Tensor operator-(Number a, const Tensor& b) {
  return binary(RONDO_SUB, a, b);
}
// a * b.
inline Tensor mul(const Tensor& a, const Tensor& b) {
  return binary(RONDO_MUL, a, b);
}
inline Tensor mul(const Tensor& a, Number b) {
  return binary(RONDO_MUL, a, b);
}
inline Tensor mul(Number a, const Tensor& b) {
  return binary(RONDO_MUL, a, b);
}
inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary(RONDO_MUL, a, b);
}
inline Tensor operator*(const Tensor& a, Number b) {
  return binary(RONDO_MUL, a, b);
}
inline Tensor operator*(Number a, const Tensor& b) {
  return binary(RONDO_MUL, a, b);
}
// a / b; integers: toward zero, by zero gives 0.
inline Tensor div(const Tensor& a, const Tensor& b) {
  return binary(RONDO_DIV, a, b);
}
inline Tensor div(const Tensor& a, Number b) {
  return binary(RONDO_DIV, a, b);
}
inline Tensor div(Number a, const Tensor& b) {
  return binary(RONDO_DIV, a, b);
}
inline Tensor operator/(const Tensor& a, const Tensor& b) {
  return binary(RONDO_DIV, a, b);
}
inline Tensor operator/(const Tensor& a, Number b) {
  return binary(RONDO_DIV, a, b);
}
inline Tensor operator/(Number a, const Tensor& b) {
  return binary(RONDO_DIV, a, b);
}
// a to the b; integers: exact, a negative exponent gives 0 (1 and -1 excepted).
inline Tensor pow(const Tensor& a, const Tensor& b) {
  return binary(RONDO_POW, a, b);
}
inline Tensor pow(const Tensor& a, Number b) {
  return binary(RONDO_POW, a, b);
}
inline Tensor pow(Number a, const Tensor& b) {
  return binary(RONDO_POW, a, b);
}
// The larger; NaN if either is NaN.
inline Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary(RONDO_MAXIMUM, a, b);
}
inline Tensor maximum(const Tensor& a, Number b) {
  return binary(RONDO_MAXIMUM, a, b);
}
inline Tensor maximum(Number a, const Tensor& b) {
  return binary(RONDO_MAXIMUM, a, b);
}
// The smaller; NaN if either is NaN.
inline Tensor minimum(const Tensor& a, const Tensor& b) {
  return binary(RONDO_MINIMUM, a, b);
}
inline Tensor minimum(const Tensor& a, Number b) {
  return binary(RONDO_MINIMUM, a, b);
}
inline Tensor minimum(Number a, const Tensor& b) {
  return binary(RONDO_MINIMUM, a, b);
}
// Remainder with the sign of the divisor; integers by zero give 0.
inline Tensor mod(const Tensor& a, const Tensor& b) {
  return binary(RONDO_MOD, a, b);
}
inline Tensor mod(const Tensor& a, Number b) {
  return binary(RONDO_MOD, a, b);
}
inline Tensor mod(Number a, const Tensor& b) {
  return binary(RONDO_MOD, a, b);
}
// Remainder with the sign of the dividend; integers by zero give 0.
inline Tensor fmod(const Tensor& a, const Tensor& b) {
  return binary(RONDO_FMOD, a, b);
}
inline Tensor fmod(const Tensor& a, Number b) {
  return binary(RONDO_FMOD, a, b);
}
inline Tensor fmod(Number a, const Tensor& b) {
  return binary(RONDO_FMOD, a, b);
}
// floor(a / b), also by an infinity; integers by zero give 0.
inline Tensor floor_div(const Tensor& a, const Tensor& b) {
  return binary(RONDO_FLOOR_DIV, a, b);
}
inline Tensor floor_div(const Tensor& a, Number b) {
  return binary(RONDO_FLOOR_DIV, a, b);
}
inline Tensor floor_div(Number a, const Tensor& b) {
  return binary(RONDO_FLOOR_DIV, a, b);
}
// a / b as floats, of integers too.
inline Tensor true_div(const Tensor& a, const Tensor& b) {
  return binary(RONDO_TRUE_DIV, a, b);
}
inline Tensor true_div(const Tensor& a, Number b) {
  return binary(RONDO_TRUE_DIV, a, b);
}
inline Tensor true_div(Number a, const Tensor& b) {
  return binary(RONDO_TRUE_DIV, a, b);
}
// The larger; the other one if one is NaN.
inline Tensor fmax(const Tensor& a, const Tensor& b) {
  return binary(RONDO_FMAX, a, b);
}
inline Tensor fmax(const Tensor& a, Number b) {
  return binary(RONDO_FMAX, a, b);
}
inline Tensor fmax(Number a, const Tensor& b) {
  return binary(RONDO_FMAX, a, b);
}
// The smaller; the other one if one is NaN.
inline Tensor fmin(const Tensor& a, const Tensor& b) {
  return binary(RONDO_FMIN, a, b);
}
inline Tensor fmin(const Tensor& a, Number b) {
  return binary(RONDO_FMIN, a, b);
}
inline Tensor fmin(Number a, const Tensor& b) {
  return binary(RONDO_FMIN, a, b);
}
// sqrt(a a + b b) without overflow between.
inline Tensor hypot(const Tensor& a, const Tensor& b) {
  return binary(RONDO_HYPOT, a, b);
}
inline Tensor hypot(const Tensor& a, Number b) {
  return binary(RONDO_HYPOT, a, b);
}
inline Tensor hypot(Number a, const Tensor& b) {
  return binary(RONDO_HYPOT, a, b);
}
// Angle of the point (b, a).
inline Tensor atan2(const Tensor& a, const Tensor& b) {
  return binary(RONDO_ATAN2, a, b);
}
inline Tensor atan2(const Tensor& a, Number b) {
  return binary(RONDO_ATAN2, a, b);
}
inline Tensor atan2(Number a, const Tensor& b) {
  return binary(RONDO_ATAN2, a, b);
}
// |a| with the sign of b, of -0 too.
inline Tensor copysign(const Tensor& a, const Tensor& b) {
  return binary(RONDO_COPYSIGN, a, b);
}
inline Tensor copysign(const Tensor& a, Number b) {
  return binary(RONDO_COPYSIGN, a, b);
}
inline Tensor copysign(Number a, const Tensor& b) {
  return binary(RONDO_COPYSIGN, a, b);
}
// a times 2 to the b, which may have a fraction.
inline Tensor ldexp(const Tensor& a, const Tensor& b) {
  return binary(RONDO_LDEXP, a, b);
}
inline Tensor ldexp(const Tensor& a, Number b) {
  return binary(RONDO_LDEXP, a, b);
}
inline Tensor ldexp(Number a, const Tensor& b) {
  return binary(RONDO_LDEXP, a, b);
}
// log(exp(a) + exp(b)) without overflow between.
inline Tensor logaddexp(const Tensor& a, const Tensor& b) {
  return binary(RONDO_LOGADDEXP, a, b);
}
inline Tensor logaddexp(const Tensor& a, Number b) {
  return binary(RONDO_LOGADDEXP, a, b);
}
inline Tensor logaddexp(Number a, const Tensor& b) {
  return binary(RONDO_LOGADDEXP, a, b);
}
// a log(b); 0 where a is 0 and b is not NaN.
inline Tensor xlogy(const Tensor& a, const Tensor& b) {
  return binary(RONDO_XLOGY, a, b);
}
inline Tensor xlogy(const Tensor& a, Number b) {
  return binary(RONDO_XLOGY, a, b);
}
inline Tensor xlogy(Number a, const Tensor& b) {
  return binary(RONDO_XLOGY, a, b);
}
// Greatest common divisor, not negative; of 0 and 0: 0.
inline Tensor gcd(const Tensor& a, const Tensor& b) {
  return binary(RONDO_GCD, a, b);
}
inline Tensor gcd(const Tensor& a, Number b) {
  return binary(RONDO_GCD, a, b);
}
inline Tensor gcd(Number a, const Tensor& b) {
  return binary(RONDO_GCD, a, b);
}
// Least common multiple, not negative; with 0: 0.
inline Tensor lcm(const Tensor& a, const Tensor& b) {
  return binary(RONDO_LCM, a, b);
}
inline Tensor lcm(const Tensor& a, Number b) {
  return binary(RONDO_LCM, a, b);
}
inline Tensor lcm(Number a, const Tensor& b) {
  return binary(RONDO_LCM, a, b);
}
// Bits set in both.
inline Tensor bit_and(const Tensor& a, const Tensor& b) {
  return binary(RONDO_BIT_AND, a, b);
}
inline Tensor bit_and(const Tensor& a, Number b) {
  return binary(RONDO_BIT_AND, a, b);
}
inline Tensor bit_and(Number a, const Tensor& b) {
  return binary(RONDO_BIT_AND, a, b);
}
inline Tensor operator&(const Tensor& a, const Tensor& b) {
  return binary(RONDO_BIT_AND, a, b);
}
inline Tensor operator&(const Tensor& a, Number b) {
  return binary(RONDO_BIT_AND, a, b);
}
inline Tensor operator&(Number a, const Tensor& b) {
  return binary(RONDO_BIT_AND, a, b);
}
// Bits set in either.
inline Tensor bit_or(const Tensor& a, const Tensor& b) {
  return binary(RONDO_BIT_OR, a, b);
}
inline Tensor bit_or(const Tensor& a, Number b) {
  return binary(RONDO_BIT_OR, a, b);
}
inline Tensor bit_or(Number a, const Tensor& b) {
  return binary(RONDO_BIT_OR, a, b);
}
inline Tensor operator|(const Tensor& a, const Tensor& b) {
  return binary(RONDO_BIT_OR, a, b);
}
inline Tensor operator|(const Tensor& a, Number b) {
  return binary(RONDO_BIT_OR, a, b);
}
inline Tensor operator|(Number a, const Tensor& b) {
  return binary(RONDO_BIT_OR, a, b);
}
// Bits set in one of them.
inline Tensor bit_xor(const Tensor& a, const Tensor& b) {
  return binary(RONDO_BIT_XOR, a, b);
}
inline Tensor bit_xor(const Tensor& a, Number b) {
  return binary(RONDO_BIT_XOR, a, b);
}
inline Tensor bit_xor(Number a, const Tensor& b) {
  return binary(RONDO_BIT_XOR, a, b);
}
inline Tensor operator^(const Tensor& a, const Tensor& b) {
  return binary(RONDO_BIT_XOR, a, b);
}
inline Tensor operator^(const Tensor& a, Number b) {
  return binary(RONDO_BIT_XOR, a, b);
}
inline Tensor operator^(Number a, const Tensor& b) {
  return binary(RONDO_BIT_XOR, a, b);
}
// a times 2 to the b, bits lost; 0 for b negative or as wide as the dtype.
inline Tensor shift_left(const Tensor& a, const Tensor& b) {
  return binary(RONDO_SHIFT_LEFT, a, b);
}
inline Tensor shift_left(const Tensor& a, Number b) {
  return binary(RONDO_SHIFT_LEFT, a, b);
}
inline Tensor shift_left(Number a, const Tensor& b) {
  return binary(RONDO_SHIFT_LEFT, a, b);
}
// floor(a / 2 to the b); 0 or -1 for b negative or as wide as the dtype.
inline Tensor shift_right(const Tensor& a, const Tensor& b) {
  return binary(RONDO_SHIFT_RIGHT, a, b);
}
inline Tensor shift_right(const Tensor& a, Number b) {
  return binary(RONDO_SHIFT_RIGHT, a, b);
}
inline Tensor shift_right(Number a, const Tensor& b) {
  return binary(RONDO_SHIFT_RIGHT, a, b);
}
// a == b; false with NaN.
inline Tensor eq(const Tensor& a, const Tensor& b) {
  return binary(RONDO_EQ, a, b);
}
inline Tensor eq(const Tensor& a, Number b) {
  return binary(RONDO_EQ, a, b);
}
inline Tensor eq(Number a, const Tensor& b) {
  return binary(RONDO_EQ, a, b);
}
// a != b; true with NaN.
inline Tensor ne(const Tensor& a, const Tensor& b) {
  return binary(RONDO_NE, a, b);
}
inline Tensor ne(const Tensor& a, Number b) {
  return binary(RONDO_NE, a, b);
}
inline Tensor ne(Number a, const Tensor& b) {
  return binary(RONDO_NE, a, b);
}
// a < b.
inline Tensor lt(const Tensor& a, const Tensor& b) {
  return binary(RONDO_LT, a, b);
}
inline Tensor lt(const Tensor& a, Number b) {
  return binary(RONDO_LT, a, b);
}
inline Tensor lt(Number a, const Tensor& b) {
  return binary(RONDO_LT, a, b);
}
// a <= b.
inline Tensor le(const Tensor& a, const Tensor& b) {
  return binary(RONDO_LE, a, b);
}
inline Tensor le(const Tensor& a, Number b) {
  return binary(RONDO_LE, a, b);
}
inline Tensor le(Number a, const Tensor& b) {
  return binary(RONDO_LE, a, b);
}
// a > b.
inline Tensor gt(const Tensor& a, const Tensor& b) {
  return binary(RONDO_GT, a, b);
}
inline Tensor gt(const Tensor& a, Number b) {
  return binary(RONDO_GT, a, b);
}
inline Tensor gt(Number a, const Tensor& b) {
  return binary(RONDO_GT, a, b);
}
// a >= b.
inline Tensor ge(const Tensor& a, const Tensor& b) {
  return binary(RONDO_GE, a, b);
}
inline Tensor ge(const Tensor& a, Number b) {
  return binary(RONDO_GE, a, b);
}
inline Tensor ge(Number a, const Tensor& b) {
  return binary(RONDO_GE, a, b);
}
// a != 0 and b != 0.
inline Tensor logical_and(const Tensor& a, const Tensor& b) {
  return binary(RONDO_LOGICAL_AND, a, b);
}
inline Tensor logical_and(const Tensor& a, Number b) {
  return binary(RONDO_LOGICAL_AND, a, b);
}
inline Tensor logical_and(Number a, const Tensor& b) {
  return binary(RONDO_LOGICAL_AND, a, b);
}
// a != 0 or b != 0.
inline Tensor logical_or(const Tensor& a, const Tensor& b) {
  return binary(RONDO_LOGICAL_OR, a, b);
}
inline Tensor logical_or(const Tensor& a, Number b) {
  return binary(RONDO_LOGICAL_OR, a, b);
}
inline Tensor logical_or(Number a, const Tensor& b) {
  return binary(RONDO_LOGICAL_OR, a, b);
}
// One of a and b is not 0.
inline Tensor logical_xor(const Tensor& a, const Tensor& b) {
  return binary(RONDO_LOGICAL_XOR, a, b);
}
inline Tensor logical_xor(const Tensor& a, Number b) {
  return binary(RONDO_LOGICAL_XOR, a, b);
}
inline Tensor logical_xor(Number a, const Tensor& b) {
  return binary(RONDO_LOGICAL_XOR, a, b);
}
// a > 0 ? a : b a (He et al., arXiv 1502.01852).
inline Tensor prelu(const Tensor& a, const Tensor& b) {
  return binary(RONDO_PRELU, a, b);
}
inline Tensor prelu(const Tensor& a, Number b) {
  return binary(RONDO_PRELU, a, b);
}
inline Tensor prelu(Number a, const Tensor& b) {
  return binary(RONDO_PRELU, a, b);
}
// (a - b) squared.
inline Tensor squared_difference(const Tensor& a, const Tensor& b) {
  return binary(RONDO_SQUARED_DIFFERENCE, a, b);
}
inline Tensor squared_difference(const Tensor& a, Number b) {
  return binary(RONDO_SQUARED_DIFFERENCE, a, b);
}
inline Tensor squared_difference(Number a, const Tensor& b) {
  return binary(RONDO_SQUARED_DIFFERENCE, a, b);
}
// d = |a - b|: d < beta ? d d / (2 beta) : d - beta / 2 (Girshick, arXiv 1504.08083).
inline Tensor smooth_l1(const Tensor& a, const Tensor& b, double beta = 1) {
  return binary(RONDO_SMOOTH_L1, a, b, {beta});
}
// Binary cross-entropy of the logit a and the target b: max(a, 0) - a b + log(1 + exp(-|a|)).
inline Tensor bce_with_logits(const Tensor& a, const Tensor& b) {
  return binary(RONDO_BCE_WITH_LOGITS, a, b);
}
inline Tensor bce_with_logits(const Tensor& a, Number b) {
  return binary(RONDO_BCE_WITH_LOGITS, a, b);
}
inline Tensor bce_with_logits(Number a, const Tensor& b) {
  return binary(RONDO_BCE_WITH_LOGITS, a, b);
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GENERATED_BINARY_HPP
