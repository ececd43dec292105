// The steps of compiling, and what does not make a file of its own.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/compile/compiler.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <unordered_set>

#include "base/caught.h"
#include "base/machine/arithmetic.h"
#include "base/machine/processors.h"
#include "base/threads/thread.h"
#include "engine/tasks/making_limit.h"
#include "engine/trace.h"
#include "engine/user_call.h"
#include "graph/compile/numbers.h"
#include "graph/run/segment_run.h"
#include "ops/invoke/lower.h"
#include "ops/program/dependences.h"
#include "ops/task/kernels_ahead.h"
#include "ops/task/user_task.h"
#include "rtc/unkept.h"

namespace rondo {

namespace {

Status named(const Step& step, const Status& status) {
  const ops::OperatorTask& task = *step.task;
  const rondo_device device = task.device().id();
  return status.of_task(task.name(), device)
      .with_context(std::string("operator '") + task.name() + "' on " + device_name(device) +
                    (step.site().empty() ? "" : ", recorded at " + step.site()));
}

// Numbers of devices that nothing of the program is on any more are drawn all the same.
void draw_unread(ops::Program* program, const Drawn& drawn) {
  std::unordered_set<const Device*> left;
  Device* host = nullptr;
  (void)get_device({RONDO_CPU, 0}, &host);  // is always there
  for (const ops::ProgramNode& node : program->nodes) {
    left.insert(node.device);
    if (node.host_random_count) left.insert(host);
  }
  for (const auto& [device, count] : drawn)
    if (count && !left.count(device)) program->append(make_ref<Unread>(const_cast<Device&>(*device), count), {}, 0);
}

}  // namespace

GraphCompiler::GraphCompiler(FinishedRecording& recorded, GraphFacts& facts)
    : recorded_(recorded), outermost_(*this), facts_(facts) {
  facts_.name = recorded.name;
  facts_.number = recorded.number;
  facts_.callable = recorded.callable;
  facts_.as_written = recorded.as_written;
  facts_.fewer_roundings = recorded.fewer_roundings;
  facts_.unkept = recorded.unkept;
}

GraphCompiler::GraphCompiler(GraphCompiler& around, GraphFacts& facts)
    : recorded_(around.recorded_), outermost_(around.outermost_), facts_(facts) {
  facts_.name = recorded_.name;
  facts_.body = true;
}

Status GraphCompiler::compile(FinishedRecording&& recorded, const LaunchInterceptor* interceptor, Ref<Graph>* graph) {
  const double recorded_us = Trace::now_us();
  const rtc::Unkept unkept(recorded.unkept);
  auto facts = std::make_unique<GraphFacts>();
  GraphCompiler self(recorded, *facts);
  self.bindings_ = Bindings(recorded.call_inputs, recorded.call_outputs);
  std::shared_ptr<const RecordedProgram> kept;
  if (recorded.journal)
    kept = std::make_shared<const RecordedProgram>(recorded.program, recorded.drawn, recorded.journal,
                                                   recorded.fewer_roundings);
  ops::Program& program = recorded.program;
  RONDO_TRY(ops::expand(*recorded.engine, &program));
  program.fewer_roundings = recorded.fewer_roundings;
  if (recorded.number_checks) RONDO_TRY(NumberChecks::finish(recorded.number_checks, &program, recorded.call_inputs));
  if (!recorded.as_written) RONDO_TRY(run_passes(program, &facts->passes));
  draw_unread(&program, recorded.drawn);
  std::vector<Ref<ops::OperatorTask>> tasks;
  RONDO_TRY(ops::lower(*recorded.engine, &program, &tasks));
  self.take(std::move(program), std::move(tasks));
  RONDO_TRY(self.find_depth());
  RONDO_TRY(self.find_bindings());
  RONDO_TRY(self.lower());
  RONDO_TRY(self.check_guards());
  RONDO_TRY(self.find_parties());
  RONDO_TRY(self.prepare());
  self.spread();
  const double prepared_us = Trace::now_us();
  if (recorded.arenas > 1) facts->why_serial = self.why_serial();
  RONDO_TRY(self.place_and_capture());
  std::vector<Replica> others;
  if (facts->why_serial.empty()) RONDO_TRY(self.add_replicas(&others));
  facts->not_inlinable = self.why_not_inlinable();
  facts->no_replay = self.why_no_replay(kept.get());
  const double captured_us = Trace::now_us();

  rondo_graph_info& info = facts->info;
  self.count(&info);
  info.arenas = static_cast<int32_t>(others.size()) + 1;
  for (const Replica& each : others) {
    const rondo_graph_info& more = each.facts->info;
    info.arena_bytes += more.arena_bytes;
    info.temporary_bytes += more.temporary_bytes;
    info.call_bytes += more.call_bytes;
    info.output_bytes += more.output_bytes;
  }
  facts->in_place = self.in_place();
  info.record_ms = (recorded_us - recorded.begun_us) / 1000;
  info.prepare_ms = (prepared_us - recorded_us) / 1000;
  info.capture_ms = (captured_us - prepared_us) / 1000;
  Graph::Compiled compiled;
  compiled.engine = recorded.engine;
  compiled.settings = std::move(recorded.settings);
  compiled.recorded = std::move(kept);
  compiled.checks = std::move(self.checks_);
  compiled.shared_arena = recorded.arena;
  compiled.share = std::move(recorded.share);
  compiled.first = self.hand_over(std::move(facts));
  compiled.others = std::move(others);
  *graph = make_ref<Graph>(std::move(compiled), interceptor);
  return {};
}

void GraphCompiler::take(ops::Program&& program, std::vector<Ref<ops::OperatorTask>>&& tasks) {
  const std::vector<std::vector<uint32_t>> predecessors = ops::Dependences(program).predecessors();
  facts_.steps.reserve(program.nodes.size());
  for (ops::ProgramNode& node : program.nodes) {
    const auto step = static_cast<uint32_t>(facts_.steps.size());
    auto* const control = Control::of(node);
    facts_.steps.emplace_back(std::move(node), std::move(tasks[step]));
    for (const uint32_t before : predecessors[step]) facts_.steps[step].predecessors.push_back(before);
    if (control) controls_.emplace_back(step, control);
  }
  values_ = std::move(program.values);
  facts_.controls.reserve(controls_.size());
  for (const auto& [step, control] : controls_) take_bodies(step, *control);
}

void GraphCompiler::take_bodies(uint32_t step, Control& control) {
  ControlFacts& facts = facts_.controls.emplace_back();
  facts.step = step;
  facts.number = control.number();
  for (Body& body : control.bodies()) {
    BodyFacts& own = facts.bodies.emplace_back();
    own.name = body.name;
    if (!body.program) continue;
    own.facts = std::make_unique<GraphFacts>();
    own.facts->passes = std::move(body.program->passes);
    Inner& inner = bodies_.emplace_back();
    inner.step = step;
    inner.body = &body;
    inner.compiler.reset(new GraphCompiler(*this, *own.facts));
    inner.compiler->take(std::move(body.program->program), std::move(body.program->tasks));
    body.program.reset();
  }
}

// The prepared tasks get memory and are captured: runs begin from here.
Status GraphCompiler::place_and_capture() {
  RONDO_TRY(place_memory());
  RONDO_TRY(MakingLimit::check());
  RONDO_TRY(zero_own());
  RONDO_TRY(capture());
  RONDO_TRY(MakingLimit::check());
  pack_weights();
  collect_uses();
  collect_binding_uses();
  hand_over_bodies();
  return {};
}

// To the tasks that run them.
void GraphCompiler::hand_over_bodies() {
  for (const Inner& inner : bodies_) {
    inner.compiler->hand_over_bodies();
    if (!inner.compiler->inside_)
      inner.body->compiled =
          std::make_unique<CompiledBody>(*recorded_.engine, recorded_.name, std::move(inner.compiler->segments_));
  }
}

void GraphCompiler::list_made() {
  for (const ops::ProgramValue& value : values_)
    if (!value.from_outside()) facts_.made.push_back({value.storage, value.role});
  for (const Inner& inner : bodies_) inner.compiler->list_made();
}

// Each level is a part of the stack of whatever thread runs, reports or destroys the graph.
Status GraphCompiler::find_depth() {
  int& depth = facts_.depth;
  for (const Step& step : facts_.steps)
    if (const SegmentRun* const run = launch_of(step)) depth = std::max(depth, run->graph().facts().depth + 1);
  for (const Inner& inner : bodies_) {
    RONDO_TRY(inner.compiler->find_depth());
    depth = std::max(depth, inner.compiler->facts_.depth + 1);
  }
  if (depth <= kMostNested) return {};
  return error(RONDO_INVALID_STATE,
               "its bodies of control flow and launches of graphs nest %d deep; RONDO_MAX_NESTED (%d) is the most",
               depth, kMostNested);
}

// Found when the graph is made, so that a recording need not try.
const char* GraphCompiler::why_not_inlinable() const {
  if (!recorded_.settings->empty()) return "is a launch of another graph, which has parameters or sections";
  if (!controls_.empty()) return "is a launch of another graph, which has control flow";
  for (const Step& step : facts_.steps)
    if (ops::effects_of(step.call.get()) >= ops::Effects::ordered &&
        (dynamic_cast<const UserTask*>(step.task.get()) || !step.task->again({})))
      return "is a launch of another graph, one of whose tasks cannot be part of a second one";
  return nullptr;
}

const char* GraphCompiler::why_no_replay(const RecordedProgram* program) const {
  if (!recorded_.callable)
    return "a graph that is launched has none: record it with RONDO_RECORD_CALLABLE, and call it (rondo_graph_call)";
  if (!program) return nullptr;  // a callable's, which knows its gradient
  if (!recorded_.settings->empty()) return "the graph has parameters or sections, which are set for runs of its own";
  if (!controls_.empty()) return "the graph has control flow, and what it chooses when it runs has none";
  return program->why_not();
}

// The figures of what it consists of, bodies included.
void GraphCompiler::count(rondo_graph_info* info) const {
  info->tasks += static_cast<int32_t>(facts_.steps.size());
  for (const ControlFacts& each : facts_.controls) info->conditional_nodes += each.node ? 1 : 0;
  for (const Inner& inner : bodies_) inner.compiler->count(info);
  // All that is inside of a node counts with the segment that has it.
  if (inside_) return;
  info->segments += static_cast<int32_t>(facts_.segments.size());
  for (const SegmentFacts& segment : facts_.segments) {
    if (!segment.captured) continue;
    ++info->captured;
    info->nodes += segment.nodes;
    info->edges += segment.edges;
    info->programmatic += segment.programmatic;
    info->branches = std::max(info->branches, segment.branches);
  }
}

void GraphCompiler::list_steps(std::vector<const Step*>* steps) const {
  for (const Step& step : facts_.steps) steps->push_back(&step);
  for (const Inner& inner : bodies_) inner.compiler->list_steps(steps);
}

// Tasks whose kernels exist already take microseconds; as soon as one takes long, the rest is shared by threads.
Status GraphCompiler::prepare() {
  const double begun = Trace::now_us();
  std::vector<const Step*> steps;
  list_steps(&steps);
  std::atomic<size_t> next{0};
  std::vector<Status> failures(steps.size());
  std::optional<ops::KernelsAhead> ahead;
  auto work = [&](double until_us) {
    for (size_t i = next.fetch_add(1); i < steps.size(); i = next.fetch_add(1)) {
      failures[i] = MakingLimit::check();
      if (failures[i].ok()) failures[i] = caught([&] { return steps[i]->task->prepare(); });
      if (ahead) ahead->one_is_ready();
      if (until_us > 0 && Trace::now_us() > until_us) return;
    }
  };
  work(ops::kernels_are_counted() ? 0 : begun + 2000);  // a census is one thread's
  if (const size_t done = next.load(); done < steps.size()) {
    ahead.emplace(steps.size() - done);
    const int threads = usual_threads();
    std::vector<Thread> helpers;
    try {
      helpers.reserve(static_cast<size_t>(threads));  // once a thread runs nothing may fail
      for (int t = 1; t < threads; ++t)
        helpers.push_back(start_thread([&work, unkept = rtc::Unkept::allowance(), limit = MakingLimit::current()] {
          const rtc::Unkept scope(unkept);  // mutation: helpers_keep_for_strangers
          const MakingLimit::Scope limited(limit);
          set_default_arithmetic();
          work(0);
        }));
    } catch (const std::exception&) {
      // The system starts no more: those there are share the work with this thread.
    }
    work(0);
    for (Thread& helper : helpers) helper.join();
  }
  for (size_t i = 0; i < steps.size(); ++i)
    if (!failures[i].ok()) return named(*steps[i], failures[i]);
  return recorded_.share && recorded_.share->budget().measures() ? prepare_captures() : Status();
}

}  // namespace rondo
