// Captures the segments of a graph, each on one stream or several, and runs those that cannot be captured as tasks.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/caught.h"
#include "base/settings.h"
#include "graph/compile/compiler.h"
#include "ops/elementwise/random.h"
#include "ops/task/early_reads.h"

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
cuda::CudaDevice& gpu(const SegmentFacts& segment) {
  return static_cast<cuda::CudaDevice&>(*segment.device);
}

// Tells whether kernels of ours that follow each other do so by programmatic edges.
bool chains_kernels(const cuda::CudaDevice& device) {
  return device.programmatic_edges() && setting_choice(Setting::graph_programmatic) != 1;
}

// An error if a library or a task of the user's has put work side by side, of its own accord.
Status check_chain(StreamDevice& device, void* stream) {
  bool chain = true;
  RONDO_TRY(device.captured_chain(stream, &chain));
  if (chain) return {};
  return error(RONDO_UNSUPPORTED,
               "it puts work on several streams while it is captured, and in a graph with nodes that choose each node "
               "follows one other");
}

// Memory that was planned for branches does for tasks one after the other.
void run_as_tasks(SegmentFacts* segment, const Status& why) {
  segment->captured = false;
  segment->branches = segment->nodes = segment->edges = segment->programmatic = 0;
  segment->why_split = why.message();
  segment->fell_back = true;
}

}  // namespace

Status GraphCompiler::capture() {
  for (size_t s = 0; s < facts_.segments.size(); ++s) {
    SegmentFacts& segment = facts_.segments[s];
    if (!segment.captured) {
      segments_.push_back(std::make_unique<TaskSegment>(owner(), segment));
      continue;
    }
    bool nodes_failed = false;
    const std::vector<ops::OperatorTask*> asked = prelaunch_checks(segment);
    CapturedSegment::Memory memory = {run_state(*segment.device)};
    memory.shared = recorded_.arena.get();
    memory.block = outermost_.arena(*segment.device)->storage.get();
    auto made = std::make_unique<CapturedSegment>(owner(), segment, memory, asked);
    const Status status = capture_whole(segment, made.get(), &nodes_failed);
    if (status.ok()) {
      facts_.info.call_kernels += made->patched.count();
      segments_.push_back(std::move(made));
      continue;
    }
    const bool lost = status.code() == RONDO_OUT_OF_MEMORY || status.code() == RONDO_DEVICE_LOST;
    const bool lacking = status.code() == RONDO_UNSUPPORTED || status.code() == RONDO_LIBRARY_MISSING ||
                         status.code() == RONDO_COMPILE_FAILED;
    // Other ranks count on a collective to be a node where theirs are; where the host decides it is still one.
    if (lost || !((nodes_failed && lacking) || (recorded_.falls_back && asked.empty()))) return status;
    if (segment.conditional) {
      give_up_nodes(segment, status);
      s = static_cast<size_t>(-1);  // all anew
    } else {
      made.reset();
      run_as_tasks(&segment, status);
      segments_.push_back(std::make_unique<TaskSegment>(owner(), segment));
    }
  }
  keep_branches();
  for (size_t i = 0; i < controls_.size(); ++i) {
    const auto& [step, control] = controls_[i];
    facts_.controls[i].node = control->node() != nullptr;
    if (!control->node()) RONDO_TRY(control->back());
  }
  for (const Inner& inner : bodies_) {
    if (inner.compiler->inside_)
      inner.compiler->finalise_nodes();
    else
      RONDO_TRY(inner.compiler->capture());
  }
  return {};
}

Status GraphCompiler::prepare_captures() const {
  for (const SegmentFacts& segment : facts_.segments) {
    if (!segment.captured || inside_) continue;
    if (segment.numbers.count || segment.keeps_host_random) RONDO_TRY(ops::prepare_random_advance(gpu(segment)));
    if (segment.conditional) (void)ops::prepare_condition_setter(gpu(segment));  // without it the host decides
  }
  for (const Inner& inner : bodies_) RONDO_TRY(inner.compiler->prepare_captures());
  return {};
}

Status GraphCompiler::capture_whole(SegmentFacts& segment, CapturedSegment* made, bool* nodes_failed) {
  StreamDevice& device = *segment.device->streams();
  const std::string where = "random numbers on " + device_name(segment.device->id());
  if (segment.numbers.count || segment.keeps_host_random)
    RONDO_TRY(ops::prepare_random_advance(gpu(segment)).with_context(where));
  if (segment.conditional) {
    const Status prepared = ops::prepare_condition_setter(gpu(segment));
    *nodes_failed = !prepared.ok();
    RONDO_TRY(prepared);
  }
  std::vector<void*> streams;
  const auto most = static_cast<size_t>(most_branches(segment));
  streams.reserve(most);
  Status status;
  while (streams.size() < most && status.ok()) {
    void* stream = nullptr;
    status = device.stream_create(false, &stream);
    if (status.ok()) streams.push_back(stream);
  }
  if (status.ok()) status = caught([&] { return capture_segment(segment, made, streams, nodes_failed); });
  if (status.ok()) status = device.graph_instantiate(&made->native, streams[0]);
  // The upload runs on the stream that is about to go.
  if (status.ok()) status = device.stream_synchronize(streams[0]);
  for (void* stream : streams) device.stream_destroy(stream);
  segment.nodes = made->native.nodes;
  segment.edges = made->native.edges;
  segment.programmatic = made->native.programmatic;
  return status;
}

Status GraphCompiler::make_auxiliaries(const SegmentFacts& segment, std::vector<Auxiliaries>* auxiliaries) const {
  for (uint32_t i = segment.begin; i < segment.end; ++i)
    RONDO_TRY((*auxiliaries)[static_cast<size_t>(plan_.schedule.branch[i])].make(*segment.device->streams(),
                                                                                 task_of(i).wants_auxiliaries()));
  return {};
}

Status GraphCompiler::capture_segment(const SegmentFacts& segment, CapturedSegment* made,
                                      const std::vector<void*>& streams, bool* nodes_failed) {
  StreamDevice& device = *segment.device->streams();
  std::vector<Auxiliaries> auxiliaries(streams.size());
  if (!in_chain(segment)) RONDO_TRY(make_auxiliaries(segment, &auxiliaries));
  std::vector<BodyCapture> bodies;
  RONDO_TRY(device.capture_begin(streams[0]));
  // Whatever happens: a stream that goes on capturing breaks what this thread does later.
  const Status status =
      caught([&] { return capture_tasks(segment, made, streams, auxiliaries, &bodies, nodes_failed); });
  const Status ended = device.capture_end(streams[0], status.ok(), &made->native);
  RONDO_TRY(status);
  *nodes_failed = segment.conditional;
  RONDO_TRY(ended);
  // Not within that capture: where a body's fails, the one around could not be ended any more.
  for (size_t i = 0; i < bodies.size(); ++i) {
    const BodyCapture body = bodies[i];  // the list grows
    RONDO_TRY(body.body->capture_inside(body, *segment.device, streams, &bodies, &made->native));
  }
  return {};
}

// Records every task on its branch's stream. Branches other than the first enter the capture by waiting for an event of
// it, and all come back to the first stream at the end.
Status GraphCompiler::capture_tasks(const SegmentFacts& segment, CapturedSegment* made,
                                    const std::vector<void*>& streams, std::vector<Auxiliaries>& auxiliaries,
                                    std::vector<BodyCapture>* bodies, bool* nodes_failed) {
  StreamDevice& device = *segment.device->streams();
  const BranchPlan& plan = plan_;
  Events events(device);
  void* root = nullptr;
  if (segment.branches > 1) RONDO_TRY(events.record(streams[0], &root));
  struct Branch {
    bool inside = false;   // the capture
    bool chained = false;  // its stream ends with a kernel of ours: KernelNodes has more
    bool random = false;   // draws numbers
  };
  std::vector<Branch> branches(streams.size());
  branches[0].inside = true;
  const bool early = !inside_ && chains_kernels(gpu(segment));
  const bool chain = in_chain(segment);
  // An event after each task that another branch waits for.
  std::vector<bool> awaited(facts_.steps.size(), false);
  for (uint32_t i = segment.begin; i < segment.end; ++i)
    for (const uint32_t before : plan.waits[i]) awaited[before] = true;
  std::vector<void*> ends(facts_.steps.size(), nullptr);
  // Tasks that write other parts of memory than the one before which it is zeroed come after that, not after the task.
  struct Zeroed {
    uint32_t step;
    void* done;
  };
  std::unordered_map<const Variable*, Zeroed> zeroed;
  const auto follow_zeroing = [&](uint32_t i, void* stream) -> Status {
    for (const Access& access : facts_.steps[i].task->accesses()) {
      const auto found = zeroed.find(access.variable);
      if (found == zeroed.end() || plan.schedule.before(found->second.step, i)) continue;
      RONDO_TRY(device.stream_wait(stream, found->second.done));  // mutation: part_written_before_the_zeros
      branches[static_cast<size_t>(plan.schedule.branch[i])].chained = false;
    }
    return {};
  };

  ops::EarlyReads early_reads(early);
  TaskContext context;
  context.device = segment.device;
  context.capturing = true;
  context.device_random = segment.numbers.count ? &run_state(*segment.device)->numbers : nullptr;
  RunObserver observer = recorded_.engine->run_observer();
  observer.trace = nullptr;  // nothing runs now
  RangeAround around(observer);
  Switched switched;
  for (uint32_t i = segment.begin; i < segment.end; ++i) {
    const Step& step = facts_.steps[i];
    ops::OperatorTask& task = *step.task;
    const auto branch = static_cast<size_t>(plan.schedule.branch[i]);
    Branch& own = branches[branch];
    void* stream = streams[branch];
    if (!own.inside) {
      RONDO_TRY(device.stream_wait(stream, root));
      own.inside = true;
    }
    // mutation: capture_edge_dropped
    for (const uint32_t before : plan.waits[i]) RONDO_TRY(device.stream_wait(stream, ends[before]));
    context.stream = stream;
    context.auxiliaries = chain ? nullptr : &auxiliaries[branch];
    context.workspace = step.workspace;
    if (!zeroed.empty()) RONDO_TRY(follow_zeroing(i, stream));
    if (step.zeroed) [[unlikely]] {
      RONDO_TRY(zero_first(*recorded_.engine, step, context));  // mutation: temporary_left_as_it_was
      own.chained = false;
      if (segment.branches > 1) {
        void* done = nullptr;
        RONDO_TRY(events.record(stream, &done));
        for (const Storage* each : *step.zeroed) zeroed[each] = {i, done};
      }
    }
    std::vector<void*> before;
    KernelNodes kernels;
    std::vector<const Storage*> bound = this->bound(i);
    for (const Storage* each : bound) early_reads.add_written(each);  // by who calls, each time others
    const bool changes = step.is_switched() || step.is_parameter(), patched = !bound.empty();
    const bool kernels_alone = task.own_kernels() > 0;
    // To list all nodes takes longer with each of them: kernels of ours are noted as they are launched.
    if (step.is_switched() && !kernels_alone) RONDO_TRY(device.captured_nodes(stream, &before));
    // A task that a section switches off is no node to wait for, and work that comes from another branch has ended. If
    // a task is not kernels of ours alone, it is not known what it leaves on the stream.
    if (!kernels_alone || step.is_switched() || !plan.waits[i].empty()) own.chained = false;
    kernels.noted = step.is_parameter() || patched || (step.is_switched() && kernels_alone);
    kernels.chained = early && kernels_alone ? &own.chained : nullptr;
    context.kernels = kernels.noted || kernels.chained ? &kernels : nullptr;
    around.enter(recorded_.settings->section_of(step));
    Status status;
    if (const Control* const control = node(i)) {
      status = capture_conditional(i, *control, stream, bodies);
      *nodes_failed = !status.ok();
      own.random = true;
    } else {
      const RunObserver::Run run = observer.begin(task);
      status = Engine::run_body(task, context);
      observer.end(task, 0, run);
    }
    kernels.chained = nullptr;
    if (step.is_switched()) own.chained = false;
    if (status.ok()) status = device.capture_check(stream);
    if (status.ok() && chain && !kernels_alone && !node(i)) {
      status = check_chain(device, stream);
      *nodes_failed = !status.ok();
    }
    if (status.ok() && patched && kernels.nodes.size() != task.own_kernels())
      status =
          error(RONDO_INTERNAL, "it was captured as %zu kernels, and is %zu", kernels.nodes.size(), task.own_kernels());
    if (status.ok() && patched) made->patched.add(task, std::move(kernels), context.workspace, std::move(bound));
    if (status.ok() && changes) status = note_changed(made, step, stream, std::move(kernels), before, &switched);
    if (status.ok() && awaited[i]) status = events.record(stream, &ends[i]);
    if (!status.ok())
      return status.of_task(task.name(), segment.device->id())
          .with_context(std::string("operator '") + task.name() + "'" + facts_.recorded_at(task) +
                        " could not be captured on " + device_name(segment.device->id()));
    if (task.random_count()) own.random = true;
    early_reads.add(task);
  }
  // Each run of a body is told anew where its numbers begin.
  if (!inside_ && (segment.numbers.count || segment.keeps_host_random)) {
    // The next launch's numbers start where this one's end. On the last branch that draws numbers, after all others
    // that do, so that it seldom lengthens the graph.
    size_t last = 0;
    for (size_t b = 0; b < streams.size(); ++b)
      if (branches[b].random) last = b;
    for (size_t b = 0; b < last; ++b)
      if (branches[b].random)
        RONDO_TRY(events.join(streams[b], streams[last]));  // mutation: random_numbers_move_on_early
    ops::RunState* const state = run_state(*segment.device);
    if (segment.numbers.count)
      RONDO_TRY(ops::launch_random_advance(gpu(segment), streams[last], &state->numbers, segment.numbers.count));
    if (segment.keeps_host_random)
      RONDO_TRY(
          ops::launch_random_advance(gpu(segment), streams[last], &state->host_random, segment.host_random.count));
  }
  for (size_t b = 1; b < streams.size(); ++b)
    if (branches[b].inside) RONDO_TRY(events.join(streams[b], streams[0]));  // mutation: branch_not_joined
  return {};
}

}  // namespace rondo
