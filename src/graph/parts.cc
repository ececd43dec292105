// Running the tasks of a segment that is not captured: one after the other, each failing for itself, as eager ones do.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "graph/graph.h"

namespace rondo {

namespace {

using Poison = decltype(Task::Parts::poison);

// Tells a task what is poisoned of what it reads: it chooses among its parts, or is to be skipped with that status.
Status hand_in(Task& task, const Poison& poison) {
  Task::Parts* parts = task.parts();
  for (const Access& access : task.accesses()) {
    const auto found = access.read ? poison.find(access.variable) : poison.end();
    if (found == poison.end()) continue;
    if (!parts) return found->second;
    parts->poison.insert(*found);
  }
  return {};
}

// What the end of a task makes of the variables it writes.
void leave_behind(Task& task, const Status& status, Poison* poison) {
  for (const Access& access : task.accesses()) {
    if (!access.write) continue;
    if (Status left = task.left_on(*access.variable, status); left.ok())
      poison->erase(access.variable);
    else
      (*poison)[access.variable] = std::move(left);
  }
  if (Task::Parts* parts = task.parts()) *parts = {};
}

}  // namespace

Status Graph::run_tasks(const Segment& segment, const TaskContext& context, const RandomState& random,
                        Task::Parts* parts, Progress* progress, const Status* completed) {
  TaskContext each = context;
  each.random = &random;
  const Ref<Trace> trace = engine_->trace();
  for (; progress->next < segment.tasks.size(); ++progress->next) {
    const uint32_t i = segment.tasks[progress->next];
    Task& task = *tasks_[i];
    each.workspace = workspace_.empty() ? nullptr : workspace_[i];
    Status status;
    if (!completed && !parts->poison.empty()) [[unlikely]]
      status = hand_in(task, parts->poison);
    if (status.ok()) {
      const double begin = trace ? Trace::now_us() : 0;
      if (completed) [[unlikely]]
        status = task.resume(*std::exchange(completed, nullptr), each);
      else
        status = task.run(each);
      if (trace) [[unlikely]]
        trace->host(task, begin, begin, Trace::now_us());
      if (each.later && *each.later) return status;  // comes back when it is completed
      if (!status.ok()) [[unlikely]]
        status = engine_->failed(task, status).with_context(std::string("graph '") + name_ + "'");
    }
    if (status.ok() && parts->poison.empty()) [[likely]]
      continue;
    leave_behind(task, status, &parts->poison);
    if (progress->first.ok()) progress->first = std::move(status);
  }
  progress->next = 0;
  parts->told = !progress->first.ok();
  return std::exchange(progress->first, {});
}

}  // namespace rondo
