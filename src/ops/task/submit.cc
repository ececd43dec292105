// Submits tasks, prepared or not, and commits their outputs when that has succeeded.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

[[gnu::always_inline]] inline Status submit(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs,
                                            const Describe& describe, ThreadState& thread) {
  if (thread.observed()) [[unlikely]]
    RONDO_TRY(engine.submit(std::move(task), describe(), thread));
  else
    RONDO_TRY(engine.submit(std::move(task), thread));
  for (Output* output : outputs) output->commit();
  return {};
}

}  // namespace

Status submit(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs, const Describe& describe) {
  return submit(engine, std::move(task), outputs, describe, this_thread());
}

Status submit_prepared(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs,
                       const Describe& describe) {
  RONDO_TRY(engine.usable());  // before a device is touched: in a child of fork() it is not ours
  ThreadState& thread = this_thread();
  if (!thread.sink || &thread.sink->engine != &engine)
    if (Status status = task->prepare(); !status.ok()) return engine.failed(*task, status);
  return submit(engine, std::move(task), outputs, describe, thread);
}

TellTogether::TellTogether(Observer& tapes)
    : tapes_(tapes), sink_(this_thread().sink), first_(sink_ ? sink_->taken() : 0) {}

void TellTogether::done(const char* name, const Ref<const Description>& what,
                        const std::vector<TaskOperand>& operands) noexcept {
  tapes_.done(name, what, operands);
  to_recording(what, operands);
}

void TellTogether::to_recording(const Ref<const Description>& what, const std::vector<TaskOperand>& operands) noexcept {
  if (sink_) sink_->together(first_, what, operands);
}

}  // namespace rondo::ops
