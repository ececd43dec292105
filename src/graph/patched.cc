// Calls without copies: kernels of captured segments that work on a call's inputs and outputs are given the caller's
// addresses before each launch that has others than the last one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

namespace rondo {

namespace {

// What it costs, in microseconds: to change the node of a kernel, to begin a copy on a device, to copy a MiB.
constexpr double kChangeUs = 0.25, kCopyUs = 2.5, kCopyMiBUs = 0.7;

}  // namespace

// Whether a captured task's kernels can be given other addresses.
bool Graph::may_be_patched(uint32_t task) const {
  const char* why = "";
  StreamDevice* const device = tasks_[task]->device().streams();
  return tasks_[task]->own_kernels() > 0 && !is_switched(task) && !is_parameter(task) &&
         device->graph_changes(GraphChange::kernel, &why);
}

// What is copied to memory of the graph's and back: what is used by a captured task that cannot be patched, or by so
// many kernels that a copy costs less.
void Graph::choose_copied() {
  std::vector<size_t> kernels(bindings_.size());
  for (const Segment& segment : segments_) {
    if (segment.kind != Segment::Kind::captured) continue;
    for (const uint32_t i : segment.tasks)
      for (const Access& access : tasks_[i]->accesses()) {
        const auto found = binding_of_.find(access.variable->storage());
        if (found == binding_of_.end()) continue;
        kernels[found->second] += tasks_[i]->own_kernels();
        if (!may_be_patched(i)) copied_[found->second] = true;
      }
  }
  for (uint32_t i = 0; i < bindings_.size(); ++i) {
    const double mib = static_cast<double>(bindings_[i].storage->bytes()) / (1 << 20);
    if (static_cast<double>(kernels[i]) * kChangeUs > kCopyUs + mib * kCopyMiBUs) copied_[i] = true;
  }
}

bool Graph::is_patched(uint32_t task) const {
  if (bindings_.empty()) return false;
  for (const Access& access : tasks_[task]->accesses())
    if (const auto found = binding_of_.find(access.variable->storage());
        found != binding_of_.end() && !copied_[found->second])
      return true;
  return false;
}

// context: of the capture.
Status Graph::note_patched(Segment& segment, uint32_t task, const TaskContext& context, KernelNodes kernels) {
  Task& of = *tasks_[task];
  if (kernels.nodes.size() != of.own_kernels())
    return error(RONDO_INTERNAL, "it was captured as %zu kernels, and is %zu", kernels.nodes.size(), of.own_kernels());
  info_.call_kernels += static_cast<int32_t>(kernels.nodes.size());
  Segment::Patched& patched = segment.patched.emplace_back();
  patched.task = &of;
  patched.kernels = std::move(kernels);
  patched.workspace = context.workspace;
  for (const Access& access : of.accesses())
    if (const auto found = binding_of_.find(access.variable->storage());
        found != binding_of_.end() && !copied_[found->second])
      patched.bound.push_back({bindings_[found->second].storage.get(), nullptr});
  return {};
}

// The caller's memory is in its place.
Status Graph::patch(Segment& segment, const TaskContext& context) {
  TaskContext changing = context;
  changing.device_random = segment.numbers.count ? device_random(*segment.device) : nullptr;
  for (Segment::Patched& each : segment.patched) {
    bool same = each.known;
    for (const Segment::Patched::Bound& bound : each.bound) same &= bound.storage->address() == bound.address;
    if (same) continue;  // mutation: call_keeps_an_address
    each.known = false;
    changing.workspace = each.workspace;
    RONDO_TRY(run_on_nodes(*each.task, segment, &each.kernels, changing));
    for (Segment::Patched::Bound& bound : each.bound) bound.address = bound.storage->address();
    each.known = true;
  }
  return {};
}

}  // namespace rondo
