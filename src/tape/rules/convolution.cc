// Gradients of out = activation(convolution(x, w) scale + bias + residual): of x and w they are convolutions again, and
// so are theirs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution.h"
#include "ops/ops.h"
#include "tape/rules/activation.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

enum { X, W };

// The place of each optional input; kNone: it is not there.
struct Places {
  explicit Places(const ops::ConvolutionCall& call)
      : scale(ops::input_of(call, "scale").value_or(kNone)),
        bias(ops::input_of(call, "bias").value_or(kNone)),
        residual(ops::input_of(call, "residual").value_or(kNone)) {}
  static constexpr size_t kNone = 31;
  size_t scale, bias, residual;
};

bool has(unsigned inputs, size_t input) {
  return (inputs >> input) & 1;
}

// The operator again, as far as the sum, or as far as the activation.
Status again(const ops::ConvolutionCall& call, Backward& backward, bool finished, OwnedTensor* result) {
  const Places at(call);
  ops::ConvolutionOptions options = call.options;
  options.activation = RONDO_ACTIVATION_NONE;
  ops::ConvolutionEpilogue epilogue;
  if (finished) {
    if (call.scale) epilogue.scale = &backward.input(at.scale);
    if (call.bias) epilogue.bias = &backward.input(at.bias);
    if (call.residual) epilogue.residual = &backward.input(at.residual);
  }
  ops::Output to(&result->tensor);
  return ops::convolution(backward.input(X), backward.input(W), options, epilogue, to);
}

// One number per channel under the shape of an image.
View per_channel(const View& view, const Layout& shape) {
  View wide = view;
  wide.layout = shape;
  for (int d = 0; d < shape.ndim; ++d) wide.layout.strides[d] = d == 1 ? view.layout.strides[0] : 0;
  return wide;
}

// The gradient of an input with one number per channel: the sum over everything else.
Status give_channels(Backward& backward, size_t input, const View& changes) {
  int32_t axes[kMaxDims] = {0};
  for (int d = 2; d < changes.layout.ndim; ++d) axes[d - 1] = d;
  return backward.give(input, backward.node().inputs[input].view.layout, [&](ops::Output& out) {
    return ops::reduce(RONDO_SUM, changes, changes.layout.ndim - 1, axes, false, out);
  });
}

Status multiply(const View& a, const View& b, OwnedTensor* product) {
  ops::Output out(&product->tensor);
  return ops::binary(RONDO_MUL, a, b, 0, nullptr, out);
}

}  // namespace

Needs needed(const ops::ConvolutionCall& call, const Node& node, unsigned wanted) {
  const Places at(call);
  Needs needs;
  if (has(wanted, X)) needs.inputs |= 1u << W;
  if (has(wanted, W)) needs.inputs |= 1u << X;
  if (call.scale) {
    if (wanted & 3u) needs.inputs |= 1u << at.scale;
    if (has(wanted, at.scale)) needs.inputs |= 3u;
  }
  if (call.options.activation == RONDO_ACTIVATION_NONE) return needs;
  if (tells_from_result(call.options.activation, node))
    needs.outputs |= 1;
  else
    needs.inputs |= (1u << node.inputs.size()) - 1;
  return needs;
}

Status run(const ops::ConvolutionCall& call, Backward& backward) {
  const Places at(call);
  const Node& node = backward.node();
  View dz;
  OwnedTensor changed, scaled;
  // A gradient that is only passed on may be one number for all elements.
  if (call.options.activation != RONDO_ACTIVATION_NONE ||
      (backward.wanted() & ~(call.residual ? 1u << at.residual : 0u)))
    RONDO_TRY(backward.incoming_view(&dz));
  if (call.options.activation != RONDO_ACTIVATION_NONE) {
    const View dy = dz;
    RONDO_TRY(before_activation(
        call.options.activation, backward, dy, [&](OwnedTensor* z) { return again(call, backward, true, z); },
        &changed));
    dz = changed.tensor->view;
  }
  if (call.bias && backward.wants(at.bias)) RONDO_TRY(give_channels(backward, at.bias, dz));
  const View passed = dz;
  if (call.scale) {
    if (backward.wants(at.scale)) {
      OwnedTensor sum, product;
      RONDO_TRY(again(call, backward, false, &sum));
      RONDO_TRY(multiply(sum.tensor->view, dz, &product));
      RONDO_TRY(give_channels(backward, at.scale, product.tensor->view));
    }
    if (backward.wants(X) || backward.wants(W)) {
      const View sums = dz;
      RONDO_TRY(multiply(sums, per_channel(backward.input(at.scale), sums.layout), &scaled));
      dz = scaled.tensor->view;
    }
  }
  const Layout &of_x = node.inputs[X].view.layout, &of_w = node.inputs[W].view.layout;
  ops::ConvolutionOptions plain = call.options;
  plain.activation = RONDO_ACTIVATION_NONE;
  const auto give_w = [&](ops::Output& out) {
    return ops::convolution_filter_grad(backward.input(X), dz, of_x.ndim - 2, of_w.shape + 2, plain, out);
  };
  if (backward.wants(X) && backward.wants(W) && node.inputs[X].number != node.inputs[W].number) {
    RONDO_TRY(backward.give(X, of_x, [&](ops::Output& dx) {
      return backward.give(W, of_w, [&](ops::Output& dw) {
        return ops::convolution_gradients(backward.input(X), backward.input(W), dz, plain, dx, dw);
      });
    }));
  } else {
    if (backward.wants(X))
      RONDO_TRY(backward.give(X, of_x, [&](ops::Output& out) {
        return ops::convolution(dz, backward.input(W), ops::reversed(plain, of_x, of_w, dz.layout), {}, out);
      }));
    if (backward.wants(W)) RONDO_TRY(backward.give(W, of_w, give_w));
  }
  // Last: where the residual is x, its gradient may become this memory, which is read until here.
  if (!call.residual || !backward.wants(at.residual)) return {};
  return backward.pass(at.residual, node.outputs[0].view.layout,
                       changed.tensor ? Value::of(passed) : backward.incoming());
}

// The gradient of the filter is linear in the image and in the result's gradient: its own are a convolution of the one
// or of the other with what came in.
Needs needed(const ops::ConvolutionFilterGradCall&, unsigned wanted) {
  return {(has(wanted, 0) ? 2u : 0u) | (has(wanted, 1) ? 1u : 0u), 0};
}

Status run(const ops::ConvolutionFilterGradCall& call, Backward& backward) {
  View dw;
  RONDO_TRY(backward.incoming_view(&dw));
  const Layout &of_x = backward.node().inputs[0].view.layout, &of_dy = backward.node().inputs[1].view.layout;
  if (backward.wants(0))
    RONDO_TRY(backward.give(0, of_x, [&](ops::Output& out) {
      return ops::convolution(backward.input(1), dw, ops::reversed(call.options, of_x, dw.layout, of_dy), {}, out);
    }));
  if (!backward.wants(1)) return {};
  return backward.give(
      1, of_dy, [&](ops::Output& out) { return ops::convolution(backward.input(0), dw, call.options, {}, out); });
}

}  // namespace rondo::tape
