// Tells the trace, the last tasks and the profiler's ranges that a task begins and that it ends.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/run_observer.h"

#include "engine/tasks/task.h"

namespace rondo {

RunObserver::Run RunObserver::begin(const Task& task, Stream* stream) const noexcept {
  Run run;
  if (last_tasks) run.line = last_tasks->begin(task);
  if (trace) {
    run.begin = Trace::now_us();
    if (stream) trace->device_begin(*stream, &run.begin_event);
  }
  if (ranges) ranges->push(task.name());
  return run;
}

void RunObserver::end(const Task& task, double submitted, const Run& run, Stream* stream) const noexcept {
  if (ranges) ranges->pop();
  if (trace && stream)
    trace->device_end(task, *stream, submitted, run.begin, run.begin_event);
  else if (trace)
    trace->host(task, submitted, run.begin, Trace::now_us());
  if (last_tasks) last_tasks->end(run.line);
}

}  // namespace rondo
