// Computes local response normalisation: the mean of squares is a pooling over channels, with an expression before and
// one after it. Squares are f64, those of f16 mostly f32, and the root of their sum is taken before anything else, so
// that only the result itself must be representable; elements of f64 are divided by a power of two near the norm of
// all.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "ops/elementwise/elementwise_task.h"
#include "ops/image/window.h"
#include "ops/operators/scalar.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

constexpr int64_t kMostSize = int64_t{1} << 40;  // of a window

template <class Operation>
Status make(Handle* made, const Operation& operation) {
  Output result(&made->tensor);
  return operation(result);
}

// An expression and its scalars.
struct Formula {
  Expression e;
  std::vector<uint64_t> words;
  Value number(rondo_dtype dtype, double value) {
    words.push_back(float_word(dtype, value));
    return e.scalar(dtype);
  }
};
// The expression's output over operands that broadcast to the shape of the first, in the order of that.
Status submit_formula(const char* name, const Formula& formula, std::span<const View* const> operands, Output& out) {
  View like = *operands[0], to;
  like.dtype = static_cast<rondo_dtype>(formula.e.output(0).dtype);
  RONDO_TRY(out.resolve_as(like, like.layout, operands, &to));
  std::vector<const View*> views(operands.begin(), operands.end());
  views.push_back(&to);
  uint64_t words[Expression::kMaxScalars] = {};
  std::copy(formula.words.begin(), formula.words.end(), words);
  return submit_prepared(like.engine(),
                         make_ref<ElementwiseTask>(name, like.device(), formula.e, to.layout, views.data(), words),
                         {&out}, [&] { return fused_call(formula.e, words); });
}

// The factor of the elements: a power of two, which tapes are not told of, for it changes nothing.
Status make_scale(const View& a, Handle* scale) {
  Handle norm;
  RONDO_TRY(make(&norm, [&](Output& out) { return reduce(RONDO_L2_NORM, a, 0, nullptr, true, 0, nullptr, out); }));
  Formula formula;
  Expression& e = formula.e;
  const auto number = [&](double value) { return formula.number(RONDO_F64, value); };
  const Value given = e.input(RONDO_F64);
  const Value within = e.apply(Op::minimum, e.apply(Op::maximum, given, number(0x1p-1000)), number(0x1p1000));
  e.output(e.apply(Op::exp2, e.apply(Op::neg, e.apply(Op::floor, e.apply(Op::log2, within)))), RONDO_F64, false);
  const View* const operands[] = {&norm.tensor->view};
  RONDO_TRY(make(scale, [&](Output& out) { return submit_formula("local_scale", formula, operands, out); }));
  Layout& layout = scale->tensor->view.layout;
  std::fill(layout.strides, layout.strides + layout.ndim, 0);
  return {};
}

// The mean of the squares of neighbouring channels.
Windows neighbours(int64_t channels, int64_t size) {
  Windows windows;
  windows.first = windows.count = 1;
  WindowAxis& axis = windows.axis[0];
  axis.rule = WindowRule::fixed;
  axis.in = axis.out = channels;
  axis.size = size;
  axis.stride = axis.dilation = 1;
  axis.padding = size / 2;
  axis.padding_end = size - 1 - size / 2;
  axis.counts_padding = 1;
  return windows;
}

// True if f32 has the number times a square of f16.
bool is_moderate(double number) {
  return number == 0 || (std::abs(number) >= 0x1p-60 && std::abs(number) <= 0x1p60);
}

}  // namespace

Status local_response_norm(const View& a, int64_t size, double alpha, double beta, double k, Output& out) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  if (!is_float(a.dtype) || a.layout.ndim < 2)
    return error(RONDO_INVALID_ARGUMENT, "a is %s; [n, c, ...] of a float dtype is needed", operand_text(a).c_str());
  if (size < 1 || size > kMostSize)
    return error(RONDO_INVALID_ARGUMENT, "size is %lld; 1 or more is needed", static_cast<long long>(size));
  for (const auto& [name, value] : {std::pair{"alpha", alpha}, {"beta", beta}, {"k", k}})
    if (!std::isfinite(value)) return error(RONDO_INVALID_ARGUMENT, "%s is %g; a finite number is needed", name, value);
  View to;
  const View* const inputs[] = {&a};
  RONDO_TRY(out.resolve_as(a, a.layout, inputs, &to));
  if (to.elements() == 0) {
    RONDO_TRY(copy_elements(a, to));
    out.commit();
    return {};
  }
  const rondo_dtype dtype = compute_dtype(a.dtype);
  const bool scales = dtype == RONDO_F64;
  const bool narrow = a.dtype == RONDO_F16 && is_moderate(alpha) && is_moderate(k);
  const rondo_dtype wide = narrow ? RONDO_F32 : RONDO_F64;  // for squares and sums
  Handle scale, square, mean, result;
  if (scales) RONDO_TRY(submit_unheard([&] { return make_scale(a, &scale); }, [](Observer&) {}));
  std::vector<const View*> operands = {&a};
  if (scales) operands.push_back(&scale.tensor->view);
  // The elements as they are squared, and their scale.
  struct Start {
    Value x, scale;
  };
  const auto start = [&](Expression& e) {
    Start start = {e.cast(e.input(a.dtype), wide), {}};
    if (scales) start.scale = e.input(RONDO_F64);
    if (scales) start.x = e.apply(Op::mul, start.x, start.scale);
    return start;
  };
  Formula squares;
  squares.e.output(squares.e.apply(Op::square, start(squares.e).x), wide, false);
  RONDO_TRY(make(&square, [&](Output& made) { return submit_formula("local_square", squares, operands, made); }));
  RONDO_TRY(make(&mean, [&](Output& made) {
    return window_combine("local_mean", neighbours(a.layout.shape[1], size), square.tensor->view, made);
  }));

  // a / s^beta is (a / root) root^(1 - 2 beta), of which both fit; where s may be negative there is no root.
  const bool has_root = alpha > 0 && k >= 0 && (k > 0 || beta > 0);
  Formula last;
  Expression& e = last.e;
  const auto number = [&](rondo_dtype of, double value) { return last.number(of, value); };
  const auto power = [&](const Value& of, double exponent) {
    return exponent == -0.5 ? e.apply(Op::rsqrt, of) : e.apply(Op::pow, of, number(dtype, exponent));
  };
  const Start from = start(e);
  Value more = number(wide, k);
  if (scales) more = e.apply(Op::mul, e.apply(Op::mul, more, from.scale), from.scale);
  const Value sum = e.apply(Op::add, e.apply(Op::mul, e.input(wide), number(wide, alpha)), more);
  Value y;
  if (has_root) {
    const Value root = e.apply(Op::sqrt, sum);
    const Value whole = scales ? e.apply(Op::div, root, from.scale) : e.cast(root, dtype);
    const Value share = scales ? e.apply(Op::div, from.x, root) : e.apply(Op::div, e.cast(from.x, dtype), whole);
    y = e.apply(Op::mul, share, power(whole, 1 - 2 * beta));
  } else {
    const Value whole = scales ? e.apply(Op::div, e.apply(Op::div, sum, from.scale), from.scale) : e.cast(sum, dtype);
    const Value x = scales ? e.apply(Op::div, from.x, from.scale) : e.cast(from.x, dtype);
    y = e.apply(Op::mul, x, power(whole, -beta));
  }
  e.output(y, dtype, false);
  operands.push_back(&mean.tensor->view);
  RONDO_TRY(make(&result, [&](Output& made) { return submit_formula("local_response_norm", last, operands, made); }));
  RONDO_TRY(copy_elements(result.tensor->view, to));
  out.commit();
  return {};
}

}  // namespace rondo::ops
