// Turns the gradient columns of operators.def into expressions, one for each set of gradients that are wanted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/operators/gradients.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ops/operators/edges.h"
#include "ops/operators/formula.h"

namespace rondo::ops {

namespace {

using namespace formula;

// Far out, where a factor that vanishes would meet one that is infinite, slopes are those of some way out.
V bounded(const V& x, double by) {
  return minimum(maximum(x, -by), by);
}
V clamped(const V& a, const V& b, const V& c) {
  return minimum(maximum(a, b), c);
}

// a - b; an infinity is nowhere else than itself.
V distance(const V& a, const V& b) {
  return where((a == b) & isinf(a), 0.0, a - b);
}

V gelu_slope(const V& far) {
  const V x = bounded(far, 40.0);
  return erfc(x * -0.70710678118654752440) * 0.5 + x * exp(x * x * -0.5) * 0.39894228040143267794;
}
V silu_slope(const V& far) {
  const V x = bounded(far, 1000.0);
  return sigmoid(x) * (1.0 + x * sigmoid(-x));
}
// d/dx of gelu_tanh: with u = 2 k (x + c x^3) and s = sigmoid(u), s + x s (1 - s) u'.
V gelu_tanh_slope(const V& far) {
  const V x = bounded(far, 40.0);
  const V square_of = x * x;
  const V s = sigmoid(x * 1.5957691216057307117 * (square_of * 0.044715 + 1.0));
  return s * (1.0 + x * (1.0 - s) * (square_of * 0.21406444881780074632 + 1.5957691216057307117));
}
// d/dx of mish: with t = tanh(softplus(x)), t + x (1 - t^2) sigmoid(x).
V mish_slope(const V& far) {
  const V x = bounded(far, 1000.0);
  const V t = tanh(logaddexp(x, x * 0.0));
  return t + x * (1.0 - t * t) * sigmoid(x);
}

// d/da of a to the b. A power that vanishes is stronger than an exponent without end, and an exponent of 0 than a pole.
V pow_slope(const V& a, const V& b) {
  const V power = pow(a, b - 1.0);
  return where((b == 0.0) | (power == 0.0), 0.0, b * power);
}
// d/da of y = hypot(a, b), which may be rounded to infinity next to the largest number.
V hypot_slope(const V& a, const V& b, const V& y) {
  const V finite = where(isinf(y), a * 0.5 / hypot(a * 0.5, b * 0.5), a / y);
  return where(y == 0.0, 0.0, where(isinf(a), sign(a) + (b - b), finite));
}
// b / (a a + b b), of which h is the root, without squares.
V atan2_slope(const V& b, const V& h) {
  return where((h == 0.0) | isinf(h), 0.0, b / h / h);
}

struct Unknown {};
constexpr Unknown UNKNOWN;

struct Formula {
  Gradient& gradient;
  Builder& builder;
  unsigned wanted;
  const rondo_dtype* dtypes;
  int operand = 0;
  // Takes the next operand's columns; the formula is not evaluated where it is not wanted, what is said of edges never.
  template <class F, class E>
  void take(const F& formula, const E& edges) {
    const int i = operand++;
    const unsigned bit = 1u << i;
    using Made = std::decay_t<decltype(formula())>;
    using Edges = std::decay_t<decltype(edges())>;
    static_assert(std::is_same_v<Made, None> ? std::is_same_v<Edges, None> : kTellsEdges<Edges, V>,
                  "a row says of each gradient what it is at edges, and nothing of what has none");
    if constexpr (!std::is_same_v<Made, None>) {
      if (!(wanted & bit)) return;
      gradient.of |= static_cast<uint8_t>(bit);
      if constexpr (!std::is_same_v<Made, Unknown>) gradient.expression.output(formula().value, dtypes[i], false);
    }
  }
};

// Builds the formulas over inputs for every operand, the result and dy, whether they are used or not.
void build(Op op, Formula& formula, const V* operand, const V& y, const V& dy, const V& p, const V& q) {
  [[maybe_unused]] const V &x = operand[0], &a = operand[0], &b = operand[1], &c = operand[2];
  switch (op) {
    // clang-format off
#define TAKE(gradient, edges) formula.take([&] { return gradient; }, [&] { return edges; });
#define UNARY(ID, name, domain, result, parameters, low, high, ulps, dx, edges, ...) \
    case Op::name: TAKE(dx, edges) break;
#define BINARY(ID, name, domain, result, parameters, low, high, ulps, da, db, edges_a, edges_b, ...) \
    case Op::name: TAKE(da, edges_a) TAKE(db, edges_b) break;
#define TERNARY(ID, name, domain, result, low, high, ulps, da, db, dc, edges_a, edges_b, edges_c, ...) \
    case Op::name: TAKE(da, edges_a) TAKE(db, edges_b) TAKE(dc, edges_c) break;
    // clang-format on
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef TAKE
    case Op::cast:
    case Op::where:
    case Op::round_to:
    case Op::uniform:
    case Op::normal:
    case Op::from_bits:
    case Op::to_bits: break;
  }
  (void)p, (void)q, (void)y, (void)dy;
}

}  // namespace

Gradient gradient_of(Op op, unsigned wanted, const rondo_dtype* operands, rondo_dtype computed, int scalar,
                     bool uniform) {
  const Operator& row = operator_of(op);
  const rondo_dtype dtype = compute_dtype(computed);
  const int n_operands = std::min<int>(row.operands, Gradient::kMostOperands);
  const int n_parameters = std::min<int>(row.parameters, 2);
  Gradient full;
  {
    Builder builder{full, dtype};
    V operand[Gradient::kMostOperands] = {0.0, 0.0, 0.0};
    Value inputs[Gradient::kMostOperands] = {};
    for (int i = 0; i < n_operands; ++i) inputs[i] = full.expression.input(operands[i]);
    const V y(builder, full.expression.input(computed));
    const Value incoming = full.expression.input(computed);
    if (scalar >= 0) operand[scalar] = V(builder, full.expression.scalar(dtype));
    for (int i = 0; i < n_operands; ++i)
      if (i != scalar) operand[i] = V(builder, full.expression.cast(inputs[i], dtype));
    V parameter[2] = {0.0, 0.0};
    for (int i = 0; i < n_parameters; ++i) parameter[i] = V(builder, full.expression.scalar(dtype));
    const V dy(builder, uniform ? full.expression.scalar(dtype) : incoming);
    Formula formula{full, builder, wanted, operands};
    build(op, formula, operand, y, dy, parameter[0], parameter[1]);
  }
  // Only what the formulas touch must be kept until then: the rest is left out.
  unsigned touched = uniform ? 0 : 1u << (n_operands + 1);  // dy
  for (int k = 0; k < full.expression.instructions(); ++k) {
    const Expression::Instruction& each = full.expression.instruction(k);
    const Value values[] = {each.a, each.b, each.c};
    for (int i = 0; i < Expression::arity(each); ++i)
      if (Expression::is_input(values[i])) touched |= 1u << values[i];
  }
  Gradient kept = full;
  kept.expression = full.expression.without_inputs(~touched);
  kept.uses = static_cast<uint8_t>(touched & ((1u << n_operands) - 1));
  kept.uses_result = (touched >> n_operands) & 1;
  return kept;
}

bool gradient_unknown(Op op) {
  constexpr auto unknown = [](std::string_view column) { return column == "UNKNOWN"; };
  switch (op) {
    // clang-format off
#define UNARY(ID, name, domain, result, parameters, low, high, ulps, dx, ...) \
    case Op::name: return unknown(#dx);
#define BINARY(ID, name, domain, result, parameters, low, high, ulps, da, db, ...) \
    case Op::name: return unknown(#da) || unknown(#db);
#define TERNARY(ID, name, domain, result, low, high, ulps, da, db, dc, ...) \
    case Op::name: return unknown(#da) || unknown(#db) || unknown(#dc);
    // clang-format on
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
    default: return false;
  }
}

}  // namespace rondo::ops
