// Finishes the sums of a product or a convolution on the host, activation(sum * scale + bias + residual), in loops of
// the instruction set: a line of sums at a time, while it is in the cache.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/host/elementwise_loops.h"
#include "ops/operators/element.h"

namespace rondo::ops {

// Elements of a line: where its first is, and how far one is from the next, which is 0 where all are the same. Address
// null: there are none.
struct Strip {
  char* address = nullptr;
  int64_t step = 0;
  int64_t apart = 0;  // from a line to the next one
};

struct SumLine {
  Strip sums;  // as computed
  Strip scale, bias, residual;
  Strip out;  // may be where the sums are
};

// Lines of sums in up to three dimensions, walked in any order.
struct SumLines {
  static constexpr int kDims = 3;
  struct Array {
    char* address = nullptr;
    int64_t step[kDims] = {};
  };
  int64_t size[kDims] = {1, 1, 1};
  Array sums, scale, bias, residual, out;
};

class SumFinish {
 public:
  // Finishes sums whose scale, bias, residual and results are of a dtype in memory.
  SumFinish(rondo_dtype dtype, int activation, bool accumulate);
  // So many lines of n elements, on this thread.
  void run(const SumLine& line, int64_t n, int64_t lines = 1) const;
  // The same for all lines, shared among workers where there are many.
  void run(const SumLines& lines) const;

 private:
  static constexpr int64_t kPiece = 512;  // elements on their way at a time
  // The dimension to walk along: where results are neighbours, unless it is short and another is not.
  static int innermost(const SumLines& lines);
  // True if one loop takes lines like this one.
  bool at_once(const SumLine& line) const;
  void run_at_once(const SumLine& line, int64_t lines, int64_t n) const;
  // Elements of one line, in a loop for each step.
  void run_piece(const SumLine& line, int64_t number, int64_t first, int64_t count) const;

  const int64_t size_, width_;  // bytes of an element in memory, and as computed
  const bool plain_;            // memory is as computed
  const bool accumulate_;
  Moves memory_, computed_;
  void (*const finish_)(const SumsToFinish& of);
  bool one_loop_;     // is enough, in f32 where the activation only limits, or is hard_swish
  float low_, high_;  // between which it keeps numbers
  bool hard_swish_ = false;
  Loop multiply_ = nullptr, add_ = nullptr, activate_ = nullptr;
  int64_t activation_cost_ = 0;
  float nothing_[kPiece];       // to add where there is no bias or residual
  const void* limits_[2] = {};  // parameters of the activation, kPiece times each
};

}  // namespace rondo::ops
