// Submits tasks whose body is a user's function, on the host or on a device's stream.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/engine.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/handle.h"
#include "ops/program/operator_task.h"

namespace rondo {
class UserTask;
}

// The context that a user's function gets for its run.
struct rondo_task_context {
  rondo_task_context(const rondo::UserTask& task, const rondo::TaskContext& run) : task(&task), run(&run) {}
  ~rondo_task_context() { magic = 0; }
  rondo_task_context(const rondo_task_context&) = delete;
  rondo_task_context& operator=(const rondo_task_context&) = delete;

  volatile uint32_t magic = rondo::handle_magic(rondo::HandleKind::task_context);  // not left away as a dead store
  const rondo::UserTask* task;
  const rondo::TaskContext* run;
  std::string message;
  rondo::Ref<const rondo::Cause> cause;
};

namespace rondo {

bool alive(const rondo_task_context* context);

// The status of a task that a user's function reported as failed.
RONDO_COLD Status failure_of_user(rondo_status code, const char* message, const Ref<const Cause>& cause);

class UserTask final : public ops::OperatorTask {
 public:
  UserTask(Engine& engine, const char* name, Device& device, rondo_task_fn fn, void* arg, void (*destroy)(void*),
           bool capturable, int auxiliaries);
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
  // If all that it is told of moved memory are its operands.
  Ref<ops::OperatorTask> again(const Rebinding& memory) const override;

 private:
  // Shared by the tasks that are made of one.
  struct Function {
    Function(rondo_task_fn fn, void* arg, void (*destroy)(void*)) : fn(fn), arg(arg), destroy(destroy) {}
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;
    ~Function() {
      if (destroy) destroy(arg);
    }
    rondo_task_fn const fn;
    void* const arg;
    void (*const destroy)(void*);
  };
  UserTask(const UserTask& other);  // without accesses
  Status call(const TaskContext& context);
  // With auxiliary streams that begin where the task's own is, and that it waits for.
  Status call_forked(const TaskContext& context);

  Engine& engine_;
  const std::shared_ptr<const Function> function_;
  const bool capturable_;
  std::vector<TaskOperand> operands_;
};

}  // namespace rondo
