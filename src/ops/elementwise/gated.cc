// Checks and runs gated activations: one operand times an activation of another.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise/elementwise_task.h"
#include "ops/elementwise/form.h"
#include "ops/operators/gradients.h"
#include "ops/operators/scalar.h"
#include "ops/ops.h"
#include "ops/program/infer.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Why an operator is no activation; null: it is one.
const char* why_not(const Operator& row) {
  const char* why = row.operands == 1 ? nullptr : "has several operands";
  if (row.boolean) why = "gives bool";
  if (row.domain == Domain::whole) why = "is for integers and bool";
  if (gradient_unknown(row.op)) why = "has a gradient that no operator computes";
  for (int i = 0; i < row.parameters; ++i)
    if (std::isnan(row.defaults[i])) why = "has parameters without defaults";
  return why;
}

Status check_activation(int op, const Operator** row) {
  *row = find_unary(op);
  if (!*row)
    return error(RONDO_INVALID_ARGUMENT, "op is %d, which is no rondo_unary_op; RONDO_SILU (%d), say, makes SwiGLU", op,
                 RONDO_SILU);
  const char* const why = why_not(**row);
  if (!why) return {};
  return error(RONDO_INVALID_ARGUMENT, "op is %d (%s), which %s; an activation is needed, such as RONDO_SILU (%d)", op,
               (*row)->name, why, RONDO_SILU);
}

}  // namespace

Status infer(const GatedCall& call, InputTypes inputs, ResultTypes results) {
  const View &a = *inputs[0], &gate = *inputs[1];
  const char* const why = call.row ? why_not(*call.row) : "is missing";
  if (why)
    return error(RONDO_INVALID_ARGUMENT, "row is an operator that %s (%s); an activation is needed", why,
                 call.row ? call.row->name : "none");
  RONDO_TRY(check_float("a", a));
  RONDO_TRY(check_float("gate", gate));
  JoinedShape joined("out", results[0].shape);
  RONDO_TRY(joined.add("gate", gate.layout));
  RONDO_TRY(joined.add("a", a.layout));
  const rondo_dtype common = promote(a.dtype, gate.dtype);
  if (call.computed != common)
    return error(RONDO_INVALID_ARGUMENT, "computed is %s; with operands of %s and %s, %s is needed",
                 dtype_name(call.computed), dtype_name(a.dtype), dtype_name(gate.dtype), dtype_name(common));
  results[0].set(common, joined.shape());
  return {};
}

Status gated(rondo_unary_op op, const View& a, const View& gate, Output& out) {
  GatedCall call = {};
  RONDO_TRY(check_activation(op, &call.row));
  RONDO_TRY(check_inputs({{"a", &a}, {"gate", &gate}}));
  call.computed = promote(a.dtype, gate.dtype);
  for (int i = 0; i < call.row->parameters; ++i)
    call.words[i] = float_word(compute_dtype(call.computed), call.row->defaults[i]);
  const View* operands[] = {&a, &gate};
  ResultType made;
  RONDO_TRY(infer_one(call, operands, &made));
  View to;
  RONDO_TRY(out.resolve_elementwise(made.dtype, made.shape, operands, &to));
  const View* views[] = {&a, &gate, &to};
  return submit_prepared(
      a.engine(),
      make_ref<ElementwiseTask>("gated", a.device(), expression_of(call, operands, to), to.layout, views, call.words),
      {&out}, [&] { return Call{call}; });
}

}  // namespace rondo::ops
