// Declares the internals of recurrent layers: operators that submit, for each direction of each layer, one product of
// all inputs, and then for each step a product of the states and one elementwise task with all of the gates (cells.h).
//
// Steps are tasks of the engine, not loops inside of one: so each runs as products and expressions run everywhere, the
// directions of a layer are branches of a graph, and nothing has to be written twice for the devices.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "ops/ops.h"
#include "ops/program/infer.h"
#include "ops/program/kinds.h"

namespace rondo::ops {

// The operands that there may be besides inputs and weights.
struct RecurrentExtras {
  const View *lengths = nullptr, *first_h = nullptr, *first_c = nullptr;
};
struct RecurrentInputs {
  View x;
  std::vector<View> weights;
  RecurrentExtras extras;
};

// As for rondo_lstm. last_h, last_c: where the last states go, or null. form.biased is found here. left: row-major
// tensors for what the layers leave, in the order of the row; else they are made.
Status recurrent(RecurrentForm form, const RecurrentInputs& in, Output& out, Output* last_h, Output* last_c,
                 std::span<const View> left = {});

// The values that one direction of a layer left for its gradient, by steps; of the states before and after each step
// there is one more, in the order of time.
struct RecurrentDirection {
  View gates;   // [steps, batch, gates * hidden], as computed
  View states;  // [steps + 1, batch, hidden], in x's dtype
  View exact;   // of a GRU: the same as computed
  View cells;   // of an LSTM: as computed
  View inner;   // of a GRU: [steps, batch, hidden], the states' part of n before the reset gate, as computed
};
struct RecurrentLayer {
  RecurrentDirection direction[2];
  View out;  // its result, of all but the last
};

// The gradients by those of the results; last_h, last_c: null where none came. Those that are wanted are made.
struct RecurrentChanges {
  View out;
  const View *last_h = nullptr, *last_c = nullptr;
  bool first_h = false, first_c = false;  // given: among what the layers left
};
struct RecurrentGradients {
  rondo_tensor** x = nullptr;
  rondo_tensor** first_h = nullptr;
  rondo_tensor** first_c = nullptr;
  std::vector<rondo_tensor**> weights;  // null: not wanted
};
// first_h and first_c of in are not looked at; x has steps first, out too.
Status recurrent_grad(const RecurrentForm& form, const RecurrentInputs& in, const std::vector<RecurrentLayer>& layers,
                      const RecurrentChanges& changes, const RecurrentGradients& wanted);

// The operands of the kind. First states and cells are those of all steps, for each direction of each layer. left: what
// the layers left, empty for tapes, which make it anew.
struct RecurrentGradOperands {
  RecurrentInputs in;
  InputTypes first_h, first_c, left;
};
Status split_operands(const RecurrentGradCall& call, InputTypes inputs, RecurrentGradOperands* operands);

inline int directions_of(const RecurrentForm& form) {
  return form.bidirectional ? 2 : 1;
}
inline int gates_of(RecurrentKind kind) {
  return kind == RecurrentKind::lstm ? 4 : kind == RecurrentKind::gru ? 3 : 1;
}
// Weights of a direction.
inline int weights_of(const RecurrentForm& form) {
  return form.biased ? 4 : 2;
}
// The views that a direction has left, in the order in which a task lists them.
template <class Direction, class Each>
void each_view(const RecurrentForm& form, bool half, Direction& of, const Each& each) {
  each(of.gates);
  each(of.states);
  if (form.kind == RecurrentKind::gru && half) each(of.exact);
  if (form.kind == RecurrentKind::lstm) each(of.cells);
  if (form.kind == RecurrentKind::gru) each(of.inner);
}
// All that layers leave.
template <class Layers, class Each>
void each_left(const RecurrentForm& form, bool half, Layers& layers, const Each& each) {
  for (auto& layer : layers) {
    for (int d = 0; d < directions_of(form); ++d) each_view(form, half, layer.direction[d], each);
    if (&layer != &layers.back()) each(layer.out);
  }
}
// The same as a kind's inputs or results have it: the types that there have to be, of layers that were checked.
struct RecurrentSizes {
  int64_t steps, batch, hidden;
};
std::vector<ResultType> types_left(const RecurrentForm& form, rondo_dtype dtype, const RecurrentSizes& sizes);
// Checks x, the weights and what else there may be. Finds form->biased.
Status check_recurrent(RecurrentForm* form, const RecurrentInputs& in, RecurrentSizes* sizes);

}  // namespace rondo::ops
