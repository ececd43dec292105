// Cuts the space of an elementwise task on the host into blocks that fit the cache.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/elementwise_blocks.h"

#include <cstdlib>

namespace rondo::ops {

namespace {

constexpr int64_t kBlock = 1024;   // elements
constexpr int64_t kLongRow = 256;  // a row that is worth blocks of its own
constexpr int64_t kTileRows = 16;  // of 4 bytes: a cache line of what is turned
constexpr int64_t kTileColumns = 64;

// The dimension along which an input that lies across the others is together in memory; -1 if there is none.
int transposed_along(const Space& space, int inputs) {
  const int inner = space.ndim - 1;
  if (space.size(inner) < kTileRows) return -1;
  for (int k = 0; k < inputs; ++k) {
    const int64_t* strides = space.strides(k);
    if (std::abs(strides[inner]) <= 1) continue;
    for (int d = 0; d < inner; ++d)
      if (strides[d] == 1 && space.size(d) >= kTileRows) return d;
  }
  return -1;
}

}  // namespace

Blocks::Blocks(const Space& space, int inputs, int operands, bool ordered)
    : space_(space), operands_(operands), inner_(space.ndim - 1) {
  const int64_t row = space.size(inner_);
  if (!ordered) across_ = transposed_along(space, inputs);
  flowing_ = across_ < 0 && inner_ > 0 && row < kLongRow;
  if (flowing_) {
    columns_ = kBlock;
    longest_ = std::min(kBlock, space.elements);
    count_ = (space.elements + kBlock - 1) / kBlock;
  } else {
    if (across_ >= 0) rows_ = kTileRows;
    columns_ = across_ >= 0 ? kTileColumns : kBlock;
    longest_ = rows_ * std::min(columns_, row);
    count_ = 1;
    for (int d = 0; d <= inner_; ++d) {
      const int64_t extent = d == inner_ ? columns_ : d == across_ ? rows_ : 1;
      blocks_[d] = (space.size(d) + extent - 1) / extent;
      count_ *= blocks_[d];
    }
  }
  for (int k = 0; k < operands; ++k) {
    const int64_t* strides = space.strides(k);
    const int64_t down = across_ >= 0 ? strides[across_] : 0;
    if (flowing_)
      kinds_[k] =
          std::all_of(strides, strides + space.ndim, [](int64_t s) { return s == 0; }) ? Kind::same : Kind::scattered;
    else if (strides[inner_] == 0 && down == 0 && k < inputs)
      kinds_[k] = Kind::same;
    else if (across_ < 0)
      kinds_[k] = Kind::row;
    else
      kinds_[k] = down == 1 && std::abs(strides[inner_]) > 1 && k < inputs ? Kind::transposed : Kind::rows;
  }
}

Block Blocks::at(int64_t number) const {
  Block block;
  block.number = number;
  block.rows = 1;
  int64_t rest = number;
  if (flowing_) {
    block.element = number * kBlock;
    block.columns = std::min(kBlock, space_.elements - block.element);
    rest = block.element;
    for (int d = inner_; d >= 0; --d) {
      block.index[d] = rest % space_.size(d);
      rest /= space_.size(d);
    }
  } else {
    block.element = 0;
    // Tiles follow each other along what is turned, so that its cache lines and pages are used up.
    if (across_ >= 0) {
      block.index[across_] = rest % blocks_[across_];
      rest /= blocks_[across_];
    }
    for (int d = inner_; d >= 0; --d) {
      if (d == across_) continue;
      block.index[d] = rest % blocks_[d];
      rest /= blocks_[d];
    }
    int64_t weight = 1;
    for (int d = inner_; d >= 0; --d) {
      if (d == inner_) block.index[d] *= columns_;
      if (d == across_) block.index[d] *= rows_;
      block.element += block.index[d] * weight;
      weight *= space_.size(d);
    }
    block.columns = std::min(columns_, space_.size(inner_) - block.index[inner_]);
    if (across_ >= 0) block.rows = std::min(rows_, space_.size(across_) - block.index[across_]);
  }
  for (int k = 0; k < operands_; ++k) {
    const int64_t* strides = space_.strides(k);
    int64_t offset = 0;
    for (int d = 0; d <= inner_; ++d) offset += block.index[d] * strides[d];
    block.offset[k] = offset;
  }
  return block;
}

}  // namespace rondo::ops
