// Defines every scalar operator, once for all devices. T is a register type: bool, an integer, f32 or f64. Integers
// wrap around; bool computes as an integer and is true where that is not 0. rondo/ops.h states the meaning of each.
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
// To f32, so that rounding on to a 16-bit float gives what rounding once would: where bits are lost, the last that
// stays is 1 (round to odd). The odd one of the two neighbours of x is on the right side of every tie.
RONDO_INLINE f32 to_odd(f64 x) {
  const f32 nearest = static_cast<f32>(x);
  const f64 back = nearest;
  const u32 bits = bits_as<u32>(nearest);
  if (back == x || op_isnan(x) || (bits & 1u)) return nearest;
  return bits_as<f32>((back > x) == (x > 0) ? bits - 1 : bits + 1);
}
RONDO_INLINE f32 to_odd(i32 x) {
  return to_odd(static_cast<f64>(x));
}
RONDO_INLINE f32 to_odd(i64 x) {
  constexpr i64 exact = 1ll << 53;  // in f64; beyond, what is cut off leaves its mark in the last bit
  if (x >= -exact && x <= exact) return to_odd(static_cast<f64>(x));
  return to_odd(static_cast<f64>((x >> 11) | ((x & 2047) != 0 ? 1 : 0))) * 2048.0f;
}
RONDO_INLINE f32 to_odd(u32 x) {
  return to_odd(static_cast<f64>(x));
}
RONDO_INLINE f32 to_odd(u64 x) {
  if (x <= (1ull << 53)) return to_odd(static_cast<f64>(x));
  return to_odd(static_cast<f64>((x >> 11) | ((x & 2047) != 0 ? 1 : 0))) * 2048.0f;
}
// To the register type of M, on the way to M.
template <class M, class From>
RONDO_INLINE Register<M> convert_to(From x) {
  constexpr bool half = same_type<M, f16> || same_type<M, bf16>;
  if constexpr (half && sizeof(From) >= 4 && !same_type<From, f32>)
    return to_odd(x);
  else
    return convert<Register<M>>(x);
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

template <class T>
RONDO_INLINE T op_trunc(T x) {
  if constexpr (is_floating<T>)
    return trunc(x);
  else
    return x;
}
template <class T>
RONDO_INLINE T op_round_away(T x) {
  if constexpr (is_floating<T>) {
    const T whole = trunc(x);  // what is left is exact
    return whole + copysign(op_abs(x - whole) >= T(0.5) ? T(1) : T(0), x);
  } else {
    return x;
  }
}
template <class T>
RONDO_INLINE bool op_isfinite(T x) {
  return x - x == T(0);  // an infinity less itself is NaN
}
template <class T>
RONDO_INLINE bool op_isinf(T x) {
  return !op_isnan(x) && !op_isfinite(x);
}
template <class T>
RONDO_INLINE bool op_isposinf(T x) {
  return x > T(0) && op_isinf(x);
}
template <class T>
RONDO_INLINE bool op_isneginf(T x) {
  return x < T(0) && op_isinf(x);
}
template <class T>
RONDO_INLINE bool op_signbit(T x) {
  if constexpr (is_floating<T>)
    return copysign(T(1), x) < T(0);
  else
    return x < T(0);
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
template <class T>
RONDO_INLINE T op_exp2(T x) {
  return exp2(x);
}
template <class T>
RONDO_INLINE T op_log2(T x) {
  return log2(x);
}
template <class T>
RONDO_INLINE T op_log10(T x) {
  return log10(x);
}
template <class T>
RONDO_INLINE T op_cbrt(T x) {
  return cbrt(x);
}
template <class T>
RONDO_INLINE T op_rcbrt(T x) {
  return T(1) / cbrt(x);
}
template <class T>
RONDO_INLINE T op_tan(T x) {
  return tan(x);
}
template <class T>
RONDO_INLINE T op_asin(T x) {
  return asin(x);
}
template <class T>
RONDO_INLINE T op_acos(T x) {
  return acos(x);
}
template <class T>
RONDO_INLINE T op_atan(T x) {
  return atan(x);
}
template <class T>
RONDO_INLINE T op_sinh(T x) {
  return sinh(x);
}
template <class T>
RONDO_INLINE T op_cosh(T x) {
  return cosh(x);
}
template <class T>
RONDO_INLINE T op_asinh(T x) {
  return asinh(x);
}
template <class T>
RONDO_INLINE T op_acosh(T x) {
  return acosh(x);
}
template <class T>
RONDO_INLINE T op_atanh(T x) {
  return atanh(x);
}
template <class T>
RONDO_INLINE T op_erfc(T x) {
  return erfc(x);
}
template <class T>
RONDO_INLINE T op_degrees(T x) {
  return x * T(57.295779513082320877);
}
template <class T>
RONDO_INLINE T op_radians(T x) {
  return x * T(0.017453292519943295769);
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
// The remainder with the sign of a; 0 for integers where there is none.
template <class T>
RONDO_INLINE T op_fmod(T a, T b) {
  if constexpr (is_floating<T>) {
    return fmod(a, b);
  } else if constexpr (same_type<T, bool>) {
    return false;
  } else {
    if (b == 0) return 0;
    if constexpr (kLowest<T> != 0)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
}
// The remainder with the sign of b.
template <class T>
RONDO_INLINE T op_mod(T a, T b) {
  const T rest = op_fmod(a, b);
  if constexpr (is_floating<T>)
    if (rest == T(0)) return copysign(rest, b);
  if constexpr (same_type<T, bool>)
    return rest;
  else
    return rest != T(0) && (rest < T(0)) != (b < T(0)) ? static_cast<T>(rest + b) : rest;
}
// As Python's: the whole number q for which a - q b is the remainder with the sign of b.
template <class T>
RONDO_INLINE T op_floor_div(T a, T b) {
  if constexpr (is_floating<T>) {
    const T quotient = a / b, whole = floor(quotient);
    if (b == T(0) || op_isnan(b)) return quotient;
    if (!op_isfinite(a)) return a - a;
    // A quotient just below a whole number was rounded to it.
    const T rest = whole == T(0) ? a : fma(-whole, b, a);
    return whole == quotient && rest != T(0) && (rest < T(0)) != (b < T(0)) ? whole - T(1) : whole;
  } else {
    const T quotient = op_div(a, b);
    if constexpr (kLowest<T> != 0)
      if (b != 0 && (a < 0) != (b < 0) && op_fmod(a, b) != 0) return static_cast<T>(quotient - 1);
    return quotient;
  }
}
template <class T>
RONDO_INLINE T op_true_div(T a, T b) {
  return a / b;
}
// The first comparison is false for a NaN on either side, the second picks the other one.
template <class T>
RONDO_INLINE T op_fmax(T a, T b) {
  return a >= b || op_isnan(b) ? a : b;
}
template <class T>
RONDO_INLINE T op_fmin(T a, T b) {
  return a <= b || op_isnan(b) ? a : b;
}
template <class T>
RONDO_INLINE T op_hypot(T a, T b) {
  return hypot(a, b);
}
template <class T>
RONDO_INLINE T op_atan2(T a, T b) {
  return atan2(a, b);
}
template <class T>
RONDO_INLINE T op_copysign(T a, T b) {
  return copysign(a, b);
}
// b may have a fraction, and 2 to the b may be far out of range where the result is not. So a is made normal, is
// multiplied by the power of the fraction, away from both ends of the range, and gets the exponent last.
template <class T>
RONDO_INLINE T op_ldexp(T a, T b) {
  constexpr bool narrow = sizeof(T) == 4;
  constexpr T most = narrow ? T(300) : T(2200);  // beyond it every a is 0 or infinite
  if (!op_isfinite(b)) return a * exp2(b);
  const bool small = op_abs(a) < T(1);
  const T exponent = b < -most ? -most : b > most ? most : b, whole = small ? floor(exponent) : ceil(exponent);
  constexpr int shift = narrow ? 64 : 200;
  const T scaled = small ? a * (narrow ? T(0x1p64) : T(0x1p200)) : a;
  return ldexp(scaled * exp2(exponent - whole), static_cast<int>(whole) - (small ? shift : 0));
}
template <class T>
RONDO_INLINE T op_logaddexp(T a, T b) {
  if (a == b) return a + T(0.69314718055994530942);  // infinities too
  const T difference = a - b;
  return op_maximum(a, b) + log1p(exp(difference > T(0) ? -difference : difference));
}
template <class T>
RONDO_INLINE T op_xlogy(T a, T b) {
  return a == T(0) && !op_isnan(b) ? T(0) : a * log(b);
}
template <class T>
RONDO_INLINE T op_squared_difference(T a, T b) {
  return op_square(op_sub(a, b));
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

// --- bits of integers ---
template <class T>
RONDO_INLINE T op_bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
RONDO_INLINE T op_bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
RONDO_INLINE T op_bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
RONDO_INLINE T op_bit_not(T x) {
  if constexpr (same_type<T, bool>)
    return !x;
  else
    return static_cast<T>(~x);
}
// A count that is negative or as wide as the type moves every bit out.
template <class T>
RONDO_INLINE bool shifts_out(T count) {
  return count < T(0) || static_cast<u64>(count) >= (same_type<T, bool> ? 1 : sizeof(T) * 8);
}
template <class T>
RONDO_INLINE T op_shift_left(T a, T b) {
  return shifts_out(b) ? T(0) : static_cast<T>(static_cast<Wrapping<T>>(a) << static_cast<int>(b));
}
template <class T>
RONDO_INLINE T op_shift_right(T a, T b) {
  if (shifts_out(b)) return a < T(0) ? static_cast<T>(-1) : T(0);
  return static_cast<T>(a >> static_cast<int>(b));
}
// The magnitude of the lowest value fits the unsigned type only: it comes back as itself.
template <class T>
RONDO_INLINE Wrapping<T> magnitude(T x) {
  return x < T(0) ? Wrapping<T>(0) - static_cast<Wrapping<T>>(x) : static_cast<Wrapping<T>>(x);
}
template <class T>
RONDO_INLINE T op_gcd(T a, T b) {
  Wrapping<T> x = magnitude(a);
  Wrapping<T> y = magnitude(b);
  while (y != 0) {
    const Wrapping<T> rest = x % y;
    x = y;
    y = rest;
  }
  return static_cast<T>(x);
}
template <class T>
RONDO_INLINE T op_lcm(T a, T b) {
  const Wrapping<T> divisor = magnitude(op_gcd(a, b));
  if (divisor == 0) return T(0);
  return op_abs(static_cast<T>(magnitude(a) / divisor * magnitude(b)));
}

// --- three operands ---
template <class T>
RONDO_INLINE T op_where(bool condition, T a, T b) {
  return condition ? a : b;
}
template <class T>
RONDO_INLINE T op_fma(T a, T b, T c) {
  if constexpr (is_floating<T>)
    return fma(a, b, c);
  else
    return op_add(op_mul(a, b), c);
}
template <class T>
RONDO_INLINE T op_clamp(T a, T b, T c) {
  return op_minimum(op_maximum(a, b), c);
}
template <class T>
RONDO_INLINE T op_clip(T x, T low, T high) {
  return op_clamp(x, low, high);
}
// A part of a number; none of it is 0, of an infinity too.
template <class T>
RONDO_INLINE T part_of(T x, T part) {
  return part == T(0) && !op_isnan(x) ? T(0) : x * part;
}
// From the end that is nearer, so that equal ends and weights of 0 and 1 give what is there. If the distance is beyond
// the range, each end counts with its part, and an only infinite end alone.
template <class T>
RONDO_INLINE T op_lerp(T a, T b, T c) {
  const T distance = b - a, rest = T(1) - c, first = part_of(a, rest), second = part_of(b, c);
  const T near = c < T(0.5) ? a + part_of(c, distance) : b - part_of(rest, distance);
  const bool left = op_isinf(a) && rest != T(0), right = op_isinf(b) && c != T(0);
  const T far = left == right ? first + second : left ? first : second;
  return op_isinf(distance) || (op_isnan(distance) && a == b) ? far : near;
}

}  // namespace rondo::device
