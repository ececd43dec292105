// Scalar operands as kernels take them: one 8-byte word with the value, in its register dtype, at the start.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/ops.h"

namespace rondo::ops {

// The word of a scalar that takes the tensor's dtype (16-bit and 8-bit floats: rounded to it, then float). Integers and
// bool must hold it exactly: RONDO_INVALID_ARGUMENT names the function and the argument otherwise.
Status scalar_word(const char* function, const char* argument, Scalar scalar, rondo_dtype dtype, uint64_t* word);
// A float scalar of a register dtype, f32 or f64.
uint64_t float_word(rondo_dtype register_dtype, double value);

}  // namespace rondo::ops
