// Calling users' functions. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/user_task.h"

#include <exception>

#include "base/text.h"

namespace rondo {

UserTask::UserTask(const char* name, Device& device, rondo_task_fn fn, void* arg, void (*destroy)(void*),
                   bool capturable)
    : Task(name, device), fn_(fn), arg_(arg), destroy_(destroy), capturable_(capturable) {
  calls_out_ = destroy != nullptr;
}

UserTask::~UserTask() {
  if (destroy_) destroy_(arg_);
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
  return call(context);
}

Status UserTask::call(const TaskContext& context) {
  rondo_task_context seen{this, &context, {}};
  rondo_status code = RONDO_INTERNAL;
  try {
    code = fn_(arg_, &seen);
  } catch (const std::exception& exception) {
    return error(RONDO_USER_ERROR, "the task's function threw an exception, which it must not: %s", exception.what());
  } catch (...) {
    return error(RONDO_USER_ERROR, "the task's function threw an exception, which it must not");
  }
  if (code == RONDO_OK) return {};
  std::string text = seen.message.empty() ? "the task's function returned an error without a message" : seen.message;
  if (code < RONDO_OK || code > RONDO_TIMED_OUT || code == RONDO_DEVICE_LOST) {
    text += format(" (the function returned %d, which is no status that a task can have)", static_cast<int>(code));
    code = RONDO_USER_ERROR;
  }
  return {code, std::move(text)};
}

bool UserTask::capturable(const char** why) const {
  if (!Task::capturable(why)) return false;
  if (!capturable_) *why = "is marked RONDO_TASK_NO_CAPTURE";
  return capturable_;
}

}  // namespace rondo
