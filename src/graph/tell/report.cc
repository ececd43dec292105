// Writes the report of a graph: what passes did, its segments, and those of its bodies.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "engine/tensor.h"
#include "graph/tell/tell.h"

namespace rondo {
namespace {

// "1 task", "2 tasks".
std::string counted(int64_t n, const char* one, const char* many) {
  return format("%lld %s", static_cast<long long>(n), n == 1 ? one : many);
}

// Tells what passes did, segments, and the same of bodies.
std::string report_pieces(const GraphFacts& graph, const std::string& indent) {
  std::string text;
  for (const PassReport& pass : graph.passes) {
    if (pass.lines.empty()) continue;
    text += indent + format("pass %s: %zu nodes before, %zu after\n", pass.name, pass.before, pass.after);
    for (const std::string& line : pass.lines) text += indent + "  " + line + "\n";
  }
  for (size_t s = 0; s < graph.segments.size() && !graph.in_node; ++s) {
    const SegmentFacts& segment = graph.segments[s];
    text += indent + format("segment %zu on %s: %s, %s", s, device_name(segment.device->id()).c_str(),
                            segment.kind_text(), counted(segment.size(), "task", "tasks").c_str());
    if (segment.captured)
      text += format(", %s, %s", counted(segment.nodes, "node", "nodes").c_str(),
                     counted(segment.branches, "branch", "branches").c_str());
    // A cpu has no CUDA graphs, so a graph of cpu operators alone is not split by them.
    else if (segment.fell_back)
      text += format("; not captured: %s", segment.why_split.c_str());
    else if (graph.segments.size() > 1)
      text += format("; split at task %u: %s", segment.begin, segment.why_split.c_str());
    else if (!segment.device->is_host())
      text += format("; not captured: %s", segment.why_split.c_str());
    text += "\n";
  }
  for (size_t i = 0; i < graph.steps.size(); ++i)
    if (const std::string remark = graph.steps[i].task->remark(); !remark.empty())
      text += indent + format("task %zu '%s': %s\n", i, graph.steps[i].task->name(), remark.c_str());
  for (const ControlFacts& control : graph.controls)
    for (const BodyFacts& body : control.bodies) {
      text += indent +
              format("task %u '%s', %s: ", control.step, graph.steps[control.step].task->name(), body.name.c_str());
      if (!body.facts) {
        text += "nothing\n";
        continue;
      }
      const GraphFacts& inner = *body.facts;
      const std::string tasks = counted(static_cast<int64_t>(inner.steps.size()), "task", "tasks");
      if (control.node) {
        const int nodes = inner.segments.empty() ? 0 : inner.segments.front().nodes;
        text += tasks + ", " + counted(nodes, "node", "nodes") + " in a conditional node\n";
      } else {
        text += tasks + " in " + counted(static_cast<int64_t>(inner.segments.size()), "segment", "segments") + "\n";
      }
      text += report_pieces(inner, indent + "  ");
    }
  return text;
}

std::string report_bindings(const Graph& graph) {
  const Bindings& bindings = graph.bindings();
  std::string text;
  for (uint32_t i = 0; i < bindings.size(); ++i) {
    const Binding& each = bindings[i];
    View view;
    view.dtype = each.dtype;
    view.layout = each.layout;
    text += format("  call: %s, %s on %s: %s\n", bindings.name(i).c_str(), operand_text(view).c_str(),
                   device_name(each.storage->device().id()).c_str(),
                   each.copied            ? "copied, for a library works on it or too many kernels do"
                   : bindings.is_input(i) ? "read where the caller has it"
                                          : "written where the caller wants it");
  }
  if (graph.facts().info.call_kernels)
    text += format("  call: %d kernel%s the caller's addresses\n", graph.facts().info.call_kernels,
                   graph.facts().info.call_kernels == 1 ? " takes" : "s take");
  for (size_t i = 0; i < graph.replicas(); ++i)
    for (const std::unique_ptr<Segment>& segment : graph.replica(i).segments)
      if (const uint32_t executables = segment->executables(); executables > 1)
        text += format("  call: %u executables on %s, each for addresses that came back\n", executables,
                       device_name(segment->device().id()).c_str());
  if (graph.replicas() > 1)
    text += format("  call: %zu arenas, so that %zu calls may overlap\n", graph.replicas(), graph.replicas());
  if (!graph.facts().why_serial.empty())
    text += "  call: 1 arena, so that calls come one after the other: " + graph.facts().why_serial + "\n";
  return text;
}

}  // namespace

std::string report_text(const Graph& graph) {
  const GraphFacts& facts = graph.facts();
  const rondo_graph_info info = graph.query();
  std::string text =
      format("graph '%s': %s in %s, %d captured, %s, %s, %s", graph.name(),
             counted(info.tasks, "task", "tasks").c_str(), counted(info.segments, "segment", "segments").c_str(),
             info.captured, counted(info.nodes, "node", "nodes").c_str(), counted(info.edges, "edge", "edges").c_str(),
             counted(info.branches, "branch", "branches").c_str());
  if (info.conditional_nodes)
    text += format(", %s", counted(info.conditional_nodes, "conditional node", "conditional nodes").c_str());
  text += "\n";
  if (info.programmatic)
    text += format("  edges: %d of %d programmatic, by which a kernel starts before the one before it has ended\n",
                   info.programmatic, info.edges);
  text += report_pieces(facts, "  ");
  text += graph.settings().report();
  text += report_bindings(graph);
  text +=
      format("  memory: temporaries %lld bytes in %s of %lld, %d of them in an operand's place, outputs %lld bytes\n",
             static_cast<long long>(info.temporary_bytes),
             info.arenas == 1 ? "an arena" : format("%d arenas", info.arenas).c_str(),
             static_cast<long long>(info.arena_bytes), facts.in_place, static_cast<long long>(info.output_bytes));
  if (facts.packed)
    text += format("  weights: %s packed copies of %zu bytes\n",
                   facts.packed == 1 ? "1 product reads" : format("%d products read", facts.packed).c_str(),
                   facts.packed_bytes);
  text += format("  times: record %.3f ms, prepare %.3f ms, capture %.3f ms; launched %s\n", info.record_ms,
                 info.prepare_ms, info.capture_ms, counted(info.launches, "time", "times").c_str());
  return text + graph.last_profile();
}

}  // namespace rondo
