// Capturing a segment on several streams. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/caught.h"
#include "graph/control.h"
#include "ops/elementwise/random.h"

namespace rondo {

namespace {

// Events of one capture. Destroyed with it: a captured event has no meaning outside.
class Events {
 public:
  explicit Events(StreamDevice& device) : device_(device) {}
  ~Events() {
    for (void* event : events_)
      if (event) device_.event_destroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // Makes `to` come after what `from` holds now.
  Status join(void* from, void* to) {
    void* event = nullptr;
    RONDO_TRY(record(from, &event));
    return device_.stream_wait(to, event);
  }
  Status record(void* stream, void** event) {
    void*& made = events_.emplace_back(nullptr);  // there may be no room for it
    RONDO_TRY(device_.event_create(false, &made));
    *event = made;
    return device_.event_record(*event, stream);
  }

 private:
  StreamDevice& device_;
  std::vector<void*> events_;
};

// Only GPUs have captured segments.
cuda::CudaDevice& gpu(const Segment& segment) {
  return static_cast<cuda::CudaDevice&>(*segment.device);
}

}  // namespace

Status Graph::capture() {
  const BranchPlan& plan = plan_;
  for (Segment& segment : segments_) {
    if (segment.kind != Segment::Kind::captured) continue;
    StreamDevice& device = *segment.device->streams();
    if (segment.random_count)
      RONDO_TRY(ops::prepare_random_advance(gpu(segment))
                    .with_context("random numbers on " + device_name(segment.device->id())));
    for (const uint32_t i : segment.tasks) segment.branches = std::max(segment.branches, plan.schedule.branch[i] + 1);
    std::vector<void*> streams;
    streams.reserve(static_cast<size_t>(segment.branches));
    Status status;
    for (int b = 0; b < segment.branches && status.ok(); ++b) {
      void* stream = nullptr;
      status = device.stream_create(false, &stream);
      if (status.ok()) streams.push_back(stream);
    }
    if (status.ok()) status = caught([&] { return capture_segment(segment, plan, streams); });
    if (status.ok()) status = device.graph_instantiate(&segment.native, streams[0]);
    // The upload runs on the stream that is about to go.
    if (status.ok()) status = device.stream_synchronize(streams[0]);
    for (void* stream : streams) device.stream_destroy(stream);
    // Other ranks count on a collective to be a node where theirs are.
    const bool passing = status.code() == RONDO_OUT_OF_MEMORY || status.code() == RONDO_DEVICE_LOST;
    if (!status.ok() && falls_back_ && !passing && segment.guards.empty())
      run_as_tasks(segment, status);
    else
      RONDO_TRY(status);
  }
  branch_of_ = std::move(plan_.schedule.branch);
  plan_ = {};
  for (const auto& [task, inner] : controls_) {
    RONDO_TRY(inner->back());
    for (const Body& body : inner->bodies())
      if (body.graph) RONDO_TRY(body.graph->capture());
  }
  return {};
}

// Memory that was planned for branches does for tasks one after the other.
void Graph::run_as_tasks(Segment& segment, const Status& why) {
  segment.device->streams()->graph_destroy(&segment.native);
  segment.native = {};
  segment.kind = Segment::Kind::device;
  segment.branches = 0;
  segment.changed.clear();
  for (const Segment::Patched& each : segment.patched)
    info_.call_kernels -= static_cast<int32_t>(each.kernels.nodes.size());
  segment.patched.clear();
  segment.auxiliaries = most_auxiliaries(segment);
  segment.why_split = why.message();
  segment.fell_back = true;
}

Status Graph::capture_segment(Segment& segment, const BranchPlan& plan, const std::vector<void*>& streams) {
  StreamDevice& device = *segment.device->streams();
  std::vector<Auxiliaries> auxiliaries(streams.size());
  for (const uint32_t i : segment.tasks)
    RONDO_TRY(auxiliaries[static_cast<size_t>(plan.schedule.branch[i])].make(device, tasks_[i]->wants_auxiliaries()));
  RONDO_TRY(device.capture_begin(streams[0]));
  // Whatever happens: a stream that goes on capturing breaks what this thread does later.
  const Status status = caught([&] { return capture_tasks(segment, plan, streams, auxiliaries); });
  const Status ended = device.capture_end(streams[0], status.ok(), &segment.native);
  return status.ok() ? ended : status;
}

// Records every task on its branch's stream. Branches other than the first enter the capture by waiting for an event of
// it, and all come back to the first stream at the end.
Status Graph::capture_tasks(Segment& segment, const BranchPlan& plan, const std::vector<void*>& streams,
                            std::vector<Auxiliaries>& auxiliaries) {
  StreamDevice& device = *segment.device->streams();
  Events events(device);
  void* root = nullptr;
  if (segment.branches > 1) RONDO_TRY(events.record(streams[0], &root));
  std::vector<bool> inside(streams.size(), false);
  inside[0] = true;
  // An event behind each task that another branch waits for.
  std::vector<bool> awaited(tasks_.size(), false);
  for (const uint32_t i : segment.tasks)
    for (const uint32_t before : plan.waits[i]) awaited[before] = true;
  std::vector<void*> behind(tasks_.size(), nullptr);
  std::vector<bool> random_on(streams.size(), false);

  TaskContext context;
  context.device = segment.device;
  context.capturing = true;
  context.device_random = segment.random_count ? device_random(*segment.device) : nullptr;
  RunObserver observer = engine_->run_observer();
  observer.trace = nullptr;  // nothing runs now
  RangeAround around(observer);
  for (const uint32_t i : segment.tasks) {
    Task& task = *tasks_[i];
    const auto branch = static_cast<size_t>(plan.schedule.branch[i]);
    void* stream = streams[branch];
    if (!inside[branch]) {
      RONDO_TRY(device.stream_wait(stream, root));
      inside[branch] = true;
    }
    // mutation: capture_edge_dropped
    for (const uint32_t before : plan.waits[i]) RONDO_TRY(device.stream_wait(stream, behind[before]));
    context.stream = stream;
    context.auxiliaries = &auxiliaries[branch];
    context.workspace = workspace_.empty() ? nullptr : workspace_[i];
    std::vector<void*> before;
    KernelNodes kernels;
    const bool changes = is_switched(i) || is_parameter(i), patched = is_patched(i);
    if (changes) RONDO_TRY(device.captured_nodes(stream, &before));
    context.kernels = is_parameter(i) || patched ? &kernels : nullptr;
    around.enter(section_name(i));
    const RunObserver::Run run = observer.begin(task);
    Status status = Engine::run_body(task, context);
    observer.end(task, 0, run);
    if (status.ok()) status = device.capture_check(stream);
    if (status.ok() && patched) status = note_patched(segment, i, context, std::move(kernels));
    if (status.ok() && changes) status = note_changed(segment, i, stream, std::move(kernels), before);
    if (status.ok() && awaited[i]) status = events.record(stream, &behind[i]);
    if (!status.ok())
      return status.of_task(task.name(), segment.device->id())
          .with_context(std::string("operator '") + task.name() + "'" + recorded_at(task) +
                        " could not be captured on " + device_name(segment.device->id()));
    if (task.random_count()) random_on[branch] = true;
  }
  if (segment.random_count) {
    // The next launch's numbers start where this one's end. On the last branch that draws numbers, after all others
    // that do, so that it seldom lengthens the graph.
    size_t last = 0;
    for (size_t b = 0; b < streams.size(); ++b)
      if (random_on[b]) last = b;
    for (size_t b = 0; b < last; ++b)
      if (random_on[b]) RONDO_TRY(events.join(streams[b], streams[last]));  // mutation: random_numbers_move_on_early
    RONDO_TRY(
        ops::launch_random_advance(gpu(segment), streams[last], device_random(*segment.device), segment.random_count));
  }
  for (size_t b = 1; b < streams.size(); ++b)
    if (inside[b]) RONDO_TRY(events.join(streams[b], streams[0]));  // mutation: branch_not_joined
  return {};
}

}  // namespace rondo
