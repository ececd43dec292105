// Tasks whose body is a user's function.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/engine.h>

#include <string>
#include <vector>

#include "engine/tensor.h"

namespace rondo {
class UserTask;
}

// What a user's function sees of its run.
struct rondo_task_context {
  const rondo::UserTask* task;
  const rondo::TaskContext* run;
  std::string message;
  rondo::Ref<const rondo::Cause> cause;
};

namespace rondo {

// What a user says that a task failed with.
RONDO_COLD Status failure_of_user(rondo_status code, const char* message, const Ref<const Cause>& cause);

class UserTask final : public Task {
 public:
  UserTask(Engine& engine, const char* name, Device& device, rondo_task_fn fn, void* arg, void (*destroy)(void*),
           bool capturable, int auxiliaries);
  ~UserTask() override;
  // The task reads or writes the tensor, and its function may ask for it: the next operand. The access holds the
  // storage, the handle may go.
  void read_operand(const View& view);
  void write_operand(const View& view);
  // Asked during a run: the engine is there then.
  Engine& engine() const { return engine_; }
  const std::vector<TaskOperand>& operands() const { return operands_; }
  void list_operands(std::vector<TaskOperand>* operands) const override { *operands = operands_; }
  Status run(const TaskContext& context) override;
  bool capturable(const char** why) const override;

 private:
  Status call(const TaskContext& context);
  // With auxiliary streams that begin where the task's own is, and that it waits for.
  Status call_forked(const TaskContext& context);

  Engine& engine_;
  rondo_task_fn fn_;
  void* arg_;
  void (*destroy_)(void*);
  bool capturable_;
  std::vector<TaskOperand> operands_;
};

}  // namespace rondo
