// Launches the CUDA graph that a segment was captured as, with the changes of that launch.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/captured_segment.h"

#include <utility>

namespace rondo {

CapturedSegment::CapturedSegment(const SegmentOwner& owner, const SegmentFacts& facts, const Memory& memory,
                                 std::vector<Task*> guards)
    : Segment(owner, facts),
      streams_(*device().streams()),
      plain_(!draws() && !facts.chooses && guards.empty()),
      memory_(memory),
      guards_(std::move(guards)) {}

// A launch in flight keeps what it runs: the driver frees an exec when its last run is done, and the arena's memory
// goes back with the fences of its last use.
CapturedSegment::~CapturedSegment() {
  if (owner_.engine.forked()) return;
  streams_.graph_destroy(&native);
  patched.destroy_others(streams_);
}

Status CapturedSegment::run(const TaskContext& context, const RandomState& random, Task::Parts* parts, Progress*,
                            const Status*) {
  if (!parts->clean()) [[unlikely]]
    return refuse(context, *parts);
  return launch(context, random);
}

Status CapturedSegment::run_in_body(const TaskContext& context, const RandomState& random, Task::Parts* parts) {
  if (!parts->all.ok()) return parts->all;
  if (!parts->poison.empty()) [[unlikely]]
    for (const Use& use : uses)
      if (const auto found = use.read ? parts->poison.find(use.variable) : parts->poison.end();
          found != parts->poison.end())
        return found->second;
  if (context.profile && !facts_.chooses) [[unlikely]] {
    Progress progress;
    Status status = run_tasks(context, random, parts, &progress, nullptr);
    parts->told = false;  // it fails as a whole all the same
    return status;
  }
  RONDO_TRY(launch(context, random));
  if (!parts->poison.empty()) [[unlikely]]
    for (const Use& use : uses)
      if (use.write) parts->poison.erase(use.variable);
  return {};
}

Status CapturedSegment::launch_more(const TaskContext& context, const RandomState& random) {
  if (draws()) RONDO_TRY(bring_numbers(context, random));
  RONDO_TRY(change(context));
  for (Task* guard : guards_) RONDO_TRY(guard->launching(context));
  Status launched = streams_.graph_launch(native, context.stream);
  if (facts_.chooses) native.awaited = context.stream;
  // Else the state on the device is still the one before.
  numbers_.known = choices_.known = launched.ok();
  return launched;
}

// The graph advances the state on the device itself; only a jump (other random operators in between, a new seed) is
// written. The source may be pageable: the driver copies so few bytes before it returns.
Status CapturedSegment::bring_numbers(const TaskContext& context, const RandomState& random) {
  if (memory_.shared && memory_.shared->changes_hands(*memory_.block, &owner_.facts)) [[unlikely]]
    numbers_.known = choices_.known = false;  // another graph has worked where the state was
  const auto bring = [&](Next* next, uint64_t count, RandomState* state, const RandomState& from) -> Status {
    const bool there = next->known && next->state.seed == from.seed && next->state.offset == from.offset;
    next->state = {from.seed, from.offset + count};
    if (there) return {};
    return streams_.copy(CopyKind::host_to_device, state, &from, sizeof from, context.stream);
  };
  if (facts_.numbers.count) RONDO_TRY(bring(&numbers_, facts_.numbers.count, &memory_.state->numbers, random));
  if (facts_.keeps_choices)
    RONDO_TRY(bring(&choices_, facts_.choices.count, &memory_.state->choices, *context.choices));
  return {};
}

Status CapturedSegment::change(const TaskContext& context) {
  for (Changed& each : changed_) {
    const uint64_t word = context.settings[each.setting];
    if (each.known && each.word == word) continue;
    each.known = false;
    if (each.parameter) {
      RONDO_TRY(run_on_nodes(*each.parameter, native, &each.kernels, context));
    } else {
      for (void* node : each.kernels.nodes) RONDO_TRY(streams_.graph_enable(native, node, word != 0));
    }
    each.word = word;
    each.known = true;
  }
  return {};
}

Status CapturedSegment::bind(const TaskContext& context) {
  if (patched.empty()) return {};
  TaskContext changing = context;
  changing.device_random = facts_.numbers.count ? &memory_.state->numbers : nullptr;
  // Nodes that choose and collectives are of one executable; what settings have changed is known of one.
  return patched.patch(owner_.engine, device(), !measured_whole() && changed_.empty(), &native, changing);
}

Status CapturedSegment::refuse(const TaskContext& context, const Task::Parts& whole) {
  const Status cause = whole.cause();
  for (Task* guard : guards_)
    if (Task::Parts* parts = guard->parts()) {
      parts->all = cause;
      (void)guard->launching(context);
      *parts = {};
    }
  return cause;
}

}  // namespace rondo
