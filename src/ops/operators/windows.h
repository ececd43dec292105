// Describes windows over spatial axes, by value: a pooling or resizing operator apart from its operands.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/dtype.h"
#include "base/shape.h"
#include "rtc/device/window_axis.h"

namespace rondo::ops {

using device::WindowAxis;
using device::WindowKind;
using device::WindowRule;

inline constexpr int kMostSpatial = 3;

// Which axes of an image windows move over, and how; sizes but no strides.
struct Windows {
  int first = 2;  // axis
  int count = 0;
  WindowAxis axis[kMostSpatial] = {};

  Layout result_shape(Layout image) const {
    for (int a = 0; a < count; ++a) image.shape[first + a] = axis[a].out;
    return image;
  }
  // The dtype of the place of a largest element in its window.
  rondo_dtype place_dtype() const {
    int64_t places = 1;
    for (int a = 0; a < count; ++a) places *= std::min<int64_t>(axis[a].size, int64_t{1} << 20);
    return places <= 256 ? RONDO_U8 : RONDO_I32;
  }
};

}  // namespace rondo::ops
