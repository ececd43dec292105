// Checks the handles and options of attention and rotary positions, and calls their operators.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/attention.h>

#include "capi/operators.h"
#include "capi/structs.h"
#include "ops/attention/attention.h"
#include "ops/attention/rotary.h"

using namespace rondo;
using capi::check_tensor;
using capi::view_of;

namespace {

Status check(const rondo_attention_options& known) {
  if (known.mask) RONDO_TRY(check_tensor(known.mask, "options->mask"));
  if (known.query_lengths) RONDO_TRY(check_tensor(known.query_lengths, "options->query_lengths"));
  return known.key_lengths ? check_tensor(known.key_lengths, "options->key_lengths") : Status();
}

void read(const rondo_attention_options& known, ops::AttentionNumbers* numbers, ops::AttentionExtras* extras) {
  extras->mask = view_of(known.mask);
  extras->query_lengths = view_of(known.query_lengths);
  extras->key_lengths = view_of(known.key_lengths);
  *numbers = {known.scale,
              known.soft_cap,
              known.dropout,
              known.before,
              known.causal ? 0 : known.after,
              known.aligned_last != 0};
}

}  // namespace

extern "C" rondo_status rondo_attention(rondo_tensor* q, rondo_tensor* k, rondo_tensor* v,
                                        const rondo_attention_options* options, rondo_tensor** out,
                                        rondo_tensor** lse) {
  constexpr const char* function = "rondo_attention";
  return capi::guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(q, "q"));
    RONDO_TRY(check_tensor(k, "k"));
    RONDO_TRY(check_tensor(v, "v"));
    RONDO_TRY(capi::check_out(out));
    if (lse) RONDO_TRY(capi::check_out(lse, "lse"));
    if (lse == out) return error(RONDO_INVALID_ARGUMENT, "out and lse are one pointer; each needs its own");
    rondo_attention_options known = RONDO_ATTENTION_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &known));
    RONDO_TRY(check(known));
    const ops::Casting casting;
    rondo_tensor *queries = q, *keys = k, *values = v;
    RONDO_TRY(capi::cast_operands(casting, function, {&queries, &keys, &values, &known.mask}, out));
    ops::AttentionNumbers numbers;
    ops::AttentionExtras extras;
    read(known, &numbers, &extras);
    ops::Output output(out), logarithms(lse, "lse");
    return ops::attention(queries->view, keys->view, values->view, numbers, extras, output,
                          lse ? &logarithms : nullptr);
  });
}

extern "C" rondo_status rondo_rotary(rondo_tensor* x, const rondo_rotary_options* options, rondo_tensor** out) {
  constexpr const char* function = "rondo_rotary";
  return capi::guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(x, "x"));
    RONDO_TRY(capi::check_out(out));
    rondo_rotary_options known = RONDO_ROTARY_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &known));
    if (known.positions) RONDO_TRY(check_tensor(known.positions, "options->positions"));
    const ops::Casting casting;
    rondo_tensor* rows = x;
    RONDO_TRY(capi::cast_operands(casting, function, {&rows}, out));
    ops::Output output(out);
    return ops::rotary(rows->view, known.positions ? &known.positions->view : nullptr,
                       {known.channels, known.base, known.axis, known.interleaved != 0, known.inverse != 0}, output);
  });
}
