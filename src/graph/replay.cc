// A graph that is called while tapes follow what it works on is recorded once more for them: the tasks that were
// recorded, on memory of the new recording, and what its own recording told tapes, so that they go back over operators.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "graph/launch.h"
#include "ops/task/submit.h"

namespace rondo {

void Graph::keep_written(const ops::Program& program) {
  if (!journal_) return;
  for (const ops::ProgramNode& node : program.nodes) written_.push_back({node.task, node.call, node.random_offset});
}

const char* Graph::find_why_no_replay() const {
  if (!callable_)
    return "a graph that is launched has none: record it with RONDO_RECORD_CALLABLE, and call it (rondo_graph_call)";
  if (!journal_) return nullptr;  // a callable's, which knows its gradient
  if (!settings_->empty()) return "the graph has parameters or sections, which are set for runs of its own";
  if (!controls_.empty()) return "the graph has control flow, and what it chooses when it runs has none";
  Rebinding memory;
  for (const Ref<Storage>& storage : storages_) memory.put(*storage, *storage);
  for (const Written& each : written_) {
    if (const auto* run = dynamic_cast<const SegmentRun*>(each.task.get()))
      return Engine::intern(format("graph '%s' stays a launch in it: %s", run->name(),
                                   run->graph().apart() ? run->graph().apart() : "it was recorded as written")
                                .c_str());
    if (ops::effects_of(each.call.get()) >= ops::Effects::ordered && !each.task->again(memory))
      return Engine::intern(format("its task '%s' cannot be recorded a second time; a task that "
                                   "rondo_engine_push_tensors tells where its tensors are can",
                                   each.task->name())
                                .c_str());
  }
  return nullptr;
}

Status Graph::replay(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs) const {
  Rebinding memory;
  std::vector<Ref<Storage>> made;
  for (uint32_t i = 0; i < call_inputs_; ++i)
    memory.put(*bindings_[i].storage, *inputs[i]->view.storage, inputs[i]->view.offset);
  for (const Ref<Storage>& storage : storages_) {
    if (memory.moves(*storage)) continue;
    made.push_back(engine_->new_storage(storage->device(), storage->bytes(), storage->pinned()));
    memory.put(*storage, *made.back());
  }
  {
    const ops::ScopedNoTape unheard;
    // What the recording drew, tasks of inlined graphs included that are no part of it any more. Where passes have put
    // those that draw in another order, it goes back: counts are sums without overflow.
    Recording::Drawn drawn;
    const auto draw_until = [&](Device& device, uint64_t end) -> Status {
      uint64_t& so_far = drawn[&device];
      const uint64_t count = end - so_far;
      so_far = end;
      return count ? engine_->submit(make_ref<Unread>(device, count)) : Status();
    };
    for (const Written& each : written_) {
      Ref<Task> task = each.task->again(memory);
      if (const uint64_t count = task->random_count()) {
        RONDO_TRY(draw_until(task->device(), each.random_offset));
        drawn[&task->device()] += count;
      }
      RONDO_TRY(engine_->submit(std::move(task), each.call, this_thread()));
    }
    for (const auto& [device, end] : random_drawn_) RONDO_TRY(draw_until(const_cast<Device&>(*device), end));
  }
  journal_->tell(memory);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Binding& output = bindings_[call_inputs_ + i];
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
