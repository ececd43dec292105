// Runs a function of the user's, records it as a graph, and names what its gradient needs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callable/record.h"

#include <rondo/callable.h>

#include <unordered_set>

#include "base/caught.h"
#include "base/settings.h"
#include "base/text.h"
#include "engine/user_call.h"
#include "ops/ops.h"
#include "tape/journal.h"

namespace rondo {

Status run_function(const Recipe& recipe, std::span<rondo_tensor* const> inputs,
                    std::vector<tape::OwnedTensor>* outputs) {
  const auto count = static_cast<size_t>(recipe.n_outputs);
  std::vector<rondo_tensor*> made(count, nullptr);
  outputs->clear();
  outputs->resize(count);
  const UserCall call(inputs);
  RONDO_TRY(call.check(format("the function of callable '%s'", recipe.name).c_str()));
  const Status status = caught([&] {
    return recipe.function(static_cast<int32_t>(inputs.size()), inputs.data(), recipe.n_outputs, made.data());
  });
  Status wrong;
  const std::unordered_set<const rondo_tensor*> given(inputs.begin(), inputs.end());
  std::unordered_set<const rondo_tensor*> seen;
  for (size_t i = 0; i < count; ++i) {
    const char* why = nullptr;
    if (!made[i])
      why = "is NULL; a tensor is needed";
    else if (!alive(made[i]))
      why = "is not a live tensor";
    else if (given.count(made[i]))
      why = "is the handle of an input, which stays the caller's; give a copy or a view of it";
    else if (!seen.insert(made[i]).second)
      why = "is the handle of another output; give a copy or a view of it";
    else
      (*outputs)[i].tensor = made[i];
    if (!why && &made[i]->view.engine() != &recipe.engine) why = "belongs to another engine";
    if (!why && made[i]->view.accumulate) why = "is an accumulator view; give the tensor itself";
    if (why && wrong.ok())
      wrong = error(RONDO_USER_ERROR, "the function of callable '%s' has returned, and outputs[%zu] %s", recipe.name, i,
                    why);
  }
  if (const std::ptrdiff_t i = call.destroyed(); i >= 0)
    return error(RONDO_USER_ERROR,
                 "the function of callable '%s' was to destroy inputs[%td], which it borrows; it stays the caller's",
                 recipe.name, i);
  return status.ok() ? wrong : status;
}

Status record_graph(Engine& engine, const char* name, uint32_t flags, int32_t arenas,
                    const std::function<Status(Recording& recording)>& body, Ref<Graph>* graph) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.name = name;
  options.flags = flags | RONDO_RECORD_CALLABLE;
  options.arenas = arenas;
  if (setting_choice(Setting::check_numbers) == 1) options.flags |= RONDO_RECORD_SITES;  // for what it says
  RONDO_TRY(begin_recording(engine, options));
  const uint64_t number = recording_of(engine)->number;
  Status status = caught([&] { return body(*recording_of(engine)); });
  RONDO_TRY(engine.usable());  // or the recording is gone with the engine, by no fault of the function's
  const Recording* open = recording_of(engine);
  if (!open || open->number != number)
    return error(RONDO_INVALID_STATE, "the function of '%s' has ended the recording that it is called in", name);
  if (status.ok()) return end_recording(engine, graph);
  RONDO_TRY(abort_recording(engine));
  return status;
}

Status name_whole(Recording& recording, const View& view, Ref<Storage>* keep, View* output) {
  *output = view;
  *keep = Ref<Storage>::share(view.storage);
  const Owner* owner = Engine::owner(*view.storage);
  if (owner != &recording || recording.bound.count(view.storage) > 0 || !view.layout.contiguous() ||
      view.bytes() != view.storage->bytes()) {
    *output = make_temporary(view.engine(), view.device(), view.dtype,
                             Layout::row_major(view.layout.ndim, view.layout.shape), keep);
    RONDO_TRY(ops::copy_elements(view, *output));
  }
  return name_output(recording.engine, *output);
}

Status record_function(const Recipe& recipe, std::span<const Arranged> inputs, Recorded* recorded) {
  const tape::Aside aside;
  Ref<tape::Tape> tape;
  if (!aside.heard().empty()) tape = make_ref<tape::Tape>(recipe.engine, true);
  Gradient::Parts parts;
  const auto body = [&](Recording& recording) -> Status {
    if (recipe.budget) recording.share = std::make_shared<Budget::Share>(recipe.budget);
    std::vector<tape::OwnedTensor> made(inputs.size()), seen(inputs.size());
    std::vector<rondo_tensor*> given;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const View& view = inputs[i].view();
      RONDO_TRY(make_input(recipe.engine, view.device(), view.dtype, view.layout, &made[i].tensor));
      const rondo_tensor* stands = made[i].tensor;
      parts.inputs.emplace_back(stands->storage, stands->view, inputs[i].active());
      View as_given;
      RONDO_TRY(inputs[i].as_given(stands->view, &as_given));
      given.push_back(seen[i].tensor = make_view(stands->storage, as_given));
    }
    if (tape) {
      tape::open_tape(*tape);
      for (const Ref<tape::Tape>& outer : aside.heard()) tape->watch_as(*outer);
      for (const Gradient::Part& input : parts.inputs)
        if (input.active) RONDO_TRY(tape->watch(input.view));
    }
    std::vector<tape::OwnedTensor> outputs;
    const uint64_t number = recording.number;
    RONDO_TRY(run_function(recipe, given, &outputs));
    const Recording* open = recording_of(recipe.engine);
    if (!open || open->number != number) return {};  // which is said by who has begun it
    for (const tape::OwnedTensor& each : outputs) {
      Gradient::Part& output = parts.outputs.emplace_back();
      RONDO_TRY(name_whole(recording, each.tensor->view, &output.keep, &output.view));
      output.active = tape && is_float(output.view.dtype) && tape->depends(output.view);
    }
    if (!tape) return {};
    tape::close_tape(*tape);
    if (const Status noted = tape::noted_all(*tape); !noted.ok())
      return error(noted.code(), "the gradient of callable '%s': %s", recipe.name, noted.message());
    return Gradient::name_kept(recording, *tape, &parts);
  };
  uint32_t flags = 0;
  if (recipe.flags & RONDO_CALLABLE_AS_WRITTEN) flags |= RONDO_RECORD_AS_WRITTEN;
  if (recipe.flags & RONDO_CALLABLE_FEWER_ROUNDINGS) flags |= RONDO_RECORD_FEWER_ROUNDINGS;
  RONDO_TRY(record_graph(recipe.engine, recipe.name, flags, recipe.arenas, body, &recorded->graph));
  if (parts.differentiable())
    recorded->gradient = std::make_shared<Gradient>(recipe.name, recipe.flags, recipe.grown, std::move(tape),
                                                    std::move(parts), *recorded->graph);
  return {};
}

int64_t graph_bytes(const Graph& graph) {
  constexpr int64_t kGraph = 4096, kTask = 1024;  // of the host's memory, about
  const rondo_graph_info info = graph.query();
  return info.arena_bytes + info.output_bytes + info.call_bytes + kGraph + kTask * info.tasks * info.arenas;
}

}  // namespace rondo
