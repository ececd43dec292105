// Builds the formulas of the tables' gradient columns: values with the usual operators, which add instructions to the
// expression they belong to.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/expression.h"
#include "ops/operators/scalar.h"

namespace rondo::ops {

// The expression that a formula makes. Scalars: those its builder asked for first, then `constants`.
struct FormulaExpression {
  Expression expression;
  uint64_t constants[Expression::kMaxScalars] = {};  // words
  int n_constants = 0;
};

namespace formula {

struct V;

struct Builder {
  FormulaExpression& made;
  rondo_dtype dtype;
  // The scalar that a number in a formula becomes; equal numbers share one.
  Value constant(double number) {
    const uint64_t word = float_word(dtype, number);
    for (int i = 0; i < made.n_constants; ++i)
      if (made.constants[i] == word) return scalars[i];
    const Value value = made.expression.scalar(dtype);
    if (made.expression.overflow()) return value;
    scalars[made.n_constants] = value;
    made.constants[made.n_constants++] = word;
    return value;
  }
  // The value of a formula, whether it is a number or not.
  Value value(const V& v);
  Value scalars[Expression::kMaxScalars] = {};
};

// A value of a formula: of the expression, or a plain number.
struct V {
  Builder* builder = nullptr;
  Value value = 0;
  double number = 0;
  V(double number) : number(number) {}  // NOLINT(google-explicit-constructor): formulas are written with numbers
  V(Builder& builder, Value value) : builder(&builder), value(value) {}
};
inline Value Builder::value(const V& v) {
  return v.builder ? v.value : constant(v.number);
}

inline V apply(Op op, const V& a) {
  return {*a.builder, a.builder->made.expression.apply(op, a.value)};
}
inline V apply(Op op, const V& a, const V& b) {
  Builder& builder = a.builder ? *a.builder : *b.builder;
  const Value left = builder.value(a), right = builder.value(b);
  return {builder, builder.made.expression.apply(op, left, right)};
}

inline V operator-(const V& a) {
  return apply(Op::neg, a);
}
inline V operator+(const V& a, const V& b) {
  return apply(Op::add, a, b);
}
inline V operator-(const V& a, const V& b) {
  return apply(Op::sub, a, b);
}
inline V operator*(const V& a, const V& b) {
  return apply(Op::mul, a, b);
}
inline V operator/(const V& a, const V& b) {
  return apply(Op::div, a, b);
}
inline V operator<(const V& a, const V& b) {
  return apply(Op::lt, a, b);
}
inline V operator<=(const V& a, const V& b) {
  return apply(Op::le, a, b);
}
inline V operator>(const V& a, const V& b) {
  return apply(Op::gt, a, b);
}
inline V operator>=(const V& a, const V& b) {
  return apply(Op::ge, a, b);
}
inline V operator==(const V& a, const V& b) {
  return apply(Op::eq, a, b);
}
inline V operator&(const V& a, const V& b) {
  return apply(Op::logical_and, a, b);
}
inline V operator|(const V& a, const V& b) {
  return apply(Op::logical_or, a, b);
}
inline V where(const V& condition, const V& a, const V& b) {
  Builder& builder = *condition.builder;
  return {builder, builder.made.expression.where(condition.value, builder.value(a), builder.value(b))};
}

// Every operator of the table may stand in a formula by its name.
#define UNARY(ID, name, ...)   \
  inline V name(const V& x) {  \
    return apply(Op::name, x); \
  }
#define BINARY(ID, name, ...)             \
  inline V name(const V& a, const V& b) { \
    return apply(Op::name, a, b);         \
  }
#define TERNARY(...)
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY

// 0, of which a NaN stays.
inline V nothing(const V& x) {
  return sign(x) * 0.0;
}

}  // namespace formula

}  // namespace rondo::ops
