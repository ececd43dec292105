// Gives the gradients of reductions: the gradient column of reductions.def as data, and as operators on tensors.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/formula.h"
#include "ops/operators/reductions.h"
#include "ops/ops.h"

namespace rondo::ops {

// An expression over the operand x, the result y, the incoming gradient dy and the results of the steps before it, in
// this order, all broadcast to x's shape; its scalars are the number of elements per result, the parameter, then
// constants. Inputs that it does not use are left out.
struct ReduceGradientStep : FormulaExpression {
  unsigned inputs = 0;  // bit i: the i-th of x, y, dy, results of steps
  ReduceOp op{};        // how its value is reduced, over the same axes; of no meaning for the last
};

struct ReduceGradient {
  static constexpr int kMostSteps = 4;
  ReduceGradientStep steps[kMostSteps];
  int n_steps = 0;  // 0: no gradient flows
  bool uses_operand = false, uses_result = false;
};

// dtype: of the operand, a float dtype, which result, incoming gradient and gradient have.
ReduceGradient reduce_gradient_of(ReduceOp op, rondo_dtype dtype);

// out = the gradient of the operand. axes: bit d for a reduced axis of `shape`, the operand's. operand and result: null
// where they are not used. result and incoming: with the reduced axes of size 1. parameter: as the reduction had it.
Status reduce_gradient(ReduceOp op, double parameter, const Layout& shape, unsigned axes, const View* operand,
                       const View* result, const View& incoming, Output& out);

}  // namespace rondo::ops
