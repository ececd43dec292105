// Draws random numbers by Philox4x32-10, a counter-based generator (J. Salmon, M. Moraes, R. Dror, D. Shaw: "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011), and the two distributions drawn from it.
//
// Element i of a draw of f32 (or a 16-bit float) uses lane i % 4 of the block at counter start + i / 4; an f64 needs
// two lanes: element i uses lanes 2 (i % 2) and 2 (i % 2) + 1 at start + i / 2. Normal numbers come in pairs
// (Box-Muller): elements 2 j and 2 j + 1 are the cosine and the sine of one point, drawn from the lanes of both.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/prelude.h"

namespace rondo::device {

struct PhiloxBlock {
  u32 lane[4];
};
// The engine's RandomState, as a graph keeps it in device memory.
struct PhiloxState {
  u64 key, offset;
};

RONDO_INLINE PhiloxBlock philox(u64 key, u64 counter) {
  u32 x0 = static_cast<u32>(counter);
  u32 x1 = static_cast<u32>(counter >> 32);
  u32 x2 = 0;
  u32 x3 = 0;
  u32 k0 = static_cast<u32>(key);
  u32 k1 = static_cast<u32>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const u32 high0 = high_product(0xd2511f53u, x0);
    const u32 low0 = 0xd2511f53u * x0;
    const u32 high1 = high_product(0xcd9e8d57u, x2);
    const u32 low1 = 0xcd9e8d57u * x2;
    x0 = high1 ^ x1 ^ k0;
    x1 = low1;
    x2 = high0 ^ x3 ^ k1;
    x3 = low0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return PhiloxBlock{{x0, x1, x2, x3}};
}

// Elements that one block serves.
template <class T>
constexpr int kDrawsPerBlock = same_type<T, f64> ? 2 : 4;

template <class T>
RONDO_INLINE PhiloxBlock random_block(u64 key, u64 start, u64 element) {
  return philox(key, start + element / kDrawsPerBlock<T>);
}

// [0, 1), by 24 or 53 bits: exact, so the same everywhere.
RONDO_INLINE f64 unit_f64(u32 high, u32 low) {
  return static_cast<f64>((static_cast<u64>(high) << 21) | (low >> 11)) * 1.1102230246251565e-16;
}
template <class T>
RONDO_INLINE T uniform(const PhiloxBlock& block, u64 element) {
  if constexpr (same_type<T, f64>)
    return element & 1 ? unit_f64(block.lane[2], block.lane[3]) : unit_f64(block.lane[0], block.lane[1]);
  else
    return static_cast<f32>(block.lane[element & 3] >> 8) * 5.9604644775390625e-8f;
}

#if defined(__CUDACC_RTC__)
// Within a unit in the last place.
RONDO_INLINE f32 root_of(f32 x) {
#if defined(RONDO_SIMULATED)
  return sqrt(x);
#else
  f32 root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
#endif
}
// The logarithm of a number in (0, 1] that is not subnormal, within a unit in the last place. No case needs a branch,
// so that both numbers of a pair share it. The polynomial is fitted to 2/3 to 4/3.
RONDO_INLINE f32 log_of_part(f32 x) {
  const i32 bits = bits_as<i32>(x), scale = (bits - 0x3f2aaaab) & ~0x7fffff;
  const f32 f = bits_as<f32>(bits - scale) - 1.0f;
  f32 p = fmaf(0.14345333f, f, -0.15335718f);
  p = fmaf(p, f, 0.13928181f);
  p = fmaf(p, f, -0.16427018f);
  p = fmaf(p, f, 0.2001548f);
  p = fmaf(p, f, -0.25007129f);
  p = fmaf(p, f, 0.3333312f);
  p = fmaf(p, f, -0.49999949f);
  return fmaf(static_cast<f32>(scale) * 1.1920929e-7f, 0.69314718f, fmaf(p * f, f, f));
}
// The sine or the cosine of so much of a full turn, in [0, 1), on a circle with the radius that such a number gives.
// One reduction, which is exact, serves both, and polynomials fitted to an eighth of a turn on both sides of 0; the
// general functions spend most of their time on angles that never come here.
RONDO_INLINE f32 on_circle(f32 near, f32 part, bool wants_sine) {
  const f32 quarters = rintf(part * 4.0f);
  const f32 angle = fmaf(part, 4.0f, -quarters) * 1.57079633f, x = angle * angle;
  const i32 quarter = static_cast<i32>(quarters);
  const f32 s = fmaf(fmaf(fmaf(-1.9515296e-4f, x, 8.3321609e-3f), x, -1.6666655e-1f) * x, angle, angle);
  const f32 c = fmaf(fmaf(fmaf(2.4433157e-5f, x, -1.3887316e-3f), x, 4.1666646e-2f) * x - 0.5f, x, 1.0f);
  const f32 radius = root_of(-2.0f * log_of_part(near));
  const bool odd = (quarter & 1) != 0;
  if (wants_sine) return (quarter & 2 ? -radius : radius) * (odd ? c : s);
  return ((quarter + 1) & 2 ? -radius : radius) * (odd ? s : c);
}
#else
RONDO_INLINE f32 on_circle(f32 near, f32 part, bool wants_sine) {
  const f32 angle = 6.2831855f * part;
  return sqrt(-2.0f * log(near)) * (wants_sine ? sin(angle) : cos(angle));
}
#endif

// Mean 0, deviation 1. The radius' number lies in (0, 1], so that its logarithm is finite.
template <class T>
RONDO_INLINE T normal(const PhiloxBlock& block, u64 element) {
  if constexpr (same_type<T, f64>) {
    const f64 radius = sqrt(-2.0 * log(1.0 - unit_f64(block.lane[0], block.lane[1])));
    const f64 angle = 6.283185307179586 * unit_f64(block.lane[2], block.lane[3]);
    return radius * (element & 1 ? sin(angle) : cos(angle));
  } else {
    const u32 first = element & 2 ? block.lane[2] : block.lane[0];
    const u32 second = element & 2 ? block.lane[3] : block.lane[1];
    const f32 near = static_cast<f32>(first) * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
    return on_circle(near, static_cast<f32>(second >> 8) * 5.9604644775390625e-8f, (element & 1) != 0);
  }
}

}  // namespace rondo::device
