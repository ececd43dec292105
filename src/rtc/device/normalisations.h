// The formulas of normalisations (ops/operators/normalisations.def), for the host's loops and for kernels alike.
//
// A formula reads the row kSteps times before it writes it. In step s, add<s> is what an element adds to each of the
// step's sums(s), and know<s> is what the formula remembers of them, in `known`; result is what the element becomes.
// change: of a gradient, what comes in, read from step kChange on; else 0. C: what rows are computed in.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

inline constexpr int kMaxRowSums = 2;  // of a step

struct LayerNorm {
  static constexpr int kSteps = 2, kKnown = 2, kChange = kSteps;
  RONDO_INLINE static constexpr int sums(int) { return 1; }
  template <int step, class C>
  RONDO_INLINE static void add(const C* known, C x, C, C* terms) {
    terms[0] = step == 0 ? x : (x - known[0]) * (x - known[0]);
  }
  template <int step, class C>
  RONDO_INLINE static void know(C* known, const C* sums, C count, C epsilon) {
    known[step] = step == 0 ? sums[0] / count : op_rsqrt(sums[0] / count + epsilon);
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C) {
    return (x - known[0]) * known[1];
  }
};

// With n the normalised row: (change - mean of change - n * mean of change * n) / sqrt(variance + epsilon).
struct LayerNormGrad {
  static constexpr int kSteps = 3, kKnown = 4, kChange = 2;
  RONDO_INLINE static constexpr int sums(int step) { return step < kChange ? 1 : 2; }
  template <int step, class C>
  RONDO_INLINE static void add(const C* known, C x, C change, C* terms) {
    if constexpr (step < kChange) {
      LayerNorm::add<step>(known, x, change, terms);
    } else {
      terms[0] = change;
      terms[1] = change * LayerNorm::result(known, x, change);
    }
  }
  template <int step, class C>
  RONDO_INLINE static void know(C* known, const C* sums, C count, C epsilon) {
    if constexpr (step < kChange) {
      LayerNorm::know<step>(known, sums, count, epsilon);
    } else {
      known[2] = sums[0] / count;
      known[3] = sums[1] / count;
    }
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C change) {
    return (change - known[2] - LayerNorm::result(known, x, change) * known[3]) * known[1];
  }
};

struct RmsNorm {
  static constexpr int kSteps = 1, kKnown = 1, kChange = kSteps;
  RONDO_INLINE static constexpr int sums(int) { return 1; }
  template <int, class C>
  RONDO_INLINE static void add(const C*, C x, C, C* terms) {
    terms[0] = x * x;
  }
  template <int, class C>
  RONDO_INLINE static void know(C* known, const C* sums, C count, C epsilon) {
    known[0] = op_rsqrt(sums[0] / count + epsilon);
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C) {
    return x * known[0];
  }
};

// With n the normalised row: (change - n * mean of change * n) / sqrt(mean of squares + epsilon).
struct RmsNormGrad {
  static constexpr int kSteps = 2, kKnown = 2, kChange = 1;
  RONDO_INLINE static constexpr int sums(int) { return 1; }
  template <int step, class C>
  RONDO_INLINE static void add(const C* known, C x, C change, C* terms) {
    terms[0] = step < kChange ? x * x : change * (x * known[0]);
  }
  template <int step, class C>
  RONDO_INLINE static void know(C* known, const C* sums, C count, C epsilon) {
    known[step] = step < kChange ? op_rsqrt(sums[0] / count + epsilon) : sums[0] / count;
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C change) {
    return (change - x * known[0] * known[1]) * known[0];
  }
};

}  // namespace rondo::device
