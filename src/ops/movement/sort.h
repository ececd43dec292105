// Declares the internals of sorting: elements of lines in the order of their keys (rtc/device/sort.h), all of them or
// the first few.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

// For each line the first `keep` elements in order, and where they were. Arrays of `lines`: in, values, indices.
struct SortPlan {
  const char* name = nullptr;
  View in, values, indices;  // without storage: not wanted
  Dims<3> lines;
  int64_t step[3] = {};  // along a line
  int64_t length = 0, keep = 0;
  bool descending = false;

  void move_to(const Rebinding& memory) { memory.move_all(in, values, indices); }
  // Of the existing results, those with a bit in `unread` are not wanted.
  SortPlan without(uint32_t unread) const {
    SortPlan less = *this;
    for (View* each : {&less.values, &less.indices}) {
      if (!each->storage) continue;
      if (unread & 1) *each = {};
      unread >>= 1;
    }
    return less;
  }
};

// An element of a line on the host: its key, whatever its dtype, and where it stood; equal ones stay in order.
struct KeyedPlace {
  uint64_t key;
  int64_t place;
  bool operator<(const KeyedPlace& other) const { return key < other.key || (key == other.key && place < other.place); }
};
// Brings the first `keep` into order.
void sort_places(std::vector<KeyedPlace>* line, int64_t keep);

void declare_sort(Task& task, const SortPlan& plan);
void list_sort_operands(const SortPlan& plan, std::vector<TaskOperand>* list);
Ref<OperatorTask> make_cuda_sort(const SortPlan& plan);

}  // namespace rondo::ops
