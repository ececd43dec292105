// Who is told of the tasks that a thread submits, whether they are run or recorded: the thread's open tapes.
//
// Belongs to its thread (thread_state.h), and is called by that thread only, without locks. What it cannot remember for
// want of memory is its own affair: what it hears of takes place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace rondo {

class Task;
struct TaskOperand;
namespace ops {
struct Call;
}

class Listener {
 public:
  virtual ~Listener() = default;
  // A task that is about to be handed over; its accesses are declared.
  virtual void submitted(const Task& task) noexcept = 0;
  // What operator the tasks are that are submitted until the next announcement; null: none that says so.
  virtual void announce(const ops::Call* call) = 0;
  // Tasks that were submitted unheard did this together. call null: nothing that has a gradient.
  virtual void done(const char* name, const ops::Call* call, const std::vector<TaskOperand>& operands) noexcept = 0;
};

}  // namespace rondo
