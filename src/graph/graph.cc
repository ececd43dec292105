// Launches graphs, checks what a launch needs first, and tells what is known about a graph.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/launch.h"
#include "ops/task/chooser.h"

namespace rondo {

SegmentRun::SegmentRun(const char* name, Segment& segment) : Task(name, *segment.device), segment_(segment) {
  random_count_ = segment.numbers.count;
  choice_count_ = segment.choices.count;
  want_auxiliaries(segment.auxiliaries);
  for (const Use& use : segment.uses) {
    // mutation: inputs_not_retained
    if (use.input)
      reads(*use.variable);
    else if (use.read)
      follows(*use.variable);
    if (use.write) writes(*use.variable);
  }
  keep();
}

// When it is done the segment keeps it for the next run, so that its accesses are put together and counted once. Keeps
// the graph while it is under way.
class Launch final : public SegmentRun {
 public:
  Launch(const char* name, Segment& segment) : SegmentRun(name, segment) {}

  RONDO_HOT Status run(const TaskContext& context) override { return run_segment(context, nullptr); }
  Status resume(const Status& outcome, const TaskContext& context) override { return run_segment(context, &outcome); }
  const RefCounted& holder() const override { return *graph_; }

 protected:
  // The graph goes last, for the segment is the graph's.
  RONDO_HOT const RefCounted* park() override { return leave_to(segment_.idle, this); }
  void dispose() override {
    revive();
    if (const RefCounted* graph = park()) graph->release();
  }
};

Graph::~Graph() {
  for (Segment& segment : segments_) {
    delete segment.idle.load(std::memory_order_acquire);
    delete_call(segment);
  }
  if (engine_->forked()) return;
  // A launch in flight keeps what it runs: the driver frees an exec when its last run is done, and the arena's memory
  // goes back with the fences of its last use.
  for (Segment& segment : segments_) {
    if (segment.kind == Segment::Kind::captured) segment.device->streams()->graph_destroy(&segment.native);
    for (Segment::Executable& each : segment.others) segment.device->streams()->graph_destroy(&each.native);
  }
}

// Most graphs are one segment, of which nothing is to be checked or set: their launch is the path that counts.
Status Graph::launch() {
  if (!plain_) [[unlikely]]
    return launch_checked();
  launches_.fetch_add(1, std::memory_order_relaxed);
  return engine_->submit(take_launch(segments_.front()));
}

Status Graph::launch_checked() {
  RONDO_TRY(engine_->usable());
  if (callable_) return not_launched();
  RONDO_TRY(check_unwritten());
  RONDO_TRY(check_parties());
  if (to_measure_ && launches_ >= 1 && !Engine::thread_sink()) [[unlikely]]
    if (to_measure_.exchange(false)) return launch_measured();
  launches_.fetch_add(1, std::memory_order_relaxed);
  return launch_several();
}

Status Graph::check_unwritten() {
  const Sink* sink = Engine::thread_sink();
  if (sink && &sink->engine == engine_.get()) return {};  // to be run by another graph, whose launch counts
  for (const Unwritten& each : unwritten_)
    if (engine_->blank(*each.storage))
      return error(RONDO_INVALID_STATE,
                   "task '%s' of graph '%s' reads a tensor of %zu bytes on %s that was never written; write to it "
                   "before the launch, or accept what is in its memory with rondo_tensor_accept",
                   each.task->name(), name_, each.storage->bytes(), device_name(each.storage->device().id()).c_str());
  return {};
}

Status Graph::check_parties() const {
  for (const Party* each : parties_) RONDO_TRY(each->possible());
  return {};
}

// In one step: another launch of this graph, or another task, between two segments would change what the later one
// reads.
Status Graph::launch_several() {
  const LaunchSettings::Words words = settings_->words();
  const auto take = [&](Segment& segment) -> Ref<Task> {
    Ref<Launch> launch = take_launch(segment);
    launch->set(words);
    return launch;
  };
  if (segments_.size() == 1) return engine_->submit(take(segments_.front()));
  std::vector<Ref<Task>> tasks;
  tasks.reserve(segments_.size());
  for (Segment& segment : segments_) tasks.push_back(take(segment));
  return engine_->submit(tasks.data(), tasks.size());
}

Ref<Launch> Graph::take_launch(Segment& segment) {
  Ref<Launch> launch = Ref<Launch>::adopt(segment.idle.exchange(nullptr, std::memory_order_acq_rel));
  if (!launch) launch = make_ref<Launch>(name_, segment);
  launch->begin(*this);
  return launch;
}

Status Graph::run_captured(Segment& segment, const TaskContext& context, const RandomState& random) {
  if (segment.numbers.count || segment.keeps_choices) [[unlikely]]
    RONDO_TRY(bring_numbers(segment, context, random));
  if (!segment.changed.empty()) [[unlikely]]
    RONDO_TRY(change(segment, context));
  if (!segment.guards.empty()) [[unlikely]]
    RONDO_TRY(ask_guards(segment, context));
  Status launched = segment.device->streams()->graph_launch(segment.native, context.stream);
  if (segment.chooses) [[unlikely]]
    segment.native.awaited = context.stream;
  // Else the state on the device is still the one before.
  segment.numbers.known = segment.choices.known = launched.ok();
  return launched;
}

// The graph advances the state on the device itself; only a jump (other random operators in between, a new seed) is
// written. The source may be pageable: the driver copies so few bytes before it returns.
Status Graph::bring_numbers(Segment& segment, const TaskContext& context, const RandomState& random) {
  SharedArena* const shared = outermost_->shared_arena_.get();
  if (shared && shared->changes_hands(*outermost_->arena(*segment.device)->storage, this)) [[unlikely]]
    segment.numbers.known = segment.choices.known = false;  // another graph has worked where the state was
  const auto bring = [&](Segment::Drawn& drawn, RandomState* state, const RandomState& from) -> Status {
    const bool there = drawn.known && drawn.next.seed == from.seed && drawn.next.offset == from.offset;
    drawn.next = {from.seed, from.offset + drawn.count};
    if (there) return {};
    return segment.device->streams()->copy(CopyKind::host_to_device, state, &from, sizeof from, context.stream);
  };
  ops::RunState* const state = run_state(*segment.device);
  if (segment.numbers.count) RONDO_TRY(bring(segment.numbers, &state->numbers, random));
  if (segment.keeps_choices) RONDO_TRY(bring(segment.choices, &state->choices, *context.choices));
  return {};
}

Status Graph::ask_guards(const Segment& segment, const TaskContext& context) {
  for (Task* task : segment.guards) RONDO_TRY(task->launching(context));
  return {};
}

rondo_graph_info Graph::query() const {
  rondo_graph_info info = info_;
  info.launches = launches_.load();
  return info;
}

}  // namespace rondo
