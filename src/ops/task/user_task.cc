// Calls users' functions as tasks, on the host or on a stream, and gives them their operands.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/user_task.h"

#include <algorithm>
#include <exception>

#include "base/machine/arithmetic.h"
#include "base/text.h"
#include "base/threads/uncancelled.h"
#include "engine/tasks/auxiliary.h"

namespace rondo {

bool alive(const rondo_task_context* context) {
  return context && context->magic == handle_magic(HandleKind::task_context);
}

Status failure_of_user(rondo_status code, const char* message, const Ref<const Cause>& cause) {
  const bool possible = code > RONDO_OK && code <= RONDO_TIMED_OUT && code != RONDO_DEVICE_LOST;
  const Status failure = possible
                             ? Status(code, message)
                             : error(RONDO_USER_ERROR, "%s (the status was %d, which is none that a task can have)",
                                     message, static_cast<int>(code));
  return cause ? failure.with_origin({nullptr, {}, cause}) : failure;
}

UserTask::UserTask(Engine& engine, const char* name, Device& device, rondo_task_fn fn, void* arg,
                   void (*destroy)(void*), bool capturable, int auxiliaries)
    : ops::OperatorTask(name, device),
      engine_(engine),
      function_(std::make_shared<const Function>(fn, arg, destroy)),
      capturable_(capturable) {
  leaves_gaps_ = true;
  calls_out_ = destroy != nullptr;
  want_auxiliaries(auxiliaries);
}

UserTask::UserTask(const UserTask& other)
    : ops::OperatorTask(other.name(), other.device()),
      engine_(other.engine_),
      function_(other.function_),
      capturable_(other.capturable_) {
  leaves_gaps_ = true;
  calls_out_ = other.calls_out_;
  priority = other.priority;
  stream_hint = other.stream_hint;
  want_auxiliaries(other.wants_auxiliaries());
}

Ref<ops::OperatorTask> UserTask::again(const Rebinding& memory) const {
  const auto is_operand = [this](const Storage* storage) {
    return std::any_of(operands_.begin(), operands_.end(),
                       [storage](const TaskOperand& each) { return each.view.storage == storage; });
  };
  Ref<UserTask> made = Ref<UserTask>::adopt(new UserTask(*this));
  for (const TaskOperand& each : operands_) {
    View view = each.view;
    memory.move(&view);
    each.written ? made->write_operand(view) : made->read_operand(view);
  }
  for (const Access& each : accesses()) {
    const Storage* storage = each.variable->storage();
    if (storage && is_operand(storage)) continue;
    if (storage && memory.moves(*storage)) return {};  // its function knows where that is
    if (each.read) made->follows(*each.variable);
    if (each.write) made->writes(*each.variable);
  }
  return made;
}

void UserTask::read_operand(const View& view) {
  operands_.push_back({view, false});
  reads(*view.storage);
}

void UserTask::write_operand(const View& view) {
  operands_.push_back({view, true});
  declare_output(*this, view);
}

Status UserTask::run(const TaskContext& context) {
  StreamDevice* streams = device().streams();
  if (!streams) return call(context);
  const StreamDevice::Entered entered(*streams);
  RONDO_TRY(entered.status());
  return wants_auxiliaries() && context.auxiliaries ? call_forked(context) : call(context);
}

Status UserTask::call_forked(const TaskContext& context) {
  const Auxiliaries& beside = *context.auxiliaries;
  Status status;
  int forked = 0;
  for (; forked < wants_auxiliaries() && status.ok(); ++forked) status = beside[forked].fork(context.stream);
  if (status.ok()) status = call(context);
  for (int i = 0; i < forked; ++i) {  // of a function that failed, too: it may have begun something
    const Status joined = beside[i].join(context.stream, context.capturing);  // mutation: auxiliary_not_joined
    if (status.ok()) status = joined;
  }
  return status;
}

Status UserTask::call(const TaskContext& context) {
  const Uncancelled uncancelled;
  const KeptArithmetic arithmetic;
  rondo_task_context seen(*this, context);
  rondo_status code = RONDO_INTERNAL;
  try {
    code = function_->fn(function_->arg, &seen);
  } catch (const std::exception& exception) {
    return error(RONDO_USER_ERROR, "the task's function threw an exception, which it must not: %s", exception.what());
  } catch (...) {
    return error(RONDO_USER_ERROR, "the task's function threw an exception, which it must not");
  }
  if (code == RONDO_OK) return {};
  return failure_of_user(
      code, seen.message.empty() ? "the task's function returned an error without a message" : seen.message.c_str(),
      seen.cause);
}

bool UserTask::capturable(const char** why) const {
  if (!OperatorTask::capturable(why)) return false;
  if (!capturable_) *why = "is marked RONDO_TASK_NO_CAPTURE";
  return capturable_;
}

}  // namespace rondo
