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
};

namespace rondo {

class UserTask final : public Task {
 public:
  UserTask(const char* name, Device& device, rondo_task_fn fn, void* arg, void (*destroy)(void*), bool capturable);
  ~UserTask() override;
  // The task reads or writes the tensor, and its function may ask for it: the next operand. The access holds the
  // storage, the handle may go.
  void read_operand(const View& view);
  void write_operand(const View& view);
  const std::vector<TaskOperand>& operands() const { return operands_; }
  void list_operands(std::vector<TaskOperand>* operands) const override { *operands = operands_; }
  Status run(const TaskContext& context) override;
  bool capturable(const char** why) const override;

 private:
  Status call(const TaskContext& context);

  rondo_task_fn fn_;
  void* arg_;
  void (*destroy_)(void*);
  bool capturable_;
  std::vector<TaskOperand> operands_;
};

}  // namespace rondo
