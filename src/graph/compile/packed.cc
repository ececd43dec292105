// Finds the tasks that keep packed copies of their weights: of tensors from outside that no task of the graph writes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "base/caught.h"
#include "graph/compile/compiler.h"
#include "graph/run/segment_run.h"
#include "ops/task/packs_weights.h"

namespace rondo {

namespace {

using Written = std::unordered_set<const Variable*>;
using Seen = std::unordered_set<const GraphFacts*>;

// The engine counts the writes of a graph when a run of it has ended, too late for a graph that it launches. A graph
// may be launched many times, at each depth: each is looked at once.
void read_unpacked(const GraphFacts& graph, const Written& written, Seen* seen) {
  if (!seen->insert(&graph).second) return;
  for (const Step& step : graph.steps) {
    auto* const task = dynamic_cast<ops::PacksWeights*>(step.task.get());
    if (task && written.count(&task->weights())) task->read_unpacked();  // mutation: weights_packed_inside
    if (const SegmentRun* const run = launch_of(step)) read_unpacked(run->graph().facts(), written, seen);
  }
  for (const ControlFacts& control : graph.controls)
    for (const BodyFacts& body : control.bodies)
      if (body.facts) read_unpacked(*body.facts, written, seen);
}

}  // namespace

// The outermost graph does it for all of its bodies.
void GraphCompiler::pack_weights() {
  std::vector<const Step*> steps;
  list_steps(&steps);
  Written written;
  Seen seen;
  for (const Step* step : steps)
    for (const Access& access : step->task->accesses())
      if (access.write) written.insert(access.variable);
  for (const Step* step : steps) {
    if (const SegmentRun* const run = launch_of(*step)) read_unpacked(run->graph().facts(), written, &seen);
    auto* const packs = dynamic_cast<ops::PacksWeights*>(step->task.get());
    if (!packs || packs->packed_bytes() == 0 || written.count(&packs->weights()) ||  // mutation: written_weights_packed
        bindings_.find(&packs->weights()))
      continue;
    // Without a copy it computes the same.
    if (!caught([&] { return packs->keep_packed(); }).ok()) continue;
    facts_.packed_bytes += packs->packed_bytes();
    ++facts_.packed;
  }
}

}  // namespace rondo
