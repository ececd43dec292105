// Control flow as nodes of CUDA graphs that choose: where driver and bodies allow, a captured segment goes on over it,
// and no host decides.
//
// Such a node goes by a value that a small kernel in front of it sets (ops/task/condition_setter.h), a loop's one at
// the end of its body too. Each body is one captured segment, a graph inside the node; it is captured when the graph
// around is.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/caught.h"
#include "base/text.h"
#include "graph/compile/compiler.h"
#include "ops/task/user_task.h"

namespace rondo {

namespace {

cuda::CudaDevice& gpu(Device& device) {
  return static_cast<cuda::CudaDevice&>(device);
}

Choice choice_of(const ControlForm& form) {
  switch (form.kind) {
    case ControlForm::Kind::condition: return Choice::condition;
    case ControlForm::Kind::loop: return Choice::loop;
    case ControlForm::Kind::index: break;
  }
  return Choice::index;
}

// A node, and what it goes by.
template <class Body>
struct Arm {
  bool opposite;  // of what the number says
  std::vector<Body*> bodies;
};

}  // namespace

Control* GraphCompiler::control(uint32_t step) const {
  const auto found = std::lower_bound(controls_.begin(), controls_.end(), step,
                                      [](const auto& each, uint32_t before) { return each.first < before; });
  return found == controls_.end() || found->first != step ? nullptr : found->second;
}

Control* GraphCompiler::node(uint32_t step) const {
  Control* const found = control(step);
  return found && found->node() ? found : nullptr;
}

std::span<const GraphCompiler::Inner> GraphCompiler::bodies_of(uint32_t step) const {
  const auto first = std::lower_bound(bodies_.begin(), bodies_.end(), step,
                                      [](const Inner& each, uint32_t before) { return each.step < before; });
  const auto last = std::find_if(first, bodies_.end(), [step](const Inner& each) { return each.step != step; });
  return {first, last};
}

Device* GraphCompiler::decide(uint32_t step) {
  Control* const found = control(step);
  if (!found) return nullptr;
  if (!found->given_up()) {
    const std::string why = why_host(step, *found);
    found->decide(why.empty() ? &found->number().device() : nullptr, why);
  }
  for (const Inner& inner : bodies_of(step)) inner.compiler->inside_ = found->node();
  return found->node();
}

std::string GraphCompiler::why_host(uint32_t step, const Control& control) const {
  if (recorded_.host_decides) return "the recording wants that (RONDO_RECORD_HOST_DECIDES)";
  const Device& device = control.number().device();
  StreamDevice* const streams = control.number().device().streams();
  if (!streams) return format("its %s is on %s", control.form().argument, device_name(device.id()).c_str());
  const char* why = "";
  if (!streams->graph_bodies(choice_of(control.form()), &why)) return why;
  for (const Access& access : control.accesses())
    if (outermost_.bindings_.find(access.variable)) return "it uses an input or output of a call";
  for (const Inner& inner : bodies_of(step)) {
    const std::string reason = inner.compiler->why_not_inside(device);
    if (!reason.empty()) return format("its body '%s' ", inner.body->name.c_str()) + reason;
  }
  return {};
}

std::string GraphCompiler::why_not_inside(const Device& device) const {
  for (const SegmentFacts& segment : facts_.segments)
    if (!segment.captured) return "cannot be captured: " + segment.why_split;
  for (const SegmentFacts& segment : facts_.segments)
    if (segment.device != &device)
      return format("works on %s, and what it goes by is on %s", device_name(segment.device->id()).c_str(),
                    device_name(device.id()).c_str());
  for (const Step& step : facts_.steps) {
    const ops::OperatorTask* const task = step.task.get();
    if (dynamic_cast<const UserTask*>(task))
      return format("holds '%s', a task of yours, which may capture what a node cannot hold", task->name());
    for (const Access& access : task->accesses()) {
      const Storage* const storage = access.variable->storage();
      if (storage && (storage->pinned() || &storage->device() != &device))
        return format("holds '%s', which works on memory of %s", task->name(),
                      storage->pinned() ? "the host" : device_name(storage->device().id()).c_str());
    }
  }
  return {};
}

int GraphCompiler::most_branches(SegmentFacts& segment) const {
  for (uint32_t i = segment.begin; i < segment.end; ++i)
    segment.branches = std::max(segment.branches, plan_.schedule.branch[i] + 1);
  int most = segment.branches;
  for (uint32_t i = segment.begin; i < segment.end; ++i) {
    if (!node(i)) continue;
    for (const Inner& inner : bodies_of(i))
      for (SegmentFacts& inside : inner.compiler->facts_.segments)
        most = std::max(most, inner.compiler->most_branches(inside));
  }
  return most;
}

Status GraphCompiler::capture_conditional(uint32_t step, const Control& control, void* stream,
                                          std::vector<BodyCapture>* bodies) {
  Device& device = *control.node();
  StreamDevice& streams = *device.streams();
  const Choice choice = choice_of(control.form());
  ops::ConditionSetter setter;
  setter.number = control.number().address();
  setter.bytes = static_cast<uint32_t>(dtype_size(control.number().dtype));
  setter.limit = static_cast<uint64_t>(control.form().limit);
  setter.device = static_cast<uint32_t>(1 + device.id().index);

  std::vector<GraphCompiler*> compilers;
  bool draw = false;
  for (const Inner& inner : bodies_of(step)) {
    compilers.push_back(inner.compiler.get());
    draw |= inner.compiler->draws();
  }
  if (draw || choice == Choice::loop) setter.bodies = compilers.front()->run_state(device);
  if (draw) {
    setter.drawn = &run_state(device)->host_random;
    setter.offset = control.first_number();
  }

  // One that is switched off must find nothing in its value that would run.
  const char* why = "";
  const size_t most = facts_.steps[step].is_switched() ? 1 : streams.graph_bodies(choice, &why);
  std::vector<Arm<GraphCompiler>> arms;
  unsigned initial = 0;
  if (choice == Choice::index) {
    setter.indices = initial = static_cast<unsigned>(compilers.size());
    arms.push_back({false, compilers});
  } else if (most >= compilers.size()) {
    arms.push_back({false, compilers});
  } else {
    for (size_t i = 0; i < compilers.size(); ++i) arms.push_back({i > 0, {compilers[i]}});
  }
  for (const auto& arm : arms) {
    (arm.opposite ? setter.has_opposite : setter.has_value) = 1;
    RONDO_TRY(streams.graph_value(stream, initial, arm.opposite ? &setter.opposite : &setter.value));
  }
  RONDO_TRY(ops::launch_condition_setter(gpu(device), stream, setter));
  for (const auto& arm : arms) {
    std::vector<void*> natives(arm.bodies.size());
    RONDO_TRY(streams.graph_choose(stream, choice, arm.opposite ? setter.opposite : setter.value, natives.size(),
                                   natives.data()));
    for (size_t i = 0; i < natives.size(); ++i) {
      BodyCapture& body = bodies->emplace_back(BodyCapture{arm.bodies[i], natives[i], {}});
      if (choice != Choice::loop) continue;
      body.at_end = setter;
      body.at_end.again = 1;
    }
  }
  return {};
}

Status GraphCompiler::capture_inside(const BodyCapture& of, Device& device, const std::vector<void*>& streams,
                                     std::vector<BodyCapture>* bodies, NativeGraph* whole) {
  StreamDevice& driver = *device.streams();
  SegmentFacts* const segment = facts_.segments.empty() ? nullptr : &facts_.segments.front();
  std::vector<Auxiliaries> auxiliaries(streams.size());  // none: it is a chain
  RONDO_TRY(driver.body_begin(streams[0], of.native));
  const Status status = caught([&]() -> Status {
    bool nodes_failed = false;
    if (segment) RONDO_TRY(capture_tasks(*segment, nullptr, streams, auxiliaries, bodies, &nodes_failed));
    std::vector<void*> nodes;
    RONDO_TRY(driver.captured_nodes(streams[0], &nodes));
    // Drivers before CUDA 12.8 hang in a body without nodes.
    return of.at_end.number || nodes.empty() ? ops::launch_condition_setter(gpu(device), streams[0], of.at_end)
                                             : Status();
  });
  NativeGraph native;
  native.graph = of.native;
  const Status ended = driver.body_end(streams[0], &native, whole);
  RONDO_TRY(status);
  RONDO_TRY(ended);
  if (!segment) return {};
  segment->nodes = native.nodes;
  segment->edges = native.edges;
  return {};
}

// The graph is captured, bodies in nodes included.
void GraphCompiler::finalise_nodes() {
  keep_branches();
  facts_.in_node = true;
  for (ControlFacts& each : facts_.controls) each.node = true;
  for (const Inner& inner : bodies_) inner.compiler->finalise_nodes();
}

// Memory and branches stay as they were planned: pieces that run one after the other keep the order that there was.
void GraphCompiler::give_up_nodes(const SegmentFacts& segment, const Status& why) {
  for (uint32_t i = segment.begin; i < segment.end; ++i)
    if (Control* const control = node(i)) control->give_up(std::string("a node could not be made: ") + why.message());
  segments_.clear();
  facts_.segments.clear();
  facts_.info.call_kernels = 0;
  split();
  for (uint32_t i = 0; i < facts_.steps.size(); ++i)
    std::erase_if(plan_.waits[i],
                  [&](uint32_t before) { return facts_.steps[before].segment != facts_.steps[i].segment; });
}

}  // namespace rondo
