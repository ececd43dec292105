// Compiling a recording: segments, preparation, memory.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/caught.h"
#include "base/machine/arithmetic.h"
#include "base/machine/processors.h"
#include "base/settings.h"
#include "base/thread.h"
#include "engine/shown.h"
#include "engine/trace.h"
#include "engine/user_call.h"
#include "graph/control.h"
#include "graph/launch.h"
#include "ops/task/chooser.h"
#include "ops/task/kernels_ahead.h"

namespace rondo {

namespace {

Status named(const Task& task, const std::string& recorded_at, const Status& status) {
  const rondo_device device = task.device().id();
  return status.of_task(task.name(), device)
      .with_context(std::string("operator '") + task.name() + "' on " + device_name(device) + recorded_at);
}

// Numbers of devices that nothing of the program is on any more are drawn all the same.
void draw_unread(ops::Program* program, const Recording::Drawn& drawn) {
  std::unordered_set<const Device*> left;
  Device* host = nullptr;
  (void)get_device({RONDO_CPU, 0}, &host);  // is always there
  for (const ops::ProgramNode& node : program->nodes) {
    left.insert(&node.task->device());
    if (node.task->choice_count()) left.insert(host);
  }
  for (const auto& [device, count] : drawn)
    if (count && !left.count(device)) program->append(make_ref<Unread>(const_cast<Device&>(*device), count), {}, 0);
}

}  // namespace

Graph::Graph(Recording& recording)
    : engine_(recording.keep_engine),
      name_(recording.name),
      max_branches_(recording.max_branches),
      host_decides_(recording.host_decides),
      settings_(std::move(recording.settings)),
      callable_(recording.callable),
      falls_back_(recording.falls_back),
      storages_(recording.storages),
      outputs_(recording.outputs()),
      shared_arena_(recording.arena),
      journal_(recording.journal),
      as_written_(recording.as_written),
      fewer_roundings_(recording.fewer_roundings) {}

Status Graph::compile(Recording& recording, Ref<Graph>* graph) {
  const double recorded = Trace::now_us();
  Recording::Drawn drawn;
  ops::Program program = recording.program(&drawn);  // has the recording take over what inlined graphs need
  Ref<Graph> made = Ref<Graph>::adopt(new Graph(recording));
  Graph& self = *made;
  self.random_drawn_ = std::move(drawn);
  program.fewer_roundings = recording.fewer_roundings;
  self.keep_written(program);
  if (!recording.as_written) RONDO_TRY(run_passes(program, &self.passes_));
  draw_unread(&program, self.random_drawn_);
  self.take(std::move(program));
  RONDO_TRY(self.find_depth());
  RONDO_TRY(self.find_bindings(recording));
  RONDO_TRY(self.lower(self));
  RONDO_TRY(self.check_guards());
  RONDO_TRY(self.find_parties());
  RONDO_TRY(self.prepare());
  self.spread();
  const double prepared = Trace::now_us();
  RONDO_TRY(self.place_memory());
  RONDO_TRY(self.zero_own());
  RONDO_TRY(self.capture());
  self.collect_uses();
  self.collect_binding_uses();
  self.apart_ = self.why_apart();
  self.number_ = recording.number;
  self.to_measure_ = setting_is_set(Setting::graph_profile);
  self.why_no_replay_ = self.find_why_no_replay();
  self.plain_ = !self.callable_ && self.unwritten_.empty() && self.segments_.size() == 1 && self.settings_->empty() &&
                !self.to_measure_ && self.parties_.empty();
  const double captured = Trace::now_us();

  rondo_graph_info& info = self.info_;
  self.count(&info);
  info.record_ms = (recorded - recording.begun_us) / 1000;
  info.prepare_ms = (prepared - recorded) / 1000;
  info.capture_ms = (captured - prepared) / 1000;
  *graph = std::move(made);
  return {};
}

void Graph::take(ops::Program&& program) {
  for (ops::ProgramNode& node : program.nodes) {
    random_offsets_.push_back(node.random_offset);
    if (!node.site.empty()) sites_[static_cast<uint32_t>(tasks_.size())] = std::move(node.site);
    choice_offsets_.push_back(node.choice_offset);
    if (!node.operators.empty()) operators_[static_cast<uint32_t>(tasks_.size())] = std::move(node.operators);
    if (auto* control = dynamic_cast<Control*>(node.task.get()))
      controls_.emplace_back(static_cast<uint32_t>(tasks_.size()), control);
    if (!settings_->empty()) {
      const auto* parameter = node.call ? std::get_if<ops::ParameterCall>(&node.call->of) : nullptr;
      parameter_of_.push_back(parameter ? parameter->number : ops::kAlways);
      section_of_.push_back(node.section);
    }
    tasks_.push_back(std::move(node.task));
    calls_.push_back(std::move(node.call));
  }
  storages_.insert(storages_.end(), program.added().begin(), program.added().end());
  for (const ops::ProgramValue& value : program.values)
    if (value.kept) kept_.insert(value.storage);
}

// Each level is a part of the stack of whatever thread runs, reports or destroys the graph.
Status Graph::find_depth() {
  for (const Ref<Task>& task : tasks_)
    if (const auto* run = dynamic_cast<const SegmentRun*>(task.get()))
      depth_ = std::max(depth_, run->graph().depth_ + 1);
  Status status;
  for_each_body([&](uint32_t, Graph& body) {
    if (status.ok()) status = body.find_depth();
    depth_ = std::max(depth_, body.depth_ + 1);
  });
  RONDO_TRY(status);
  if (depth_ <= kMostNested) return {};
  return error(RONDO_INVALID_STATE,
               "its bodies of control flow and launches of graphs nest %d deep; RONDO_MAX_NESTED (%d) is the most",
               depth_, kMostNested);
}

std::string Graph::site(uint32_t task) const {
  const auto found = sites_.find(task);
  return found == sites_.end() ? std::string() : found->second;
}

std::string Graph::recorded_at(const Task& task) const {
  std::string text;
  for (const auto& [i, site] : sites_)
    if (tasks_[i].get() == &task) text = ", recorded at " + site;
  for_each_body([&](uint32_t, const Graph& body) {
    if (text.empty()) text = body.recorded_at(task);
  });
  return text;
}

// Tasks that take about as long as an edge between branches: some kernels of ours, on as much as a GPU moves meanwhile.
std::vector<bool> Graph::find_small() const {
  constexpr size_t kBytes = 256 << 10, kKernels = 2;
  std::vector<bool> small(tasks_.size(), false);
  if (setting_choice(Setting::graph_branches) == 1) return small;
  std::vector<TaskOperand> operands;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    const size_t kernels = tasks_[i]->own_kernels();
    if (kernels == 0 || kernels > kKernels || tasks_[i]->wants_auxiliaries() > 0) continue;
    operands.clear();
    tasks_[i]->list_operands(&operands);
    size_t bytes = 0;
    for (const TaskOperand& each : operands) bytes += shown_bytes(each.view);
    small[i] = !operands.empty() && bytes <= kBytes;
  }
  return small;
}

// From tasks to segments.
Status Graph::lower(const Graph& outermost) {
  outermost_ = &outermost;
  predecessors_ = data_flow(tasks_);
  // What bodies are decides whether a node of a graph can hold them.
  Status status;
  for_each_body([&](uint32_t, Graph& body) {
    if (status.ok()) status = body.lower(outermost);
  });
  RONDO_TRY(status);
  split();
  return find_unwritten();
}

// Branches, of bodies too; what tasks launch is known.
void Graph::spread() {
  std::vector<bool> parallel;
  // mutation: choice_among_branches
  for (const Segment& segment : segments_)
    parallel.push_back(segment.kind == Segment::Kind::captured && !in_chain(segment));
  plan_ = plan_branches(predecessors_, segment_of_, parallel, find_small(), max_branches_);
  for_each_body([](uint32_t, Graph& body) { body.spread(); });
}

// The figures of what it consists of, bodies included.
void Graph::count(rondo_graph_info* info) const {
  info->tasks += static_cast<int32_t>(tasks_.size());
  for (const auto& [task, control] : controls_) info->conditional_nodes += control->node() ? 1 : 0;
  // What is inside of a node counts with the segment that has it.
  if (!inside_) info->segments += static_cast<int32_t>(segments_.size());
  for (const Segment& segment : segments_) {
    if (segment.kind != Segment::Kind::captured || inside_) continue;
    ++info->captured;
    info->nodes += segment.native.nodes;
    info->edges += segment.native.edges;
    info->programmatic += segment.native.programmatic;
    info->branches = std::max(info->branches, segment.branches);
  }
  for_each_body([&](uint32_t, const Graph& body) { body.count(info); });
}

// Consecutive tasks of one kind and device form a segment.
void Graph::split() {
  segment_of_.resize(tasks_.size());
  for (uint32_t i = 0; i < tasks_.size(); ++i) {
    Task& task = *tasks_[i];
    const char* why = "";
    Segment::Kind kind = Segment::Kind::captured;
    Device* device = &task.device();
    if (Device* const chooses = decide(i))
      device = chooses;
    else if (!task.capturable(&why) || bound_elsewhere(task, &why) || !changes_in_graph(i, &why))
      kind = task.device().is_host() ? Segment::Kind::host : Segment::Kind::device;
    if (segments_.empty() || segments_.back().kind != kind || segments_.back().device != device) {
      Segment& segment = segments_.emplace_back();
      segment.kind = kind;
      segment.device = device;
      if (kind != Segment::Kind::captured) segment.why_split = std::string("'") + task.name() + "' " + why;
    }
    Segment& segment = segments_.back();
    segment.tasks.push_back(i);
    if (kind == Segment::Kind::captured && task.wants_launches()) segment.guards.push_back(&task);
    segment.chooses |= device != &task.device();
    segment_of_[i] = static_cast<int>(segments_.size()) - 1;
  }
  number_draws();
}

// A launch draws as many numbers as the recording, and each task those that it drew there: what a pass has left out
// counts for the segment that follows on its device, or for the last.
void Graph::number_draws() {
  Device* host = nullptr;
  (void)get_device({RONDO_CPU, 0}, &host);            // is always there
  std::unordered_map<const Device*, uint64_t> begun;  // by the segment that is looked at, or the next
  std::unordered_map<const Device*, Segment::Drawn*> last;
  for (Segment& segment : segments_) {
    Segment::Drawn &numbers = segment.numbers, &choices = segment.choices;
    numbers.begin = begun[segment.device];
    choices.begin = begun[host];
    for (const uint32_t i : segment.tasks) {
      Task& task = *tasks_[i];
      const uint64_t offset = random_offsets_[i], count = task.random_count();
      // What chooses on a GPU draws what it would on the host.
      Segment::Drawn& drawn = &task.device() == segment.device ? numbers : choices;
      if (count) {
        task.set_random({0, offset - drawn.begin});
        drawn.count = offset + count - drawn.begin;
      }
      if (const uint64_t more = task.choice_count()) {
        task.set_choices({0, choice_offsets_[i] - choices.begin});
        choices.count = choice_offsets_[i] + more - choices.begin;
      }
      if (const Control* const control = node(i))
        for (const Body& body : control->bodies()) segment.keeps_choices |= body.graph && body.graph->draws();
    }
    begun[segment.device] += numbers.count;
    last[segment.device] = &numbers;
    if (choices.count) {
      begun[host] += choices.count;
      last[host] = &choices;
    }
  }
  for (const auto& [device, drawn] : random_drawn_)
    if (const auto found = last.find(device); found != last.end()) found->second->count += drawn - begun[device];
}

// Pieces of a graph run one after the other: a collective of one device in one would wait for that of another device in
// the next.
Status Graph::check_guards() const {
  Status in_body;
  for_each_body([&](uint32_t task, const Graph& body) {
    if (in_body.ok()) in_body = body.check_guards();
    for (const Segment& segment : body.segments_)
      if (!segment.guards.empty() && in_body.ok())
        in_body = error(RONDO_UNSUPPORTED,
                        "task '%s' is a collective in a body of '%s', which each rank decides for itself; record it "
                        "outside of control flow",
                        segment.guards.front()->name(), tasks_[task]->name());
  });
  RONDO_TRY(in_body);
  const Segment* first = nullptr;
  for (const Segment& segment : segments_) {
    if (segment.guards.empty()) continue;
    if (first && first->device != segment.device)
      return error(RONDO_INVALID_STATE,
                   "the recording holds collectives on %s and on %s, which would wait for each other; record those of "
                   "each rank by themselves, and launch the graphs one after the other",
                   device_name(first->device->id()).c_str(), device_name(segment.device->id()).c_str());
    first = &segment;
  }
  return {};
}

// One of each end of a group. Tasks of one graph may run one after the other, where those of a second rank would come
// too late for the first.
Status Graph::find_parties() {
  std::vector<Task*> tasks;
  list_tasks(&tasks);
  std::unordered_set<const void*> ends;
  std::unordered_map<uint64_t, int> ranks;
  const auto take = [&](const Party& party) -> Status {
    const Party::Seat seat = party.seat();
    if (!ends.insert(seat.end).second) return {};
    parties_.push_back(&party);
    if (seat.group == 0) return {};
    const auto [known, fresh] = ranks.emplace(seat.group, seat.rank);
    if (fresh || known->second == seat.rank) return {};
    return error(
        RONDO_INVALID_STATE,
        "the recording holds collectives of the ranks %d and %d of one group, which would wait for each other; "
        "record those of each rank by themselves, and launch each graph",
        known->second, seat.rank);
  };
  for (const Task* task : tasks) {
    if (const auto* run = dynamic_cast<const SegmentRun*>(task))
      for (const Party* each : run->graph().parties_) RONDO_TRY(take(*each));
    if (!task->wants_launches()) continue;
    if (const auto* party = dynamic_cast<const Party*>(task)) RONDO_TRY(take(*party));
  }
  return {};
}

void Graph::list_tasks(std::vector<Task*>* tasks) const {
  for (const Ref<Task>& task : tasks_) tasks->push_back(task.get());
  for_each_body([&](uint32_t, const Graph& body) { body.list_tasks(tasks); });
}

// Tasks whose kernels exist already take microseconds; as soon as one takes long, the rest is shared by threads.
Status Graph::prepare() {
  const double begun = Trace::now_us();
  std::vector<Task*> tasks;
  list_tasks(&tasks);
  std::atomic<size_t> next{0};
  std::vector<Status> failures(tasks.size());
  std::optional<ops::KernelsAhead> ahead;
  auto work = [&](double until_us) {
    for (size_t i = next.fetch_add(1); i < tasks.size(); i = next.fetch_add(1)) {
      failures[i] = caught([&] { return tasks[i]->prepare(); });
      if (ahead) ahead->one_is_ready();
      if (until_us > 0 && Trace::now_us() > until_us) return;
    }
  };
  work(begun + 2000);
  if (const size_t done = next.load(); done < tasks.size()) {
    ahead.emplace(tasks.size() - done);
    const int threads = usual_threads();
    std::vector<Thread> helpers;
    try {
      helpers.reserve(static_cast<size_t>(threads));  // once a thread runs nothing may fail
      for (int t = 1; t < threads; ++t)
        helpers.push_back(start_thread([&work] {
          set_default_arithmetic();
          work(0);
        }));
    } catch (const std::exception&) {
      // The system starts no more: those there are share the work with this thread.
    }
    work(0);
    for (Thread& helper : helpers) helper.join();
  }
  for (size_t i = 0; i < tasks.size(); ++i)
    if (!failures[i].ok()) return named(*tasks[i], recorded_at(*tasks[i]), failures[i]);
  return {};
}

Arena* Graph::arena(const Device& device) {
  for (Arena& each : arenas_)
    if (each.device == &device) return &each;
  return nullptr;
}

ops::RunState* Graph::run_state(const Device& device) {
  return reinterpret_cast<ops::RunState*>(arena(device)->address);
}

RandomState* Graph::device_random(const Device& device) {
  return &run_state(device)->numbers;
}

int Graph::most_auxiliaries(const Segment& segment) const {
  int most = 0;
  for (const uint32_t i : segment.tasks) {
    most = std::max(most, tasks_[i]->wants_auxiliaries());
    if (const auto* run = dynamic_cast<const SegmentRun*>(tasks_[i].get()))
      most = std::max(most, run->most_auxiliaries());
  }
  return most;
}

// What a segment's launch reads and writes, as the rest of the engine sees it: a temporary counts only where one
// segment hands it to another, so that a failure there goes on with it and with nothing else. The arenas are written by
// every segment, which keeps those of one graph in their order and its launches apart.
void Graph::collect_uses() {
  std::unordered_map<const Variable*, std::unordered_set<int>> temporaries;  // the segments each is in
  for (const Ref<Storage>& storage : storages_)
    if (!outputs_.count(storage.get())) temporaries[storage.get()];
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    for (const Access& access : tasks_[i]->accesses())
      if (const auto found = temporaries.find(access.variable); found != temporaries.end())
        found->second.insert(segment_of_[i]);
  for (Segment& segment : segments_) {
    std::unordered_map<const Variable*, size_t> known;
    std::unordered_set<const Variable*> written;  // whatever is switched off
    if (segment.kind == Segment::Kind::device) segment.auxiliaries = most_auxiliaries(segment);
    for (const uint32_t i : segment.tasks)
      for (const Access& access : tasks_[i]->accesses()) {
        if (const Storage* storage = access.variable->storage(); storage && binding_of_.count(storage)) continue;
        const auto temporary = temporaries.find(access.variable);
        if (temporary != temporaries.end() && temporary->second.size() == 1 && !kept_.count(access.variable)) continue;
        const auto [found, fresh] = known.emplace(access.variable, segment.uses.size());
        if (fresh) segment.uses.push_back({access.variable});
        Use& use = segment.uses[found->second];
        // A variable the segment itself wrote first is not read from outside. What may not be written stays.
        const bool holds = !written.count(access.variable);
        use.read |= (access.read || (access.write && is_switched(i))) && holds;
        use.input |= access.input && holds;
        use.write |= access.write;
        if (access.write && !is_switched(i)) written.insert(access.variable);
        if (callable_) known_[access.variable] |= access.write;
      }
    // mutation: arena_released_early
    for (const Arena& each : arenas_)
      if (each.storage) segment.uses.push_back({each.storage.get(), false, false, true});
  }
  for_each_body([](uint32_t, Graph& body) { body.collect_uses(); });
}

// What is read before the graph writes it must have contents when the graph is launched. A temporary would never have.
Status Graph::find_unwritten() {
  std::unordered_set<const Variable*> made_here;
  for (const Ref<Storage>& storage : storages_) made_here.insert(storage.get());
  // Written by the graph, or looked at already; what a section writes, for its own tasks alone.
  std::unordered_map<const Variable*, uint32_t> known;
  const auto is_known = [&](const Variable* variable, uint32_t task) {
    const auto found = known.find(variable);
    return found != known.end() && (found->second == ops::kAlways || found->second == section_of_[task]);
  };
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    for (const Access& access : tasks_[i]->accesses()) {
      const Task* const task = tasks_[i].get();
      const Storage* storage = access.variable->storage();
      if (access.input && storage && storage->bytes() && !is_known(storage, i) && engine_->blank(*storage) &&
          !is_call_input(*storage)) {
        if (made_here.count(storage) && !outputs_.count(storage))
          return error(RONDO_INVALID_STATE,
                       "task '%s' reads a tensor of %zu bytes on %s that was made in the recording and never written; "
                       "write to it first",
                       task->name(), storage->bytes(), device_name(storage->device().id()).c_str());
        if (outermost_ == this) unwritten_.push_back({storage, task});
      }
      if (!access.input && !access.write) continue;
      const bool always = access.input || !is_switched(i) || kept_.count(access.variable) > 0;
      const uint32_t by = always ? ops::kAlways : section_of_[i];
      const auto [found, fresh] = known.try_emplace(access.variable, by);
      if (!fresh && found->second != ops::kAlways) found->second = by;
    }
  return {};
}

}  // namespace rondo
