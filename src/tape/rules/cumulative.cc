// Gradients of running values, which are running values the other way: an element counts in its own result and in all
// after it. Running values themselves are not kept but computed again.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"
#include "ops/movement/shapes.h"
#include "ops/task/submit.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

using ops::ReduceOp;

struct Running {
  const ops::CumulativeCall& call;
  GradientBuilder& steps;
  View x, dy;

  View forward(rondo_reduce_op op, const View& a) const { return steps.cumulative(op, a, call.axis, call.reverse); }
  View back(rondo_reduce_op op, const View& a) const { return steps.cumulative(op, a, call.axis, !call.reverse); }
  View back_sum(const View& a) const { return back(RONDO_SUM, a); }

  // A change of the result j is one of each element i up to j by the product of the others. Up to the first 0 that is y
  // / x; for it, the product with a 1 in its place; after it, 0.
  View product(const View& operand) const {
    const View zero = steps.scalar(RONDO_EQ, operand, 0), zeros = forward(RONDO_SUM, zero);
    const View before = steps.scalar(RONDO_EQ, zeros, 0);
    const View first = steps.binary(RONDO_LOGICAL_AND, zero, steps.scalar(RONDO_EQ, zeros, 1));
    const View others = forward(RONDO_PROD, steps.where(first, 1.0, operand));
    const View divisor = steps.where(zero, 1.0, operand);
    const View to_first =
        steps.binary(RONDO_DIV, back_sum(steps.binary(RONDO_MUL, dy, forward(RONDO_PROD, operand))), divisor);
    const View of_first = back_sum(steps.binary(RONDO_MUL, dy, others));
    return steps.where(before, to_first, steps.where(first, of_first, 0.0));
  }

  // To another tape these steps are one operator.
  View as_one(bool skips_nan) const {
    View made;
    steps.then([&] {
      return ops::submit_unheard(
          [&] {
            if (skips_nan) {
              const View missing = steps.unary(RONDO_ISNAN, x);
              made = steps.where(missing, 0.0, product(steps.where(missing, 1.0, x)));
            } else {
              made = product(x);
            }
            return steps.status();
          },
          [&](Observer& tapes) {
            const ops::ProductGradCall whole{1u << call.axis, true, call.reverse, skips_nan};
            tapes.done("cumulative_prod_grad", make_ref<const ops::Call>(whole),
                       {{x, false}, {dy, false}, {made, true}});
          });
    });
    return made;
  }

  // To where the running extreme came from: of equals, the one that was met last.
  View extreme(rondo_reduce_op op) const {
    if (!steps.status().ok()) return {};
    const int64_t length = x.layout.shape[call.axis];
    Layout line = x.layout;
    for (int d = 0; d < line.ndim; ++d) line.shape[d] = d == call.axis ? length : 1;
    const View places = steps.reshape(steps.places(x.device(), length), line);
    const View attains = steps.binary(RONDO_EQ, x, forward(op, x));
    const View candidates = call.reverse ? steps.where(attains, places, static_cast<double>(length - 1))
                                         : steps.where(attains, places, 0.0);
    const View from = forward(call.reverse ? RONDO_MIN : RONDO_MAX, candidates);
    rondo_tensor* const sum = steps.filled(x.device(), x.dtype, x.layout, 0);
    if (!sum) return {};
    OwnedTensor target;
    target.tensor = make_view(sum->storage, accumulator_view(sum->view));
    steps.then([&] { return ops::put_along_axis(target.tensor, from, dy, call.axis); });
    return sum->view;
  }

  // The elements less the largest finite one of their line, where all of the line are so near to it that this is exact;
  // else as they are; 0 for infinity.
  View below_largest() const {
    const View infinite = steps.unary(RONDO_ISINF, x);
    const int32_t axis = call.axis;
    const View most = steps.reduce(RONDO_MAX, steps.where(infinite, -INFINITY, x), {&axis, 1});
    const View least = steps.reduce(RONDO_MIN, steps.where(infinite, INFINITY, x), {&axis, 1});
    const View apart = steps.scalar(RONDO_MUL, steps.binary(RONDO_SUB, most, least), 2);
    const View size = steps.binary(RONDO_MINIMUM, steps.unary(RONDO_ABS, most), steps.unary(RONDO_ABS, least));
    const View near =
        steps.binary(RONDO_LOGICAL_AND, steps.binary(RONDO_LE, apart, size), steps.unary(RONDO_ISFINITE, most));
    const View from = steps.where(near, most, 0.0);
    return steps.where(steps.unary(RONDO_ISPOSINF, x), 0.0, steps.binary(RONDO_SUB, x, from));
  }

  // The sum of dy[j] exp(x[i] - y[j]), positive and negative dy apart and as logarithms, so that nothing overflows. A
  // result that is infinite so far is nothing to finite elements, and all to each infinity, as a reduction has it.
  // Large elements that are near to each other are taken less the largest, next to which logarithms of sums keep their
  // digits.
  View logsumexp() const {
    constexpr double kNothing = -INFINITY;
    const View near = below_largest(), y = forward(RONDO_LOGSUMEXP, near);
    const View given = forward(RONDO_LOGSUMEXP, x);
    const View infinite = steps.binary(RONDO_LOGICAL_OR, steps.unary(RONDO_ISINF, given), steps.unary(RONDO_ISINF, y));
    const View finite = steps.where(infinite, 0.0, y), changes = steps.where(infinite, 0.0, dy);
    const auto part = [&](const View& change) {
      const View counts = steps.scalar(RONDO_GT, change, 0);
      const View log = steps.where(counts, steps.unary(RONDO_LOG, steps.where(counts, change, 1.0)), kNothing);
      const View behind = back(RONDO_LOGSUMEXP, steps.binary(RONDO_SUB, log, finite));
      return steps.unary(RONDO_EXP, steps.binary(RONDO_ADD, near, behind));
    };
    const View sum = steps.binary(RONDO_SUB, part(changes), part(steps.unary(RONDO_NEG, changes)));
    const View of_infinity = back_sum(steps.where(steps.unary(RONDO_ISPOSINF, given), dy, 0.0));
    return steps.where(steps.unary(RONDO_ISPOSINF, x), of_infinity, sum);
  }

  View gradient() const {
    switch (call.op) {
      case ReduceOp::sum: return back_sum(dy);
      case ReduceOp::l1_norm: return steps.binary(RONDO_MUL, back_sum(dy), steps.unary(RONDO_SIGN, x));
      case ReduceOp::nansum: return steps.where(steps.unary(RONDO_ISNAN, x), 0.0, back_sum(dy));
      case ReduceOp::prod: return as_one(false);
      case ReduceOp::nanprod: return as_one(true);
      case ReduceOp::max: return extreme(RONDO_MAX);
      case ReduceOp::min: return extreme(RONDO_MIN);
      case ReduceOp::logsumexp: return logsumexp();
      case ReduceOp::all:
      case ReduceOp::any:
      case ReduceOp::mean:
      case ReduceOp::argmax:
      case ReduceOp::argmin:
      case ReduceOp::l2_norm:
      case ReduceOp::lp_norm:
      case ReduceOp::var:
      case ReduceOp::std: break;
    }
    return {};
  }
};

}  // namespace

unsigned flowing(const ops::CumulativeCall& call, unsigned active) {
  return call.op == ReduceOp::all || call.op == ReduceOp::any ? 0 : active;
}

Needs needed(const ops::CumulativeCall& call) {
  return {call.op == ReduceOp::sum ? 0u : 1u, 0};
}

Status run(const ops::CumulativeCall& call, Backward& backward) {
  const View& operand = backward.node().inputs[0].view;
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  if (call.op == ReduceOp::sum)
    return backward.give(0, operand.layout, [&](ops::Output& out) {
      return ops::cumulative(RONDO_SUM, dy, call.axis, !call.reverse, out);
    });
  GradientBuilder steps(backward.engine());
  const rondo_dtype dtype = compute_dtype(operand.dtype);
  const View x = steps.cast(operand, dtype), change = steps.cast(dy, dtype);
  const View gradient = Running{call, steps, x, change}.gradient();
  RONDO_TRY(steps.status());
  return backward.pass(0, operand.layout, Value::of(gradient));
}

}  // namespace rondo::tape
