// Control flow as nodes of CUDA graphs that choose: where driver and bodies allow, a captured segment goes on over it,
// and no host decides.
//
// Such a node goes by a value that a small kernel in front of it sets (ops/task/chooser.h), a loop's one at the end of
// its body too. Each body is one captured segment, a graph inside the node; it is captured when the graph around is.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/caught.h"
#include "base/text.h"
#include "engine/user_task.h"
#include "graph/control.h"

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
struct Arm {
  bool opposite;  // of what the number says
  std::vector<Graph*> bodies;
};

}  // namespace

Control* Graph::node(uint32_t task) const {
  for (const auto& [number, control] : controls_)
    if (number == task) return control->node() ? control : nullptr;
  return nullptr;
}

bool Graph::draws() const {
  for (const Segment& segment : segments_)
    if (segment.numbers.count || segment.keeps_choices) return true;
  return false;
}

Device* Graph::decide(uint32_t task) {
  Control* control = nullptr;
  for (const auto& [number, each] : controls_)
    if (number == task) control = each;
  if (!control) return nullptr;
  if (!control->given_up()) {
    const std::string why = why_host(*control);
    control->decide(why.empty() ? &control->number().device() : nullptr, why);
  }
  for (const Body& body : control->bodies())
    if (body.graph) body.graph->inside_ = control->node();
  return control->node();
}

std::string Graph::why_host(const Control& control) const {
  if (host_decides_) return "the recording wants that (RONDO_RECORD_HOST_DECIDES)";
  const Device& device = control.number().device();
  StreamDevice* const streams = control.number().device().streams();
  if (!streams) return format("its %s is on %s", control.form().argument, device_name(device.id()).c_str());
  const char* why = "";
  if (!streams->graph_bodies(choice_of(control.form()), &why)) return why;
  for (const Access& access : control.accesses())
    if (outermost_->binding_of_.count(access.variable->storage())) return "it uses an input or output of a call";
  for (const Body& body : control.bodies()) {
    if (!body.graph) continue;
    const std::string reason = body.graph->why_not_inside(device);
    if (!reason.empty()) return format("its body '%s' ", body.name.c_str()) + reason;
  }
  return {};
}

std::string Graph::why_not_inside(const Device& device) const {
  for (const Segment& segment : segments_)
    if (segment.kind != Segment::Kind::captured) return "cannot be captured: " + segment.why_split;
  for (const Segment& segment : segments_)
    if (segment.device != &device)
      return format("works on %s, and what it goes by is on %s", device_name(segment.device->id()).c_str(),
                    device_name(device.id()).c_str());
  for (const Step& step : steps_) {
    const Task* const task = step.task.get();
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

int Graph::count_branches(Segment& segment) const {
  for (const uint32_t i : segment.tasks) segment.branches = std::max(segment.branches, plan_.schedule.branch[i] + 1);
  return segment.branches;
}

int Graph::most_branches(Segment& segment) const {
  int most = count_branches(segment);
  for (const uint32_t i : segment.tasks)
    if (const Control* const control = node(i))
      for (const Body& body : control->bodies())
        if (body.graph && !body.graph->segments_.empty())
          most = std::max(most, body.graph->most_branches(body.graph->segments_.front()));
  return most;
}

Status Graph::capture_choice(uint32_t task, const Control& control, void* stream, std::vector<BodyCapture>* bodies) {
  Device& device = *control.node();
  StreamDevice& streams = *device.streams();
  const Choice choice = choice_of(control.form());
  ops::Chooser chooser;
  chooser.number = control.number().address();
  chooser.bytes = static_cast<uint32_t>(dtype_size(control.number().dtype));
  chooser.limit = static_cast<uint64_t>(control.form().limit);
  chooser.device = static_cast<uint32_t>(1 + device.id().index);

  std::vector<Graph*> graphs;
  bool draw = false;
  for (const Body& body : control.bodies())
    if (body.graph) {
      graphs.push_back(body.graph.get());
      draw |= body.graph->draws();
    }
  if (draw || choice == Choice::loop) chooser.bodies = graphs.front()->run_state(device);
  if (draw) {
    chooser.drawn = &run_state(device)->choices;
    chooser.offset = control.first_number();
  }

  // One that is switched off must find nothing in its value that would run.
  const char* why = "";
  const size_t most = is_switched(task) ? 1 : streams.graph_bodies(choice, &why);
  std::vector<Arm> arms;
  unsigned initial = 0;
  if (choice == Choice::index) {
    chooser.indices = initial = static_cast<unsigned>(graphs.size());
    arms.push_back({false, graphs});
  } else if (most >= graphs.size()) {
    arms.push_back({false, graphs});
  } else {
    for (size_t i = 0; i < graphs.size(); ++i) arms.push_back({i > 0, {graphs[i]}});
  }
  for (const Arm& arm : arms) {
    (arm.opposite ? chooser.has_opposite : chooser.has_value) = 1;
    RONDO_TRY(streams.graph_value(stream, initial, arm.opposite ? &chooser.opposite : &chooser.value));
  }
  RONDO_TRY(ops::launch_chooser(gpu(device), stream, chooser));
  for (const Arm& arm : arms) {
    std::vector<void*> natives(arm.bodies.size());
    RONDO_TRY(streams.graph_choose(stream, choice, arm.opposite ? chooser.opposite : chooser.value, natives.size(),
                                   natives.data()));
    for (size_t i = 0; i < natives.size(); ++i) {
      BodyCapture& body = bodies->emplace_back(BodyCapture{arm.bodies[i], natives[i], {}});
      if (choice != Choice::loop) continue;
      body.at_end = chooser;
      body.at_end.again = 1;
    }
  }
  return {};
}

Status Graph::capture_inside(const BodyCapture& of, Device& device, const std::vector<void*>& streams,
                             std::vector<BodyCapture>* bodies, NativeGraph* whole) {
  StreamDevice& driver = *device.streams();
  Segment* const segment = segments_.empty() ? nullptr : &segments_.front();
  std::vector<Auxiliaries> auxiliaries(streams.size());  // none: it is a chain
  RONDO_TRY(driver.body_begin(streams[0], of.native));
  const Status status = caught([&]() -> Status {
    bool nodes_failed = false;
    if (segment) RONDO_TRY(capture_tasks(*segment, streams, auxiliaries, bodies, &nodes_failed));
    std::vector<void*> nodes;
    RONDO_TRY(driver.captured_nodes(streams[0], &nodes));
    // Drivers before CUDA 12.8 hang in a body without nodes.
    return of.at_end.number || nodes.empty() ? ops::launch_chooser(gpu(device), streams[0], of.at_end) : Status();
  });
  NativeGraph native;
  native.graph = of.native;
  const Status ended = driver.body_end(streams[0], &native, whole);
  RONDO_TRY(status);
  RONDO_TRY(ended);
  if (!segment) return {};
  segment->native.nodes = native.nodes;
  segment->native.edges = native.edges;
  return {};
}

void Graph::keep_branches() {
  for (size_t i = 0; i < steps_.size(); ++i) steps_[i].branch = static_cast<uint32_t>(plan_.schedule.branch[i]);
  plan_ = {};
}

// The graph is captured, bodies in nodes included.
void Graph::settle_nodes() {
  keep_branches();
  for_each_body([](uint32_t, Graph& body) { body.settle_nodes(); });
}

// Memory and branches stay as they were planned: pieces that run one after the other keep the order that there was.
void Graph::give_up_nodes(const Segment& segment, const Status& why) {
  for (const uint32_t i : segment.tasks)
    if (Control* const control = node(i)) control->give_up(std::string("a node could not be made: ") + why.message());
  for (Segment& each : segments_)
    if (each.kind == Segment::Kind::captured) each.device->streams()->graph_destroy(&each.native);
  info_.call_kernels = 0;
  segments_.clear();
  split();
  for (uint32_t i = 0; i < steps_.size(); ++i)
    std::erase_if(plan_.waits[i], [&](uint32_t before) { return steps_[before].segment != steps_[i].segment; });
}

}  // namespace rondo
