// Changes the addresses in the kernels of a captured segment to those that a call gives.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/patched.h"

#include <algorithm>
#include <utility>

#include "base/caught.h"
#include "engine/tasks/device_state.h"

namespace rondo {

namespace {

// The cost, in microseconds, of changing the node of a kernel.
constexpr double kChangeUs = 0.25;
// To make an executable, and each node of it; and how many there may be, for each takes some 10 KiB a node.
constexpr double kExecutableUs = 50, kExecutableNodeUs = 2;
constexpr size_t kMostExecutables = 4;

// No address of anybody's: a change has failed half way, or none was made.
constexpr char kNowhere = 0;

int64_t shortages(const Engine& engine, const Device& device) {
  const DeviceState* const state = engine.existing_state(device.id());
  return state ? state->pool.query().retries : 0;
}

}  // namespace

// Calls visit(i, storage) for each that is bound, i counting over all of the segment; false ends it.
template <class Visit>
bool PatchedKernels::all_bound(const Visit& visit) const {
  size_t at = 0;
  for (const Patched& each : tasks_)
    for (const Storage* storage : each.bound)
      if (!visit(at++, storage)) return false;
  return true;
}

bool PatchedKernels::is_for_what_is_bound(const Addresses& addresses) const {
  return all_bound([&](size_t i, const Storage* storage) {
    return storage->address() == addresses[i];  // mutation: executable_of_others
  });
}

// Calls visit(task, first of its addresses) for each patched task whose nodes are for others than what is bound, as
// long as that is OK.
template <class Visit>
Status PatchedKernels::each_changed(const Visit& visit) {
  auto end = addresses_.begin();
  for (Patched& each : tasks_) {
    const auto known = end;
    bool same = true;
    for (const Storage* storage : each.bound) same &= storage->address() == *end++;
    if (same) continue;  // mutation: call_keeps_an_address
    RONDO_TRY(visit(each, known));
  }
  return {};
}

int32_t PatchedKernels::count() const {
  size_t count = 0;
  for (const Patched& each : tasks_) count += each.kernels.nodes.size();
  return static_cast<int32_t>(count);
}

void PatchedKernels::add(Task& task, KernelNodes kernels, void* workspace, std::vector<const Storage*> bound) {
  addresses_.resize(addresses_.size() + bound.size(), &kNowhere);
  tasks_.push_back({&task, std::move(kernels), workspace, std::move(bound)});
}

void PatchedKernels::destroy_others(StreamDevice& streams) {
  for (Executable& each : others_) streams.graph_destroy(&each.native);
  others_.clear();
  executables_.store(1, std::memory_order_relaxed);
}

Status PatchedKernels::patch(Engine& engine, Device& device, bool several, NativeGraph* native,
                             const TaskContext& context) {
  if (is_for_what_is_bound(addresses_)) return {};
  take_executable(engine, device, several, native, context.stream);
  TaskContext changing = context;
  return each_changed([&](Patched& each, Addresses::iterator known) -> Status {
    std::fill_n(known, each.bound.size(), &kNowhere);
    changing.workspace = each.workspace;
    RONDO_TRY(run_on_nodes(*each.task, *native, &each.kernels, changing));
    std::transform(each.bound.begin(), each.bound.end(), known,
                   [](const Storage* storage) { return storage->address(); });
    return {};
  });
}

// Launches what there is for these addresses, else what is made for them if that pays, else what was launched least
// lately. When the device's memory has run out since one was made all but one are given up.
void PatchedKernels::take_executable(Engine& engine, Device& device, bool several, NativeGraph* native, void* stream) {
  if (!others_.empty() && shortages(engine, device) != shortages_)  // mutation: executables_stay_when_memory_is_short
    destroy_others(*device.streams());
  auto found = std::find_if(others_.begin(), others_.end(),
                            [&](const Executable& each) { return is_for_what_is_bound(each.addresses); });
  if (found == others_.end()) {
    if (executable_pays(*native, several)) make_executable(engine, device, *native, stream);
    if (others_.empty()) return;
    found = others_.end() - 1;  // a new one stands there
  }
  std::rotate(others_.begin(), found, found + 1);
  std::swap(others_.front().native.exec, native->exec);
  others_.front().addresses.swap(addresses_);
}

// As much time has gone into changes for addresses that come back as an executable takes to make: so all of it together
// is never more than twice what was best, whatever calls come.
bool PatchedKernels::executable_pays(const NativeGraph& native, bool several) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  all_bound([&](size_t, const Storage* storage) {
    hash = (hash ^ reinterpret_cast<uintptr_t>(storage->address())) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
    return true;
  });
  const bool comes_back = std::find(lately_.begin(), lately_.end(), hash) != lately_.end();
  if (!comes_back) {
    lately_[calls_lately_++ % lately_.size()] = hash;
    return false;
  }
  (void)each_changed([&](const Patched& each, Addresses::iterator) -> Status {
    changed_us_ += kChangeUs * static_cast<double>(each.kernels.nodes.size());
    return {};
  });
  if (!several || others_.size() + 1 >= kMostExecutables) return false;
  return changed_us_ >= kExecutableUs + kExecutableNodeUs * native.nodes;
}

// Makes another one, for no addresses yet. If there is no memory for it calls go on with those that there are.
void PatchedKernels::make_executable(Engine& engine, Device& device, const NativeGraph& native, void* stream) {
  changed_us_ = 0;
  shortages_ = shortages(engine, device);
  StreamDevice& streams = *device.streams();
  NativeGraph made;
  made.graph = native.graph;
  made.chain = native.chain;
  const Status status = caught([&] {
    others_.reserve(kMostExecutables);
    Addresses nowhere(addresses_.size(), &kNowhere);
    RONDO_TRY(streams.graph_instantiate(&made, stream));
    others_.push_back({made, std::move(nowhere)});
    return Status();
  });
  made.graph = nullptr;
  if (!status.ok()) {
    streams.graph_destroy(&made);
    return;
  }
  others_.back().native.graph = nullptr;
  executables_.store(static_cast<uint32_t>(others_.size()) + 1, std::memory_order_relaxed);
}

Status run_on_nodes(Task& task, const NativeGraph& native, KernelNodes* kernels, TaskContext context) {
  kernels->graph = &native;
  kernels->next = 0;
  context.kernels = kernels;
  return task.run(context);
}

}  // namespace rondo
