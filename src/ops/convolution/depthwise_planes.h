// Convolutions of one channel a group, with channels first, on the host: each channel's plane is copied once with zeros
// around it, and then every tap is a vector loop along a line (window_loops.h). With a stride of s, each axis of the
// copy has the coordinates 0, s, 2 s, ... first, then 1, s + 1, ..., so that neighbours among the results read
// neighbours. The sum goes through the taps in the order in which the gathered product does.
//
// Small planes of f32 are copied 16 at a time instead, so that those of a place are neighbours, and a vector has
// channels; their sums are turned back. The bits are the same.
//
// Planes are shared among workers, each with memory of its own; no bit depends on how many there are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/elementwise/sum_finish.h"
#include "ops/host/window_loops.h"
#include "rtc/device/convolution.h"

namespace rondo::ops {

class DepthwisePlanes {
 public:
  // Takes products of f32 or f64, whose addresses may come later.
  DepthwisePlanes(const device::ProductArguments& args, rondo_dtype dtype);
  // False if it is no such convolution, or planes would be far larger than the image.
  bool possible() const { return possible_; }
  size_t workspace_bytes() const;
  // With the addresses.
  void run(const device::ProductArguments& args, void* workspace) const;

 private:
  static constexpr int kAxes = device::kProductAxes;

  template <class C>
  void run_as(const device::ProductArguments& args, void* workspace) const;
  template <class C>
  void run_plane(const device::ProductArguments& args, int64_t batch, int64_t group, const int64_t* taps, C* plane,
                 C* sums, C* weights, const SumFinish& finish) const;
  void find_channels(const device::ProductArguments& args);
  void run_channels(const device::ProductArguments& args, int64_t unit, const int64_t* taps, float* plane,
                    const SumFinish& finish) const;
  template <class C>
  void copy(const device::ProductArguments& args, const C* from, C* plane) const;
  // How far a coordinate, counted from the plane's first, is from that.
  int64_t place(int axis, int64_t coordinate) const {
    if (turns_) return coordinate * pitch_[axis];
    return (coordinate % stride_[axis] * share_[axis] + coordinate / stride_[axis]) * pitch_[axis];
  }
  int64_t elements_of_thread() const { return plane_ + sums_ + (turns_ ? kWindowChannels : 1) * taps_; }
  int64_t units() const {
    return turns_ ? batch_ * ((groups_ + kWindowChannels - 1) / kWindowChannels) : batch_ * groups_;
  }

  const rondo_dtype dtype_;
  bool possible_ = false;
  bool turns_ = false;  // channels are neighbours in the plane
  int64_t batch_ = 0, groups_ = 0;
  bool joins_lines_ = false;  // all lines of a slab are one
  int64_t low_[kAxes] = {};   // the coordinate where the plane begins
  int64_t size_[kAxes] = {};  // coordinates of the plane
  int64_t stride_[kAxes] = {};
  int64_t share_[kAxes] = {};                // coordinates, at most, that leave the same rest by the stride
  int64_t pitch_[kAxes] = {};                // from one of those to the next
  int64_t plane_ = 0, sums_ = 0, taps_ = 0;  // elements
  int64_t threads_ = 1;
};

}  // namespace rondo::ops
