// Makes the gradients of matrix products, out = activation(op(a) op(b) + bias), for both factors and the bias.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"
#include "ops/ops.h"
#include "tape/rules/activation.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

enum { A, B, BIAS };

// The operator again, as far as the activation.
Status again(const ops::MatmulCall& call, Backward& backward, OwnedTensor* z) {
  ops::MatmulOptions options;
  options.transpose_a = call.transpose_a;
  options.transpose_b = call.transpose_b;
  options.allow_tf32 = call.allow_tf32;
  options.bias = call.bias ? &backward.input(BIAS) : nullptr;
  ops::Output to(&z->tensor);
  return ops::matmul(backward.input(A), backward.input(B), options, to);
}

// Batches of a as more rows of one matrix, where b is one matrix.
bool fold(const View& a, const View& dz, View* rows, View* changes) {
  if (a.layout.ndim < 3 || a.layout.ndim != dz.layout.ndim) return false;
  const int last = a.layout.ndim - 1;
  const int64_t to_a[] = {-1, a.layout.shape[last]}, to_dz[] = {-1, dz.layout.shape[last]};
  for (int d = 0; d < last; ++d)
    if (a.layout.shape[d] != dz.layout.shape[d]) return false;
  return a.elements() > 0 && dz.elements() > 0 && reshape_view(a, 2, to_a, rows).ok() &&
         reshape_view(dz, 2, to_dz, changes).ok();
}

// The shape of an operand under all the batches.
Layout batched(const View& operand, const View& dz) {
  Layout shape = dz.layout;
  for (const int d : {1, 2}) shape.shape[shape.ndim - d] = operand.layout.shape[operand.layout.ndim - d];
  return shape;
}

}  // namespace

Needs needed(const ops::MatmulCall& call, const Node& node, unsigned wanted) {
  Needs needs;
  if (wanted & (1u << A)) needs.inputs |= 1u << B;
  if (wanted & (1u << B)) needs.inputs |= 1u << A;
  if (call.activation == RONDO_ACTIVATION_NONE) return needs;
  if (tells_from_result(call.activation, node))
    needs.outputs |= 1;
  else
    needs.inputs |= call.bias ? 7u : 3u;
  return needs;
}

Status run(const ops::MatmulCall& call, Backward& backward) {
  View dz;
  RONDO_TRY(backward.incoming_view(&dz));
  OwnedTensor changed;
  if (call.activation != RONDO_ACTIVATION_NONE) {
    const View dy = dz;
    RONDO_TRY(before_activation(
        call.activation, backward, dy, [&](OwnedTensor* z) { return again(call, backward, z); }, &changed));
    dz = changed.tensor->view;
  }
  const auto product = [&](const View& left, const View& right, bool transpose_left, bool transpose_right) {
    return [&, transpose_left, transpose_right](ops::Output& out) {
      ops::MatmulOptions options;
      options.transpose_a = transpose_left;
      options.transpose_b = transpose_right;
      options.allow_tf32 = call.allow_tf32;
      return ops::matmul(left, right, options, out);
    };
  };
  const auto give_b = [&]() -> Status {
    if (!backward.wants(B)) return {};
    const View& a = backward.input(A);
    const View& b = backward.node().inputs[B].view;
    View rows, changes;
    if (b.layout.ndim == 2 && !call.transpose_a && fold(a, dz, &rows, &changes))
      return backward.give(
          B, b.layout, call.transpose_b ? product(changes, rows, true, false) : product(rows, changes, true, false));
    return backward.give(
        B, batched(b, dz),
        call.transpose_b ? product(dz, a, true, call.transpose_a) : product(a, dz, !call.transpose_a, false));
  };
  const auto give_a = [&]() -> Status {
    if (!backward.wants(A)) return {};
    const View& b = backward.input(B);
    return backward.give(
        A, batched(backward.node().inputs[A].view, dz),
        call.transpose_a ? product(b, dz, call.transpose_b, true) : product(dz, b, false, !call.transpose_b));
  };
  // B first, so that a deep network's parameters are there early, but where b is written with it.
  if (!backward.last(B)) RONDO_TRY(give_b());
  RONDO_TRY(give_a());
  if (backward.last(B)) RONDO_TRY(give_b());
  if (call.bias && backward.wants(BIAS))
    return backward.pass(BIAS, dz.layout, changed.tensor ? Value::of(dz) : backward.incoming());
  return {};
}

}  // namespace rondo::tape
