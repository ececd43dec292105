// Submits tasks, prepared or not, and commits their outputs when that has succeeded.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Leaves the contents as they are; as a write that goes well it clears the error.
class Accept final : public OperatorTask {
 public:
  explicit Accept(Storage& storage) : OperatorTask("accept", storage.device()) {
    leaves_gaps_ = true;
    writes(storage);
  }
  Status run(const TaskContext&) override { return {}; }
};

// Stands in a recording for an operator of several tasks. Programs keep no tasks, so it never runs.
class RecordedOperator final : public Computation {
 public:
  RecordedOperator(const char* name, std::vector<TaskOperand> operands)
      : Computation(name, operands.back().view.device()), operands_(std::move(operands)) {
    for (const TaskOperand& each : operands_)
      if (each.written)
        declare_output(*this, each.view);
      else
        reads(*each.view.storage);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { *list = operands_; }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    std::vector<TaskOperand> operands = operands_;
    for (TaskOperand& each : operands) memory.move(&each.view);
    return make_ref<RecordedOperator>(name(), std::move(operands));
  }
  Status run(const TaskContext&) override {
    return error(RONDO_INTERNAL, "'%s' is recorded, and has no steps yet", name());
  }

 private:
  const std::vector<TaskOperand> operands_;
};

[[gnu::always_inline]] inline Status submit(Engine& engine, Ref<OperatorTask> task,
                                            std::initializer_list<Output*> outputs, const Describe& describe,
                                            ThreadState& thread) {
  if (thread.observed()) [[unlikely]]
    RONDO_TRY(engine.submit(std::move(task), describe(), thread));
  else
    RONDO_TRY(engine.submit(std::move(task), thread));
  for (Output* output : outputs) output->commit();
  return {};
}

}  // namespace

Status submit(Engine& engine, Ref<OperatorTask> task, std::initializer_list<Output*> outputs,
              const Describe& describe) {
  return submit(engine, std::move(task), outputs, describe, this_thread());
}

Status submit_prepared(Engine& engine, Ref<OperatorTask> task, std::initializer_list<Output*> outputs,
                       const Describe& describe) {
  RONDO_TRY(engine.usable());  // before a device is touched: in a child of fork() it is not ours
  ThreadState& thread = this_thread();
  if (!thread.sink || &thread.sink->engine != &engine)
    if (Status status = task->prepare(); !status.ok()) return engine.failed(*task, status);
  return submit(engine, std::move(task), outputs, describe, thread);
}

Status accept(Storage& storage) {
  return storage.engine().submit(make_ref<Accept>(storage));
}

bool records_operators(const Engine& engine) {
  const Sink* const sink = this_thread().sink;
  return sink && &sink->engine == &engine && !sink->takes_steps;
}

Status submit_recorded(Engine& engine, const char* name, std::vector<TaskOperand> operands, const Describe& describe) {
  return submit(engine, make_ref<RecordedOperator>(name, std::move(operands)), {}, describe);
}

}  // namespace rondo::ops
