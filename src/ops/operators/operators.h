// Presents the table of elementwise operators (operators.def) as data: opcodes of their own, and the properties of
// each.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/ops.h>

#include <limits>

#include "base/dtype.h"

namespace rondo::ops {

// The operation of an expression's instruction: a row of the table, or one of the few things that are not an operator.
// Only here do they have numbers; the public enums have theirs.
enum class Op : uint8_t {
#define UNARY(ID, name, ...) name,
#define BINARY(ID, name, ...) name,
#define TERNARY(ID, name, ...) name,
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
  // Not in the table, since their operands are not of one dtype.
  cast,      // to another register dtype
  where,     // bool, then two values
  round_to,  // what storing as a 16-bit float and loading again does
  uniform,   // random numbers by the element's number
  normal,
  from_bits,  // the number of a 16-bit float that has these bits
  to_bits,    // the bits of the 16-bit float to which a number is rounded
};
inline constexpr int kOperators = static_cast<int>(Op::cast);

enum class Domain : uint8_t {
  any,    // computed in the operands' common dtype
  real,   // integers and bool become f32
  whole,  // integers and bool; floats are refused
};

// A parameter without a default.
inline constexpr double kRequired = std::numeric_limits<double>::quiet_NaN();

struct Operator {
  Op op;
  const char* name;
  uint8_t operands;
  Domain domain;
  bool boolean;        // the result's dtype; otherwise the one it is computed in
  uint8_t parameters;  // scalars after the operands
  double defaults[2];  // of the parameters, or kRequired
  // The dtype it is computed in, for operands of this common dtype.
  rondo_dtype computed(rondo_dtype common) const {
    return domain == Domain::real && !is_float(common) ? RONDO_F32 : common;
  }
};

// The row of an opcode, which must have one.
const Operator& operator_of(Op op);
// Null for a number that is not an enumerator.
const Operator* find_unary(int op);
const Operator* find_binary(int op);
const Operator* find_ternary(int op);

}  // namespace rondo::ops
