// Convolutions of one channel a group, with channels first, on the host: of each channel's plane a band at a time is
// copied with zeros around it, and then vectors of several lines go through the taps together (window_loops.h). With a
// stride of s, each axis of the copy has the coordinates 0, s, 2 s, ... first, then 1, s + 1, ..., so that neighbours
// among the results read neighbours. The sum goes through the taps in the order in which the gathered product does.
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
  static constexpr int64_t kRoom = 32;  // elements after a plane and after sums, for vectors that reach further

  template <class C>
  void run_as(const device::ProductArguments& args, void* workspace) const;
  template <class C>
  void run_plane(const device::ProductArguments& args, int64_t batch, int64_t group, const int64_t* taps, bool in_order,
                 C* plane, const SumFinish& finish) const;
  void find_bands(int64_t lines, int64_t places);
  void sum_lines(const float* from, const int64_t* taps, const float* weights, int64_t lines, int64_t places,
                 float* sums) const;
  void sum_lines(const double* from, const int64_t* taps, const double* weights, int64_t lines, int64_t places,
                 double* sums) const;
  template <class C>
  void copy(const device::ProductArguments& args, const C* from, int64_t line, int64_t lines, C* plane) const;
  // How far a coordinate, counted from the plane's first, is from that.
  int64_t place(int axis, int64_t coordinate) const {
    if (stride_[axis] == 1) return coordinate * pitch_[axis];  // without a division
    return (coordinate % stride_[axis] * share_[axis] + coordinate / stride_[axis]) * pitch_[axis];
  }
  int64_t elements_of_thread() const { return plane_ + sums_ + 2 * kRoom + taps_; }

  const rondo_dtype dtype_;
  bool possible_ = false;
  int64_t batch_ = 0, groups_ = 0;
  int64_t band_ = 0;          // lines of results that are made at a time
  int64_t columns_ = 0;       // of taps of which lines share what they read
  int64_t low_[kAxes] = {};   // the coordinate where the plane begins
  int64_t size_[kAxes] = {};  // coordinates of the plane, or of its part for a band
  int64_t stride_[kAxes] = {};
  int64_t share_[kAxes] = {};                // coordinates, at most, that leave the same rest by the stride
  int64_t pitch_[kAxes] = {};                // from one of those to the next
  int64_t plane_ = 0, sums_ = 0, taps_ = 0;  // elements
  int64_t threads_ = 1;
};

}  // namespace rondo::ops
