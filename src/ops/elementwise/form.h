// Leads from the call of an elementwise operator and its operands to its expression, for the functions that run it and
// for the passes that look at a recording (graph/passes/).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "ops/operators/expression.h"
#include "ops/program/program.h"

namespace rondo::ops {

// The expression of each elementwise kind that has none of its own. inputs: the tensors among its operands; to: its
// output, whose `accumulate` is the expression's.
Expression expression_of(const ElementwiseCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const AddNCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const WhereCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const GatedCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const CopyCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const FillCall& call, std::span<const View* const> inputs, const View& to);
// word: that of its scalar.
Expression expression_of(const DropoutGradCall& call, std::span<const View* const> inputs, const View& to,
                         uint64_t* word);

// The expression of a node of a program, if it is elementwise: one over its operands, all on its device, without random
// numbers. Its inputs and outputs are those operands that the node knows as views, in order.
std::optional<Fused> elementwise_form(const ProgramNode& node);

// The expressions that a recording has around an operator that combines elements, a reduction or a softmax: one makes
// the elements that it reads, one makes something of its results. Either may be null.
struct RowFusion {
  const Fused* before = nullptr;
  std::span<const View> inputs;  // of `before`, under the operand's shape
  const Fused* after = nullptr;  // all of its inputs are the operator's result
  const View* to = nullptr;      // where that goes instead
  bool decided = false;          // that they are one task: else there is none if its results had other bits
};
// One of the sets of operands that a text was called with: they stand one after the other among those of the call.
struct TextSet {
  const Fused* form = nullptr;
  size_t first_input = 0, inputs = 0, first_result = 0, results = 0;
};
// Finds the sets of a call with so many operands; an error if its expressions have others.
Status find_sets(const TextCall& call, size_t inputs, size_t results, std::vector<TextSet>* sets);

// True if an expression has one result, stored in the dtype that it is computed in, but for the rounding.
bool stands_alone(const Expression& expression);
// Appends `before` of inputs of its own, and `after` of what an operator has given, rounded to a dtype first; each
// result is that of memory of a dtype that it would have gone through, computed in a register.
Value append_before(Expression* to, const Expression& before, rondo_dtype memory);
Value append_after(Expression* to, const Expression& after, Value given, rondo_dtype memory);
// True if they are laid out alike, so that both are walked in one order.
bool same_steps(const Layout& a, const Layout& b);

}  // namespace rondo::ops
