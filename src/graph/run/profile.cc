// Takes the times of each task, section and segment of a measured run.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/profile.h"

#include <algorithm>

#include "base/caught.h"
#include "base/text.h"
#include "engine/trace.h"
#include "graph/run/segment_run.h"

namespace rondo {

Profile::Profile(const GraphFacts& graph, bool waits) : waits_(waits), start_(Trace::now_us()) {
  add(graph, "");
}

Profile::~Profile() {
  drop_events();
}

void Profile::drop_events() noexcept {
  for (const Events& each : events_)
    for (void* event : {each.begin, each.end})
      if (event) each.device->event_destroy(event);
  events_.clear();
  for (const Anchor& each : anchors_)
    if (each.event) each.device->event_destroy(each.event);
  anchors_.clear();
}

void Profile::add(const GraphFacts& graph, const std::string& body) {
  const std::string before = body.empty() ? "" : body + ", ";
  parts_.push_back({&graph, body, std::vector<Times>(graph.steps.size()), {}});
  if (body.empty()) parts_.back().segments.resize(graph.segments.size());
  for (const ControlFacts& control : graph.controls)
    for (const BodyFacts& each : control.bodies)
      if (each.facts)
        add(*each.facts, before + format("task %u '%s', %s", control.step, graph.steps[control.step].task->name(),
                                         each.name.c_str()));
  for (uint32_t i = 0; i < graph.steps.size(); ++i) {
    const auto* run = launch_of(graph.steps[i]);
    const auto is = [&](const Part& part) { return part.graph == &run->graph().facts(); };
    if (run && std::none_of(parts_.begin(), parts_.end(), is))
      add(run->graph().facts(), before + format("task %u '%s'", i, run->name()));
  }
}

Status Profile::run(Task& task, const TaskContext& context) {
  auto* const launched = dynamic_cast<SegmentRun*>(&task);
  return launched ? launched->run_parts(context) : task.run(context);
}

Profile::Times* Profile::find(const GraphFacts& graph, uint32_t task) {
  for (Part& part : parts_)
    if (part.graph == &graph) return &part.tasks[task];
  return nullptr;
}

void Profile::begin(const GraphFacts& graph, uint32_t task, const TaskContext& context) noexcept {
  begin(find(graph, task), context);
}

Status Profile::end(const GraphFacts& graph, uint32_t task, const TaskContext& context) noexcept {
  return end(find(graph, task), context);
}

Profile::Times* Profile::find(const SegmentFacts& segment) {
  Part& whole = parts_[0];
  for (size_t s = 0; s < whole.segments.size(); ++s)
    if (&whole.graph->segments[s] == &segment) return &whole.segments[s];
  return nullptr;
}

void Profile::begin(const SegmentFacts& segment, const TaskContext& context) noexcept {
  begin(find(segment), context);
}

Status Profile::end(const SegmentFacts& segment, const TaskContext& context) noexcept {
  return end(find(segment), context);
}

void Profile::fail(const Status& status) noexcept {
  const std::lock_guard lock(mutex_);
  if (failure_.ok()) failure_ = status;
}

void Profile::begin(Times* times, const TaskContext& context) noexcept {
  if (!times) return;
  if (context.stream) {
    if (Status status = caught([&] { return begin_on_device(times, context); }); !status.ok()) fail(status);
    return;
  }
  const double now = Trace::now_us();
  if (times->runs++ == 0) times->begin = now;
  times->us -= now;
}

Status Profile::end(Times* times, const TaskContext& context) noexcept {
  if (!times) return {};
  if (!context.stream) {
    times->us += Trace::now_us();
    return {};
  }
  const auto found = std::find_if(events_.rbegin(), events_.rend(),
                                  [times](const Events& each) { return each.times == times && !each.end; });
  if (found == events_.rend()) return {};  // begin has failed
  Events& events = *found;
  Status status = events.device->event_create(true, &events.end);
  if (status.ok()) status = events.device->event_record(events.end, context.stream);
  if (status.ok() && waits_) return events.device->event_synchronize(events.end);
  if (!status.ok()) fail(status);
  return {};
}

Status Profile::begin_on_device(Times* times, const TaskContext& context) {
  StreamDevice& device = *context.device->streams();
  RONDO_TRY(anchor(device, context.stream));
  Events& events = events_.emplace_back(Events{&device, times, nullptr, nullptr});
  RONDO_TRY(device.event_create(true, &events.begin));
  return device.event_record(events.begin, context.stream);
}

// Waits once for each device.
Status Profile::anchor(StreamDevice& device, void* stream) {
  for (const Anchor& known : anchors_)
    if (known.device == &device) return {};
  Anchor& made = anchors_.emplace_back(Anchor{&device, nullptr, 0});
  RONDO_TRY(device.event_create(true, &made.event));
  RONDO_TRY(device.event_record(made.event, stream));
  RONDO_TRY(device.event_synchronize(made.event));
  made.at = Trace::now_us();
  return {};
}

Status Profile::finish() {
  {
    const std::lock_guard lock(mutex_);
    RONDO_TRY(failure_);
  }
  for (const Events& each : events_) {
    float begin_ms = 0, length_ms = 0;
    double at = 0;
    for (const Anchor& anchor : anchors_)
      if (anchor.device == each.device) {
        RONDO_TRY(each.device->event_elapsed(anchor.event, each.begin, &begin_ms));
        at = anchor.at;
      }
    RONDO_TRY(each.device->event_elapsed(each.begin, each.end, &length_ms));
    if (each.times->runs++ == 0) each.times->begin = at + begin_ms * 1000.0;
    each.times->us += length_ms * 1000.0;
  }
  drop_events();
  return {};
}

}  // namespace rondo
