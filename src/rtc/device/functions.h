// Every scalar operator, once for all devices. T is a register type: bool, u8, i8, i32, i64, f32 or f64. Integers wrap
// around; bool computes as an integer and is true where that is not 0. rondo/ops.h states the meaning of each.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/prelude.h"

namespace rondo::device {

// Only NaN differs from itself; integers never do.
template <class T>
RONDO_INLINE bool op_isnan(T x) {
  return x != x;  // NOLINT(misc-redundant-expression)
}

// --- conversions ---
// Float to integer goes toward zero and clamps, NaN gives 0; integers wrap around; to bool is != 0.
template <class To, class From>
RONDO_INLINE To convert(From x) {
  if constexpr (same_type<To, From>) {
    return x;
  } else if constexpr (same_type<To, bool>) {
    return x != 0;
  } else if constexpr (is_floating<From> && !is_floating<To>) {
    // One past the highest value is a power of two and so exact in every float.
    constexpr To half = kHighest<To> / 2 + 1;
    constexpr From past = static_cast<From>(half) * 2;
    if (op_isnan(x)) return 0;
    if (x >= past) return kHighest<To>;
    if (x <= static_cast<From>(kLowest<To>)) return kLowest<To>;
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}
RONDO_INLINE f32 round_f16(f32 x) {
  return to_float(to_f16(x));
}
RONDO_INLINE f32 round_bf16(f32 x) {
  return to_float(to_bf16(x));
}

// --- unary ---
template <class T>
RONDO_INLINE T op_neg(T x) {
  if constexpr (is_floating<T>)
    return -x;
  else
    return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(x));
}
template <class T>
RONDO_INLINE T op_abs(T x) {
  if constexpr (is_floating<T>)
    return copysign(x, T(0));
  else
    return x < T(0) ? op_neg(x) : x;
}
template <class T>
RONDO_INLINE T op_sign(T x) {
  if constexpr (is_floating<T>)
    return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
  else
    return static_cast<T>((x > T(0)) - (x < T(0)));
}
template <class T>
RONDO_INLINE T op_mul(T a, T b) {
  if constexpr (is_floating<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
template <class T>
RONDO_INLINE T op_square(T x) {
  return op_mul(x, x);
}
template <class T>
RONDO_INLINE bool op_logical_not(T x) {
  return x == T(0);
}
template <class T>
RONDO_INLINE T op_relu(T x) {
  return x < T(0) ? T(0) : x;  // NaN is not less
}
template <class T>
RONDO_INLINE T op_floor(T x) {
  if constexpr (is_floating<T>)
    return floor(x);
  else
    return x;
}
template <class T>
RONDO_INLINE T op_ceil(T x) {
  if constexpr (is_floating<T>)
    return ceil(x);
  else
    return x;
}
template <class T>
RONDO_INLINE T op_round(T x) {
  if constexpr (is_floating<T>)
    return rint(x);
  else
    return x;
}

// Floats only from here.
template <class T>
RONDO_INLINE T op_exp(T x) {
  return exp(x);
}
template <class T>
RONDO_INLINE T op_log(T x) {
  return log(x);
}
template <class T>
RONDO_INLINE T op_sqrt(T x) {
  return sqrt(x);
}
template <class T>
RONDO_INLINE T op_rsqrt(T x) {
  return T(1) / sqrt(x);
}
template <class T>
RONDO_INLINE T op_tanh(T x) {
  return tanh(x);
}
template <class T>
RONDO_INLINE T op_sigmoid(T x) {
  // exp of a negative number only: it may underflow, which is right, but not overflow.
  if (x >= T(0)) return T(1) / (T(1) + exp(-x));
  const T power = exp(x);
  return power / (T(1) + power);
}
template <class T>
RONDO_INLINE T op_reciprocal(T x) {
  return T(1) / x;
}
template <class T>
RONDO_INLINE T op_sin(T x) {
  return sin(x);
}
template <class T>
RONDO_INLINE T op_cos(T x) {
  return cos(x);
}
template <class T>
RONDO_INLINE T op_erf(T x) {
  return erf(x);
}
template <class T>
RONDO_INLINE T op_expm1(T x) {
  return expm1(x);
}
template <class T>
RONDO_INLINE T op_log1p(T x) {
  return log1p(x);
}

// --- binary ---
template <class T>
RONDO_INLINE T op_add(T a, T b) {
  if constexpr (is_floating<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <class T>
RONDO_INLINE T op_sub(T a, T b) {
  if constexpr (is_floating<T>)
    return a - b;
  else
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <class T>
RONDO_INLINE T op_div(T a, T b) {
  if constexpr (is_floating<T>) {
    return a / b;
  } else if constexpr (same_type<T, bool>) {
    return a && b;
  } else {
    if (b == 0) return 0;
    if constexpr (kLowest<T> != 0)
      if (b == -1) return op_neg(a);  // the lowest value has no quotient
    return static_cast<T>(a / b);
  }
}
template <class T>
RONDO_INLINE T op_pow(T a, T b) {
  if constexpr (is_floating<T>) {
    return pow(a, b);
  } else if constexpr (same_type<T, bool>) {
    return a || !b;
  } else {
    if constexpr (kLowest<T> != 0)
      if (b < 0) return a == 1 ? T(1) : a == -1 ? ((b & 1) ? T(-1) : T(1)) : T(0);
    Wrapping<T> result = 1;
    Wrapping<T> factor = static_cast<Wrapping<T>>(a);    // NOLINT(bugprone-signed-char-misuse): the sign is kept
    Wrapping<T> exponent = static_cast<Wrapping<T>>(b);  // NOLINT(bugprone-signed-char-misuse): not negative
    for (; exponent != 0; exponent >>= 1) {
      if (exponent & 1) result *= factor;
      factor *= factor;
    }
    return static_cast<T>(result);
  }
}
// The second comparison lets a NaN on either side through.
template <class T>
RONDO_INLINE T op_maximum(T a, T b) {
  return a < b || op_isnan(b) ? b : a;
}
template <class T>
RONDO_INLINE T op_minimum(T a, T b) {
  return b < a || op_isnan(b) ? b : a;
}
template <class T>
RONDO_INLINE T op_mod(T a, T b) {
  if constexpr (is_floating<T>) {
    const T rest = fmod(a, b);
    if (rest == T(0)) return copysign(rest, b);
    return (rest < T(0)) != (b < T(0)) ? rest + b : rest;
  } else if constexpr (same_type<T, bool>) {
    return false;
  } else {
    if (b == 0) return 0;
    if constexpr (kLowest<T> != 0)
      if (b == -1) return 0;
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
}
template <class T>
RONDO_INLINE bool op_eq(T a, T b) {
  return a == b;
}
template <class T>
RONDO_INLINE bool op_ne(T a, T b) {
  return a != b;
}
template <class T>
RONDO_INLINE bool op_lt(T a, T b) {
  return a < b;
}
template <class T>
RONDO_INLINE bool op_le(T a, T b) {
  return a <= b;
}
template <class T>
RONDO_INLINE bool op_gt(T a, T b) {
  return a > b;
}
template <class T>
RONDO_INLINE bool op_ge(T a, T b) {
  return a >= b;
}
template <class T>
RONDO_INLINE bool op_logical_and(T a, T b) {
  return a != T(0) && b != T(0);
}
template <class T>
RONDO_INLINE bool op_logical_or(T a, T b) {
  return a != T(0) || b != T(0);
}
template <class T>
RONDO_INLINE bool op_logical_xor(T a, T b) {
  return (a != T(0)) != (b != T(0));
}

// --- three operands ---
template <class T>
RONDO_INLINE T op_where(bool condition, T a, T b) {
  return condition ? a : b;
}

}  // namespace rondo::device
