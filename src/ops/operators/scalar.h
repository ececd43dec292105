// Makes scalar operands as kernels take them: one 8-byte word with the value, in its register dtype, at the start.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/bit_cast.h"
#include "base/status.h"

namespace rondo::ops {

// A scalar operand: exact integers, or a double.
struct Scalar {
  bool integer = false;
  int64_t i = 0;
  double f = 0;
  static Scalar of(double value) { return {false, 0, value}; }
  static Scalar of_i64(int64_t value) { return {true, value, static_cast<double>(value)}; }
  // To the bit.
  bool same(const Scalar& other) const {
    return integer == other.integer && i == other.i && bit_cast<uint64_t>(f) == bit_cast<uint64_t>(other.f);
  }
};

// The word of a scalar that takes the tensor's dtype (16-bit and 8-bit floats: rounded to it, then float). Integers and
// bool must hold it exactly: RONDO_INVALID_ARGUMENT names the function and the argument otherwise.
Status scalar_word(const char* argument, Scalar scalar, rondo_dtype dtype, uint64_t* word);
// A float scalar of a register dtype, f32 or f64.
uint64_t float_word(rondo_dtype register_dtype, double value);

}  // namespace rondo::ops
