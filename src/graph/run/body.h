// A body of control flow: what its program is until the graph around is compiled, and its segments from then on, which
// are run inside the task of the control flow.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/engine.h"
#include "graph/run/segment.h"
#include "ops/program/program.h"

namespace rondo {

// As it was recorded, when passes have run over it.
struct BodyProgram {
  ops::Program program;
  std::vector<PassReport> passes;
  std::vector<Ref<ops::OperatorTask>> tasks;  // of its nodes
};

// The state of a run of a body.
struct BodyRun {
  RandomState random;  // that its call has drawn
  uint64_t turn = 0;
  size_t segment = 0;
  Segment::Progress progress;
  Status first;  // failure of a task
  // Work of the run that a device has not done yet.
  Device* device = nullptr;
  Fence fence;
};

// Until the devices have done what a run has given them.
Status wait_for(Engine& engine, BodyRun* run);

// Owned by the control flow's task. It is run by one task at a time.
class CompiledBody {
 public:
  CompiledBody(Engine& engine, const char* graph, Segments segments)
      : engine_(engine), graph_(graph), segments_(std::move(segments)) {}
  // One run, inside a task on the host. Returns while a device may be at work on it: run says so.
  Status run(const TaskContext& context, BodyRun* run, Task::PartialFailure* partial_failure,
             const Status* completed) const;

 private:
  // All that a segment writes, which has failed as a whole.
  void leave_poisoned(const Segment& segment, const Status& status, Task::PartialFailure* partial_failure) const;

  Engine& engine_;  // the graph's, which outlives it
  const char* const graph_;
  const Segments segments_;
};

}  // namespace rondo
