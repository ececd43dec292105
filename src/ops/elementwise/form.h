// From the call of an elementwise operator and its operands to what it computes: what the functions that run it and the
// passes that look at a recording (graph/passes/) have in common.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "ops/operators/expression.h"
#include "ops/program/program.h"

namespace rondo::ops {

// Of each elementwise kind that has no expression of its own. inputs: the tensors among its operands; to: its output,
// whose `accumulate` is the expression's.
Expression expression_of(const ElementwiseCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const AddNCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const WhereCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const CopyCall& call, std::span<const View* const> inputs, const View& to);
Expression expression_of(const FillCall& call, std::span<const View* const> inputs, const View& to);
// word: that of its scalar.
Expression expression_of(const DropoutGradCall& call, std::span<const View* const> inputs, const View& to,
                         uint64_t* word);

// What a node of a program computes, if it is elementwise: one expression over its operands, all on its device, without
// random numbers. Its inputs and outputs are those operands that the node knows as views, in order.
std::optional<Fused> elementwise_form(const ProgramNode& node);

// The task of a form: views of its inputs, broadcast to `shape`, then of its outputs, which have that shape.
Ref<Task> lower(const Fused& form, const char* name, Device& device, const Layout& shape, const View* const* views);

}  // namespace rondo::ops
