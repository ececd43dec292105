// The gradients of bags of rows, and of products of pairs. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"
#include "ops/recommender/bags.h"
#include "ops/recommender/interaction.h"
#include "tape/rules/kinds.h"
#include "tape/steps.h"

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
  const size_t first = call.offsets ? 2 : 1, tables = node.inputs.size() - first;
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  ops::EmbeddingBagGradCall grad{call.mean, call.offsets, {}, {}};
  std::vector<Slot> made(tables);
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
  const size_t last = call.offsets ? 2 : 1;
  const Layout& sums = backward.node().inputs[last].view.layout;
  Steps steps(backward.engine());
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

}  // namespace rondo::tape
