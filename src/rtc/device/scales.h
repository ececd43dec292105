// Scales sums of squares whose elements are so large that squares overflow, or so small that squares vanish: elements
// are multiplied by a power of two then, and the results of the sum are corrected. Nothing else is rounded differently
// for that, so the result of x 2^k is the one of x, scaled. Ordinary elements are multiplied by 1.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/functions.h"

namespace rondo::device {

template <class C>
struct Scales;
// large, small: magnitudes beyond which elements are scaled, by `down`, or by `up` and if that is not enough by
// `upmost`. A sum of 2^31 squares overflows neither below `large` nor after scaling.
template <>
struct Scales<f32> {
  static constexpr f32 large = 0x1p48f, small = 0x1p-32f, down = 0x1p-88f, up = 0x1p72f, upmost = 0x1p112f;
};
template <>
struct Scales<f64> {
  static constexpr f64 large = 0x1p450, small = 0x1p-256, down = 0x1p-560, up = 0x1p640, upmost = 0x1p960;
};

// The factor of the elements in another pass, or the same as in this one; size: the result of this pass, which may be
// infinite or NaN. May grow no more than once from 1.
template <class C>
RONDO_INLINE C next_scale(C scale, C size) {
  using S = Scales<C>;
  if (scale == C(1)) return !(size <= S::large) ? S::down : size < S::small ? S::up : scale;
  return scale == S::up && size < S::small ? S::upmost : scale;
}

// 1 / deviation of elements that are multiplied by `scale`, by the mean of the squares of their distances. If all of
// those are 0, epsilon is what remains, and its product with the square of the scale may be 0.
template <class C, class S>
RONDO_INLINE C inverse_deviation(S squares, f64 epsilon, f64 scale) {
  if (scale == 1) return op_rsqrt(static_cast<C>(squares + static_cast<S>(epsilon)));
  if (squares == S(0)) return static_cast<C>(1 / (sqrt(epsilon) * scale));
  return op_rsqrt(static_cast<C>(squares + static_cast<S>(epsilon * scale * scale)));
}

}  // namespace rondo::device
