// Defines the device functions (rtc/device/*.h) whose general forms cannot be vectorised, for the F32 of vector_math.h:
// without branches, and with one rounding.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/host/vector_math.h"
#include "rtc/device/activations.h"

namespace rondo::device {

template <>
inline constexpr bool is_floating<ops::F32> = true;

// Their parts; their meaning is explained next to the general ones (rtc/device/activations.h).
namespace wide_forms {

using ops::F32;
using namespace ops::wide;

inline f64 decay(f64 x) {  // exp(-|x|)
  return exponential(within(-std::fabs(x), -700, 0));
}
inline f64 sigmoid(f64 x) {
  const f64 e = decay(x), share = 1 / (1 + e);
  return x < 0 ? e * share : share;
}
inline f64 soft_plus(f64 x) {
  const f64 e = decay(x), y = 1 + e, lost = e - (y - 1);
  const Logarithm at = logarithm(y);
  const f64 rest = at.exponent * kLn2 + at.rest + lost;  // of NaN: nothing sensible
  return x == x ? (x > 0 ? x : 0) + rest : x;
}
// A factor that vanishes wins against -infinity.
inline F32 gated(F32 x, f64 gate) {
  const float value = static_cast<float>(x.v * gate);
  return F32::of(x.v == -static_cast<float>(kInfinity) ? -0.0F : value);
}

}  // namespace wide_forms

template <>
inline ops::F32 op_sigmoid(ops::F32 x) {
  return ops::F32(wide_forms::sigmoid(x.v));
}
template <>
inline ops::F32 soft_plus(ops::F32 x) {
  return ops::F32(wide_forms::soft_plus(x.v));
}
template <>
inline ops::F32 op_softplus(ops::F32 x, ops::F32 beta) {
  return ops::F32(wide_forms::soft_plus(static_cast<f64>(x.v) * beta.v) / beta.v);
}
// No subnormal number is multiplied, since processors take long over those.
template <>
inline ops::F32 op_gelu(ops::F32 x) {
  constexpr f32 kFarthest = -13.1462460F, kIdentity = 6;  // beyond the one it is 0, beyond the other x
  constexpr u32 kLeast = 0x01000000u;                     // 2^-125, whose GELU is the smallest normal number
  const u32 size = bits_as<u32>(x.v) & 0x7fffffffu;
  const f32 normal = bits_as<f32>(size < kLeast ? 0 : bits_as<u32>(x.v));
  const f32 above = normal < kFarthest ? kFarthest : normal, within = above > kIdentity ? kIdentity : above;
  const ops::narrow::NormalTail tail = ops::narrow::normal_tail(std::fabs(within));
  const f32 part = within * tail.rest * tail.scale, value = within < 0 ? part : within - part;
  const f32 below = x.v < kFarthest ? 0 : value;
  return ops::F32::of(std::copysign(x.v > kIdentity ? x.v : below, x.v));
}
template <>
inline ops::F32 op_gelu_tanh(ops::F32 x) {
  const f64 given = x.v, argument = 1.5957691216057307117 * given * (1 + 0.044715 * given * given);
  return wide_forms::gated(x, wide_forms::sigmoid(argument));
}
template <>
inline ops::F32 op_silu(ops::F32 x) {
  return wide_forms::gated(x, wide_forms::sigmoid(x.v));
}
// tanh(log(1 + e)) for e = exp(x) is (e e + 2 e) / (e e + 2 e + 2).
template <>
inline ops::F32 op_mish(ops::F32 x) {
  const f64 e = ops::wide::exponential(ops::wide::within(x.v, -700, 40)), part = e * (e + 2);
  return wide_forms::gated(x, part / (part + 2));
}
template <>
inline ops::F32 op_elu(ops::F32 x, ops::F32 alpha) {
  const float below = alpha.v * expm1(x).v;
  return ops::F32::of(x.v > 0 ? x.v : below);
}
template <>
inline ops::F32 op_selu(ops::F32 x) {
  const float above = x.v * 1.0507009873554804934F, below = expm1(x).v * 1.7580993408473768600F;
  return ops::F32::of(x.v > 0 ? above : below);
}
template <>
inline ops::F32 op_celu(ops::F32 x, ops::F32 alpha) {
  const float below = alpha.v * expm1(ops::F32::of(x.v / alpha.v)).v;
  return ops::F32::of(x.v > 0 ? x.v : below);
}
template <>
inline ops::F32 op_hard_swish(ops::F32 x) {
  const float value = x.v * ops::within(x.v * 0.16666666666666666667F + 0.5F, 0, 1);
  return ops::F32::of(x.v == -static_cast<float>(ops::wide::kInfinity) ? -0.0F : value);
}
template <>
inline ops::F32 op_ldexp(ops::F32 a, ops::F32 b) {
  constexpr float kFar = 300;  // beyond it every a is 0 or infinite
  const f64 power = ops::wide::two_to(ops::within(b.v, -kFar, kFar));
  const f64 at_most = b.v == -static_cast<float>(ops::wide::kInfinity) ? 0 : power;
  return ops::F32(a.v * (b.v == static_cast<float>(ops::wide::kInfinity) ? ops::wide::kInfinity : at_most));
}
template <>
inline ops::F32 op_logaddexp(ops::F32 a, ops::F32 b) {
  const f64 high = a.v > b.v ? a.v : b.v, distance = static_cast<f64>(a.v) - static_cast<f64>(b.v);
  const f64 sum = high + wide_forms::soft_plus(-std::fabs(distance));
  const f64 equal = static_cast<f64>(a.v) + ops::wide::kLn2;  // infinities too
  return ops::F32(a.v == b.v ? equal : distance == distance ? sum : distance);
}
template <>
inline ops::F32 op_bce_with_logits(ops::F32 a, ops::F32 b) {
  const f64 logit = a.v, target = b.v, above = part_of(logit, 1 - target), below = part_of(-logit, target);
  return ops::F32((logit > 0 ? above : below) + wide_forms::soft_plus(-std::fabs(logit)));
}

}  // namespace rondo::device
