// Recording a program once more: the tasks that were recorded, on memory of the new recording, and what its own
// recording told tapes, so that they go back over operators.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/text.h"
#include "graph/run/recorded_program.h"
#include "graph/run/segment_run.h"
#include "ops/invoke/lower.h"
#include "ops/task/submit.h"

namespace rondo {

RecordedProgram::RecordedProgram(const ops::Program& program, Drawn drawn, Ref<tape::Journal> journal,
                                 bool fewer_roundings)
    : program_(program), drawn_(std::move(drawn)), journal_(std::move(journal)), fewer_roundings_(fewer_roundings) {}

const char* RecordedProgram::why_not() const {
  Rebinding memory;
  for (const ops::ProgramValue& value : program_.values)
    if (!value.from_outside()) memory.put(*value.storage, *value.storage);
  for (const ops::ProgramNode& each : program_.nodes) {
    if (const auto* run = dynamic_cast<const SegmentRun*>(each.closure())) {
      const char* const why = run->graph().facts().not_inlinable;
      return Engine::intern(
          format("graph '%s' stays a launch in it: %s", run->name(), why ? why : "it was recorded as written").c_str());
    }
    if (each.effects() >= ops::Effects::ordered && !each.closure()->again(memory))
      return Engine::intern(format("its task '%s' cannot be recorded a second time; a task that "
                                   "rondo_engine_push_tensors tells where its tensors are can",
                                   each.name)
                                .c_str());
  }
  return nullptr;
}

Status RecordedProgram::replay(Engine& engine, const Bindings& bindings, std::span<rondo_tensor* const> inputs,
                               std::span<rondo_tensor*> outputs) const {
  Rebinding memory;
  std::vector<Ref<Storage>> made;
  for (uint32_t i = 0; i < bindings.inputs(); ++i)
    memory.put(*bindings[i].storage, *inputs[i]->view.storage, inputs[i]->view.offset);
  for (const ops::ProgramValue& value : program_.values) {
    if (value.given()) continue;
    const Storage& storage = *value.storage;
    made.push_back(engine.new_storage(storage.device(), storage.bytes(), storage.pinned()));
    memory.put(storage, *made.back());
  }
  {
    const ops::ScopedNoTape unheard;
    // The numbers that the recording drew, those of tasks of inlined graphs included that are no part of it any more.
    // If passes have put tasks that draw in another order, it goes back: counts are sums without overflow.
    Drawn drawn;
    const auto draw_until = [&](Device& device, uint64_t end) -> Status {
      uint64_t& so_far = drawn[&device];
      const uint64_t count = end - so_far;
      so_far = end;
      return count ? engine.submit(make_ref<Unread>(device, count)) : Status();
    };
    for (const ops::ProgramNode& each : program_.nodes) {
      if (ops::has_steps(each)) {
        RONDO_TRY(ops::submit_node(engine, each, memory));
        continue;
      }
      Ref<ops::OperatorTask> task;
      RONDO_TRY(ops::lower(engine, each, &task, &memory));
      if (const uint64_t count = task->random_count()) {
        RONDO_TRY(draw_until(task->device(), each.random_offset));
        drawn[&task->device()] += count;
      }
      RONDO_TRY(engine.submit(std::move(task), each.call, this_thread()));
    }
    for (const auto& [device, end] : drawn_) RONDO_TRY(draw_until(const_cast<Device&>(*device), end));
  }
  journal_->tell(memory);
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    const Binding& output = bindings[bindings.inputs() + i];
    View view;
    view.storage = output.storage.get();
    view.dtype = output.dtype;
    view.layout = output.layout;
    memory.move(&view);
    outputs[i] = make_view(Ref<Storage>::share(view.storage), view);
  }
  return {};
}

}  // namespace rondo
