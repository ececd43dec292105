// Lowers a parsed text for operands of certain dtypes: the expression that elementwise tasks and kernels of other
// families compute parts of.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/small_vector.h"
#include "engine/tensor.h"
#include "ops/operators/expression.h"
#include "ops/text/expression_text.h"

namespace rondo::ops {

// The value of an operand of a text in a call.
struct Bound {
  const View* view = nullptr;  // null: the number
  Scalar number;
};

// A text for operands of certain dtypes: one expression, whose inputs are the operands that are tensors, in order. It
// is the same for all values of its numbers.
struct Lowered {
  Expression expression;           // without outputs
  SmallVector<uint64_t, 8> words;  // of its scalars
  struct Result {
    Value value = 0;
    rondo_dtype dtype = RONDO_F32;  // in memory
  };
  SmallVector<Result, 4> results;
  // The source of a reduction or a softmax, and its result: an input of its own, after the operands, if another value
  // uses it.
  struct Origin {
    Result of;
    Value given = 0;
  };
  SmallVector<Origin, 2> reductions, softmaxes;
  // The same of the text's product, if it has one.
  struct Product {
    Result of[2];
    Value given = 0;
  } product;
};
// bound: one per operand of the text.
Status lower(const ExpressionText& text, std::span<const Bound> bound, Lowered* lowered);

}  // namespace rondo::ops
