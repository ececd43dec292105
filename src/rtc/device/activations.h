// Defines activations and elementwise losses. T is f32 or f64. NaN gives NaN; nothing overflows on the way to a finite
// result.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/functions.h"

namespace rondo::device {

// There a product with a factor that vanishes is -0 in the limit, but computed it is NaN.
template <class T>
RONDO_INLINE bool minus_infinity(T x) {
  return x < T(0) && !op_isfinite(x);
}

// log(1 + exp(x)).
template <class T>
RONDO_INLINE T soft_plus(T x) {
  return op_relu(x) + log1p(exp(x < T(0) ? x : -x));
}
template <class T>
RONDO_INLINE T op_log_sigmoid(T x) {
  return -soft_plus(-x);
}
template <class T>
RONDO_INLINE T op_softplus(T x, T beta) {
  const T argument = x * beta;  // may overflow where the result is x
  return (argument > T(0) ? x : T(0)) + log1p(exp(-op_abs(argument))) / beta;
}
template <class T>
RONDO_INLINE T op_softsign(T x) {
  const T size = op_abs(x);
  return op_isinf(x) ? copysign(T(1), x) : x / (T(1) + size);
}

// A result below the smallest normal number is 0, with its sign: the products and convolutions that read results of a
// GELU would take many times as long over subnormal numbers.
template <class T>
RONDO_INLINE T without_subnormal(T x) {
  return op_abs(x) < (sizeof(T) == 4 ? T(1.1754943508222875e-38) : T(2.2250738585072014e-308)) ? copysign(T(0), x) : x;
}

// In the far tail erfc makes much of the rounding of its argument: what was lost is added by the derivative.
template <class T>
RONDO_INLINE T op_gelu(T x) {
  if (!op_isfinite(x)) return x < T(0) ? T(-0.0) : x;
  constexpr T root = T(-0.70710678118654752440);
  constexpr T rest = sizeof(T) == 4 ? T(-0.70710678118654752440 - f64(f32(-0.70710678118654752440)))
                                    : T(4.8336466567264567e-17);  // of the root of 1/2, beyond T
  const T argument = x * root, lost = fma(x, root, -argument) + x * rest;
  const T twice = erfc(argument) - lost * T(1.12837916709551257390) * exp(-argument * argument);
  return without_subnormal(T(0.5) * x * twice);
}
// The argument of the tanh form, doubled: 0.5 (1 + tanh(u)) is the sigmoid of 2 u.
template <class T>
RONDO_INLINE T gelu_argument(T x) {
  return T(1.5957691216057307117) * x * (T(1) + T(0.044715) * x * x);
}
template <class T>
RONDO_INLINE T op_gelu_tanh(T x) {
  if (minus_infinity(x)) return T(-0.0);
  return x * op_sigmoid(gelu_argument(x));
}
template <class T>
RONDO_INLINE T op_silu(T x) {
  if (minus_infinity(x)) return T(-0.0);
  return x * op_sigmoid(x);
}
// By a multiplication, since a division would take most of the time.
template <class T>
RONDO_INLINE T op_hard_swish(T x) {
  if (minus_infinity(x)) return T(-0.0);
  return x * op_clamp(x * T(0.16666666666666666667) + T(0.5), T(0), T(1));
}
// The end of a matrix product or a convolution: rondo_activation, whose checks let no other number come here. Its
// operators by name: ops/activation.h.
template <class T>
RONDO_INLINE T activated(int activation, T x) {
  switch (activation) {
    case 1: return op_relu(x);
    case 2: return op_gelu_tanh(x);
    case 3: return op_clamp(x, T(0), T(6));
    case 4: return op_silu(x);
    case 5: return op_hard_swish(x);
    case 6: return op_gelu(x);
    default: return x;
  }
}
template <class T>
RONDO_INLINE T op_mish(T x) {
  if (minus_infinity(x)) return T(-0.0);
  return x * tanh(soft_plus(x));
}

template <class T>
RONDO_INLINE T op_elu(T x, T alpha) {
  return x > T(0) ? x : alpha * expm1(x);
}
template <class T>
RONDO_INLINE T op_selu(T x) {
  return x > T(0) ? x * T(1.0507009873554804934) : expm1(x) * T(1.7580993408473768600);
}
template <class T>
RONDO_INLINE T op_celu(T x, T alpha) {
  return x > T(0) ? x : alpha * expm1(x / alpha);
}
template <class T>
RONDO_INLINE T op_leaky_relu(T x, T slope) {
  return x > T(0) ? x : x * slope;
}
template <class T>
RONDO_INLINE T op_prelu(T a, T b) {
  return a > T(0) ? a : a * b;
}
template <class T>
RONDO_INLINE T op_hard_tanh(T x, T low, T high) {
  return op_clamp(x, low, high);
}
template <class T>
RONDO_INLINE T op_hard_sigmoid(T x, T alpha, T beta) {
  return op_clamp(x * alpha + beta, T(0), T(1));
}

template <class T>
RONDO_INLINE T op_smooth_l1(T a, T b, T beta) {
  const T distance = op_abs(a - b);
  return distance < beta ? distance / T(2) * (distance / beta) : distance - beta / T(2);
}
template <class T>
RONDO_INLINE T op_smooth_l1_sigma(T x, T sigma) {
  const T distance = op_abs(x), square = sigma * sigma, scaled = sigma * x;
  return distance * square < T(1) ? scaled * scaled / T(2) : distance - T(0.5) / square;
}
template <class T>
RONDO_INLINE T op_bce_with_logits(T a, T b) {
  return (a > T(0) ? part_of(a, T(1) - b) : part_of(-a, b)) + log1p(exp(-op_abs(a)));
}

}  // namespace rondo::device
