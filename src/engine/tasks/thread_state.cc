// Defines the one thread-local object, in a file of its own so that callers keep the reference instead of looking it up
// again.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/thread_state.h"

namespace rondo {

namespace {
constinit thread_local ThreadState thread_state;
}

ThreadState& this_thread() {
  return thread_state;
}

}  // namespace rondo
