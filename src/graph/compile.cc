// Compiling a recording: segments, preparation, memory.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "engine/trace.h"
#include "graph/graph.h"

namespace rondo {

namespace {

constexpr size_t kArenaAlignment = 256;
constexpr size_t kRandomBytes = kArenaAlignment;  // RandomState at the arena's start

Status named(const Task& task, const Status& status) {
  return status.with_context(std::string("operator '") + task.name() + "' on " + device_name(task.device().id()));
}

}  // namespace

Graph::Graph(Recording& recording)
    : engine_(recording.keep_engine),
      name_(recording.name),
      max_branches_(recording.max_branches),
      tasks_(std::move(recording.tasks)),
      storages_(recording.storages) {}

Status Graph::compile(Recording& recording, Ref<Graph>* graph) {
  const double recorded = Trace::now_us();
  Ref<Graph> made = Ref<Graph>::adopt(new Graph(recording));
  Graph& self = *made;
  self.predecessors_ = data_flow(self.tasks_);
  self.split();
  std::vector<bool> parallel;
  for (const Segment& segment : self.segments_) parallel.push_back(segment.kind == Segment::Kind::captured);
  const BranchPlan plan = plan_branches(self.predecessors_, self.segment_of_, parallel, self.max_branches_);
  RONDO_TRY(self.prepare());
  const double prepared = Trace::now_us();
  RONDO_TRY(self.place_memory(recording, plan));
  self.collect_externals();
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

// Consecutive tasks of one kind and device form a segment.
void Graph::split() {
  segment_of_.resize(tasks_.size());
  for (uint32_t i = 0; i < tasks_.size(); ++i) {
    Task& task = *tasks_[i];
    const char* why = "";
    Segment::Kind kind = Segment::Kind::captured;
    if (!task.capturable(&why)) kind = task.device().is_host() ? Segment::Kind::host : Segment::Kind::device;
    if (segments_.empty() || segments_.back().kind != kind || segments_.back().device != &task.device()) {
      Segment& segment = segments_.emplace_back();
      segment.kind = kind;
      segment.device = &task.device();
      if (kind != Segment::Kind::captured) segment.why_split = std::string("'") + task.name() + "' " + why;
    }
    Segment& segment = segments_.back();
    segment.tasks.push_back(i);
    segment_of_[i] = static_cast<int>(segments_.size()) - 1;
    if (const uint64_t count = task.random_count()) {
      task.set_random({0, segment.random_count});
      segment.random_count += count;
    }
  }
}

// Tasks whose kernels exist already take microseconds; as soon as one takes long, the rest is shared by threads.
Status Graph::prepare() {
  const double begun = Trace::now_us();
  std::atomic<size_t> next{0};
  std::vector<Status> failures(tasks_.size());
  auto work = [&](double until_us) {
    for (size_t i = next.fetch_add(1); i < tasks_.size(); i = next.fetch_add(1)) {
      failures[i] = tasks_[i]->prepare();
      if (until_us > 0 && Trace::now_us() > until_us) return;
    }
  };
  work(begun + 2000);
  if (next.load() < tasks_.size()) {
    const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
    std::vector<std::thread> helpers;
    try {
      for (unsigned t = 1; t < cores; ++t) helpers.emplace_back(work, 0);
    } catch (const std::system_error&) {
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
Status Graph::place_memory(const Recording& recording, const BranchPlan& plan) {
  std::unordered_map<const Storage*, std::vector<uint32_t>> users;
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    for (const Access& access : tasks_[i]->accesses())
      if (Storage* storage = access.variable->storage()) {
        std::vector<uint32_t>& list = users[storage];
        if (list.empty() || list.back() != i) list.push_back(i);
      }
  for (const Segment& segment : segments_)
    if (!arena(*segment.device)) arenas_.push_back({segment.device, nullptr, 0});

  std::unordered_set<const Storage*> inside;
  for (const Ref<Storage>& storage : recording.storages) inside.insert(storage.get());
  // Inputs from outside keep their memory; it must exist before addresses are captured.
  for (const auto& [storage, list] : users)
    if (!inside.count(storage)) RONDO_TRY(engine_->back(const_cast<Storage&>(*storage)));

  for (Arena& each : arenas_) {
    std::vector<Temporary> temporaries;
    std::vector<Storage*> owners;        // of the first temporaries
    std::vector<uint32_t> workspace_of;  // of the others
    for (const Ref<Storage>& storage : recording.storages) {
      const auto used = users.find(storage.get());
      if (&storage->device() != each.device || used == users.end() || storage->address()) continue;
      if (storage->handles.load() > 0 || storage->pinned()) {
        RONDO_TRY(storage->materialise(kNoStream));
        info_.output_bytes += storage->pinned() ? 0 : static_cast<int64_t>(storage->bytes());
        continue;
      }
      owners.push_back(storage.get());
      temporaries.push_back({storage->bytes(), used->second, 0});
    }
    for (uint32_t i = 0; i < tasks_.size(); ++i)
      if (const size_t bytes = &tasks_[i]->device() == each.device ? tasks_[i]->workspace_bytes() : 0) {
        workspace_of.push_back(i);
        temporaries.push_back({bytes, {i}, 0});
      }
    for (const Temporary& temporary : temporaries) info_.temporary_bytes += static_cast<int64_t>(temporary.bytes);
    each.bytes = kRandomBytes + plan_arena(plan.schedule, temporaries, kArenaAlignment);
    info_.arena_bytes += static_cast<int64_t>(each.bytes);
    {
      Engine::NotRecorded not_recorded;
      each.storage = engine_->new_storage(*each.device, each.bytes);
    }
    RONDO_TRY(engine_->back(*each.storage));
    char* base = each.storage->address() + kRandomBytes;
    for (size_t i = 0; i < owners.size(); ++i) owners[i]->place(base + temporaries[i].offset);
    workspace_.resize(tasks_.size(), nullptr);
    for (size_t i = 0; i < workspace_of.size(); ++i)
      workspace_[workspace_of[i]] = base + temporaries[owners.size() + i].offset;
  }
  return {};
}

// What a segment's launch reads and writes, as the rest of the engine sees it. The arenas are written by every segment,
// which also keeps launches of one graph apart.
void Graph::collect_externals() {
  std::unordered_set<const Variable*> temporaries;
  for (const Ref<Storage>& storage : storages_)
    if (storage->handles.load() == 0) temporaries.insert(storage.get());
  for (Segment& segment : segments_) {
    std::unordered_map<Variable*, int> uses;  // bit 1 read, bit 2 write
    std::vector<Variable*> order;
    for (const uint32_t i : segment.tasks)
      for (const Access& access : tasks_[i]->accesses()) {
        if (temporaries.count(access.variable)) continue;
        int& bits = uses.emplace(access.variable, 0).first->second;
        if (!bits) order.push_back(access.variable);
        // A variable the segment itself wrote first is not read from outside.
        if (access.read && !(bits & 2)) bits |= 1;
        if (access.write) bits |= 2;
      }
    for (Variable* variable : order) {
      if (uses[variable] & 1) segment.reads.push_back(variable);
      if (uses[variable] & 2) segment.writes.push_back(variable);
    }
    for (const Arena& each : arenas_) {
      segment.writes.push_back(each.storage.get());
      // The first segment starts anew; what fails in one segment skips those after it.
      if (&segment != &segments_.front()) segment.reads.push_back(each.storage.get());
    }
  }
}

}  // namespace rondo
