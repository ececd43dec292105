// Elementwise operators: checks, result shape and dtype, expression.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise_task.h"
#include "ops/ops.h"
#include "ops/prepared.h"
#include "ops/scalar.h"
#include "ops/transfer.h"

namespace rondo::ops {

namespace {

const char* unary_name(int op) {
  static const char* const names[] = {"neg",   "abs",  "sign",  "square", "logical_not",
                                      "isnan", "relu", "floor", "ceil",   "round"};
  static const char* const floats[] = {"exp",        "log", "sqrt", "rsqrt", "tanh",  "sigmoid",
                                       "reciprocal", "sin", "cos",  "erf",   "expm1", "log1p"};
  if (op >= RONDO_NEG && op <= RONDO_ROUND) return names[op];
  return op >= RONDO_EXP && op <= RONDO_LOG1P ? floats[op - RONDO_EXP] : nullptr;
}

const char* binary_name(int op) {
  static const char* const names[] = {"add", "sub", "mul", "div", "pow", "maximum", "minimum", "mod"};
  static const char* const logical[] = {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"};
  if (op >= RONDO_ADD && op <= RONDO_MOD) return names[op];
  return op >= RONDO_EQ && op <= RONDO_LOGICAL_XOR ? logical[op - RONDO_EQ] : nullptr;
}

Status unknown(const char* function, const char* type, int op) {
  return error(RONDO_INVALID_ARGUMENT, "%s: op is %d, which is no %s", function, op, type);
}

// An operand in the common dtype: a wider integer is rounded to a 16-bit float as a cast would.
Value load(Expression& expression, rondo_dtype dtype, rondo_dtype common) {
  const Value value = expression.cast(expression.input(dtype), common);
  const bool inexact = is_half(common) && (dtype == RONDO_I32 || dtype == RONDO_I64);
  return inexact ? expression.round(value, common) : value;
}

Status shapes_differ(const char* function, const char* name_a, const Layout& a, const char* name_b, const Layout& b) {
  return error(RONDO_INVALID_ARGUMENT, "%s: %s of shape %s and %s of shape %s do not broadcast together", function,
               name_a, shape_text(a).c_str(), name_b, shape_text(b).c_str());
}

Ref<Task> make(const char* name, Device& device, const Expression& expression, const Layout& shape,
               std::initializer_list<const View*> views, const uint64_t* scalars = nullptr) {
  return make_ref<ElementwiseTask>(name, device, expression, shape, views.begin(), scalars);
}

}  // namespace

Status unary(rondo_unary_op op, const View& a, Output& out) {
  const char* const function = "rondo_unary";
  const char* name = unary_name(op);
  if (!name) return unknown(function, "rondo_unary_op", op);
  RONDO_TRY(check_inputs(function, {{"a", &a}}));
  const bool logical = op == RONDO_LOGICAL_NOT || op == RONDO_ISNAN;
  const rondo_dtype computed = op >= RONDO_EXP && !is_float(a.dtype) ? RONDO_F32 : a.dtype;
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), logical ? RONDO_BOOL : computed, a.layout, {&a}, true, &to));
  Expression expression;
  expression.output(expression.unary(op, load(expression, a.dtype, computed)), to.dtype, to.accumulate);
  return submit_prepared(a.engine(), make(name, a.device(), expression, to.layout, {&a, &to}), {&out});
}

Status binary(rondo_binary_op op, const View& a, const View& b, Output& out) {
  const char* const function = "rondo_binary";
  const char* name = binary_name(op);
  if (!name) return unknown(function, "rondo_binary_op", op);
  RONDO_TRY(check_inputs(function, {{"a", &a}, {"b", &b}}));
  Layout broadcast;
  const Layout* shape = &a.layout;
  if (!a.layout.same_shape(b.layout)) {
    if (!broadcast_shapes(a.layout, b.layout, &broadcast)) return shapes_differ(function, "a", a.layout, "b", b.layout);
    shape = &broadcast;
  }
  const rondo_dtype common = promote(a.dtype, b.dtype);
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), op >= RONDO_EQ ? RONDO_BOOL : common, *shape, {&a, &b}, true, &to));
  Expression expression;
  const Value x = load(expression, a.dtype, common);
  const Value y = load(expression, b.dtype, common);
  expression.output(expression.binary(op, x, y), to.dtype, to.accumulate);
  return submit_prepared(a.engine(), make(name, a.device(), expression, to.layout, {&a, &b, &to}), {&out});
}

Status binary_scalar(const char* function, rondo_binary_op op, const View& a, Scalar scalar, bool reversed,
                     Output& out) {
  const char* name = binary_name(op);
  if (!name) return unknown(function, "rondo_binary_op", op);
  RONDO_TRY(check_inputs(function, {{"a", &a}}));
  uint64_t word = 0;
  RONDO_TRY(scalar_word(function, "scalar", scalar, a.dtype, &word));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), op >= RONDO_EQ ? RONDO_BOOL : a.dtype, a.layout, {&a}, true, &to));
  Expression expression;
  const Value x = expression.input(a.dtype);
  const Value s = expression.scalar(compute_dtype(a.dtype));
  expression.output(reversed ? expression.binary(op, s, x) : expression.binary(op, x, s), to.dtype, to.accumulate);
  return submit_prepared(a.engine(), make(name, a.device(), expression, to.layout, {&a, &to}, &word), {&out});
}

Status where(const View& condition, const View& a, const View& b, Output& out) {
  const char* const function = "rondo_where";
  RONDO_TRY(check_inputs(function, {{"condition", &condition}, {"a", &a}, {"b", &b}}));
  if (condition.dtype != RONDO_BOOL)
    return error(RONDO_INVALID_ARGUMENT, "%s: condition has dtype %s; it must be bool", function,
                 dtype_name(condition.dtype));
  Layout values;
  Layout shape;
  if (!broadcast_shapes(a.layout, b.layout, &values)) return shapes_differ(function, "a", a.layout, "b", b.layout);
  if (!broadcast_shapes(condition.layout, values, &shape))
    return shapes_differ(function, "condition", condition.layout, "the values", values);
  const rondo_dtype common = promote(a.dtype, b.dtype);
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), common, shape, {&condition, &a, &b}, true, &to));
  Expression expression;
  const Value c = expression.input(RONDO_BOOL);
  const Value x = load(expression, a.dtype, common);
  const Value y = load(expression, b.dtype, common);
  expression.output(expression.where(c, x, y), to.dtype, to.accumulate);
  return submit_prepared(a.engine(), make("where", a.device(), expression, to.layout, {&condition, &a, &b, &to}),
                         {&out});
}

Status copy_elements(const char* function, const View& from, const View& to) {
  Layout shape;
  if (!broadcast_shapes(from.layout, to.layout, &shape) || !shape.same_shape(to.layout))
    return shapes_differ(function, "the source", from.layout, "the target", to.layout);
  Expression expression;
  const Value x = expression.input(from.dtype);
  expression.output(expression.cast(x, to.dtype), to.dtype, to.accumulate);
  return submit_prepared(
      from.engine(), make(from.dtype == to.dtype ? "copy" : "cast", from.device(), expression, to.layout, {&from, &to}),
      {});
}

Status cast(const View& a, rondo_dtype dtype, Output& out) {
  const char* const function = "rondo_cast";
  if (!is_dtype(dtype))
    return error(RONDO_INVALID_ARGUMENT, "%s: dtype is %d, which is no rondo_dtype", function, dtype);
  RONDO_TRY(check_inputs(function, {{"a", &a}}));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), dtype, a.layout, {&a}, true, &to));
  RONDO_TRY(copy_elements(function, a, to));
  out.commit();
  return {};
}

Status fill(const View& tensor, double value) {
  const char* const function = "rondo_fill";
  RONDO_TRY(check_writable(function, "tensor", tensor));
  uint64_t word = 0;
  RONDO_TRY(scalar_word(function, "value", Scalar::of(value), tensor.dtype, &word));
  Expression expression;
  expression.output(expression.scalar(compute_dtype(tensor.dtype)), tensor.dtype, tensor.accumulate);
  return submit_prepared(tensor.engine(), make("fill", tensor.device(), expression, tensor.layout, {&tensor}, &word),
                         {});
}

Status copy(const View& a, Output& out) {
  const char* const function = "rondo_copy";
  RONDO_TRY(check_inputs(function, {{"a", &a}}));
  Layout shape = a.layout;
  Device* device = &a.device();
  if (out.given()) {
    const View& given = out.given_view();
    if (!broadcast_shapes(a.layout, given.layout, &shape) || !shape.same_shape(given.layout))
      return shapes_differ(function, "a", a.layout, "out", given.layout);
    device = &given.device();
  }
  View to;
  RONDO_TRY(out.resolve(a.engine(), *device, a.dtype, shape, {&a}, true, &to));
  if (device == &a.device()) {
    RONDO_TRY(copy_elements(function, a, to));
  } else {
    View from = a;
    from.layout = broadcast_layout(a.layout, shape);
    RONDO_TRY(copy_across(from, to));
  }
  out.commit();
  return {};
}

}  // namespace rondo::ops
