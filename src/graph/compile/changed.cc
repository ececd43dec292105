// Notes the nodes of captured segments that settings change; they are changed before a launch that wants them otherwise
// than they are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "graph/compile/compiler.h"

namespace rondo {

// Tells whether what a setting changes of a captured task can be changed in the graph.
bool GraphCompiler::changes_in_graph(uint32_t step, const char** why) const {
  const Step& of = facts_.steps[step];
  StreamDevice* const device = of.task->device().streams();
  if (!device) return true;
  if (of.is_switched() && of.task->wants_before_launch()) {
    *why = "is a collective in a section";
    return false;
  }
  return (!of.is_switched() || device->graph_changes(GraphChange::enabled, why)) &&
         (!of.is_parameter() || device->graph_changes(GraphChange::kernel, why));
}

Status GraphCompiler::note_changed(CapturedSegment* segment, const Step& of, void* stream, KernelNodes kernels,
                                   const std::vector<void*>& before, Switched* switched) const {
  const bool kernels_alone = of.task->own_kernels() > 0;
  std::vector<void*> nodes = kernels.nodes;
  if (of.is_parameter()) {
    if (kernels.nodes.size() != 1)
      return error(RONDO_INTERNAL, "a parameter was captured as %zu kernels; it is one", kernels.nodes.size());
    const uint64_t word = recorded_.settings->word(of.parameter);
    segment->changes().push_back({of.parameter, word, true, of.task.get(), std::move(kernels)});
  }
  if (!of.is_switched()) return {};
  StreamDevice& device = *segment->device().streams();
  if (!kernels_alone) RONDO_TRY(device.captured_nodes(stream, &nodes));
  const std::unordered_set<void*> old(before.begin(), before.end());
  std::vector<CapturedSegment::Changed>& changes = segment->changes();
  const auto [known, fresh] = switched->try_emplace(of.section, changes.size());
  if (fresh) changes.push_back({of.section, 1, true, nullptr, {}});
  std::vector<void*>& found = changes[known->second].kernels.nodes;
  for (void* const node : nodes) {
    bool switches = false;
    if (old.count(node)) continue;
    RONDO_TRY(device.graph_node_switches(node, &switches));
    if (switches) found.push_back(node);
  }
  return {};
}

}  // namespace rondo
