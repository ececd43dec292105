// What segments do to what others know too. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <unordered_set>

#include "graph/compile/compiler.h"

namespace rondo {

// What a segment's launch reads and writes, as the rest of the engine sees it: a temporary counts only where one
// segment hands it to another, so that a failure there goes on with it and with nothing else. The arenas are written by
// every segment, which keeps those of one graph in their order and its launches apart.
void GraphCompiler::collect_uses() {
  std::unordered_map<const Variable*, std::unordered_set<uint32_t>> temporaries;  // the segments each is in
  for (const Ref<Storage>& storage : facts_.storages)
    if (!facts_.outputs.count(storage.get())) temporaries[storage.get()];
  for (uint32_t i = 0; i < facts_.steps.size(); ++i)
    for (const Access& access : task_of(i).accesses())
      if (const auto found = temporaries.find(access.variable); found != temporaries.end())
        found->second.insert(facts_.steps[i].segment);
  for (const std::unique_ptr<Segment>& made : segments_) {  // none in a node
    Segment& segment = *made;
    std::unordered_map<const Variable*, size_t> known;
    std::unordered_set<const Variable*> written;  // whatever is switched off
    for (uint32_t i = segment.facts().begin; i < segment.facts().end; ++i)
      for (const Access& access : task_of(i).accesses()) {
        if (bindings_.find(access.variable)) continue;
        const auto temporary = temporaries.find(access.variable);
        if (temporary != temporaries.end() && temporary->second.size() == 1 && !kept_.count(access.variable)) continue;
        const auto [found, fresh] = known.emplace(access.variable, segment.uses.size());
        if (fresh) segment.uses.push_back({access.variable});
        Use& use = segment.uses[found->second];
        // A variable the segment itself wrote first is not read from outside. What may not be written stays.
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
