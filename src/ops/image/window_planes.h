// Makes means and maxima of windows that move by one element or two, of images of f32 with channels first, on the host:
// a plane is copied with a border around it, and all of its lines are one then. The bits are those of lines made one by
// one (window_lines.h): a zero changes no sum, as sums begin with 0, and minus infinity no maximum.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/image/window_lines.h"

namespace rondo::ops {

class WindowPlanes {
 public:
  // Both stay as long as this does.
  WindowPlanes(const WindowPlan& plan, const WindowLines& lines);
  bool possible() const { return possible_; }
  // Lines of a plane, which follow each other.
  int64_t lines() const { return lines_.walked.back().size; }
  // The memory of a thread.
  std::vector<float> memory() const;
  // False if a mean may not be finite: its lines are to be made one by one.
  bool run(int64_t plane, float* memory) const;

 private:
  const LineAxis& slab() const { return lines_.axes.front(); }
  const LineAxis& line() const { return lines_.axes.back(); }
  int64_t elements_of_plane() const;
  int64_t line_at(int64_t row) const {
    const int64_t stride = slab().axis.stride;
    return (row % stride * ((height_ + stride - 1) / stride) + row / stride) * pitch_;
  }
  int64_t column_at(int64_t column) const {
    const int64_t stride = line().axis.stride;
    return column % stride * ((width_ + stride - 1) / stride) + column / stride;
  }

  const WindowPlan& plan_;
  const WindowLines& lines_;
  const bool means_;  // else maxima, without their places
  bool possible_ = false;
  int64_t width_ = 0, height_ = 0;  // of a plane with the border
  int64_t pitch_ = 0;               // from a line to the next
  int64_t count_ = 0;               // of results, and what is between their lines
  std::vector<int64_t> taps_;
  std::vector<int32_t> names_;  // of taps, which none asks for
  std::vector<float> divisors_;
};

}  // namespace rondo::ops
