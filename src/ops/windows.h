// Windows over spatial axes, by value: what a pooling or resizing operator is, apart from its operands.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/dtype.h"
#include "base/shape.h"
#include "rtc/device/window.h"

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

  Layout result_shape(Layout image) const;
  // Of a largest element in its window.
  rondo_dtype place_dtype() const;
};

}  // namespace rondo::ops
