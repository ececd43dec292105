// Writes a profile as text for people to read, and as JSON for programs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "engine/shown.h"
#include "engine/tensor.h"
#include "graph/profile.h"

namespace rondo {

namespace {

constexpr size_t kShown = 20;  // of the tasks, those that take longest; all of them are in the JSON

const char* plural(size_t n) {
  return n == 1 ? "" : "s";
}

}  // namespace

std::string Profile::text() const {
  const Part& whole = parts_[0];
  const Path path = critical();
  std::string text =
      format("  profile: %zu task%s one after the other took %.3f us; critical path %.3f us:", whole.tasks.size(),
             plural(whole.tasks.size()), total(), path.us);
  for (size_t i = 0; i < path.tasks.size() && i < kShown; ++i)
    text += format("%s %u '%s'", i ? "," : "", path.tasks[i], whole.graph->tasks_[path.tasks[i]]->name());
  if (path.tasks.size() > kShown) text += format(" and %zu more", path.tasks.size() - kShown);
  text += "\n";
  struct Line {
    double us;
    std::string text;
  };
  std::vector<Line> lines;
  const double all = total() > 0 ? total() : 1;
  const auto line = [&](const Times& times, const std::string& what) {
    lines.push_back({times.us, format("%5.1f %% %12.3f us  ", 100 * times.us / all, times.us) + what +
                                   (times.runs > 1 ? format(", %lld times", static_cast<long long>(times.runs)) : "")});
  };
  for (const Part& part : parts_)
    for (size_t i = 0; i < part.tasks.size(); ++i) {
      if (!part.tasks[i].runs) continue;
      const Task& task = *part.graph->tasks_[i];
      std::vector<TaskOperand> operands;
      task.list_operands(&operands);
      line(part.tasks[i], format("%s%stask %zu '%s' on %s", part.body.c_str(), part.body.empty() ? "" : ": ", i,
                                 task.name(), device_name(task.device().id()).c_str()) +
                              (operands.empty() ? "" : " (" + operands_text(operands) + ")") +
                              part.graph->recorded_at(task));
    }
  for (size_t s = 0; s < whole.segments.size(); ++s)
    if (whole.segments[s].runs)
      line(whole.segments[s],
           format("segment %zu as a whole, for it holds %s: %zu task%s on %s", s,
                  whole.graph->segments_[s].chooses ? "control flow" : "collectives",
                  whole.graph->segments_[s].tasks.size(), plural(whole.graph->segments_[s].tasks.size()),
                  device_name(whole.graph->segments_[s].device->id()).c_str()));
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.us > b.us; });
  for (size_t i = 0; i < lines.size() && i < kShown; ++i) text += "    " + lines[i].text + "\n";
  if (lines.size() > kShown) text += format("    and %zu more, each of which took less\n", lines.size() - kShown);
  return text;
}

// What tests/conformance and `rondo graph` read.
std::string Profile::json() const {
  const Part& whole = parts_[0];
  const Path path = critical();
  const double all = total();
  std::string text =
      format("{\"rondo_profile\":1,\n\"graph\":%s,\n\"total_us\":%.3f,\n\"critical_us\":%.3f,\n\"critical_path\":[",
             json_text(whole.graph->name()).c_str(), all, path.us);
  for (size_t i = 0; i < path.tasks.size(); ++i) text += format("%s%u", i ? "," : "", path.tasks[i]);
  text += "],\n\"segments\":[";
  for (size_t s = 0; s < whole.graph->segments_.size(); ++s) {
    const Segment& segment = whole.graph->segments_[s];
    const Times& times = whole.segments[s];
    text += format("%s\n{\"segment\":%zu,\"device\":\"%s\",\"kind\":\"%s\",\"tasks\":%zu", s ? "," : "", s,
                   device_name(segment.device->id()).c_str(), segment.kind_text(), segment.tasks.size());
    if (times.runs) text += format(",\"start_us\":%.3f,\"us\":%.3f", times.begin - start_, times.us);
    text += "}";
  }
  text += "],\n\"tasks\":[";
  bool first = true;
  for (const Part& part : parts_)
    for (uint32_t i = 0; i < part.tasks.size(); ++i) {
      const Graph& graph = *part.graph;
      const Task& task = *graph.tasks_[i];
      const Times& times = part.tasks[i];
      text += std::exchange(first, false) ? "\n" : ",\n";
      text += format("{\"task\":%u,\"name\":%s,\"device\":\"%s\",\"segment\":%d,\"branch\":%d,\"runs\":%lld", i,
                     json_text(task.name()).c_str(), device_name(task.device().id()).c_str(), graph.segment_of_[i],
                     graph.branch_of_[i], static_cast<long long>(times.runs));
      if (!part.body.empty()) text += ",\"body\":" + json_text(part.body);
      if (const auto made_of = graph.operators_.find(i); made_of != graph.operators_.end())
        text += ",\"operators\":" + json_text(made_of->second);
      if (const std::string site = graph.site(i); !site.empty()) text += ",\"site\":" + json_text(site);
      if (times.runs)
        text += format(",\"start_us\":%.3f,\"us\":%.3f,\"share\":%.5f", times.begin - start_, times.us,
                       all > 0 ? times.us / all : 0);
      if (const size_t kernels = task.own_kernels()) text += format(",\"kernels\":%zu", kernels);
      std::vector<TaskOperand> operands;
      task.list_operands(&operands);
      if (!operands.empty()) {
        size_t bytes = 0;
        for (const TaskOperand& each : operands) bytes += shown_bytes(each.view);
        text += format(",\"bytes\":%zu,\"operands\":%s", bytes, json_text(operands_text(operands)).c_str());
      }
      text += ",\"after\":[";
      for (size_t k = 0; k < graph.predecessors_[i].size(); ++k)
        text += format("%s%u", k ? "," : "", graph.predecessors_[i][k]);
      text += "]}";
    }
  return text + "\n]}\n";
}

}  // namespace rondo
