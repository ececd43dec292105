// Says what a kernel of a graph that starts before those before it have ended may read before it waits for them.
//
// The compiler of graphs keeps an object while it captures a segment, on its thread, and tells it what each task
// writes; tasks ask while they are captured. Elsewhere nothing may be read early.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "engine/tasks/variable.h"

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

  // Tasks from here on find it written by one before them.
  void add_written(const Variable* variable) { written_.insert(variable); }

  // True if no task of the segment before the one that is being captured writes it.
  static bool may_read(const Variable* variable) { return current() && !current()->written_.count(variable); }

 private:
  static EarlyReads*& current() {
    static thread_local EarlyReads* reads = nullptr;
    return reads;
  }
  EarlyReads* const around_;
  std::unordered_set<const Variable*> written_;
};

}  // namespace rondo::ops
