// Writes a profile as text for people to read, and as JSON for programs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "engine/operand_text.h"
#include "engine/tensor.h"
#include "graph/tell/tell.h"

namespace rondo {

namespace {

constexpr size_t kShown = 20;  // of the tasks, those that take longest; all of them are in the JSON

const char* plural(size_t n) {
  return n == 1 ? "" : "s";
}

double total(const Profile::Part& whole) {
  double us = 0;
  for (const std::vector<Profile::Times>* each : {&whole.tasks, &whole.segments})
    for (const Profile::Times& times : *each) us += times.us;
  return us;
}

// The tasks of the graph on the longest way through its data flow.
struct Path {
  std::vector<uint32_t> tasks;
  double us = 0;
};

Path critical(const Profile::Part& whole) {
  const size_t n = whole.tasks.size();
  std::vector<double> until(n);
  std::vector<int64_t> before(n, -1);
  Path path;
  int64_t last = -1;
  for (size_t i = 0; i < n; ++i) {
    for (const uint32_t each : whole.graph->steps[i].predecessors)
      if (before[i] < 0 || until[each] > until[static_cast<size_t>(before[i])]) before[i] = each;
    until[i] = whole.tasks[i].us + (before[i] < 0 ? 0 : until[static_cast<size_t>(before[i])]);
    if (last < 0 || until[i] > until[static_cast<size_t>(last)]) last = static_cast<int64_t>(i);
  }
  if (last >= 0) path.us = until[static_cast<size_t>(last)];
  for (; last >= 0; last = before[static_cast<size_t>(last)])
    path.tasks.insert(path.tasks.begin(), static_cast<uint32_t>(last));
  return path;
}

}  // namespace

std::string profile_text(const Profile& profile) {
  const Profile::Part& whole = profile.parts()[0];
  const Path path = critical(whole);
  const double sum = total(whole);
  std::string text =
      format("  profile: %zu task%s one after the other took %.3f us; critical path %.3f us:", whole.tasks.size(),
             plural(whole.tasks.size()), sum, path.us);
  for (size_t i = 0; i < path.tasks.size() && i < kShown; ++i)
    text += format("%s %u '%s'", i ? "," : "", path.tasks[i], whole.graph->steps[path.tasks[i]].task->name());
  if (path.tasks.size() > kShown) text += format(" and %zu more", path.tasks.size() - kShown);
  text += "\n";
  struct Line {
    double us;
    std::string text;
  };
  std::vector<Line> lines;
  const double all = sum > 0 ? sum : 1;
  const auto line = [&](const Profile::Times& times, const std::string& what) {
    lines.push_back({times.us, format("%5.1f %% %12.3f us  ", 100 * times.us / all, times.us) + what +
                                   (times.runs > 1 ? format(", %lld times", static_cast<long long>(times.runs)) : "")});
  };
  for (const Profile::Part& part : profile.parts())
    for (size_t i = 0; i < part.tasks.size(); ++i) {
      if (!part.tasks[i].runs) continue;
      const ops::OperatorTask& task = *part.graph->steps[i].task;
      std::vector<TaskOperand> operands;
      task.list_operands(&operands);
      line(part.tasks[i], format("%s%stask %zu '%s' on %s", part.body.c_str(), part.body.empty() ? "" : ": ", i,
                                 task.name(), device_name(task.device().id()).c_str()) +
                              (operands.empty() ? "" : " (" + operands_text(operands) + ")") +
                              part.graph->recorded_at(task));
    }
  for (size_t s = 0; s < whole.segments.size(); ++s) {
    const SegmentFacts& segment = whole.graph->segments[s];
    if (whole.segments[s].runs)
      line(whole.segments[s], format("segment %zu as a whole, for it holds %s: %u task%s on %s", s,
                                     segment.conditional ? "control flow" : "collectives", segment.size(),
                                     plural(segment.size()), device_name(segment.device->id()).c_str()));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.us > b.us; });
  for (size_t i = 0; i < lines.size() && i < kShown; ++i) text += "    " + lines[i].text + "\n";
  if (lines.size() > kShown) text += format("    and %zu more, each of which took less\n", lines.size() - kShown);
  return text;
}

std::string profile_json(const Profile& profile) {
  const Profile::Part& whole = profile.parts()[0];
  const Path path = critical(whole);
  const double all = total(whole);
  std::string text =
      format("{\"rondo_profile\":1,\n\"graph\":%s,\n\"total_us\":%.3f,\n\"critical_us\":%.3f,\n\"critical_path\":[",
             json_text(whole.graph->name).c_str(), all, path.us);
  for (size_t i = 0; i < path.tasks.size(); ++i) text += format("%s%u", i ? "," : "", path.tasks[i]);
  text += "],\n\"segments\":[";
  for (size_t s = 0; s < whole.graph->segments.size(); ++s) {
    const SegmentFacts& segment = whole.graph->segments[s];
    const Profile::Times& times = whole.segments[s];
    text += format("%s\n{\"segment\":%zu,\"device\":\"%s\",\"kind\":\"%s\",\"tasks\":%u", s ? "," : "", s,
                   device_name(segment.device->id()).c_str(), segment.kind_text(), segment.size());
    if (times.runs) text += format(",\"start_us\":%.3f,\"us\":%.3f", times.begin - profile.start(), times.us);
    text += "}";
  }
  text += "],\n\"tasks\":[";
  bool first = true;
  for (const Profile::Part& part : profile.parts())
    for (uint32_t i = 0; i < part.tasks.size(); ++i) {
      const Step& step = part.graph->steps[i];
      const ops::OperatorTask& task = *step.task;
      const Profile::Times& times = part.tasks[i];
      text += std::exchange(first, false) ? "\n" : ",\n";
      text += format("{\"task\":%u,\"name\":%s,\"device\":\"%s\",\"segment\":%u,\"branch\":%u,\"runs\":%lld", i,
                     json_text(task.name()).c_str(), device_name(task.device().id()).c_str(), step.segment, step.branch,
                     static_cast<long long>(times.runs));
      if (!part.body.empty()) text += ",\"body\":" + json_text(part.body);
      if (!step.operators().empty()) text += ",\"operators\":" + json_text(step.operators());
      if (!step.site().empty()) text += ",\"site\":" + json_text(step.site());
      if (times.runs)
        text += format(",\"start_us\":%.3f,\"us\":%.3f,\"share\":%.5f", times.begin - profile.start(), times.us,
                       all > 0 ? times.us / all : 0);
      if (const size_t kernels = task.own_kernels()) text += format(",\"kernels\":%zu", kernels);
      std::vector<TaskOperand> operands;
      task.list_operands(&operands);
      if (!operands.empty()) {
        size_t bytes = 0;
        for (const TaskOperand& each : operands) bytes += unbroadcast_bytes(each.view);
        text += format(",\"bytes\":%zu,\"operands\":%s", bytes, json_text(operands_text(operands)).c_str());
      }
      text += ",\"after\":[";
      for (uint32_t k = 0; k < step.predecessors.size(); ++k)
        text += format("%s%u", k ? "," : "", step.predecessors[k]);
      text += "]}";
    }
  return text + "\n]}\n";
}

}  // namespace rondo
