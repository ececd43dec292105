// Goes back over a recorded function: it makes the callables of its gradient and calls them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callable/gradient.h"

#include <algorithm>
#include <unordered_map>

#include "callable/callable.h"
#include "ops/ops.h"
#include "rtc/unkept.h"
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
  const auto find = [](const std::vector<Part>& among) {
    std::unordered_map<const Storage*, size_t> numbers;
    for (size_t i = 0; i < among.size(); ++i) numbers.try_emplace(among[i].view.storage, i);
    return numbers;
  };
  // Each storage is kept once, so that what is added is not asked for again.
  const auto inputs = find(parts->inputs), outputs = find(parts->outputs);
  for (const auto& [storage, dtype] : tape.kept()) {
    Part* part = nullptr;
    if (const auto input = inputs.find(storage.get()); input != inputs.end())
      part = &parts->inputs[input->second];
    else if (const auto output = outputs.find(storage.get()); output != outputs.end())
      part = &parts->outputs[output->second];
    if (!part) {
      const View view = whole(*storage, dtype);
      const bool made_here = Engine::owner(*storage) == &recording;
      if (made_here) RONDO_TRY(name_output(recording.engine, view));
      // The gradient of a gradient comes to what that was computed from.
      const bool active = made_here && is_float(dtype) && tape.depends(view);
      part = &(made_here ? parts->outputs : parts->inputs).emplace_back(storage, view, active);
    }
    part->kept = true;
  }
  return {};
}

Gradient::Gradient(const char* name, uint32_t flags, Grown grown, Ref<tape::Tape> tape, Parts parts,
                   const Graph& forward)
    : Custom(name),
      flags_(flags),
      grown_(std::move(grown)),
      unkept_(forward.facts().unkept),
      tape_(std::move(tape)),
      parts_([&]() -> Parts&& {
        // Tensors from outside that gradients flow to.
        const std::unordered_map<uint64_t, View> read = tape_->read();
        std::unordered_map<const Storage*, size_t> known;
        for (size_t i = 0; i < parts.inputs.size(); ++i) known.try_emplace(parts.inputs[i].view.storage, i);
        for (Storage* other : forward.bindings().captured_tensors()) {
          const auto view = read.find(other->number.load(std::memory_order_acquire));
          if (view == read.end()) continue;
          const auto input = known.find(other);
          Part& part = input == known.end() ? parts.inputs.emplace_back() : parts.inputs[input->second];
          part.keep = Ref<Storage>::share(other);
          part.view = view->second;
          part.view.storage = other;
          part.active = true;
        }
        return std::move(parts);
      }()),
      of_calls_(static_cast<size_t>(forward.query().inputs)) {
  for (size_t i = 0; i < parts_.inputs.size(); ++i)
    if (parts_.inputs[i].kept) needs_.inputs |= tape::operand_bit(i);
  for (size_t i = 0; i < parts_.outputs.size(); ++i)
    if (parts_.outputs[i].kept) needs_.outputs |= tape::operand_bit(i);
  auto operands = tape_->kept_operands();
  const auto keep = [&](const Part& part) {
    if (part.kept) kept_.push_back({part.keep, operands[part.view.storage]});
  };
  for (size_t i = 0; i < of_calls_; ++i) keep(parts_.inputs[i]);
  for (const Part& each : parts_.outputs) keep(each);
}

Gradient::~Gradient() = default;

int64_t Gradient::bytes() const {
  const std::lock_guard lock(mutex_);
  int64_t bytes = 0;
  for (const auto& [way, callable] : callables_) bytes += callable->query().bytes;
  return bytes;
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
  Selection way;
  for (size_t i = 0; i < parts_.outputs.size(); ++i)
    way.incoming.push_back(parts_.outputs[i].active && backward.has_incoming(i));
  for (size_t i = 0; i < parts_.inputs.size(); ++i)
    way.wanted.push_back(parts_.inputs[i].active && node.inputs[i].active && backward.wants(i));
  const auto any = [](const std::vector<bool>& list) {
    return std::find(list.begin(), list.end(), true) != list.end();
  };
  if (!any(way.incoming) || !any(way.wanted)) return {};
  std::vector<tape::OwnedTensor> slots;
  std::vector<rondo_tensor*> given;
  const auto give = [&](const View& view) {
    tape::OwnedTensor& slot = slots.emplace_back();  // there before what it is to own
    given.push_back(nullptr);
    slot.tensor = given.back() = make_view(Ref<Storage>::share(view.storage), view);
  };
  for (size_t i = 0; i < of_calls_; ++i)
    if (parts_.inputs[i].kept) give(backward.input(i));
  for (size_t i = 0; i < parts_.outputs.size(); ++i)
    if (parts_.outputs[i].kept) give(backward.output(i));
  for (size_t i = 0; i < way.incoming.size(); ++i) {
    if (!way.incoming[i]) continue;
    View view;
    RONDO_TRY(backward.incoming_view(&view, i));
    give(view);
  }
  std::vector<size_t> wanted;
  for (size_t i = 0; i < way.wanted.size(); ++i)
    if (way.wanted[i]) wanted.push_back(i);
  std::vector<rondo_tensor*> made(wanted.size(), nullptr);
  std::vector<tape::OwnedTensor> owned(made.size());  // there before what it is to own
  const Status called = callable_for(way)->call(given, made);
  grown_();
  RONDO_TRY(called);
  for (size_t i = 0; i < made.size(); ++i) owned[i].tensor = made[i];
  for (size_t i = 0; i < made.size(); ++i) {
    const tape::Value value = tape::Value::of(made[i]->view);
    RONDO_TRY(backward.pass(wanted[i], made[i]->view.layout, value));
  }
  return {};
}

Ref<Callable> Gradient::callable_for(const Selection& way) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = callables_.find(way); found != callables_.end()) return found->second;
  rondo_callable_options options = RONDO_CALLABLE_OPTIONS_INIT;
  options.flags = flags_;
  options.limit_bytes = INT64_MAX;  // that of the function's callable counts
  const auto outputs = static_cast<int32_t>(std::count(way.wanted.begin(), way.wanted.end(), true));
  const auto function = [this, way](int32_t n, rondo_tensor* const* given, int32_t, rondo_tensor** gradients) {
    return go_back(way, {given, static_cast<size_t>(n)}, gradients);
  };
  const char* const called = Engine::intern((name + " gradient").c_str());
  Ref<Callable> callable = make_ref<Callable>(tape_->engine(), called, options, outputs, function, grown_);
  callables_.emplace(way, callable);
  return callable;
}

namespace {

// While it lives, a tape's operands have other values than those that they were noted with.
class Instead {
 public:
  Instead(std::span<tape::Operand* const> operands, Storage& recorded, Storage& given)
      : operands_(operands), recorded_(&recorded) {
    put(given);
  }
  Instead(Instead&& other) noexcept : operands_(std::exchange(other.operands_, {})), recorded_(other.recorded_) {}
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;
  ~Instead() { put(*recorded_); }

 private:
  void put(Storage& storage) {
    for (tape::Operand* each : operands_) each->keep(storage);
  }
  std::span<tape::Operand* const> operands_;
  Storage* recorded_;
};

}  // namespace

Status Gradient::go_back(const Selection& way, std::span<rondo_tensor* const> given, rondo_tensor** gradients) const {
  const std::lock_guard lock(tape_mutex_);
  const rtc::Unkept unkept(unkept_);
  if (unkept_) keep_nothing(tape_->engine());
  std::vector<Instead> instead;
  std::vector<tape::OwnedTensor> copies;
  instead.reserve(kept_.size());
  auto next = given.begin();
  for (const Kept& each : kept_) {
    const View& value = (*next++)->view;
    Storage* storage = value.storage;
    // The tape knows places in storages: where a value is at the beginning of its own, as it was recorded.
    if (value.offset != 0 || !value.layout.contiguous()) {
      ops::Output out(&copies.emplace_back().tensor);
      RONDO_TRY(ops::copy(value, out));
      storage = copies.back().tensor->view.storage;
    }
    instead.emplace_back(each.operands, *each.as_recorded, *storage);
  }
  std::vector<View> outputs, sources;
  std::vector<const View*> incoming;
  for (size_t i = 0; i < way.incoming.size(); ++i) {
    if (!way.incoming[i]) continue;
    outputs.push_back(parts_.outputs[i].view);
    incoming.push_back(&(*next++)->view);
  }
  for (size_t i = 0; i < way.wanted.size(); ++i)
    if (way.wanted[i]) sources.push_back(parts_.inputs[i].view);
  return tape_->gradients(outputs, incoming, sources, {gradients, sources.size()});
}

}  // namespace rondo
