// Computes numbers of an expression's text among themselves: literals and scalar arguments, before they meet a tensor
// and take its dtype. Computed on the host at each call, so that another value compiles nothing.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/operators.h"
#include "ops/ops.h"

namespace rondo::ops {

// An operator of the table over numbers, as many as it has operands and parameters. Exact in 64-bit integers where all
// are integers and so is the result (not for / and **), else in double; comparisons give 0 or 1. False if the operator
// is for integers and a number is none.
bool fold(Op op, const Scalar* numbers, Scalar* result);

// The word of a number as a scalar of a dtype, converted as rondo_cast does.
uint64_t cast_word(const Scalar& number, rondo_dtype dtype);

}  // namespace rondo::ops
