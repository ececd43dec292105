// The gradient of a product's gradient. The operators that make the first (ops/reduce, cumulative.cc) divide by
// elements and look where zeros are, which is fast, but no formula for slopes at a zero. Here products are trees of
// multiplications, whose gradients of any order are right everywhere.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"
#include "ops/movement/shapes.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

View part(GradientBuilder& steps, const View& of, int axis, int64_t start, int64_t stop) {
  View view;
  steps.then([&] { return slice_view(of, axis, start, stop, 1, &view); });
  return view;
}

// Halves by halves. x has elements.
View product(GradientBuilder& steps, const View& x, int axis) {
  View rest = x, odd;
  for (int64_t n = x.layout.shape[axis]; n > 1 && steps.status().ok(); n /= 2) {
    if (n % 2) {
      const View last = part(steps, rest, axis, n - 1, n);
      odd = odd.storage ? steps.binary(RONDO_MUL, odd, last) : last;
    }
    rest = steps.binary(RONDO_MUL, part(steps, rest, axis, 0, n / 2), part(steps, rest, axis, n / 2, n / 2 * 2));
  }
  return odd.storage ? steps.binary(RONDO_MUL, rest, odd) : rest;
}

// Each by those 1, 2, 4, ... places before it.
View running_product(GradientBuilder& steps, const View& x, int axis, bool reverse) {
  const int64_t n = x.layout.shape[axis];
  View all = x;
  for (int64_t by = 1; by < n && steps.status().ok(); by *= 2) {
    int64_t widths[2 * kMaxDims] = {};
    widths[2 * axis + (reverse ? 1 : 0)] = by;
    const View others = reverse ? part(steps, all, axis, by, n) : part(steps, all, axis, 0, n - by);
    const View moved = steps.make(
        [&](ops::Output& out) { return ops::pad(others, RONDO_PAD_CONSTANT, 2 * x.layout.ndim, widths, 1, out); });
    all = steps.binary(RONDO_MUL, all, moved);
  }
  return all;
}

}  // namespace

Status run(const ops::ProductGradCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    if (inputs[0].elements() == 0) return;
    const rondo_dtype dtype = compute_dtype(inputs[0].dtype);
    const View given = steps.cast(inputs[0], dtype), dy = steps.cast(inputs[1], dtype);
    const View missing = call.skips_nan ? steps.unary(RONDO_ISNAN, given) : View{};
    const View x = call.skips_nan ? steps.where(missing, 1.0, given) : given;
    View gradient = steps.gradient(x, dy, [&](const View& of) {
      View made = of;
      for (int d = 0; d < x.layout.ndim; ++d) {
        if (!((call.axes >> d) & 1)) continue;
        made = call.running ? running_product(steps, made, d, call.reverse) : product(steps, made, d);
      }
      return made;
    });
    if (call.skips_nan) gradient = steps.where(missing, 0.0, gradient);
    outputs[0] = steps.cast(gradient, inputs[0].dtype);
  });
}

}  // namespace rondo::tape
