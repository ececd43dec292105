// A graph that is launched or called inside a recording becomes nodes of that: the same tasks, on memory of the new
// one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/tasks/making_limit.h"
#include "graph/recording.h"
#include "graph/run/segment_run.h"

namespace rondo {

namespace {

// Lists the tasks of a graph, on memory that takes the place of some of its own; temporaries are made for it.
// A node costs as much as one that is read from a file.
Status inline_graph(const Graph& graph, Rebinding* memory, std::vector<Ref<Storage>>* made,
                    std::vector<InlinedNode>* nodes) {
  const GraphFacts& facts = graph.facts();
  std::optional<MakingScope> limited;
  if (const MakingLimits* const limits = graph.making()) limited.emplace(*limits);  // mutation: inlined_without_an_end
  for (const Made& each : facts.made) {
    if (each.role != ops::ValueRole::temporary) continue;
    const Storage& storage = *each.storage;
    made->push_back(make_ref<Storage>(graph.engine(), storage.device(), storage.bytes(), storage.pinned()));
    memory->put(storage, *made->back());
  }
  std::vector<TaskOperand> operands;
  for (const Step& step : facts.steps) {
    RONDO_TRY(MakingLimit::check());
    operands.clear();
    step.task->list_operands(&operands);
    RONDO_TRY(MakingLimit::take(node_bytes(std::max<size_t>(operands.size(), step.task->accesses().size()))));
    nodes->push_back({step.task->again(*memory), step.call, step.random_offset, step.operators(), step.site()});
  }
  return {};
}

}  // namespace

// The launches of graphs among the tasks taken, as nodes: by the launch's first task. The storages that these need are
// the recording's.
Recording::Inlined Recording::inline_from(size_t first) {
  Inlined inlined;
  not_inlined = {};
  if (as_written) return inlined;
  for (size_t i = first; i < taken_.size(); ++i) {
    if (const ops::Call* const known = call(i); known && !std::holds_alternative<ops::LaunchCall>(known->of)) continue;
    const auto* run = dynamic_cast<const SegmentRun*>(taken_[i].task.get());
    if (!run || run->graph().facts().not_inlinable) continue;
    const size_t segments = run->graph().facts().segments.size();
    Rebinding memory;
    for (size_t k = 0; k < segments; ++k)
      static_cast<const SegmentRun*>(taken_[i + k].task.get())->list_places(&memory);
    unkept |= run->graph().facts().unkept;  // mutation: graphs_of_strangers_inlined_as_trusted
    if (const Status status = inline_graph(run->graph(), &memory, &storages, &inlined[i]); !status.ok())
      not_inlined = error(status.code(), "'%s' is taken into it: %s", run->graph().name(), status.message());
    i += segments - 1;
  }
  return inlined;
}

}  // namespace rondo
