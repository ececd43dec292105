// Holds the options that a caller gives a convolution, apart from its operands.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/convolution.h>

#include "base/members.h"

namespace rondo::ops {

inline constexpr int kMaxSpatial = RONDO_MAX_SPATIAL;

// By value: what a tape keeps as well.
struct ConvolutionOptions {
  int64_t stride[kMaxSpatial] = {1, 1, 1};
  int64_t before[kMaxSpatial] = {}, after[kMaxSpatial] = {};  // zeros around the image
  int64_t dilation[kMaxSpatial] = {1, 1, 1};
  int64_t output_padding[kMaxSpatial] = {};  // transposed only
  int64_t groups = 1;
  bool transposed = false;
  rondo_activation activation = RONDO_ACTIVATION_NONE;
  bool allow_tf32 = false, deterministic = false;
  RONDO_MEMBERS(stride, before, after, dilation, output_padding, groups, transposed, activation, allow_tf32,
                deterministic)
};

}  // namespace rondo::ops
