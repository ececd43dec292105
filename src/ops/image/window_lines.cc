// Decides how the host goes over windows: which lines, runs and taps there are.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/image/window_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace rondo::ops {

namespace {

using device::kWindowArrays;
using device::kWindowImage;
using device::kWindowPlaces;
using device::kWindowResult;

bool is_resized(const WindowAxis& axis) {
  return axis.rule == WindowRule::nearest || axis.rule == WindowRule::linear;
}
bool makes_no_difference(const WindowAxis& axis) {
  return axis.in == 1 && axis.out == 1 && axis.size == 1 && axis.padding == 0 && axis.padding_end == 0;
}

void append(std::vector<WindowRun>* runs, const WindowAxis& axis, int64_t result) {
  const WindowTaps taps = device::window_taps<int64_t>(axis, result);
  if (!runs->empty()) {
    WindowRun& last = runs->back();
    const int64_t delta = taps.start - (last.taps.start + (last.count - 1) * last.delta);
    if (delta > 0 && (last.count == 1 || delta == last.delta) && taps.first == last.taps.first &&
        taps.last == last.taps.last && taps.divisor == last.taps.divisor) {
      last.delta = delta;
      ++last.count;
      return;
    }
  }
  runs->push_back({result, 1, 1, taps});
}

// How much worse a line is than one of many neighbours.
double cost_of_line(int64_t length, int64_t read_step, int64_t written_step) {
  const auto of_step = [](int64_t step) {
    const int64_t size = std::abs(step);
    return size <= 1 ? 1.0 : size == 2 ? 1.5 : size <= 4 ? 3.0 : 6.0;
  };
  return (1 + 16.0 / static_cast<double>(length)) * of_step(read_step) * of_step(written_step);
}

void pair_up(LineAxis* of) {
  const WindowAxis& axis = of->axis;
  for (int64_t i = 0; i < axis.in; ++i) {
    of->pairs_before.push_back(static_cast<int64_t>(of->pairs.size()));
    const device::Range<int64_t> range = device::window_results<int64_t>(axis, i);
    for (int64_t o = range.first; o < range.last; ++o) {
      const WindowTaps taps = device::window_taps<int64_t>(axis, o);
      int64_t tap;
      if (device::window_tap(taps, i, &tap)) of->pairs.push_back({o, tap, taps.divisor, taps.weight<double>(tap)});
    }
  }
  of->pairs_before.push_back(static_cast<int64_t>(of->pairs.size()));
}

}  // namespace

bool same_taps(const WindowTaps& a, const WindowTaps& b) {
  return a.first == b.first && a.last == b.last && a.two == b.two && a.upper == b.upper;
}

std::vector<WindowRun> window_runs(const WindowAxis& axis) {
  std::vector<WindowRun> runs;
  if (axis.rule != WindowRule::fixed) {
    for (int64_t o = 0; o < axis.out; ++o) append(&runs, axis, o);
    return runs;
  }
  // All of the windows between the edges are alike.
  const int64_t reach = (axis.size - 1) * axis.dilation;
  const int64_t low = std::min<int64_t>(axis.out, (axis.padding + axis.stride - 1) / axis.stride);
  const int64_t room = axis.in - 1 - reach + axis.padding;
  const int64_t high = std::clamp<int64_t>(room < 0 ? low : room / axis.stride + 1, low, axis.out);
  for (int64_t o = 0; o < low; ++o) append(&runs, axis, o);
  if (low < high) runs.push_back({low, high - low, axis.stride, device::window_taps<int64_t>(axis, low)});
  for (int64_t o = high; o < axis.out; ++o) append(&runs, axis, o);
  return runs;
}

WindowLines::WindowLines(const WindowPlan& plan) : back(plan.back()) {
  const int written = back ? kWindowImage : kWindowResult, read = back ? kWindowResult : kWindowImage;
  for (int a = 0; a < plan.axes; ++a)
    if (!makes_no_difference(plan.arguments.axis[a])) axes.push_back({plan.arguments.axis[a], {}, {}, {}, {}});
  const auto size_of = [&](const WindowAxis& axis) { return back ? axis.in : axis.out; };

  // Dimensions other than the windows': around them, then within.
  std::vector<WalkedDimension> around, within;
  const auto collect = [](const device::Dims<kWindowArrays>& dims, int count, std::vector<WalkedDimension>* to) {
    for (int d = 0; d < count; ++d) {
      WalkedDimension dimension;
      dimension.size = dims.size[d];
      for (int a = 0; a < kWindowArrays; ++a) dimension.step[a] = dims.stride[a][d];
      to->push_back(dimension);
    }
  };
  collect(plan.arguments.outer, plan.outer, &around);
  collect(plan.arguments.inner, plan.inner, &within);

  double best = axes.empty() ? HUGE_VAL : [&] {
    const WindowAxis& axis = axes.back().axis;
    const int64_t in_step = axis.in_step, delta = axis.rule == WindowRule::fixed ? axis.stride : 1;
    const double cost =
        back ? cost_of_line(axis.in, axis.out_step, in_step) : cost_of_line(axis.out, in_step * delta, axis.out_step);
    const bool uneven = axis.rule == WindowRule::adaptive && axis.in % axis.out != 0;
    return uneven ? 8 * cost : cost;
  }();
  along_axis = !axes.empty();
  std::vector<WalkedDimension>* chosen = nullptr;
  size_t which = 0;
  for (auto* each : {&around, &within})
    for (size_t d = 0; d < each->size(); ++d) {
      const WalkedDimension& dimension = (*each)[d];
      const double cost = cost_of_line(dimension.size, dimension.step[read], dimension.step[written]);
      if (cost >= best) continue;
      best = cost;
      along_axis = false;
      chosen = each;
      which = d;
    }
  if (chosen) {
    const WalkedDimension& dimension = (*chosen)[which];
    length = dimension.size;
    std::copy_n(dimension.step, kWindowArrays, line_step);
    chosen->erase(chosen->begin() + static_cast<std::ptrdiff_t>(which));
  } else if (along_axis) {
    const WindowAxis& axis = axes.back().axis;
    length = size_of(axis);
    line_step[kWindowImage] = axis.in_step;
    line_step[kWindowResult] = axis.out_step;
    line_step[kWindowPlaces] = axis.place_step;
  }

  walked = around;
  for (size_t a = 0; a < axes.size(); ++a) {
    LineAxis& each = axes[a];
    const WindowAxis& axis = each.axis;
    weighted = weighted || axis.rule == WindowRule::linear;
    most_taps *= axis.rule == WindowRule::linear ? 2 : std::clamp<int64_t>(axis.size, 1, axis.in);
    if (along_axis && a + 1 == axes.size()) break;
    WalkedDimension dimension;
    dimension.size = size_of(axis);
    dimension.axis = static_cast<int>(a);
    if (back) {
      dimension.step[kWindowImage] = axis.in_step;
      pair_up(&each);
    } else {
      dimension.step[kWindowResult] = axis.out_step;
      dimension.step[kWindowPlaces] = axis.place_step;
      for (int64_t o = 0; o < axis.out; ++o) {
        const WindowTaps taps = device::window_taps<int64_t>(axis, o);
        if (o > 0) alike = alike && same_taps(taps, each.taps[0]) && taps.divisor == each.taps[0].divisor;
        each.taps.push_back(taps);
        each.starts.push_back(taps.start * axis.in_step);
      }
    }
    walked.push_back(dimension);
  }
  walked.insert(walked.end(), within.begin(), within.end());
  for (const WalkedDimension& each : walked) lines *= each.size;

  if (plan.kind == WindowKind::pick) find_place_offsets();
  if (!along_axis) return;
  const WindowAxis& axis = axes.back().axis;
  resizes = is_resized(axis);
  if (!resizes) {
    runs = window_runs(axis);
    return;
  }
  is_linear = axis.rule == WindowRule::linear;
  doubles = !is_linear && axis.out == 2 * axis.in;
  for (int64_t o = 0; o < axis.out; ++o) {
    const WindowTaps taps = device::window_taps<int64_t>(axis, o);
    start.push_back(taps.start);
    doubles = doubles && taps.start == o / 2;
    if (!is_linear) continue;
    lower.push_back(taps.weight<double>(0));
    upper.push_back(taps.two ? taps.weight<double>(1) : 0);
  }
  if (!back && !is_linear && !walked.empty() && walked.back().axis >= 0) find_repeats();
}

void WindowLines::find_repeats() {
  const LineAxis& of = axes[static_cast<size_t>(walked.back().axis)];
  if (of.axis.rule != WindowRule::nearest) return;
  repeats.assign(of.starts.size(), 0);
  for (size_t o = repeats.size(); o-- > 1;)
    if (of.starts[o] == of.starts[o - 1]) repeats[o - 1] = repeats[o] + 1;
}

void WindowLines::find_place_offsets() {
  constexpr int64_t kMost = 1 << 16;
  place_offsets = {0};
  for (const LineAxis& each : axes) {
    const WindowAxis& axis = each.axis;
    if (axis.size > kMost / static_cast<int64_t>(place_offsets.size())) return place_offsets.clear();
    std::vector<int64_t> next;
    for (const int64_t offset : place_offsets)
      for (int64_t j = 0; j < axis.size; ++j) next.push_back(offset + j * axis.dilation * axis.in_step);
    place_offsets = std::move(next);
  }
}

}  // namespace rondo::ops
