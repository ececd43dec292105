// Going back over a recorded function. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callable/gradient.h"

#include <algorithm>

#include "callable/record.h"
#include "ops/autocast/autocast.h"
#include "ops/ops.h"
#include "tape/backward.h"

namespace rondo {

namespace {

View whole(Storage& storage, rondo_dtype dtype) {
  View view;
  view.storage = &storage;
  view.dtype = dtype;
  const auto elements = static_cast<int64_t>(storage.bytes() / dtype_size(dtype));
  view.layout = Layout::row_major(1, &elements);
  return view;
}

}  // namespace

bool Gradient::Parts::differentiable() const {
  return std::any_of(outputs.begin(), outputs.end(), [](const Part& each) { return each.active; });
}

Status Gradient::name_kept(Recording& recording, const tape::Tape& tape, Parts* parts) {
  if (!parts->differentiable()) return {};
  for (const auto& [storage, dtype] : tape.kept()) {
    const auto is = [&storage = storage](const Part& each) { return each.view.storage == storage.get(); };
    const auto find = [&is](std::vector<Part>& among) {
      const auto found = std::find_if(among.begin(), among.end(), is);
      return found == among.end() ? nullptr : &*found;
    };
    Part* part = find(parts->inputs);
    if (!part) part = find(parts->outputs);
    if (!part) {
      const View view = whole(*storage, dtype);
      const bool made_here = Engine::owner(*storage) == &recording;
      if (made_here) RONDO_TRY(name_output(recording.engine, view));
      part = &(made_here ? parts->outputs : parts->inputs).emplace_back(storage, view, false);
    }
    part->kept = true;
  }
  return {};
}

Gradient::Gradient(const char* name, uint32_t record_flags, Ref<tape::Tape> tape, Parts parts, const Graph& forward)
    : Custom(name),
      record_flags_(record_flags),
      tape_(std::move(tape)),
      parts_([&]() -> Parts&& {
        // Tensors from outside that gradients flow to.
        for (Storage* other : forward.outside()) {
          const std::optional<View> view = tape_->read_as(*other);
          if (!view) continue;
          const auto known = std::find_if(parts.inputs.begin(), parts.inputs.end(),
                                          [&](const Part& each) { return each.view.storage == other; });
          Part& part = known == parts.inputs.end() ? parts.inputs.emplace_back() : *known;
          part.keep = Ref<Storage>::share(other);
          part.view = *view;
          part.active = true;
        }
        return std::move(parts);
      }()),
      of_calls_(static_cast<size_t>(forward.query().inputs)) {
  for (size_t i = 0; i < parts_.inputs.size(); ++i)
    if (parts_.inputs[i].kept) needs_.inputs |= tape::operand_bit(i);
  for (size_t i = 0; i < parts_.outputs.size(); ++i)
    if (parts_.outputs[i].kept) needs_.outputs |= tape::operand_bit(i);
  for (const std::vector<Part>* list : {&parts_.inputs, &parts_.outputs})
    for (const Part& each : *list) standing_.push_back(each.keep);
}

void Gradient::note(Engine& engine, std::span<rondo_tensor* const> inputs,
                    std::span<rondo_tensor* const> outputs) const {
  std::vector<View> from, to;
  for (const rondo_tensor* each : inputs) from.push_back(each->view);
  for (size_t i = of_calls_; i < parts_.inputs.size(); ++i) from.push_back(parts_.inputs[i].view);
  for (const rondo_tensor* each : outputs) to.push_back(each->view);
  tape::note_custom(engine, shared_from_this(), from, to);
}

Status Gradient::run(tape::Backward& backward) const {
  const tape::Node& node = backward.node();
  Way way;
  for (size_t i = 0; i < parts_.outputs.size(); ++i)
    way.incoming.push_back(parts_.outputs[i].active && backward.has_incoming(i));
  for (size_t i = 0; i < parts_.inputs.size(); ++i)
    way.wanted.push_back(parts_.inputs[i].active && node.inputs[i].active && backward.wants(i));
  const auto any = [](const std::vector<bool>& list) {
    return std::find(list.begin(), list.end(), true) != list.end();
  };
  if (!any(way.incoming) || !any(way.wanted)) return {};
  way.autocast = ops::autocast_text(tape_->engine());
  Ref<Graph> graph;
  RONDO_TRY(graph_for(way, &graph));

  std::vector<tape::Slot> slots;
  std::vector<rondo_tensor*> inputs;
  const auto give = [&](const View& view) -> Status {
    tape::Slot& slot = slots.emplace_back();
    if (view.layout.contiguous() && is_aligned(view)) {
      slot.tensor = make_view(Ref<Storage>::share(view.storage), view);
    } else {
      slot.tensor =
          make_tensor(view.engine(), view.device(), view.dtype, Layout::row_major(view.layout.ndim, view.layout.shape));
      RONDO_TRY(ops::copy_elements(view, slot.tensor->view));
    }
    inputs.push_back(slot.tensor);
    return {};
  };
  for (size_t i = 0; i < of_calls_; ++i)
    if (parts_.inputs[i].kept) RONDO_TRY(give(backward.input(i)));
  for (size_t i = 0; i < parts_.outputs.size(); ++i)
    if (parts_.outputs[i].kept) RONDO_TRY(give(backward.output(i)));
  for (size_t i = 0; i < way.incoming.size(); ++i) {
    if (!way.incoming[i]) continue;
    View view;
    RONDO_TRY(backward.incoming_view(&view, i));
    RONDO_TRY(give(view));
  }
  std::vector<size_t> wanted;
  for (size_t i = 0; i < way.wanted.size(); ++i)
    if (way.wanted[i]) wanted.push_back(i);
  std::vector<rondo_tensor*> made(wanted.size(), nullptr);
  RONDO_TRY(graph->check_call(static_cast<int32_t>(inputs.size()), static_cast<int32_t>(made.size())));
  RONDO_TRY(graph->call(inputs.data(), made.data()));
  std::vector<tape::Slot> owned(made.size());
  for (size_t i = 0; i < made.size(); ++i) owned[i].tensor = made[i];
  for (size_t i = 0; i < made.size(); ++i) {
    const tape::Value value = tape::Value::of(made[i]->view);
    RONDO_TRY(backward.pass(wanted[i], made[i]->view.layout, value));
  }
  return {};
}

Status Gradient::graph_for(const Way& way, Ref<Graph>* graph) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = graphs_.find(way); found != graphs_.end()) {
    *graph = found->second;
    return {};
  }
  const tape::Aside aside;
  const std::string graph_name = name + " gradient";
  RONDO_TRY(record_graph(
      tape_->engine(), graph_name.c_str(), record_flags_, [&](Recording& recording) { return record(way, recording); },
      graph));
  graphs_.emplace(way, *graph);
  bytes_.fetch_add(graph_bytes(**graph), std::memory_order_relaxed);
  return {};
}

Status Gradient::record(const Way& way, Recording& recording) const {
  std::vector<tape::Slot> slots;
  const auto input = [&](const View& like) -> Status {
    tape::Slot& slot = slots.emplace_back();
    return make_input(recording.engine, like.device(), like.dtype,
                      Layout::row_major(like.layout.ndim, like.layout.shape), &slot.tensor);
  };
  size_t number = 0;
  for (const std::vector<Part>* list : {&parts_.inputs, &parts_.outputs}) {
    for (size_t i = 0; i < list->size(); ++i, ++number) {
      const bool from_outside = list == &parts_.inputs && i >= of_calls_;
      if (!(*list)[i].kept || from_outside) continue;
      RONDO_TRY(input((*list)[i].view));
      const Ref<Storage>& stands = slots.back().tensor->storage;
      tape_->keep_instead(*standing_[number], *stands);
      standing_[number] = stands;
    }
  }
  std::vector<View> outputs, sources;
  const size_t first = slots.size();
  for (size_t i = 0; i < way.incoming.size(); ++i) {
    if (!way.incoming[i]) continue;
    RONDO_TRY(input(parts_.outputs[i].view));
    outputs.push_back(parts_.outputs[i].view);
  }
  std::vector<const View*> given;
  for (size_t i = first; i < slots.size(); ++i) given.push_back(&slots[i].tensor->view);
  for (size_t i = 0; i < way.wanted.size(); ++i)
    if (way.wanted[i]) sources.push_back(parts_.inputs[i].view);
  std::vector<rondo_tensor*> gradients(sources.size(), nullptr);
  RONDO_TRY(tape_->gradients(outputs, given, sources, gradients));
  std::vector<tape::Slot> owned(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) owned[i].tensor = gradients[i];
  for (const tape::Slot& each : owned) {
    Ref<Storage> keep;
    View output;
    RONDO_TRY(name_whole(recording, each.tensor->view, &keep, &output));
  }
  return {};
}

}  // namespace rondo
