// What settings change of a graph: the nodes of captured segments, which are changed before a launch that wants them
// otherwise than they are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "graph/graph.h"

namespace rondo {

// Whether what a setting changes of a captured task can be changed in the graph.
bool Graph::changes_in_graph(uint32_t task, const char** why) const {
  StreamDevice* const device = tasks_[task]->device().streams();
  if (!device) return true;
  if (is_switched(task) && tasks_[task]->wants_launches()) {
    *why = "is a collective in a section";
    return false;
  }
  return (!is_switched(task) || device->graph_changes(GraphChange::enabled, why)) &&
         (!is_parameter(task) || device->graph_changes(GraphChange::kernel, why));
}

Status Graph::note_changed(Segment& segment, uint32_t task, void* stream, KernelNodes kernels,
                           const std::vector<void*>& before) {
  const bool kernels_alone = tasks_[task]->own_kernels() > 0;
  std::vector<void*> nodes = kernels.nodes;
  if (is_parameter(task)) {
    if (kernels.nodes.size() != 1)
      return error(RONDO_INTERNAL, "a parameter was captured as %zu kernels; it is one", kernels.nodes.size());
    const uint32_t setting = parameter_of_[task];
    segment.changed.push_back({setting, settings_->word(setting), true, tasks_[task].get(), std::move(kernels)});
  }
  if (!is_switched(task)) return {};
  StreamDevice& device = *segment.device->streams();
  if (!kernels_alone) RONDO_TRY(device.captured_nodes(stream, &nodes));
  const std::unordered_set<void*> old(before.begin(), before.end());
  const uint32_t setting = section_of_[task];
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
