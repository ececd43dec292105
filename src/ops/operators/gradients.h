// Gives the gradients of the table's operators (operators.def) as expressions: one kernel computes all that are wanted
// of one operator, whatever it is made of.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/formula.h"

namespace rondo::ops {

// The gradient of one operator with respect to its tensor operands.
struct Gradient : FormulaExpression {
  static constexpr int kMostOperands = 3;

  // The expression's inputs, in this order: the operands in `uses`, the result if `uses_result`, the incoming gradient
  // unless it is uniform. Scalars: the scalar operand if there is one, the operator's parameters, the incoming gradient
  // if it is uniform, then `constants`. One output per operand in `of`, in order, of the operand's dtype.
  uint8_t of = 0;    // bit i: there is a gradient of operand i; none of the others
  uint8_t uses = 0;  // bit i: operand i must be kept for it
  bool uses_result = false;
};

// wanted: bit i for operand i. operands: their dtypes; computed: the float dtype that the operator computes in, which
// its result and the incoming gradient have. scalar: the operand that is a scalar, or -1. uniform: the incoming
// gradient is one number for all elements.
Gradient gradient_of(Op op, unsigned wanted, const rondo_dtype* operands, rondo_dtype computed, int scalar = -1,
                     bool uniform = false);

// True if it has one that no operator computes: its operands are in `of`, without an output.
bool gradient_unknown(Op op);

}  // namespace rondo::ops
