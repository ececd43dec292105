// Calls of an expression's text: dtypes deduced from the arguments, one elementwise task for all that is elementwise,
// which several calls may share, a softmax or a product with what is around it for each result that comes from one, and
// a reduction for each result that is one, which makes what it reduces itself where nobody else needs it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/user.h>

#include <span>

#include "ops/expression.h"
#include "ops/expression_text.h"

namespace rondo::ops {

// What an operand of a text is in a call.
struct Bound {
  const View* view = nullptr;  // null: the number
  Scalar number;
};

// A text for operands of certain dtypes: one expression, whose inputs are the operands that are tensors, in order. It
// is the same for all values of its numbers.
struct Lowered {
  Expression expression;        // without outputs
  std::vector<uint64_t> words;  // of its scalars
  struct Result {
    Value value = 0;
    rondo_dtype dtype = RONDO_F32;  // in memory
  };
  std::vector<Result> results;
  // What a reduction or a softmax is of, and what it gives: an input of its own, behind the operands, if there is one
  // for whom.
  struct Origin {
    Result of;
    Value given = 0;
  };
  std::vector<Origin> reductions, softmaxes;
  Value product = 0;  // the same of the text's product, if it has one
};
// bound: one per operand of the text.
Status lower(const ExpressionText& text, std::span<const Bound> bound, Lowered* lowered);

// Handles among the arguments and in `out` have been checked to be alive; `out` has one entry per result.
Status run_expression(const ExpressionText& text, std::span<const rondo_argument> arguments, rondo_tensor** out);
// The same for `count` sets of arguments, one behind the other in `arguments`, and of results in `out`: all that is
// elementwise is one task.
Status run_expression_each(const ExpressionText& text, size_t count, std::span<const rondo_argument> arguments,
                           rondo_tensor** out);

}  // namespace rondo::ops
