// Tells each task to those that look: a trace that is on, the file of the last tasks, a profiler that takes ranges.
// Usually there are none: the engine then knows so by one flag and calls nothing here.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "dynlib/nvtx.h"
#include "engine/tasks/last_tasks.h"
#include "engine/trace.h"

namespace rondo {

// Keeps the trace while it is held.
struct RunObserver {
  // A run of a task's function.
  struct Run {
    double begin = 0;             // if there is a trace
    void* begin_event = nullptr;  // of a device task, if there is a trace
    uint64_t line = 0;            // among the last tasks
  };

  bool looks() const { return trace || last_tasks || ranges; }
  // On the thread that runs the function; with the stream, whose lock it holds, if that is a device task's.
  Run begin(const Task& task, Stream* stream = nullptr) const noexcept;
  void end(const Task& task, double submitted, const Run& run, Stream* stream = nullptr) const noexcept;

  Ref<Trace> trace;
  LastTasks* last_tasks = nullptr;
  const Nvtx* ranges = nullptr;
};

// A range for a profiler around those of several tasks in a row, a section of a graph.
class RangeAround {
 public:
  explicit RangeAround(const RunObserver& observer) : ranges_(observer.ranges) {}
  ~RangeAround() { enter(nullptr); }
  RangeAround(const RangeAround&) = delete;
  RangeAround& operator=(const RangeAround&) = delete;

  // The next task is of this one, whose name stays where it is; null: of none.
  void enter(const char* name) {
    if (!ranges_ || name == open_) [[likely]]
      return;
    if (open_) ranges_->pop();
    if (name) ranges_->push(name);
    open_ = name;
  }

 private:
  const Nvtx* const ranges_;
  const char* open_ = nullptr;
};

}  // namespace rondo
