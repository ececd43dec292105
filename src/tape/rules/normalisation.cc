// Gradients of normalisations: of the operand by one kernel that reads the row again, whose own gradient is that of
// the table's formula (ops/operators/normalisations.def); of weight and bias by sums over rows, on a GPU both by one
// kernel that has the statistics of each row, on a cpu by operators of their own, whose loops workers share.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/rows/normalisation.h"

#include <cmath>

#include "ops/batch_norm/batch_norm.h"
#include "ops/operators/edges.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

enum { NORMALISED, WEIGHT };

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

Status pass_line(Backward& backward, size_t input, const View& gradient, int axis) {
  const View line = as_line(gradient, axis);
  return backward.pass(input, line.layout, Value::of(line));
}

// The sum over rows.
Status of_line(Backward& backward, size_t input, const View& changes, int axis, GradientBuilder* steps) {
  const auto axes = other_axes(changes.layout.ndim, axis);
  const View sum = steps->reduce(RONDO_SUM, changes, {axes.begin(), axes.size()});
  RONDO_TRY(steps->status());
  return pass_line(backward, input, sum, axis);
}

// The table's gradients are written in terms: values of the row's shape, or one for each row.
struct RowValue {
  GradientBuilder& steps;
  View view;
  int32_t axis;

  RowValue(GradientBuilder& steps, const View& view, int32_t axis) : steps(steps), view(view), axis(axis) {}
  RowValue(const RowValue&) = default;
  RowValue& operator=(const RowValue& other) {  // of the same steps
    view = other.view;
    return *this;
  }
  RowValue with(const View& other) const { return {steps, other, axis}; }
  RowValue reduced(rondo_reduce_op op) const { return with(steps.reduce(op, view, {&axis, 1})); }
};
[[maybe_unused]] RowValue operator+(const RowValue& a, double b) {
  return a.with(a.steps.scalar(RONDO_ADD, a.view, b));
}
RowValue operator-(const RowValue& a, const RowValue& b) {
  return a.with(a.steps.binary(RONDO_SUB, a.view, b.view));
}
RowValue operator*(const RowValue& a, const RowValue& b) {
  return a.with(a.steps.binary(RONDO_MUL, a.view, b.view));
}
[[maybe_unused]] RowValue rsqrt(const RowValue& a) {
  return a.with(a.steps.unary(RONDO_RSQRT, a.view));
}
RowValue mean(const RowValue& a) {
  return a.reduced(RONDO_MEAN);
}
[[maybe_unused]] RowValue total(const RowValue& a) {
  return a.reduced(RONDO_SUM);
}
[[maybe_unused]] RowValue variance(const RowValue& a) {
  return a.reduced(RONDO_VAR);
}
RowValue deviation(const RowValue& a) {
  return a.reduced(RONDO_STD);
}
// The elements are divided first: the sum of their squares may be beyond all numbers where its share is not.
RowValue mean_root(const RowValue& a) {
  const auto length = static_cast<double>(a.view.layout.shape[a.axis]);
  return a.with(a.steps.scalar(RONDO_MUL, a.view, 1 / std::sqrt(length))).reduced(RONDO_L2_NORM);
}
RowValue inverse(const RowValue& a, double epsilon) {
  const View root = epsilon == 0 ? a.view : a.steps.scalar(RONDO_HYPOT, a.view, std::sqrt(epsilon));
  return a.with(a.steps.unary(RONDO_RECIPROCAL, root));
}

using ops::LIMIT;

RowValue gradient(ops::Normalisation op, const RowValue& x, const RowValue& g, const RowValue& n, double epsilon) {
  switch (op) {
#define NORMALISATION(name, Formula, gradient, edges, ...)                                                  \
  case ops::Normalisation::name:                                                                            \
    static_assert(ops::kTellsEdges<decltype(edges), RowValue>, "a row says what its gradient is at edges"); \
    return gradient;
#include "ops/operators/normalisations.def"
#undef NORMALISATION
  }
  __builtin_unreachable();  // the compiler warns of an enumerator without a case
}

// Says which statistics give centre and inverse, as a row of the table has it.
enum class Statistics { none, moments, mean_square };

Statistics statistics_of(ops::Normalisation op) {
  switch (op) {
#define NORMALISATION(name, Formula, gradient, edges, statistics, ...) \
  case ops::Normalisation::name:                                       \
    return Statistics::statistics;
#include "ops/operators/normalisations.def"
#undef NORMALISATION
  }
  __builtin_unreachable();
}

// The gradients of weight and bias, by one kernel, where each row x has become (x - centre) * inverse.
struct WeightBiasGrad {
  const ops::NormalisationCall& call;
  Backward& backward;
  const View& a;
  GradientBuilder steps;
  OwnedTensor mean, root, rest, sum, dot;

  WeightBiasGrad(const ops::NormalisationCall& call, Backward& backward)
      : call(call), backward(backward), a(backward.input(NORMALISED)), steps(backward.engine()) {}

  Status statistics(View* centre, View* inverse) {
    if (statistics_of(call.op) == Statistics::moments) {
      RONDO_TRY(ops::norm_moments(a, 1u << call.axis, call.epsilon, &mean.tensor, &root.tensor, &rest.tensor));
      *centre = mean.tensor->view, *inverse = root.tensor->view;
      return {};
    }
    const rondo_dtype dtype = compute_dtype(a.dtype);
    // As roots, which overflow no earlier than elements.
    const View norm = steps.reduce(RONDO_L2_NORM, steps.cast(a, dtype), {&call.axis, 1});
    const double length = static_cast<double>(a.layout.shape[call.axis]);
    const View root = steps.scalar(RONDO_MUL, norm, 1 / std::sqrt(length));
    *inverse = steps.unary(RONDO_RECIPROCAL, steps.scalar(RONDO_HYPOT, root, std::sqrt(call.epsilon)));
    const rondo_tensor* const zero = steps.filled(a.device(), dtype, norm.layout, 0);
    if (zero) *centre = zero->view;
    return steps.status();
  }
  Status run(const View& dy, bool wants_bias) {
    View centre, inverse;
    RONDO_TRY(statistics(&centre, &inverse));
    const unsigned rows = ((1u << a.layout.ndim) - 1) & ~(1u << call.axis);
    RONDO_TRY(ops::norm_sums(a, dy, nullptr, centre, inverse, rest.tensor ? &rest.tensor->view : nullptr, nullptr, rows,
                             &sum.tensor, &dot.tensor));
    if (wants_bias) RONDO_TRY(pass_line(backward, 2, sum.tensor->view, call.axis));
    return pass_line(backward, WEIGHT, dot.tensor->view, call.axis);
  }
};

}  // namespace

Needs needed(const ops::NormalisationCall& call, unsigned wanted) {
  Needs needs;
  if (wanted & (call.weight ? 3u : 1u)) needs.inputs |= 1u << NORMALISED;
  if ((wanted & 1) && call.weight) needs.inputs |= 1u << WEIGHT;
  return needs;
}

Status run(const ops::NormalisationCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  const View& a = backward.node().inputs[NORMALISED].view;
  const size_t bias = call.weight ? 2 : 1;
  const bool wants_bias = call.bias && backward.wants(bias), wants_weight = call.weight && backward.wants(WEIGHT);
  const bool both =
      wants_weight && statistics_of(call.op) != Statistics::none && !a.device().is_host() && a.elements() > 0;
  if (both) RONDO_TRY(WeightBiasGrad(call, backward).run(dy, wants_bias));
  if (wants_bias && !both) {
    GradientBuilder steps(backward.engine());
    RONDO_TRY(of_line(backward, bias, steps.cast(dy, compute_dtype(dy.dtype)), call.axis, &steps));
  }
  if (wants_weight && !both) {
    GradientBuilder steps(backward.engine());
    const rondo_dtype dtype = compute_dtype(a.dtype);
    const View x = steps.cast(a, dtype);
    const View n = steps.make(
        [&](ops::Output& out) { return ops::normalise(call.op, x, call.axis, nullptr, nullptr, call.epsilon, out); });
    RONDO_TRY(of_line(backward, WEIGHT, steps.binary(RONDO_MUL, n, steps.cast(dy, dtype)), call.axis, &steps));
  }
  if (!backward.wants(NORMALISED)) return {};
  return backward.give(NORMALISED, a.layout, [&](ops::Output& out) {
    return ops::normalise_grad(call.op, a, dy, call.axis, call.weight ? &backward.input(WEIGHT) : nullptr, call.epsilon,
                               out);
  });
}

// The table's formula for a gradient, as operators.
Status run(const ops::NormalisationGradCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    const rondo_dtype dtype = compute_dtype(inputs[0].dtype);
    const RowValue x{steps, steps.cast(inputs[0], dtype), call.axis};
    const View change = steps.cast(inputs[1], dtype);
    RowValue g = x.with(change);
    if (call.weight) g = g * x.with(along(steps.cast(inputs[2], dtype), change.layout, call.axis));
    const RowValue n = x.with(steps.make([&](ops::Output& out) {
      return ops::normalise(call.op, x.view, call.axis, nullptr, nullptr, call.epsilon, out);
    }));
    outputs[0] = steps.cast(gradient(call.op, x, g, n, call.epsilon).view, inputs[0].dtype);
  });
}

}  // namespace rondo::tape
