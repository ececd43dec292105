// A body of control flow: a graph that runs inside the task of another one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/random_scope.h"
#include "graph/control.h"

namespace rondo {

Graph::Graph(Recording& recording, ops::Program program, std::vector<Ref<Storage>> storages)
    : engine_(Ref<Engine>::share(&recording.engine)),
      name_(recording.name),
      max_branches_(recording.max_branches),
      host_decides_(recording.host_decides),
      settings_(std::make_unique<LaunchSettings>()),
      callable_(false),
      falls_back_(recording.falls_back),
      storages_(std::move(storages)),
      as_written_(recording.as_written),
      fewer_roundings_(recording.fewer_roundings) {
  for (const ops::ProgramNode& node : program.nodes) opaque_ = opaque_ || node.opaque();
  take(std::move(program));
}

Status Graph::make_body(Recording& recording, ops::Program program, std::vector<Ref<Storage>> storages,
                        Ref<Graph>* body) {
  std::vector<PassReport> reports;
  program.fewer_roundings = recording.fewer_roundings;
  if (!recording.as_written) RONDO_TRY(run_passes(program, &reports));
  *body = Ref<Graph>::adopt(new Graph(recording, std::move(program), std::move(storages)));
  (*body)->passes_ = std::move(reports);
  return {};
}

std::vector<std::pair<Variable*, Graph::Effect>> Graph::effects() const {
  std::unordered_set<const Variable*> inside;
  for (const Ref<Storage>& storage : storages_) inside.insert(storage.get());
  std::vector<std::pair<Variable*, Effect>> effects;
  std::unordered_map<const Variable*, size_t> known;
  std::unordered_set<const Variable*> covered;  // nothing of what was there is left
  for (const Step& step : steps_)
    for (const Access& access : step.task->accesses()) {
      if (inside.count(access.variable)) continue;
      const auto [found, fresh] = known.emplace(access.variable, effects.size());
      if (fresh) effects.push_back({access.variable, {}});
      Effect& effect = effects[found->second].second;
      const bool fresh_contents = covered.count(access.variable) > 0;
      effect.read |= access.read && !fresh_contents;
      effect.input |= access.input && !fresh_contents;
      effect.write |= access.write;
      if (access.write && !access.read) covered.insert(access.variable);  // mutation: part_taken_for_the_whole
    }
  return effects;
}

Status wait_for(Engine& engine, BodyRun* run) {
  if (!run->device) return {};
  run->device = nullptr;
  const Workers::Blocking waits;  // mutation: wait_of_control_takes_a_worker
  return engine.fence_wait(run->fence);
}

Status Graph::run_body(const TaskContext& context, BodyRun* run, Task::Parts* parts, const Status* completed) {
  const auto note = [run](Status status) {
    if (run->first.ok()) run->first = std::move(status);
  };
  if (!completed) run->segment = 0;
  for (; run->segment < segments_.size(); ++run->segment) {
    Segment& segment = segments_[run->segment];
    RandomState random = random_of_body(run->random, run->turn, segment.device->id());
    random.offset = segment.numbers.begin;
    RandomState choices = random_of_body(run->random, run->turn, {RONDO_CPU, 0});
    choices.offset = segment.choices.begin;
    if (run->device != segment.device) note(wait_for(*engine_, run));  // mutation: body_goes_on_before_the_device
    if (segment.kind == Segment::Kind::host) {
      Status status = run_tasks(segment, context, random, parts, &run->progress, std::exchange(completed, nullptr));
      if (context.later && *context.later) return status;
      note(std::move(status));
      continue;
    }
    Fence fence;
    parts->told = false;
    Status status = engine_->issue_within(
        *segment.device, name_, context.profile ? most_auxiliaries(segment) : segment.auxiliaries,
        [&](TaskContext on) {
          on.profile = context.profile;
          on.choices = &choices;
          return run_on_device(segment, on, random, parts);
        },
        &fence);
    if (fence.sequence) {
      run->device = segment.device;
      run->fence = fence;
    }
    if (!status.ok() && !parts->told) leave_poisoned(segment, status, parts);
    note(std::move(status));
  }
  return {};
}

Status Graph::run_on_device(Segment& segment, const TaskContext& context, const RandomState& random,
                            Task::Parts* parts) {
  if (segment.kind == Segment::Kind::device) {
    Progress progress;
    return run_tasks(segment, context, random, parts, &progress, nullptr);
  }
  if (!parts->all.ok()) return parts->all;
  if (!parts->poison.empty()) [[unlikely]]
    for (const Use& use : segment.uses)
      if (const auto found = use.read ? parts->poison.find(use.variable) : parts->poison.end();
          found != parts->poison.end())
        return found->second;
  if (context.profile && !segment.chooses) [[unlikely]] {
    Progress progress;
    Status status = run_tasks(segment, context, random, parts, &progress, nullptr);
    parts->told = false;  // it fails as a whole all the same
    return status;
  }
  RONDO_TRY(run_captured(segment, context, random));
  if (!parts->poison.empty()) [[unlikely]]
    for (const Use& use : segment.uses)
      if (use.write) parts->poison.erase(use.variable);
  return {};
}

void Graph::leave_poisoned(const Segment& segment, const Status& status, Task::Parts* parts) {
  const Status failed = error(status.code(), "graph '%s': %s", name_, status.message()).with_origin(status.origin());
  for (const Use& use : segment.uses)
    if (use.write) parts->mark(use.variable, failed);
}

}  // namespace rondo
