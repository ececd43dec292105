// Finds the places that the gradients of a node's inputs go to, and runs expressions that make them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "ops/elementwise/elementwise_task.h"
#include "ops/ops.h"
#include "ops/task/submit.h"
#include "tape/backward.h"

namespace rondo::tape {

Status Backward::incoming_view(View* view, size_t output) {
  Value& value = incoming_[output];
  const Operand& operand = node_->outputs[output];
  if (value.uniform)
    RONDO_TRY(make_uniform(engine(), *operand.device, operand.view.dtype, operand.view.layout, value.number, &value));
  *view = value.view;
  return {};
}

Status Backward::incoming_or_zeros(View* view, size_t output) {
  if (!has_incoming_[output]) incoming_[output] = Value::of(0.0);
  return incoming_view(view, output);
}

// The input under the shape; the axes in which it is repeated have size 1 in its place.
Status Backward::place_of(const View& view, const Layout& shape, Target* target) {
  Layout layout = broadcast_layout(view.layout, shape);
  for (int d = 0; d < layout.ndim; ++d) {
    if (layout.strides[d] != 0 || layout.shape[d] == 1) continue;
    target->summed.push_back(d);
    layout.shape[d] = 1;
  }
  target->place = {layout, view.offset};
  if (!layout.repeats()) return {};
  return error(RONDO_UNSUPPORTED, "its operand %s has strides that overlap, for which there is no gradient",
               operand_text(view).c_str());
}

Status Backward::begin(size_t input, const Layout& shape, Target* target) {
  const Operand& operand = node_->inputs[input];
  RONDO_TRY(place_of(operand.view, shape, target));
  target->adjoint = &adjoint_of(operand);
  return target->summed.size() || target->later ? Status() : target->adjoint->begin(target->place, &target->slot);
}

Status Backward::end(Target* target) {
  if (target->summed.size()) {
    OwnedTensor sum;
    RONDO_TRY(target->adjoint->begin(target->place, &sum));
    ops::Output out(&sum.tensor);
    RONDO_TRY(ops::reduce(RONDO_SUM, target->slot.tensor->view, static_cast<int>(target->summed.size()),
                          target->summed.begin(), true, out));
    target->adjoint->end(target->place, sum);
    return {};
  }
  if (target->later) return target->adjoint->add(target->place, Value::of(target->slot.tensor->view));
  target->adjoint->end(target->place, target->slot);
  return {};
}

Status Backward::give(size_t input, const Layout& shape, const Make& make) {
  Target target;
  RONDO_TRY(begin(input, shape, &target));
  {
    ops::Output out(&target.slot.tensor);
    RONDO_TRY(make(out));
  }
  return end(&target);
}

Status Backward::pass(size_t input, const Layout& shape, const Value& value) {
  const Operand& operand = node_->inputs[input];
  Target target;
  RONDO_TRY(place_of(operand.view, shape, &target));
  Adjoint& adjoint = adjoint_of(operand);
  if (value.uniform) {
    int64_t count = 1;
    for (const int32_t axis : target.summed) count *= shape.shape[axis];
    return adjoint.add(target.place, Value::of(value.number * static_cast<double>(count)));
  }
  if (&value.view.device() != operand.device)
    return give(input, shape, [&](ops::Output& out) {
      return out.given() ? ops::copy(value.view, out) : ops::copy_to(value.view, *operand.device, out);
    });
  if (value.view.dtype != operand.view.dtype)
    return give(input, shape, [&](ops::Output& out) { return ops::cast(value.view, operand.view.dtype, out); });
  if (target.summed.size() == 0) return adjoint.add(target.place, value);
  OwnedTensor sum;
  RONDO_TRY(adjoint.begin(target.place, &sum));
  {
    ops::Output out(&sum.tensor);
    RONDO_TRY(
        ops::reduce(RONDO_SUM, value.view, static_cast<int>(target.summed.size()), target.summed.begin(), true, out));
  }
  adjoint.end(target.place, sum);
  return {};
}

bool Backward::begin_parts(std::span<OwnedTensor> slots) {
  std::vector<StorageRegion> places;
  for (size_t i = 0; i < slots.size(); ++i) {
    const Operand& operand = node_->inputs[i];
    if (!wants(i) || operand.number != node_->inputs[0].number) return false;
    places.push_back(place(operand.view));
  }
  return adjoint_of(node_->inputs[0]).begin_all(places, slots);
}

Status Backward::give_all(const char* name, const ops::Expression& expression, std::span<const View* const> operands,
                          const uint64_t* words, std::span<const size_t> inputs) {
  const Layout& shape = node_->outputs[0].view.layout;
  std::vector<Target> targets(inputs.size());
  std::vector<rondo_tensor*> outs(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Operand& operand = node_->inputs[inputs[i]];
    // The same tensor again: its gradients are added up one after the other.
    for (size_t k = 0; k < i; ++k) targets[i].later |= node_->inputs[inputs[k]].number == operand.number;
    RONDO_TRY(begin(inputs[i], shape, &targets[i]));
    rondo_tensor*& tensor = targets[i].slot.tensor;
    if (!tensor) tensor = make_tensor(engine(), *operand.device, operand.view.dtype, shape);
    outs[i] = tensor;
  }
  RONDO_TRY(evaluate(name, expression, operands, words, shape, outs));
  for (Target& target : targets) RONDO_TRY(end(&target));
  return {};
}

Status Backward::compute(const char* name, const ops::Expression& expression, std::span<const View* const> operands,
                         const uint64_t* words, const Layout& shape, OwnedTensor* out) {
  out->tensor =
      make_tensor(engine(), operands[0]->device(), static_cast<rondo_dtype>(expression.output(0).dtype), shape);
  return evaluate(name, expression, operands, words, shape, {&out->tensor, 1});
}

Status Backward::evaluate(const char* name, ops::Expression expression, std::span<const View* const> operands,
                          const uint64_t* words, const Layout& shape, std::span<rondo_tensor* const> outs) {
  if (expression.overflow()) return error(RONDO_INTERNAL, "the expression of '%s' does not fit", name);
  std::vector<const View*> views(operands.begin(), operands.end());
  for (size_t i = 0; i < outs.size(); ++i) {
    views.push_back(&outs[i]->view);
    expression.accumulate(static_cast<int>(i), outs[i]->view.accumulate);
  }
  Device& device = outs[0]->view.device();
  return ops::submit_prepared(
      engine(), make_ref<ops::ElementwiseTask>(Engine::intern(name), device, expression, shape, views.data(), words),
      {}, [&] { return ops::fused_call(expression, words); });
}

}  // namespace rondo::tape
