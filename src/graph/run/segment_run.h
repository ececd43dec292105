// One run of one segment: what a launch and a call have in common.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/run/graph.h"

namespace rondo {

class SegmentRun : public Task {
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
  void set_random(RandomState state) override { random_ = state; }
  void set_choices(RandomState state) override { choices_ = state; }
  bool capturable(const char** why) const override {
    const char* const why_not_inlined = graph_->facts().not_inlinable;
    *why = why_not_inlined ? why_not_inlined : "is a launch of another graph";
    return false;
  }
  // A captured piece runs or fails as a whole, but what it holds may have to say that it does not run.
  Parts* parts() override { return fails_in_parts_ ? &parts_ : nullptr; }

 protected:
  [[gnu::always_inline]] Status run_segment(const TaskContext& context, const Status* completed) {
    if (!words_.empty() || choice_count()) [[unlikely]]
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
    const RandomState choices = add(&with);
    with.choices = &choices;
    return segment_.run_tasks(with, first_random(context), &parts_, &progress_, completed);
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
    renew();
    if (!parts_.clean()) [[unlikely]]
      parts_ = {};
    SegmentRun* none = nullptr;
    if (!idle.compare_exchange_strong(none, this, std::memory_order_acq_rel)) delete this;
    return graph->release_unless_last() ? nullptr : graph;
  }

  Ref<Graph> graph_;
  Segment& segment_;
  Parts parts_;

 private:
  RONDO_APART Status run_with_more(const TaskContext& context, const Status* completed) {
    TaskContext with = context;
    const RandomState choices = add(&with);
    with.choices = &choices;
    return run_numbered(with, completed);
  }
  // Adds what was set, and says where the numbers of choices begin: launched by another graph, where that one's run
  // does.
  RandomState add(TaskContext* context) const {
    if (!words_.empty()) context->settings = words_.begin();
    if (!context->choices) return choices_;
    return {context->choices->seed, context->choices->offset + choices_.offset};
  }
  [[gnu::always_inline]] Status run_from(const RandomState& random, const TaskContext& context,
                                         const Status* completed) {
    return segment_.run(context, random, &parts_, &progress_, completed);
  }

  LaunchSettings::Words words_;  // empty: the graph has no settings
  RandomState random_, choices_;
  Segment::Progress progress_;
  const bool fails_in_parts_;
};

}  // namespace rondo
