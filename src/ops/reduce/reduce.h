// Declares the internals of reductions: what is reduced over what, in a form that both devices compute from.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "ops/elementwise/form.h"
#include "ops/operators/expression.h"
#include "ops/operators/reductions.h"
#include "ops/ops.h"
#include "ops/task/submit.h"

namespace rondo::ops {

// Elements of an expression, none of which is ever in memory, that are reduced instead of a tensor's.
struct ReducedExpression {
  Expression expression;  // one output, at least one input, no random numbers
  std::vector<uint64_t> scalars;
  std::vector<View> inputs;  // under one shape: where an input repeats, its stride is 0
  // How the inputs lie over the plan's dimensions.
  Dims<Expression::kMaxInputs> kept, reduced;

  // An element's dtype in memory, to which it is rounded.
  rondo_dtype dtype() const { return expression.operand_dtype(expression.inputs()); }
  void move_to(const Rebinding& memory) { memory.move_all(inputs); }
  // The shape, and the strides of the input that lies widest.
  View widest() const;
};

// The expression that is computed of a reduction's result before it is stored.
struct ReduceFinish {
  Expression expression;  // one input, the result as computed, and one output, as computed
  std::vector<uint64_t> scalars;
  rondo_dtype dtype = RONDO_F32;  // in memory
};

struct ReducePlan {
  ReduceOp op = ReduceOp::sum;
  double parameter = 0;
  View in, out;
  Dims<2> kept;     // arrays: in, out. One result each
  Dims<1> reduced;  // array: in. For positions in row-major order of the tensor; otherwise the widest stride first
  // Null: `in` is read. Otherwise that is its widest(), by which kernels and loops are chosen.
  std::shared_ptr<const ReducedExpression> expression;
  std::shared_ptr<const ReduceFinish> finish;  // null: nothing is
  const char* given_name = nullptr;            // null: the reduction's

  const char* name() const { return given_name ? given_name : reduction_row(op).name; }
  int64_t outputs() const { return kept.elements(); }
  int64_t length() const { return reduced.elements(); }
  device::ReduceFacts facts() const { return {length(), parameter}; }
  void move_to(const Rebinding& memory) {
    memory.move_all(in, out);
    if (expression) expression = std::make_shared<ReducedExpression>(memory.moved(*expression));
  }
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

// Reduces the axes with a bit in `axes`; everything but the operand's having elements has been checked.
Status reduce_over(ReduceOp op, double parameter, const View& a, unsigned axes, bool keep_dims, Output& out);

// The reduction of a tensor, or in its place of an expression, and what it is finished with, in one go, with its
// parameters at their defaults. With one of them as `reduce`, but for a tape, which knows no gradient of it.
Status reduce_expression(rondo_reduce_op op, const View& a, std::shared_ptr<ReducedExpression> expression,
                         std::shared_ptr<const ReduceFinish> finish, int n_axes, const int32_t* axes, bool keep_dims,
                         Output& out);

// The task of a Reduce node of `a` to `out` together with that. Null: its results would have other bits than of what
// had gone through memory, or there is no such task.
Ref<OperatorTask> fused_reduce(const char* name, const ReduceCall& call, const View& a, const View& out,
                               const RowFusion& around);

// Bytes of workspace that reduce_on_cpu() needs.
size_t reduce_workspace(const ReducePlan& plan);
void reduce_on_cpu(const ReducePlan& plan, void* workspace);
Ref<OperatorTask> make_cuda_reduction(const ReducePlan& plan);
// In which order elements are combined on a GPU: in the same one if these are equal.
struct ReduceTree {
  bool columns;
  int vector, group, ahead;
  int64_t splits, chunk;
  bool operator==(const ReduceTree&) const = default;
};
ReduceTree cuda_reduction_tree(const ReducePlan& plan);

}  // namespace rondo::ops
