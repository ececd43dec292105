// Where a graph's temporaries, workspaces and bodies lie. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "engine/covers.h"
#include "graph/control.h"
#include "ops/task/chooser.h"
#include "ops/task/overlap.h"

namespace rondo {

namespace {

constexpr size_t kArenaAlignment = 256;
constexpr size_t kStateBytes = kArenaAlignment;  // RunState at the arena's start
static_assert(sizeof(ops::RunState) <= kStateBytes);

size_t in_steps(size_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

// How far a temporary's users have come on each branch, all but the last one. Each user is looked at once, however many
// tasks ask.
class Earlier {
 public:
  // Whether they certainly finish before the last one starts.
  bool before_last(const Schedule& schedule, const std::vector<uint32_t>& users) {
    place_.resize(static_cast<size_t>(schedule.branches));
    for (; seen_ + 1 < users.size(); ++seen_) {
      uint32_t& place = place_[static_cast<size_t>(schedule.branch[users[seen_]])];
      place = std::max(place, schedule.place[users[seen_]]);
    }
    const uint32_t* const clock = &schedule.clock[users.back() * place_.size()];
    return std::equal(place_.begin(), place_.end(), clock, std::less_equal<>());
  }

 private:
  size_t seen_ = 0;
  std::vector<uint32_t> place_;
};

}  // namespace

// Those of bodies first: each is a part of one of the graph's.
void Graph::make_arenas() {
  const auto have = [this](Device& device) {
    if (!arena(device)) arenas_.emplace_back().device = &device;
  };
  for (const Segment& segment : segments_) have(*segment.device);
  if (inside_) have(*inside_);
  // A user task may use memory of another device than its own.
  std::unordered_set<const Variable*> used;
  for (const Ref<Task>& task : tasks_)
    for (const Access& access : task->accesses()) used.insert(access.variable);
  for (const Ref<Storage>& storage : storages_)
    if (used.count(storage.get())) have(storage->device());
  for_each_body([&](uint32_t, Graph& body) {
    body.make_arenas();
    for (const Arena& inner : body.arenas_) have(*inner.device);
  });
}

void Graph::find_zeroed() {
  std::unordered_set<const Storage*> inside, met;
  for (const Ref<Storage>& storage : storages_) inside.insert(storage.get());
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    for (const Access& access : tasks_[i]->accesses()) {
      const Storage* const storage = access.variable->storage();
      if (!access.write || !storage || !inside.count(storage) || !met.insert(storage).second) continue;
      const bool bound = binding_of_.count(storage) > 0;
      if (!bound && (outputs_.count(storage) || stays(*storage))) continue;
      // What a captured collective was to write is no good where it is given up.
      const Task& task = *tasks_[i];
      const bool gaps = (task.leaves_gaps() && !task.wants_launches()) || (access.read && !covers(task, *storage));
      if (!gaps && !(bound && is_switched(i))) continue;
      if (bound || &storage->device() == &task.device())
        zeroed_[i].push_back(storage);
      else
        kept_.insert(storage);  // the task's stream cannot zero it each time
    }
  for_each_body([](uint32_t, Graph& body) { body.find_zeroed(); });
}

bool Graph::is_zeroed(uint32_t task, const Storage* storage) const {
  const auto found = zeroed_.find(task);
  return found != zeroed_.end() &&
         std::find(found->second.begin(), found->second.end(), storage) != found->second.end();
}

Status Graph::zero_first(uint32_t task, const TaskContext& context) const {
  const auto found = zeroed_.find(task);
  if (found == zeroed_.end()) return {};
  for (const Storage* storage : found->second) {
    const Device::Bytes memory{storage->address(), storage->bytes()};
    Device& device = storage->device();
    RONDO_TRY(engine_->noted(context.stream && &device == context.device
                                 ? device.streams()->fill_bytes(memory.address, 0, memory.count, context.stream)
                                 : device.zero({&memory, 1})));
  }
  return {};
}

// What has memory of its own, outputs and what a section may leave as it is, begins as zeros: nothing may be written
// there from the first launch on.
Status Graph::zero_own() {
  std::unordered_map<Device*, std::vector<Device::Bytes>> memory;
  for (const Ref<Storage>& storage : storages_) {
    if (!storage->stale() || storage->pinned() || binding_of_.count(storage.get())) continue;
    memory[&storage->device()].push_back({storage->address(), storage->bytes()});
  }
  for (const auto& [device, all] : memory) RONDO_TRY(device->zero(all));
  for (const Ref<Storage>& storage : storages_)
    if (storage->stale()) storage->mark_clean();
  Status status;
  for_each_body([&status](uint32_t, Graph& body) {
    if (status.ok()) status = body.zero_own();
  });
  return status;
}

// Outputs get memory of their own, temporaries and workspaces a place in their device's arena.
Status Graph::place_memory() {
  make_arenas();
  find_zeroed();
  // Inputs from outside keep their memory; it must exist before addresses are captured.
  std::unordered_set<const Storage*> inside;
  for (const Ref<Storage>& storage : storages_) inside.insert(storage.get());
  for (const Ref<Task>& task : tasks_)
    for (const Access& access : task->accesses())
      if (Storage* storage = access.variable->storage(); storage && !inside.count(storage))
        RONDO_TRY(engine_->back(*storage));

  RONDO_TRY(back_bindings());
  for (Arena& each : arenas_) {
    Status placed = take_memory(each);
    if (placed.code() == RONDO_OUT_OF_MEMORY) {
      std::vector<Task*> tasks;
      list_tasks(&tasks);
      bool settled = false;
      for (Task* task : tasks) settled |= &task->device() == each.device && task->settle();
      if (settled) placed = take_memory(each);
    }
    RONDO_TRY(placed);
  }
  return {};
}

Status Graph::plan_memory(Arena& arena) {
  std::unordered_map<const Storage*, std::vector<uint32_t>> users;
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    for (const Access& access : tasks_[i]->accesses())
      if (Storage* storage = access.variable->storage()) {
        std::vector<uint32_t>& list = users[storage];
        if (list.empty() || list.back() != i) list.push_back(i);  // mutation: temporaries_overlap_in_time
      }
  std::vector<Temporary> temporaries;
  arena.storages.clear();
  arena.workspaces.clear();
  arena.bodies.clear();
  arena.in_place = 0;
  for (const Ref<Storage>& storage : storages_) {
    const auto used = users.find(storage.get());
    if (&storage->device() != arena.device || used == users.end() || storage->address()) continue;
    if (binding_of_.count(storage.get())) continue;
    if (outputs_.count(storage.get()) || stays(*storage)) {  // mutation: output_taken_for_a_temporary
      RONDO_TRY(storage->materialise(kNoStream));
      info_.output_bytes += storage->pinned() ? 0 : static_cast<int64_t>(storage->bytes());
      continue;
    }
    arena.storages.emplace_back(storage.get(), 0);
    temporaries.push_back({storage->bytes(), used->second, 0});
  }
  for (uint32_t i = 0; i < tasks_.size(); ++i)
    if (const size_t bytes = &tasks_[i]->device() == arena.device ? tasks_[i]->workspace_bytes() : 0) {
      arena.workspaces.emplace_back(i, 0);
      temporaries.push_back({bytes, {i}, 0});
    }
  // Bodies of one task never run at the same time, so they share their memory.
  std::vector<size_t> body_of;  // by body: the temporary that it is in
  Status status;
  int64_t task_before = -1;
  for_each_body([&](uint32_t i, Graph& body) {
    Arena* const inner = body.arena(*arena.device);
    if (!inner || !status.ok()) return;
    status = body.plan_memory(*inner);
    if (task_before != i) temporaries.push_back({0, {i}, 0});
    task_before = i;
    temporaries.back().bytes = std::max(temporaries.back().bytes, inner->bytes);  // mutation: smaller_body_decides
    arena.bodies.emplace_back(&body, 0);
    body_of.push_back(temporaries.size() - 1);
  });
  RONDO_TRY(status);
  arena.unshared = kStateBytes;
  for (const Temporary& temporary : temporaries) arena.unshared += in_steps(temporary.bytes);
  const std::vector<size_t> heirs = join_in_place(&arena, &temporaries);
  arena.bytes = kStateBytes + plan_arena(plan_.schedule, temporaries, kArenaAlignment);
  for (size_t i = 0; i < heirs.size(); ++i) temporaries[i].offset = temporaries[heirs[i]].offset;
  size_t next = 0;
  for (auto& [storage, offset] : arena.storages) offset = kStateBytes + temporaries[next++].offset;
  for (auto& [task, offset] : arena.workspaces) offset = kStateBytes + temporaries[next++].offset;
  for (size_t i = 0; i < body_of.size(); ++i) arena.bodies[i].second = kStateBytes + temporaries[body_of[i]].offset;
  return {};
}

// Whether the task, the last of the owner's users, may write its result where the operand lies when the others are
// done.
bool Graph::takes_over(uint32_t task, const std::vector<TaskOperand>& operands, const View& operand, const View& result,
                       const Temporary& owner, const Temporary& taken) const {
  if (in_steps(owner.bytes) != in_steps(taken.bytes) || owner.users.back() != task) return false;
  return std::all_of(operands.begin(), operands.end(), [&](const TaskOperand& each) {
    if (each.view.storage != operand.storage) return true;
    if (dtype_size(each.view.dtype) != dtype_size(result.dtype)) return false;
    View there = each.view;
    there.storage = result.storage;
    there.dtype = result.dtype;
    return ops::identical(there, result);
  });
}

// A result takes over the memory of an operand that nobody needs any more, where its task writes each element when it
// has read it. What is returned says for each storage's temporary whose place it has; one that takes over leaves its
// users to that.
std::vector<size_t> Graph::join_in_place(Arena* arena, std::vector<Temporary>* temporaries) const {
  std::unordered_map<const Variable*, size_t> index;
  std::vector<size_t> heir(arena->storages.size());
  std::vector<Earlier> earlier(heir.size());  // by owner
  for (size_t i = 0; i < heir.size(); ++i) {
    index.emplace(arena->storages[i].first, i);
    heir[i] = i;
  }
  std::vector<TaskOperand> operands;
  for (uint32_t task = 0; task < tasks_.size(); ++task) {
    if (!tasks_[task]->works_in_place() || is_switched(task)) continue;  // switched off, the result is what it was
    operands.clear();
    tasks_[task]->list_operands(&operands);
    const View result = operands.back().view;
    operands.pop_back();
    const auto taken = index.find(result.storage);
    if (taken == index.end() || heir[taken->second] != taken->second) continue;
    if ((*temporaries)[taken->second].users.front() != task || is_zeroed(task, result.storage)) continue;
    for (const TaskOperand& operand : operands) {
      const auto found = index.find(operand.view.storage);
      if (found == index.end() || found->second == taken->second) continue;
      const size_t owner = heir[found->second];
      if (!takes_over(task, operands, operand.view, result, (*temporaries)[owner], (*temporaries)[taken->second]))
        continue;
      // mutation: operand_taken_over_early
      if (!earlier[owner].before_last(plan_.schedule, (*temporaries)[owner].users)) continue;
      std::vector<uint32_t>&users = (*temporaries)[owner].users, &more = (*temporaries)[taken->second].users;
      users.insert(users.end(), more.begin() + 1, more.end());
      more.clear();
      heir[taken->second] = owner;
      ++arena->in_place;
      break;
    }
  }
  return heir;
}

int Graph::in_place() const {
  int count = 0;
  for (const Arena& each : arenas_) count += each.in_place;
  for_each_body([&](uint32_t, const Graph& body) { count += body.in_place(); });
  return count;
}

Status Graph::take_memory(Arena& arena) {
  RONDO_TRY(plan_memory(arena));
  RONDO_TRY(shared_arena_ ? shared_arena_->take(*engine_, *arena.device, arena.bytes, name_, &arena.storage)
                          : SharedArena::make_block(*engine_, *arena.device, arena.bytes, name_, &arena.storage));
  info_.arena_bytes += static_cast<int64_t>(arena.bytes);
  info_.temporary_bytes += static_cast<int64_t>(arena.unshared);
  place(arena, arena.storage->address());
  return {};
}

void Graph::place(Arena& arena, char* address) {
  arena.address = address;
  for (const auto& [storage, offset] : arena.storages) storage->place(address + offset);
  workspace_.resize(tasks_.size(), nullptr);
  for (const auto& [task, offset] : arena.workspaces) workspace_[task] = address + offset;
  for (const auto& [body, offset] : arena.bodies) body->place(*body->arena(*arena.device), address + offset);
  arena.storages.clear();
  arena.workspaces.clear();
  arena.bodies.clear();
}

}  // namespace rondo
