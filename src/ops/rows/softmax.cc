// Checks and plans the softmaxes and their gradients, and joins them with expressions around them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/views.h"
#include "ops/program/infer.h"
#include "ops/rows/rows.h"

namespace rondo::ops {

namespace {

Status check_axis(const char* name, const View& a, int* axis) {
  if (!is_float(a.dtype))
    return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s; a float dtype is needed (rondo_cast makes it)", name,
                 dtype_name(a.dtype));
  return rondo::check_axis(*axis, a.layout.ndim, "axis", name, axis);
}

// Checks a softmax, or what its gradient has in common with it. lengths null: none.
Status check_softmax(const SoftmaxCall& call, const View& x, const View* lengths) {
  if (!softmax_name(call.op))
    return error(RONDO_INVALID_ARGUMENT, "op is %d; RONDO_SOFTMAX (%d) to RONDO_SOFTMIN (%d) are possible", call.op,
                 RONDO_SOFTMAX, RONDO_SOFTMIN);
  if (!std::isfinite(call.temperature) || call.temperature <= 0)
    return error(RONDO_INVALID_ARGUMENT, "temperature is %g; a finite number above 0 is needed", call.temperature);
  RONDO_TRY(check_computed("a", x.dtype));
  RONDO_TRY(check_axis_attribute(call.axis, x));
  if (!lengths) return {};
  if (lengths->dtype != RONDO_I32 && lengths->dtype != RONDO_I64)
    return error(RONDO_INVALID_ARGUMENT, "lengths has dtype %s; i32 or i64 is needed (rondo_cast makes it)",
                 dtype_name(lengths->dtype));
  Layout wanted;
  for (int d = 0; d < x.layout.ndim; ++d)
    if (d != call.axis) wanted.shape[wanted.ndim++] = x.layout.shape[d];
  if (lengths->layout.same_shape(wanted)) return {};
  return error(RONDO_INVALID_ARGUMENT, "lengths has shape %s; one for each row is needed: %s",
               shape_text(lengths->layout).c_str(), shape_text(wanted).c_str());
}

SoftmaxCall call_of(const SoftmaxOptions& options, int axis) {
  return {options.op, options.temperature, axis, options.lengths != nullptr};
}

// The plan of a softmax of `x` or, with `other`, of a gradient.
RowPlan plan_along(RowKind kind, const View& x, const View* other, int axis, const SoftmaxOptions& options,
                   const View& to) {
  const View* lengths = options.lengths;
  RowPlan plan;
  plan.kind = kind;
  plan.x = x;
  if (other) plan.other = *other;
  if (lengths) plan.per_row = *lengths;
  plan.out = to;
  plan.op = options.op;
  plan.temperature = options.temperature;
  plan.axis = axis;
  plan.length = x.layout.shape[axis];
  plan.scale = (options.op == RONDO_SOFTMIN ? -1 : 1) / options.temperature;
  plan.step[device::kRowX] = x.layout.strides[axis];
  plan.step[device::kRowOther] = other ? other->layout.strides[axis] : 0;
  plan.step[device::kRowOut] = to.layout.strides[axis];
  int row = 0;  // dimension of lengths
  for (int d = 0; d < x.layout.ndim; ++d) {
    if (d == axis) continue;
    plan.rows.push(x.layout.shape[d], {x.layout.strides[d], other ? other->layout.strides[d] : 0, to.layout.strides[d],
                                       lengths ? lengths->layout.strides[row] : 0});
    ++row;
  }
  plan.rows = plan.rows.by_stride();
  return plan;
}

// Submits a softmax of `x` or, with `other`, a gradient.
Status along_axis(RowKind kind, const View& x, const View* other, int axis, const SoftmaxOptions& options,
                  Output& out) {
  SmallVector<const View*, 3> inputs;
  for (const View* each : {&x, other, options.lengths})
    if (each) inputs.push_back(each);
  if (options.lengths) RONDO_TRY(check_moved({{"a", &x}, {"lengths", options.lengths}}));
  ResultType made;
  const std::span<const View* const> all(inputs.begin(), inputs.size());
  RONDO_TRY(other ? infer_one(SoftmaxGradCall{call_of(options, axis)}, all, &made)
                  : infer_one(call_of(options, axis), all, &made));
  View to;
  RONDO_TRY(out.resolve(x.engine(), x.device(), made.dtype, made.shape, all, false, &to));
  return submit_rows(plan_along(kind, x, other, axis, options, to), out);
}

}  // namespace

namespace {

RowPlan plan_expression(const SoftmaxOptions& options, std::shared_ptr<RowExpression> expression, int axis,
                        const View& to) {
  RowPlan plan;
  plan.kind = options.op == RONDO_LOG_SOFTMAX ? RowKind::log_softmax : RowKind::softmax;
  plan.op = options.op;
  plan.temperature = options.temperature;
  plan.scale = (options.op == RONDO_SOFTMIN ? -1 : 1) / options.temperature;
  lay_out_rows(std::move(expression), axis, to, &plan);
  return plan;
}

}  // namespace

Status softmax_expression(rondo_softmax_op op, std::shared_ptr<RowExpression> expression, int axis, Output& out) {
  const View x = expression->widest();
  RONDO_TRY(check_axis("the operand", x, &axis));
  std::vector<const View*> inputs;
  for (const auto* side : {&expression->before, &expression->after})
    for (const View& each : side->inputs) inputs.push_back(&each);
  View to;
  RONDO_TRY(out.resolve(x.engine(), x.device(), expression->result, x.layout, inputs, false, &to));
  return submit_rows(plan_expression(SoftmaxOptions{op}, std::move(expression), axis, to), out);
}

Ref<OperatorTask> fused_softmax(const char* name, const SoftmaxCall& call, const View& x, const View& out,
                                const RowFusion& around) {
  std::shared_ptr<RowExpression> made = row_expression(x, out, around);
  if (call.lengths || !made) return {};
  SoftmaxOptions options;
  options.op = call.op;
  options.temperature = call.temperature;
  RowPlan whole = plan_expression(options, std::move(made), call.axis, around.after ? *around.to : out);
  whole.given_name = name;
  if (out.device().is_host())
    return around.decided || cpu_shares_rows(whole) ? make_cpu_rows(whole) : Ref<OperatorTask>();
  const RowKind kind = call.op == RONDO_LOG_SOFTMAX ? RowKind::log_softmax : RowKind::softmax;
  if (!around.decided &&
      !(cuda_row_tree(whole) == cuda_row_tree(plan_along(kind, x, nullptr, call.axis, options, out))))
    return {};
  return make_cuda_rows(whole);
}

const char* softmax_name(int op) {
  switch (op) {
    case RONDO_SOFTMAX: return "softmax";
    case RONDO_LOG_SOFTMAX: return "log_softmax";
    case RONDO_SOFTMIN: return "softmin";
    default: return nullptr;
  }
}

Status infer(const SoftmaxCall& call, InputTypes inputs, ResultTypes results) {
  RONDO_TRY(check_softmax(call, *inputs[0], call.lengths ? inputs[1] : nullptr));
  results[0].set(inputs[0]->dtype, inputs[0]->layout);
  return {};
}

Status infer(const SoftmaxGradCall& call, InputTypes inputs, ResultTypes results) {
  const View &y = *inputs[0], &dy = *inputs[1];
  RONDO_TRY(check_softmax(call, y, call.lengths ? inputs[2] : nullptr));
  if (dy.dtype != y.dtype)
    return error(RONDO_INVALID_ARGUMENT, "dy has dtype %s but y has %s; cast one with rondo_cast", dtype_name(dy.dtype),
                 dtype_name(y.dtype));
  if (!dy.layout.same_shape(y.layout))
    return error(RONDO_INVALID_ARGUMENT, "dy has shape %s but y has %s", shape_text(dy.layout).c_str(),
                 shape_text(y.layout).c_str());
  results[0].set(y.dtype, y.layout);
  return {};
}

Status softmax(const SoftmaxOptions& options, const View& a, int axis, Output& out) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  RONDO_TRY(check_axis("a", a, &axis));
  const RowKind kind = options.op == RONDO_LOG_SOFTMAX ? RowKind::log_softmax : RowKind::softmax;
  return along_axis(kind, a, nullptr, axis, options, out);
}

Status softmax_grad(const SoftmaxOptions& options, const View& y, const View& dy, int axis, Output& out) {
  RONDO_TRY(check_inputs({{"y", &y}, {"dy", &dy}}));
  RONDO_TRY(check_axis("y", y, &axis));
  const RowKind kind = options.op == RONDO_LOG_SOFTMAX ? RowKind::log_softmax_grad : RowKind::softmax_grad;
  return along_axis(kind, y, &dy, axis, options, out);
}

}  // namespace rondo::ops
