// Calls elementwise operators, copies, fills and random numbers by their attributes and operands.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/elementwise_task.h"
#include "ops/elementwise/form.h"
#include "ops/elementwise/transfer.h"
#include "ops/invoke/invoke.h"
#include "ops/program/infer.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// One task of an expression, whose results have one shape.
Status submit_form(const Fused& form, const Invocation& with, const Describe& describe) {
  const auto inputs = with.all();
  SmallVector<const View*, Expression::kMaxInputs + Expression::kMaxOutputs> views;
  for (const View* each : inputs) views.push_back(each);
  std::vector<Output> outputs;
  std::vector<View> written(with.results.size());
  for (size_t k = 0; k < written.size(); ++k) {
    outputs.push_back(with.out(k));
    RONDO_TRY(outputs[k].resolve(with.engine, *with.results[k].device, with.results[k].dtype, with.results[0].shape,
                                 {inputs.begin(), inputs.size()}, true, &written[k]));
    views.push_back(&written[k]);
  }
  RONDO_TRY(submit_prepared(
      with.engine, lower(form, with.name, *with.results[0].device, written[0].layout, views.begin()), {}, describe));
  for (Output& each : outputs) each.commit();
  return {};
}

}  // namespace

Scalar scalar_of_word(uint64_t word, rondo_dtype dtype) {
  if (dtype == RONDO_F64) return Scalar::of(bit_cast<double>(word));
  if (is_float(dtype)) return Scalar::of(static_cast<double>(bit_cast<float>(static_cast<uint32_t>(word))));
  if (dtype == RONDO_BOOL) return Scalar::of_i64((word & 0xff) != 0);
  const auto unused = static_cast<int>(64 - 8 * dtype_size(dtype));
  const bool is_signed = dtype == RONDO_I8 || dtype == RONDO_I16 || dtype == RONDO_I32 || dtype == RONDO_I64;
  const uint64_t high = word << unused;
  return Scalar::of_i64(is_signed ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused));
}

Status invoke(const ElementwiseCall& call, const Invocation& with) {
  SmallVector<NamedView, 3> named;
  for (const View& each : with.inputs) named.push_back({"an input", &each});
  RONDO_TRY(check_inputs(std::span<const NamedView>(named.begin(), named.size())));
  const auto inputs = with.all();
  ResultType made{with.results[0].dtype, with.results[0].shape};
  RONDO_TRY(infer_one(call, {inputs.begin(), inputs.size()}, &made));
  Output out = with.out();
  return run_elementwise(call, {inputs.begin(), inputs.size()}, made.shape, out);
}

Status invoke(const FusedCall& call, const Invocation& with) {
  return submit_form(*call.fused, with, [&] { return Call{call}; });
}

Status invoke(const TextCall& call, const Invocation& with) {
  if (call.expressions.size() != 1)
    return error(RONDO_UNSUPPORTED, "an expression over %zu sets of operands is one launch of several",
                 call.expressions.size());
  return submit_form(*call.expressions[0], with, [&] { return Call{call}; });
}

Status invoke(const AddNCall&, const Invocation& with) {
  const auto inputs = with.all();
  Output out = with.out();
  return add_n({inputs.begin(), inputs.size()}, out);
}

Status invoke(const WhereCall&, const Invocation& with) {
  Output out = with.out();
  return where(with.in(0), with.in(1), with.in(2), out);
}

Status invoke(const GatedCall& call, const Invocation& with) {
  for (int op = 0; op < kOperators; ++op)
    if (call.row && find_unary(op) == call.row) {
      Output out = with.out();
      return gated(static_cast<rondo_unary_op>(op), with.in(0), with.in(1), out);
    }
  return error(RONDO_INVALID_ARGUMENT, "the activation of a gate is none of the table");
}

Status invoke(const CopyCall&, const Invocation& with) {
  const View &from = with.in(0), &to = with.written();
  if (&from.device() == &to.device()) return copy_elements(from, to);
  View wide = from;
  wide.layout = broadcast_layout(from.layout, to.layout);
  return copy_across(wide, to);
}

Status invoke(const FillCall& call, const Invocation& with) {
  const View& to = with.written();
  return fill(to, scalar_of_word(call.word, compute_dtype(to.dtype)));
}

Status invoke(const RandomUniformCall& call, const Invocation& with) {
  Output out = with.out();
  return random_uniform(with.fresh(), call.low, call.high, out);
}

Status invoke(const RandomNormalCall& call, const Invocation& with) {
  Output out = with.out();
  return random_normal(with.fresh(), call.mean, call.deviation, out);
}

Status invoke(const DropoutCall& call, const Invocation& with) {
  Output out = with.out(), mask = with.out(1);
  return dropout(with.in(0), call.p, out, mask);
}

Status invoke(const DropoutGradCall& call, const Invocation& with) {
  Output out = with.out();
  return dropout_grad(with.in(0), with.in(1), call.p, out);
}

}  // namespace rondo::ops
