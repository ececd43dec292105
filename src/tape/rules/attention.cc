// The gradient of attention: of queries, keys and values in one task. Mask and lengths are constants.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/attention.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

enum { OUT, LSE, DRAW };

}  // namespace

Needs needed(const ops::AttentionCall&, const Node& node) {
  return {(1u << node.inputs.size()) - 1, (1u << node.outputs.size()) - 1};
}

Status run(const ops::AttentionCall& call, Backward& backward) {
  ops::AttentionExtras extras;
  const auto optional = [&](const char* name) {
    const std::optional<size_t> input = ops::input_of(call, name);
    return input ? &backward.input(*input) : nullptr;
  };
  extras.mask = optional("mask");
  extras.query_lengths = optional("query_lengths");
  extras.key_lengths = optional("key_lengths");
  ops::AttentionLeft left = {backward.output(OUT), backward.output(LSE), nullptr};
  if (call.numbers.dropped > 0) left.draw = &backward.output(DRAW);
  View dy, dlse;
  RONDO_TRY(backward.incoming_or_zeros(&dy, OUT));
  if (backward.has_incoming(LSE)) RONDO_TRY(backward.incoming_view(&dlse, LSE));
  // The three may be parts of one tensor: all of it, or each is made apart and then passed on.
  OwnedTensor made[3];
  const bool parts = backward.begin_parts(made);
  {
    ops::Output dq(&made[0].tensor), dk(&made[1].tensor), dv(&made[2].tensor);
    RONDO_TRY(ops::attention_grad(backward.input(0), backward.input(1), backward.input(2), call.numbers, extras, left,
                                  dy, dlse.storage ? &dlse : nullptr, dq, dk, dv));
  }
  for (size_t i = 0; i < 3 && !parts; ++i)
    if (backward.wants(i))
      RONDO_TRY(backward.pass(i, backward.node().inputs[i].view.layout, Value::of(made[i].tensor->view)));
  return {};
}

}  // namespace rondo::tape
