// The gradients of a gated activation: of both operands by one expression, of which the gate's is that of the
// activation.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/operators/gradients.h"
#include "ops/operators/scalar.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

enum { VALUE, GATE };

ops::Gradient of_activation(const ops::GatedCall& call) {
  return ops::gradient_of(call.row->op, 1, &call.computed, call.computed);
}

}  // namespace

unsigned flowing(const ops::GatedCall& call, unsigned active) {
  return of_activation(call).of ? active : active & ~(1u << GATE);
}

Status run(const ops::GatedCall& call, Backward& backward) {
  const rondo_dtype computed = compute_dtype(call.computed);
  const ops::Gradient slope = of_activation(call);
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  std::vector<const View*> operands = {&backward.input(GATE), &dy};
  std::vector<size_t> inputs;
  uint64_t words[ops::Expression::kMaxScalars] = {};
  uint64_t* next = words;
  ops::Expression e;
  const ops::Value gate = e.cast(e.input(operands[0]->dtype), computed), change = e.input(dy.dtype);
  ops::Value activated = 0;
  if (backward.wants(VALUE) || slope.uses_result) {
    ops::Value parameters[2] = {};
    for (int i = 0; i < call.row->parameters; ++i) parameters[i] = e.scalar(computed);
    next = std::copy_n(call.words, call.row->parameters, next);
    activated = e.apply(call.row->op, gate, parameters[0], parameters[1]);
  }
  if (backward.wants(VALUE)) {
    const rondo_dtype to = backward.node().inputs[VALUE].view.dtype;
    e.output(e.cast(e.apply(ops::Op::mul, change, activated), to), to, false);
    inputs.push_back(VALUE);
  }
  if (backward.wants(GATE)) {
    operands.push_back(&backward.input(VALUE));
    const ops::Value of_gate = e.apply(ops::Op::mul, change, e.cast(e.input(operands[2]->dtype), computed));
    ops::Value given[3] = {}, made = 0;
    int n = 0;
    if (slope.uses & 1) given[n++] = gate;
    if (slope.uses_result) given[n++] = activated;
    given[n++] = of_gate;
    e.append(slope.expression, given, &made);
    next = std::copy_n(call.words, call.row->parameters, next);
    std::copy_n(slope.constants, slope.n_constants, next);
    const rondo_dtype to = backward.node().inputs[GATE].view.dtype;
    e.output(e.cast(made, to), to, false);
    inputs.push_back(GATE);
  }
  return backward.give_all("gated_grad", e, operands, words, inputs);
}

}  // namespace rondo::tape
