// Writes the report of a graph for people: its segments, its tasks and its bodies.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "graph/control.h"

namespace rondo {
namespace {

// "1 task", "2 tasks".
std::string counted(int64_t n, const char* one, const char* many) {
  return format("%lld %s", static_cast<long long>(n), n == 1 ? one : many);
}

}  // namespace

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
      format("graph '%s': %s in %s, %d captured, %s, %s, %s", name_, counted(info.tasks, "task", "tasks").c_str(),
             counted(info.segments, "segment", "segments").c_str(), info.captured,
             counted(info.nodes, "node", "nodes").c_str(), counted(info.edges, "edge", "edges").c_str(),
             counted(info.branches, "branch", "branches").c_str());
  if (info.conditional_nodes)
    text += format(", %s", counted(info.conditional_nodes, "conditional node", "conditional nodes").c_str());
  text += "\n";
  if (info.programmatic)
    text += format("  edges: %d of %d programmatic, by which a kernel starts before the one before it has ended\n",
                   info.programmatic, info.edges);
  text += report_pieces("  ");
  text += settings_->report();
  text += report_bindings();
  text += format(
      "  memory: temporaries %lld bytes in an arena of %lld, %d of them in an operand's place, outputs %lld bytes\n",
      static_cast<long long>(info.temporary_bytes), static_cast<long long>(info.arena_bytes), in_place(),
      static_cast<long long>(info.output_bytes));
  text += format("  times: record %.3f ms, prepare %.3f ms, capture %.3f ms; launched %s\n", info.record_ms,
                 info.prepare_ms, info.capture_ms, counted(info.launches, "time", "times").c_str());
  const std::lock_guard lock(measured_mutex_);
  return text + measured_;
}

// What passes did, segments, and the same of bodies.
std::string Graph::report_pieces(const std::string& indent) const {
  std::string text;
  for (const PassReport& pass : passes_) {
    if (pass.lines.empty()) continue;
    text += indent + format("pass %s: %zu nodes before, %zu after\n", pass.name, pass.before, pass.after);
    for (const std::string& line : pass.lines) text += indent + "  " + line + "\n";
  }
  for (size_t s = 0; s < segments_.size() && !inside_; ++s) {
    const Segment& segment = segments_[s];
    text +=
        indent + format("segment %zu on %s: %s, %s", s, device_name(segment.device->id()).c_str(), segment.kind_text(),
                        counted(static_cast<int64_t>(segment.tasks.size()), "task", "tasks").c_str());
    if (segment.kind == Segment::Kind::captured)
      text += format(", %s, %s", counted(segment.native.nodes, "node", "nodes").c_str(),
                     counted(segment.branches, "branch", "branches").c_str());
    // A cpu has no CUDA graphs, so a graph of cpu operators alone is not split by them.
    else if (segment.fell_back)
      text += format("; not captured: %s", segment.why_split.c_str());
    else if (segments_.size() > 1)
      text += format("; split at task %u: %s", segment.tasks.front(), segment.why_split.c_str());
    else if (segment.kind == Segment::Kind::device)
      text += format("; not captured: %s", segment.why_split.c_str());
    text += "\n";
  }
  for (size_t i = 0; i < tasks_.size(); ++i)
    if (const std::string remark = tasks_[i]->remark(); !remark.empty())
      text += indent + format("task %zu '%s': %s\n", i, tasks_[i]->name(), remark.c_str());
  for (const auto& [task, inner] : controls_)
    for (const Body& body : inner->bodies()) {
      text += indent + format("task %u '%s', %s: ", task, inner->name(), body.name.c_str());
      if (!body.graph) {
        text += "nothing\n";
        continue;
      }
      const Graph& graph = *body.graph;
      const std::string tasks = counted(static_cast<int64_t>(graph.tasks_.size()), "task", "tasks");
      if (inner->node()) {
        const int nodes = graph.segments_.empty() ? 0 : graph.segments_.front().native.nodes;
        text += tasks + ", " + counted(nodes, "node", "nodes") + " in a conditional node\n";
      } else {
        text += tasks + " in " + counted(static_cast<int64_t>(graph.segments_.size()), "segment", "segments") + "\n";
      }
      text += graph.report_pieces(indent + "  ");
    }
  return text;
}

}  // namespace rondo
