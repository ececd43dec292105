// Passes gradients back through the activations that operators end with, for the rules of these operators.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/rules/activation.h"

#include <algorithm>

#include "ops/operators/activation.h"
#include "ops/operators/gradients.h"
#include "ops/operators/scalar.h"

namespace rondo::tape {

bool tells_from_result(rondo_activation activation, const Node& node) {
  return ops::only_limits(activation) && !node.outputs[0].view.accumulate;
}

Status before_activation(rondo_activation activation, Backward& backward, const View& dy,
                         const std::function<Status(OwnedTensor* z)>& again, OwnedTensor* dz) {
  const View& out = backward.node().outputs[0].view;
  const rondo_dtype dtype = out.dtype, computed = compute_dtype(dtype);
  const ops::ActivationOperator& is = ops::operator_of(activation);
  uint64_t words[ops::Expression::kMaxScalars] = {};  // the first is 0, also where there are no parameters
  for (int i = 0; i < is.parameters; ++i) words[i] = ops::float_word(computed, is.parameter[i]);
  if (tells_from_result(activation, backward.node())) {
    ops::Expression e;
    const ops::Value y = e.input(dtype), change = e.input(dtype), low = e.scalar(computed);
    ops::Value passed = e.apply(ops::Op::gt, y, low);
    if (is.parameters) passed = e.apply(ops::Op::logical_and, passed, e.apply(ops::Op::lt, y, e.scalar(computed)));
    e.output(e.where(passed, change, low), dtype, false);
    const View* operands[] = {&backward.output(0), &dy};
    return backward.compute(is.gradient, e, operands, words, out.layout, dz);
  }
  OwnedTensor z;
  RONDO_TRY(again(&z));
  const ops::Gradient gradient = ops::gradient_of(is.op, 1, &dtype, dtype);
  std::copy_n(gradient.constants, gradient.n_constants, words + is.parameters);
  const View* operands[] = {&z.tensor->view, &dy};
  return backward.compute(is.gradient, gradient.expression, operands, words, out.layout, dz);
}

}  // namespace rondo::tape
