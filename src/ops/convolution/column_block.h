// A few columns of the gathered matrix that a convolution's product reads (rtc/device/convolution.h), of f32.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/host/products.h"
#include "rtc/device/convolution.h"

namespace rondo::ops {

// Columns that follow each other on the innermost axis, in one line of the image.
struct ColumnRun {
  int64_t first, count;                      // columns of the block
  int64_t coordinate[device::kProductAxes];  // of the first, at tap 0
  int64_t base, out, residual;               // where its batch entry begins in b, where its element is
};

// Columns of a block, at most.
inline constexpr int64_t kBlockColumns = 3 * kGroupColumns;

// A part of the depth: so many channels and taps from the first ones on.
struct DepthPart {
  int64_t channel, channels, tap, taps;
};

struct ColumnBlock {
  int64_t group, columns, runs;
  ColumnRun run[kBlockColumns];

  // Columns [first, first + count), at most kBlockColumns.
  void find(const device::ProductArguments& args, int64_t of_group, int64_t first, int64_t count);
  // A row of `width` columns for each depth of a part. Those of the last panel that the block lacks are 0.
  // channels_inner: the channels of a tap are neighbours in the depth, else the taps of a channel.
  void gather(const device::ProductArguments& args, const DepthPart& part, bool channels_inner, int64_t width,
              float* to) const;
};

}  // namespace rondo::ops
