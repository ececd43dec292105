// Softmax, log-softmax and softmax's gradient: checks and plans.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"
#include "ops/rows.h"

namespace rondo::ops {

namespace {

Status check_axis(const char* function, const char* name, const View& a, int* axis) {
  if (!is_float(a.dtype))
    return error(RONDO_INVALID_ARGUMENT, "%s: %s has dtype %s; a float dtype is needed (rondo_cast makes it)", function,
                 name, dtype_name(a.dtype));
  return rondo::check_axis(*axis, a.layout.ndim, "axis", name, axis);
}

RowPlan plan_along(RowKind kind, const View& x, const View& other, const View& out, int axis) {
  RowPlan plan;
  plan.kind = kind;
  plan.x = x;
  plan.other = other;
  plan.out = out;
  plan.length = x.layout.shape[axis];
  plan.step[0] = x.layout.strides[axis];
  plan.step[1] = other.layout.strides[axis];
  plan.step[2] = out.layout.strides[axis];
  for (int d = 0; d < x.layout.ndim; ++d)
    if (d != axis)
      plan.rows.push(x.layout.shape[d], {x.layout.strides[d], other.layout.strides[d], out.layout.strides[d]});
  plan.rows = plan.rows.by_stride();
  return plan;
}

}  // namespace

Status softmax(const char* function, bool log, const View& a, int axis, Output& out) {
  RONDO_TRY(check_inputs(function, {{"a", &a}}));
  RONDO_TRY(check_axis(function, "a", a, &axis));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), a.dtype, a.layout, {&a}, false, &to));
  return submit_rows(plan_along(log ? RowKind::log_softmax : RowKind::softmax, a, a, to, axis), out);
}

Status softmax_grad(const View& y, const View& dy, int axis, Output& out) {
  constexpr const char* function = "rondo_softmax_grad";
  RONDO_TRY(check_inputs(function, {{"y", &y}, {"dy", &dy}}));
  RONDO_TRY(check_axis(function, "y", y, &axis));
  if (dy.dtype != y.dtype)
    return error(RONDO_INVALID_ARGUMENT, "%s: dy has dtype %s but y has %s; cast one with rondo_cast", function,
                 dtype_name(dy.dtype), dtype_name(y.dtype));
  if (!dy.layout.same_shape(y.layout))
    return error(RONDO_INVALID_ARGUMENT, "%s: dy has shape %s but y has %s", function, shape_text(dy.layout).c_str(),
                 shape_text(y.layout).c_str());
  View to;
  RONDO_TRY(out.resolve(y.engine(), y.device(), y.dtype, y.layout, {&y, &dy}, false, &to));
  return submit_rows(plan_along(RowKind::softmax_grad, y, dy, to, axis), out);
}

}  // namespace rondo::ops
