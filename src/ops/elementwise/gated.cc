// Checks and runs gated activations: one operand times an activation of another.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise/elementwise_task.h"
#include "ops/elementwise/form.h"
#include "ops/operators/gradients.h"
#include "ops/operators/scalar.h"
#include "ops/ops.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

Status check_activation(int op, const Operator** row) {
  *row = find_unary(op);
  if (!*row)
    return error(RONDO_INVALID_ARGUMENT, "op is %d, which is no rondo_unary_op; RONDO_SILU (%d), say, makes SwiGLU", op,
                 RONDO_SILU);
  const char* why = nullptr;
  if ((*row)->boolean) why = "gives bool";
  if ((*row)->domain == Domain::whole) why = "is for integers and bool";
  if (gradient_unknown((*row)->op)) why = "has a gradient that no operator computes";
  for (int i = 0; i < (*row)->parameters; ++i)
    if (std::isnan((*row)->defaults[i])) why = "has parameters without defaults";
  if (!why) return {};
  return error(RONDO_INVALID_ARGUMENT, "op is %d (%s), which %s; an activation is needed, such as RONDO_SILU (%d)", op,
               (*row)->name, why, RONDO_SILU);
}

}  // namespace

Status gated(rondo_unary_op op, const View& a, const View& gate, Output& out) {
  GatedCall call = {};
  RONDO_TRY(check_activation(op, &call.row));
  RONDO_TRY(check_inputs({{"a", &a}, {"gate", &gate}}));
  for (const NamedView& each : {NamedView{"a", &a}, NamedView{"gate", &gate}})
    if (!is_float(each.view->dtype))
      return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s; a float dtype is needed (rondo_cast makes it)", each.name,
                   dtype_name(each.view->dtype));
  call.computed = promote(a.dtype, gate.dtype);
  for (int i = 0; i < call.row->parameters; ++i)
    call.words[i] = float_word(compute_dtype(call.computed), call.row->defaults[i]);
  Layout shape;
  if (!broadcast_shapes(a.layout, gate.layout, &shape))
    return error(RONDO_INVALID_ARGUMENT,
                 "gate of shape %s and a of shape %s do not broadcast together; from the last axis on, sizes must be "
                 "equal or 1",
                 shape_text(gate.layout).c_str(), shape_text(a.layout).c_str());
  const View* operands[] = {&a, &gate};
  View to;
  RONDO_TRY(out.resolve_elementwise(call.computed, shape, operands, &to));
  const View* views[] = {&a, &gate, &to};
  return submit_prepared(
      a.engine(),
      make_ref<ElementwiseTask>("gated", a.device(), expression_of(call, operands, to), to.layout, views, call.words),
      {&out}, [&] { return Call{call}; });
}

}  // namespace rondo::ops
