// Copies planes with zeros around them, sums over them tap by tap, and divides.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/image/window_planes.h"

#include <algorithm>

#include "ops/host/elementwise_loops.h"

namespace rondo::ops {

namespace {

using device::kWindowImage;
using device::kWindowResult;

constexpr int64_t kMostTapsOfPlane = 64, kMostOfPlane = 1 << 14;

}  // namespace

WindowPlanes::WindowPlanes(const WindowPlan& plan, const WindowLines& lines) : plan_(plan), lines_(lines) {
  if (plan.image.dtype != RONDO_F32 || plan.kind != WindowKind::combine || plan.result.accumulate ||
      !lines.along_axis || lines.weighted || lines.resizes || lines.axes.size() != 2 || lines.walked.empty() ||
      lines.walked.back().axis != 0 || lines.line_step[kWindowResult] != 1 || line().axis.in_step != 1)
    return;
  for (size_t d = 0; d + 1 < lines.walked.size(); ++d)
    if (lines.walked[d].axis >= 0) return;
  const WindowAxis &down = slab().axis, &along = line().axis;
  for (const WindowAxis* each : {&down, &along})
    if (each->rule != device::WindowRule::fixed || each->stride != 1) return;
  const int64_t taps = down.size * along.size;
  if (down.size > kMostTapsOfPlane || along.size > kMostTapsOfPlane || taps > kMostTapsOfPlane) return;
  height_ = down.out + (down.size - 1) * down.dilation;
  width_ = along.out + (along.size - 1) * along.dilation;
  if (height_ > kMostOfPlane || width_ > kMostOfPlane || height_ * width_ > kMostOfPlane) return;
  for (int64_t t = 0; t < taps; ++t)
    taps_.push_back(t / along.size * down.dilation * width_ + t % along.size * along.dilation);
  longest_ = &*std::max_element(lines.runs.begin(), lines.runs.end(),
                                [](const WindowRun& a, const WindowRun& b) { return a.count < b.count; });
  possible_ = true;
}

std::vector<float> WindowPlanes::memory() const {
  return std::vector<float>(possible_ ? static_cast<size_t>(2 * height_ * width_) : 0);
}

bool WindowPlanes::run(int64_t plane, float* memory) const {
  const auto* from = reinterpret_cast<const float*>(plan_.image.address());
  auto* to = reinterpret_cast<float*>(plan_.result.address());
  int64_t rest = plane;
  for (size_t d = lines_.walked.size() - 1; d-- > 0;) {
    const WalkedDimension& dimension = lines_.walked[d];
    from += rest % dimension.size * dimension.step[kWindowImage];
    to += rest % dimension.size * dimension.step[kWindowResult];
    rest /= dimension.size;
  }
  const WindowAxis &down = slab().axis, &along = line().axis;
  const int64_t rows = std::min<int64_t>(down.in, height_ - down.padding),
                columns = std::min<int64_t>(along.in, width_ - along.padding);
  float* const sums = memory + height_ * width_;
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(from + row * down.in_step, columns, memory + (down.padding + row) * width_ + along.padding);
  const WindowLoops<float>& table = loops(instructions()).windows->narrow;
  const int64_t count = (down.out - 1) * width_ + along.out;
  table.sum(sums, memory, taps_.data(), nullptr, static_cast<int64_t>(taps_.size()), 1, count, false);
  bool finite = true;
  for (int64_t i = 0; i < count; ++i) finite &= sums[i] - sums[i] == 0.0F;
  for (int64_t o = 0; o < down.out; ++o, to += down.out_step) {
    const int64_t divisor = slab().taps[static_cast<size_t>(o)].divisor;
    const float* const of_line = sums + o * width_;
    std::copy_n(of_line, along.out, to);
    table.divide(to, static_cast<float>(divisor * longest_->taps.divisor), along.out);
    for (const WindowRun& run : lines_.runs) {
      if (&run == longest_) continue;
      for (int64_t i = run.first; i < run.first + run.count; ++i)
        to[i] = of_line[i] / static_cast<float>(divisor * run.taps.divisor);
    }
  }
  return finite;
}

}  // namespace rondo::ops
