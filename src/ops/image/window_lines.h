// Describes how the host goes over windows: line by line, either along a dimension other than the windows', usually of
// channels that are neighbours in memory, or along the last spatial axis. Everything that takes a division is known
// before the first line.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/host/window_loops.h"
#include "ops/image/window.h"

namespace rondo::ops {

using WindowTaps = device::Taps<int64_t>;

// Consecutive results that have the same taps, each `delta` elements after the one before.
struct WindowRun {
  int64_t first, count;  // results
  int64_t delta;
  WindowTaps taps;  // of the first
};
// True if they differ in nothing but where they start and what their sum is divided by.
bool same_taps(const WindowTaps& a, const WindowTaps& b);
// The runs of windows that do not resize.
std::vector<WindowRun> window_runs(const WindowAxis& axis);

// A result whose window has an element: as which of its taps, and what its share is divided by.
struct WindowPair {
  int64_t result, tap, divisor;
  double weight;
};

// An axis that has more than one element or result, or windows that reach beyond. The others make no difference.
struct LineAxis {
  WindowAxis axis;
  std::vector<WindowTaps> taps;       // forward: of each result
  std::vector<int64_t> starts;        // and where they start, in elements of the image
  std::vector<WindowPair> pairs;      // back: of each element, in the order of results
  std::vector<int64_t> pairs_before;  // and where they begin; one more at the end
};

// A dimension of the output that is gone over outside of the line: one other than the windows', or an axis.
struct WalkedDimension {
  int64_t size = 1;
  int64_t step[device::kWindowArrays] = {};
  int axis = -1;  // index into axes; its step is 0 in what is read
};

struct WindowLines {
  explicit WindowLines(const WindowPlan& plan);

  bool back;
  std::vector<LineAxis> axes;
  std::vector<WalkedDimension> walked;  // outermost first
  bool alike = true;                    // forward: on these all results have the same taps, but for where they start
  bool along_axis = false;              // the last of the axes; otherwise a dimension other than the windows'
  int64_t length = 1;                   // of a line, as written
  int64_t line_step[device::kWindowArrays] = {};
  std::vector<WindowRun> runs;  // along an axis that does not resize
  // Along one that does: of each result where its first element is, and the weights of it and of the next.
  bool resizes = false, is_linear = false, doubles = false;  // doubles: element i is results 2 i and 2 i + 1
  std::vector<int64_t> start;
  std::vector<double> lower, upper;  // upper 0: the next is none of its taps
  // For lines that show the nearest, if the innermost dimension that is walked is one, too: for each place on it the
  // number of following ones that show the same line. Else empty.
  std::vector<int64_t> repeats;
  // For a pick: how far the element of each place in a window is from where the window starts. Empty: there are too
  // many.
  std::vector<int64_t> place_offsets;
  bool weighted = false;             // taps have weights other than 1
  int64_t lines = 1, most_taps = 1;  // most_taps: of a window, at most, as an estimate of work

 private:
  void find_place_offsets();
  void find_repeats();
};

// The entries that are gone over before the line: taps of a window, from where it starts, or results that an element is
// in.
template <class C>
struct OuterTap {
  int64_t offset, place_offset, name;
  int64_t divisor;
  C weight;
};
// Taps of a line, as the loops take them.
template <class C>
struct LineTaps {
  std::vector<int64_t> offsets;
  std::vector<PlaceOf<C>> names;
  std::vector<C> weights;
  int64_t count() const { return static_cast<int64_t>(offsets.size()); }
  void clear() {
    offsets.clear();
    names.clear();
    weights.clear();
  }
  void append(int64_t offset, int64_t name, C weight) {
    offsets.push_back(offset);
    names.push_back(static_cast<PlaceOf<C>>(name));
    weights.push_back(weight);
  }
};

}  // namespace rondo::ops
