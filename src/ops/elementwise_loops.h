// The host's loops, one per operator and register dtype, over a block of elements.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/expression.h"

namespace rondo::ops {

// to[i] = f(a[i], b[i], c[i]) for n elements of a block; dense, of register types. Operands beyond those of f are null.
using Loop = void (*)(void* to, const void* a, const void* b, const void* c, int64_t n);

// The loop of an instruction whose operands are of `from`. Not for generators, which go by the element's number.
Loop find_loop(const Expression::Instruction& each, rondo_dtype from);

}  // namespace rondo::ops
