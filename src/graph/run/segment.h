// Segments: what a graph runs one after the other, each as one task of the engine's. A segment is a captured CUDA graph
// (captured_segment.h), or tasks that run as they are: host functions, cpu operators, device tasks that cannot be
// captured.
//
// Owned by its graph, or by the control flow whose body it is a part of. Filled in while the graph is compiled. Runs of
// one segment are ordered by the variables of its arenas, so they never overlap: what a run changes is guarded by that
// order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "graph/run/facts.h"
#include "graph/run/launch_settings.h"

namespace rondo {

class SegmentRun;

// Zeroes what the step may leave unwritten, before each run of it.
RONDO_COLD Status zero_first(Engine& engine, const Step& step, const TaskContext& context);

// The use that a segment makes of a variable that others know too.
struct VariableUse {
  Variable* variable = nullptr;
  bool read = false;
  bool input = false;
  bool write = false;
};

// The use that a segment of a graph that is called makes of one of its bindings.
struct BindingUse {
  uint32_t binding;  // inputs first, then outputs
  bool read = false, input = false, write = false;
  bool fetches = false;   // copies the caller's input into the graph's memory before the first task
  bool delivers = false;  // copies the graph's output into the caller's memory after the last task
};

// All segments of a graph, and of its bodies, know this of it. It outlives them.
struct SegmentOwner {
  Engine& engine;
  const LaunchSettings& settings;
  const GraphFacts& facts;  // of the graph or the body
};

class Segment {
 public:
  // How far a run of tasks is, one of which may end later than its function.
  struct Progress {
    size_t next = 0;
    Status first;  // failure
  };

  Segment(const SegmentOwner& owner, const SegmentFacts& facts) : facts_(facts), owner_(owner) {}
  virtual ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  const SegmentFacts& facts() const { return facts_; }
  Device& device() const { return *facts_.device; }

  // Does the work of the task of a launch or a call. random: where the numbers begin that the run draws on the device;
  // parts: what is poisoned. completed: how the task ended at which the run stopped; null: the run begins.
  virtual Status run(const TaskContext& context, const RandomState& random, Task::PartialFailure* partial_failure,
                     Progress* progress, const Status* completed) = 0;
  // The same of a body's segment on a device, where the tasks after it read what it leaves in `parts`.
  virtual Status run_in_body(const TaskContext& context, const RandomState& random,
                             Task::PartialFailure* partial_failure) = 0;
  // Runs the tasks one by one, whatever the segment is; each fails for itself, as eager ones do.
  RONDO_APART Status run_tasks(const TaskContext& context, const RandomState& random,
                               Task::PartialFailure* partial_failure, Progress* progress, const Status* completed);
  // The caller's memory is in the place of what stands for it: a call is about to run.
  virtual Status bind(const TaskContext& context) {
    (void)context;
    return {};
  }
  // Tells whether what is poisoned is told task by task; else a run fails as a whole.
  virtual bool fails_in_parts() const { return true; }
  // Tells whether a measured run is timed as a whole.
  virtual bool measured_whole() const { return false; }
  // True if a thread that waits may run it, on a stack that may be a small one.
  bool only_computes() const { return owner_.facts.depth <= kShallow && owner_.facts.only_computes(facts_); }
  // How many auxiliary streams a run is given, and the same of a measured run.
  virtual int auxiliaries() const = 0;
  int most_auxiliaries() const { return owner_.facts.most_auxiliaries(facts_); }
  // Executables that there are now; from any thread.
  virtual uint32_t executables() const { return 1; }

  std::vector<VariableUse> uses;  // of each variable but the temporaries of this segment alone, and bindings
  std::vector<BindingUse> binding_uses;
  // A launch and a call that are done, for the next to use again.
  std::atomic<SegmentRun*> idle{}, idle_call{};

 protected:
  static constexpr int kShallow = 4;  // as deep as bodies and launches nest there
  const SegmentFacts& facts_;
  const SegmentOwner owner_;

 private:
  std::atomic<uint32_t> shared_{0};  // nanoseconds of what its last run shared (Workers::Shares)
};

using Segments = std::vector<std::unique_ptr<Segment>>;

class TaskSegment final : public Segment {
 public:
  // Its tasks are prepared.
  TaskSegment(const SegmentOwner& owner, const SegmentFacts& facts)
      : Segment(owner, facts), auxiliaries_(device().is_host() ? 0 : most_auxiliaries()) {}

  Status run(const TaskContext& context, const RandomState& random, Task::PartialFailure* partial_failure,
             Progress* progress, const Status* completed) override {
    return run_tasks(context, random, partial_failure, progress, completed);
  }
  Status run_in_body(const TaskContext& context, const RandomState& random,
                     Task::PartialFailure* partial_failure) override {
    Progress progress;
    return run_tasks(context, random, partial_failure, &progress, nullptr);
  }
  int auxiliaries() const override { return auxiliaries_; }

 private:
  const int auxiliaries_;
};

}  // namespace rondo
