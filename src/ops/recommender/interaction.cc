// Checks products of all pairs of vectors and their gradients, plans and submits them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/recommender/interaction.h"

#include "ops/program/infer.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

Status submit_interaction(const InteractionPlan& plan, Output& out, const Describe& describe) {
  if (plan.out().elements() == 0) return submit_nothing(plan.name(), plan, {&out}, describe);
  return submit_prepared(plan.out().engine(),
                         plan.out().device().is_host() ? make_cpu_interaction(plan) : make_cuda_interaction(plan),
                         {&out}, describe);
}

// The shape of the products of vectors.
Status find_products(const View& x, bool keep_first, ResultType* products) {
  if (!is_float(x.dtype) || is_f8(x.dtype))
    return error(RONDO_INVALID_ARGUMENT, "x is %s; f16, bf16, f32 or f64 is needed", operand_text(x).c_str());
  if (x.layout.ndim != 3 || x.layout.shape[1] < 1)
    return error(RONDO_INVALID_ARGUMENT, "x has shape %s; [batch, vectors, width] is needed, at least one vector",
                 shape_text(x.layout).c_str());
  const int64_t vectors = x.layout.shape[1];
  if (vectors > INT32_MAX)
    return error(RONDO_INVALID_ARGUMENT, "x has %lld vectors; 2^31 - 1 are the most", static_cast<long long>(vectors));
  Layout shape = Layout::row_major(1, x.layout.shape);
  shape.shape[shape.ndim++] = device::pairs_below(vectors);
  if (keep_first && __builtin_add_overflow(shape.shape[1], x.layout.shape[2], &shape.shape[1]))
    return error(RONDO_INVALID_ARGUMENT, "x has shape %s; its products would have more than 2^63 columns",
                 shape_text(x.layout).c_str());
  products->set(x.dtype, shape);
  return {};
}

}  // namespace

Status infer(const DotInteractionCall& call, InputTypes inputs, ResultTypes results) {
  return find_products(*inputs[0], call.keep_first, &results[0]);
}

Status infer(const DotInteractionGradCall& call, InputTypes inputs, ResultTypes results) {
  const View &x = *inputs[0], &dy = *inputs[1];
  ResultType products;
  RONDO_TRY(find_products(x, call.keep_first, &products));
  if (dy.dtype != x.dtype || !dy.layout.same_shape(products.shape))
    return error(RONDO_INVALID_ARGUMENT, "dy is %s; %s %s is needed", operand_text(dy).c_str(), dtype_name(x.dtype),
                 shape_text(products.shape).c_str());
  results[0].set(x.dtype, x.layout);
  return {};
}

device::InteractionArguments InteractionPlan::arguments() const {
  device::InteractionArguments arguments = {};
  std::copy(x.layout.strides, x.layout.strides + 3, arguments.x_stride);
  std::copy(y.layout.strides, y.layout.strides + 2, arguments.y_stride);
  if (gradient()) std::copy(dx.layout.strides, dx.layout.strides + 3, arguments.out_stride);
  arguments.samples = x.layout.shape[0];
  arguments.vectors = x.layout.shape[1];
  arguments.width = x.layout.shape[2];
  arguments.kept = kept ? arguments.width : 0;
  arguments.adds = out().accumulate;
  return arguments;
}

void InteractionPlan::list_operands(std::vector<TaskOperand>* list) const {
  list->push_back({x, false});
  if (gradient()) list->push_back({y, false});
  list->push_back({out(), true});
}

void InteractionPlan::declare(Task& task) const {
  task.reads(*x.storage);
  if (gradient()) task.reads(*y.storage);
  declare_output(task, out());
}

Status dot_interaction(const View& x, bool keep_first, Output& out) {
  RONDO_TRY(check_inputs({{"x", &x}}));
  const DotInteractionCall call{keep_first};
  const View* const inputs[] = {&x};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  InteractionPlan plan;
  RONDO_TRY(out.resolve(x.engine(), x.device(), made.dtype, made.shape, inputs, false, &plan.y));
  plan.x = x;
  plan.kept = keep_first;
  return submit_interaction(plan, out, [&] { return Call{call}; });
}

Status dot_interaction_grad(const View& x, const View& dy, bool keep_first, Output& out) {
  const DotInteractionGradCall call{keep_first};
  const View* const inputs[] = {&x, &dy};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  InteractionPlan plan;
  RONDO_TRY(out.resolve(x.engine(), x.device(), made.dtype, made.shape, inputs, false, &plan.dx));
  plan.x = x;
  plan.y = dy;
  plan.kept = keep_first;
  return submit_interaction(plan, out, [&] { return Call{call}; });
}

}  // namespace rondo::ops
