// One run of one segment: what a launch and a call have in common.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"

namespace rondo {

class SegmentRun : public Task {
 public:
  void begin(Graph& graph) { graph_ = Ref<Graph>::share(&graph); }
  void set(const LaunchSettings::Words& words) { words_ = words; }

  const Graph& graph() const { return *graph_; }
  int most_auxiliaries() const { return graph_->most_auxiliaries(segment_); }  // where its tasks are run one by one
  // What of the graph's memory is somebody else's in this run.
  virtual void list_places(Rebinding* memory) const { (void)memory; }

  // A call that can be gone back through is told to tapes for what it writes beside its outputs alone.
  const char* why_no_gradient() const override {
    const char* const why = graph_->why_no_replay();
    return why ? why : "by way of a tensor from outside that it writes; make that in the recording";
  }

  // Inside a profile, where it is a task of the graph that is measured: its own tasks one by one.
  virtual Status run_parts(const TaskContext& context) {
    return whole() ? run_segment(context, nullptr) : run_measured(context, nullptr);
  }
  // Collectives are launched with what is captured around them, as on the other ranks; so is what the device chooses.
  bool whole() const {
    return segment_.kind == Segment::Kind::captured && (segment_.chooses || !segment_.guards.empty());
  }

  void set_random(RandomState state) override { random_ = state; }
  void set_choices(RandomState state) override { choices_ = state; }
  bool capturable(const char** why) const override {
    *why = graph_->apart() ? graph_->apart() : "is a launch of another graph";
    return false;
  }
  // A captured piece runs or fails as a whole, but what it holds may have to say that it does not run.
  Parts* parts() override {
    return segment_.kind == Segment::Kind::captured && segment_.guards.empty() ? nullptr : &parts_;
  }

 protected:
  // The variables that every run uses are kept.
  SegmentRun(const char* name, Segment& segment);

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
    return graph_->run_tasks(segment_, with, first_random(context), &parts_, &progress_, completed);
  }
  // Whatever a run needs around it.
  template <class Run>
  Status run_within(const TaskContext&, const Status*, const Run& run) {
    return run();
  }
  // Leaves the run, which is done, to its segment, for the next one, or destroys it where the segment has one already.
  // What is returned goes after that: the graph, if this was the last to hold it.
  template <class Run>
  [[gnu::always_inline]] const RefCounted* leave_to(std::atomic<Run*>& idle, Run* self) {
    const Graph* graph = graph_.leak();
    renew();
    if (!parts_.clean()) [[unlikely]]
      parts_ = {};
    Run* none = nullptr;
    if (!idle.compare_exchange_strong(none, self, std::memory_order_acq_rel)) delete self;
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
  // What was set; and where the numbers of choices begin: launched by another graph, where that one's run does.
  RandomState add(TaskContext* context) const {
    if (!words_.empty()) context->settings = words_.begin();
    if (!context->choices) return choices_;
    return {context->choices->seed, context->choices->offset + choices_.offset};
  }
  [[gnu::always_inline]] Status run_from(const RandomState& random, const TaskContext& context,
                                         const Status* completed) {
    if (segment_.kind == Segment::Kind::captured) [[likely]] {
      if (!parts_.clean()) [[unlikely]]
        return tell_guards(context);
      return graph_->run_captured(segment_, context, random);
    }
    return graph_->run_tasks(segment_, context, random, &parts_, &progress_, completed);
  }

  // The run does not take place, for this reason.
  RONDO_COLD Status tell_guards(const TaskContext& context) {
    const Status cause = parts_.cause();
    for (Task* guard : segment_.guards)
      if (Task::Parts* parts = guard->parts()) {
        parts->all = cause;
        (void)guard->launching(context);
        *parts = {};
      }
    return cause;
  }

  LaunchSettings::Words words_;  // empty: the graph has no settings
  RandomState random_, choices_;
  Graph::Progress progress_;
};

}  // namespace rondo
