// Calls elementwise operators, copies, fills and random numbers by their attributes and operands.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/elementwise_group.h"
#include "ops/elementwise/form.h"
#include "ops/elementwise/parameter.h"
#include "ops/elementwise/transfer.h"
#include "ops/invoke/invoke.h"
#include "ops/program/infer.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Makes the task of one of a text's sets, whose results have one shape.
Status make_part(const TextSet& set, const Invocation& with, std::vector<Output>* outputs, Ref<ElementwiseTask>* task) {
  SmallVector<const View*, Expression::kMaxInputs + Expression::kMaxOutputs> views;
  for (size_t k = 0; k < set.inputs; ++k) views.push_back(&with.in(set.first_input + k));
  View written[Expression::kMaxOutputs];
  for (size_t k = 0; k < set.results; ++k) {
    const size_t number = set.first_result + k;
    const Result& result = with.results[number];
    RONDO_TRY(outputs->emplace_back(with.out(number))
                  .resolve(with.engine, *result.device, result.dtype, with.results[set.first_result].shape,
                           {views.begin(), set.inputs}, true, &written[k]));
  }
  for (size_t k = 0; k < set.results; ++k) views.push_back(&written[k]);
  *task = make_ref<ElementwiseTask>(with.name, *with.results[set.first_result].device, set.form->expression,
                                    written[0].layout, views.begin(), set.form->words);
  return {};
}

// Submits sets as one task.
Status submit_sets(std::span<const TextSet> sets, const Invocation& with, const Describe& describe) {
  std::vector<Output> outputs;
  outputs.reserve(with.results.size());
  std::vector<Ref<ElementwiseTask>> parts(sets.size());
  for (size_t i = 0; i < sets.size(); ++i) RONDO_TRY(make_part(sets[i], with, &outputs, &parts[i]));
  RONDO_TRY(sets.size() == 1
                ? submit_prepared(with.engine, std::move(parts[0]), {}, describe)
                : submit_prepared(with.engine,
                                  make_ref<ElementwiseGroup>(with.name, *with.results[0].device, std::move(parts)), {},
                                  describe));
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
  const TextSet all{call.fused.get(), 0, with.inputs.size(), 0, with.results.size()};
  return submit_sets({&all, 1}, with, [&] { return Call{call}; });
}

Status invoke(const TextCall& call, const Invocation& with) {
  std::vector<TextSet> sets;
  RONDO_TRY(find_sets(call, with.inputs.size(), with.results.size(), &sets));
  return submit_sets(sets, with, [&] { return Call{call}; });
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

Status invoke(const ParameterCall& call, const Invocation& with) {
  return write_parameter(with.written(), call.number, call.initial);
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
