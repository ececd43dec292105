// Calls without copies: kernels of captured segments that work on a call's inputs and outputs are given the caller's
// addresses before each launch that has others than the last one. For addresses that come back there are several
// executables of one segment, each for those that it was launched with last.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/caught.h"
#include "engine/device_state.h"
#include "graph/graph.h"

namespace rondo {

namespace {

// What it costs, in microseconds: to change the node of a kernel, to begin a copy on a device, to copy a MiB.
constexpr double kChangeUs = 0.25, kCopyUs = 2.5, kCopyMiBUs = 0.7;
// To make an executable, and each node of it; and how many there may be, for each takes some 10 KiB a node.
constexpr double kExecutableUs = 50, kExecutableNodeUs = 2;
constexpr size_t kMostExecutables = 4;

// No address of anybody's: a change has failed half way, or none was made.
constexpr char kNowhere = 0;

// Calls visit(i, storage) for each that is bound, i counting over all of the segment; false ends it.
template <class Visit>
bool all_bound(const Segment& segment, const Visit& visit) {
  size_t at = 0;
  for (const Segment::Patched& each : segment.patched)
    for (const Storage* storage : each.bound)
      if (!visit(at++, storage)) return false;
  return true;
}

bool is_for_what_is_bound(const Segment& segment, const Segment::Addresses& addresses) {
  return all_bound(segment, [&](size_t i, const Storage* storage) {
    return storage->address() == addresses[i];  // mutation: executable_of_others
  });
}

// Calls visit(task, first of its addresses) for each patched task whose nodes are for others than what is bound, as
// long as that is OK.
template <class Visit>
Status each_changed(Segment& segment, const Visit& visit) {
  auto end = segment.addresses.begin();
  for (Segment::Patched& each : segment.patched) {
    const auto known = end;
    bool same = true;
    for (const Storage* storage : each.bound) same &= storage->address() == *end++;
    if (same) continue;  // mutation: call_keeps_an_address
    RONDO_TRY(visit(each, known));
  }
  return {};
}

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
        if (!may_be_patched(i) || is_zeroed(i, found->first)) copied_[found->second] = true;
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
      patched.bound.push_back(bindings_[found->second].storage.get());
  segment.addresses.resize(segment.addresses.size() + patched.bound.size(), &kNowhere);
  return {};
}

// The caller's memory is in its place.
Status Graph::patch(Segment& segment, const TaskContext& context) {
  if (is_for_what_is_bound(segment, segment.addresses)) return {};
  take_executable(segment, context.stream);
  TaskContext changing = context;
  changing.device_random = segment.numbers.count ? device_random(*segment.device) : nullptr;
  return each_changed(segment, [&](Segment::Patched& each, Segment::Addresses::iterator known) -> Status {
    std::fill_n(known, each.bound.size(), &kNowhere);
    changing.workspace = each.workspace;
    RONDO_TRY(run_on_nodes(*each.task, segment, &each.kernels, changing));
    std::transform(each.bound.begin(), each.bound.end(), known,
                   [](const Storage* storage) { return storage->address(); });
    return {};
  });
}

// Launches what there is for these addresses, else what is made for them if that pays, else what was launched least
// lately. When the device's memory has run out since one was made all but one are given up.
void Graph::take_executable(Segment& segment, void* stream) {
  std::vector<Segment::Executable>& others = segment.others;
  if (!others.empty() && shortages(segment) != segment.shortages) {  // mutation: executables_stay_when_memory_is_short
    for (Segment::Executable& each : others) segment.device->streams()->graph_destroy(&each.native);
    others.clear();
    segment.executables.store(1, std::memory_order_relaxed);
  }
  auto found = std::find_if(others.begin(), others.end(), [&](const Segment::Executable& each) {
    return is_for_what_is_bound(segment, each.addresses);
  });
  if (found == others.end()) {
    if (executable_pays(segment)) make_executable(segment, stream);
    if (others.empty()) return;
    found = others.end() - 1;  // a new one stands there
  }
  std::rotate(others.begin(), found, found + 1);
  std::swap(others.front().native.exec, segment.native.exec);
  others.front().addresses.swap(segment.addresses);
}

// As much time has gone into changes for addresses that come back as an executable takes to make: so all of it together
// is never more than twice what was best, whatever calls come.
bool Graph::executable_pays(Segment& segment) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  all_bound(segment, [&](size_t, const Storage* storage) {
    hash = (hash ^ reinterpret_cast<uintptr_t>(storage->address())) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
    return true;
  });
  const bool comes_back = std::find(segment.lately.begin(), segment.lately.end(), hash) != segment.lately.end();
  if (!comes_back) {
    segment.lately[segment.calls_lately++ % segment.lately.size()] = hash;
    return false;
  }
  (void)each_changed(segment, [&](const Segment::Patched& each, Segment::Addresses::iterator) -> Status {
    segment.changed_us += kChangeUs * static_cast<double>(each.kernels.nodes.size());
    return {};
  });
  // Nodes that choose and collectives are of one executable; what settings have changed is known of one.
  if (segment.chooses || !segment.guards.empty() || !segment.changed.empty()) return false;
  if (segment.others.size() + 1 >= kMostExecutables) return false;
  return segment.changed_us >= kExecutableUs + kExecutableNodeUs * segment.native.nodes;
}

// Another one, for no addresses yet. Where there is no memory for it calls go on with those that there are.
void Graph::make_executable(Segment& segment, void* stream) {
  segment.changed_us = 0;
  segment.shortages = shortages(segment);
  StreamDevice& device = *segment.device->streams();
  NativeGraph made;
  made.graph = segment.native.graph;
  made.chain = segment.native.chain;
  const Status status = caught([&] {
    segment.others.reserve(kMostExecutables);
    Segment::Addresses nowhere(segment.addresses.size(), &kNowhere);
    RONDO_TRY(device.graph_instantiate(&made, stream));
    segment.others.push_back({made, std::move(nowhere)});
    return Status();
  });
  made.graph = nullptr;
  if (!status.ok()) {
    device.graph_destroy(&made);
    return;
  }
  segment.others.back().native.graph = nullptr;
  segment.executables.store(static_cast<uint32_t>(segment.others.size()) + 1, std::memory_order_relaxed);
}

int64_t Graph::shortages(const Segment& segment) const {
  const DeviceState* const state = engine_->existing_state(segment.device->id());
  return state ? state->pool.query().retries : 0;
}

}  // namespace rondo
