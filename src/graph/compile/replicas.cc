// Compiles the same steps once more for memory of their own, on which a call can overlap with others of its graph.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "graph/compile/compiler.h"
#include "graph/run/segment_run.h"

namespace rondo {

Replica GraphCompiler::hand_over(std::unique_ptr<const GraphFacts> facts) {
  list_made();
  Replica replica;
  replica.facts = std::move(facts);
  replica.bindings = std::move(bindings_);
  for (Arena& each : arenas_)
    if (each.storage) replica.arenas.push_back(std::move(each.storage));
  replica.segments = std::move(segments_);
  return replica;
}

// Runs come in order if they leave something for the next one, or work on something that is there once.
std::string GraphCompiler::why_serial() const {
  if (recorded_.number_checks) return "it checks the numbers that it makes";
  if (!controls_.empty())
    return format("its task '%s' keeps what a run is at", task_of(controls_.front().first).name());
  if (std::any_of(values_.begin(), values_.end(), [](const ops::ProgramValue& each) { return each.kept; }))
    return "its sections keep from call to call what they write";
  Rebinding memory;
  for (const ops::ProgramValue& each : values_)
    if (!each.from_outside()) memory.put(*each.storage, *each.storage);
  for (const Step& step : facts_.steps) {
    const ops::OperatorTask& task = *step.task;
    if (dynamic_cast<const SegmentRun*>(&task))
      return format("its task '%s' is a launch of another graph", task.name());
    if (ops::effects_of(step.call.get()) == ops::Effects::opaque)
      return format("its task '%s' says nothing of what it touches", task.name());
    if (std::holds_alternative<ops::IndexCheckCall>(step.call->of))
      return format("its task '%s' checks indices, and says once what it found", task.name());
    for (const Access& access : task.accesses())
      if (access.write && values_.from_outside(access.variable))  // mutation: calls_overlap_in_what_they_write
        return format("its task '%s' writes %s from outside", task.name(),
                      access.variable->storage() ? "a tensor" : "a variable");
    if (task.wants_before_launch())
      return format("its task '%s' is a collective, which all ranks start in one order", task.name());
    if (!task.again(memory))
      return format(
          "its task '%s' cannot be made for other memory; one that rondo_engine_push_tensors tells where its "
          "tensors are can",
          task.name());
  }
  return {};
}

// From one that was compiled for other memory.
void GraphCompiler::take_again(const GraphCompiler& first) {
  const GraphFacts& facts = first.facts_;
  Rebinding memory;
  for (const ops::ProgramValue& each : first.values_) {
    const Storage& storage = *each.storage;
    Ref<Storage> own = each.storage;
    if (!each.from_outside()) {
      own = make_ref<Storage>(*recorded_.engine, storage.device(), storage.bytes(), storage.pinned());
      memory.put(storage, *own);
    }
    values_.declare(*own, each.role);
    values_.use(*own);
  }
  std::vector<Binding> inputs, outputs;
  for (uint32_t i = 0; i < first.bindings_.size(); ++i) {
    const Binding& each = first.bindings_[i];
    const size_t value = *first.values_.find(each.storage.get());
    (first.bindings_.is_input(i) ? inputs : outputs).push_back({values_[value].storage, each.dtype, each.layout});
  }
  bindings_ = Bindings(std::move(inputs), outputs);
  facts_.steps.reserve(facts.steps.size());
  for (const Step& each : facts.steps) facts_.steps.push_back(each.again(memory));
}

Status GraphCompiler::add_replicas(std::vector<Replica>* replicas) const {
  for (int i = 1; i < recorded_.arenas; ++i) {
    auto facts = std::make_unique<GraphFacts>();
    GraphCompiler further(recorded_, *facts);
    further.take_again(*this);
    RONDO_TRY(further.find_bindings());
    further.split();
    RONDO_TRY(further.prepare());
    further.spread();
    RONDO_TRY(further.place_and_capture());
    replicas->push_back(further.hand_over(std::move(facts)));
  }
  return {};
}

}  // namespace rondo
