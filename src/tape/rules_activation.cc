// Gradients through activations. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/rules_activation.h"

#include "ops/gradients.h"
#include "ops/scalar.h"

namespace rondo::tape {

bool tells_from_result(rondo_activation activation, const Node& node) {
  return activation == RONDO_ACTIVATION_RELU && !node.outputs[0].view.accumulate;
}

Status before_activation(rondo_activation activation, Backward& backward, const View& dy,
                         const std::function<Status(Slot* z)>& again, Slot* dz) {
  const View& out = backward.node().outputs[0].view;
  const rondo_dtype dtype = out.dtype;
  const bool relu = activation == RONDO_ACTIVATION_RELU;
  const char* name = relu ? "relu_grad" : "gelu_grad";
  if (tells_from_result(activation, backward.node())) {
    ops::Expression e;
    const ops::Value y = e.input(dtype), change = e.input(dtype), zero = e.scalar(compute_dtype(dtype));
    e.output(e.where(e.apply(ops::Op::gt, y, zero), change, zero), dtype, false);
    const View* operands[] = {&backward.output(0), &dy};
    const uint64_t nothing = 0;
    return backward.compute(name, e, operands, &nothing, out.layout, dz);
  }
  Slot z;
  RONDO_TRY(again(&z));
  const ops::Gradient gradient = ops::gradient_of(relu ? ops::Op::relu : ops::Op::gelu_tanh, 1, &dtype, dtype);
  const View* operands[] = {&z.tensor->view, &dy};
  return backward.compute(name, gradient.expression, operands, gradient.constants, out.layout, dz);
}

}  // namespace rondo::tape
