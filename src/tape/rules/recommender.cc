// The gradients of bags of rows, and of products of pairs. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"
#include "ops/movement/shapes.h"
#include "ops/recommender/bags.h"
#include "ops/recommender/interaction.h"
#include "ops/recurrent/cells.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

// Indices and offsets come first, and have no gradient.
unsigned places(bool offsets) {
  return offsets ? 3 : 1;
}

}  // namespace

unsigned flowing(const ops::EmbeddingBagCall& call, unsigned active) {
  return active & ~places(call.offsets);
}

unsigned flowing(const ops::EmbeddingBagGradCall& call, unsigned active) {
  return active & ~places(call.offsets);
}

Needs needed(const ops::EmbeddingBagCall& call) {
  return {places(call.offsets), 0};
}

Needs needed(const ops::EmbeddingBagGradCall& call) {
  return {places(call.offsets), 0};
}

Status run(const ops::EmbeddingBagCall& call, Backward& backward) {
  const Node& node = backward.node();
  const size_t first = *ops::input_of(call, "tables"), tables = node.inputs.size() - first;
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  ops::EmbeddingBagGradCall grad{call.mean, call.offsets, {}, {}};
  std::vector<OwnedTensor> made(tables);
  std::vector<rondo_tensor**> wanted(tables);
  for (size_t i = 0; i < tables; ++i) {
    grad.rows.push_back(node.inputs[first + i].view.layout.shape[0]);
    grad.made.push_back(backward.wants(first + i));
    if (grad.made.back()) wanted[i] = &made[i].tensor;
  }
  RONDO_TRY(ops::embedding_bag_grad(backward.input(0), call.offsets ? &backward.input(1) : nullptr, dy, grad, wanted));
  for (size_t i = 0; i < tables; ++i)
    if (made[i].tensor)
      RONDO_TRY(backward.pass(first + i, made[i].tensor->view.layout, Value::of(made[i].tensor->view)));
  return {};
}

// Linear: its gradient is a look-up in the gradients of the tables' gradients, zeros where there are none.
Status run(const ops::EmbeddingBagGradCall& call, Backward& backward) {
  const size_t last = *ops::input_of(call, "dy");
  const Layout& sums = backward.node().inputs[last].view.layout;
  GradientBuilder steps(backward.engine());
  Device& device = *backward.node().outputs[0].device;
  const View zero = steps.number(device, backward.node().outputs[0].view.dtype, 0);
  RONDO_TRY(steps.status());
  std::vector<View> tables(call.rows.size());
  for (size_t i = 0, output = 0; i < tables.size(); ++i) {
    const int64_t shape[] = {call.rows[i], sums.shape[2]};
    const Layout layout = Layout::row_major(2, shape);
    if (layout.elements() == 0) {
      const rondo_tensor* const empty = steps.filled(device, zero.dtype, layout, 0);
      RONDO_TRY(steps.status());
      tables[i] = empty->view;
    } else if (call.made[i] && backward.has_incoming(output)) {
      RONDO_TRY(backward.incoming_view(&tables[i], output));
    } else {
      tables[i] = under(zero, layout);
    }
    output += call.made[i];
  }
  return backward.give(last, sums, [&](ops::Output& out) {
    return ops::embedding_bag({tables, &backward.input(0), call.offsets ? &backward.input(1) : nullptr,
                               call.mean ? RONDO_BAG_MEAN : RONDO_BAG_SUM},
                              out);
  });
}

Status run(const ops::DotInteractionCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  return backward.give(0, backward.node().inputs[0].view.layout, [&](ops::Output& out) {
    return ops::dot_interaction_grad(backward.input(0), dy, call.keep_first, out);
  });
}

// A gradient that came in for a pair is that of both of its vectors: as a matrix of vectors by vectors, with zeros
// where a vector meets itself, it is multiplied with them. The one that came in for the first vector stands in front.
Status run(const ops::DotInteractionGradCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    const View& given = inputs[0];
    const int64_t batch = given.layout.shape[0], vectors = given.layout.shape[1], width = given.layout.shape[2];
    const int64_t kept = call.keep_first ? width : 0, pairs = inputs[1].layout.shape[1] - kept;
    const rondo_dtype dtype = compute_dtype(given.dtype);
    const View x = steps.cast(given, dtype), dy = steps.cast(inputs[1], dtype);
    const int64_t column[] = {vectors, 1}, line[] = {1, vectors}, all[] = {vectors * vectors}, one[] = {batch, 1},
                  matrix[] = {batch, vectors, vectors};
    const View places = steps.places(given.device(), vectors);
    const View i = steps.reshape(places, Layout::row_major(2, column)),
               j = steps.reshape(places, Layout::row_major(2, line));
    const View larger = steps.binary(RONDO_MAXIMUM, i, j), smaller = steps.binary(RONDO_MINIMUM, i, j);
    const View before =
        steps.whole(RONDO_FLOOR_DIV, steps.binary(RONDO_MUL, larger, steps.whole(RONDO_SUB, larger, 1)), 2);
    const View number =
        steps.where(steps.binary(RONDO_EQ, i, j), static_cast<double>(pairs), steps.binary(RONDO_ADD, before, smaller));
    if (!steps.status().ok()) return;
    const rondo_tensor* const zeros = steps.filled(given.device(), dtype, Layout::row_major(2, one), 0);
    if (!zeros) return;
    const View of_pairs = ops::columns(dy, kept, pairs);
    const View* const joined[] = {&of_pairs, &zeros->view};
    const View numbered = steps.make([&](ops::Output& out) { return ops::concat(joined, 1, out); });
    const View places_of_all = steps.reshape(number, Layout::row_major(1, all));
    const View flat = steps.make([&](ops::Output& out) { return ops::take(numbered, places_of_all, 1, out); });
    const View met = steps.reshape(flat, Layout::row_major(3, matrix));
    View change = steps.make([&](ops::Output& out) { return ops::matmul(met, x, {}, out); });
    if (call.keep_first && steps.status().ok()) {
      View first = ops::columns(dy, 0, width);
      first.layout.ndim = 3;
      first.layout.shape[2] = width;
      first.layout.strides[2] = first.layout.strides[1];
      first.layout.shape[1] = 1;
      first.layout.strides[1] = 0;
      const int64_t widths[] = {0, 0, 0, vectors - 1, 0, 0};
      const View spread =
          steps.make([&](ops::Output& out) { return ops::pad(first, RONDO_PAD_CONSTANT, 6, widths, 0, out); });
      change = steps.binary(RONDO_ADD, change, spread);
    }
    outputs[0] = steps.cast(change, given.dtype);
  });
}

}  // namespace rondo::tape
