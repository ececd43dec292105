// Checks the handles, weights and options of recurrent layers, and calls their operators.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/recurrent.h>

#include "capi/operators.h"
#include "capi/structs.h"
#include "ops/recurrent/recurrent.h"

using namespace rondo;
using capi::check_tensor;
using ops::RecurrentKind;

namespace {

struct Arguments {
  rondo_tensor* x;
  int32_t n_weights;
  rondo_tensor* const* weights;
  const rondo_recurrent_options* options;
  rondo_tensor **out, **last_h, **last_c;
};

Status check_outputs(const Arguments& given) {
  RONDO_TRY(capi::check_out(given.out));
  const struct {
    const char* name;
    rondo_tensor** slot;
  } others[] = {{"last_h", given.last_h}, {"last_c", given.last_c}};
  for (const auto& each : others) {
    if (!each.slot) continue;
    RONDO_TRY(capi::check_out(each.slot, each.name));
    if (each.slot == given.out)
      return error(RONDO_INVALID_ARGUMENT, "out and %s are one pointer; each needs its own", each.name);
  }
  if (given.last_h && given.last_h == given.last_c)
    return error(RONDO_INVALID_ARGUMENT, "last_h and last_c are one pointer; each needs its own");
  return {};
}

rondo_status layer(const char* function, RecurrentKind kind, const Arguments& given) {
  return capi::guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(given.x, "x"));
    if (given.n_weights < 0)
      return error(RONDO_INVALID_ARGUMENT, "n_weights is %d; at least 0 is needed", given.n_weights);
    if (given.n_weights > 0 && !given.weights) return capi::null_argument("weights");
    RONDO_TRY(check_outputs(given));
    rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", given.options, &options));

    std::vector<rondo_tensor*> tensors = {given.x};
    for (size_t i = 0; i < static_cast<size_t>(given.n_weights); ++i) {
      RONDO_TRY(capi::check_each(given.weights, i, "weights"));
      tensors.push_back(given.weights[i]);
    }
    const struct {
      const char* name;
      rondo_tensor* tensor;
    } states[] = {{"options->first_h", options.first_h}, {"options->first_c", options.first_c}};
    for (const auto& each : states) {
      if (!each.tensor) continue;
      RONDO_TRY(check_tensor(each.tensor, each.name));
      tensors.push_back(each.tensor);
    }
    ops::RecurrentInputs in;
    if (options.lengths) {
      RONDO_TRY(check_tensor(options.lengths, "options->lengths"));
      in.extras.lengths = &options.lengths->view;
    }
    capi::CastList cast(tensors);
    RONDO_TRY(cast.apply(function, given.out));
    const std::span<rondo_tensor* const> operands = cast.tensors();
    in.x = operands[0]->view;
    for (size_t i = 1; i <= static_cast<size_t>(given.n_weights); ++i) in.weights.push_back(operands[i]->view);
    size_t next = static_cast<size_t>(given.n_weights) + 1;
    if (options.first_h) in.extras.first_h = &operands[next++]->view;
    if (options.first_c) in.extras.first_c = &operands[next++]->view;

    const ops::RecurrentForm form{kind,  options.relu != 0, options.bidirectional != 0, options.batch_first != 0,
                                  false, options.layers};
    ops::Output out(given.out), last_h(given.last_h, "last_h"), last_c(given.last_c, "last_c");
    return ops::recurrent(form, in, out, given.last_h ? &last_h : nullptr, given.last_c ? &last_c : nullptr);
  });
}

}  // namespace

extern "C" {

rondo_status rondo_lstm(rondo_tensor* x, int32_t n_weights, rondo_tensor* const* weights,
                        const rondo_recurrent_options* options, rondo_tensor** out, rondo_tensor** last_h,
                        rondo_tensor** last_c) {
  return layer("rondo_lstm", RecurrentKind::lstm, {x, n_weights, weights, options, out, last_h, last_c});
}

rondo_status rondo_gru(rondo_tensor* x, int32_t n_weights, rondo_tensor* const* weights,
                       const rondo_recurrent_options* options, rondo_tensor** out, rondo_tensor** last_h) {
  return layer("rondo_gru", RecurrentKind::gru, {x, n_weights, weights, options, out, last_h, nullptr});
}

rondo_status rondo_rnn(rondo_tensor* x, int32_t n_weights, rondo_tensor* const* weights,
                       const rondo_recurrent_options* options, rondo_tensor** out, rondo_tensor** last_h) {
  return layer("rondo_rnn", RecurrentKind::rnn, {x, n_weights, weights, options, out, last_h, nullptr});
}

}  // extern "C"
