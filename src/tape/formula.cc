// Gradients of kinds that are described by a formula. The result that a kernel computes in one go, that of another
// gradient for example, is written down once more, as operators; the gradient of these is its own. They are run on a
// tape that nothing else sees; the open tapes of the thread note them, and what that tape submits, as any operators: so
// gradients of any order come from one formula.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/ops.h"
#include "tape/gradient_builder.h"
#include "tape/rules.h"

namespace rondo::tape {

namespace {

// Open as long as the formula runs.
class InnerTape {
 public:
  explicit InnerTape(Engine& engine) : tape_(make_ref<Tape>(engine, false, true)) { open_tape(*tape_); }
  InnerTape(const InnerTape&) = delete;
  InnerTape& operator=(const InnerTape&) = delete;
  ~InnerTape() {
    if (tape_->open()) close_tape(*tape_);
  }
  Tape* operator->() const { return tape_.get(); }

 private:
  const Ref<Tape> tape_;
};

}  // namespace

Status Backward::differentiate(const Formula& formula) {
  const size_t n_inputs = node_->inputs.size(), n_outputs = node_->outputs.size();
  GradientBuilder steps(engine());
  std::vector<View> inputs(n_inputs), sources;
  std::vector<Target> targets;
  for (size_t i = 0; i < n_inputs; ++i) {
    inputs[i] = input(i);
    if (!wants(i)) continue;
    // If the input repeats elements, the source has each of them once.
    const Layout shape = inputs[i].layout;
    Target& target = targets.emplace_back();
    RONDO_TRY(place_of(inputs[i], shape, &target));
    target.adjoint = &adjoint_of(node_->inputs[i]);
    View source = inputs[i];
    source.layout = target.place.layout;
    // A tape watches storages: an input that shares one has a copy of its own, so that each has its own gradient.
    for (size_t k = 0; k < n_inputs; ++k) {
      if (k == i || node_->inputs[k].number != node_->inputs[i].number) continue;
      source = steps.make([&](ops::Output& out) { return ops::copy(source, out); });
      break;
    }
    RONDO_TRY(steps.status());
    sources.push_back(source);
    inputs[i] = under(source, shape);
  }

  std::vector<View> outputs(n_outputs), made, incoming;
  const InnerTape tape(engine());
  for (const View& source : sources) RONDO_TRY(tape->watch(source));
  formula(steps, inputs, outputs);
  RONDO_TRY(steps.status());
  for (size_t k = 0; k < n_outputs; ++k) {
    if (!has_incoming_[k] || !outputs[k].storage || !tape->depends(outputs[k])) continue;
    const View result = under(outputs[k], node_->outputs[k].view.layout);
    made.push_back(result.layout.repeats() ? steps.make([&](ops::Output& out) { return ops::copy(result, out); })
                                           : result);
    RONDO_TRY(incoming_view(&incoming.emplace_back(), k));
  }
  RONDO_TRY(steps.status());
  if (made.empty()) return {};
  std::vector<const View*> seeds;
  for (const View& each : incoming) seeds.push_back(&each);
  std::vector<rondo_tensor*> gradients(sources.size());
  std::vector<OwnedTensor> owned(sources.size());
  const Status status = tape->gradients(made, seeds, sources, gradients);
  for (size_t i = 0; i < sources.size(); ++i) owned[i].tensor = gradients[i];
  RONDO_TRY(status);
  for (size_t i = 0; i < sources.size(); ++i) {
    const Value value = Value::of(std::exchange(owned[i], OwnedTensor()).tensor->view);
    RONDO_TRY(targets[i].adjoint->add(targets[i].place, value));
  }
  return {};
}

std::vector<View> GradientBuilder::gradients(std::span<const View> xs, std::span<const View> dys,
                                             const std::function<std::vector<View>()>& outputs) {
  const InnerTape tape(engine_);
  for (const View& x : xs) then([&] { return tape->watch(x); });
  const std::vector<View> ys = outputs();
  std::vector<const View*> seeds;
  for (const View& dy : dys) seeds.push_back(&dy);
  std::vector<rondo_tensor*> made(xs.size());
  then([&] { return tape->gradients(ys, seeds, xs, made); });
  std::vector<View> views(xs.size());
  for (size_t i = 0; i < made.size(); ++i) {
    made_.emplace_back().tensor = made[i];
    if (status_.ok()) views[i] = made[i]->view;
  }
  return views;
}

View GradientBuilder::gradient(const View& x, const View& dy, const std::function<View(const View& x)>& f) {
  const InnerTape tape(engine_);
  then([&] { return tape->watch(x); });
  const View y = f(x);
  OwnedTensor& made = made_.emplace_back();
  const View* const seed = &dy;
  then([&] { return tape->gradients({&y, 1}, {&seed, 1}, {&x, 1}, {&made.tensor, 1}); });
  return status_.ok() ? made.tensor->view : View{};
}

}  // namespace rondo::tape
