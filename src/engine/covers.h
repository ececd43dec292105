// Tells whether a task writes all of a storage though it writes views of parts: several results packed in one tensor.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor.h"

namespace rondo {

// An operator's results never overlap, so what they have together is enough to know.
inline bool covers(const Task& task, const Storage& storage) {
  if (task.leaves_gaps()) return false;
  std::vector<TaskOperand> operands;
  task.list_operands(&operands);
  size_t written = 0;
  for (const TaskOperand& each : operands)
    if (each.written && each.view.storage == &storage && !each.view.accumulate) written += each.view.bytes();
  return written == storage.bytes();
}

}  // namespace rondo
