// Checks and plans layer and root-mean-square normalisation and their gradients.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/rows/normalisation.h"

#include <cmath>

#include "engine/views.h"
#include "ops/rows/rows.h"

namespace rondo::ops {

namespace {

Status check_along(const char* name, const View& given, const View& a, int axis) {
  if (given.dtype != a.dtype)
    return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s but a has %s; cast one with rondo_cast", name,
                 dtype_name(given.dtype), dtype_name(a.dtype));
  if (given.layout.ndim != 1 || given.layout.shape[0] != a.layout.shape[axis])
    return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; [%lld] is needed, the size of a's axis %d", name,
                 shape_text(given.layout).c_str(), static_cast<long long>(a.layout.shape[axis]), axis);
  return check_inputs({{"a", &a}, {name, &given}});
}

// Rows along the axis, in all that the plan has.
void plan_axis(int axis, double epsilon, RowPlan* plan) {
  const Layout &x = plan->x.layout, &to = plan->out.layout;
  const int64_t* other = plan->other ? plan->other->layout.strides : nullptr;
  plan->axis = axis;
  plan->length = x.shape[axis];
  plan->scale = epsilon;
  plan->step[device::kRowX] = x.strides[axis];
  plan->step[device::kRowOther] = other ? other[axis] : 0;
  plan->step[device::kRowOut] = to.strides[axis];
  for (int d = 0; d < x.ndim; ++d)
    if (d != axis) plan->rows.push(x.shape[d], {x.strides[d], other ? other[d] : 0, to.strides[d], 0});
  plan->rows = plan->rows.by_stride();
}

}  // namespace

Status normalise(Normalisation op, const View& a, int axis, const View* weight, const View* bias, double epsilon,
                 Output& out) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  if (!is_float(a.dtype))
    return error(RONDO_INVALID_ARGUMENT, "a has dtype %s; a float dtype is needed (rondo_cast makes it)",
                 dtype_name(a.dtype));
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &axis));
  if (!std::isfinite(epsilon) || epsilon < 0)
    return error(RONDO_INVALID_ARGUMENT, "epsilon is %g; a finite number of at least 0 is needed", epsilon);
  if (weight) RONDO_TRY(check_along("weight", *weight, a, axis));
  if (bias) RONDO_TRY(check_along("bias", *bias, a, axis));
  View to;
  const View* inputs[] = {&a, weight ? weight : &a, bias ? bias : &a};
  RONDO_TRY(out.resolve(a.engine(), a.device(), a.dtype, a.layout, inputs, false, &to));
  RowPlan plan;
  plan.kind = RowKind::normalisation;
  plan.norm = op;
  plan.x = a;
  if (weight) plan.weight = *weight;
  if (bias) plan.bias = *bias;
  plan.out = to;
  plan_axis(axis, epsilon, &plan);
  return submit_rows(plan, out);
}

Status normalise_grad(Normalisation op, const View& a, const View& dy, int axis, const View* weight, double epsilon,
                      Output& out) {
  RowPlan plan;
  const View* inputs[] = {&a, &dy, weight ? weight : &a};
  RONDO_TRY(check_inputs({{"a", &a}, {"dy", &dy}}));
  RONDO_TRY(out.resolve(a.engine(), a.device(), a.dtype, a.layout, inputs, false, &plan.out));
  plan.kind = RowKind::normalisation_grad;
  plan.norm = op;
  plan.x = a;
  plan.other = dy;
  if (weight) plan.weight = *weight;
  plan_axis(axis, epsilon, &plan);
  return submit_rows(plan, out);
}

Ref<Task> normalisation_around(const char* name, const ProgramNode& node, const Surroundings& around) {
  const auto& call = std::get<NormalisationCall>(node.call->of);
  const View &x = node.operands.front().view, &out = node.operands.back().view;
  std::shared_ptr<RowExpression> made = row_expression(x, out, around);
  if (!made) return {};
  RowPlan apart;
  apart.kind = RowKind::normalisation;
  apart.norm = call.op;
  size_t next = 1;
  if (call.weight) apart.weight = node.operands[next++].view;
  if (call.bias) apart.bias = node.operands[next++].view;
  RowPlan whole = apart;
  apart.x = x;
  apart.out = out;
  plan_axis(call.axis, call.epsilon, &apart);
  whole.scale = call.epsilon;
  whole.given_name = name;
  lay_out_rows(std::move(made), call.axis, around.after ? *around.to : out, &whole);
  if (!(cuda_row_tree(whole) == cuda_row_tree(apart))) return {};
  return make_cuda_rows(whole);
}

}  // namespace rondo::ops
