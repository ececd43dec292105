// Copies planes with zeros around them and sums over them tap by tap.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/depthwise_planes.h"

#include <algorithm>
#include <cstring>

#include "base/machine/processors.h"
#include "engine/tasks/part_ranges.h"
#include "engine/tasks/workers.h"
#include "ops/host/elementwise_loops.h"
#include "ops/host/products.h"

namespace rondo::ops {

namespace {

using device::ProductArguments;
using device::ProductAxis;

constexpr int kLine = device::kProductAxes - 1, kSlab = device::kProductAxes - 2;
constexpr int64_t kMostTaps = 4096, kMostPlane = int64_t{1} << 24;
// How much larger than what is read and written a plane may be, by dilation or padding.
constexpr int64_t kMostTimes = 8;
constexpr int64_t kLongLine = 64;
constexpr int64_t kFewPlaces = 32, kMostTurned = 4096;  // of a line, and of a plane that is turned
constexpr int64_t kChunks = 4;                          // of planes for each thread
constexpr double kShared = 1 << 18;                     // multiplications that are worth other threads

// Elements to lower addresses or to other memory; lines are too short for a call.
template <class C>
void move_down(const C* from, int64_t n, C* to) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    C four[4];
    std::memcpy(four, from + i, sizeof four);
    std::memcpy(to + i, four, sizeof four);
  }
  for (; i < n; ++i) to[i] = from[i];
}

}  // namespace

DepthwisePlanes::DepthwisePlanes(const ProductArguments& args, rondo_dtype dtype) : dtype_(dtype) {
  if (dtype != RONDO_F32 && dtype != RONDO_F64) return;
  if (args.m != 1 || args.channels != 1 || args.groups < 2 || args.columns < 1 || args.depth < 1 ||
      args.depth > kMostTaps)
    return;
  int64_t extent = 1;
  plane_ = 1;
  for (int d = kAxes - 1; d >= 0; --d) {
    const ProductAxis& axis = args.axis[d];
    const int64_t reach = (axis.taps - 1) * axis.tap_step;
    if (axis.divide != 1) return;
    low_[d] = axis.start + std::min<int64_t>(reach, 0);
    stride_[d] = axis.places > 1 ? axis.step : 1;
    size_[d] = (axis.places - 1) * stride_[d] + std::abs(reach) + 1;
    share_[d] = (size_[d] + stride_[d] - 1) / stride_[d];
    pitch_[d] = plane_;
    if (share_[d] * stride_[d] > kMostPlane / plane_) return;
    plane_ *= share_[d] * stride_[d];
    extent *= axis.extent;
  }
  if (plane_ / kMostTimes > extent + args.places) return;
  const ProductAxis &line = args.axis[kLine], &slab = args.axis[kSlab];
  const int64_t width = pitch_[kSlab];  // from one line of results to the next
  // Short lines leave vectors half empty; long ones are not worth the numbers between them.
  joins_lines_ = width <= 4 * line.places && (line.places < kLongLine || 4 * width <= 5 * line.places);
  sums_ = joins_lines_ ? (slab.places - 1) * width + line.places : slab.places * line.places;
  taps_ = args.depth;
  batch_ = args.batch;
  groups_ = args.groups;
  find_channels(args);
  const double cost = static_cast<double>(args.columns) * static_cast<double>(args.groups * args.depth);
  if (cost >= kShared) threads_ = std::clamp<int64_t>(units(), 1, known_processors());
  possible_ = true;
}

void DepthwisePlanes::find_channels(const ProductArguments& args) {
  const ProductAxis &outer = args.axis[0], &slab = args.axis[kSlab], &line = args.axis[kLine];
  if (dtype_ != RONDO_F32 || groups_ < kWindowChannels / 2 || outer.places != 1 || outer.taps != 1 ||
      outer.extent != 1 || outer.start != 0 || line.b_step != 1 || line.places >= kFewPlaces ||
      size_[kSlab] * size_[kLine] > kMostTurned)
    return;
  turns_ = true;
  for (int d = 0; d < kAxes; ++d) share_[d] = size_[d];
  pitch_[kLine] = kWindowChannels;
  pitch_[kSlab] = size_[kLine] * pitch_[kLine];
  plane_ = size_[kSlab] * pitch_[kSlab];
  pitch_[0] = plane_;
  sums_ = 2 * slab.places * line.places * kWindowChannels;  // and turned
}

size_t DepthwisePlanes::workspace_bytes() const {
  return static_cast<size_t>(taps_) * sizeof(int64_t) +
         static_cast<size_t>(threads_ * elements_of_thread()) * dtype_size(dtype_);
}

void DepthwisePlanes::run(const ProductArguments& args, void* workspace) const {
  if (dtype_ == RONDO_F64)
    run_as<double>(args, workspace);
  else
    run_as<float>(args, workspace);
}

template <class C>
void DepthwisePlanes::run_as(const ProductArguments& args, void* workspace) const {
  auto* const taps = static_cast<int64_t*>(workspace);
  for (int64_t t = 0; t < taps_; ++t) {
    int64_t rest = t;
    taps[t] = 0;
    for (int d = kAxes - 1; d >= 0; --d) {
      const ProductAxis& axis = args.axis[d];
      taps[t] += place(d, axis.start + rest % axis.taps * axis.tap_step - low_[d]);
      rest /= axis.taps;
    }
  }
  C* const memory = reinterpret_cast<C*>(taps + taps_);
  const SumFinish finish(dtype_, args.activation, args.accumulate != 0);
  const int64_t planes = units(), chunk = std::max<int64_t>(planes / (threads_ * kChunks), 1);
  PartRanges ranges((planes + chunk - 1) / chunk, threads_);
  const auto work = [&](int64_t thread) {
    C *const plane = memory + thread * elements_of_thread(), *const sums = plane + plane_,
             *const weights = sums + sums_;
    std::fill_n(plane, plane_, C(0));  // what is around the image stays so
    for (int64_t taken; (taken = ranges.take(thread)) >= 0;)
      for (int64_t i = taken * chunk; i < std::min((taken + 1) * chunk, planes); ++i) {
        if constexpr (sizeof(C) == sizeof(float)) {
          if (turns_) {
            run_channels(args, i, taps, plane, finish);
            continue;
          }
        }
        run_plane(args, i / args.groups, i % args.groups, taps, plane, sums, weights, finish);
      }
  };
  if (threads_ == 1)
    work(0);
  else
    Workers::share(threads_, work);
}

template <class C>
void DepthwisePlanes::run_plane(const ProductArguments& args, int64_t batch, int64_t group, const int64_t* taps,
                                C* plane, C* sums, C* weights, const SumFinish& finish) const {
  const ProductAxis &outer = args.axis[0], &slab = args.axis[kSlab], &line = args.axis[kLine];
  const C* const filter = static_cast<const C*>(args.a) + group * args.a_group;
  for (int64_t t = 0; t < taps_; ++t) {
    int64_t rest = t, at = 0;
    for (int d = kAxes - 1; d >= 0; --d) {
      at += rest % args.axis[d].taps * args.axis[d].a_tap;
      rest /= args.axis[d].taps;
    }
    weights[t] = filter[at];
  }
  copy(args, static_cast<const C*>(args.b) + batch * args.b_batch + group * args.b_group, plane);
  const WindowLoops<C>& windows = loops(instructions()).windows->of(static_cast<const C*>(nullptr));
  const auto at = [](const void* base, int64_t offset) -> Strip {
    if (!base) return {};
    return {reinterpret_cast<char*>(static_cast<C*>(const_cast<void*>(base)) + offset), 0};
  };
  // The lines of a slab are finished together where they lie one after the other.
  const bool even = slab.out_step == line.places * line.out_step &&
                    (!args.residual || slab.residual_step == line.places * line.residual_step);
  for (int64_t o = 0; o < outer.places; ++o) {
    const C* const from = plane + o * pitch_[0];
    if (joins_lines_) {
      windows.sum(sums, from, taps, weights, taps_, 1, sums_, false);
      if (pitch_[kSlab] > line.places)
        for (int64_t s = 1; s < slab.places; ++s)
          move_down(sums + s * pitch_[kSlab], line.places, sums + s * line.places);
    } else {
      for (int64_t s = 0; s < slab.places; ++s)
        windows.sum(sums + s * line.places, from + s * pitch_[kSlab], taps, weights, taps_, 1, line.places, false);
    }
    const int64_t lines = even ? 1 : slab.places, length = even ? slab.places * line.places : line.places;
    for (int64_t s = 0; s < lines; ++s) {
      SumLine finished;
      finished.sums = {reinterpret_cast<char*>(sums + s * length), 1};
      finished.scale = at(args.scale, group * args.scale_step);
      finished.bias = at(args.bias, group * args.bias_step);
      finished.residual = at(args.residual, batch * args.residual_batch + group * args.residual_group +
                                                o * outer.residual_step + s * slab.residual_step);
      finished.residual.step = line.residual_step;
      finished.out =
          at(args.out, batch * args.out_batch + group * args.out_group + o * outer.out_step + s * slab.out_step);
      finished.out.step = line.out_step;
      finish.run(finished, length);
    }
  }
}

void DepthwisePlanes::run_channels(const ProductArguments& args, int64_t unit, const int64_t* taps, float* plane,
                                   const SumFinish& finish) const {
  const ProductAxis &slab = args.axis[kSlab], &line = args.axis[kLine];
  const int64_t of_batch = units() / batch_, batch = unit / of_batch, group = unit % of_batch * kWindowChannels;
  const int64_t channels = std::min(groups_ - group, kWindowChannels), places = slab.places * line.places;
  float *const sums = plane + plane_, *const turned = sums + places * kWindowChannels, *const weights = sums + sums_;
  const float* const filter = static_cast<const float*>(args.a) + group * args.a_group;
  for (int64_t t = 0; t < taps_; ++t) {
    const int64_t at = t / line.taps * slab.a_tap + t % line.taps * line.a_tap;
    for (int64_t c = 0; c < kWindowChannels; ++c)
      weights[t * kWindowChannels + c] = c < channels ? filter[at + c * args.a_group] : 0.0F;
  }
  int64_t first[kAxes], count[kAxes];
  for (const int d : {kSlab, kLine}) {
    first[d] = std::max<int64_t>(low_[d], 0);
    count[d] = std::max<int64_t>(std::min<int64_t>(low_[d] + size_[d], args.axis[d].extent) - first[d], 0);
  }
  const float* from = static_cast<const float*>(args.b) + batch * args.b_batch + group * args.b_group +
                      first[kSlab] * slab.b_step + first[kLine];
  float* to = plane + (first[kSlab] - low_[kSlab]) * pitch_[kSlab] + (first[kLine] - low_[kLine]) * kWindowChannels;
  for (int64_t s = 0; s < count[kSlab]; ++s, from += slab.b_step, to += pitch_[kSlab])
    turn_lines(from, args.b_group, channels, count[kLine], to, kWindowChannels);
  const auto sum = loops(instructions()).windows->sum_channels;
  for (int64_t s = 0; s < slab.places; ++s)
    sum(sums + s * line.places * kWindowChannels, plane + s * stride_[kSlab] * pitch_[kSlab], taps, weights, taps_,
        stride_[kLine] * kWindowChannels, line.places);
  turn_lines(sums, kWindowChannels, places, channels, turned, places);
  const auto at = [](const void* base, int64_t offset, int64_t channel, int64_t slab_step,
                     int64_t step) -> SumLines::Array {
    if (!base) return {};
    return {reinterpret_cast<char*>(static_cast<float*>(const_cast<void*>(base)) + offset), {slab_step, channel, step}};
  };
  SumLines lines;
  lines.sums = at(turned, 0, places, line.places, 1);
  lines.scale = at(args.scale, group * args.scale_step, args.scale_step, 0, 0);
  lines.bias = at(args.bias, group * args.bias_step, args.bias_step, 0, 0);
  lines.residual = at(args.residual, batch * args.residual_batch + group * args.residual_group, args.residual_group,
                      slab.residual_step, line.residual_step);
  lines.out =
      at(args.out, batch * args.out_batch + group * args.out_group, args.out_group, slab.out_step, line.out_step);
  const bool even = slab.out_step == line.places * line.out_step &&
                    (!args.residual || slab.residual_step == line.places * line.residual_step);
  lines.size[0] = even ? 1 : slab.places;
  lines.size[1] = channels;
  lines.size[2] = even ? places : line.places;
  finish.run(lines);
}

// The part of the image that the plane has.
template <class C>
void DepthwisePlanes::copy(const ProductArguments& args, const C* from, C* plane) const {
  int64_t first[kAxes], count[kAxes];
  for (int d = 0; d < kAxes; ++d) {
    first[d] = std::max<int64_t>(low_[d], 0);
    count[d] = std::max<int64_t>(std::min<int64_t>(low_[d] + size_[d], args.axis[d].extent) - first[d], 0);
    from += first[d] * args.axis[d].b_step;
    first[d] -= low_[d];
  }
  if (count[kLine] == 0) return;
  const int64_t step = args.axis[kLine].b_step, stride = stride_[kLine];
  for (int64_t o = 0; o < count[0]; ++o)
    for (int64_t s = 0; s < count[kSlab]; ++s) {
      const C* const line = from + o * args.axis[0].b_step + s * args.axis[kSlab].b_step;
      C* const to = plane + place(0, first[0] + o) + place(kSlab, first[kSlab] + s);
      if (step == 1 && stride == 1) {
        move_down(line, count[kLine], to + first[kLine]);
        continue;
      }
      if (sizeof(C) == sizeof(float) && step == 1 && stride == 2) {
        C *const even = to + place(kLine, first[kLine]), *const odd = to + place(kLine, first[kLine] + 1);
        const int64_t pairs = count[kLine] / 2;
        for (int64_t j = 0; j < pairs; ++j) {
          even[j] = line[2 * j];
          odd[j] = line[2 * j + 1];
        }
        if (count[kLine] % 2 != 0) even[pairs] = line[2 * pairs];
        continue;
      }
      for (int64_t begin = 0; begin < std::min(stride, count[kLine]); ++begin) {
        C* const part = to + place(kLine, first[kLine] + begin);
        for (int64_t i = begin, j = 0; i < count[kLine]; i += stride, ++j) part[j] = line[i * step];
      }
    }
}

}  // namespace rondo::ops
