// Finds the bindings, which stand for a call's inputs and outputs: which tasks may use each, and whether kernels take
// the caller's addresses or it is copied.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/compile/compiler.h"

namespace rondo {

namespace {

// The costs, in microseconds: to change the node of a kernel, to begin a copy on a device, to copy a MiB.
constexpr double kChangeUs = 0.25, kCopyUs = 2.5, kCopyMiBUs = 0.7;

}  // namespace

Status GraphCompiler::find_bindings() {
  elsewhere_.resize(bindings_.size());
  std::vector<bool> written(bindings_.size());
  for (const Step& step : facts_.steps)
    for (const Access& access : step.task->accesses()) {
      const uint32_t* const binding = bindings_.find(access.variable);
      if (!binding) continue;
      if (access.write && bindings_.is_input(*binding))
        return error(RONDO_INVALID_STATE,
                     "task '%s' writes %s, and a call only reads its inputs; write to a copy (rondo_copy makes it)",
                     step.task->name(), bindings_.name(*binding).c_str());
      written[*binding] = written[*binding] || (access.write && !step.is_switched());
      if (&bindings_[*binding].storage->device() != &step.task->device()) elsewhere_[*binding] = true;
    }
  for (uint32_t i = bindings_.inputs(); i < bindings_.size(); ++i)
    if (!written[i] && bindings_[i].storage->bytes())
      return error(RONDO_INVALID_STATE,
                   "%s is written by nothing that was recorded outside of sections; write to it first",
                   bindings_.name(i).c_str());
  return {};
}

bool GraphCompiler::is_call_input(const Storage& storage) const {
  const uint32_t* const binding = bindings_.find(&storage);
  return binding && bindings_.is_input(*binding);
}

bool GraphCompiler::bound_elsewhere(const ops::OperatorTask& task, const char** why) const {
  for (const Access& access : task.accesses()) {
    const uint32_t* const binding = outermost_.bindings_.find(access.variable);
    if (!binding) continue;
    // A body is captured once, and the tensors of a call are others each time.
    if (facts_.body)
      *why = "uses an input or output of a call in a body of control flow";
    else if (elsewhere_[*binding])
      *why = "uses an input or output of a call that tasks of another device than its own use";
    else
      continue;
    return true;
  }
  return false;
}

// Memory of the graph's for what is copied. All else is the caller's in each run.
Status GraphCompiler::back_bindings() {
  for (uint32_t i = 0; i < bindings_.size(); ++i) {
    Storage& storage = *bindings_[i].storage;
    if (!bindings_[i].copied || !storage.bytes()) continue;
    RONDO_TRY(storage.materialise(kNoStream));
    facts_.info.call_bytes += static_cast<int64_t>(storage.bytes());
  }
  facts_.info.inputs = static_cast<int32_t>(bindings_.inputs());
  facts_.info.outputs = static_cast<int32_t>(bindings_.size()) - facts_.info.inputs;
  return {};
}

// Tells whether a captured task's kernels can be given other addresses.
bool GraphCompiler::may_be_patched(uint32_t step) const {
  const char* why = "";
  const Step& of = facts_.steps[step];
  return of.task->own_kernels() > 0 && !of.is_switched() && !of.is_parameter() &&
         of.task->device().streams()->graph_changes(GraphChange::kernel, &why);
}

// Chooses the bindings that are copied to memory of the graph's and back: those that are used by a captured task that
// cannot be patched, or by so many kernels that a copy costs less.
void GraphCompiler::choose_copied() {
  std::vector<size_t> kernels(bindings_.size());
  for (const SegmentFacts& segment : facts_.segments)
    for (uint32_t i = segment.begin; i < segment.end && segment.captured; ++i)
      for (const Access& access : task_of(i).accesses()) {
        const uint32_t* const binding = bindings_.find(access.variable);
        if (!binding) continue;
        kernels[*binding] += task_of(i).own_kernels();
        if (!may_be_patched(i) || is_zeroed(i, access.variable)) bindings_[*binding].copied = true;
      }
  for (uint32_t i = 0; i < bindings_.size(); ++i) {
    const double mib = static_cast<double>(bindings_[i].storage->bytes()) / (1 << 20);
    if (static_cast<double>(kernels[i]) * kChangeUs > kCopyUs + mib * kCopyMiBUs) bindings_[i].copied = true;
  }
}

// The storages that a step works on that stand for inputs and outputs, and are the caller's in each run.
std::vector<const Storage*> GraphCompiler::bound(uint32_t step) const {
  std::vector<const Storage*> bound;
  if (bindings_.empty()) return bound;
  for (const Access& access : task_of(step).accesses())
    if (const uint32_t* const binding = bindings_.find(access.variable); binding && !bindings_[*binding].copied)
      bound.push_back(bindings_[*binding].storage.get());
  return bound;
}

}  // namespace rondo
