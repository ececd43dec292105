// Says what a kernel of a graph that starts before those before it have ended may read before it waits for them.
//
// The compiler of graphs keeps an object while it captures a segment, on its thread, and tells it each task; tasks ask
// while they are captured. Elsewhere nothing may be read early.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>
#include <vector>

#include "engine/tasks/task.h"

namespace rondo::ops {

class EarlyReads {
 public:
  // kernels_start_early: of this segment; else nothing may be read early.
  explicit EarlyReads(bool kernels_start_early) : around_(current()) {
    current() = kernels_start_early ? this : nullptr;
  }
  ~EarlyReads() { current() = around_; }
  EarlyReads(const EarlyReads&) = delete;
  EarlyReads& operator=(const EarlyReads&) = delete;

  // Tasks from here on find that written which this one writes. It outlives the object.
  void add(const Task& task) { tasks_.push_back(&task); }
  void add_written(const Variable* variable) { written_.insert(variable); }

  // True if no task of the segment before the one that is being captured writes it.
  static bool may_read(const Variable* variable) {
    EarlyReads* const reads = current();
    return reads && !reads->written().count(variable);
  }

 private:
  // Most graphs are never asked, so what tasks write is gathered when one is.
  const std::unordered_set<const Variable*>& written() {
    for (const Task* task : tasks_)
      for (const Access& access : task->accesses())
        if (access.write) written_.insert(access.variable);
    tasks_.clear();
    return written_;
  }
  static EarlyReads*& current() {
    static thread_local EarlyReads* reads = nullptr;
    return reads;
  }
  EarlyReads* const around_;
  std::vector<const Task*> tasks_;
  std::unordered_set<const Variable*> written_;
};

}  // namespace rondo::ops
