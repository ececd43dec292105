// Compiling a recording: segments, preparation, memory.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "base/caught.h"
#include "base/processors.h"
#include "engine/trace.h"
#include "graph/graph.h"
#include "ops/task/kernels_ahead.h"

namespace rondo {

namespace {

constexpr size_t kArenaAlignment = 256;
constexpr size_t kRandomBytes = kArenaAlignment;  // RandomState at the arena's start

Status named(const Task& task, const Status& status) {
  const rondo_device device = task.device().id();
  return status.of_task(task.name(), device)
      .with_context(std::string("operator '") + task.name() + "' on " + device_name(device));
}

}  // namespace

Graph::Graph(Recording& recording)
    : engine_(recording.keep_engine),
      name_(recording.name),
      max_branches_(recording.max_branches),
      settings_(std::move(recording.settings)),
      callable_(recording.callable),
      storages_(recording.storages),
      outputs_(recording.outputs()) {}

Status Graph::compile(Recording& recording, Ref<Graph>* graph) {
  const double recorded = Trace::now_us();
  Ref<Graph> made = Ref<Graph>::adopt(new Graph(recording));
  Graph& self = *made;
  ops::Program program = recording.program();
  self.random_drawn_ = program.drawn();
  if (!recording.as_written) RONDO_TRY(run_passes(program, &self.passes_));
  self.take(std::move(program));
  self.predecessors_ = data_flow(self.tasks_);
  RONDO_TRY(self.find_bindings(recording));
  self.split();
  RONDO_TRY(self.check_guards());
  std::vector<bool> parallel;
  for (const Segment& segment : self.segments_) parallel.push_back(segment.kind == Segment::Kind::captured);
  const BranchPlan plan = plan_branches(self.predecessors_, self.segment_of_, parallel, self.max_branches_);
  RONDO_TRY(self.find_unwritten());
  RONDO_TRY(self.prepare());
  const double prepared = Trace::now_us();
  RONDO_TRY(self.place_memory(plan));
  RONDO_TRY(self.clear_kept());
  self.collect_uses();
  self.collect_binding_uses();
  RONDO_TRY(self.capture(plan));
  const double captured = Trace::now_us();

  rondo_graph_info& info = self.info_;
  info.tasks = static_cast<int32_t>(self.tasks_.size());
  info.segments = static_cast<int32_t>(self.segments_.size());
  for (const Segment& segment : self.segments_) {
    if (segment.kind != Segment::Kind::captured) continue;
    ++info.captured;
    info.nodes += segment.native.nodes;
    info.edges += segment.native.edges;
    info.branches = std::max(info.branches, segment.branches);
  }
  info.record_ms = (recorded - recording.begun_us) / 1000;
  info.prepare_ms = (prepared - recorded) / 1000;
  info.capture_ms = (captured - prepared) / 1000;
  *graph = std::move(made);
  return {};
}

void Graph::take(ops::Program&& program) {
  for (ops::ProgramNode& node : program.nodes) {
    random_offsets_.push_back(node.random_offset);
    if (!node.operators.empty()) operators_[static_cast<uint32_t>(tasks_.size())] = std::move(node.operators);
    if (!settings_->empty()) {
      const auto* parameter = node.call ? std::get_if<ops::ParameterCall>(&node.call->of) : nullptr;
      parameter_of_.push_back(parameter ? parameter->number : ops::kAlways);
      section_of_.push_back(node.section);
    }
    tasks_.push_back(std::move(node.task));
  }
  for (const ops::ProgramValue& value : program.values)
    if (value.kept) kept_.insert(value.storage);
}

// Consecutive tasks of one kind and device form a segment.
void Graph::split() {
  segment_of_.resize(tasks_.size());
  for (uint32_t i = 0; i < tasks_.size(); ++i) {
    Task& task = *tasks_[i];
    const char* why = "";
    Segment::Kind kind = Segment::Kind::captured;
    if (!task.capturable(&why) || bound_elsewhere(task, &why) || !changes_in_graph(i, &why))
      kind = task.device().is_host() ? Segment::Kind::host : Segment::Kind::device;
    if (segments_.empty() || segments_.back().kind != kind || segments_.back().device != &task.device()) {
      Segment& segment = segments_.emplace_back();
      segment.kind = kind;
      segment.device = &task.device();
      if (kind != Segment::Kind::captured) segment.why_split = std::string("'") + task.name() + "' " + why;
    }
    Segment& segment = segments_.back();
    segment.tasks.push_back(i);
    if (kind == Segment::Kind::captured && task.wants_launches()) segment.guards.push_back(&task);
    segment_of_[i] = static_cast<int>(segments_.size()) - 1;
  }
  number_draws();
}

// A launch draws as many numbers as the recording, and each task those that it drew there: what a pass has left out
// counts for the segment that follows on its device, or for the last.
void Graph::number_draws() {
  std::unordered_map<const Device*, uint64_t> begun;  // by the segment that is looked at, or the next
  std::unordered_map<const Device*, Segment*> last;
  for (Segment& segment : segments_) {
    uint64_t& begin = begun[segment.device];
    last[segment.device] = &segment;
    for (const uint32_t i : segment.tasks) {
      const uint64_t count = tasks_[i]->random_count();
      if (count == 0) continue;
      tasks_[i]->set_random({0, random_offsets_[i] - begin});
      segment.random_count = random_offsets_[i] + count - begin;
    }
    begin += segment.random_count;
  }
  for (const auto& [device, drawn] : random_drawn_)
    if (const auto found = last.find(device); found != last.end()) found->second->random_count += drawn - begun[device];
}

// Pieces of a graph run one after the other: a collective of one device in one would wait for that of another device in
// the next.
Status Graph::check_guards() const {
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

// Tasks whose kernels exist already take microseconds; as soon as one takes long, the rest is shared by threads.
Status Graph::prepare() {
  const double begun = Trace::now_us();
  std::atomic<size_t> next{0};
  std::vector<Status> failures(tasks_.size());
  std::optional<ops::KernelsAhead> ahead;
  auto work = [&](double until_us) {
    for (size_t i = next.fetch_add(1); i < tasks_.size(); i = next.fetch_add(1)) {
      failures[i] = caught([&] { return tasks_[i]->prepare(); });
      if (ahead) ahead->one_is_ready();
      if (until_us > 0 && Trace::now_us() > until_us) return;
    }
  };
  work(begun + 2000);
  if (const size_t done = next.load(); done < tasks_.size()) {
    ahead.emplace(tasks_.size() - done);
    const int threads = usual_threads();
    std::vector<std::thread> helpers;
    try {
      for (int t = 1; t < threads; ++t) helpers.emplace_back(work, 0);
    } catch (const std::exception&) {
      // The system starts no more: those there are share the work with this thread.
    }
    work(0);
    for (std::thread& helper : helpers) helper.join();
  }
  for (size_t i = 0; i < tasks_.size(); ++i)
    if (!failures[i].ok()) return named(*tasks_[i], failures[i]);
  return {};
}

Arena* Graph::arena(const Device& device) {
  for (Arena& each : arenas_)
    if (each.device == &device) return &each;
  return nullptr;
}

RandomState* Graph::device_random(const Device& device) {
  return reinterpret_cast<RandomState*>(arena(device)->storage->address());
}

// Outputs get memory of their own, temporaries and workspaces a place in their device's arena.
Status Graph::place_memory(const BranchPlan& plan) {
  Users users;
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    for (const Access& access : tasks_[i]->accesses())
      if (Storage* storage = access.variable->storage()) {
        std::vector<uint32_t>& list = users[storage];
        if (list.empty() || list.back() != i) list.push_back(i);  // mutation: temporaries_overlap_in_time
      }
  for (const Segment& segment : segments_)
    if (!arena(*segment.device)) arenas_.push_back({segment.device, nullptr, 0});

  std::unordered_set<const Storage*> inside;
  for (const Ref<Storage>& storage : storages_) {
    inside.insert(storage.get());
    // A user task may use memory of another device than its own.
    if (users.count(storage.get()) && !arena(storage->device())) arenas_.push_back({&storage->device(), nullptr, 0});
  }
  // Inputs from outside keep their memory; it must exist before addresses are captured.
  for (const auto& [storage, list] : users)
    if (!inside.count(storage)) RONDO_TRY(engine_->back(const_cast<Storage&>(*storage)));

  RONDO_TRY(back_bindings());
  for (Arena& each : arenas_) {
    Status placed = place_in(each, plan, users);
    if (placed.code() == RONDO_OUT_OF_MEMORY) {
      bool settled = false;
      for (const Ref<Task>& task : tasks_) settled |= &task->device() == each.device && task->settle();
      if (settled) placed = place_in(each, plan, users);
    }
    RONDO_TRY(placed);
  }
  return {};
}

Status Graph::place_in(Arena& arena, const BranchPlan& plan, const Users& users) {
  std::vector<Temporary> temporaries;
  std::vector<Storage*> owners;        // of the first temporaries
  std::vector<uint32_t> workspace_of;  // of the others
  for (const Ref<Storage>& storage : storages_) {
    const auto used = users.find(storage.get());
    if (&storage->device() != arena.device || used == users.end() || storage->address()) continue;
    if (binding_of_.count(storage.get())) continue;
    if (outputs_.count(storage.get()) || stays(*storage)) {  // mutation: output_taken_for_a_temporary
      RONDO_TRY(storage->materialise(kNoStream));
      info_.output_bytes += storage->pinned() ? 0 : static_cast<int64_t>(storage->bytes());
      continue;
    }
    owners.push_back(storage.get());
    temporaries.push_back({storage->bytes(), used->second, 0});
  }
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    if (const size_t bytes = &tasks_[i]->device() == arena.device ? tasks_[i]->workspace_bytes() : 0) {
      workspace_of.push_back(i);
      temporaries.push_back({bytes, {i}, 0});
    }
  arena.bytes = kRandomBytes + plan_arena(plan.schedule, temporaries, kArenaAlignment);
  {
    Engine::NotRecorded not_recorded;
    arena.storage = engine_->new_storage(*arena.device, arena.bytes);
  }
  RONDO_TRY(engine_->back(*arena.storage));
  info_.arena_bytes += static_cast<int64_t>(arena.bytes);
  // Counted as the arena is, each in whole steps of it, so that the difference is what sharing saves.
  info_.temporary_bytes += static_cast<int64_t>(kRandomBytes);
  for (const Temporary& temporary : temporaries) info_.temporary_bytes += static_cast<int64_t>(temporary.bytes);
  char* base = arena.storage->address() + kRandomBytes;
  for (size_t i = 0; i < owners.size(); ++i) owners[i]->place(base + temporaries[i].offset);
  workspace_.resize(tasks_.size(), nullptr);
  for (size_t i = 0; i < workspace_of.size(); ++i)
    workspace_[workspace_of[i]] = base + temporaries[owners.size() + i].offset;
  return {};
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
    if (segment.kind == Segment::Kind::device)
      for (const uint32_t i : segment.tasks)
        segment.auxiliaries = std::max(segment.auxiliaries, tasks_[i]->wants_auxiliaries());
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
    for (const Arena& each : arenas_) segment.uses.push_back({each.storage.get(), false, false, true});
  }
}

// What is read before the graph writes it must have contents when the graph is launched. A temporary would never have.
Status Graph::find_unwritten() {
  std::unordered_set<const Variable*> made_here;
  for (const Ref<Storage>& storage : storages_) made_here.insert(storage.get());
  std::unordered_set<const Variable*> known;  // written by the graph, or looked at already
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    for (const Access& access : tasks_[i]->accesses()) {
      const Task* const task = tasks_[i].get();
      const Storage* storage = access.variable->storage();
      if (access.input && storage && storage->bytes() && !known.count(storage) && engine_->blank(*storage) &&
          !is_call_input(*storage)) {
        if (made_here.count(storage) && !outputs_.count(storage))
          return error(RONDO_INVALID_STATE,
                       "task '%s' reads a tensor of %zu bytes on %s that was made in the recording and never written; "
                       "write to it first",
                       task->name(), storage->bytes(), device_name(storage->device().id()).c_str());
        unwritten_.push_back({storage, task});
      }
      const bool writes = access.write && (!is_switched(i) || kept_.count(access.variable));
      if (access.input || writes) known.insert(access.variable);
    }
  return {};
}

}  // namespace rondo
