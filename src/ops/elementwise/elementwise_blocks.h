// Decides how the cpu walks an elementwise task's space: block by block, each small enough for the cache. Within a
// block an operand stands still, runs along memory, or is scattered; where one operand lies across the others, blocks
// are tiles, so that neither it nor they are read an element per cache line.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/elementwise/elementwise_task.h"

namespace rondo::ops {

struct Block {
  int64_t number;
  int64_t element;  // the first one's number in the space
  int64_t rows, columns;
  int64_t index[kMaxDims];  // where the block begins; of dimensions that it spans, in blocks
  int64_t offset[Expression::kMaxInputs + Expression::kMaxOutputs];  // of the first element, in elements
  int64_t elements() const { return rows * columns; }
};

class Blocks {
 public:
  enum class Kind : uint8_t {
    same,        // one element for the whole block
    row,         // the block is one row
    rows,        // rows, each with steps of its own
    transposed,  // rows where columns lie together in memory
    scattered    // elements in the order of the space, whatever rows they are in
  };

  // ordered: elements are visited in the order of the space.
  Blocks(const Space& space, int inputs, int operands, bool ordered);

  int64_t count() const { return count_; }
  int64_t longest() const { return longest_; }  // elements of a block
  Block at(int64_t number) const;
  void next(Block* block) const {
    const int64_t end = block->index[inner_] + block->columns;
    if (flowing_ || across_ >= 0 || end >= space_.size(inner_)) {
      *block = at(block->number + 1);
      return;
    }
    ++block->number;  // along the row: most are
    block->element += block->columns;
    for (int k = 0; k < operands_; ++k) block->offset[k] += block->columns * step(k);
    block->index[inner_] = end;
    block->columns = std::min(columns_, space_.size(inner_) - end);
  }

  Kind kind(int operand) const { return kinds_[operand]; }
  // True if blocks are parts of a row: no operand's are anything else.
  bool by_rows() const { return !flowing_ && across_ < 0; }
  int64_t step(int operand) const { return space_.strides(operand)[inner_]; }
  int64_t row_step(int operand) const { return across_ < 0 ? 0 : space_.strides(operand)[across_]; }
  // True if each block of the operand is contiguous in memory, in order.
  bool dense(int operand) const { return kinds_[operand] == Kind::row && step(operand) == 1; }

  // Calls f(position in the block, offset in elements, length) for the rows that the block's elements of a scattered
  // operand lie in.
  template <class F>
  void each_row(int operand, const Block& block, const F& f) const {
    const int64_t* strides = space_.strides(operand);
    int64_t index[kMaxDims], offset = block.offset[operand];
    std::copy_n(block.index, space_.ndim, index);
    const int64_t n = block.elements();
    for (int64_t done = 0;;) {
      const int64_t length = std::min(n - done, space_.size(inner_) - index[inner_]);
      f(done, offset, length);
      done += length;
      if (done == n) return;
      offset -= index[inner_] * strides[inner_];
      index[inner_] = 0;
      for (int d = inner_ - 1; d >= 0; --d) {  // the next row: an odometer's step
        offset += strides[d];
        if (++index[d] < space_.size(d)) break;
        offset -= space_.size(d) * strides[d];
        index[d] = 0;
      }
    }
  }

 private:
  const Space& space_;
  const int operands_;
  const int inner_;                 // the innermost dimension
  int across_ = -1;                 // the other dimension of tiles
  bool flowing_ = false;            // blocks are cut from the space as a whole, not from rows
  int64_t columns_ = 0, rows_ = 1;  // of a whole block
  int64_t longest_ = 0, count_ = 0;
  int64_t blocks_[kMaxDims] = {};  // per dimension
  Kind kinds_[Expression::kMaxInputs + Expression::kMaxOutputs] = {};
};

}  // namespace rondo::ops
