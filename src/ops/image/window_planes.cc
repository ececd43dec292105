// Copies planes with a border around them, goes over them tap by tap, and divides sums.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/image/window_planes.h"

#include <algorithm>
#include <cstring>

#include "ops/host/elementwise_loops.h"
#include "ops/host/products.h"
#include "rtc/device/reductions.h"

namespace rondo::ops {

namespace {

using device::kWindowImage;
using device::kWindowResult;

constexpr int64_t kMostTapsOfPlane = 64, kMostOfPlane = 1 << 14;
constexpr int64_t kRoomOfPlane = 4;  // what is gone through in vectors ends with one

// Writes quotients; false if one of the values is not finite. That is found out in whole numbers, of which every
// instruction set has vectors: the exponent of what is not finite overflows.
bool divide_all(const float* values, const float* divisors, int64_t count, float* to) {
  constexpr uint32_t kSign = 0x80000000, kExponent = 0x00800000;
  typedef float Numbers __attribute__((vector_size(16)));
  typedef uint32_t Bits __attribute__((vector_size(16)));
  Bits met = {}, bits;
  Numbers value, divisor;
  const auto one = [&](int64_t i) {
    std::memcpy(&value, values + i, sizeof value);
    std::memcpy(&divisor, divisors + i, sizeof divisor);
    std::memcpy(&bits, &value, sizeof bits);
    met |= (bits & ~kSign) + kExponent;
    value /= divisor;
    std::memcpy(to + i, &value, sizeof value);
  };
  for (int64_t i = 0; i < count; i += 4) one(i);
  return ((met[0] | met[1] | met[2] | met[3]) & kSign) == 0;
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
    if (each->rule != device::WindowRule::fixed || each->stride > 2) return;
  const int64_t taps = down.size * along.size;
  if (down.size > kMostTapsOfPlane || along.size > kMostTapsOfPlane || taps > kMostTapsOfPlane) return;
  height_ = (down.out - 1) * down.stride + (down.size - 1) * down.dilation + 1;
  width_ = (along.out - 1) * along.stride + (along.size - 1) * along.dilation + 1;
  // A line of every second element is read as fast as it lies where a plane would leave the first cache.
  const int64_t most = kMostOfPlane / (down.stride * along.stride > 1 ? 2 : 1);
  if (height_ > most || width_ > most || height_ * width_ > most) return;
  pitch_ = (width_ + along.stride - 1) / along.stride * along.stride;
  for (int64_t t = 0; t < taps; ++t)
    taps_.push_back(line_at(t / along.size * down.dilation) + column_at(t % along.size * along.dilation));
  names_.resize(taps_.size());
  count_ = (down.out - 1) * pitch_ + along.out;
  if (means_) divisors_.assign(static_cast<size_t>(count_ + kRoomOfPlane), 1);
  for (int64_t o = 0; means_ && o < down.out; ++o)
    for (const WindowRun& run : lines.runs)
      std::fill_n(divisors_.begin() + o * pitch_ + run.first, run.count,
                  static_cast<float>(slab().taps[static_cast<size_t>(o)].divisor * run.taps.divisor));
  possible_ = true;
}

int64_t WindowPlanes::elements_of_plane() const {
  return (height_ + slab().axis.stride) * pitch_;
}

std::vector<float> WindowPlanes::memory() const {
  if (!possible_) return {};
  const auto plane = static_cast<size_t>(elements_of_plane());
  std::vector<float> all(plane + (means_ ? 2 : 1) * static_cast<size_t>(count_ + kRoomOfPlane));
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
  const ProductTiles& tiles = product_tiles(instructions());
  // With a stride of 2, lines and columns 0, 2, 4, ... of the plane come first, then the others.
  for (int64_t first = 0; columns > 0 && first < std::min<int64_t>(down.stride, rows); ++first) {
    const float* const line = from + first * down.in_step;
    float* const copy = memory + line_at(down.padding + first);
    const int64_t count = (rows - first + down.stride - 1) / down.stride, apart = down.stride * down.in_step;
    if (along.stride == 1)
      tiles.copy_lines(line, apart, count, columns, copy + along.padding, pitch_);
    else
      loops(instructions())
          .windows->part(line, apart, count, columns, copy + column_at(along.padding),
                         copy + column_at(along.padding + 1), pitch_);
  }
  const WindowLoops<float>& table = loops(instructions()).windows->narrow;
  const auto taps = static_cast<int64_t>(taps_.size());
  float *const made = memory + elements_of_plane(), *const means = made + count_ + kRoomOfPlane;
  if (means_)
    table.sum(made, memory, taps_.data(), nullptr, taps, 1, count_, false);
  else
    table.largest(made, nullptr, memory, taps_.data(), names_.data(), taps, 1, count_, false);
  const bool finite = !means_ || divide_all(made, divisors_.data(), count_, means);
  tiles.copy_lines(means_ ? means : made, pitch_, down.out, along.out, to, down.out_step);
  return finite;
}

}  // namespace rondo::ops
