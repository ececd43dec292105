// Submitting tasks whose kernels must be found first.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/task/output.h"

namespace rondo::ops {

// ops::submit for tasks with a prepare(): eager ones are prepared here, before the engine may run them under a stream's
// lock; recorded ones by the graph's compiler, which prepares many side by side.
inline Status submit_prepared(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs) {
  RONDO_TRY(engine.usable());  // before a device is touched: in a child of fork() it is not ours
  const Sink* sink = Engine::thread_sink();
  if (!sink || &sink->engine != &engine)
    if (Status status = task->prepare(); !status.ok()) return engine.failed(*task, status);
  return submit(engine, std::move(task), outputs);
}

}  // namespace rondo::ops
