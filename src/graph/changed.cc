// What settings change of a graph: which tensors must stay as they are where a section is off, and the nodes of
// captured segments, which are changed before a launch that wants them otherwise than they are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <unordered_set>

#include "graph/graph.h"

namespace rondo {

// What a section may leave as it is has memory of its own: the arena would give its place to something else. It begins
// as zeros, for a section may be off from the first launch on.
Status Graph::clear_kept() {
  for (const Ref<Storage>& storage : storages_) {
    if (!kept_.count(storage.get()) || !storage->address()) continue;
    StreamDevice* const device = storage->device().streams();
    if (!device) {
      std::memset(storage->address(), 0, storage->bytes());
      continue;
    }
    void* stream = nullptr;
    RONDO_TRY(device->stream_create(false, &stream));
    Status status = device->fill_bytes(storage->address(), 0, storage->bytes(), stream);
    if (status.ok()) status = device->stream_synchronize(stream);
    device->stream_destroy(stream);
    RONDO_TRY(status);
  }
  return {};
}

// Whether what a setting changes of a captured task can be changed in the graph.
bool Graph::changes_in_graph(uint32_t task, const char** why) const {
  StreamDevice* const device = steps_[task].task->device().streams();
  if (!device) return true;
  if (is_switched(task) && steps_[task].task->wants_launches()) {
    *why = "is a collective in a section";
    return false;
  }
  return (!is_switched(task) || device->graph_changes(GraphChange::enabled, why)) &&
         (!is_parameter(task) || device->graph_changes(GraphChange::kernel, why));
}

Status Graph::note_changed(Segment& segment, uint32_t task, void* stream, KernelNodes kernels,
                           const std::vector<void*>& before) {
  const bool kernels_alone = steps_[task].task->own_kernels() > 0;
  std::vector<void*> nodes = kernels.nodes;
  if (is_parameter(task)) {
    if (kernels.nodes.size() != 1)
      return error(RONDO_INTERNAL, "a parameter was captured as %zu kernels; it is one", kernels.nodes.size());
    const uint32_t setting = steps_[task].parameter;
    segment.changed.push_back({setting, settings_->word(setting), true, steps_[task].task.get(), std::move(kernels)});
  }
  if (!is_switched(task)) return {};
  StreamDevice& device = *segment.device->streams();
  if (!kernels_alone) RONDO_TRY(device.captured_nodes(stream, &nodes));
  const std::unordered_set<void*> old(before.begin(), before.end());
  const uint32_t setting = steps_[task].section;
  const auto [known, fresh] = segment.switched.try_emplace(setting, segment.changed.size());
  if (fresh) segment.changed.push_back({setting, 1, true, nullptr, {}});
  Segment::Changed* const found = &segment.changed[known->second];
  for (void* const node : nodes) {
    bool switches = false;
    if (old.count(node)) continue;
    RONDO_TRY(device.graph_node_switches(node, &switches));
    if (switches) found->kernels.nodes.push_back(node);
  }
  return {};
}

Status Graph::change(Segment& segment, const TaskContext& context) {
  for (Segment::Changed& each : segment.changed) {
    const uint64_t word = context.settings[each.setting];
    if (each.known && each.word == word) continue;
    each.known = false;
    if (each.parameter) {
      RONDO_TRY(run_on_nodes(*each.parameter, segment, &each.kernels, context));
    } else {
      for (void* node : each.kernels.nodes)
        RONDO_TRY(segment.device->streams()->graph_enable(segment.native, node, word != 0));
    }
    each.word = word;
    each.known = true;
  }
  return {};
}

// Gives the kernels of a captured task the arguments that a run has now.
Status Graph::run_on_nodes(Task& task, const Segment& segment, KernelNodes* kernels, TaskContext context) {
  kernels->graph = &segment.native;
  kernels->next = 0;
  context.kernels = kernels;
  return task.run(context);
}

}  // namespace rondo
