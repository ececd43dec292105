// Writes the kernel text of expressions: the part that kernels of elementwise operators, and of families that compute
// an expression where they would load or store elements, have in common.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/text.h"
#include "ops/operators/expression.h"
#include "ops/task/cuda_kernel.h"

namespace rondo::ops {

// Name of the type that a dtype has in registers.
inline const char* register_type(rondo_dtype dtype) {
  return dtype == RONDO_BOOL ? "bool" : memory_type(compute_dtype(dtype));
}

// Lines of text about an expression, in which in<k> is an input, r<k> a result and a.s<k> a scalar. A name must not be
// that of a type followed by a number: i8, u16 and f32 are.
class ExpressionLines {
 public:
  explicit ExpressionLines(const Expression& expression) : e_(expression) {}

 protected:
  template <class... A>
  void line(const char* pattern, A... arguments) {
    if constexpr (sizeof...(A) == 0)
      text_ += pattern;
    else
      text_ += format(pattern, arguments...);
    text_ += '\n';
  }
  const char* type(int operand) const { return memory_type(e_.operand_dtype(operand)); }
  static std::string value(Value value) {
    if (Expression::is_input(value)) return format("in%d", value);
    if (Expression::is_scalar(value)) return format("a.s%d", Expression::scalar_index(value));
    return format("r%d", Expression::result_index(value));
  }

  // The call of an instruction's function.
  std::string call(const Expression::Instruction& each) const;
  // The scalars as members of a struct.
  void scalar_fields();
  // Each instruction as the definition of its result.
  void instructions(const char* indentation);

  const Expression& e_;
  std::string text_;
};

// For kernels of other families that compute an expression of one output where they would load or store elements, in a
// namespace `scope`: `struct Operands`, 8 bytes for each input's address and then for each scalar; `load<n>(operands,
// offsets)`, which gives what n neighbours of each input are, Loaded<n>, or one for them all of inputs with a bit in
// `repeats`; and `element(operands, loaded, v)`, which gives the v-th element of the output as in memory, an Element.
// Input `given`, if it is one, is nowhere in memory, but what `give(loaded, v, value)` says.
std::string element_text(const Expression& expression, unsigned repeats, const char* scope, int given);

}  // namespace rondo::ops
