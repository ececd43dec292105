// Copies planes with a border around them, goes over them tap by tap, and divides sums.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/image/window_planes.h"

#include <algorithm>
#include <cstring>

#include "ops/host/elementwise_loops.h"
#include "rtc/device/reductions.h"

namespace rondo::ops {

namespace {

using device::kWindowImage;
using device::kWindowResult;

constexpr int64_t kMostTapsOfPlane = 64, kMostOfPlane = 1 << 14;

// In whole numbers, of which every instruction set has vectors: the exponent of what is not finite overflows.
bool all_finite(const float* values, int64_t count) {
  constexpr uint32_t kSign = 0x80000000, kExponent = 0x00800000;
  typedef uint32_t Four __attribute__((vector_size(16)));
  Four met = {}, bits;
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    std::memcpy(&bits, values + i, sizeof bits);
    met |= (bits & ~kSign) + kExponent;
  }
  bool finite = ((met[0] | met[1] | met[2] | met[3]) & kSign) == 0;
  for (; i < count; ++i) finite &= values[i] - values[i] == 0.0F;
  return finite;
}

// Lines are too short for a call.
void copy_line(const float* from, int64_t count, float* to) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) std::memcpy(to + i, from + i, 4 * sizeof(float));
  for (; i < count; ++i) to[i] = from[i];
}

}  // namespace

WindowPlanes::WindowPlanes(const WindowPlan& plan, const WindowLines& lines)
    : plan_(plan), lines_(lines), means_(plan.kind == WindowKind::combine) {
  if (plan.image.dtype != RONDO_F32 || plan.result.accumulate ||
      !(means_ || (plan.kind == WindowKind::largest && !plan.places)) || !lines.along_axis || lines.weighted ||
      lines.resizes || lines.axes.size() != 2 || lines.walked.empty() || lines.walked.back().axis != 0 ||
      lines.line_step[kWindowResult] != 1 || line().axis.in_step != 1)
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
  names_.resize(taps_.size());
  longest_ = &*std::max_element(lines.runs.begin(), lines.runs.end(),
                                [](const WindowRun& a, const WindowRun& b) { return a.count < b.count; });
  possible_ = true;
}

std::vector<float> WindowPlanes::memory() const {
  const auto plane = possible_ ? static_cast<size_t>(height_ * width_) : 0;
  std::vector<float> all((means_ ? 3 : 2) * plane);
  if (!means_) std::fill_n(all.begin(), plane, device::weakest<float, true>());
  return all;
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
  for (int64_t row = 0; row < rows; ++row)
    copy_line(from + row * down.in_step, columns, memory + (down.padding + row) * width_ + along.padding);
  const WindowLoops<float>& table = loops(instructions()).windows->narrow;
  const int64_t taps = static_cast<int64_t>(taps_.size()), count = (down.out - 1) * width_ + along.out;
  float* const made = memory + height_ * width_;
  if (!means_) {
    table.largest(made, nullptr, memory, taps_.data(), names_.data(), taps, 1, count, false);
    for (int64_t o = 0; o < down.out; ++o) copy_line(made + o * width_, along.out, to + o * down.out_step);
    return true;
  }
  table.sum(made, memory, taps_.data(), nullptr, taps, 1, count, false);
  float* const means = made + height_ * width_;
  std::copy_n(made, count, means);
  const auto divisor_of = [&](int64_t o) { return slab().taps[static_cast<size_t>(o)].divisor; };
  for (int64_t o = 0, end = 0; o < down.out; o = end) {
    const int64_t divisor = divisor_of(o);
    while (end < down.out && divisor_of(end) == divisor) ++end;
    table.divide(means + o * width_, static_cast<float>(divisor * longest_->taps.divisor),
                 (end - o - 1) * width_ + along.out);
    for (const WindowRun& run : lines_.runs) {
      if (&run == longest_) continue;
      for (int64_t line = o; line < end; ++line)
        for (int64_t i = line * width_ + run.first; i < line * width_ + run.first + run.count; ++i)
          means[i] = made[i] / static_cast<float>(divisor * run.taps.divisor);
    }
  }
  for (int64_t o = 0; o < down.out; ++o) copy_line(means + o * width_, along.out, to + o * down.out_step);
  return all_finite(made, count);
}

}  // namespace rondo::ops
