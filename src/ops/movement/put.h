// Declares the internals of putting elements where indices say. Each line of indices is sorted first
// (rtc/device/put.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

struct PutPlan {
  const char* name = nullptr;
  View out, indices, values;
  Ref<Variable> checked;  // of a check of the indices; null: there was none
  Dims<3> lines;          // of indices: indices, values, out
  Dims<1> along;          // values, by the place in a line
  Dims<2> columns;        // that share an index: values, out
  int64_t length = 0;     // of a line
  int64_t index_step = 0, out_step = 0;
  int64_t extent = 0;  // of the axis

  void move_to(const Rebinding& memory) { memory.move_all(out, indices, values); }
};

void declare_put(Task& task, const PutPlan& plan);
void list_put_operands(const PutPlan& plan, std::vector<TaskOperand>* list);
Ref<OperatorTask> make_cuda_put(const PutPlan& plan);

}  // namespace rondo::ops
