// The report for people. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "graph/graph.h"

namespace rondo {

const char* Segment::kind_text() const {
  switch (kind) {
    case Kind::captured: return "CUDA graph";
    case Kind::device: return "device tasks, not captured";
    case Kind::host: return "host tasks";
  }
  return "";
}

std::string Graph::report() const {
  const rondo_graph_info info = query();
  std::string text =
      format("graph '%s': %d tasks in %d segment%s, %d captured, %d nodes, %d edges, %d branches\n", name_, info.tasks,
             info.segments, info.segments == 1 ? "" : "s", info.captured, info.nodes, info.edges, info.branches);
  for (size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    text += format("  segment %zu on %s: %s, %zu tasks", s, device_name(segment.device->id()).c_str(),
                   segment.kind_text(), segment.tasks.size());
    if (segment.kind == Segment::Kind::captured)
      text += format(", %d nodes, %d branches", segment.native.nodes, segment.branches);
    // A cpu has no CUDA graphs, so a graph of cpu operators alone is not split by them.
    else if (segments_.size() > 1)
      text += format("; split at task %u: %s", segment.tasks.front(), segment.why_split.c_str());
    text += "\n";
  }
  for (size_t i = 0; i < tasks_.size(); ++i)
    if (const std::string remark = tasks_[i]->remark(); !remark.empty())
      text += format("  task %zu '%s': %s\n", i, tasks_[i]->name(), remark.c_str());
  text += format("  memory: temporaries %lld bytes in an arena of %lld, outputs %lld bytes\n",
                 static_cast<long long>(info.temporary_bytes), static_cast<long long>(info.arena_bytes),
                 static_cast<long long>(info.output_bytes));
  text += format("  times: record %.3f ms, prepare %.3f ms, capture %.3f ms; launched %lld times\n", info.record_ms,
                 info.prepare_ms, info.capture_ms, static_cast<long long>(info.launches));
  return text;
}

}  // namespace rondo
