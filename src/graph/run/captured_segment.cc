// Launches the CUDA graph that a segment was captured as, with the changes of that launch.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/captured_segment.h"

#include <utility>

#include "base/caught.h"

namespace rondo {

CapturedSegment::CapturedSegment(const SegmentOwner& owner, const SegmentFacts& facts, const Memory& memory,
                                 std::vector<ops::OperatorTask*> prelaunch_checks)
    : Segment(owner, facts),
      streams_(*device().streams()),
      fast_path_(!draws() && !facts.conditional && prelaunch_checks.empty()),
      memory_(memory),
      prelaunch_checks_(std::move(prelaunch_checks)) {}

// A launch in flight keeps what it runs: the driver frees an exec when its last run is done, and the arena's memory
// goes back with the fences of its last use.
CapturedSegment::~CapturedSegment() {
  if (owner_.engine.forked()) return;
  streams_.graph_destroy(&native);
  patched.destroy_others(streams_);
}

Status CapturedSegment::run(const TaskContext& context, const RandomState& random,
                            Task::PartialFailure* partial_failure, Progress*, const Status*) {
  if (!partial_failure->clean()) [[unlikely]]
    return refuse(context, *partial_failure);
  return launch(context, random);
}

Status CapturedSegment::run_in_body(const TaskContext& context, const RandomState& random,
                                    Task::PartialFailure* partial_failure) {
  if (!partial_failure->all.ok()) return partial_failure->all;
  if (!partial_failure->poison.empty()) [[unlikely]]
    for (const VariableUse& use : uses)
      if (const auto found = use.read ? partial_failure->poison.find(use.variable) : partial_failure->poison.end();
          found != partial_failure->poison.end())
        return found->second;
  if (context.profile && !facts_.conditional) [[unlikely]] {
    Progress progress;
    Status status = run_tasks(context, random, partial_failure, &progress, nullptr);
    partial_failure->reported = false;  // it fails as a whole all the same
    return status;
  }
  RONDO_TRY(launch(context, random));
  if (!partial_failure->poison.empty()) [[unlikely]]
    for (const VariableUse& use : uses)
      if (use.write) partial_failure->poison.erase(use.variable);
  return {};
}

Status CapturedSegment::launch_more(const TaskContext& context, const RandomState& random) {
  if (draws()) RONDO_TRY(bring_numbers(context, random));
  RONDO_TRY(change(context));
  size_t ready = 0;
  Status launched;
  for (; ready < prelaunch_checks_.size(); ++ready) {
    launched = caught([&] { return prelaunch_checks_[ready]->before_launch(context); });
    if (!launched.ok()) break;
  }
  if (launched.ok()) launched = streams_.graph_launch(native, context.stream);
  for (size_t i = 0; i < ready; ++i) prelaunch_checks_[i]->after_launch();
  if (ready < prelaunch_checks_.size()) return launched;
  if (facts_.conditional) native.awaited = context.stream;
  // Else the state on the device is still the one before.
  numbers_.known = host_random_.known = launched.ok();
  return launched;
}

// The graph advances the state on the device itself; only a jump (other random operators in between, a new seed) is
// written. The source may be pageable: the driver copies so few bytes before it returns.
Status CapturedSegment::bring_numbers(const TaskContext& context, const RandomState& random) {
  if (memory_.shared && memory_.shared->changes_hands(*memory_.block, &owner_.facts)) [[unlikely]]
    numbers_.known = host_random_.known = false;  // another graph has worked where the state was
  const auto bring = [&](Next* next, uint64_t count, RandomState* state, const RandomState& from) -> Status {
    const bool there = next->known && next->state.seed == from.seed && next->state.offset == from.offset;
    next->state = {from.seed, from.offset + count};
    if (there) return {};
    return streams_.copy(CopyKind::host_to_device, state, &from, sizeof from, context.stream);
  };
  if (facts_.numbers.count) RONDO_TRY(bring(&numbers_, facts_.numbers.count, &memory_.state->numbers, random));
  if (facts_.keeps_host_random)
    RONDO_TRY(bring(&host_random_, facts_.host_random.count, &memory_.state->host_random, *context.host_random));
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

Status CapturedSegment::refuse(const TaskContext& context, const Task::PartialFailure& whole) {
  const Status cause = whole.cause();
  for (ops::OperatorTask* check : prelaunch_checks_)
    if (Task::PartialFailure* partial_failure = check->partial_failure()) {
      partial_failure->all = cause;
      (void)check->before_launch(context);
      *partial_failure = {};
    }
  return cause;
}

}  // namespace rondo
