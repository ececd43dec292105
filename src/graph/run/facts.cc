// Makes steps of nodes, and answers questions about the facts of a graph.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/facts.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "graph/run/segment_run.h"

namespace rondo {

namespace {
const std::string kUnknown;
}  // namespace

Step::Step(ops::ProgramNode&& node, Ref<ops::OperatorTask> does)
    : task(std::move(does)),
      call(std::move(node.call)),
      random_offset(node.random_offset),
      host_random_offset(node.host_random_offset),
      section(node.section) {
  if (!node.operators.empty() || !node.site.empty())
    origin = std::make_unique<const Origin>(Origin{std::move(node.operators), std::move(node.site)});
  if (const auto* written = std::get_if<ops::ParameterCall>(&call->of)) parameter = written->number;
}

Step Step::again(const Rebinding& memory) const {
  ops::ProgramNode node;
  node.call = call;
  node.random_offset = random_offset;
  node.host_random_offset = host_random_offset;
  node.operators = operators();
  node.site = site();
  node.section = section;
  Ref<ops::OperatorTask> does = task->again(memory);
  does->set_name(task->name());
  does->fold();
  Step made(std::move(node), std::move(does));
  made.predecessors = predecessors;
  return made;
}

const std::string& Step::operators() const {
  return origin ? origin->operators : kUnknown;
}

const std::string& Step::site() const {
  return origin ? origin->site : kUnknown;
}

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

bool GraphFacts::only_computes(const SegmentFacts& segment) const {
  if (!segment.device->is_host()) return false;
  const auto bodies_do = [](const ControlFacts& control) {
    return std::all_of(control.bodies.begin(), control.bodies.end(), [](const BodyFacts& body) {
      return !body.facts || std::all_of(body.facts->segments.begin(), body.facts->segments.end(),
                                        [&](const SegmentFacts& each) { return body.facts->only_computes(each); });
    });
  };
  auto control = controls.begin();
  for (uint32_t i = segment.begin; i < segment.end; ++i) {
    while (control != controls.end() && control->step < i) ++control;
    const bool conditional = control != controls.end() && control->step == i;
    if (conditional ? !bodies_do(*control) : !steps[i].task->lendable()) return false;
  }
  return true;
}

int GraphFacts::most_auxiliaries(const SegmentFacts& segment) const {
  int most = 0;
  for (uint32_t i = segment.begin; i < segment.end; ++i) {
    most = std::max(most, steps[i].task->wants_auxiliaries());
    if (const SegmentRun* const run = launch_of(steps[i])) most = std::max(most, run->segment().most_auxiliaries());
  }
  return most;
}

}  // namespace rondo
