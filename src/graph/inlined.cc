// A graph that is launched or called inside a recording becomes nodes of that: the same tasks, on memory of the new
// one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/user_task.h"
#include "graph/launch.h"

namespace rondo {

// Found when the graph is made, so that a recording need not try.
const char* Graph::why_apart() const {
  if (!settings_->empty()) return "is a launch of another graph, which has parameters or sections";
  if (!controls_.empty()) return "is a launch of another graph, which has control flow";
  for (uint32_t i = 0; i < steps_.size(); ++i)
    if (!steps_[i].call && (dynamic_cast<const UserTask*>(steps_[i].task.get()) || !steps_[i].task->again({})))
      return "is a launch of another graph, one of whose tasks cannot be part of a second one";
  return nullptr;
}

void Graph::inline_into(Rebinding* memory, std::vector<Ref<Storage>>* made, std::vector<InlinedNode>* nodes) const {
  for (const Ref<Storage>& storage : storages_) {
    if (memory->moves(*storage) || outputs_.count(storage.get())) continue;
    made->push_back(make_ref<Storage>(*engine_, storage->device(), storage->bytes(), storage->pinned()));
    memory->put(*storage, *made->back());
  }
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    nodes->push_back({step.task->again(*memory), step.call, step.random_offset, step.operators(), step.site()});
  }
}

// What is taken as launches of graphs, as nodes: by the launch's first task. The storages that these need are the
// recording's.
Recording::Inlined Recording::inline_from(size_t first) {
  Inlined inlined;
  if (as_written) return inlined;
  for (size_t i = first; i < taken_.size(); ++i) {
    const auto* run = dynamic_cast<const SegmentRun*>(taken_[i].task.get());
    if (!run || run->graph().apart()) continue;
    const size_t segments = run->graph().segments();
    Rebinding memory;
    for (size_t k = 0; k < segments; ++k)
      static_cast<const SegmentRun*>(taken_[i + k].task.get())->list_places(&memory);
    run->graph().inline_into(&memory, &storages, &inlined[i]);
    i += segments - 1;
  }
  return inlined;
}

}  // namespace rondo
