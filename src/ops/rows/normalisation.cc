// Checks and plans layer and root-mean-square normalisation and their gradients.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/rows/normalisation.h"

#include "engine/views.h"
#include "ops/program/infer.h"
#include "ops/rows/rows.h"

namespace rondo::ops {

namespace {

// weight, bias: null, or of one element per place along the axis.
template <class OneKind>
Status check_rows_of(const OneKind& call, const View& a, const View* weight, const View* bias) {
  const int number = static_cast<int>(call.op), most = static_cast<int>(std::size(kNormalisations)) - 1;
  if (number < 0 || number > most)
    return error(RONDO_INVALID_ARGUMENT, "op is %d; the normalisations have the numbers 0 to %d", number, most);
  RONDO_TRY(check_float("a", a));
  RONDO_TRY(check_axis_attribute(call.axis, a));
  RONDO_TRY(check_epsilon("epsilon", call.epsilon));
  for (const auto& [name, given] : {NamedView{"weight", weight}, NamedView{"bias", bias}}) {
    if (!given) continue;
    RONDO_TRY(check_dtype_of(name, *given, "a", a));
    if (given->layout.ndim != 1 || given->layout.shape[0] != a.layout.shape[call.axis])
      return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; [%lld] is needed, the size of a's axis %d", name,
                   shape_text(given->layout).c_str(), static_cast<long long>(a.layout.shape[call.axis]), call.axis);
  }
  return {};
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

Status infer(const NormalisationCall& call, InputTypes inputs, ResultTypes results) {
  RONDO_TRY(check_rows_of(call, *inputs[0], find_operand(call, inputs, "weight"), find_operand(call, inputs, "bias")));
  results[0].set(inputs[0]->dtype, inputs[0]->layout);
  return {};
}

Status infer(const NormalisationGradCall& call, InputTypes inputs, ResultTypes results) {
  RONDO_TRY(check_rows_of(call, *inputs[0], find_operand(call, inputs, "weight"), nullptr));
  RONDO_TRY(check_type("dy", *inputs[1], *inputs[0]));
  results[0].set(inputs[0]->dtype, inputs[0]->layout);
  return {};
}

Status normalise(Normalisation op, const View& a, int axis, const View* weight, const View* bias, double epsilon,
                 Output& out) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &axis));
  SmallVector<const View*, 3> inputs;
  inputs.push_back(&a);
  for (const auto& [name, given] : {NamedView{"weight", weight}, NamedView{"bias", bias}}) {
    if (!given) continue;
    RONDO_TRY(check_inputs({{"a", &a}, {name, given}}));
    inputs.push_back(given);
  }
  const InputTypes all(inputs.begin(), inputs.size());
  ResultType made;
  RONDO_TRY(infer_one(NormalisationCall{op, weight != nullptr, bias != nullptr, axis, epsilon}, all, &made));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, made.shape, all, false, &to));
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
  const View* const inputs[] = {&a, &dy, weight};
  const InputTypes all(inputs, weight ? 3 : 2);
  RONDO_TRY(check_inputs({{"a", &a}, {"dy", &dy}}));
  ResultType made;
  RONDO_TRY(infer_one(NormalisationGradCall{op, weight != nullptr, axis, epsilon}, all, &made));
  RowPlan plan;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, made.shape, all, false, &plan.out));
  plan.kind = RowKind::normalisation_grad;
  plan.norm = op;
  plan.x = a;
  plan.other = dy;
  if (weight) plan.weight = *weight;
  plan_axis(axis, epsilon, &plan);
  return submit_rows(plan, out);
}

Ref<OperatorTask> fused_normalisation(const char* name, const NormalisationCall& call, std::span<const View> inputs,
                                      const View& out, const RowFusion& around) {
  const View& x = inputs[0];
  std::shared_ptr<RowExpression> made = row_expression(x, out, around);
  if (!made) return {};
  RowPlan apart;
  apart.kind = RowKind::normalisation;
  apart.norm = call.op;
  size_t next = 1;
  if (call.weight) apart.weight = inputs[next++];
  if (call.bias) apart.bias = inputs[next];
  RowPlan whole = apart;
  apart.x = x;
  apart.out = out;
  plan_axis(call.axis, call.epsilon, &apart);
  whole.scale = call.epsilon;
  whole.given_name = name;
  lay_out_rows(std::move(made), call.axis, around.after ? *around.to : out, &whole);
  if (out.device().is_host())
    return around.decided || cpu_shares_rows(whole) ? make_cpu_rows(whole) : Ref<OperatorTask>();
  if (!around.decided && !(cuda_row_tree(whole) == cuda_row_tree(apart))) return {};
  return make_cuda_rows(whole);
}

}  // namespace rondo::ops
