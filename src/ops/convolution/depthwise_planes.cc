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
constexpr int64_t kBand = 8192;      // elements of a plane that are copied at a time
constexpr int64_t kWide = 8;         // elements that a sum of f64 is made for, at least
constexpr int64_t kChunks = 4;       // of planes for each thread
constexpr double kShared = 1 << 18;  // multiplications that are worth other threads

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
  find_bands(args.axis[kSlab].places, args.axis[kLine].places);
  taps_ = args.depth;
  // Taps of an inner axis are columns of the window, where its rows follow each other in the plane.
  const ProductAxis &slab = args.axis[kSlab], &line = args.axis[kLine];
  if (slab.tap_step == 1 && args.axis[0].taps == 1 && stride_[kSlab] <= 2) columns_ = line.taps;
  batch_ = args.batch;
  groups_ = args.groups;
  const double cost = static_cast<double>(args.columns) * static_cast<double>(args.groups * args.depth);
  if (cost >= kShared) threads_ = std::clamp<int64_t>(batch_ * groups_, 1, known_processors());
  possible_ = true;
}

// As many lines of results as a part of the plane that stays in the cache is read for.
void DepthwisePlanes::find_bands(int64_t lines, int64_t places) {
  const int64_t row = plane_ / (share_[kSlab] * stride_[kSlab]), reach = size_[kSlab] - (lines - 1) * stride_[kSlab];
  const int64_t most = std::max<int64_t>((kBand / row - reach) / stride_[kSlab] + 1, reach);
  const int64_t bands = (lines + most - 1) / most;
  band_ = (lines + bands - 1) / bands;
  size_[kSlab] = (band_ - 1) * stride_[kSlab] + reach;
  share_[kSlab] = (size_[kSlab] + stride_[kSlab] - 1) / stride_[kSlab];
  pitch_[0] = share_[kSlab] * stride_[kSlab] * pitch_[kSlab];
  plane_ = share_[0] * stride_[0] * pitch_[0] + kMostLines * pitch_[kSlab];
  sums_ = (band_ + kMostLines) * places;
}

size_t DepthwisePlanes::workspace_bytes() const {
  return static_cast<size_t>(2 * taps_) * sizeof(int64_t) +
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
  auto *const taps = static_cast<int64_t*>(workspace), *const in_filter = taps + taps_;
  bool in_order = true;  // the filter's taps follow each other as those that are summed do
  for (int64_t t = 0; t < taps_; ++t) {
    int64_t rest = t;
    taps[t] = in_filter[t] = 0;
    for (int d = kAxes - 1; d >= 0; --d) {
      const ProductAxis& axis = args.axis[d];
      const int64_t tap = rest % axis.taps;
      taps[t] += place(d, axis.start + tap * axis.tap_step - low_[d]);
      in_filter[t] += tap * axis.a_tap;
      rest /= axis.taps;
    }
    in_order = in_order && in_filter[t] == t;
  }
  C* const memory = reinterpret_cast<C*>(in_filter + taps_);
  const SumFinish finish(dtype_, args.activation, args.accumulate != 0);
  const int64_t planes = batch_ * groups_, chunk = std::max<int64_t>(planes / (threads_ * kChunks), 1);
  PartRanges ranges((planes + chunk - 1) / chunk, threads_);
  const auto work = [&](int64_t thread) {
    C* const plane = memory + thread * elements_of_thread();
    std::fill_n(plane, plane_ + kRoom, C(0));  // what is on both sides of the image stays so
    for (int64_t taken; (taken = ranges.take(thread)) >= 0;)
      for (int64_t i = taken * chunk; i < std::min((taken + 1) * chunk, planes); ++i)
        run_plane(args, i / args.groups, i % args.groups, taps, in_order, plane, finish);
  };
  if (threads_ == 1)
    work(0);
  else
    Workers::share(threads_, work);
}

template <class C>
void DepthwisePlanes::run_plane(const ProductArguments& args, int64_t batch, int64_t group, const int64_t* taps,
                                bool in_order, C* plane, const SumFinish& finish) const {
  const ProductAxis &outer = args.axis[0], &slab = args.axis[kSlab], &line = args.axis[kLine];
  C *const sums = plane + plane_ + kRoom, *const gathered = sums + sums_ + kRoom;
  const C* weights = static_cast<const C*>(args.a) + group * args.a_group;
  if (!in_order) {
    for (int64_t t = 0; t < taps_; ++t) gathered[t] = weights[taps[taps_ + t]];
    weights = gathered;
  }
  const auto at = [](const void* base, int64_t offset) -> Strip {
    if (!base) return {};
    return {reinterpret_cast<char*>(static_cast<C*>(const_cast<void*>(base)) + offset), 0};
  };
  // The lines of a slab are finished together where they lie one after the other.
  const bool even = slab.out_step == line.places * line.out_step &&
                    (!args.residual || slab.residual_step == line.places * line.residual_step);
  for (int64_t first = 0; first < slab.places; first += band_) {
    const int64_t lines = std::min<int64_t>(band_, slab.places - first);
    copy(args, static_cast<const C*>(args.b) + batch * args.b_batch + group * args.b_group, first, lines, plane);
    for (int64_t o = 0; o < outer.places; ++o) {
      sum_lines(plane + o * pitch_[0], taps, weights, lines, line.places, sums);
      SumLine finished;
      finished.sums = {reinterpret_cast<char*>(sums), 1, line.places};
      finished.scale = at(args.scale, group * args.scale_step);
      finished.bias = at(args.bias, group * args.bias_step);
      finished.residual = at(args.residual, batch * args.residual_batch + group * args.residual_group +
                                                o * outer.residual_step + first * slab.residual_step);
      finished.residual.step = line.residual_step;
      finished.residual.apart = slab.residual_step;
      finished.out =
          at(args.out, batch * args.out_batch + group * args.out_group + o * outer.out_step + first * slab.out_step);
      finished.out.step = line.out_step;
      finished.out.apart = slab.out_step;
      finish.run(finished, even ? lines * line.places : line.places, even ? 1 : lines);
    }
  }
}

// The sums of so many lines, one after the other. Each overwrites the vector that reaches past the last one.
void DepthwisePlanes::sum_lines(const float* from, const int64_t* taps, const float* weights, int64_t lines,
                                int64_t places, float* sums) const {
  product_tiles(instructions())
      .sum_lines({from, taps, weights, taps_, columns_, stride_[kSlab], pitch_[kSlab], lines, places, sums});
}
void DepthwisePlanes::sum_lines(const double* from, const int64_t* taps, const double* weights, int64_t lines,
                                int64_t places, double* sums) const {
  const auto sum = loops(instructions()).windows->wide.sum;
  for (int64_t s = 0; s < lines; ++s)
    sum(sums + s * places, from + s * pitch_[kSlab], taps, weights, taps_, 1, std::max(places, kWide), false);
}

// The part of the image that so many lines read.
template <class C>
void DepthwisePlanes::copy(const ProductArguments& args, const C* from, int64_t line, int64_t lines, C* plane) const {
  const ProductAxis &slab = args.axis[kSlab], &inner = args.axis[kLine];
  int64_t first[kAxes], count[kAxes];
  for (int d = 0; d < kAxes; ++d) {
    const int64_t low = low_[d] + (d == kSlab ? line * stride_[d] : 0);
    const int64_t size = size_[d] - (d == kSlab ? (band_ - lines) * stride_[d] : 0);
    first[d] = std::clamp<int64_t>(low, 0, args.axis[d].extent);
    count[d] = std::clamp<int64_t>(low + size, first[d], args.axis[d].extent) - first[d];
    from += first[d] * args.axis[d].b_step;
    first[d] -= low;
  }
  if (count[kLine] == 0) return;
  const int64_t step = inner.b_step, stride = stride_[kLine];
  for (int64_t o = 0; o < count[0]; ++o, from += args.axis[0].b_step) {
    if (band_ < slab.places)  // the lines around the image are others in each band
      for (int64_t s = 0; s < size_[kSlab]; ++s)
        if (s < first[kSlab] || s >= first[kSlab] + count[kSlab])
          std::fill_n(plane + place(0, first[0] + o) + place(kSlab, s), pitch_[kSlab], C(0));
    // The lines that are as far from the first as a multiple of the stride is follow each other.
    for (int64_t s = 0; s < std::min(stride_[kSlab], count[kSlab]); ++s) {
      const C* row = from + s * slab.b_step;
      C* first_of = plane + place(0, first[0] + o) + place(kSlab, first[kSlab] + s);
      const int64_t rows = (count[kSlab] - s + stride_[kSlab] - 1) / stride_[kSlab],
                    apart = stride_[kSlab] * slab.b_step;
      C *const even = first_of + place(kLine, first[kLine]), *const odd = first_of + place(kLine, first[kLine] + 1);
      if constexpr (sizeof(C) == sizeof(float)) {
        if (step == 1 && stride == 1) {
          product_tiles(instructions()).copy_lines(row, apart, rows, count[kLine], even, pitch_[kSlab]);
          continue;
        }
        if (step == 1 && stride == 2) {
          loops(instructions()).windows->part(row, apart, rows, count[kLine], even, odd, pitch_[kSlab]);
          continue;
        }
      }
      for (int64_t r = 0; r < rows; ++r, row += apart, first_of += pitch_[kSlab])
        for (int64_t begin = 0; begin < std::min(stride, count[kLine]); ++begin) {
          C* const part = first_of + place(kLine, first[kLine] + begin);
          for (int64_t i = begin, j = 0; i < count[kLine]; i += stride, ++j) part[j] = row[i * step];
        }
    }
  }
}

}  // namespace rondo::ops
