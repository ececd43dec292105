// Gradients of reductions: a sum's is the incoming one, broadcast; the others' are in a table
// (ops/reduce/reduce_gradient.h). Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/reduce.h"
#include "ops/operators/scalar.h"
#include "ops/reduce/reduce_gradient.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

// A reduced tensor as it stands next to the operand: reduced axes of size 1.
View with_axes(const View& reduced, const Layout& operand, uint32_t axes) {
  View view = reduced;
  view.layout.ndim = operand.ndim;
  int from = 0;
  const bool kept = reduced.layout.ndim == operand.ndim;
  for (int d = 0; d < operand.ndim; ++d) {
    const bool gone = (axes >> d) & 1;
    view.layout.shape[d] = gone ? 1 : operand.shape[d];
    view.layout.strides[d] = gone ? 0 : reduced.layout.strides[from];
    if (!gone || kept) ++from;
  }
  return view;
}

double reduced_count(const Layout& operand, uint32_t axes) {
  double count = 1;
  for (int d = 0; d < operand.ndim; ++d)
    if ((axes >> d) & 1) count *= static_cast<double>(operand.shape[d]);
  return count;
}

Status run_sum(double factor, uint32_t axes, Backward& backward) {
  const Layout& shape = backward.node().inputs[0].view.layout;
  const Value& incoming = backward.incoming();
  if (incoming.uniform) return backward.pass(0, shape, Value::of(incoming.number * factor));
  OwnedTensor scaled;
  Value value = incoming;
  if (factor != 1) {
    ops::Output out(&scaled.tensor);
    RONDO_TRY(ops::binary_scalar(RONDO_MUL, incoming.view, ops::Scalar::of(factor), false, out));
    value = Value::of(scaled.tensor->view);
  }
  value.view = under(with_axes(value.view, shape, axes), shape);
  return backward.pass(0, shape, value);
}

}  // namespace

unsigned flowing(const ops::ReduceCall& call, const Node& node, unsigned active) {
  return ops::reduce_gradient_of(call.op, node.inputs[0].view.dtype).n_steps > 0 ? active : 0;
}

Needs needed(const ops::ReduceCall& call, const Node& node) {
  if (call.op == ops::ReduceOp::sum || call.op == ops::ReduceOp::mean) return {};
  const ops::ReduceGradient gradient = ops::reduce_gradient_of(call.op, node.inputs[0].view.dtype);
  return {gradient.uses_operand ? 1u : 0u, gradient.uses_result ? 1u : 0u};
}

Status run(const ops::ReduceCall& call, Backward& backward) {
  const View& operand = backward.node().inputs[0].view;
  const Layout& shape = operand.layout;
  if (call.op == ops::ReduceOp::sum) return run_sum(1, call.axes, backward);
  if (call.op == ops::ReduceOp::mean) return run_sum(1 / reduced_count(shape, call.axes), call.axes, backward);
  const ops::ReduceGradient gradient = ops::reduce_gradient_of(call.op, operand.dtype);
  OwnedTensor again;
  View dy, result;
  RONDO_TRY(backward.incoming_view(&dy));
  dy = with_axes(dy, shape, call.axes);
  if (gradient.uses_result) {
    RONDO_TRY(result_of(backward, &again, &result));
    result = with_axes(result, shape, call.axes);
  }
  return backward.give(0, shape, [&](ops::Output& out) {
    const auto make = [&] {
      return ops::reduce_gradient(call.op, call.parameter, shape, call.axes, gradient.uses_operand ? &operand : nullptr,
                                  gradient.uses_result ? &result : nullptr, dy, out);
    };
    if (call.op != ops::ReduceOp::prod && call.op != ops::ReduceOp::nanprod) return make();
    return ops::submit_unheard(make, [&](Observer& tapes) {
      const ops::ProductGradCall product{call.axes, false, false, call.op == ops::ReduceOp::nanprod};
      tapes.done("prod_grad", make_ref<const ops::Call>(product), {{operand, false}, {dy, false}, {out.view(), true}});
    });
  });
}

}  // namespace rondo::tape
