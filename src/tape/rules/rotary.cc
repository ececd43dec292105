// The gradient of rows turned by their positions: it is turned the other way.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/rotary.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

Status run(const ops::RotaryCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  ops::RotaryForm form = call.form;
  form.inverse = !form.inverse;
  return backward.give(0, dy.layout, [&](ops::Output& out) {
    return ops::rotary(dy, call.positions ? &backward.input(1) : nullptr, form, out);
  });
}

}  // namespace rondo::tape
