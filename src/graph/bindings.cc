// What stands for a call's inputs and outputs: which tasks may use it, and how the caller's memory comes in its place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "base/text.h"
#include "graph/graph.h"

namespace rondo {

Status Graph::find_bindings(const Recording& recording) {
  call_inputs_ = static_cast<uint32_t>(recording.call_inputs.size());
  bindings_ = recording.call_inputs;
  bindings_.insert(bindings_.end(), recording.call_outputs.begin(), recording.call_outputs.end());
  for (uint32_t i = 0; i < bindings_.size(); ++i) binding_of_[bindings_[i].storage.get()] = i;
  elsewhere_.resize(bindings_.size());
  copied_.resize(bindings_.size());
  std::vector<bool> written(bindings_.size());
  for (uint32_t i = 0; i < steps_.size(); ++i)
    for (const Access& access : steps_[i].task->accesses()) {
      const Ref<Task>& task = steps_[i].task;
      const auto found = binding_of_.find(access.variable->storage());
      if (found == binding_of_.end()) continue;
      const uint32_t binding = found->second;
      if (access.write && binding < call_inputs_)
        return error(RONDO_INVALID_STATE,
                     "task '%s' writes %s, and a call only reads its inputs; write to a copy (rondo_copy makes it)",
                     task->name(), binding_name(binding).c_str());
      written[binding] = written[binding] || (access.write && !is_switched(i));
      if (&bindings_[binding].storage->device() != &task->device()) elsewhere_[binding] = true;
    }
  for (uint32_t i = call_inputs_; i < bindings_.size(); ++i)
    if (!written[i] && bindings_[i].storage->bytes())
      return error(RONDO_INVALID_STATE,
                   "%s is written by nothing that was recorded outside of sections; write to it first",
                   binding_name(i).c_str());
  return {};
}

std::string Graph::binding_name(uint32_t binding) const {
  return binding < call_inputs_ ? format("inputs[%u]", binding) : format("outputs[%u]", binding - call_inputs_);
}

bool Graph::is_call_input(const Storage& storage) const {
  const auto found = binding_of_.find(&storage);
  return found != binding_of_.end() && found->second < call_inputs_;
}

bool Graph::bound_elsewhere(const Task& task, const char** why) const {
  if (outermost_ != this) {
    // A body is captured once, and the tensors of a call are others each time.
    for (const Access& access : task.accesses())
      if (outermost_->binding_of_.count(access.variable->storage())) {
        *why = "uses an input or output of a call in a body of control flow";
        return true;
      }
    return false;
  }
  if (bindings_.empty()) return false;
  for (const Access& access : task.accesses()) {
    const auto found = binding_of_.find(access.variable->storage());
    if (found == binding_of_.end() || !elsewhere_[found->second]) continue;
    *why = "uses an input or output of a call that tasks of another device than its own use";
    return true;
  }
  return false;
}

// Memory of the graph's for what is copied. All else is the caller's in each run.
Status Graph::back_bindings() {
  choose_copied();
  for (uint32_t i = 0; i < bindings_.size(); ++i) {
    Storage& storage = *bindings_[i].storage;
    if (!copied_[i] || !storage.bytes()) continue;
    RONDO_TRY(storage.materialise(kNoStream));
    info_.call_bytes += static_cast<int64_t>(storage.bytes());
  }
  info_.inputs = static_cast<int32_t>(call_inputs_);
  info_.outputs = static_cast<int32_t>(bindings_.size()) - info_.inputs;
  return {};
}

void Graph::collect_binding_uses() {
  if (bindings_.empty()) return;
  std::vector<BindingUse*> last_write(bindings_.size(), nullptr);
  std::vector<bool> met(bindings_.size());
  for (Segment& segment : segments_) {
    std::unordered_map<uint32_t, size_t> known;
    for (const uint32_t i : segment.tasks)
      for (const Access& access : steps_[i].task->accesses()) {
        const auto binding = binding_of_.find(access.variable->storage());
        if (binding == binding_of_.end()) continue;
        const auto [found, fresh] = known.emplace(binding->second, segment.binding_uses.size());
        if (fresh) segment.binding_uses.push_back({binding->second});
        BindingUse& use = segment.binding_uses[found->second];
        // Nothing is in an output before the first segment that uses it.
        const bool holds = !use.write && (binding->second < call_inputs_ || met[binding->second]);
        use.read |= (access.read || (access.write && is_switched(i))) && holds;
        use.input |= access.input && holds;
        use.write |= access.write;
      }
    for (BindingUse& use : segment.binding_uses) {
      use.fetches = use.binding < call_inputs_ && copied_[use.binding] && !met[use.binding];
      if (use.write && copied_[use.binding]) last_write[use.binding] = &use;
      met[use.binding] = true;
    }
  }
  for (BindingUse* use : last_write)
    if (use) use->delivers = true;
}

std::string Graph::report_bindings() const {
  std::string text;
  for (uint32_t i = 0; i < bindings_.size(); ++i) {
    const Binding& each = bindings_[i];
    View view;
    view.dtype = each.dtype;
    view.layout = each.layout;
    text += format("  call: %s, %s on %s: %s\n", binding_name(i).c_str(), operand_text(view).c_str(),
                   device_name(each.storage->device().id()).c_str(),
                   copied_[i]         ? "copied, for a library works on it or too many kernels do"
                   : i < call_inputs_ ? "read where the caller has it"
                                      : "written where the caller wants it");
  }
  if (info_.call_kernels)
    text += format("  call: %d kernel%s the caller's addresses\n", info_.call_kernels,
                   info_.call_kernels == 1 ? " takes" : "s take");
  for (const Segment& segment : segments_)
    if (const uint32_t executables = segment.executables.load(std::memory_order_relaxed); executables > 1)
      text += format("  call: %u executables on %s, each for addresses that came back\n", executables,
                     device_name(segment.device->id()).c_str());
  return text;
}

}  // namespace rondo
