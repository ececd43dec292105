// Declares the operators that need a whole row before they can write any of it: the softmaxes and their gradients,
// cross-entropy and its gradient, normalisations. A row lies along one axis with any stride; the other axes, collapsed,
// number the rows.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/machine/instructions.h"
#include "ops/elementwise/form.h"
#include "ops/elementwise/row_side.h"
#include "ops/operators/element.h"
#include "ops/operators/normalisations.h"
#include "ops/ops.h"
#include "ops/task/submit.h"
#include "rtc/device/rows/row_values.h"

namespace rondo::ops {

using device::RowKind;

// The expressions around a row operator, in an expression's text or in a recording: those that make the elements of its
// rows, and those that make the results of its output. None of these is ever in memory.
struct RowExpression {
  RowSide before;
  RowSide after;                   // the last input of its expression is the element that the operator gives
  rondo_dtype dtype = RONDO_F32;   // of the rows, by which they are computed
  rondo_dtype result = RONDO_F32;  // in memory

  void move_to(const Rebinding& memory) {
    before.move_to(memory);
    after.move_to(memory);
  }
  // The shape, and the strides of the input that lies widest, as the operand of the operator.
  View widest() const;
};

struct RowPlan {
  RowKind kind = RowKind::softmax;
  View x;                         // gradients: the result, of normalisations the operand; losses: logits
  std::optional<View> other;      // gradients: the incoming one
  View out;                       // loss: one per row
  std::optional<View> per_row;    // i32 or i64, one per row: losses: labels; else where rows end
  Dims<device::kRowArrays> rows;  // arrays: x, other, out, per_row
  int64_t length = 0;
  int64_t step[3] = {};              // along a row, in x, other, out
  double scale = 1;                  // of x and of gradients; loss_grad: of the result; normalisations: epsilon
  std::optional<View> weight, bias;  // normalisations: one dimension, of x's dtype, by the place in the row
  // Null: x is read, and out written. Otherwise x is its widest(), by which kernels and loops are chosen.
  std::shared_ptr<const RowExpression> expression;
  // As the caller asked.
  Normalisation norm = {};
  rondo_softmax_op op = RONDO_SOFTMAX;
  double temperature = 1;
  int axis = 1;
  const char* given_name = nullptr;  // null: the operator's

  // Calls f(view) for all that is read.
  template <class F>
  void each_read(const F& f) const {
    if (expression) {
      for (const View& each : expression->before.inputs) f(each);
      for (const View& each : expression->after.inputs) f(each);
    } else {
      f(x);
    }
    for (const std::optional<View>* each : {&other, &per_row, &weight, &bias})
      if (*each) f(**each);
  }
  void move_to(const Rebinding& memory) {
    memory.move_all(x, other, out, per_row, weight, bias);
    if (expression) expression = std::make_shared<RowExpression>(memory.moved(*expression));
  }
  void list_operands(std::vector<TaskOperand>* list) const {
    each_read([&](const View& each) { list->push_back({each, false}); });
    list->push_back({out, true});
  }
  void declare(Task& task) const {
    each_read([&](const View& each) { task.reads(*each.storage); });
    declare_output(task, out);
  }
  const char* name() const {
    static const char* const names[] = {"softmax",          "log_softmax",   "softmax_grad",
                                        "log_softmax_grad", "cross_entropy", "cross_entropy_grad"};
    if (given_name) return given_name;
    return normalises() ? normalisation().name : names[static_cast<int>(kind)];
  }
  bool normalises() const { return kind == RowKind::normalisation || kind == RowKind::normalisation_grad; }
  const NormalisationRow& normalisation() const { return normalisation_row(norm, kind == RowKind::normalisation_grad); }
  bool is_softmax() const { return !has_labels() && !normalises(); }
  bool has_labels() const { return kind == RowKind::loss || kind == RowKind::loss_grad; }
  bool masked() const { return per_row && !has_labels(); }
};

// Submits the plan's task on its device.
Status submit_rows(const RowPlan& plan, Output& out);

// A softmax with expressions around it, in one go. As `softmax`, but for a tape, which knows no gradient of it.
Status softmax_expression(rondo_softmax_op op, std::shared_ptr<RowExpression> expression, int axis, Output& out);

// The expressions that a recording has around a row operator of x whose results are `out`; null: it cannot be in one
// task with them.
std::shared_ptr<RowExpression> row_expression(const View& x, const View& out, const RowFusion& around);
// Gives a plan an expression, and with it its operand, its result, and rows along the axis in all that is walked.
void lay_out_rows(std::shared_ptr<RowExpression> expression, int axis, const View& to, RowPlan* plan);
// The task of a Softmax or Normalisation node together with what is around it. Null: its results would have other bits
// than of what had gone through memory, or there is no such task.
Ref<OperatorTask> fused_softmax(const char* name, const SoftmaxCall& call, const View& x, const View& out,
                                const RowFusion& around);
// inputs: x, then weight and bias, if it has them.
Ref<OperatorTask> fused_normalisation(const char* name, const NormalisationCall& call, std::span<const View> inputs,
                                      const View& out, const RowFusion& around);

size_t rows_workspace(const RowPlan& plan);
void rows_on_cpu(const RowPlan& plan, void* workspace, Instructions which = instructions());
// True if threads share the rows, or all is too little to be shared. Else operators around them are shared better
// apart.
bool cpu_shares_rows(const RowPlan& plan);
// On the host elements of a row are combined in one order, whatever is around the operator.
Ref<OperatorTask> make_cpu_rows(const RowPlan& plan);
Ref<OperatorTask> make_cuda_rows(const RowPlan& plan);
// In which order elements of a row are combined on a GPU: in the same one if these are equal.
struct RowTree {
  int threads, group, beside, vector, items;
  int ahead, across;  // of rows that blocks share, else 0
  int64_t packs;
  bool operator==(const RowTree&) const = default;
};
RowTree cuda_row_tree(const RowPlan& plan);

}  // namespace rondo::ops
