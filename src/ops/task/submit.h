// Submitting tasks, and saying what they are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "engine/thread_state.h"
#include "ops/program/kinds.h"
#include "ops/task/output.h"

namespace rondo::ops {

// Of a task that does not say what it is.
struct Opaque {};

// Submits a task whose outputs are `outputs`, saying what it is; on success commits them. `describe` gives the call: it
// is asked only where somebody looks on.
template <class Describe = Opaque>
Status submit(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs, const Describe& describe = {},
              const ThreadState& thread = this_thread()) {
  if constexpr (std::is_same_v<Describe, Opaque>) {
    RONDO_TRY(engine.submit(std::move(task)));
  } else if (thread.observed()) [[unlikely]] {
    const Call call = describe();
    RONDO_TRY(engine.submit(std::move(task), &call));
  } else {
    RONDO_TRY(engine.submit(std::move(task)));
  }
  for (Output* output : outputs) output->commit();
  return {};
}

// The same for tasks with a prepare(): eager ones are prepared here, before the engine may run them under a stream's
// lock; recorded ones by the graph's compiler, which prepares many side by side.
template <class Describe = Opaque>
Status submit_prepared(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs,
                       const Describe& describe = {}) {
  RONDO_TRY(engine.usable());  // before a device is touched: in a child of fork() it is not ours
  const ThreadState& thread = this_thread();
  if (!thread.sink || &thread.sink->engine != &engine)
    if (Status status = task->prepare(); !status.ok()) return engine.failed(*task, status);
  return submit(engine, std::move(task), outputs, describe, thread);
}

// What a task says that is a step of an operator: it writes what it lists, and does nothing else.
inline Call part() {
  return PartCall{};
}

// What a scope submits is told to no tape.
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

// Steps of which only what they do together means something to a tape: tell(tapes) says it.
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
