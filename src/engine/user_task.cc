// Calling users' functions. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/user_task.h"

#include <exception>

namespace rondo {

UserTask::UserTask(const char* name, Device& device, rondo_task_fn fn, void* arg, void (*destroy)(void*),
                   bool capturable)
    : Task(name, device), fn_(fn), arg_(arg), destroy_(destroy), capturable_(capturable) {}

UserTask::~UserTask() {
  if (destroy_) destroy_(arg_);
}

Status UserTask::run(const TaskContext& context) {
  rondo_task_context seen{&context, {}};
  rondo_status code = RONDO_INTERNAL;
  try {
    code = fn_(arg_, &seen);
  } catch (const std::exception& exception) {
    return error(RONDO_USER_ERROR, "the task's function threw an exception, which it must not: %s", exception.what());
  } catch (...) {
    return error(RONDO_USER_ERROR, "the task's function threw an exception, which it must not");
  }
  if (code == RONDO_OK) return {};
  if (code < RONDO_OK || code > RONDO_INTERNAL || code == RONDO_DEVICE_LOST) code = RONDO_USER_ERROR;
  return {code, seen.message.empty() ? "the task's function returned an error without a message" : seen.message};
}

bool UserTask::capturable(const char** why) const {
  if (!Task::capturable(why)) return false;
  if (!capturable_) *why = "is marked RONDO_TASK_NO_CAPTURE";
  return capturable_;
}

}  // namespace rondo
