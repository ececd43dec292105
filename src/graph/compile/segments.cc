// From steps to segments and branches, and what segments use. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/settings.h"
#include "engine/operand_text.h"
#include "graph/compile/compiler.h"
#include "graph/run/segment_run.h"

namespace rondo {

// Tasks that take about as long as an edge between branches: some kernels of ours, on as much as a GPU moves meanwhile.
std::vector<bool> GraphCompiler::find_small() const {
  constexpr size_t kBytes = 256 << 10, kKernels = 2;
  std::vector<bool> small(facts_.steps.size(), false);
  if (setting_choice(Setting::graph_branches) == 1) return small;
  std::vector<TaskOperand> operands;
  for (size_t i = 0; i < facts_.steps.size(); ++i) {
    const size_t kernels = task_of(i).own_kernels();
    if (kernels == 0 || kernels > kKernels || task_of(i).wants_auxiliaries() > 0) continue;
    operands.clear();
    task_of(i).list_operands(&operands);
    size_t bytes = 0;
    for (const TaskOperand& each : operands) bytes += unbroadcast_bytes(each.view);
    small[i] = !operands.empty() && bytes <= kBytes;
  }
  return small;
}

// From tasks to segments.
Status GraphCompiler::lower() {
  // Bodies are lowered first: what they are decides whether a node of a graph can hold them.
  for (const Inner& inner : bodies_) RONDO_TRY(inner.compiler->lower());
  split();
  return find_unwritten();
}

// Branches, of bodies too; what tasks launch is known.
void GraphCompiler::spread() {
  std::vector<bool> parallel;
  // mutation: choice_among_branches
  for (const SegmentFacts& segment : facts_.segments) parallel.push_back(segment.captured && !in_chain(segment));
  std::vector<std::vector<uint32_t>> predecessors;
  std::vector<int> segment;
  for (const Step& step : facts_.steps) {
    predecessors.emplace_back(step.predecessors.begin(), step.predecessors.end());
    segment.push_back(static_cast<int>(step.segment));
  }
  plan_ = plan_branches(predecessors, segment, parallel, find_small(), recorded_.max_branches);
  for (const Inner& inner : bodies_) inner.compiler->spread();
}

void GraphCompiler::keep_branches() {
  for (size_t i = 0; i < facts_.steps.size(); ++i)
    facts_.steps[i].branch = static_cast<uint32_t>(plan_.schedule.branch[i]);
  plan_ = {};
}

// Consecutive tasks of one kind and device form a segment.
void GraphCompiler::split() {
  for (uint32_t i = 0; i < facts_.steps.size(); ++i) {
    const ops::OperatorTask& task = task_of(i);
    const char* why = "";
    bool captured = true;
    Device* device = &task.device();
    if (Device* const decider = decide(i))
      device = decider;
    else if (!task.capturable(&why) || bound_elsewhere(task, &why) || !changes_in_graph(i, &why))
      captured = false;
    if (facts_.segments.empty() || facts_.segments.back().captured != captured ||
        facts_.segments.back().device != device) {
      SegmentFacts& segment = facts_.segments.emplace_back();
      segment.captured = captured;
      segment.device = device;
      segment.begin = i;
      if (!captured) segment.why_split = std::string("'") + task.name() + "' " + why;
    }
    SegmentFacts& segment = facts_.segments.back();
    segment.end = i + 1;
    segment.conditional |= device != &task.device();
    facts_.steps[i].segment = static_cast<uint32_t>(facts_.segments.size()) - 1;
  }
  number_draws();
}

// A launch draws as many numbers as the recording, and each task those that it drew there: what a pass has left out
// counts for the segment that follows on its device, or for the last.
void GraphCompiler::number_draws() {
  Device* host = nullptr;
  (void)get_device({RONDO_CPU, 0}, &host);            // is always there
  std::unordered_map<const Device*, uint64_t> begun;  // by the segment that is looked at, or the next
  std::unordered_map<const Device*, Numbers*> last;
  for (SegmentFacts& segment : facts_.segments) {
    Numbers &numbers = segment.numbers, &host_random = segment.host_random;
    numbers.begin = begun[segment.device];
    host_random.begin = begun[host];
    for (uint32_t i = segment.begin; i < segment.end; ++i) {
      ops::OperatorTask& task = task_of(i);
      const uint64_t offset = facts_.steps[i].random_offset, host_random_offset = facts_.steps[i].host_random_offset;
      const uint64_t count = task.random_count();
      // A task that chooses on a GPU draws the numbers that it would draw on the host.
      Numbers& drawn = &task.device() == segment.device ? numbers : host_random;
      if (task.draws())
        task.set_random({0, count ? offset - drawn.begin : 0}, {0, host_random_offset - host_random.begin});
      if (count) drawn.count = offset + count - drawn.begin;
      if (const uint64_t more = task.host_random_count())
        host_random.count = host_random_offset + more - host_random.begin;
      if (node(i))
        for (const Inner& inner : bodies_of(i)) segment.keeps_host_random |= inner.compiler->draws();
    }
    begun[segment.device] += numbers.count;
    last[segment.device] = &numbers;
    if (host_random.count) {
      begun[host] += host_random.count;
      last[host] = &host_random;
    }
  }
  if (facts_.body) return;
  for (const auto& [device, drawn] : recorded_.drawn)
    if (const auto found = last.find(device); found != last.end()) found->second->count += drawn - begun[device];
}

bool GraphCompiler::draws() const {
  return std::any_of(facts_.segments.begin(), facts_.segments.end(),
                     [](const SegmentFacts& segment) { return segment.numbers.count || segment.keeps_host_random; });
}

std::vector<ops::OperatorTask*> GraphCompiler::prelaunch_checks(const SegmentFacts& segment) const {
  std::vector<ops::OperatorTask*> prelaunch_checks;
  for (uint32_t i = segment.begin; i < segment.end && segment.captured; ++i)
    if (task_of(i).wants_before_launch()) prelaunch_checks.push_back(&task_of(i));
  return prelaunch_checks;
}

// Pieces of a graph run one after the other: a collective of one device in one would wait for that of another device in
// the next.
Status GraphCompiler::check_guards() const {
  for (const Inner& inner : bodies_) {
    RONDO_TRY(inner.compiler->check_guards());
    for (const SegmentFacts& segment : inner.compiler->facts_.segments)
      if (const std::vector<ops::OperatorTask*> found = inner.compiler->prelaunch_checks(segment); !found.empty())
        return error(RONDO_UNSUPPORTED,
                     "task '%s' is a collective in a body of '%s', which each rank decides for itself; record it "
                     "outside of control flow",
                     found.front()->name(), task_of(inner.step).name());
  }
  const SegmentFacts* first = nullptr;
  for (const SegmentFacts& segment : facts_.segments) {
    if (prelaunch_checks(segment).empty()) continue;
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
Status GraphCompiler::find_parties() {
  std::vector<const Step*> steps;
  list_steps(&steps);
  std::unordered_set<const void*> ends;
  std::unordered_map<uint64_t, int> ranks;
  const auto take = [&](const Party& party) -> Status {
    const Party::Seat seat = party.seat();
    if (!ends.insert(seat.end).second) return {};
    checks_.parties.push_back(&party);
    if (seat.group == 0) return {};
    const auto [known, fresh] = ranks.emplace(seat.group, seat.rank);
    if (fresh || known->second == seat.rank) return {};
    return error(
        RONDO_INVALID_STATE,
        "the recording holds collectives of the ranks %d and %d of one group, which would wait for each other; "
        "record those of each rank by themselves, and launch each graph",
        known->second, seat.rank);
  };
  for (const Step* step : steps) {
    const ops::OperatorTask* const task = step->task.get();
    if (const SegmentRun* const run = launch_of(*step))
      for (const Party* each : run->graph().checks().parties) RONDO_TRY(take(*each));
    if (!task->wants_before_launch()) continue;
    if (const auto* party = dynamic_cast<const Party*>(task)) RONDO_TRY(take(*party));
  }
  return {};
}

// A variable that is read before the graph writes it must have contents when the graph is launched. A temporary would
// never have.
Status GraphCompiler::find_unwritten() {
  // Written by the graph, or looked at already; what a section writes, for its own tasks alone.
  std::unordered_map<const Variable*, uint32_t> known;
  const auto is_known = [&](const Variable* variable, uint32_t task) {
    const auto found = known.find(variable);
    return found != known.end() && (found->second == ops::kAlways || found->second == facts_.steps[task].section);
  };
  for (uint32_t i = 0; i < facts_.steps.size(); ++i)
    for (const Access& access : task_of(i).accesses()) {
      const ops::OperatorTask* const task = &task_of(i);
      const Storage* storage = access.variable->storage();
      if (access.input && storage && storage->bytes() && !is_known(storage, i) && recorded_.engine->blank(*storage) &&
          !is_call_input(*storage)) {
        const ops::ProgramValue* const value = values_.value_of(storage);
        if (value && value->role == ops::ValueRole::temporary)
          return error(RONDO_INVALID_STATE,
                       "task '%s' reads a tensor of %zu bytes on %s that was made in the recording and never written; "
                       "write to it first",
                       task->name(), storage->bytes(), device_name(storage->device().id()).c_str());
        if (!facts_.body) checks_.unwritten.push_back({storage, task});
      }
      if (!access.input && !access.write) continue;
      const bool always = access.input || !facts_.steps[i].is_switched() || is_kept(access.variable);
      const uint32_t by = always ? ops::kAlways : facts_.steps[i].section;
      const auto [found, fresh] = known.try_emplace(access.variable, by);
      if (!fresh && found->second != ops::kAlways) found->second = by;
    }
  return {};
}

// Collects the variables that a segment's launch reads and writes, as the rest of the engine sees it: a temporary
// counts only where one segment hands it to another, so that a failure there goes on with it and with nothing else. The
// arenas are written by every segment, which keeps those of one graph in their order and its launches apart.
void GraphCompiler::collect_uses() {
  constexpr uint32_t kNone = UINT32_MAX, kSeveral = UINT32_MAX - 1;
  std::vector<uint32_t> used_in(values_.size(), kNone);  // the segment, by value
  for (uint32_t i = 0; i < facts_.steps.size(); ++i)
    for (const Access& access : task_of(i).accesses())
      if (const uint32_t* const value = values_.find(access.variable)) {
        const uint32_t segment = facts_.steps[i].segment;
        used_in[*value] = used_in[*value] == kNone || used_in[*value] == segment ? segment : kSeveral;
      }
  for (const std::unique_ptr<Segment>& made : segments_) {  // none in a node
    Segment& segment = *made;
    std::unordered_map<const Variable*, size_t> known;
    std::unordered_set<const Variable*> written;  // whatever is switched off
    for (uint32_t i = segment.facts().begin; i < segment.facts().end; ++i)
      for (const Access& access : task_of(i).accesses()) {
        if (bindings_.find(access.variable)) continue;
        const uint32_t* const value = values_.find(access.variable);
        if (value && !values_[*value].outlives() && used_in[*value] != kSeveral) continue;
        const auto [found, fresh] = known.emplace(access.variable, segment.uses.size());
        if (fresh) segment.uses.push_back({access.variable});
        VariableUse& use = segment.uses[found->second];
        // A variable the segment itself wrote first is not read from outside. One that a switched task may leave
        // unwritten keeps its contents, so it is read.
        const bool holds = !written.count(access.variable);
        use.read |= (access.read || (access.write && facts_.steps[i].is_switched())) && holds;
        use.input |= access.input && holds;
        use.write |= access.write;
        if (access.write && !facts_.steps[i].is_switched()) written.insert(access.variable);
        if (facts_.callable) bindings_.uses(*access.variable, access.write);
      }
    // mutation: arena_released_early
    for (const Arena& each : arenas_)
      if (each.storage) segment.uses.push_back({each.storage.get(), false, false, true});
  }
  for (const Inner& inner : bodies_) inner.compiler->collect_uses();
}

void GraphCompiler::collect_binding_uses() {
  if (bindings_.empty()) return;
  std::vector<BindingUse*> last_write(bindings_.size(), nullptr);
  std::vector<bool> met(bindings_.size());
  for (const std::unique_ptr<Segment>& made : segments_) {
    Segment& segment = *made;
    std::unordered_map<uint32_t, size_t> known;
    for (uint32_t i = segment.facts().begin; i < segment.facts().end; ++i)
      for (const Access& access : task_of(i).accesses()) {
        const uint32_t* const binding = bindings_.find(access.variable);
        if (!binding) continue;
        const auto [found, fresh] = known.emplace(*binding, segment.binding_uses.size());
        if (fresh) segment.binding_uses.push_back({*binding});
        BindingUse& use = segment.binding_uses[found->second];
        // Nothing is in an output before the first segment that uses it.
        const bool holds = !use.write && (bindings_.is_input(*binding) || met[*binding]);
        use.read |= (access.read || (access.write && facts_.steps[i].is_switched())) && holds;
        use.input |= access.input && holds;
        use.write |= access.write;
      }
    for (BindingUse& use : segment.binding_uses) {
      use.fetches = bindings_.is_input(use.binding) && bindings_[use.binding].copied && !met[use.binding];
      if (use.write && bindings_[use.binding].copied) last_write[use.binding] = &use;
      met[use.binding] = true;
    }
  }
  for (BindingUse* use : last_write)
    if (use) use->delivers = true;
}

}  // namespace rondo
