// Gradients of layer normalisation and of normalisation by the root mean square: of the operand by one kernel that
// reads the row again, whose own gradient is that of a formula; of weight and bias by sums over rows.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/rules_layer_norm.h"

#include "ops/rows/layer_norm.h"
#include "tape/steps.h"

namespace rondo::tape {

namespace {

enum { A, WEIGHT };

// One number per place of the axis, under the shape.
View along(const View& line, const Layout& shape, int axis) {
  View view = line;
  view.layout = shape;
  for (int d = 0; d < shape.ndim; ++d) view.layout.strides[d] = d == axis ? line.layout.strides[0] : 0;
  return view;
}

// [1, ..., n, ..., 1] as [n].
View as_line(View view, int axis) {
  view.layout.shape[0] = view.layout.shape[axis];
  view.layout.strides[0] = view.layout.strides[axis];
  view.layout.ndim = 1;
  return view;
}

// The sum over rows.
Status of_line(Backward& backward, size_t input, const View& changes, int axis, Steps* steps) {
  const auto axes = other_axes(changes.layout.ndim, axis);
  const View sum = steps->reduce(RONDO_SUM, changes, {axes.begin(), axes.size()});
  RONDO_TRY(steps->status());
  const View line = as_line(sum, axis);
  return backward.pass(input, line.layout, Value::of(line));
}

}  // namespace

Needs needed(const ops::LayerNormCall& call, unsigned wanted) {
  Needs needs;
  if (wanted & (call.weight ? 3u : 1u)) needs.inputs |= 1u << A;
  if ((wanted & 1) && call.weight) needs.inputs |= 1u << WEIGHT;
  return needs;
}

Status run(const ops::LayerNormCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  const size_t bias = call.weight ? 2 : 1;
  if (call.bias && backward.wants(bias)) {
    Steps steps(backward.engine());
    RONDO_TRY(of_line(backward, bias, steps.cast(dy, compute_dtype(dy.dtype)), call.axis, &steps));
  }
  const View& a = backward.node().inputs[A].view;
  if (call.weight && backward.wants(WEIGHT)) {
    Steps steps(backward.engine());
    const rondo_dtype dtype = compute_dtype(a.dtype);
    const View x = steps.cast(a, dtype);
    const View n = steps.make([&](ops::Output& out) {
      return ops::normalise(kFunction, call.centred, x, call.axis, nullptr, nullptr, call.epsilon, out);
    });
    RONDO_TRY(of_line(backward, WEIGHT, steps.binary(RONDO_MUL, n, steps.cast(dy, dtype)), call.axis, &steps));
  }
  if (!backward.wants(A)) return {};
  return backward.give(A, a.layout, [&](ops::Output& out) {
    return ops::normalise_grad(kFunction, call.centred, a, dy, call.axis,
                               call.weight ? &backward.input(WEIGHT) : nullptr, call.epsilon, out);
  });
}

// With n the normalised rows and g = dy * weight: (g - mean of g - n * mean of g * n) / sqrt(variance + epsilon).
Status run(const ops::LayerNormGradCall& call, Backward& backward) {
  return backward.differentiate([&](Steps& steps, std::span<const View> inputs, std::span<View> outputs) {
    const rondo_dtype dtype = compute_dtype(inputs[0].dtype);
    const int32_t axis = call.axis;
    const std::span<const int32_t> axes(&axis, 1);
    const View x = steps.cast(inputs[0], dtype);
    View g = steps.cast(inputs[1], dtype);
    if (call.weight) g = steps.binary(RONDO_MUL, g, along(steps.cast(inputs[2], dtype), g.layout, call.axis));
    const View n = steps.make([&](ops::Output& out) {
      return ops::normalise(kFunction, call.centred, x, call.axis, nullptr, nullptr, call.epsilon, out);
    });
    const View square =
        call.centred ? steps.reduce(RONDO_VAR, x, axes) : steps.reduce(RONDO_MEAN, steps.unary(RONDO_SQUARE, x), axes);
    const View inverse = steps.unary(RONDO_RSQRT, steps.scalar(RONDO_ADD, square, call.epsilon));
    const View share = steps.reduce(RONDO_MEAN, steps.binary(RONDO_MUL, g, n), axes);
    View change = steps.binary(RONDO_SUB, g, steps.binary(RONDO_MUL, n, share));
    if (call.centred) change = steps.binary(RONDO_SUB, change, steps.reduce(RONDO_MEAN, g, axes));
    outputs[0] = steps.cast(steps.binary(RONDO_MUL, change, inverse), inputs[0].dtype);
  });
}

}  // namespace rondo::tape
