// Defines special functions that not every mathematical library has, or not with the same meaning: one text for all
// devices. T is f32 or f64.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/functions.h"

namespace rondo::device {

template <class T>
RONDO_INLINE T op_gamma(T x) {
  return tgamma(x);
}
template <class T>
RONDO_INLINE T op_lgamma(T x) {
  return lgamma(x);
}

// The distance from the nearest whole number, which is exact, in half turns: reflection takes its sine or tangent, and
// near a pole no other has its digits.
template <class T>
RONDO_INLINE T from_pole(T x) {
  return T(3.14159265358979323846) * (x - rint(x));
}

// The asymptotic series of psi in 1 / x^2 (Abramowitz and Stegun 6.3.18), reached by the recurrence psi(x) = psi(x + 1)
// - 1 / x; below 0 by reflection.
template <class T>
RONDO_INLINE T op_digamma(T x) {
  constexpr T kPi = T(3.14159265358979323846);
  T result = T(0);
  if (x <= T(0)) {
    if (x == floor(x)) return x == T(0) ? T(-1) / x : (x - x) / (x - x);
    result = -kPi / tan(from_pole(x));
    x = T(1) - x;
  }
  while (x < T(10)) {
    result -= T(1) / x;
    x += T(1);
  }
  const T z = T(1) / (x * x);
  const T series =
      z *
      (T(1.0 / 12) -
       z * (T(1.0 / 120) -
            z * (T(1.0 / 252) - z * (T(1.0 / 240) - z * (T(5.0 / 660) - z * (T(691.0 / 32760) - z * T(1.0 / 12)))))));
  return result + log(x) - T(0.5) / x - series;
}
// The derivative of the same (6.4.12).
template <class T>
RONDO_INLINE T op_trigamma(T x) {
  constexpr T kPi = T(3.14159265358979323846);
  T result = T(0);
  T sign = T(1);
  if (x <= T(0)) {
    if (x == floor(x)) return T(1) / (x - x);
    const T cosecant = kPi / sin(from_pole(x));
    result = -(cosecant * cosecant);
    sign = T(-1);
    x = T(1) - x;
  }
  while (x < T(10)) {
    const T inverse = T(1) / x;
    result += inverse * inverse;
    x += T(1);
  }
  const T z = T(1) / (x * x);
  const T series =
      z * (T(1.0 / 6) -
           z * (T(1.0 / 30) -
                z * (T(1.0 / 42) - z * (T(1.0 / 30) - z * (T(5.0 / 66) - z * (T(691.0 / 2730) - z * T(7.0 / 6)))))));
  return sign * (result + T(1) / x + z / T(2) + series / x);
}

// A polynomial in w = -log((1 - x)(1 + x)) (Giles, GPU Computing Gems Jade Edition 2011, chapter 10); for f64 followed
// by Newton's steps: against erf, or away from 0 against the logarithm of erfc, which keeps its digits near 1 and -1
// and is nearly a parabola, so that a start from beyond the polynomial's range comes near as well.
template <class T>
RONDO_INLINE T op_erfinv(T x) {
  const T size = x < T(0) ? -x : x;
  if (!(size < T(1))) return size == T(1) ? x / T(0) : (x - x) / (x - x);
  T w = -log((T(1) - size) * (T(1) + size));
  T p;
  if (w < T(5)) {
    w = w - T(2.5);
    p = T(2.81022636e-08);
    p = T(3.43273939e-07) + p * w;
    p = T(-3.5233877e-06) + p * w;
    p = T(-4.39150654e-06) + p * w;
    p = T(0.00021858087) + p * w;
    p = T(-0.00125372503) + p * w;
    p = T(-0.00417768164) + p * w;
    p = T(0.246640727) + p * w;
    p = T(1.50140941) + p * w;
  } else {
    w = sqrt(w) - T(3);
    p = T(-0.000200214257);
    p = T(0.000100950558) + p * w;
    p = T(0.00134934322) + p * w;
    p = T(-0.00367342844) + p * w;
    p = T(0.00573950773) + p * w;
    p = T(-0.0076224613) + p * w;
    p = T(0.00943887047) + p * w;
    p = T(1.00167406) + p * w;
    p = T(2.83297682) + p * w;
  }
  T y = p * size;
  if constexpr (same_type<T, f64>) {
    for (int step = 0; step < 4; ++step) {
      const T tail = erfc(y), error = size < T(0.5) ? erf(y) - size : tail * (log(T(1) - size) - log(tail));
      y -= error * T(0.88622692545275801365) * exp(y * y);
    }
  }
  return copysign(y, x);
}

}  // namespace rondo::device
