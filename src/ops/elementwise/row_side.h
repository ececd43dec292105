// Holds an expression before or after an operator that goes by rows, none of whose values is in memory: its operands,
// and how they lie over the operator's rows and along them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "ops/elementwise/elementwise_task.h"
#include "ops/host/elementwise_loops.h"
#include "ops/operators/element.h"
#include "ops/operators/expression.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

struct RowSide {
  Expression expression;  // one output, as computed, f32 or f64, or for a product of whole numbers as in memory
  std::vector<uint64_t> scalars;
  std::vector<View> inputs;  // under one shape: where an input repeats, its stride is 0
  Dims<Expression::kMaxInputs> rows;
  int64_t step[Expression::kMaxInputs] = {};

  void move_to(const Rebinding& memory) { memory.move_all(inputs); }
  // cuda: arrays of its RowOperands (rtc/device/rows/row_finish.h).
  size_t arrays() const { return std::max<size_t>(inputs.size(), 1); }
  // Appends those as a kernel's arguments; returns which word the first input's address is.
  size_t lay_out(std::vector<uint64_t>* words) const;
};

// It on the host, by one thread.
class RowSideEvaluator {
 public:
  explicit RowSideEvaluator(const RowSide& side) : side_(side), evaluator_(side.expression, side.scalars.data()) {}
  // n elements of a row, from `first` on, go side by side to `to`. given: what the operator gave for them, with that
  // step, which the last input is; null where it has given nothing yet.
  void run(int64_t row, int64_t first, int64_t n, const void* given, int64_t given_step, void* to);
  // The same into memory of a dtype, where `given` may be.
  void store(int64_t row, int64_t first, int64_t n, const void* given, int64_t given_step, const Moves& moves,
             void* out, int64_t out_step, rondo_dtype dtype);

 private:
  const RowSide& side_;
  RowEvaluator evaluator_;
};

}  // namespace rondo::ops
