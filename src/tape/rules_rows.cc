// Gradients of softmaxes and of cross-entropy, and gradients of those.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/rules_rows.h"

#include "engine/views.h"
#include "ops/operators/scalar.h"
#include "ops/task/submit.h"

namespace rondo::tape {

namespace {

using ops::Expression;
using ops::Op;
using Word = uint64_t;

// A temporary that an operator makes.
template <class MakeIt>
Status make(Slot* slot, const MakeIt& make_it) {
  ops::Output out(kFunction, &slot->tensor);
  return make_it(out);
}

// out = s y (dy - sum(y dy)): for a change g of out, s y (g - sum(y g)) for dy, and s (g dy - g sum(y dy) - dy sum(y
// g)) for y.
Status run_softmax_grad(const ops::SoftmaxGradCall& call, double scale, Backward& backward) {
  const View &y = backward.input(0), &dy = backward.input(1);
  View g;
  RONDO_TRY(backward.incoming_view(&g));
  if (backward.wants(1))
    RONDO_TRY(backward.give(1, y.layout, [&](ops::Output& out) {
      return ops::softmax_grad(kFunction, options_of(call, backward, 2), y, g, call.axis, out);
    }));
  if (!backward.wants(0)) return {};
  const int32_t axis = call.axis;
  const auto dot = [&](const View& with, Slot* sum) {
    Slot product;
    RONDO_TRY(
        make(&product, [&](ops::Output& out) { return ops::binary(kFunction, RONDO_MUL, y, with, 0, nullptr, out); }));
    return make(sum,
                [&](ops::Output& out) { return ops::reduce(RONDO_SUM, product.tensor->view, 1, &axis, true, out); });
  };
  Slot s, t;
  RONDO_TRY(dot(dy, &s));
  RONDO_TRY(dot(g, &t));
  Expression e;
  ops::Value in[4];
  for (ops::Value& value : in) value = e.input(y.dtype);  // g, dy, s, t
  const ops::Value factor = e.scalar(compute_dtype(y.dtype));
  const ops::Value first = e.apply(Op::mul, in[0], e.apply(Op::sub, in[1], in[2]));
  const ops::Value change = e.apply(Op::sub, first, e.apply(Op::mul, in[1], in[3]));
  e.output(e.apply(Op::mul, change, factor), y.dtype, false);
  const View along_s = under(s.tensor->view, y.layout), along_t = under(t.tensor->view, y.layout);
  const View* operands[] = {&g, &dy, &along_s, &along_t};
  const Word word = ops::float_word(compute_dtype(y.dtype), scale);
  const size_t input = 0;
  return backward.give_all("softmax_grad_grad", e, operands, &word, {&input, 1});
}

// out = s (dy - exp(y) sum(dy)): s (g - sum(exp(y) g)) for dy, and -s g exp(y) sum(dy) for y.
Status run_log_softmax_grad(const ops::SoftmaxGradCall& call, double scale, Backward& backward) {
  const View &y = backward.input(0), &dy = backward.input(1);
  View g;
  RONDO_TRY(backward.incoming_view(&g));
  const int32_t axis = call.axis;
  Slot shares, product, dot, sum;
  RONDO_TRY(make(&shares, [&](ops::Output& out) { return ops::unary(kFunction, RONDO_EXP, y, 0, nullptr, out); }));
  RONDO_TRY(make(&product, [&](ops::Output& out) {
    return ops::binary(kFunction, RONDO_MUL, shares.tensor->view, g, 0, nullptr, out);
  }));
  const auto total = [&](const View& of, Slot* to) {
    return make(to, [&](ops::Output& out) { return ops::reduce(RONDO_SUM, of, 1, &axis, true, out); });
  };
  RONDO_TRY(total(product.tensor->view, &dot));
  RONDO_TRY(total(dy, &sum));
  const auto scaled = [&](rondo_binary_op op, const View& a, const View& b, double factor) {
    return [&, op, factor](ops::Output& out) {
      Slot value;
      RONDO_TRY(make(&value, [&](ops::Output& to) { return ops::binary(kFunction, op, a, b, 0, nullptr, to); }));
      return ops::binary_scalar(kFunction, RONDO_MUL, value.tensor->view, ops::Scalar::of(factor), false, out);
    };
  };
  if (backward.wants(1)) RONDO_TRY(backward.give(1, y.layout, scaled(RONDO_SUB, g, dot.tensor->view, scale)));
  if (!backward.wants(0)) return {};
  return backward.give(0, y.layout, scaled(RONDO_MUL, product.tensor->view, sum.tensor->view, -scale));
}

// One number per row, under a row's shape.
View per_row(const View& view, const Layout& shape) {
  View column = view;
  column.layout.ndim = 2;
  column.layout.shape[1] = 1;
  column.layout.strides[1] = 0;
  return under(column, shape);
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
  Slot again;
  View y, dy;
  RONDO_TRY(backward.incoming_view(&dy));
  RONDO_TRY(result_of(backward, &again, &y));
  return backward.give(0, y.layout, [&](ops::Output& out) {
    return ops::softmax_grad(kFunction, options_of(call, backward, 1), y, dy, call.axis, out);
  });
}

Status run(const ops::SoftmaxGradCall& call, Backward& backward) {
  if (call.lengths) return error(RONDO_UNSUPPORTED, "of rows with lengths there is no second gradient");
  const double scale = (call.op == RONDO_SOFTMIN ? -1 : 1) / call.temperature;
  return call.op == RONDO_LOG_SOFTMAX ? run_log_softmax_grad(call, scale, backward)
                                      : run_softmax_grad(call, scale, backward);
}

Status run(const ops::CrossEntropyCall&, Backward& backward) {
  const View &logits = backward.input(0), &labels = backward.input(1);
  const Value& incoming = backward.incoming();
  if (incoming.uniform)
    return backward.give(0, logits.layout, [&](ops::Output& out) {
      return ops::cross_entropy_grad(logits, labels, incoming.number, out);
    });
  Slot rows;
  {
    ops::Output out(kFunction, &rows.tensor);
    RONDO_TRY(ops::cross_entropy_grad(logits, labels, 1, out));
  }
  const View dy = per_row(incoming.view, logits.layout);
  return backward.give(0, logits.layout, [&](ops::Output& out) {
    return ops::binary(kFunction, RONDO_MUL, rows.tensor->view, dy, 0, nullptr, out);
  });
}

// out = (softmax(logits) - onehot(labels)) scale, zero in the rows of labels outside.
Status run(const ops::CrossEntropyGradCall& call, Backward& backward) {
  const View &logits = backward.input(0), &labels = backward.input(1);
  View g;
  RONDO_TRY(backward.incoming_view(&g));
  Slot low, high, inside, scale, chosen, softmax;
  RONDO_TRY(make(&low, [&](ops::Output& out) {
    return ops::binary_scalar(kFunction, RONDO_GE, labels, ops::Scalar::of_i64(0), false, out);
  }));
  RONDO_TRY(make(&high, [&](ops::Output& out) {
    return ops::binary_scalar(kFunction, RONDO_LT, labels, ops::Scalar::of_i64(logits.layout.shape[1]), false, out);
  }));
  RONDO_TRY(make(&inside, [&](ops::Output& out) {
    return ops::binary(kFunction, RONDO_LOGICAL_AND, low.tensor->view, high.tensor->view, 0, nullptr, out);
  }));
  RONDO_TRY(make(&scale, [&](ops::Output& out) { return ops::cast(inside.tensor->view, logits.dtype, out); }));
  RONDO_TRY(make(&chosen, [&](ops::Output& out) {
    return ops::binary(kFunction, RONDO_MUL, g, per_row(scale.tensor->view, logits.layout), 0, nullptr, out);
  }));
  Slot scaled;
  RONDO_TRY(make(&scaled, [&](ops::Output& out) {
    return ops::binary_scalar(kFunction, RONDO_MUL, chosen.tensor->view, ops::Scalar::of(call.scale), false, out);
  }));
  RONDO_TRY(make(&softmax, [&](ops::Output& out) { return ops::softmax(kFunction, false, logits, 1, out); }));
  return backward.give(0, logits.layout, [&](ops::Output& out) {
    return ops::softmax_grad(softmax.tensor->view, scaled.tensor->view, 1, out);
  });
}

}  // namespace rondo::tape
