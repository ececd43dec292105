// Tells observers of what a thread submits: its open tapes, and its recording, which takes it (engine.h: Sink). Without
// observers, nothing is described. An observer belongs to its thread (thread_state.h), and is called by that thread
// only, without locks. If it has no memory to remember a submission, that is its own affair: the submission takes
// place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/ref.h"

namespace rondo {

class Task;
struct TaskOperand;

// Identifies the operator that a task is. The floor above says what that means (ops/program/kinds.h). Made once, for
// all who look.
struct OpInfo : RefCounted {};

class Observer {
 public:
  virtual ~Observer() = default;
  // A task that is about to be handed over; its accesses are declared. what: null if it is opaque.
  virtual void submitted(const Task& task, const Ref<const OpInfo>& what) noexcept = 0;
  // Tasks that were submitted unobserved did this together. what null: nothing that has a gradient.
  virtual void done(const char* name, const Ref<const OpInfo>& what,
                    const std::vector<TaskOperand>& operands) noexcept = 0;
};

}  // namespace rondo
