// Submits the tasks of operators, and describes them to observers if there are any.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"
#include "engine/tasks/thread_state.h"
#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"
#include "ops/task/output.h"

namespace rondo::ops {

// Describes a task to observers: refers to a function that gives the call, and lasts as long as that. The function is
// called only if there is an observer.
class Describe {
 public:
  Describe() = default;  // a task that does not say what it is
  template <class Function>
  Describe(const Function& function)
      : function_(&function),
        make_([](const void* of) { return Ref<const Call>::adopt(new Call((*static_cast<const Function*>(of))())); }) {}
  Ref<const Call> operator()() const { return make_ ? make_(function_) : Ref<const Call>(); }

 private:
  const void* function_ = nullptr;
  Ref<const Call> (*make_)(const void* function) = nullptr;
};

// Submits a task whose outputs are `outputs`, saying what it is; on success commits them.
RONDO_HOT Status submit(Engine& engine, Ref<OperatorTask> task, std::initializer_list<Output*> outputs,
                        const Describe& describe = {});
// The same for tasks with a prepare(): eager ones are prepared here, before the engine may run them under a stream's
// lock; recorded ones by the graph's compiler, which prepares many side by side.
RONDO_HOT Status submit_prepared(Engine& engine, Ref<OperatorTask> task, std::initializer_list<Output*> outputs,
                                 const Describe& describe = {});

// From here on what is in the storage counts as written well, whatever it is. Ordered like a write.
Status accept(Storage& storage);

// True if the calling thread records operators of the engine. One of several tasks is recorded as the operator that it
// is: a graph's compiler makes its steps (ops/invoke/lower.h: expand).
bool records_operators(const Engine& engine);
// Records such an operator. operands: inputs, then results.
Status submit_recorded(Engine& engine, const char* name, std::vector<TaskOperand> operands, const Describe& describe);

// Hides the tasks that a scope submits from tapes.
class ScopedNoTape {
 public:
  ScopedNoTape() : thread_(this_thread()), tapes_(thread_.tapes) { thread_.tapes = nullptr; }
  ~ScopedNoTape() { thread_.tapes = tapes_; }
  ScopedNoTape(const ScopedNoTape&) = delete;
  ScopedNoTape& operator=(const ScopedNoTape&) = delete;

 private:
  ThreadState& thread_;
  Observer* tapes_;
};

// Steps of which only what they do together means something to a tape: tell says it.
template <class Steps, class Tell>
Status submit_unheard(const Steps& steps, const Tell& tell) {
  Observer* const tapes = this_thread().tapes;
  if (!tapes) [[likely]]
    return steps();
  {
    const ScopedNoTape unheard;
    RONDO_TRY(steps());
  }
  tell(*tapes);
  return {};
}

}  // namespace rondo::ops
