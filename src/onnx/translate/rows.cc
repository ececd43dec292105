// Translates softmax and its relatives, normalisations, and losses of class scores.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

// The shape of a matrix whose rows are all elements from `axis` on.
Shape rows_from(const Shape& shape, size_t axis) {
  return {product(shape, 0, axis), product(shape, axis, shape.size())};
}

// Gives a tensor rows along its last axis. One of that axis alone stays as it is, so that passes see the shape that its
// maker gave it.
Tensor as_rows(const Tensor& x, size_t axis) {
  return axis + 1 == x.shape().size() ? x : x.reshape(rows_from(x.shape(), axis));
}

// (a - mean) / sqrt(variance + epsilon) of each row of a matrix, in at least f32.
Tensor normalised(const Tensor& rows, double epsilon) {
  return rondo::layer_norm(rows, -1, nullptr, nullptr, epsilon);
}

// A tensor of one element per channel as one that broadcasts to [n, c, ...].
Tensor per_channel(const Tensor& a, size_t ndim) {
  Shape shape(ndim - 1, 1);
  shape[0] = a.numel();
  return a.reshape(shape);
}

// Weights and bias have the shape of the axes that are normalised: then the row of the library's table takes them.
bool is_row(const Shape& shape, const Shape& rows, size_t axis) {
  return rows == Shape(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
}

}  // namespace

void softmax_rows(Call& call, rondo_softmax_op op) {
  const Shape s = call.shape(0);
  const bool old = call.opset() < 13;
  const int64_t axis = call.axis("axis", old ? 1 : -1, static_cast<int64_t>(s.size()));
  Tensor x = call.in(0);
  // Before version 13 all axes from this one on were one.
  if (old) x = x.reshape(rows_from(s, static_cast<size_t>(axis)));
  const Tensor y = rondo::softmax_with(op, x, old ? 1 : static_cast<int32_t>(axis), 1);
  call.out(0, old ? y.reshape(s) : y);
}

void hardmax(Call& call) {
  const Shape s = call.shape(0);
  const bool old = call.opset() < 13;
  int64_t axis = call.axis("axis", old ? 1 : -1, static_cast<int64_t>(s.size()));
  Tensor x = call.in(0);
  if (old) {
    x = x.reshape(rows_from(s, static_cast<size_t>(axis)));
    axis = 1;
  }
  const Shape flat = x.shape();
  const int64_t size = flat[static_cast<size_t>(axis)];
  const Tensor hot = rondo::one_hot(rondo::reduce(RONDO_ARGMAX, x, axis), size, call.dtype(0));
  std::vector<int64_t> order;
  const auto ndim = static_cast<int64_t>(flat.size());
  for (int64_t i = 0, next = 0; i < ndim; ++i) order.push_back(i == axis ? ndim - 1 : next++);
  const Tensor y = hot.transpose(rondo::Axes(order));
  call.out(0, old ? y.reshape(s) : y);
}

void layer_normalization(Call& call) {
  const Shape s = call.shape(0);
  const auto axis = static_cast<size_t>(call.axis("axis", -1, static_cast<int64_t>(s.size())));
  const double epsilon = call.real("epsilon", 1e-5);
  const Tensor x = as_rows(call.in(0), axis);
  const bool whole = is_row(s, call.shape(1), axis) && (!call.has(2) || is_row(s, call.shape(2), axis)) &&
                     call.dtype(1) == call.dtype(0);
  if (whole) {
    const Tensor weight = call.in(1).reshape({-1}).contiguous();
    const Tensor bias = call.has(2) ? call.in(2).reshape({-1}).contiguous() : Tensor();
    call.out(0, rondo::layer_norm(x, -1, &weight, call.has(2) ? &bias : nullptr, epsilon).reshape(s));
  } else {
    Tensor y = normalised(x, epsilon).reshape(s) * call.in(1);
    if (call.has(2)) y = y + call.in(2);
    call.out(0, y);
  }
  if (!call.wants(1) && !call.wants(2)) return;
  const Tensor wide = call.dtype(0) == RONDO_F64 ? x : x.to(RONDO_F32);
  Shape kept = s;
  for (size_t i = axis; i < s.size(); ++i) kept[i] = 1;
  call.out(1, rondo::reduce(RONDO_MEAN, wide, -1).reshape(kept));
  call.out(2, rondo::rsqrt(rondo::reduce_with(RONDO_VAR, wide, {0}, -1) + epsilon).reshape(kept));
}

void rms_normalization(Call& call) {
  const Shape s = call.shape(0);
  const auto axis = static_cast<size_t>(call.axis("axis", -1, static_cast<int64_t>(s.size())));
  const double epsilon = call.real("epsilon", 1e-5);
  const Tensor x = as_rows(call.in(0), axis);
  if (is_row(s, call.shape(1), axis) && call.dtype(1) == call.dtype(0)) {
    const Tensor weight = call.in(1).reshape({-1}).contiguous();
    return call.out(0, rondo::rms_norm(x, -1, &weight, epsilon).reshape(s));
  }
  call.out(0, rondo::rms_norm(x, -1, nullptr, epsilon).reshape(s) * call.in(1));
}

void skip_layer_normalization(Call& call) {
  const bool simple = call.node().type == "SkipSimplifiedLayerNormalization";
  const size_t bias_at = simple ? 3 : 4;
  const double epsilon = call.real("epsilon", 1e-5);
  Tensor sum = call.in(0) + call.in(1);
  if (call.has(bias_at)) sum = sum + call.in(bias_at);
  const Tensor weight = call.in(2);
  if (simple) {
    call.out(0, rondo::rms_norm(sum, -1, &weight, epsilon));
  } else {
    const Tensor bias = call.has(3) ? call.in(3) : Tensor();
    call.out(0, rondo::layer_norm(sum, -1, &weight, call.has(3) ? &bias : nullptr, epsilon));
  }
  if (call.wants(1) || call.wants(2)) refuse("its mean or inverse deviation is asked for");
  call.out(3, sum);
}

void instance_normalization(Call& call) {
  const Shape s = call.shape(0);
  if (s.size() < 3) malformed("its input has " + std::to_string(s.size()) + " dimensions; it needs 3 or more");
  const Tensor y = normalised(call.in(0).reshape({s[0] * s[1], product(s, 2, s.size())}), call.real("epsilon", 1e-5));
  call.out(0, y.reshape(s) * per_channel(call.in(1), s.size()) + per_channel(call.in(2), s.size()));
}

void group_normalization(Call& call) {
  const Shape s = call.shape(0);
  const int64_t groups = call.integer("num_groups", 0);
  if (s.size() < 2 || groups < 1 || s[1] % groups != 0) malformed("its channels cannot be divided by its groups");
  const Tensor y =
      normalised(call.in(0).reshape({s[0] * groups, product(s, 1, s.size()) / groups}), call.real("epsilon", 1e-5));
  if (call.opset() >= 21)
    return call.out(0, y.reshape(s) * per_channel(call.in(1), s.size()) + per_channel(call.in(2), s.size()));
  const Shape grouped = {s[0], groups, product(s, 1, s.size()) / groups};
  call.out(0, (y.reshape(grouped) * per_channel(call.in(1), 3) + per_channel(call.in(2), 3)).reshape(s));
}

void lp_normalization(Call& call) {
  const int64_t axis = call.axis("axis", -1, call.ndim(0)), p = call.integer("p", 2);
  if (p != 1 && p != 2) malformed("it normalises by the norm " + std::to_string(p) + "; ONNX has 1 and 2");
  const Tensor x = call.in(0), norm = rondo::reduce(p == 1 ? RONDO_L1_NORM : RONDO_L2_NORM, x, axis, true);
  const Tensor zero = rondo::binary(RONDO_EQ, norm, rondo::Number(0.0));
  call.out(0, choose(zero, call.constant_reals(call.dtype(0), {}, {0}), x / norm));
}

void mean_variance_normalization(Call& call) {
  std::vector<int64_t> axes = call.integers("axes");
  if (axes.empty()) axes = {0, 2, 3};
  const Tensor x = call.in(0);
  const Tensor centred = x - rondo::reduce(RONDO_MEAN, x, rondo::Axes(axes), true);
  const Tensor deviation = rondo::sqrt(rondo::reduce(RONDO_MEAN, rondo::square(centred), rondo::Axes(axes), true));
  call.out(0, centred / (deviation + 1e-9));
}

namespace {

// -scores[n, labels[n, ...], ...], weighted and reduced as the losses of ONNX are.
void finish_loss(Call& call, const Tensor& scores) {
  const Shape s = scores.shape();
  const rondo_dtype dtype = scores.dtype();
  const std::string reduction = call.text("reduction", "mean");
  Tensor labels = call.in(1).to(RONDO_I64);
  const Shape ls = labels.shape();
  if (s.size() < 2 || ls.empty()) malformed("its scores or its labels have too few dimensions");
  if (call.constant(1))
    for (const int64_t each : call.whole_numbers(1, "its labels")) {
      const bool ignored = call.has_attribute("ignore_index") && each == call.integer("ignore_index", 0);
      if (!ignored && (each < 0 || each >= s[1]))
        malformed("a label is " + std::to_string(each) + "; there are " + std::to_string(s[1]) + " classes");
    }
  Shape wide = ls;
  wide.insert(wide.begin() + 1, 1);
  Tensor kept;  // which labels count
  if (call.has_attribute("ignore_index")) {
    const int64_t ignored = call.integer("ignore_index", 0);
    kept = rondo::binary(RONDO_NE, labels, rondo::Number(ignored));
    labels = choose(kept, labels, call.precomputed([&] {
      const int64_t zero = 0;
      return call.constant_tensor(RONDO_I64, {}, &zero);
    }));
  }
  Tensor loss = rondo::neg(rondo::take_along_axis(scores, labels.reshape(wide), 1).reshape(ls));
  Tensor weights;
  if (call.has(2)) weights = rondo::take(call.in(2), labels, 0);
  if (kept) {
    const Tensor counts = kept.to(dtype);
    weights = weights ? weights * counts : counts;
  }
  if (weights) loss = loss * weights;
  if (reduction == "none") return call.out(0, loss);
  if (reduction != "mean" && reduction != "sum") malformed("its reduction is " + excerpt(reduction));
  if (reduction == "sum" || weights) {
    const Tensor sum = rondo::reduce(RONDO_SUM, loss);
    return call.out(0, reduction == "sum" ? sum : sum / rondo::reduce(RONDO_SUM, weights));
  }
  call.out(0, rondo::reduce(RONDO_MEAN, loss));
}

}  // namespace

void negative_log_likelihood(Call& call) {
  finish_loss(call, call.in(0));
}

void softmax_cross_entropy(Call& call) {
  const Tensor scores = rondo::log_softmax(call.in(0), 1);
  finish_loss(call, scores);
  call.out(1, scores);
}

}  // namespace rondo_onnx
