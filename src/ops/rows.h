// Operators that need a whole row before they can write any of it: the softmaxes and their gradients, cross-entropy and
// its gradient, normalisations. A row lies along one axis with any stride; the other axes, collapsed, number the rows.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "device/cpu/instructions.h"
#include "ops/element.h"
#include "ops/ops.h"
#include "ops/prepared.h"
#include "rtc/device/row_values.h"

namespace rondo::ops {

using device::RowKind;

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
  // As the caller asked.
  rondo_softmax_op op = RONDO_SOFTMAX;
  double temperature = 1;
  int axis = 1;

  void list_operands(std::vector<TaskOperand>* list) const {
    list->push_back({x, false});
    if (other) list->push_back({*other, false});
    if (per_row) list->push_back({*per_row, false});
    if (weight) list->push_back({*weight, false});
    if (bias) list->push_back({*bias, false});
    list->push_back({out, true});
  }
  void declare(Task& task) const {
    task.reads(*x.storage);
    if (other) task.reads(*other->storage);
    if (per_row) task.reads(*per_row->storage);
    if (weight) task.reads(*weight->storage);
    if (bias) task.reads(*bias->storage);
    declare_output(task, out);
  }
  const char* name() const {
    static const char* const names[] = {"softmax",         "log_softmax",        "softmax_grad", "log_softmax_grad",
                                        "cross_entropy",   "cross_entropy_grad", "layer_norm",   "rms_norm",
                                        "layer_norm_grad", "rms_norm_grad"};
    return names[static_cast<int>(kind)];
  }
  bool has_labels() const { return kind == RowKind::loss || kind == RowKind::loss_grad; }
  bool centred() const { return kind == RowKind::layer_norm || kind == RowKind::layer_norm_grad; }
  bool masked() const { return per_row && !has_labels(); }
};

// Submits the plan's task on its device.
Status submit_rows(const RowPlan& plan, Output& out);

size_t rows_workspace(const RowPlan& plan);
void rows_on_cpu(const RowPlan& plan, void* workspace, Instructions which = instructions());
Ref<Task> make_cuda_rows(const RowPlan& plan);

}  // namespace rondo::ops
