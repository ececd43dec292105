// Puts expressions around a row operator: some make the elements of its rows, others make the results of its output.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/rows/rows.h"

namespace rondo::ops {

View RowExpression::widest() const {
  const auto width = [](const View& view) {
    int64_t elements = 1;
    for (int d = 0; d < view.layout.ndim; ++d)
      if (view.layout.strides[d] != 0) elements *= view.layout.shape[d];
    return elements;
  };
  View view = *std::max_element(before.inputs.begin(), before.inputs.end(),
                                [&](const View& a, const View& b) { return width(a) < width(b); });
  view.dtype = dtype;
  return view;
}

void lay_out_rows(std::shared_ptr<RowExpression> expression, int axis, const View& to, RowPlan* plan) {
  constexpr int kInputs = Expression::kMaxInputs;
  plan->x = expression->widest();
  const Layout& shape = plan->x.layout;
  plan->out = to;
  plan->axis = axis;
  plan->length = shape.shape[axis];
  // The plan's arrays, and those of the two sides.
  Dims<device::kRowArrays + 2 * kInputs> rows;
  for (int d = 0; d < shape.ndim; ++d) {
    int64_t steps[device::kRowArrays + 2 * kInputs] = {shape.strides[d], 0, to.layout.strides[d], 0};
    int64_t* next = steps + device::kRowArrays;
    for (auto* side : {&expression->before, &expression->after}) {
      for (size_t k = 0; k < side->inputs.size(); ++k) {
        next[k] = side->inputs[k].layout.strides[d];
        if (d == axis) side->step[k] = next[k];
      }
      next += kInputs;
    }
    if (d != axis) rows.push(shape.shape[d], steps);
  }
  plan->step[device::kRowX] = shape.strides[axis];
  plan->step[device::kRowOut] = to.layout.strides[axis];
  rows = rows.by_stride();
  plan->rows = rows.arrays<device::kRowArrays>(0);
  expression->before.rows = rows.arrays<kInputs>(device::kRowArrays);
  expression->after.rows = rows.arrays<kInputs>(device::kRowArrays + kInputs);
  plan->expression = std::move(expression);
}

std::shared_ptr<RowExpression> row_expression(const View& x, const View& out, const RowFusion& around) {
  if (out.elements() == 0 || out.accumulate) return {};
  const View& to = around.after ? *around.to : out;
  auto made = std::make_shared<RowExpression>();
  made->dtype = x.dtype;
  made->result = to.dtype;
  Expression &before = made->before.expression, &after = made->after.expression;
  Value element = 0;
  if (around.before) {
    const Expression& given = around.before->expression;
    if (around.inputs.empty() || !stands_alone(given) || given.output(0).accumulate ||
        static_cast<rondo_dtype>(given.output(0).dtype) != x.dtype)
      return {};
    element = append_before(&before, given, x.dtype);
    made->before.scalars.assign(around.before->words, around.before->words + given.scalars());
    made->before.inputs.assign(around.inputs.begin(), around.inputs.end());
  } else {
    element = before.input(x.dtype);
    made->before.inputs = {x};
  }
  before.output(element, compute_dtype(x.dtype), false);
  Value result = after.input(compute_dtype(out.dtype));
  if (around.after) {
    const Expression& given = around.after->expression;
    if ((!is_float(to.dtype) && !to.device().is_host()) || !stands_alone(given)) return {};
    result = append_after(&after, given, result, out.dtype);
    made->after.scalars.assign(around.after->words, around.after->words + given.scalars());
  }
  after.output(result, compute_dtype(to.dtype), false);
  if (before.overflow() || after.overflow() || !same_steps(made->widest().layout, x.layout)) return {};
  return made;
}

}  // namespace rondo::ops
