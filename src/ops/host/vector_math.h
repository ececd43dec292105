// Computes functions of f32 on the cpu by formulas without branches: the compiler makes vectors of them, of whatever
// width, and since they consist of operations that IEEE 754 defines to the last bit, results are the same on every
// processor, with every instruction set and with every C library. Most are computed in f64, and their errors stay below
// 0.6 units in the last place, mostly the rounding of f64 to f32; exp, tanh and GELU, which are used most, in f32,
// which takes half the time or less, with errors below 1.1, 1.4 and 6 (tests/unit/ops/vector_math_test.cc goes through
// all values of f32).
//
// A value is an F32, not a float: the device functions (rtc/device/*.h), which are written for any type, find these
// functions by their argument, and so every operator made of them is vectorised too.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "rtc/device/activations.h"

namespace rondo::ops {

struct F32 {
  float v;
  F32() = default;
  explicit constexpr F32(double value) : v(static_cast<float>(value)) {}
  friend constexpr F32 operator+(F32 a, F32 b) { return of(a.v + b.v); }
  friend constexpr F32 operator-(F32 a, F32 b) { return of(a.v - b.v); }
  friend constexpr F32 operator*(F32 a, F32 b) { return of(a.v * b.v); }
  friend constexpr F32 operator/(F32 a, F32 b) { return of(a.v / b.v); }
  friend constexpr F32 operator-(F32 a) { return of(-a.v); }
  F32& operator+=(F32 b) { return *this = *this + b; }
  F32& operator-=(F32 b) { return *this = *this - b; }
  F32& operator*=(F32 b) { return *this = *this * b; }
  friend constexpr bool operator==(F32 a, F32 b) { return a.v == b.v; }
  friend constexpr bool operator!=(F32 a, F32 b) { return a.v != b.v; }
  friend constexpr bool operator<(F32 a, F32 b) { return a.v < b.v; }
  friend constexpr bool operator<=(F32 a, F32 b) { return a.v <= b.v; }
  friend constexpr bool operator>(F32 a, F32 b) { return a.v > b.v; }
  friend constexpr bool operator>=(F32 a, F32 b) { return a.v >= b.v; }
  static constexpr F32 of(float value) {
    F32 made(0);
    made.v = value;
    return made;
  }
};

// --- in f64, for values that were f32: relative errors some 2^-32
namespace wide {

using device::bits_as;
using device::f64;
using device::u64;

inline constexpr f64 kInfinity = std::numeric_limits<f64>::infinity();
inline constexpr f64 kLn2 = 0.69314718055994530942;

// Added to a number below 2^51, it rounds that to a whole one, which is then in the low bits.
inline constexpr f64 kRound = 6755399441055744.0;  // 1.5 * 2^52

// NaN stays.
inline f64 within(f64 x, f64 low, f64 high) {
  const f64 above = x < low ? low : x;
  return above > high ? high : above;
}

// Powers of 2 of an exponent t within +-1010: of its whole part, which goes to the result's exponent as it stands in
// the low bits, and of what is left, at most 1/2 in size. Polynomials are interpolated at the nodes of Chebyshev.
inline constexpr f64 kLog2E = 1.44269504088896340736;

// With a relative error below 2^-28. The low bits of a NaN that was f32 are 0, so that it stays one.
inline f64 two_to(f64 t) {
  const f64 whole = t + kRound, r = t - (whole - kRound);
  f64 p = 0.0001546144469698307;
  p = p * r + 0.0013400428177439477;
  p = p * r + 0.009618056678525198;
  p = p * r + 0.05550327226670787;
  p = p * r + 0.24022650922288832;
  p = p * r + 0.6931472067028323;
  p = p * r + 1.0000000000000002;
  return bits_as<f64>(bits_as<u64>(p) + (bits_as<u64>(whole) << 52));
}
inline f64 exponential(f64 x) {
  return two_to(x * kLog2E);
}

// 2^t = 2^whole (1 + rest), with a small relative error of the rest too.
struct Power {
  u64 whole;  // in the low bits
  f64 rest;
  f64 scale() const { return bits_as<f64>((whole + 1023) << 52); }
};
inline Power power(f64 t) {
  const f64 whole = t + kRound, r = t - (whole - kRound);
  f64 p = 1.5297323724772072e-05;
  p = p * r + 0.0001546144470305989;
  p = p * r + 0.0013333502386352935;
  p = p * r + 0.009618056678510513;
  p = p * r + 0.0555041088390939;
  p = p * r + 0.24022650922288846;
  p = p * r + 0.6931471805599454;
  return {bits_as<u64>(whole), r * p};
}
inline f64 exponential_less_one(f64 x) {
  const Power at = power(x * kLog2E);
  return at.scale() * at.rest + (at.scale() - 1);
}

// y = 2^exponent mantissa, the mantissa around 1, and log(mantissa). For y in (0, infinity), not subnormal in f64.
struct Logarithm {
  f64 exponent, rest;
};
inline Logarithm logarithm(f64 y) {
  const u64 bits = bits_as<u64>(y);
  const u64 biased = (bits + 0x00095f6400000000u) >> 52;  // the mantissa goes from sqrt(1/2) to sqrt(2)
  const f64 m = bits_as<f64>(bits - (biased << 52) + (u64{1023} << 52));
  const f64 exponent = bits_as<f64>(biased | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
  const f64 s = (m - 1) / (m + 1), z = s * s;
  f64 p = 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  return {exponent, 2 * s + 2 * s * z * p};
}
// The value that log has at x if there is a special one, else `usual`.
inline f64 log_cases(f64 x, f64 usual) {
  const f64 positive = x < kInfinity ? usual : x;
  const f64 at_most_zero = x == 0 ? -kInfinity : std::numeric_limits<f64>::quiet_NaN();
  const f64 known = x > 0 ? positive : at_most_zero;
  return x == x ? known : x;
}

// The reduced form of an angle: its quarter in the low two bits, sine and cosine within it.
inline constexpr float kNearAngle = 1048576;
struct Angle {
  u64 quarter;
  f64 sine, cosine;
};
inline Angle angle(f64 x) {  // |x| <= kNearAngle
  const f64 whole = x * 0.63661977236758134308 + kRound, n = whole - kRound;
  // pi/2 in two parts, the first of 33 bits, so that its product with n is exact.
  const f64 r = (x - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11;
  const f64 z = r * r;
  f64 s = 1.0 / 6227020800;
  s = s * z - 1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  f64 c = 1.0 / 479001600;
  c = c * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * z - 0.5;
  return {bits_as<u64>(whole), r + r * z * s, 1 + z * c};
}
// Turned by so many more quarters.
inline f64 sine(const Angle& at, u64 more) {
  const u64 quarter = at.quarter + more;
  const f64 size = (quarter & 1) != 0 ? at.cosine : at.sine;
  return bits_as<f64>(bits_as<u64>(size) ^ ((quarter & 2) << 62));
}

// erf(x) / x in x^2 up to 1; erfc(x) exp(x^2) / t in 2 t - 1 for t = 2 / (2 + x); both interpolated as above.
inline f64 near_erf(f64 x) {
  const f64 z = x * x;
  f64 p = 1.05893806410750192e-6;
  p = p * z - 0.0000139093400218745986;
  p = p * z + 0.000119565625682073296;
  p = p * z - 0.000854263799708722963;
  p = p * z + 0.00522378347718924812;
  p = p * z - 0.0268661332350955916;
  p = p * z + 0.112837913086045815;
  p = p * z - 0.376126388896353068;
  return x * (p * z + 1.12837916709467673);
}
inline f64 erfc(f64 x) {
  const f64 size = within(std::fabs(x), 0, 26), t = 2 / (2 + size), u = 2 * t - 1;
  f64 p = -1.39070033023554298e-6;
  p = p * u - 0.0000122429535203138535;
  p = p * u + 0.000059261953267508653;
  p = p * u - 0.0000159180813833431906;
  p = p * u - 0.000324855008855570512;
  p = p * u + 0.000416912448738643629;
  p = p * u + 0.00154369028226495462;
  p = p * u - 0.00323911255087979361;
  p = p * u - 0.0107551485998092134;
  p = p * u + 0.018221068672739479;
  p = p * u + 0.139736038365195784;
  p = p * u + 0.343580343425198893;
  p = p * u + 0.510791352680605709;
  const f64 beyond = p * t * exponential(-size * size);
  return x < 0 ? 2 - beyond : beyond;
}

}  // namespace wide

// --- exponentials. Arguments are limited as f32, of which a vector holds twice as many.
inline float within(float x, float low, float high) {
  const float above = x < low ? low : x;
  return above > high ? high : above;
}

// --- in f32
namespace narrow {

using device::bits_as;
using device::f32;
using device::i32;
using device::u32;

inline constexpr f32 kRound = 12582912.0F;  // 1.5 * 2^23, as wide::kRound
inline constexpr f32 kLog2E = 1.44269504F;

// x between a negative and a positive number; NaN is one of them. Compared as integers, the second time without a sign:
// an instruction each.
inline f32 between(f32 x, f32 low, f32 high) {
  const i32 given = bits_as<i32>(x), most = bits_as<i32>(high);
  const u32 above = static_cast<u32>(given < most ? given : most), least = bits_as<u32>(low);
  return bits_as<f32>(above < least ? above : least);
}
// x less n times log(2), which is in two parts, the first of 16 bits, so that its product with n is exact.
inline f32 less_logs(f32 x, f32 n) {
  return (x - n * 0.693145751953125F) - n * 1.42860682E-6F;
}
// exp(r) for |r| <= log(2) / 2, interpolated at the nodes of Chebyshev.
inline f32 near_one(f32 r) {
  f32 p = 0.00139261836F;
  p = p * r + 0.00836317905F;
  p = p * r + 0.0416665546F;
  p = p * r + 0.16666577F;
  p = p * r + 0.5F;
  return p * (r * r) + r + 1;
}
// tanh(x) for |x| <= 5/8, likewise.
inline f32 near_tanh(f32 x) {
  const f32 z = x * x;
  f32 p = -0.00609671417F;
  p = p * z + 0.0209971790F;
  p = p * z - 0.0538509096F;
  p = p * z + 0.133327697F;
  p = p * z - 0.333333289F;
  return x * z * p + x;
}

// exp(-u^2 / 2) of u between 0 and 13.15 times the error function's part of that, whose product is Phi(-u): both
// factors of Phi, the first one a power of 2, so that what is multiplied by both in turn leaves the range only at the
// end. u is two parts, the first of 12 bits, whose square is exact. The part is interpolated in s = 2 t - 1, t = 1 / (1
// + 0.3 u).
struct NormalTail {
  f32 scale, rest;
};
inline NormalTail normal_tail(f32 u) {
  const f32 high = bits_as<f32>(bits_as<u32>(u) & 0xfffff000u), half = high * high * 0.5F;
  const f32 whole = (kRound + 127) - half * kLog2E, n = whole - (kRound + 127);
  const f32 power = near_one(less_logs(-half, n) - (u - high) * (u + high) * 0.5F);
  const f32 t = 1 / (1 + 0.3F * u), s = 2 * t - 1;
  f32 p = -4.02044071E-5F;
  p = p * s + 7.65085078E-5F;
  p = p * s + 0.00028067991F;
  p = p * s - 0.000569615955F;
  p = p * s - 0.00242354826F;
  p = p * s + 0.00181602501F;
  p = p * s + 0.0277603453F;
  p = p * s + 0.08654971F;
  p = p * s + 0.164579485F;
  p = p * s + 0.221970613F;
  return {bits_as<f32>(bits_as<u32>(whole) << 23), p * t * power};
}

}  // namespace narrow

inline F32 exp(F32 x) {
  using namespace narrow;
  constexpr f32 kTwice = kRound + 2 * 127;  // the result's exponent in two factors, neither of which leaves its range
  const f32 limited = between(x.v, -104, 89), whole = limited * kLog2E + kTwice;
  const u32 both = bits_as<u32>(whole), one = both >> 1;
  const f32 value =
      near_one(less_logs(limited, whole - kTwice)) * bits_as<f32>(one << 23) * bits_as<f32>((both - one) << 23);
  return F32::of(x.v == x.v ? value : x.v);
}
inline F32 exp2(F32 x) {
  return F32(wide::two_to(within(x.v, -200, 200)));
}
inline F32 expm1(F32 x) {
  const float value = static_cast<float>(wide::exponential_less_one(within(x.v, -40, 130)));
  return F32::of(x.v == 0 ? x.v : value);  // the sign of zero
}
inline F32 sinh(F32 x) {
  const double e = wide::exponential_less_one(within(std::fabs(x.v), 0, 130));
  return F32::of(std::copysign(static_cast<float>(0.5 * (e + e / (e + 1))), x.v));
}
inline F32 cosh(F32 x) {
  const double e = wide::exponential(within(std::fabs(x.v), 0, 130));
  return F32(0.5 * (e + 1 / e));
}
// 1 - 2 / (exp(2 |x|) + 1) where nothing is lost by it.
inline F32 tanh(F32 x) {
  using namespace narrow;
  const f32 given = std::fabs(x.v), size = given > 10 ? 10 : given, whole = size * (2 * kLog2E) + (kRound + 127);
  const f32 scale = bits_as<f32>(bits_as<u32>(whole) << 23);
  const f32 power = near_one(less_logs(2 * size, whole - (kRound + 127))) * scale;
  const f32 beyond = 1 - 2 / (power + 1), inside = near_tanh(size);
  return F32::of(std::copysign(size < 0.625F ? inside : beyond, x.v));
}

// --- logarithms
inline F32 log(F32 x) {
  const wide::Logarithm at = wide::logarithm(x.v);
  return F32(wide::log_cases(x.v, at.exponent * wide::kLn2 + at.rest));
}
inline F32 log2(F32 x) {
  const wide::Logarithm at = wide::logarithm(x.v);
  return F32(wide::log_cases(x.v, at.exponent + at.rest * 1.44269504088896340736));
}
inline F32 log10(F32 x) {
  const wide::Logarithm at = wide::logarithm(x.v);
  return F32(wide::log_cases(x.v, (at.exponent * wide::kLn2 + at.rest) * 0.43429448190325182765));
}
inline F32 log1p(F32 x) {
  const double given = x.v, y = 1 + given, lost = given - (y - 1);
  const wide::Logarithm at = wide::logarithm(y);
  const float value = static_cast<float>(wide::log_cases(y, at.exponent * wide::kLn2 + at.rest + lost / y));
  return F32::of(x.v == 0 ? x.v : value);
}

// --- the error function
inline F32 erf(F32 x) {
  const float beyond = std::copysign(static_cast<float>(1 - wide::erfc(std::fabs(x.v))), x.v);
  const float inside = static_cast<float>(wide::near_erf(x.v));
  return F32::of(std::fabs(x.v) < 1 ? inside : beyond);
}
inline F32 erfc(F32 x) {
  return F32(wide::erfc(x.v));
}

inline F32 hypot(F32 a, F32 b) {
  const float x = std::fabs(a.v), y = std::fabs(b.v), infinite = std::numeric_limits<float>::infinity();
  const float value = static_cast<float>(std::sqrt(static_cast<double>(x) * x + static_cast<double>(y) * y));
  const float one = y == infinite ? y : value;
  return F32::of(x == infinite ? x : one);
}

// --- angles. The `near` ones serve what is not too far from 0, the others everything.
inline F32 near_sin(F32 x) {
  const float value = static_cast<float>(wide::sine(wide::angle(x.v), 0));
  return F32::of(x.v == 0 ? x.v : value);
}
inline F32 near_cos(F32 x) {
  return F32(wide::sine(wide::angle(x.v), 1));
}
inline F32 near_tan(F32 x) {
  const wide::Angle at = wide::angle(x.v);
  const float value = static_cast<float>(wide::sine(at, 0) / wide::sine(at, 1));
  return F32::of(x.v == 0 ? x.v : value);
}
inline bool near(F32 x) {
  return std::fabs(x.v) <= wide::kNearAngle;
}
inline F32 sin(F32 x) {
  return near(x) ? near_sin(x) : F32(std::sin(static_cast<double>(x.v)));
}
inline F32 cos(F32 x) {
  return near(x) ? near_cos(x) : F32(std::cos(static_cast<double>(x.v)));
}
inline F32 tan(F32 x) {
  return near(x) ? near_tan(x) : F32(std::tan(static_cast<double>(x.v)));
}

// --- in one instruction, or exact
inline F32 sqrt(F32 x) {
  return F32::of(std::sqrt(x.v));
}
inline F32 floor(F32 x) {
  return F32::of(std::floor(x.v));
}
inline F32 rint(F32 x) {
  return F32::of(std::rint(x.v));
}
inline F32 copysign(F32 x, F32 sign) {
  return F32::of(std::copysign(x.v, sign.v));
}

// --- by the C library, one by one
#define UNARY(name)                 \
  inline F32 name(F32 x) {          \
    return F32::of(std::name(x.v)); \
  }
UNARY(cbrt)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(tgamma)
#undef UNARY
inline F32 lgamma(F32 x) {
  return F32::of(device::lgamma(x.v));
}
#define BINARY(name)                     \
  inline F32 name(F32 a, F32 b) {        \
    return F32::of(std::name(a.v, b.v)); \
  }
BINARY(atan2)
#undef BINARY

}  // namespace rondo::ops
