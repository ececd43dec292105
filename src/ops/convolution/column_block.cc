// Lists the lines of an image that a block of columns reads, and copies them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/column_block.h"

#include <algorithm>
#include <cstring>

namespace rondo::ops {

namespace {

using device::kProductAxes;
using device::ProductArguments;
using device::ProductAxis;

constexpr int kInnermost = kProductAxes - 1;
constexpr int64_t kFewTurned = 4;   // that are not worth being turned
constexpr int64_t kFewCleared = 8;  // of a line

[[gnu::noinline]] void copy_line(const float* from, int64_t step, int64_t n, float* to) {
  if (step == 2) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * step];
  }
}

// Lines of a few elements are not worth a call each.
[[gnu::noinline]] void clear_lines(float* to, int64_t apart, int64_t lines, int64_t n) {
  if (n >= kFewCleared) {
    for (int64_t line = 0; line < lines; ++line) std::fill_n(to + line * apart, n, 0.0F);
  } else {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t line = 0; line < lines; ++line) to[line * apart + i] = 0;
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
  if (whole > columns)  // the panel that takes the last ones below
    for (int64_t d = 0; d < part.channels * part.taps; ++d)
      std::memset(to + d * width + whole - kPanelColumns, 0, kPanelColumns * sizeof(float));
  const ProductAxis& inner = args.axis[kInnermost];
  const int64_t step = inner.step * inner.b_step, of_channel = (channels_inner ? 1 : part.taps) * width;
  const float* const b = static_cast<const float*>(args.b) + group * args.b_group + part.channel * args.b_channel;
  const ProductTiles& tiles = product_tiles(instructions());
  const bool turns = channels_inner && args.b_channel == 1 && part.channels >= kFewTurned;
  for (int64_t tap = 0, along = 0; tap < part.taps; tap += along) {
    // Taps along a line differ in where they begin in it.
    const int64_t begin = (part.tap + tap) % inner.taps;
    along = std::min<int64_t>(inner.taps - begin, part.taps - tap);
    int64_t rest = (part.tap + tap) / inner.taps, move[kInnermost];
    for (int d = kInnermost - 1; d >= 0; --d) {
      move[d] = rest % args.axis[d].taps * args.axis[d].tap_step;
      rest /= args.axis[d].taps;
    }
    for (int64_t r = 0; r < runs; ++r) {
      const ColumnRun& one = run[r];
      int64_t at = one.base, count = one.count;
      for (int d = 0; d < kInnermost; ++d) {
        const int64_t coordinate = one.coordinate[d] + move[d];
        at += coordinate * args.axis[d].b_step;
        if (coordinate < 0 || coordinate >= args.axis[d].extent) count = 0;
      }
      float* row = to + tap * (channels_inner ? part.channels : 1) * width + one.first;
      for (int64_t t = begin; t < begin + along; ++t, row += (channels_inner ? part.channels : 1) * width) {
        const int64_t coordinate = one.coordinate[kInnermost] + t * inner.tap_step;
        int64_t low = 0, high = count;
        if (coordinate < 0) low = std::min<int64_t>(high, (-coordinate + inner.step - 1) / inner.step);
        if (coordinate + (high - 1) * inner.step >= inner.extent)
          high = coordinate >= inner.extent
                     ? low
                     : std::clamp<int64_t>((inner.extent - 1 - coordinate) / inner.step + 1, low, high);
        const float* const from = b + at + coordinate * inner.b_step + low * step;
        if (turns && high > low)
          turn_lines(from, step, high - low, part.channels, row + low, width);
        else if (step == 1 && high > low)
          tiles.copy_lines(from, args.b_channel, part.channels, high - low, row + low, of_channel);
        clear_lines(row, of_channel, part.channels, low);
        clear_lines(row + high, of_channel, part.channels, one.count - high);
        if (!turns && step != 1)
          for (int64_t channel = 0; channel < part.channels; ++channel)
            copy_line(from + channel * args.b_channel, step, high - low, row + low + channel * of_channel);
      }
    }
  }
}

}  // namespace rondo::ops
