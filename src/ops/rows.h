// Operators that need a whole row before they can write any of it: softmax, log-softmax, softmax's gradient, cross-
// entropy and its gradient. A row lies along one axis with any stride; the other axes, collapsed, number the rows.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/element.h"
#include "ops/ops.h"
#include "ops/prepared.h"

namespace rondo::ops {

enum class RowKind : uint8_t { softmax, log_softmax, softmax_grad, loss, loss_grad };

struct RowPlan {
  RowKind kind = RowKind::softmax;
  View x;        // softmax_grad: y; losses: logits
  View other;    // softmax_grad: dy; losses: labels, one per row; else the same as x
  View out;      // loss: one per row
  Dims<3> rows;  // arrays: x, other, out
  int64_t length = 0;
  int64_t step[3] = {};  // along a row, in x, other, out
  double scale = 1;      // loss_grad

  void list_operands(std::vector<TaskOperand>* list) const {
    list->push_back({x, false});
    if (kind == RowKind::softmax_grad || has_labels()) list->push_back({other, false});
    list->push_back({out, true});
  }
  const char* name() const {
    static const char* const names[] = {"softmax", "log_softmax", "softmax_grad", "cross_entropy",
                                        "cross_entropy_grad"};
    return names[static_cast<int>(kind)];
  }
  bool has_labels() const { return kind == RowKind::loss || kind == RowKind::loss_grad; }
};

// Submits the plan's task on its device.
Status submit_rows(const RowPlan& plan, Output& out);

void rows_on_cpu(const RowPlan& plan, void* workspace);  // workspace: length doubles
Ref<Task> make_cuda_rows(const RowPlan& plan);

}  // namespace rondo::ops
