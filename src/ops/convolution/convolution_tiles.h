// Convolutions of f32 on the host, but for depthwise ones and deep gradients of filters, which have loops of their own
// (convolution_cpu.cc), by the tiles that matrix products have too (host/products.h): the rows of a tile are kernels,
// its columns are places. A few columns are gathered for all kernels at once, of a deep sum as many channels as stay in
// the cache, and each sum goes through its depth in order. A sum deeper than kDeepestSum is made of several such sums,
// of as many channels each, added in order.
//
// Blocks of columns, and of kernels where columns are few, are shared among workers, each with memory of its own; no
// bit depends on how many there are, nor on whether the kernels were brought into tiles before (packed_weights.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/convolution/column_block.h"
#include "ops/convolution/convolution.h"
#include "ops/elementwise/sum_finish.h"
#include "ops/host/products.h"
#include "ops/task/packed_weights.h"
#include "rtc/device/convolution.h"

namespace rondo::ops {

// Depths of a sum, at most, and taps of a channel: a thread's memory has a line of each.
inline constexpr int64_t kDeepestSum = kDepthOfSum;

// Bytes of kernels that are worth a copy.
inline constexpr size_t kLeastPacked = 1 << 14;

// How many parts the kernels of each block of columns are cut into, tiles at most, for so many multiplications in all.
// A part is little to wait for. gathers_again: a thread gathers its columns for each part anew.
int64_t cuts_of_kernels(double work, int64_t blocks, int64_t tiles, bool gathers_again);

// How many blocks so many panels of columns are cut into, `least` at least: where they are few, as many for each
// thread, if there are enough columns for that.
int64_t blocks_of_columns(int64_t panels, int64_t least, int64_t groups, int64_t threads);

class ConvolutionTiles {
 public:
  // Takes products whose addresses may come later.
  ConvolutionTiles(const device::ProductArguments& args, rondo_dtype dtype, ConvolutionWay way);
  // False if it is of another dtype, a channel has more than kDeepestSum taps, or a sum is too deep.
  bool possible() const { return possible_; }
  size_t workspace_bytes() const;
  // The kernels as a matrix of which a copy in tiles can be kept; its copy has no bytes if they do not lie in even
  // steps.
  WeightMatrix weights(const device::ProductArguments& args, const View& filter) const;
  // With the addresses. tiles: that copy; null: it is made here.
  void run(const device::ProductArguments& args, const float* tiles, void* workspace) const;

 private:
  bool find_depths(const device::ProductArguments& args);
  void find_blocks(const device::ProductArguments& args);
  DepthPart block_of_depth(const device::ProductArguments& args, int64_t channel, int64_t number) const;
  void bring_to_tiles(const device::ProductArguments& args, float* tiles) const;
  void finish(const device::ProductArguments& args, const ColumnBlock& block, int64_t first, int64_t rows, float* sums,
              const SumFinish& finish) const;
  int64_t of_thread() const;  // elements

  bool possible_ = false;
  bool channels_inner_ = false;  // of the depth: those of a tap are neighbours
  int64_t m_ = 0, depth_ = 0, groups_ = 0, columns_ = 0;
  bool cut_ = false;                 // into parts of deep sums
  int64_t channels_of_sum_ = 0;      // all of them, or those of a part of a deep sum
  DepthPart at_once_ = {};           // how many channels and taps of those are gathered at once, at most
  int64_t blocks_ = 0;               // of the depth of a sum
  int64_t width_ = 0;                // columns of a block, at most
  int64_t across_ = 0, down_ = 0;    // blocks of columns, and of kernels
  const RowTiles tiles_;             // of a group's kernels
  int64_t threads_ = 1;              // that have memory of their own
  std::vector<int64_t> depth_in_a_;  // where each depth is, if steps differ or are 0
  int64_t even_step_ = 0;            // from one depth to the next; 0: depth_in_a_ says
};

}  // namespace rondo::ops
