// Operators of two operands, broadcast, as methods. Written by bindings/cpp/generate.py.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GENERATED_BINARY_METHODS_HPP
#define RONDO_HPP_GENERATED_BINARY_METHODS_HPP

#include <rondo/ops.h>
#include <rondo/hpp/arguments.hpp>

namespace rondo {
inline namespace abi_0 {
namespace detail {

template <class T>
class BinaryMethods {
 public:
  T add(const T& b) const { return binary(RONDO_ADD, self(), b); }
  T add(Number b) const { return binary(RONDO_ADD, self(), b); }
  const T& add_(const T& b) const { return binary_into(RONDO_ADD, self(), b, self()); }
  const T& add_(Number b) const { return binary_into(RONDO_ADD, self(), b, self()); }
  T& operator+=(const T& b) { return add_(b), static_cast<T&>(*this); }
  T& operator+=(Number b) { return add_(b), static_cast<T&>(*this); }
  T sub(const T& b) const { return binary(RONDO_SUB, self(), b); }
  T sub(Number b) const { return binary(RONDO_SUB, self(), b); }
  const T& sub_(const T& b) const { return binary_into(RONDO_SUB, self(), b, self()); }
  const T& sub_(Number b) const { return binary_into(RONDO_SUB, self(), b, self()); }
  T& operator-=(const T& b) { return sub_(b), static_cast<T&>(*this); }
  T& operator-=(Number b) { return sub_(b), static_cast<T&>(*this); }
  T mul(const T& b) const { return binary(RONDO_MUL, self(), b); }
  T mul(Number b) const { return binary(RONDO_MUL, self(), b); }
  const T& mul_(const T& b) const { return binary_into(RONDO_MUL, self(), b, self()); }
  const T& mul_(Number b) const { return binary_into(RONDO_MUL, self(), b, self()); }
  T& operator*=(const T& b) { return mul_(b), static_cast<T&>(*this); }
  T& operator*=(Number b) { return mul_(b), static_cast<T&>(*this); }
  T div(const T& b) const { return binary(RONDO_DIV, self(), b); }
  T div(Number b) const { return binary(RONDO_DIV, self(), b); }
  const T& div_(const T& b) const { return binary_into(RONDO_DIV, self(), b, self()); }
  const T& div_(Number b) const { return binary_into(RONDO_DIV, self(), b, self()); }
  T& operator/=(const T& b) { return div_(b), static_cast<T&>(*this); }
  T& operator/=(Number b) { return div_(b), static_cast<T&>(*this); }
  T pow(const T& b) const { return binary(RONDO_POW, self(), b); }
  T pow(Number b) const { return binary(RONDO_POW, self(), b); }
  const T& pow_(const T& b) const { return binary_into(RONDO_POW, self(), b, self()); }
  const T& pow_(Number b) const { return binary_into(RONDO_POW, self(), b, self()); }
  T maximum(const T& b) const { return binary(RONDO_MAXIMUM, self(), b); }
  T maximum(Number b) const { return binary(RONDO_MAXIMUM, self(), b); }
  const T& maximum_(const T& b) const { return binary_into(RONDO_MAXIMUM, self(), b, self()); }
  const T& maximum_(Number b) const { return binary_into(RONDO_MAXIMUM, self(), b, self()); }
  T minimum(const T& b) const { return binary(RONDO_MINIMUM, self(), b); }
  T minimum(Number b) const { return binary(RONDO_MINIMUM, self(), b); }
  const T& minimum_(const T& b) const { return binary_into(RONDO_MINIMUM, self(), b, self()); }
  const T& minimum_(Number b) const { return binary_into(RONDO_MINIMUM, self(), b, self()); }
  T mod(const T& b) const { return binary(RONDO_MOD, self(), b); }
  T mod(Number b) const { return binary(RONDO_MOD, self(), b); }
  const T& mod_(const T& b) const { return binary_into(RONDO_MOD, self(), b, self()); }
  const T& mod_(Number b) const { return binary_into(RONDO_MOD, self(), b, self()); }
  T fmod(const T& b) const { return binary(RONDO_FMOD, self(), b); }
  T fmod(Number b) const { return binary(RONDO_FMOD, self(), b); }
  const T& fmod_(const T& b) const { return binary_into(RONDO_FMOD, self(), b, self()); }
  const T& fmod_(Number b) const { return binary_into(RONDO_FMOD, self(), b, self()); }
  T floor_div(const T& b) const { return binary(RONDO_FLOOR_DIV, self(), b); }
  T floor_div(Number b) const { return binary(RONDO_FLOOR_DIV, self(), b); }
  const T& floor_div_(const T& b) const { return binary_into(RONDO_FLOOR_DIV, self(), b, self()); }
  const T& floor_div_(Number b) const { return binary_into(RONDO_FLOOR_DIV, self(), b, self()); }
  T true_div(const T& b) const { return binary(RONDO_TRUE_DIV, self(), b); }
  T true_div(Number b) const { return binary(RONDO_TRUE_DIV, self(), b); }
  const T& true_div_(const T& b) const { return binary_into(RONDO_TRUE_DIV, self(), b, self()); }
  const T& true_div_(Number b) const { return binary_into(RONDO_TRUE_DIV, self(), b, self()); }
  T fmax(const T& b) const { return binary(RONDO_FMAX, self(), b); }
  T fmax(Number b) const { return binary(RONDO_FMAX, self(), b); }
  const T& fmax_(const T& b) const { return binary_into(RONDO_FMAX, self(), b, self()); }
  const T& fmax_(Number b) const { return binary_into(RONDO_FMAX, self(), b, self()); }
  T fmin(const T& b) const { return binary(RONDO_FMIN, self(), b); }
  T fmin(Number b) const { return binary(RONDO_FMIN, self(), b); }
  const T& fmin_(const T& b) const { return binary_into(RONDO_FMIN, self(), b, self()); }
  const T& fmin_(Number b) const { return binary_into(RONDO_FMIN, self(), b, self()); }
  T hypot(const T& b) const { return binary(RONDO_HYPOT, self(), b); }
  T hypot(Number b) const { return binary(RONDO_HYPOT, self(), b); }
  const T& hypot_(const T& b) const { return binary_into(RONDO_HYPOT, self(), b, self()); }
  const T& hypot_(Number b) const { return binary_into(RONDO_HYPOT, self(), b, self()); }
  T atan2(const T& b) const { return binary(RONDO_ATAN2, self(), b); }
  T atan2(Number b) const { return binary(RONDO_ATAN2, self(), b); }
  const T& atan2_(const T& b) const { return binary_into(RONDO_ATAN2, self(), b, self()); }
  const T& atan2_(Number b) const { return binary_into(RONDO_ATAN2, self(), b, self()); }
  T copysign(const T& b) const { return binary(RONDO_COPYSIGN, self(), b); }
  T copysign(Number b) const { return binary(RONDO_COPYSIGN, self(), b); }
  const T& copysign_(const T& b) const { return binary_into(RONDO_COPYSIGN, self(), b, self()); }
  const T& copysign_(Number b) const { return binary_into(RONDO_COPYSIGN, self(), b, self()); }
  T ldexp(const T& b) const { return binary(RONDO_LDEXP, self(), b); }
  T ldexp(Number b) const { return binary(RONDO_LDEXP, self(), b); }
  const T& ldexp_(const T& b) const { return binary_into(RONDO_LDEXP, self(), b, self()); }
  const T& ldexp_(Number b) const { return binary_into(RONDO_LDEXP, self(), b, self()); }
  T logaddexp(const T& b) const { return binary(RONDO_LOGADDEXP, self(), b); }
  T logaddexp(Number b) const { return binary(RONDO_LOGADDEXP, self(), b); }
  const T& logaddexp_(const T& b) const { return binary_into(RONDO_LOGADDEXP, self(), b, self()); }
  const T& logaddexp_(Number b) const { return binary_into(RONDO_LOGADDEXP, self(), b, self()); }
  T xlogy(const T& b) const { return binary(RONDO_XLOGY, self(), b); }
  T xlogy(Number b) const { return binary(RONDO_XLOGY, self(), b); }
  const T& xlogy_(const T& b) const { return binary_into(RONDO_XLOGY, self(), b, self()); }
  const T& xlogy_(Number b) const { return binary_into(RONDO_XLOGY, self(), b, self()); }
  T gcd(const T& b) const { return binary(RONDO_GCD, self(), b); }
  T gcd(Number b) const { return binary(RONDO_GCD, self(), b); }
  const T& gcd_(const T& b) const { return binary_into(RONDO_GCD, self(), b, self()); }
  const T& gcd_(Number b) const { return binary_into(RONDO_GCD, self(), b, self()); }
  T lcm(const T& b) const { return binary(RONDO_LCM, self(), b); }
  T lcm(Number b) const { return binary(RONDO_LCM, self(), b); }
  const T& lcm_(const T& b) const { return binary_into(RONDO_LCM, self(), b, self()); }
  const T& lcm_(Number b) const { return binary_into(RONDO_LCM, self(), b, self()); }
  T bit_and(const T& b) const { return binary(RONDO_BIT_AND, self(), b); }
  T bit_and(Number b) const { return binary(RONDO_BIT_AND, self(), b); }
  const T& bit_and_(const T& b) const { return binary_into(RONDO_BIT_AND, self(), b, self()); }
  const T& bit_and_(Number b) const { return binary_into(RONDO_BIT_AND, self(), b, self()); }
  T& operator&=(const T& b) { return bit_and_(b), static_cast<T&>(*this); }
  T& operator&=(Number b) { return bit_and_(b), static_cast<T&>(*this); }
  T bit_or(const T& b) const { return binary(RONDO_BIT_OR, self(), b); }
  T bit_or(Number b) const { return binary(RONDO_BIT_OR, self(), b); }
  const T& bit_or_(const T& b) const { return binary_into(RONDO_BIT_OR, self(), b, self()); }
  const T& bit_or_(Number b) const { return binary_into(RONDO_BIT_OR, self(), b, self()); }
  T& operator|=(const T& b) { return bit_or_(b), static_cast<T&>(*this); }
  T& operator|=(Number b) { return bit_or_(b), static_cast<T&>(*this); }
  T bit_xor(const T& b) const { return binary(RONDO_BIT_XOR, self(), b); }
  T bit_xor(Number b) const { return binary(RONDO_BIT_XOR, self(), b); }
  const T& bit_xor_(const T& b) const { return binary_into(RONDO_BIT_XOR, self(), b, self()); }
  const T& bit_xor_(Number b) const { return binary_into(RONDO_BIT_XOR, self(), b, self()); }
  T& operator^=(const T& b) { return bit_xor_(b), static_cast<T&>(*this); }
  T& operator^=(Number b) { return bit_xor_(b), static_cast<T&>(*this); }
  T shift_left(const T& b) const { return binary(RONDO_SHIFT_LEFT, self(), b); }
  T shift_left(Number b) const { return binary(RONDO_SHIFT_LEFT, self(), b); }
  const T& shift_left_(const T& b) const { return binary_into(RONDO_SHIFT_LEFT, self(), b, self()); }
  const T& shift_left_(Number b) const { return binary_into(RONDO_SHIFT_LEFT, self(), b, self()); }
  T shift_right(const T& b) const { return binary(RONDO_SHIFT_RIGHT, self(), b); }
  T shift_right(Number b) const { return binary(RONDO_SHIFT_RIGHT, self(), b); }
  const T& shift_right_(const T& b) const { return binary_into(RONDO_SHIFT_RIGHT, self(), b, self()); }
  const T& shift_right_(Number b) const { return binary_into(RONDO_SHIFT_RIGHT, self(), b, self()); }
  T eq(const T& b) const { return binary(RONDO_EQ, self(), b); }
  T eq(Number b) const { return binary(RONDO_EQ, self(), b); }
  T ne(const T& b) const { return binary(RONDO_NE, self(), b); }
  T ne(Number b) const { return binary(RONDO_NE, self(), b); }
  T lt(const T& b) const { return binary(RONDO_LT, self(), b); }
  T lt(Number b) const { return binary(RONDO_LT, self(), b); }
  T le(const T& b) const { return binary(RONDO_LE, self(), b); }
  T le(Number b) const { return binary(RONDO_LE, self(), b); }
  T gt(const T& b) const { return binary(RONDO_GT, self(), b); }
  T gt(Number b) const { return binary(RONDO_GT, self(), b); }
  T ge(const T& b) const { return binary(RONDO_GE, self(), b); }
  T ge(Number b) const { return binary(RONDO_GE, self(), b); }
  T logical_and(const T& b) const { return binary(RONDO_LOGICAL_AND, self(), b); }
  T logical_and(Number b) const { return binary(RONDO_LOGICAL_AND, self(), b); }
  T logical_or(const T& b) const { return binary(RONDO_LOGICAL_OR, self(), b); }
  T logical_or(Number b) const { return binary(RONDO_LOGICAL_OR, self(), b); }
  T logical_xor(const T& b) const { return binary(RONDO_LOGICAL_XOR, self(), b); }
  T logical_xor(Number b) const { return binary(RONDO_LOGICAL_XOR, self(), b); }
  T prelu(const T& b) const { return binary(RONDO_PRELU, self(), b); }
  T prelu(Number b) const { return binary(RONDO_PRELU, self(), b); }
  const T& prelu_(const T& b) const { return binary_into(RONDO_PRELU, self(), b, self()); }
  const T& prelu_(Number b) const { return binary_into(RONDO_PRELU, self(), b, self()); }
  T squared_difference(const T& b) const { return binary(RONDO_SQUARED_DIFFERENCE, self(), b); }
  T squared_difference(Number b) const { return binary(RONDO_SQUARED_DIFFERENCE, self(), b); }
  const T& squared_difference_(const T& b) const { return binary_into(RONDO_SQUARED_DIFFERENCE, self(), b, self()); }
  const T& squared_difference_(Number b) const { return binary_into(RONDO_SQUARED_DIFFERENCE, self(), b, self()); }
  T smooth_l1(const T& b, double beta = 1) const { return binary(RONDO_SMOOTH_L1, self(), b, {beta}); }
  T bce_with_logits(const T& b) const { return binary(RONDO_BCE_WITH_LOGITS, self(), b); }
  T bce_with_logits(Number b) const { return binary(RONDO_BCE_WITH_LOGITS, self(), b); }
  const T& bce_with_logits_(const T& b) const { return binary_into(RONDO_BCE_WITH_LOGITS, self(), b, self()); }
  const T& bce_with_logits_(Number b) const { return binary_into(RONDO_BCE_WITH_LOGITS, self(), b, self()); }

 private:
  const T& self() const noexcept { return static_cast<const T&>(*this); }
};

}  // namespace detail

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GENERATED_BINARY_METHODS_HPP
