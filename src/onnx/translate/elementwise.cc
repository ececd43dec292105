// Translates operators that compute each element from elements of the same place, but activations.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

// An operator of two inputs. A constant of one element becomes a scalar of the kernel rather than a weight.
Tensor two_operands(const Call& call, rondo_binary_op op, size_t a, size_t b) {
  double number = 0;
  // Before version 7 an attribute says where the axes of the second input stand among those of the first.
  if (call.opset() < 7 && call.has_attribute("axis")) {
    Shape shape = call.shape(b);
    const int64_t axis = call.axis("axis", 0, call.ndim(a));
    while (static_cast<int64_t>(shape.size()) + axis < call.ndim(a)) shape.push_back(1);
    return rondo::binary(op, call.in(a), call.in(b).reshape(shape));
  }
  const bool alike = call.dtype(a) == call.dtype(b) && is_float(call.dtype(a)) && !call.folding();
  if (alike && !call.constant(a) && call.ndim(b) <= call.ndim(a) && call.scalar(b, &number))
    return rondo::binary(op, call.in(a), rondo::Number(number));
  if (alike && !call.constant(b) && call.ndim(a) <= call.ndim(b) && call.scalar(a, &number))
    return rondo::binary(op, rondo::Number(number), call.in(b));
  return rondo::binary(op, call.in(a), call.in(b));
}

}  // namespace

void elementwise_unary(Call& call, rondo_unary_op op) {
  call.out(0, rondo::unary(op, call.in(0)));
}

void elementwise_binary(Call& call, rondo_binary_op op) {
  call.out(0, two_operands(call, op, 0, 1));
}

void elementwise_variadic(Call& call, rondo_binary_op op) {
  if (call.inputs() == 1) return call.forward(0, 0);
  Tensor result = two_operands(call, op, 0, 1);
  for (size_t i = 2; i < call.inputs(); ++i) result = rondo::binary(op, result, call.in(i));
  call.out(0, result);
}

void mean_node(Call& call) {
  Tensor sum = call.in(0);
  for (size_t i = 1; i < call.inputs(); ++i) sum = sum + call.in(i);
  call.out(0, sum / static_cast<double>(call.inputs()));
}

void bit_shift(Call& call) {
  const std::string direction = call.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    malformed("its direction is " + excerpt(direction) + ", not LEFT or RIGHT");
  elementwise_binary(call, direction == "LEFT" ? RONDO_SHIFT_LEFT : RONDO_SHIFT_RIGHT);
}

Tensor unsaturated(const Call& call, const Tensor& x, rondo_dtype dtype) {
  const Tensor wide = x.dtype() == RONDO_F64 ? x : x.to(RONDO_F32), size = rondo::abs(wide);
  // The halves between the largest number and the next one that the type would have: ties go to the even one.
  if (dtype == RONDO_F8_E4M3) {
    const Tensor none = call.constant_reals(wide.dtype(), {}, {std::numeric_limits<double>::quiet_NaN()});
    return choose(rondo::binary(RONDO_GT, size, rondo::Number(464.0)), none, wide).to(dtype);
  }
  const Shape shape = x.shape();
  const int64_t count = product(shape);
  if (count == 0) return wide.to(dtype);
  // The library's cast knows no infinity, so that each element is taken from a row of itself and both.
  const uint8_t infinities[] = {0x7c, 0xfc};
  const Tensor ends = call.precomputed([&] { return call.constant_tensor(RONDO_F8_E5M2, {1, 2}, infinities); });
  const auto column = [&](const Tensor& each) { return each.reshape({count, 1}); };
  const auto number = [&](const Tensor& each) { return column(each).to(RONDO_I64); };
  const Tensor beyond = number(rondo::binary(RONDO_GE, size, rondo::Number(61440.0)));
  const Tensor place = beyond * (number(rondo::binary(RONDO_LT, wide, rondo::Number(0.0))) + 1);
  const Tensor rows = rondo::concat({column(wide.to(dtype)), ends.broadcast({count, 2})}, 1);
  return rondo::take_along_axis(rows, place, 1).reshape(shape);
}

namespace {

// Integers of a few bits keep the lowest ones, as those of more do.
Tensor narrowed(const Tensor& x, int bits, rondo_dtype dtype) {
  const int64_t most = int64_t{1} << bits, low = dtype == RONDO_I8 ? most / 2 : 0;
  const Tensor wide = x.to(RONDO_I64);
  const Tensor all = rondo::binary(RONDO_MOD, low == 0 ? wide : wide + low, rondo::Number(most));
  return (low == 0 ? all : all - low).to(dtype);
}

void cast_as(Call& call, rondo_dtype dtype, int bits) {
  if (dtype == call.dtype(0) && bits == call.bits(0)) return call.forward(0, 0);
  const bool small = dtype == RONDO_F8_E4M3 || dtype == RONDO_F8_E5M2;
  if (small && call.integer("saturate", 1) == 0) return call.out(0, unsaturated(call, call.in(0), dtype));
  if (bits == 0) return call.out(0, call.in(0).to(dtype));
  call.out(0, narrowed(call.in(0), bits, dtype));
  call.narrow(0, bits);
}

}  // namespace

void cast_node(Call& call) {
  const int64_t type = call.integer("to", 0);
  rondo_dtype dtype = RONDO_F32;
  if (!find_storage(type, &dtype)) refuse("it casts to " + type_name(type) + ", which Rondo does not have");
  cast_as(call, dtype, narrow_bits(type));
}

void cast_like(Call& call) {
  cast_as(call, call.dtype(1), call.bits(1));
}

void clip_node(Call& call) {
  if (call.opset() < 11) {
    const bool low = call.has_attribute("min"), high = call.has_attribute("max");
    if (!low && !high) return call.forward(0, 0);
    Tensor result = call.in(0);
    if (low) result = rondo::binary(RONDO_MAXIMUM, result, rondo::Number(call.real("min", 0)));
    if (high) result = rondo::binary(RONDO_MINIMUM, result, rondo::Number(call.real("max", 0)));
    return call.out(0, result);
  }
  if (!call.has(1) && !call.has(2)) return call.forward(0, 0);
  if (!call.has(1)) return call.out(0, two_operands(call, RONDO_MINIMUM, 0, 2));
  Tensor result = two_operands(call, RONDO_MAXIMUM, 0, 1);
  double number = 0;
  if (call.has(2) && is_float(call.dtype(0)) && !call.folding() && call.scalar(2, &number))
    result = rondo::binary(RONDO_MINIMUM, result, rondo::Number(number));
  else if (call.has(2))
    result = rondo::binary(RONDO_MINIMUM, result, call.in(2));
  call.out(0, result);
}

void dropout_node(Call& call) {
  if (call.opset() < 7 && call.integer("is_test", 0) == 0)
    refuse("it is used for training; programs are converted for inference");
  if (call.has(2)) {
    double training = 0;
    if (!call.scalar(2, &training)) refuse("whether it trains is computed by the program; it must be a constant");
    double ratio = 0.5;
    if (call.has(1) && !call.scalar(1, &ratio)) refuse("its ratio is computed by the program; it must be a constant");
    if (training != 0 && ratio != 0) refuse("it is used for training; programs are converted for inference");
  }
  call.forward(0, 0);
  if (!call.wants(1)) return;
  const uint8_t yes = 1;
  const rondo_dtype dtype = call.opset() < 10 ? call.dtype(0) : RONDO_BOOL;
  call.out(
      1,
      call.precomputed([&] { return call.constant_tensor(RONDO_BOOL, {}, &yes).to(dtype); }).broadcast(call.shape(0)));
}

void identity(Call& call) {
  call.forward(0, 0);
}

void is_inf(Call& call) {
  const bool negative = call.integer("detect_negative", 1) != 0, positive = call.integer("detect_positive", 1) != 0;
  const Tensor x = call.in(0);
  if (negative && positive) return call.out(0, rondo::unary(RONDO_ISINF, x));
  if (negative) return call.out(0, rondo::unary(RONDO_ISNEGINF, x));
  if (positive) return call.out(0, rondo::unary(RONDO_ISPOSINF, x));
  const uint8_t no = 0;
  call.out(0,
           rondo::copy(
               call.precomputed([&] { return call.constant_tensor(RONDO_BOOL, {}, &no); }).broadcast(call.shape(0))));
}

void swiglu(Call& call) {
  const Tensor a = call.in(0), b = call.in(1);
  const double alpha = call.real("alpha", 1);
  call.out(0, a * rondo::sigmoid(alpha == 1 ? a : a * alpha) * b);
}

void mod_node(Call& call) {
  elementwise_binary(call, call.integer("fmod", 0) != 0 ? RONDO_FMOD : RONDO_MOD);
}

void pow_node(Call& call) {
  const rondo_dtype dtype = call.dtype(0);
  double exponent = 0;
  if (is_float(dtype) && !call.constant(0) && call.ndim(1) <= call.ndim(0) && call.scalar(1, &exponent)) {
    const Tensor x = call.in(0);
    if (exponent == 1) return call.forward(0, 0);
    if (exponent == 2) return call.out(0, rondo::square(x));
    if (exponent == 0.5) return call.out(0, rondo::sqrt(x));
    return call.out(0, rondo::binary(RONDO_POW, x, rondo::Number(exponent)));
  }
  call.out(0, rondo::binary(RONDO_POW, call.in(0), call.in(1)).to(dtype));
}

void where_node(Call& call) {
  call.out(0, choose(call.in(0), call.in(1), call.in(2)));
}

}  // namespace rondo_onnx
