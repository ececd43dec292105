// Plans an arena: places temporaries in one block so that those that are never alive together share memory.
//
// Order is a partial one: tasks run on branches, and a task is known to come after another only if a path of edges says
// so. Each task carries a clock: for every branch, how many of its tasks certainly come before. (Vector clocks: Fidge
// 1988, Mattern 1989.)
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo {

// The position of each task: its branch, its place on it (from 1), and its clock.
struct Schedule {
  int branches = 1;
  std::vector<int> branch;      // by task
  std::vector<uint32_t> place;  // by task
  std::vector<uint32_t> clock;  // task * branches + b
  // True if `earlier` certainly finishes before `later` starts.
  bool before(size_t earlier, size_t later) const {
    return clock[later * static_cast<size_t>(branches) + static_cast<size_t>(branch[earlier])] >= place[earlier];
  }
};

struct Temporary {
  size_t bytes = 0;
  std::vector<uint32_t> users;  // tasks that touch it, ascending; several may be the first, each of another part
  size_t offset = 0;            // result
};

// Sets every offset and rounds all bytes up, to multiples of `alignment`; returns the arena's size. Never adds an order
// between tasks.
size_t plan_arena(const Schedule& schedule, std::vector<Temporary>& temporaries, size_t alignment);

}  // namespace rondo
