// The gradient of recurrent layers: of inputs, weights and first states, by what the layers left. Lengths are
// constants.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/recurrent/recurrent.h"
#include "engine/views.h"
#include "ops/recurrent/cells.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

// The place of each operand, of weights that of the first; 0: it is not there.
struct Inputs {
  size_t lengths, first_h, first_c, weights;
  explicit Inputs(const ops::RecurrentCall& call) {
    const auto of = [&call](const char* name) { return ops::input_of(call, name).value_or(0); };
    lengths = of("lengths"), first_h = of("first_h"), first_c = of("first_c"), weights = of("weights");
  }
};
unsigned bit(size_t operand) {
  return operand == 0 ? 0 : operand_bit(operand);
}

// Gradients of this gradient read first states where the layers left them, at the first place of each direction, which
// `outputs` are.
Status add_first(Backward& backward, const ops::RecurrentCall& call, const std::vector<size_t>& outputs,
                 const View& to) {
  const View adds = accumulator_view(to);
  const auto directions = static_cast<size_t>(ops::directions_of(call.form));
  for (size_t line = 0; line < outputs.size(); ++line) {
    if (!backward.has_incoming(outputs[line])) continue;
    View came;
    RONDO_TRY(backward.incoming_view(&came, outputs[line]));
    const int64_t first = line % directions == 0 ? 0 : came.layout.shape[0] - 1;
    RONDO_TRY(ops::copy_elements(ops::at(came, first), ops::at(adds, static_cast<int64_t>(line))));
  }
  return {};
}

}  // namespace

unsigned flowing(const ops::RecurrentCall& call, unsigned active) {
  return active & ~bit(Inputs(call).lengths);
}

// First states are among the states, and results are read by others alone.
Needs needed(const ops::RecurrentCall& call) {
  const Inputs in(call);
  const unsigned results = 1u + call.last_h + call.last_c;
  return {~(bit(in.first_h) | bit(in.first_c)), ~((1u << results) - 1)};
}

Status run(const ops::RecurrentCall& call, Backward& backward) {
  const Node& node = backward.node();
  const Inputs at(call);
  const auto by_steps = [&](View view) {
    if (call.form.batch_first) {
      std::swap(view.layout.shape[0], view.layout.shape[1]);
      std::swap(view.layout.strides[0], view.layout.strides[1]);
    }
    return view;
  };
  ops::RecurrentInputs in;
  in.x = by_steps(backward.input(0));
  if (at.lengths) in.extras.lengths = &backward.input(at.lengths);
  for (size_t i = at.weights; i < node.inputs.size(); ++i) in.weights.push_back(backward.input(i));

  ops::RecurrentChanges changes;
  View of_out, of_h, of_c;
  size_t next = 1;
  RONDO_TRY(backward.incoming_or_zeros(&of_out, 0));
  changes.out = by_steps(of_out);
  changes.first_h = call.first_h;
  changes.first_c = call.first_c;
  for (const bool h : {true, false}) {
    if (!(h ? call.last_h : call.last_c)) continue;
    const size_t output = next++;
    if (!backward.has_incoming(output)) continue;
    RONDO_TRY(backward.incoming_view(h ? &of_h : &of_c, output));
    (h ? changes.last_h : changes.last_c) = h ? &of_h : &of_c;
  }
  std::vector<size_t> of_states, of_cells;  // which output, by directions of layers
  std::vector<ops::RecurrentLayer> layers(static_cast<size_t>(call.form.layers));
  for (ops::RecurrentLayer& layer : layers) {
    for (int d = 0; d < ops::directions_of(call.form); ++d) {
      ops::RecurrentDirection& left = layer.direction[d];
      ops::each_view(call.form, is_half(in.x.dtype), left, [&](View& view) {
        if (&view == &left.states) of_states.push_back(next);
        if (&view == &left.cells) of_cells.push_back(next);
        view = backward.output(next++);
      });
    }
    if (&layer != &layers.back()) layer.out = backward.output(next++);
  }

  std::vector<OwnedTensor> made(node.inputs.size());
  const auto slot = [&](size_t input) { return backward.wants(input) ? &made[input].tensor : nullptr; };
  ops::RecurrentGradients wanted;
  wanted.x = slot(0);
  if (at.first_h) wanted.first_h = slot(at.first_h);
  if (at.first_c) wanted.first_c = slot(at.first_c);
  for (size_t i = at.weights; i < node.inputs.size(); ++i) wanted.weights.push_back(slot(i));
  RONDO_TRY(ops::recurrent_grad(call.form, in, layers, changes, wanted));
  if (wanted.first_h) RONDO_TRY(add_first(backward, call, of_states, (*wanted.first_h)->view));
  if (wanted.first_c) RONDO_TRY(add_first(backward, call, of_cells, (*wanted.first_c)->view));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!made[i].tensor) continue;
    const View gradient = i == 0 ? by_steps(made[i].tensor->view) : made[i].tensor->view;
    RONDO_TRY(backward.pass(i, gradient.layout, Value::of(gradient)));
  }
  return {};
}

}  // namespace rondo::tape
