// Decides where a graph's temporaries, workspaces and bodies lie in memory, and takes that memory.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "graph/compile/compiler.h"
#include "ops/program/overlap.h"
#include "ops/task/condition_setter.h"

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
  // True if they certainly finish before the last one starts.
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

// The first byte of a view, and the one after its last.
using ByteRange = std::pair<int64_t, int64_t>;
ByteRange range_of(const View& view) {
  int64_t low = 0, high = 0;
  view.layout.extent(&low, &high);
  const auto size = static_cast<int64_t>(dtype_size(view.dtype));
  return {view.offset + low * size, view.offset + high * size};
}

// Collects the tasks that write a storage first, one after the other, before anything looks at what they leave.
struct FirstWriters {
  uint32_t first = 0;  // the step of the first one
  std::vector<View> parts;
  size_t bytes = 0;                // of all parts
  std::vector<ByteRange> written;  // by parts without gaps, apart and in order
  bool decided = false;

  void add(const View& part) {
    ByteRange range = range_of(part);
    if (has(range)) return;
    parts.push_back(part);
    bytes += part.bytes();
    if (range.second - range.first != static_cast<int64_t>(part.bytes())) return;
    const auto begin = std::lower_bound(written.begin(), written.end(), range.first,
                                        [](const ByteRange& each, int64_t at) { return each.second < at; });
    auto end = begin;
    for (; end != written.end() && end->first <= range.second; ++end)
      range = {std::min(range.first, end->first), std::max(range.second, end->second)};
    written.insert(written.erase(begin, end), range);
  }
  bool has(const ByteRange& range) const {
    return std::any_of(written.begin(), written.end(), [&](const ByteRange& whole) {
      return whole.first <= range.first && range.second <= whole.second;
    });
  }
  // True if what a task reads of the storage has been written, and is all listed.
  bool have_read(const Storage* storage, const std::vector<TaskOperand>& operands) const {
    bool some = false;
    for (const TaskOperand& each : operands) {
      if (each.view.storage != storage || (each.written && !each.view.accumulate)) continue;
      if (!has(range_of(each.view))) return false;
      some = true;
    }
    return some;
  }
};

// True if no two of the parts share a byte. Compared are those whose ranges meet; where that takes too long: false.
bool apart(std::vector<View>& parts) {
  std::sort(parts.begin(), parts.end(), [](const View& a, const View& b) { return range_of(a) < range_of(b); });
  size_t left = 64 * parts.size();
  std::vector<const View*> open;
  for (const View& part : parts) {
    if (left < open.size()) return false;
    left -= open.size();
    std::erase_if(open, [&](const View* each) { return range_of(*each).second <= range_of(part).first; });
    for (const View* each : open)
      if (ops::overlap(*each, part)) return false;
    open.push_back(&part);
  }
  return true;
}

}  // namespace

// Those of bodies first: each is a part of one of the graph's.
void GraphCompiler::make_arenas() {
  const auto have = [this](Device& device) {
    if (!arena(device)) arenas_.emplace_back().device = &device;
  };
  for (const SegmentFacts& segment : facts_.segments) have(*segment.device);
  if (inside_) have(*inside_);
  // A user task may use memory of another device than its own.
  std::unordered_set<const Variable*> used;
  for (const Step& step : facts_.steps)
    for (const Access& access : step.task->accesses()) used.insert(access.variable);
  for (const ops::ProgramValue& value : values_)
    if (!value.from_outside() && used.count(value.storage.get())) have(value.storage->device());
  for (const Inner& inner : bodies_) {
    inner.compiler->make_arenas();
    for (const Arena& each : inner.compiler->arenas_) have(*each.device);
  }
}

GraphCompiler::Arena* GraphCompiler::arena(const Device& device) {
  for (Arena& each : arenas_)
    if (each.device == &device) return &each;
  return nullptr;
}

ops::RunState* GraphCompiler::run_state(const Device& device) {
  return reinterpret_cast<ops::RunState*>(arena(device)->address);
}

void GraphCompiler::find_zeroed() {
  std::vector<FirstWriters> found(values_.size());
  const auto zero = [&](const Storage* storage, FirstWriters* writers) {
    writers->decided = true;
    Step& step = facts_.steps[writers->first];
    const Device& device = step.task->device();
    // The host can zero memory of any device before what it issues; a captured task zeroes that of its own.
    if (!bindings_.find(storage) && &storage->device() != &device && !device.is_host()) {
      values_[*values_.find(storage)].kept = true;
      return;
    }
    if (!step.zeroed) step.zeroed = std::make_unique<std::vector<const Storage*>>();
    step.zeroed->push_back(storage);
  };
  std::vector<TaskOperand> operands;
  for (uint32_t i = 0; i < facts_.steps.size(); ++i) {
    const Step& step = facts_.steps[i];
    const ops::OperatorTask& task = *step.task;
    for (const Access& access : task.accesses()) {
      const Storage* const storage = access.variable->storage();
      const uint32_t* const value = values_.find(storage);
      if (!value || values_[*value].from_outside() || found[*value].decided) continue;
      FirstWriters& writers = found[*value];
      // A task that reads it, or changes it in place, sees what the writers before it left.
      const bool reads = (!access.write || access.input) && !writers.parts.empty();
      if (reads) {
        operands.clear();
        task.list_operands(&operands);
        if (!writers.have_read(storage, operands)) {
          zero(storage, &writers);
          continue;
        }
      }
      if (!access.write) continue;
      const bool bound = bindings_.find(storage) != nullptr;
      if (writers.parts.empty()) writers.first = i;
      if (!bound && stays(values_[*value])) {
        writers.decided = true;
        continue;
      }
      // The result of a captured collective that is given up is poisoned anyway.
      const bool gaps = (task.leaves_gaps() && !task.wants_before_launch()) || (access.read && !task.covers(*storage));
      const bool may_be_off = step.is_switched() && (bound || !writers.parts.empty());
      if (!gaps && !may_be_off) {
        writers.decided = true;
        continue;
      }
      // One that writes a part leaves the rest to those that follow.
      bool fills = !task.leaves_gaps() && !step.is_switched();
      operands.clear();
      if (fills) task.list_operands(&operands);
      bool some = false;
      for (const TaskOperand& each : operands) {
        if (each.view.storage != storage || (reads && !each.written)) continue;
        fills &= each.written && !each.view.accumulate;
        some = true;
        writers.add(each.view);
      }
      if (!fills || !some) {
        zero(storage, &writers);
      } else if (writers.bytes >= storage->bytes()) {
        if (writers.bytes == storage->bytes() && apart(writers.parts))
          writers.decided = true;
        else
          zero(storage, &writers);
      }
    }
  }
  for (size_t v = 0; v < found.size(); ++v)
    if (!found[v].decided && !found[v].parts.empty()) zero(values_[v].storage.get(), &found[v]);
  for (const Inner& inner : bodies_) inner.compiler->find_zeroed();
}

bool GraphCompiler::is_zeroed(uint32_t step, const Variable* storage) const {
  const std::vector<const Storage*>* const zeroed = facts_.steps[step].zeroed.get();
  return zeroed && std::find(zeroed->begin(), zeroed->end(), storage) != zeroed->end();
}

// Zeroes the memory of outputs, and of results that a section may leave as they are: a task may leave it unwritten from
// the first launch on.
Status GraphCompiler::zero_own() {
  std::unordered_map<Device*, std::vector<Device::Bytes>> memory;
  for (const ops::ProgramValue& value : values_) {
    const Storage& storage = *value.storage;
    if (value.from_outside() || !storage.stale() || storage.pinned() || bindings_.find(&storage)) continue;
    memory[&storage.device()].push_back({storage.address(), storage.bytes()});
  }
  for (const auto& [device, all] : memory) RONDO_TRY(device->zero(all));
  for (const ops::ProgramValue& value : values_)
    if (!value.from_outside() && value.storage->stale()) value.storage->mark_clean();
  for (const Inner& inner : bodies_) RONDO_TRY(inner.compiler->zero_own());
  return {};
}

// Outputs get memory of their own, temporaries and workspaces a place in their device's arena.
Status GraphCompiler::place_memory() {
  make_arenas();
  find_zeroed();
  choose_copied();
  for (Arena& each : arenas_) plan_memory(each);
  RONDO_TRY(take_share());
  // Inputs from outside keep their memory; it must exist before addresses are captured.
  for (const Step& step : facts_.steps)
    for (const Access& access : step.task->accesses())
      if (Storage* storage = access.variable->storage(); storage && values_.from_outside(storage))
        RONDO_TRY(recorded_.engine->back(*storage));

  RONDO_TRY(back_bindings());
  for (Arena& each : arenas_) {
    Status placed = take_memory(each);
    if (placed.code() == RONDO_OUT_OF_MEMORY) {
      std::vector<const Step*> steps;
      list_steps(&steps);
      bool degraded = false;
      for (const Step* step : steps) degraded |= &step->task->device() == each.device && step->task->degrade();
      if (degraded) {
        plan_memory(each);
        placed = take_memory(each);
      }
    }
    RONDO_TRY(placed);
  }
  return {};
}

// Before anything is taken.
Status GraphCompiler::take_share() const {
  if (!recorded_.share) return {};
  size_t bytes = 0;
  for (uint32_t i = 0; i < bindings_.size(); ++i)
    if (bindings_[i].copied) bytes += bindings_[i].storage->bytes();
  for (const Arena& each : arenas_) {
    bytes += each.bytes;
    for (const Storage* storage : each.own) bytes += storage->bytes();
  }
  return recorded_.share->take_bytes(static_cast<int64_t>(bytes), "the graph");
}

void GraphCompiler::plan_memory(Arena& arena) {
  std::vector<std::vector<uint32_t>> users(values_.size());  // by value
  for (uint32_t i = 0; i < facts_.steps.size(); ++i)
    for (const Access& access : task_of(i).accesses())
      if (const uint32_t* const value = values_.find(access.variable)) {
        std::vector<uint32_t>& list = users[*value];
        if (list.empty() || list.back() != i) list.push_back(i);  // mutation: temporaries_overlap_in_time
      }
  std::vector<Temporary> temporaries;
  arena.storages.clear();
  arena.workspaces.clear();
  arena.bodies.clear();
  arena.own.clear();
  arena.in_place = 0;
  for (size_t v = 0; v < users.size(); ++v) {
    const ops::ProgramValue& value = values_[v];
    Storage* const storage = value.storage.get();
    if (value.from_outside() || &storage->device() != arena.device) continue;
    if (users[v].empty() || storage->address() || bindings_.find(storage)) continue;
    if (stays(value)) {  // mutation: output_taken_for_a_temporary
      arena.own.push_back(storage);
      continue;
    }
    arena.storages.emplace_back(storage, 0);
    temporaries.push_back({storage->bytes(), std::move(users[v]), 0});
  }
  for (uint32_t i = 0; i < facts_.steps.size(); ++i)
    if (const size_t bytes = &task_of(i).device() == arena.device ? task_of(i).workspace_bytes() : 0) {
      arena.workspaces.emplace_back(i, 0);
      temporaries.push_back({bytes, {i}, 0});
    }
  // Bodies of one task never run at the same time, so they share their memory.
  std::vector<size_t> body_of;  // by body: the temporary that it is in
  int64_t step_before = -1;
  for (const Inner& inner : bodies_) {
    Arena* const own = inner.compiler->arena(*arena.device);
    if (!own) continue;
    inner.compiler->plan_memory(*own);
    arena.own.insert(arena.own.end(), own->own.begin(), own->own.end());
    if (step_before != inner.step) temporaries.push_back({0, {inner.step}, 0});
    step_before = inner.step;
    temporaries.back().bytes = std::max(temporaries.back().bytes, own->bytes);  // mutation: smaller_body_decides
    arena.bodies.emplace_back(inner.compiler.get(), 0);
    body_of.push_back(temporaries.size() - 1);
  }
  arena.unshared = kStateBytes;
  for (const Temporary& temporary : temporaries) arena.unshared += in_steps(temporary.bytes);
  const std::vector<size_t> owners = join_in_place(&arena, &temporaries);
  arena.bytes = kStateBytes + plan_arena(plan_.schedule, temporaries, kArenaAlignment);
  for (size_t i = 0; i < owners.size(); ++i) temporaries[i].offset = temporaries[owners[i]].offset;
  size_t next = 0;
  for (auto& [storage, offset] : arena.storages) offset = kStateBytes + temporaries[next++].offset;
  for (auto& [task, offset] : arena.workspaces) offset = kStateBytes + temporaries[next++].offset;
  for (size_t i = 0; i < body_of.size(); ++i) arena.bodies[i].second = kStateBytes + temporaries[body_of[i]].offset;
}

// True if the task, the last of the owner's users, may write its result where the operand lies when the others are
// done.
bool GraphCompiler::takes_over(uint32_t step, const std::vector<TaskOperand>& operands, const View& operand,
                               const View& result, const Temporary& owner, const Temporary& taken) const {
  if (in_steps(owner.bytes) != in_steps(taken.bytes) || owner.users.back() != step) return false;
  // Another task may write another part of the result before this one.
  if (!std::all_of(taken.users.begin() + 1, taken.users.end(),
                   [&](uint32_t user) { return plan_.schedule.before(step, user); }))
    return false;
  return std::all_of(operands.begin(), operands.end(), [&](const TaskOperand& each) {
    if (each.view.storage != operand.storage) return true;
    if (dtype_size(each.view.dtype) != dtype_size(result.dtype)) return false;
    View there = each.view;
    there.storage = result.storage;
    there.dtype = result.dtype;
    return ops::identical(there, result);
  });
}

// A result takes over the memory of an operand that is not needed any more, where its task writes each element when it
// has read it. The list that is returned says for each storage's temporary whose place it has; one that takes over
// leaves its users to that.
std::vector<size_t> GraphCompiler::join_in_place(Arena* arena, std::vector<Temporary>* temporaries) const {
  std::unordered_map<const Variable*, size_t> index;
  std::vector<size_t> owner_of(arena->storages.size());
  std::vector<Earlier> earlier(owner_of.size());  // by owner
  for (size_t i = 0; i < owner_of.size(); ++i) {
    index.emplace(arena->storages[i].first, i);
    owner_of[i] = i;
  }
  std::vector<TaskOperand> operands;
  for (uint32_t step = 0; step < facts_.steps.size(); ++step) {
    const ops::OperatorTask& task = task_of(step);
    // Switched off, the result is what it was.
    if (!task.works_in_place() || facts_.steps[step].is_switched()) continue;
    operands.clear();
    task.list_operands(&operands);
    const View result = operands.back().view;
    operands.pop_back();
    const auto taken = index.find(result.storage);
    if (taken == index.end() || owner_of[taken->second] != taken->second) continue;
    if ((*temporaries)[taken->second].users.front() != step || is_zeroed(step, result.storage)) continue;
    for (const TaskOperand& operand : operands) {
      const auto found = index.find(operand.view.storage);
      if (found == index.end() || found->second == taken->second) continue;
      const size_t owner = owner_of[found->second];
      if (!takes_over(step, operands, operand.view, result, (*temporaries)[owner], (*temporaries)[taken->second]))
        continue;
      // mutation: operand_taken_over_early
      if (!earlier[owner].before_last(plan_.schedule, (*temporaries)[owner].users)) continue;
      std::vector<uint32_t>&users = (*temporaries)[owner].users, &more = (*temporaries)[taken->second].users;
      users.insert(users.end(), more.begin() + 1, more.end());
      more.clear();
      owner_of[taken->second] = owner;
      ++arena->in_place;
      break;
    }
  }
  return owner_of;
}

int GraphCompiler::in_place() const {
  int count = 0;
  for (const Arena& each : arenas_) count += each.in_place;
  for (const Inner& inner : bodies_) count += inner.compiler->in_place();
  return count;
}

Status GraphCompiler::take_memory(Arena& arena) {
  Engine& engine = *recorded_.engine;
  for (Storage* storage : arena.own) {
    RONDO_TRY(storage->materialise(kNoStream));
    facts_.info.output_bytes += storage->pinned() ? 0 : static_cast<int64_t>(storage->bytes());
  }
  arena.own.clear();
  RONDO_TRY(recorded_.arena
                ? recorded_.arena->take(engine, *arena.device, arena.bytes, recorded_.name, &arena.storage)
                : SharedArena::make_block(engine, *arena.device, arena.bytes, recorded_.name, &arena.storage));
  facts_.info.arena_bytes += static_cast<int64_t>(arena.bytes);
  facts_.info.temporary_bytes += static_cast<int64_t>(arena.unshared);
  place(arena, arena.storage->address());
  return {};
}

void GraphCompiler::place(Arena& arena, char* address) {
  arena.address = address;
  for (const auto& [storage, offset] : arena.storages) storage->place(address + offset);
  for (const auto& [task, offset] : arena.workspaces) facts_.steps[task].workspace = address + offset;
  for (const auto& [body, offset] : arena.bodies) body->place(*body->arena(*arena.device), address + offset);
  arena.storages.clear();
  arena.workspaces.clear();
  arena.bodies.clear();
}

}  // namespace rondo
