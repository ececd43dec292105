// Running the tasks of a segment that is not captured: one after the other, each failing for itself, as eager ones do.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/caught.h"
#include "engine/operand_text.h"
#include "graph/run/profile.h"
#include "graph/run/run_limit.h"
#include "graph/run/segment_run.h"

namespace rondo {

namespace {

// Tells a task what is poisoned of what it reads: it chooses among its parts, or is to be skipped with that status.
Status hand_in(Task& task, const Task::PartialFailure& whole) {
  Task::PartialFailure* partial_failure = task.partial_failure();
  if (!whole.all.ok()) {
    if (!partial_failure) return whole.all;
    partial_failure->all = whole.all;
    return {};
  }
  for (const Access& access : task.accesses()) {
    const auto found = access.read ? whole.poison.find(access.variable) : whole.poison.end();
    if (found == whole.poison.end()) continue;
    if (!partial_failure) return found->second;
    partial_failure->mark(access.variable, found->second);
  }
  return {};
}

// If a task is switched off, those variables that it would write and that are poisoned stay so, which is told as a
// failure is.
void keep_poison(const Task& task, const Task::PartialFailure& whole, Status* first) {
  for (const Access& access : task.accesses()) {
    const auto found = access.write ? whole.poison.find(access.variable) : whole.poison.end();
    if (first->ok() && found != whole.poison.end()) *first = found->second;
  }
  if (first->ok() && !whole.all.ok()) *first = whole.all;
}

// Which task it was, what it worked on and where it was recorded follows the text of its failure.
Status with_place(const GraphFacts& graph, const ops::OperatorTask& task, uint32_t number, const char* whole,
                  const Status& status) {
  std::string text, site;
  const Status listed = caught([&]() -> Status {
    std::vector<TaskOperand> operands;
    task.list_operands(&operands);
    text = operands_text(operands);
    site = graph.recorded_at(task);
    return {};
  });
  const bool known = listed.ok() && !text.empty();
  return error(status.code(), "%s (task %u of the %s%s%s%s)", status.message(), number, whole, known ? ", on " : "",
               known ? text.c_str() : "", site.c_str())
      .with_origin(status.origin());
}

// Marks, or clears, the variables that a task writes as its end leaves them.
void leave_behind(Task& task, const Status& status, Task::PartialFailure* whole) {
  for (const Access& access : task.accesses()) {
    if (!access.write) continue;
    if (Status left = task.left_on(*access.variable, status); left.ok())
      whole->poison.erase(access.variable);
    else
      whole->mark(access.variable, left);
  }
  if (Task::PartialFailure* partial_failure = task.partial_failure()) *partial_failure = {};
}

}  // namespace

Status zero_first(Engine& engine, const Step& step, const TaskContext& context) {
  for (const Storage* storage : *step.zeroed) {
    const Device::Bytes memory{storage->address(), storage->bytes()};
    Device& device = storage->device();
    const bool on_stream = context.stream && &device == context.device;
    RONDO_TRY(engine.noted(on_stream ? device.streams()->fill_bytes(memory.address, 0, memory.count, context.stream)
                                     : device.zero({&memory, 1})));
  }
  return {};
}

SegmentRun::SegmentRun(const char* name, Segment& segment)
    : ops::OperatorTask(name, segment.device()), segment_(segment), fails_in_parts_(segment.fails_in_parts()) {
  random_count_ = segment.facts().numbers.count;
  host_random_count_ = segment.facts().host_random.count;
  want_auxiliaries(segment.auxiliaries());
  lendable_ = segment.only_computes();
  for (const VariableUse& use : segment.uses) {
    // mutation: inputs_not_retained
    if (use.input)
      reads(*use.variable);
    else if (use.read)
      follows(*use.variable);
    if (use.write) writes(*use.variable);
  }
  keep();
}

Segment::~Segment() {
  delete idle.load(std::memory_order_acquire);
  delete idle_call.load(std::memory_order_acquire);
}

Status Segment::run_tasks(const TaskContext& context, const RandomState& random, Task::PartialFailure* partial_failure,
                          Progress* progress, const Status* completed) {
  const GraphFacts& graph = owner_.facts;
  TaskContext each = context;
  each.random = &random;
  const RunObserver observer = owner_.engine.run_observer();
  const bool observed = observer.looks();
  RangeAround around(observer);
  const RunLimit* const limit = RunLimit::current();
  const Workers::Shares shares(shared_);
  for (; progress->next < facts_.size(); ++progress->next) {
    const auto i = static_cast<uint32_t>(facts_.begin + progress->next);
    const Step& step = graph.steps[i];
    ops::OperatorTask& task = *step.task;
    Status status;
    const bool off = step.is_switched() && !context.settings[step.section];
    if (limit && !off && !completed) [[unlikely]]
      if (const Status over = limit->check(); !over.ok()) status = owner_.engine.failed(task, over);
    if (status.ok() && step.zeroed && !completed) [[unlikely]]
      status = zero_first(owner_.engine, step, each);
    if (off && status.ok()) [[unlikely]] {
      if (!partial_failure->clean()) keep_poison(task, *partial_failure, &progress->first);
      continue;
    }
    each.workspace = step.workspace;
    if (status.ok() && !completed && !partial_failure->clean()) [[unlikely]]
      status = hand_in(task, *partial_failure);
    if (status.ok()) {
      if (observed) [[unlikely]]
        around.enter(owner_.settings.section_of(step));
      const RunObserver::Run run = observed ? observer.begin(task) : RunObserver::Run();
      if (context.profile && !completed) [[unlikely]]
        context.profile->begin(graph, i, each);
      if (completed) [[unlikely]]
        status = caught([&] { return task.resume(*std::exchange(completed, nullptr), each); });
      else if (context.profile) [[unlikely]]
        status = caught([&] { return Profile::run(task, each); });
      else
        status = caught([&] { return task.run(each); });
      if (observed) [[unlikely]]
        observer.end(task, run.begin, run);
      if (each.later && *each.later) return status;  // comes back when it is completed
      if (context.profile && status.ok()) [[unlikely]]
        status = context.profile->end(graph, i, each);
      if (!status.ok()) [[unlikely]] {
        const Task::PartialFailure* own = task.partial_failure();
        const bool reported = own && own->reported;  // they say where they are
        const char* const whole = graph.body ? "body" : "graph";
        const Status failed = owner_.engine.failed(task, reported ? status : with_place(graph, task, i, whole, status));
        status =
            reported
                ? failed
                : error(failed.code(), "graph '%s': %s", graph.name, failed.message()).with_origin(failed.origin());
      }
    }
    if (status.ok() && partial_failure->clean()) [[likely]]
      continue;
    leave_behind(task, status, partial_failure);
    if (progress->first.ok()) progress->first = std::move(status);
  }
  progress->next = 0;
  partial_failure->reported = !progress->first.ok();
  return std::exchange(progress->first, {});
}

}  // namespace rondo
