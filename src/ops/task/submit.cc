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

CombinedObserver::CombinedObserver(Observer& tapes)
    : tapes_(tapes), sink_(this_thread().sink), first_(sink_ ? sink_->taken() : 0) {}

void CombinedObserver::done(const char* name, const Ref<const OpInfo>& what,
                            const std::vector<TaskOperand>& operands) noexcept {
  tapes_.done(name, what, operands);
  to_recording(what, operands);
}

void CombinedObserver::to_recording(const Ref<const OpInfo>& what, const std::vector<TaskOperand>& operands) noexcept {
  if (sink_) sink_->combine(first_, what, operands);
}

}  // namespace rondo::ops
