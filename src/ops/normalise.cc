// Layer and root-mean-square normalisation: checks and plans.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engine/views.h"
#include "ops/rows.h"

namespace rondo::ops {

namespace {

Status check_along(const char* function, const char* name, const View& given, const View& a, int axis) {
  if (given.dtype != a.dtype)
    return error(RONDO_INVALID_ARGUMENT, "%s: %s has dtype %s but a has %s; cast one with rondo_cast", function, name,
                 dtype_name(given.dtype), dtype_name(a.dtype));
  if (given.layout.ndim != 1 || given.layout.shape[0] != a.layout.shape[axis])
    return error(RONDO_INVALID_ARGUMENT, "%s: %s has shape %s; [%lld] is needed, the size of a's axis %d", function,
                 name, shape_text(given.layout).c_str(), static_cast<long long>(a.layout.shape[axis]), axis);
  return check_inputs(function, {{"a", &a}, {name, &given}});
}

}  // namespace

Status normalise(const char* function, bool centred, const View& a, int axis, const View* weight, const View* bias,
                 double epsilon, Output& out) {
  RONDO_TRY(check_inputs(function, {{"a", &a}}));
  if (!is_float(a.dtype))
    return error(RONDO_INVALID_ARGUMENT, "%s: a has dtype %s; a float dtype is needed (rondo_cast makes it)", function,
                 dtype_name(a.dtype));
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &axis));
  if (!std::isfinite(epsilon) || epsilon < 0)
    return error(RONDO_INVALID_ARGUMENT, "%s: epsilon is %g; a finite number of at least 0 is needed", function,
                 epsilon);
  if (weight) RONDO_TRY(check_along(function, "weight", *weight, a, axis));
  if (bias) RONDO_TRY(check_along(function, "bias", *bias, a, axis));
  View to;
  const View* inputs[] = {&a, weight ? weight : &a, bias ? bias : &a};
  RONDO_TRY(out.resolve(a.engine(), a.device(), a.dtype, a.layout, inputs, false, &to));
  RowPlan plan;
  plan.kind = centred ? RowKind::layer_norm : RowKind::rms_norm;
  plan.x = a;
  if (weight) plan.weight = *weight;
  if (bias) plan.bias = *bias;
  plan.out = to;
  plan.length = a.layout.shape[axis];
  plan.scale = epsilon;
  plan.step[device::kRowX] = a.layout.strides[axis];
  plan.step[device::kRowOut] = to.layout.strides[axis];
  for (int d = 0; d < a.layout.ndim; ++d)
    if (d != axis) plan.rows.push(a.layout.shape[d], {a.layout.strides[d], 0, to.layout.strides[d], 0});
  plan.rows = plan.rows.by_stride();
  return submit_rows(plan, out);
}

}  // namespace rondo::ops
