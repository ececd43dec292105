// Makes gradients of reductions: formulas become steps, and steps operators. A formula with total() becomes an
// expression whose value is reduced, and one that goes on with the result.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/reduce_gradient.h"

#include <algorithm>

#include "ops/elementwise/elementwise_task.h"
#include "ops/operators/edges.h"
#include "ops/program/infer.h"
#include "ops/reduce/reduce.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

using namespace formula;

constexpr int kFirstStep = 3;  // the input after x, y and dy

struct GradientSteps : Builder {
  ReduceGradient& gradient;
  GradientSteps(FormulaExpression& expression, rondo_dtype compute, ReduceGradient& gradient)
      : Builder{expression, compute}, gradient(gradient) {}

  void close(const V& v, rondo_dtype to, ReduceOp op) {
    ReduceGradientStep& step = gradient.steps[gradient.n_steps++];
    static_cast<FormulaExpression&>(step) = made;
    step.op = op;
    const Value value = step.expression.cast(this->value(v), compute_dtype(to));
    step.expression.output(value, to, false);
    step.expression = step.expression.without_dead();
    step.inputs = step.expression.used_inputs();
    step.expression = step.expression.without_inputs(~step.inputs);
  }
  // In the dtype it is computed in: sums and counts do not fit into 16 bits.
  V reduced(const V& v, ReduceOp op) {
    close(v, dtype, op);
    return {*this, made.expression.input(dtype)};
  }
};

V total(const V& v) {
  return static_cast<GradientSteps&>(*v.builder).reduced(v, ReduceOp::sum);
}
V product(const V& v) {
  return static_cast<GradientSteps&>(*v.builder).reduced(v, ReduceOp::prod);
}
V largest(const V& v) {
  return static_cast<GradientSteps&>(*v.builder).reduced(v, ReduceOp::max);
}
// The second time takes away what the mean was rounded by: far from zero that is more than the distance. Half of it, as
// the largest number and the lowest are further apart than any number is from zero.
V half_deviation(const V& x, const V& n) {
  const V half = x * 0.5, near = half - total(half / n);
  return near - total(near / n);
}
V share(const V& v) {
  return v / total(v);
}
// How far x is below y, a logarithm of a sum: an infinity is 0 below itself. Next to numbers that are so large that y
// is rounded to its largest element, only the shares of exp() of it are right.
V below(const V& x, const V& y) {
  return where(isinf(y), where(x == y, 0.0, -INFINITY), x - y);
}
// The same, or 1 for 0: a divisor where a choice leaves the quotient by 0 out, which would be NaN to the gradient of
// that choice.
V not_zero(const V& v) {
  return where(v == 0.0, 1.0, v);
}
// The exponent of a positive number, through which no gradient flows; its power of two is exact.
V exponent(const V& v) {
  return minimum(floor(log2(v)), v.builder->dtype == RONDO_F64 ? 1023.0 : 127.0);  // the logarithm is rounded
}
V power_of_two(const V& exponent) {
  return ldexp(1.0, exponent);
}
// The same number of this exponent, which counts as a constant to gradients of this one: its digits are a whole number.
V still(const V& v, const V& exponent) {
  constexpr double kDigits = 0x1p52;
  const V unit = power_of_two(exponent);
  return floor(v / unit * kDigits) / kDigits * unit;
}
// By how many powers of two what is so far below the largest may be lifted, as a number below 0: so that its power, and
// the slope of that, stay within the range.
V lift(const V& below, const V& p) {
  const bool wide = below.builder->dtype == RONDO_F64;
  const double most_below = wide ? 2100 : 280, range = wide ? 1000 : 110;
  constexpr double kNear = 32;  // needs none
  return maximum(minimum(below + kNear, 0.0), floor(minimum(p * most_below - (2 * most_below + range), 0.0)));
}
// (|x| / y) ^ (p - 1) of the sign of x, for the p-norm y, also where powers leave the range: of elements relative to
// the largest. 1 for infinities.
V power_of_share(const V& x, const V& p) {
  const V size = abs(x), largest_size = largest(size), infinite = isinf(x), zero = x == 0.0, edge = zero | infinite;
  const V unit = where((largest_size == 0.0) | isinf(largest_size), 1.0, largest_size), of_unit = exponent(unit);
  const V most = still(unit, of_unit), ordinary = where(edge, most, size);
  const V lifted = lift(exponent(ordinary) - of_unit, p), half = floor(lifted * 0.5);
  // The slope is divided first by the last one: it is large for roots, small for powers.
  const V is_root = p < 1.0, raised = power_of_two(lifted - half);
  const V near = ordinary / power_of_two(half) / where(is_root, raised, most) / where(is_root, most, raised);
  const V sum = total(where(zero, 0.0, where(infinite, size, pow(near, p) * exp2(lifted * p))));
  const V root = pow(not_zero(sum), 1.0 / p), power = pow(near / root, p - 1.0) * exp2(lifted * (p - 1.0));
  return sign(x) * where(edge, 1.0, power);
}
// The product of the other elements: the product of those that are not 0, unless others are 0.
V others(const V& x) {
  const V zero = x == 0.0, zeros = total(zero), rest = product(where(zero, 1.0, x));
  return where(zero, where(zeros == 1.0, rest, 0.0), where(zeros == 0.0, rest / where(zero, 1.0, x), 0.0));
}

template <class F, class E>
void take(GradientSteps& steps, rondo_dtype to, const F& formula, const E& edges) {
  using Made = std::decay_t<decltype(formula())>;
  using Edges = std::decay_t<decltype(edges())>;
  static_assert(std::is_same_v<Made, None> ? std::is_same_v<Edges, None> : kTellsEdges<Edges, V>,
                "a row says what its gradient is at edges, and nothing where it has none");
  if constexpr (!std::is_same_v<Made, None>) steps.close(formula(), to, ReduceOp::sum);
}

}  // namespace

Status infer(const ProductGradCall& call, InputTypes inputs, ResultTypes results) {
  const View &x = *inputs[0], &dy = *inputs[1];
  RONDO_TRY(check_float("x", x));
  RONDO_TRY(check_dtype_of("dy", dy, "x", x));
  RONDO_TRY(check_axes_attribute(call.axes, x));
  results[0].set(x.dtype, x.layout);
  return {};
}

ReduceGradient reduce_gradient_of(ReduceOp op, rondo_dtype dtype) {
  ReduceGradient gradient;
  FormulaExpression made;
  const rondo_dtype compute = compute_dtype(dtype);
  GradientSteps steps(made, compute, gradient);
  const V x(steps, made.expression.input(dtype)), y(steps, made.expression.input(dtype));
  const V dy(steps, made.expression.input(dtype));
  const V n(steps, made.expression.scalar(compute)), p(steps, made.expression.scalar(compute));
  [[maybe_unused]] const V& ties = n;  // a name for what is said of edges
  switch (op) {
#define REDUCTION(ID, name, Domain, Before, Accumulator, After, parameter, of_nothing, low, high, formula, edges, ...) \
  case ReduceOp::name:                                                                                                 \
    take(                                                                                                              \
        steps, dtype, [&] { return formula; }, [&] { return edges; });                                                 \
    break;
#include "ops/operators/reductions.def"
#undef REDUCTION
  }
  for (int i = 0; i < gradient.n_steps; ++i) {
    gradient.uses_operand |= gradient.steps[i].inputs & 1;
    gradient.uses_result |= (gradient.steps[i].inputs >> 1) & 1;
  }
  return gradient;
}

Status reduce_gradient(ReduceOp op, double parameter, const Layout& shape, unsigned axes, const View* operand,
                       const View* result, const View& incoming, Output& out) {
  const ReduceGradient gradient = reduce_gradient_of(op, incoming.dtype);
  const rondo_dtype compute = compute_dtype(incoming.dtype);
  Engine& engine = incoming.engine();
  Device& device = incoming.device();
  int64_t length = 1;
  for (int d = 0; d < shape.ndim; ++d)
    if ((axes >> d) & 1) length *= shape.shape[d];
  Handle reduced[ReduceGradient::kMostSteps];
  for (int i = 0; i < gradient.n_steps; ++i) {
    const ReduceGradientStep& step = gradient.steps[i];
    const bool last = i == gradient.n_steps - 1;
    const View* views[kFirstStep + ReduceGradient::kMostSteps + 1] = {};
    size_t inputs = 0;
    const View* const given[] = {operand, result, &incoming};
    for (int k = 0; k < kFirstStep + i; ++k)
      if ((step.inputs >> k) & 1) views[inputs++] = k < kFirstStep ? given[k] : &reduced[k - kFirstStep].tensor->view;

    Handle whole;
    Output between(&whole.tensor);
    Output& to = last ? out : between;
    View written;
    Expression expression = step.expression;
    RONDO_TRY(to.resolve(engine, device, static_cast<rondo_dtype>(expression.output(0).dtype), shape,
                         std::span<const View* const>(views, inputs), true, &written));
    views[inputs] = &written;
    uint64_t words[Expression::kMaxScalars] = {float_word(compute, static_cast<double>(length)),
                                               float_word(compute, parameter)};
    std::copy_n(step.constants, step.n_constants, words + 2);
    expression.accumulate(0, written.accumulate);
    RONDO_TRY(submit_prepared(
        engine, make_ref<ElementwiseTask>("reduce_grad", device, expression, written.layout, views, words), {&to},
        [&] { return fused_call(expression, words); }));
    if (last) break;
    Output sum(&reduced[i].tensor);
    RONDO_TRY(reduce_over(step.op, 0, whole.tensor->view, axes, true, sum));
  }
  return {};
}

}  // namespace rondo::ops
