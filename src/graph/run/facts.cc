// What facts answer. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/facts.h"

#include <algorithm>

#include "graph/run/segment_run.h"

namespace rondo {

const char* SegmentFacts::kind_text() const {
  if (captured) return "CUDA graph";
  return device->is_host() ? "host tasks" : "device tasks, not captured";
}

std::string GraphFacts::recorded_at(const Task& task) const {
  std::string text;
  for (const Step& step : steps)
    if (step.task.get() == &task && !step.site().empty()) text = ", recorded at " + step.site();
  for (const ControlFacts& control : controls)
    for (const BodyFacts& each : control.bodies)
      if (text.empty() && each.facts) text = each.facts->recorded_at(task);
  return text;
}

int GraphFacts::most_auxiliaries(const SegmentFacts& segment) const {
  int most = 0;
  for (uint32_t i = segment.begin; i < segment.end; ++i) {
    most = std::max(most, steps[i].task->wants_auxiliaries());
    if (const auto* run = dynamic_cast<const SegmentRun*>(steps[i].task.get()))
      most = std::max(most, run->segment().most_auxiliaries());
  }
  return most;
}

}  // namespace rondo
