// A segment that is a captured CUDA graph: what a launch brings it, what settings change of it, and what it is told
// before it runs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "graph/plan/shared_arena.h"
#include "graph/run/patched.h"
#include "graph/run/segment.h"
#include "ops/task/condition_setter.h"

namespace rondo {

class CapturedSegment final : public Segment {
 public:
  // The graph's memory on the segment's device. shared: by graphs that have its block, which is in `block`.
  struct Memory {
    ops::RunState* state;
    SharedArena* shared = nullptr;
    const Storage* block = nullptr;
  };
  // prelaunch_checks: tasks that are asked before each launch.
  CapturedSegment(const SegmentOwner& owner, const SegmentFacts& facts, const Memory& memory,
                  std::vector<ops::OperatorTask*> prelaunch_checks);
  ~CapturedSegment() override;

  RONDO_HOT Status run(const TaskContext& context, const RandomState& random, Task::PartialFailure* partial_failure,
                       Progress* progress, const Status* completed) override;
  Status run_in_body(const TaskContext& context, const RandomState& random,
                     Task::PartialFailure* partial_failure) override;
  Status bind(const TaskContext& context) override;
  bool fails_in_parts() const override { return !prelaunch_checks_.empty(); }
  // Collectives are launched with what is captured around them, as on the other ranks; so is what the device chooses.
  bool measured_whole() const override { return facts_.conditional || !prelaunch_checks_.empty(); }
  int auxiliaries() const override { return 0; }
  uint32_t executables() const override { return patched.executables(); }

  // --- while it is captured
  NativeGraph native;
  PatchedKernels patched;  // those that work on the caller's memory
  // The part of it that a setting changes, and the word for which that is as it is now. Guarded by order.
  struct Changed {
    uint32_t setting;
    uint64_t word;
    bool known;       // else a change has failed half way
    Task* parameter;  // the task whose kernel is changed; null: the nodes are switched
    KernelNodes kernels;
  };
  std::vector<Changed>& changes() {
    fast_path_ = false;
    return changed_;
  }

 private:
  [[gnu::always_inline]] Status launch(const TaskContext& context, const RandomState& random) {
    if (!fast_path_) [[unlikely]]
      return launch_more(context, random);
    return streams_.graph_launch(native, context.stream);
  }
  RONDO_APART Status launch_more(const TaskContext& context, const RandomState& random);
  // Makes it what the settings of context want.
  Status change(const TaskContext& context);
  // Tells the device where the numbers begin that the run draws, if it does not know.
  Status bring_numbers(const TaskContext& context, const RandomState& random);
  // The run does not take place: prelaunch checks are told.
  RONDO_COLD Status refuse(const TaskContext& context, const Task::PartialFailure& partial_failure);
  bool draws() const { return facts_.numbers.count || facts_.keeps_host_random; }

  StreamDevice& streams_;
  bool fast_path_;  // nothing is to be done around a launch
  const Memory memory_;
  const std::vector<ops::OperatorTask*> prelaunch_checks_;
  std::vector<Changed> changed_;
  // The state on the device as it will be when the launches so far are done. Guarded by order.
  struct Next {
    RandomState state;
    bool known = false;
  };
  Next numbers_, host_random_;
};

}  // namespace rondo
