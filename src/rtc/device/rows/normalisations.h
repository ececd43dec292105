// Defines the formulas of normalisations (ops/operators/normalisations.def), for the host's loops and for kernels
// alike.
//
// A formula reads the row kSteps times before it writes it. In step s, add<s> is what an element adds to each of the
// step's sums(s), and know<s> is what the formula remembers of them, in `known`; result is what the element becomes.
// change: of a gradient, what comes in, read from step kChange on; else 0. C: what rows are computed in; S: what they
// are added up in, which is wider on the host.
//
// known[kInverse] is what rows are multiplied by, known before step kChange. If that says that squares overflow or
// vanish, the row is gone through again multiplied by `scale`, a power of two (scales.h); x is that everywhere then,
// and so a gradient lacks this factor. known[kRest], if there is one (not -1), is often 0: the host leaves it out then.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/scales.h"
#include "rtc/device/strided.h"

namespace rondo::device {

inline constexpr int kMaxRowSums = 2;  // of a step

// The factor of a row in another pass.
template <class Formula, class C>
RONDO_INLINE C next_row_scale(C scale, const C* known) {
  return next_scale(scale, C(1) / known[Formula::kInverse]);
}

// Known: the mean, what rounding took from it (kRest; 0 where no digit of a result hangs on it), 1 / deviation. Without
// a wider sum the distances from the mean tell what it lacks: far from 0 that is more than they are.
struct LayerNorm {
  static constexpr int kSteps = 2, kKnown = 3, kChange = kSteps, kRest = 1, kInverse = 2;
  template <class C, class S>
  RONDO_INLINE static constexpr int sums(int step) {
    return step == 1 && same_type<C, S> ? 2 : 1;
  }
  template <class C>
  RONDO_INLINE static C distance(const C* known, C x) {
    return (x - known[0]) - known[kRest];
  }
  template <int step, class C>
  RONDO_INLINE static void add(const C* known, C x, C, C* terms) {
    const C value = step == 0 ? x : x - known[0];
    terms[0] = step == 0 ? value : value * value;
    terms[1] = value;
  }
  template <int step, class C, class S>
  RONDO_INLINE static void know(C* known, const S* sums, S count, f64 epsilon, f64 scale) {
    if constexpr (step == 0) {
      const S mean = sums[0] / count;
      known[0] = static_cast<C>(mean);
      known[kRest] = static_cast<C>(mean - known[0]);
    } else {
      if constexpr (same_type<C, S>) known[kRest] = sums[1] / count;
      const S rest = known[kRest], squares = sums[0] - count * rest * rest;
      known[kInverse] = inverse_deviation<C>((squares < S(0) ? S(0) : squares) / count, epsilon, scale);
      if (op_abs(known[kRest]) * known[kInverse] < (sizeof(C) == 8 ? C(0x1p-55) : C(0x1p-26))) known[kRest] = C(0);
    }
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C) {
    return distance(known, x) * known[kInverse];
  }
};

// With n the normalised row: (change - mean of change - n * mean of change * n) / sqrt(variance + epsilon).
struct LayerNormGrad {
  static constexpr int kSteps = 3, kKnown = 5, kChange = 2, kRest = LayerNorm::kRest;
  static constexpr int kInverse = LayerNorm::kInverse;
  template <class C, class S>
  RONDO_INLINE static constexpr int sums(int step) {
    return step < kChange ? LayerNorm::sums<C, S>(step) : 2;
  }
  template <int step, class C>
  RONDO_INLINE static void add(const C* known, C x, C change, C* terms) {
    if constexpr (step < kChange) {
      LayerNorm::add<step>(known, x, change, terms);
    } else {
      terms[0] = change;
      terms[1] = change * LayerNorm::result(known, x, change);
    }
  }
  template <int step, class C, class S>
  RONDO_INLINE static void know(C* known, const S* sums, S count, f64 epsilon, f64 scale) {
    if constexpr (step < kChange) {
      LayerNorm::know<step>(known, sums, count, epsilon, scale);
    } else {
      known[3] = static_cast<C>(sums[0] / count);
      known[4] = static_cast<C>(sums[1] / count);
    }
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C change) {
    return (change - known[3] - LayerNorm::result(known, x, change) * known[4]) * known[kInverse];
  }
};

struct RmsNorm {
  static constexpr int kSteps = 1, kKnown = 1, kChange = kSteps, kRest = -1, kInverse = 0;
  template <class C, class S>
  RONDO_INLINE static constexpr int sums(int) {
    return 1;
  }
  template <int, class C>
  RONDO_INLINE static void add(const C*, C x, C, C* terms) {
    terms[0] = x * x;
  }
  template <int, class C, class S>
  RONDO_INLINE static void know(C* known, const S* sums, S count, f64 epsilon, f64 scale) {
    known[kInverse] = inverse_deviation<C>(sums[0] / count, epsilon, scale);
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C) {
    return x * known[kInverse];
  }
};

// With n the normalised row: (change - n * mean of change * n) / sqrt(mean of squares + epsilon).
struct RmsNormGrad {
  static constexpr int kSteps = 2, kKnown = 2, kChange = 1, kRest = -1, kInverse = 0;
  template <class C, class S>
  RONDO_INLINE static constexpr int sums(int) {
    return 1;
  }
  template <int step, class C>
  RONDO_INLINE static void add(const C* known, C x, C change, C* terms) {
    terms[0] = step < kChange ? x * x : change * (x * known[kInverse]);
  }
  template <int step, class C, class S>
  RONDO_INLINE static void know(C* known, const S* sums, S count, f64 epsilon, f64 scale) {
    if constexpr (step < kChange)
      RmsNorm::know<step>(known, sums, count, epsilon, scale);
    else
      known[1] = static_cast<C>(sums[0] / count);
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C change) {
    return (change - x * known[kInverse] * known[1]) * known[kInverse];
  }
};

}  // namespace rondo::device
