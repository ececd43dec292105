// One run of one segment: what a launch and a call have in common.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/run/graph.h"

namespace rondo {

class SegmentRun : public ops::OperatorTask {
 public:
  // The variables that every run uses are kept.
  SegmentRun(const char* name, Segment& segment);

  void begin(Graph& graph) { graph_ = Ref<Graph>::share(&graph); }
  void set(const LaunchSettings::Words& words) { words_ = words; }

  const Graph& graph() const { return *graph_; }
  const Segment& segment() const { return segment_; }
  // Which of the graph's memory is replaced by the caller's in this run.
  virtual void list_places(Rebinding* memory) const { (void)memory; }

  // A call that can be gone back through is told to tapes for what it writes besides its outputs alone.
  const char* why_no_gradient() const override {
    const char* const why = graph_->facts().no_replay;
    return why ? why : "by way of a tensor from outside that it writes; make that in the recording";
  }

  // Inside a profile, where it is a task of the graph that is measured: its own tasks one by one.
  virtual Status run_parts(const TaskContext& context) {
    return segment_.measured_whole() ? run_segment(context, nullptr) : run_measured(context, nullptr);
  }
  void set_random(RandomState own, RandomState host_random) override { random_ = own, host_random_ = host_random; }
  bool capturable(const char** why) const override {
    const char* const why_not_inlined = graph_->facts().not_inlinable;
    *why = why_not_inlined ? why_not_inlined : "is a launch of another graph";
    return false;
  }
  // A captured piece runs or fails as a whole, but what it holds may have to say that it does not run.
  PartialFailure* partial_failure() override { return fails_in_parts_ ? &partial_failure_ : nullptr; }

 protected:
  [[gnu::always_inline]] Status run_segment(const TaskContext& context, const Status* completed) {
    if (!words_.empty() || host_random_count()) [[unlikely]]
      return run_with_more(context, completed);
    return run_numbered(context, completed);
  }
  // Launched by another graph, the numbers begin where that one's run does.
  RandomState first_random(const TaskContext& context) const {
    if (context.random) [[unlikely]]
      return {context.random->seed, context.random->offset + random_.offset};
    return random_;
  }
  [[gnu::always_inline]] Status run_numbered(const TaskContext& context, const Status* completed) {
    if (context.random) [[unlikely]]
      return run_from(first_random(context), context, completed);
    return run_from(random_, context, completed);
  }
  // A run whose tasks are timed one by one, whatever the segment is; context has the settings.
  Status run_measured(const TaskContext& context, const Status* completed) {
    TaskContext with = context;
    const RandomState host_random = add(&with);
    with.host_random = &host_random;
    return segment_.run_tasks(with, first_random(context), &partial_failure_, &progress_, completed);
  }
  // Whatever a run needs around it.
  template <class Run>
  Status run_within(const TaskContext&, const Status*, const Run& run) {
    return run();
  }
  // Leaves the run, which is done, to its segment, for the next one, or destroys it where the segment has one already.
  // The object that is returned is released after that: the graph, if this was the last to hold it.
  [[gnu::always_inline]] const RefCounted* leave_to(std::atomic<SegmentRun*>& idle) {
    const Graph* graph = graph_.leak();
    reset_run();
    if (!partial_failure_.clean()) [[unlikely]]
      partial_failure_ = {};
    SegmentRun* none = nullptr;
    if (!idle.compare_exchange_strong(none, this, std::memory_order_acq_rel)) delete this;
    return graph->release_unless_last() ? nullptr : graph;
  }

  Ref<Graph> graph_;
  Segment& segment_;
  PartialFailure partial_failure_;

 private:
  RONDO_APART Status run_with_more(const TaskContext& context, const Status* completed) {
    TaskContext with = context;
    const RandomState host_random = add(&with);
    with.host_random = &host_random;
    return run_numbered(with, completed);
  }
  // Adds what was set, and says where the numbers of choices begin: launched by another graph, where that one's run
  // does.
  RandomState add(TaskContext* context) const {
    if (!words_.empty()) context->settings = words_.begin();
    if (!context->host_random) return host_random_;
    return {context->host_random->seed, context->host_random->offset + host_random_.offset};
  }
  [[gnu::always_inline]] Status run_from(const RandomState& random, const TaskContext& context,
                                         const Status* completed) {
    return segment_.run(context, random, &partial_failure_, &progress_, completed);
  }

  LaunchSettings::Words words_;  // empty: the graph has no settings
  RandomState random_, host_random_;
  Segment::Progress progress_;
  const bool fails_in_parts_;
};

// The launch of another graph that a step is; null: it is another task.
inline const SegmentRun* launch_of(const Step& step) {
  return std::holds_alternative<ops::LaunchCall>(step.call->of) ? static_cast<const SegmentRun*>(step.task.get())
                                                                : nullptr;
}

}  // namespace rondo
