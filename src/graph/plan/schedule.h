// The branches on which the tasks of a graph run, from what each of them comes after (ops/program/dependences.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/arena.h"

namespace rondo {

// Which tasks a captured piece runs side by side, and what a branch must wait for at a task.
struct BranchPlan {
  Schedule schedule;
  // By task: predecessors on other branches that its own branch does not yet come after.
  std::vector<std::vector<uint32_t>> waits;
};

// Spreads tasks over at most max_branches branches. `segment` numbers the piece each task is in; pieces run one after
// the other, each starting with all branches joined. Pieces with parallel[segment] false have one branch. `small` is
// true of tasks that take no longer than an edge between branches: one of them alone is not worth a fork and a join.
BranchPlan plan_branches(const std::vector<std::vector<uint32_t>>& predecessors, const std::vector<int>& segment,
                         const std::vector<bool>& parallel, const std::vector<bool>& small, int max_branches);

}  // namespace rondo
