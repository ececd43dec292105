// Declares the plan for finding where a tensor is not 0: the places of its elements, in order, and how many there are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/task/submit.h"

namespace rondo::ops {

struct NonzeroPlan {
  const char* name = nullptr;
  View in, places, count;  // places: i64 [limit, columns]
  Dims<1> elements;        // of `in`
  int64_t total = 0;       // elements of `in`
  int64_t limit = 0, fill = 0;
  int columns = 0;                        // a place's coordinates
  int64_t size[kMaxDims] = {};            // of them
  int64_t row_step = 0, column_step = 0;  // of `places`

  void move_to(const Rebinding& memory) { memory.move_all(in, places, count); }
  void declare(Task& task) const {
    task.reads(*in.storage);
    declare_output(task, places);
    declare_output(task, count);
  }
  void list_operands(std::vector<TaskOperand>* list) const { *list = {{in, false}, {places, true}, {count, true}}; }
};

Ref<OperatorTask> make_cuda_nonzero(const NonzeroPlan& plan);

}  // namespace rondo::ops
