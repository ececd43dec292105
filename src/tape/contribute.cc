// Where the gradients of a node's inputs go, and expressions that make them. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "base/bit_cast.h"
#include "engine/views.h"
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

// The input under the shape; the axes in which it is repeated have size 1 in its place.
void Backward::place_of(const View& view, const Layout& shape, Target* target) {
  Layout layout = broadcast_layout(view.layout, shape);
  for (int d = 0; d < layout.ndim; ++d) {
    if (layout.strides[d] != 0 || layout.shape[d] == 1) continue;
    target->summed.push_back(d);
    layout.shape[d] = 1;
  }
  target->place = {layout, view.offset};
}

Status Backward::begin(size_t input, const Layout& shape, Target* target) {
  const Operand& operand = node_->inputs[input];
  place_of(operand.view, shape, target);
  if (target->place.layout.repeats())
    return error(RONDO_UNSUPPORTED, "its operand %s has strides that overlap, for which there is no gradient",
                 operand_text(operand.view).c_str());
  target->adjoint = &adjoint_of(operand);
  return target->summed.size() || target->later ? Status() : target->adjoint->begin(target->place, &target->slot);
}

Status Backward::end(Target* target) {
  if (target->summed.size()) {
    Slot sum;
    RONDO_TRY(target->adjoint->begin(target->place, &sum));
    ops::Output out(kFunction, &sum.tensor);
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
    ops::Output out(kFunction, &target.slot.tensor);
    RONDO_TRY(make(out));
  }
  return end(&target);
}

Status Backward::pass(size_t input, const Layout& shape, const Value& value) {
  const Operand& operand = node_->inputs[input];
  Target target;
  place_of(operand.view, shape, &target);
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
  Slot sum;
  RONDO_TRY(adjoint.begin(target.place, &sum));
  {
    ops::Output out(kFunction, &sum.tensor);
    RONDO_TRY(
        ops::reduce(RONDO_SUM, value.view, static_cast<int>(target.summed.size()), target.summed.begin(), true, out));
  }
  adjoint.end(target.place, sum);
  return {};
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
                         const uint64_t* words, const Layout& shape, Slot* out) {
  out->tensor =
      make_tensor(engine(), operands[0]->device(), static_cast<rondo_dtype>(expression.output(0).dtype), shape);
  return evaluate(name, expression, operands, words, shape, {&out->tensor, 1});
}

Status Backward::evaluate(const char* name, ops::Expression expression, std::span<const View* const> operands,
                          const uint64_t* words, const Layout& shape, std::span<rondo_tensor* const> outs) {
  if (expression.overflow()) return error(RONDO_INTERNAL, "the expression of '%s' does not fit", name);
  std::vector<const View*> to;
  for (rondo_tensor* each : outs) to.push_back(&each->view);
  if (outer_tape_active()) return interpret(expression, operands, words, to);
  std::vector<const View*> views(operands.begin(), operands.end());
  for (size_t i = 0; i < outs.size(); ++i) {
    views.push_back(&outs[i]->view);
    expression.accumulate(static_cast<int>(i), outs[i]->view.accumulate);
  }
  Device& device = outs[0]->view.device();
  return ops::submit_prepared(
      engine(), make_ref<ops::ElementwiseTask>(Engine::intern(name), device, expression, shape, views.data(), words),
      {});
}

// One operator per instruction.
Status Backward::interpret(const ops::Expression& expression, std::span<const View* const> operands,
                           const uint64_t* words, std::span<const View* const> outs) {
  using ops::Expression;
  using ops::Op;
  Device& device = outs[0]->device();
  std::vector<Slot> inputs(operands.size()), scalars(static_cast<size_t>(expression.scalars())),
      results(static_cast<size_t>(expression.instructions()));
  const auto view_of = [&](ops::Value value, View* view) -> Status {
    if (Expression::is_input(value)) {
      const View& from = *operands[value];
      *view = from;
      if (!is_half(from.dtype)) return {};
      Slot& slot = inputs[value];
      if (!slot.tensor) {
        ops::Output out(kFunction, &slot.tensor);
        RONDO_TRY(ops::cast(from, RONDO_F32, out));
      }
      *view = slot.tensor->view;
    } else if (Expression::is_scalar(value)) {
      const int k = Expression::scalar_index(value);
      Slot& slot = scalars[static_cast<size_t>(k)];
      if (!slot.tensor) {
        const rondo_dtype dtype = expression.scalar_dtype(k);
        double number = 0;
        if (dtype == RONDO_F64)
          number = bit_cast<double>(words[k]);
        else
          number = static_cast<double>(bit_cast<float>(static_cast<uint32_t>(words[k])));
        slot.tensor = make_tensor(engine(), device, dtype, {});
        RONDO_TRY(ops::fill(kFunction, slot.tensor->view, ops::Scalar::of(number)));
      }
      *view = slot.tensor->view;
    } else {
      *view = results[static_cast<size_t>(Expression::result_index(value))].tensor->view;
    }
    return {};
  };
  for (int k = 0; k < expression.instructions(); ++k) {
    const Expression::Instruction& each = expression.instruction(k);
    const ops::Value values[] = {each.a, each.b, each.c};
    const int arity = Expression::arity(each);
    View views[3];
    const View* list[3] = {&views[0], &views[1], &views[2]};
    for (int i = 0; i < arity; ++i) RONDO_TRY(view_of(values[i], &views[i]));
    ops::Output out(kFunction, &results[static_cast<size_t>(k)].tensor);
    if (each.op == Op::cast) {
      RONDO_TRY(ops::cast(views[0], Expression::result_dtype(each), out));
    } else if (each.op == Op::where) {
      RONDO_TRY(ops::where(views[0], views[1], views[2], out));
    } else {
      Layout shape = views[0].layout;
      for (int i = 1; i < arity; ++i) {
        Layout joined;
        if (!broadcast_shapes(shape, views[i].layout, &joined))
          return error(RONDO_INTERNAL, "operands of an instruction do not broadcast");
        shape = joined;
      }
      const ops::ElementwiseCall call{
          &ops::operator_of(each.op), static_cast<rondo_dtype>(each.dtype), false, false, {}};
      RONDO_TRY(ops::run_elementwise(call, std::span<const View* const>(list, static_cast<size_t>(arity)), shape, out));
    }
  }
  for (size_t i = 0; i < outs.size(); ++i) {
    View value;
    RONDO_TRY(view_of(expression.output(static_cast<int>(i)).value, &value));
    RONDO_TRY(ops::copy_elements(kFunction, value, *outs[i]));
  }
  return {};
}

}  // namespace rondo::tape
