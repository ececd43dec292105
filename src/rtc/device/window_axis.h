// A window over an axis of images, by value. It is apart from window.h because code that only hands it on needs none
// of the loops.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/prelude.h"

namespace rondo::device {

enum class WindowRule : i32 {
  fixed,     // a window of a size that moves by strides
  adaptive,  // the image in as many parts as there are results
  nearest,   // one element
  linear,    // two neighbours by their distance
  exact      // one element; of two equally near always the one behind
};
enum class WindowOrigin : i32 { half_pixel, align_corners, asymmetric };
enum class WindowKind : i32 {
  combine,    // results: weighted sums; the mean, of windows
  spread,     // the gradient of that
  largest,    // results: the largest, and its place in the window
  pick,       // results: what is at these places
  spread_one  // the gradient of both: to these places
};

// An axis: of images, with `in` elements, and of results, with `out`.
struct WindowAxis {
  i64 in, out;
  i64 size, stride, padding, padding_end, dilation;  // fixed; adaptive: size is that of the largest window
  i64 in_step, out_step, place_step;
  WindowRule rule;
  WindowOrigin origin;
  i32 counts_padding, unused;
};

}  // namespace rondo::device
