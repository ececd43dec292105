// Gradients of softmaxes and of cross-entropy, and gradients of those.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

// One number per row, under a row's shape.
View per_row(const View& view, const Layout& shape) {
  View column = view;
  column.layout.ndim = 2;
  column.layout.shape[1] = 1;
  column.layout.strides[1] = 0;
  return under(column, shape);
}

// Tells which elements are before the end of their row; lengths: one per row, with all axes but this one.
View within(GradientBuilder& steps, const View& lengths, const Layout& shape, int axis) {
  if (!steps.status().ok()) return {};
  Layout line = shape;
  for (int d = 0; d < line.ndim; ++d) line.shape[d] = d == axis ? shape.shape[axis] : 1;
  View ends = lengths;
  ends.layout = shape;
  for (int d = 0, from = 0; d < shape.ndim; ++d) {
    ends.layout.shape[d] = d == axis ? 1 : shape.shape[d];
    ends.layout.strides[d] = d == axis ? 0 : lengths.layout.strides[from++];
  }
  const View places = steps.reshape(steps.places(lengths.device(), shape.shape[axis]), line);
  return steps.binary(RONDO_LT, places, steps.cast(ends, RONDO_I64));
}

}  // namespace

// As the caller asked; lengths: the input that says where rows end.
ops::SoftmaxOptions options_of(const ops::SoftmaxCall& call, const Backward& backward, size_t lengths) {
  ops::SoftmaxOptions options;
  options.op = call.op;
  options.temperature = call.temperature;
  if (call.lengths) options.lengths = &backward.input(lengths);
  return options;
}

Status run(const ops::SoftmaxCall& call, Backward& backward) {
  OwnedTensor again;
  View y, dy;
  RONDO_TRY(backward.incoming_view(&dy));
  RONDO_TRY(result_of(backward, &again, &y));
  return backward.give(0, y.layout, [&](ops::Output& out) {
    return ops::softmax_grad(options_of(call, backward, 1), y, dy, call.axis, out);
  });
}

// With s the factor: s y (dy - sum(y dy)), or s (dy - exp(y) sum(dy)) of logarithms. Elements after a row's end count
// nowhere.
Status run(const ops::SoftmaxGradCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    const rondo_dtype dtype = compute_dtype(inputs[0].dtype);
    const int32_t axis = call.axis;
    const auto total = [&](const View& of) { return steps.reduce(RONDO_SUM, of, {&axis, 1}); };
    View y = steps.cast(inputs[0], dtype), dy = steps.cast(inputs[1], dtype), inside;
    if (call.lengths) {
      inside = within(steps, inputs[2], y.layout, axis);
      y = steps.where(inside, y, 0.0);
      dy = steps.where(inside, dy, 0.0);
    }
    View change;
    if (call.op == RONDO_LOG_SOFTMAX) {
      change = steps.binary(RONDO_SUB, dy, steps.binary(RONDO_MUL, steps.unary(RONDO_EXP, y), total(dy)));
      if (call.lengths) change = steps.where(inside, change, 0.0);
    } else {
      change = steps.binary(RONDO_MUL, y, steps.binary(RONDO_SUB, dy, total(steps.binary(RONDO_MUL, y, dy))));
    }
    const double factor = (call.op == RONDO_SOFTMIN ? -1 : 1) / call.temperature;
    outputs[0] = steps.cast(steps.scalar(RONDO_MUL, change, factor), inputs[0].dtype);
  });
}

Status run(const ops::CrossEntropyCall&, Backward& backward) {
  const View &logits = backward.input(0), &labels = backward.input(1);
  const Value& incoming = backward.incoming();
  if (incoming.uniform)
    return backward.give(0, logits.layout, [&](ops::Output& out) {
      return ops::cross_entropy_grad(logits, labels, incoming.number, out);
    });
  OwnedTensor rows;
  {
    ops::Output out(&rows.tensor);
    RONDO_TRY(ops::cross_entropy_grad(logits, labels, 1, out));
  }
  const View dy = per_row(incoming.view, logits.layout);
  return backward.give(0, logits.layout, [&](ops::Output& out) {
    return ops::binary(RONDO_MUL, rows.tensor->view, dy, 0, nullptr, out);
  });
}

// (softmax(logits) - onehot(labels)) scale, zero in the rows of labels outside; what does not depend on logits is left
// out.
Status run(const ops::CrossEntropyGradCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    const View &logits = inputs[0], &labels = inputs[1];
    const View inside = steps.binary(RONDO_LOGICAL_AND, steps.scalar(RONDO_GE, labels, 0),
                                     steps.scalar(RONDO_LT, labels, static_cast<double>(logits.layout.shape[1])));
    const View shares = steps.make([&](ops::Output& out) { return ops::softmax(false, logits, 1, out); });
    const View scaled = steps.scalar(RONDO_MUL, shares, call.scale);
    outputs[0] = steps.status().ok() ? steps.where(per_row(inside, logits.layout), scaled, 0.0) : View{};
  });
}

}  // namespace rondo::tape
