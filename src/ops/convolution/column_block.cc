// Lists the lines of an image that a block of columns reads, and copies them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/column_block.h"

#include <algorithm>

namespace rondo::ops {

namespace {

using device::kProductAxes;
using device::ProductArguments;
using device::ProductAxis;

constexpr int kInnermost = kProductAxes - 1;
constexpr int64_t kFewTurned = 4;  // that are not worth being turned

void copy_line(const float* from, int64_t step, int64_t n, float* to) {
  if (step == 2) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * step];
  }
}

}  // namespace

void ColumnBlock::find(const ProductArguments& args, int64_t of_group, int64_t first, int64_t count) {
  group = of_group;
  columns = count;
  runs = 0;
  int64_t place[kProductAxes], batch = first;
  for (int d = kInnermost; d >= 0; --d) {
    place[d] = batch % args.axis[d].places;
    batch /= args.axis[d].places;
  }
  for (int64_t done = 0; done < count; ++runs) {
    ColumnRun& one = run[runs];
    one.first = done;
    one.count = std::min<int64_t>(args.axis[kInnermost].places - place[kInnermost], count - done);
    one.base = batch * args.b_batch;
    one.out = batch * args.out_batch;
    one.residual = batch * args.residual_batch;
    for (int d = 0; d < kProductAxes; ++d) {
      const ProductAxis& axis = args.axis[d];
      one.coordinate[d] = place[d] * axis.step + axis.start;
      one.out += place[d] * axis.out_step;
      one.residual += place[d] * axis.residual_step;
    }
    done += one.count;
    place[kInnermost] += one.count;
    for (int d = kInnermost; d >= 0 && place[d] == args.axis[d].places; --d) {
      place[d] = 0;
      ++(d > 0 ? place[d - 1] : batch);
    }
  }
}

void ColumnBlock::gather(const ProductArguments& args, const DepthPart& part, bool channels_inner, int64_t width,
                         float* to) const {
  const int64_t whole = RowsProduct::panels_of(columns) * kPanelColumns;
  if (whole > columns)
    for (int64_t d = 0; d < part.channels * part.taps; ++d)
      std::fill(to + d * width + columns, to + d * width + whole, 0.0F);
  const ProductAxis& inner = args.axis[kInnermost];
  const int64_t step = inner.step * inner.b_step, of_channel = (channels_inner ? 1 : part.taps) * width;
  const float* const b = static_cast<const float*>(args.b) + group * args.b_group + part.channel * args.b_channel;
  const ProductTiles& tiles = product_tiles(instructions());
  const bool turns = channels_inner && args.b_channel == 1 && part.channels >= kFewTurned;
  for (int64_t tap = 0; tap < part.taps; ++tap) {
    int64_t rest = part.tap + tap, move[kProductAxes];
    for (int d = kInnermost; d >= 0; --d) {
      move[d] = rest % args.axis[d].taps * args.axis[d].tap_step;
      rest /= args.axis[d].taps;
    }
    float* const rows = to + tap * (channels_inner ? part.channels : 1) * width;
    for (int64_t r = 0; r < runs; ++r) {
      const ColumnRun& one = run[r];
      int64_t at = one.base, low = 0, high = one.count;
      for (int d = 0; d < kProductAxes; ++d) {
        const int64_t coordinate = one.coordinate[d] + move[d];
        at += coordinate * args.axis[d].b_step;
        if (d < kInnermost && (coordinate < 0 || coordinate >= args.axis[d].extent)) high = 0;
      }
      const int64_t coordinate = one.coordinate[kInnermost] + move[kInnermost];
      if (coordinate < 0) low = std::min<int64_t>(high, (-coordinate + inner.step - 1) / inner.step);
      high = coordinate >= inner.extent
                 ? low
                 : std::clamp<int64_t>((inner.extent - 1 - coordinate) / inner.step + 1, low, high);
      const float* from = b + at + low * step;
      float* row = rows + one.first;
      if (turns && high > low)
        turn_lines(from, step, high - low, part.channels, row + low, width);
      else if (step == 1 && high > low)
        tiles.copy_lines(from, args.b_channel, part.channels, high - low, row + low, of_channel);
      const bool copies = !turns && step != 1;
      if (!copies && low == 0 && high == one.count) continue;
      for (int64_t channel = 0; channel < part.channels; ++channel, row += of_channel, from += args.b_channel) {
        for (int64_t i = 0; i < low; ++i) row[i] = 0;
        if (copies) copy_line(from, step, high - low, row + low);
        for (int64_t i = high; i < one.count; ++i) row[i] = 0;
      }
    }
  }
}

}  // namespace rondo::ops
