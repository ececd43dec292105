// Runs a body of control flow, one segment after the other, on the host and on devices.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/body.h"

#include "engine/random_scope.h"

namespace rondo {

Status wait_for(Engine& engine, BodyRun* run) {
  if (!run->device) return {};
  run->device = nullptr;
  const Workers::Blocking waits;  // mutation: wait_of_control_takes_a_worker
  return engine.fence_wait(run->fence);
}

Status CompiledBody::run(const TaskContext& context, BodyRun* run, Task::PartialFailure* partial_failure,
                         const Status* completed) const {
  const auto note = [run](Status status) {
    if (run->first.ok()) run->first = std::move(status);
  };
  if (!completed) run->segment = 0;
  for (; run->segment < segments_.size(); ++run->segment) {
    Segment& segment = *segments_[run->segment];
    Device& device = segment.device();
    RandomState random = random_of_body(run->random, run->turn, device.id());
    random.offset = segment.facts().numbers.begin;
    RandomState host_random = random_of_body(run->random, run->turn, {RONDO_CPU, 0});
    host_random.offset = segment.facts().host_random.begin;
    if (run->device != &device) note(wait_for(engine_, run));  // mutation: body_goes_on_before_the_device
    if (device.is_host()) {
      Status status = segment.run(context, random, partial_failure, &run->progress, std::exchange(completed, nullptr));
      if (context.later && *context.later) return status;
      note(std::move(status));
      continue;
    }
    Fence fence;
    partial_failure->reported = false;
    Status status = engine_.issue_within(
        device, graph_, context.profile ? segment.most_auxiliaries() : segment.auxiliaries(),
        [&](TaskContext on) {
          on.profile = context.profile;
          on.host_random = &host_random;
          return segment.run_in_body(on, random, partial_failure);
        },
        &fence);
    if (fence.sequence) {
      run->device = &device;
      run->fence = fence;
    }
    if (!status.ok() && !partial_failure->reported) leave_poisoned(segment, status, partial_failure);
    note(std::move(status));
  }
  return {};
}

void CompiledBody::leave_poisoned(const Segment& segment, const Status& status,
                                  Task::PartialFailure* partial_failure) const {
  const Status failed = error(status.code(), "graph '%s': %s", graph_, status.message()).with_origin(status.origin());
  for (const VariableUse& use : segment.uses)
    if (use.write) partial_failure->mark(use.variable, failed);
}

}  // namespace rondo
