// Translates reductions over axes, and those that run along one axis.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

struct Reduced {
  std::vector<int64_t> axes;
  bool keep = true;
  bool nothing = false;  // no axes are given, and none are meant
};

// Axes are an attribute before version 18 (of ReduceSum 13), an input from there on.
Reduced reduced_axes(const Call& call) {
  Reduced reduced;
  if (call.has_attribute("axes"))
    reduced.axes = call.integers("axes");
  else if (call.has(1))
    reduced.axes = call.whole_numbers(1, "its axes");
  reduced.keep = call.integer("keepdims", 1) != 0;
  reduced.nothing = reduced.axes.empty() && call.integer("noop_with_empty_axes", 0) != 0;
  const int64_t ndim = call.ndim(0);
  if (reduced.axes.empty() && !reduced.nothing)
    for (int64_t i = 0; i < ndim; ++i) reduced.axes.push_back(i);
  for (int64_t& each : reduced.axes) each = axis_of(each, ndim);
  if (ndim == 0) reduced.nothing = true;
  return reduced;
}

Shape reduced_shape(const Shape& shape, const Reduced& reduced) {
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i) {
    bool gone = false;
    for (const int64_t each : reduced.axes) gone = gone || each == static_cast<int64_t>(i);
    if (!gone || reduced.keep) result.push_back(gone ? 1 : shape[i]);
  }
  return result;
}

Tensor reduce_as(rondo_reduce_op op, const Tensor& x, const Reduced& reduced) {
  return rondo::reduce(op, x, rondo::Axes(reduced.axes), reduced.keep).to(x.dtype());
}

}  // namespace

void reduction(Call& call, rondo_reduce_op op) {
  const Reduced reduced = reduced_axes(call);
  const rondo_dtype dtype = call.dtype(0);
  const bool extreme = op == RONDO_MAX || op == RONDO_MIN;
  if (reduced.nothing && (extreme || op == RONDO_MEAN || op == RONDO_SUM || op == RONDO_PROD))
    return call.forward(0, 0);
  Tensor x = call.in(0);
  if (reduced.nothing) {
    if (op == RONDO_LOGSUMEXP) return call.out(0, rondo::log(rondo::exp(x)).to(dtype));
    return call.out(0, rondo::abs(x));
  }
  if (extreme && product(call.shape(0)) == 0) {
    const Shape shape = reduced_shape(call.shape(0), reduced);
    if (product(shape) != 0 && is_float(dtype)) {
      const double most = std::numeric_limits<double>::infinity();
      return call.out(0,
                      rondo::copy(call.constant_reals(dtype, {}, {op == RONDO_MAX ? -most : most}).broadcast(shape)));
    }
    if (product(shape) != 0) refuse("it takes the extreme of no whole numbers");
  }
  // Norms of whole numbers come as f32, which would round what f64 still holds.
  if (!is_float(dtype) && (op == RONDO_L1_NORM || op == RONDO_L2_NORM || op == RONDO_LOGSUMEXP || op == RONDO_MEAN))
    return call.out(0, rondo::reduce(op, x.to(RONDO_F64), rondo::Axes(reduced.axes), reduced.keep).to(dtype));
  call.out(0, reduce_as(op, x, reduced));
}

void reduce_log_sum(Call& call) {
  const Reduced reduced = reduced_axes(call);
  const Tensor x = call.in(0);
  const Tensor sum = reduced.nothing ? x : reduce_as(RONDO_SUM, x, reduced);
  call.out(0, rondo::log(sum).to(call.dtype(0)));
}

void reduce_sum_square(Call& call) {
  const Reduced reduced = reduced_axes(call);
  const Tensor squares = rondo::square(call.in(0));
  call.out(0, reduced.nothing ? squares : reduce_as(RONDO_SUM, squares, reduced));
}

void arg_reduction(Call& call, rondo_reduce_op op) {
  const int64_t axis = call.axis("axis", 0, call.ndim(0));
  const bool keep = call.integer("keepdims", 1) != 0, last = call.integer("select_last_index", 0) != 0;
  Tensor x = call.in(0);
  if (last) x = x.flip(axis);
  Tensor place = rondo::reduce(op, x, axis, keep);
  if (last) place = rondo::Number(call.shape(0)[static_cast<size_t>(axis)] - 1) - place;
  call.out(0, place);
}

void cumulative_reduction(Call& call, rondo_reduce_op op) {
  const std::vector<int64_t> axes = call.whole_numbers(1, "its axis");
  if (axes.size() != 1) malformed("its axis is " + std::to_string(axes.size()) + " numbers, not one");
  const int64_t place = axis_of(axes[0], call.ndim(0));
  const auto axis = static_cast<int32_t>(place);
  const bool reverse = call.integer("reverse", 0) != 0, exclusive = call.integer("exclusive", 0) != 0;
  const rondo_dtype dtype = call.dtype(0);
  const int64_t size = call.shape(0)[static_cast<size_t>(place)];
  Tensor x = call.in(0);
  if (exclusive && size > 0) {
    // An element takes what its neighbour has had: the line is moved on by one.
    const Tensor part = reverse ? x.slice(axis, 1, size) : x.slice(axis, 0, size - 1);
    std::vector<int64_t> widths(static_cast<size_t>(2 * call.ndim(0)), 0);
    widths[static_cast<size_t>(2 * place + (reverse ? 1 : 0))] = 1;
    x = rondo::pad(part, RONDO_PAD_CONSTANT, widths, op == RONDO_PROD ? 1 : 0);
  }
  call.out(0, rondo::cumulative(op, x, axis, reverse).to(dtype));
}

}  // namespace rondo_onnx
