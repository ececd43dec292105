// The report for people and the DOT picture. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/text.h"
#include "graph/graph.h"

namespace rondo {

namespace {

const char* kind_text(Segment::Kind kind) {
  switch (kind) {
    case Segment::Kind::captured: return "CUDA graph";
    case Segment::Kind::device: return "device tasks, not captured";
    case Segment::Kind::host: return "host tasks";
  }
  return "";
}

}  // namespace

std::string Graph::report() const {
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  query(&info);
  std::string text =
      format("graph '%s': %d tasks in %d segment%s, %d captured, %d nodes, %d edges, %d branches\n", name_, info.tasks,
             info.segments, info.segments == 1 ? "" : "s", info.captured, info.nodes, info.edges, info.branches);
  for (size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    text += format("  segment %zu on %s: %s, %zu tasks", s, device_name(segment.device->id()).c_str(),
                   kind_text(segment.kind), segment.tasks.size());
    if (segment.kind == Segment::Kind::captured)
      text += format(", %d nodes, %d branches", segment.native.nodes, segment.branches);
    // A cpu has no CUDA graphs, so a graph of cpu operators alone is not split by them.
    else if (segments_.size() > 1)
      text += format("; split at task %u: %s", segment.tasks.front(), segment.why_split.c_str());
    text += "\n";
  }
  text += format("  memory: temporaries %lld bytes in an arena of %lld, outputs %lld bytes\n",
                 static_cast<long long>(info.temporary_bytes), static_cast<long long>(info.arena_bytes),
                 static_cast<long long>(info.output_bytes));
  text += format("  times: record %.3f ms, prepare %.3f ms, capture %.3f ms; launched %lld times\n", info.record_ms,
                 info.prepare_ms, info.capture_ms, static_cast<long long>(info.launches));
  return text;
}

Status Graph::write_dot(const char* path) const {
  std::FILE* file = std::fopen(path, "w");
  if (!file) return error(RONDO_IO_ERROR, "the file '%s' cannot be opened for writing: %m", path);
  auto quoted = [](const char* text) {
    std::string out;
    for (const char* c = text; *c; ++c) out += *c == '"' || *c == '\\' ? std::string("\\") + *c : std::string(1, *c);
    return out;
  };
  std::fprintf(file,
               "digraph \"%s\" {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef3fb\", "
               "fontname=\"sans-serif\"];\n",
               quoted(name_).c_str());
  for (size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    std::fprintf(
        file,
        "  subgraph cluster_%zu {\n    label=\"segment %zu on %s: %s\"; color=\"#8899aa\"; fontname=\"sans-serif\";\n",
        s, s, device_name(segment.device->id()).c_str(), kind_text(segment.kind));
    for (const uint32_t i : segment.tasks)
      std::fprintf(file, "    t%u [label=\"%s\"];\n", i, quoted(tasks_[i]->name()).c_str());
    std::fputs("  }\n", file);
  }
  for (uint32_t i = 0; i < predecessors_.size(); ++i)
    for (const uint32_t before : predecessors_[i]) std::fprintf(file, "  t%u -> t%u;\n", before, i);
  std::fputs("}\n", file);
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) return error(RONDO_IO_ERROR, "writing the file '%s' failed: %m", path);
  return {};
}

}  // namespace rondo
