// Notes what a recording tells its tapes, and tells it again about the memory of another run.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/journal.h"

#include "engine/tasks/thread_state.h"
#include "tape/tape.h"

namespace rondo::tape {

void Journal::add(Entry&& entry) {
  for (const TaskOperand& each : entry.operands) entry.keep.push_back(Ref<Storage>::share(each.view.storage));
  entries_.push_back(std::move(entry));
}

void Journal::note(const char* name, Ref<const ops::Call> call, const std::vector<TaskOperand>& operands,
                   bool constant) {
  add({name, std::move(call), {}, constant, operands, {}});
}

void Journal::note(const std::shared_ptr<const Custom>& custom, std::span<const View> inputs,
                   std::span<const View> outputs) {
  Entry entry{nullptr, {}, custom, false, {}, {}};
  for (const View& each : inputs) entry.operands.push_back({each, false});
  for (const View& each : outputs) entry.operands.push_back({each, true});
  add(std::move(entry));
}

void Journal::tell(const Rebinding& memory) const {
  if (!this_thread().tapes) return;
  for (const Entry& each : entries_) {
    std::vector<TaskOperand> operands = each.operands;
    for (TaskOperand& operand : operands) memory.move(&operand.view);
    if (each.custom) {
      std::vector<View> inputs, outputs;
      for (const TaskOperand& operand : operands) (operand.written ? outputs : inputs).push_back(operand.view);
      note_custom(engine_, each.custom, inputs, outputs);
      continue;
    }
    if (each.constant) pause_tapes();
    this_thread().tapes->done(each.name, each.call, operands);
    if (each.constant) (void)resume_tapes();
  }
}

}  // namespace rondo::tape
