// Translates recurrent layers: as the library's, which are one node of a program, where these compute the same. Steps
// of other variants are written out; the products with the inputs of all steps are one product.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

constexpr int64_t kMostSteps = 2048;

using Activation = Tensor (*)(const Tensor&);

Activation activation_of(const std::string& name) {
  if (name == "Sigmoid") return [](const Tensor& x) { return rondo::sigmoid(x); };
  if (name == "Tanh") return [](const Tensor& x) { return rondo::tanh(x); };
  if (name == "Relu") return [](const Tensor& x) { return rondo::relu(x); };
  if (name == "Softsign") return [](const Tensor& x) { return rondo::unary(RONDO_SOFTSIGN, x); };
  if (name == "Softplus") return [](const Tensor& x) { return rondo::unary(RONDO_SOFTPLUS, x); };
  refuse("its activation is " + excerpt(name) + "; Sigmoid, Tanh, Relu, Softsign and Softplus can be converted");
}

// One direction of a layer.
struct Direction {
  Tensor x;               // [steps, batch, gates * hidden]: the inputs' products, with their bias
  Tensor r;               // [gates * hidden, hidden]
  Tensor recurrent_bias;  // [gates * hidden], or empty
  Tensor peepholes;       // [3 * hidden], or empty
  Tensor h, c;            // [batch, hidden]
  std::vector<Activation> activations;
  bool backwards = false;
};

struct Layer {
  int64_t steps = 0, batch = 0, hidden = 0, gates = 0;
  std::vector<Direction> directions;
  Tensor lengths;  // [batch, 1], or empty
  bool batch_first = false;
};

Tensor zeros(const Call& call, const Shape& shape) {
  return call.constant_reals(call.dtype(0), {}, {0}).broadcast(shape);
}

// Activations of all directions, by their names.
std::vector<std::string> names_of_activations(const Call& call, const std::vector<std::string>& usual) {
  const Attribute* const given = call.attribute("activations");
  if (given && !given->texts.empty()) return given->texts;
  std::vector<std::string> names = usual;
  if (call.text("direction", "forward") == "bidirectional") names.insert(names.end(), usual.begin(), usual.end());
  return names;
}

// A layer of the library, on its weights.
using RunWhole = rondo::Recurrent (*)(const Tensor&, const rondo::Tensors&, const rondo_recurrent_options&);

// Gives the node as one layer of the library. order: the gates of ONNX in the order in which the library has them.
// False: it is of a variant that the library does not have, or its shapes do not go together.
bool as_whole(Call& call, const std::vector<int64_t>& order, const std::vector<std::string>& usual, bool relu,
              RunWhole run) {
  const std::string direction = call.text("direction", "forward");
  const bool both = direction == "bidirectional", reverse = direction == "reverse", cell = order.size() == 4;
  if (!both && !reverse && direction != "forward") return false;
  for (const char* const each : {"clip", "activation_alpha", "activation_beta"})
    if (call.has_attribute(each)) return false;
  std::vector<std::string> same = usual;
  if (both) same.insert(same.end(), usual.begin(), usual.end());
  if (names_of_activations(call, usual) != same || (cell && call.has(7)) || (reverse && call.has(4))) return false;
  const Shape s = call.shape(0), ws = call.shape(1), rs = call.shape(2);
  const auto gates = static_cast<int64_t>(order.size());
  const int64_t count = both ? 2 : 1;
  if (s.size() != 3 || ws.size() != 3 || ws[0] != count || ws[1] % gates != 0 || ws[2] != s[2]) return false;
  const int64_t hidden = ws[1] / gates, all = gates * hidden;
  const bool batch_first = call.integer("layout", 0) != 0;
  const int64_t steps = s[batch_first ? 1 : 0], batch = s[batch_first ? 0 : 1];
  if (hidden < 1 || steps < 1 || batch < 1 || s[2] < 1 || call.integer("hidden_size", hidden) != hidden ||
      rs != Shape{count, all, hidden} || (call.has(3) && call.shape(3) != Shape{count, 2 * all}) ||
      (call.has(4) && (call.shape(4) != Shape{batch} || call.dtype(4) != RONDO_I32)))
    return false;
  for (const size_t state : {size_t{5}, size_t{6}})
    if (call.has(state) &&
        call.shape(state) != (batch_first ? Shape{batch, count, hidden} : Shape{count, batch, hidden}))
      return false;
  call.session().count_steps(count * steps);

  // Rows of one direction, gate by gate; of constants they are made once.
  const auto part = [&](size_t input, int64_t d, int64_t from, const Shape& shape) {
    const auto make = [&] {
      const Tensor own = call.in(input)
                             .slice(0, d, d + 1)
                             .reshape(shape.size() == 1 ? Shape{call.shape(input)[1]} : Shape{all, shape[1]});
      std::vector<Tensor> parts;
      for (const int64_t gate : order) parts.push_back(own.slice(0, from + gate * hidden, from + (gate + 1) * hidden));
      return parts.size() == 1 ? rondo::copy(parts[0]) : rondo::concat(parts, 0);
    };
    return call.constant(input) && !call.folding() ? call.precomputed(make) : make();
  };
  std::vector<Tensor> weights;
  for (int64_t d = 0; d < count; ++d) {
    weights.push_back(part(1, d, 0, {all, s[2]}));
    weights.push_back(part(2, d, 0, {all, hidden}));
    if (!call.has(3)) continue;
    weights.push_back(part(3, d, 0, {all}));
    weights.push_back(part(3, d, all, {all}));
  }
  rondo_recurrent_options options = rondo::recurrent_defaults();
  options.bidirectional = both ? 1 : 0;
  options.batch_first = batch_first ? 1 : 0;
  options.relu = relu ? 1 : 0;
  const auto time = static_cast<int32_t>(batch_first ? 1 : 0);
  const Tensor x = reverse ? call.in(0).flip({time}) : call.in(0);
  const auto state = [&](size_t input) { return batch_first ? call.in(input).transpose({1, 0, 2}) : call.in(input); };
  const Tensor lengths = call.has(4) ? call.in(4) : Tensor(), first_h = call.has(5) ? state(5) : Tensor(),
               first_c = cell && call.has(6) ? state(6) : Tensor();
  options.lengths = lengths.get();
  options.first_h = first_h.get();
  options.first_c = first_c.get();
  const rondo::Recurrent made = run(x, weights, options);
  if (call.wants(0)) {
    const Tensor out = reverse ? made.out.flip({time}) : made.out;
    if (batch_first)
      call.out(0, out.reshape({batch, steps, count, hidden}));
    else if (both)
      call.out(0, out.reshape({steps, batch, count, hidden}).transpose({0, 2, 1, 3}));
    else
      call.out(0, out.reshape({steps, 1, batch, hidden}));
  }
  const auto last = [&](const Tensor& of) { return batch_first ? of.transpose({1, 0, 2}) : of; };
  if (call.wants(1)) call.out(1, last(made.last_h));
  if (cell && call.wants(2)) call.out(2, last(made.last_c));
  return true;
}

// `state`: which inputs hold first states and peepholes.
Layer read_layer(const Call& call, int64_t gates, size_t activations, const std::vector<std::string>& usual,
                 bool has_cell) {
  Layer layer;
  layer.gates = gates;
  layer.batch_first = call.integer("layout", 0) != 0;
  const Shape s = call.shape(0), ws = call.shape(1);
  if (s.size() != 3 || ws.size() != 3) malformed("its input or its weights have not 3 dimensions");
  layer.steps = s[layer.batch_first ? 1 : 0];
  layer.batch = s[layer.batch_first ? 0 : 1];
  layer.hidden = ws[1] / gates;
  if (call.integer("hidden_size", layer.hidden) != layer.hidden || ws[1] % gates != 0)
    malformed("its hidden size is not that of its weights");
  if (layer.steps > kMostSteps)
    refuse("it has " + std::to_string(layer.steps) + " steps; at most " + std::to_string(kMostSteps) +
           " can be converted");
  if (call.has_attribute("clip")) refuse("it clips its gates");
  if (call.has_attribute("activation_alpha") || call.has_attribute("activation_beta"))
    refuse("its activations have parameters");
  const std::string direction = call.text("direction", "forward");
  const int64_t count = direction == "bidirectional" ? 2 : 1;
  if (ws[0] != count || (count == 1 && direction != "forward" && direction != "reverse"))
    malformed("its direction is " + excerpt(direction));
  const std::vector<std::string> names = names_of_activations(call, usual);
  if (names.size() != activations * static_cast<size_t>(count))
    malformed("it has " + std::to_string(names.size()) + " activations");
  Tensor x = call.in(0);
  if (layer.batch_first) x = x.transpose({1, 0, 2});
  const int64_t all = gates * layer.hidden;
  const auto state = [&](size_t input, int64_t d) {
    if (!call.has(input)) return zeros(call, {layer.batch, layer.hidden});
    const Tensor given = layer.batch_first ? call.in(input).transpose({1, 0, 2}) : call.in(input);
    return given.slice(0, d, d + 1).reshape({layer.batch, layer.hidden});
  };
  for (int64_t d = 0; d < count; ++d) {
    Direction each;
    each.backwards = direction == "reverse" || d == 1;
    rondo_matmul_options options = rondo::matmul_defaults();
    options.transpose_b = 1;
    const Tensor w = call.in(1).slice(0, d, d + 1).reshape({all, ws[2]});
    each.x = rondo::matmul(x.reshape({layer.steps * layer.batch, s[2]}), w, options)
                 .reshape({layer.steps, layer.batch, all});
    each.r = call.in(2).slice(0, d, d + 1).reshape({all, layer.hidden});
    if (call.has(3)) {
      const Tensor bias = call.in(3).slice(0, d, d + 1).reshape({2 * all});
      each.x = each.x + bias.slice(0, 0, all);
      each.recurrent_bias = bias.slice(0, all, 2 * all);
    }
    each.h = state(5, d);
    if (has_cell) each.c = state(6, d);
    if (has_cell && call.has(7)) each.peepholes = call.in(7).slice(0, d, d + 1).reshape({3 * layer.hidden});
    for (size_t i = 0; i < activations; ++i)
      each.activations.push_back(activation_of(names[static_cast<size_t>(d) * activations + i]));
    layer.directions.push_back(std::move(each));
  }
  if (call.has(4)) layer.lengths = call.in(4).reshape({layer.batch, 1});
  return layer;
}

Tensor gate(const Layer& layer, const Tensor& a, int64_t i) {
  return a.slice(-1, i * layer.hidden, (i + 1) * layer.hidden);
}

Tensor recurrent_product(const Tensor& h, const Tensor& r) {
  rondo_matmul_options options = rondo::matmul_defaults();
  options.transpose_b = 1;
  return rondo::matmul(h, r, options);
}

// Runs all steps. `step` takes the direction and the products of one step's inputs, and changes the states.
void run_layer(Call& call, Layer& layer, const std::function<void(Direction&, const Tensor&)>& step) {
  std::vector<Tensor> sequences, last_h, last_c;
  const int64_t nodes_of_step = 1 + 4 * layer.gates;  // it becomes no fewer
  call.session().count_nodes(static_cast<int64_t>(layer.directions.size()) * layer.steps * nodes_of_step);
  for (Direction& d : layer.directions) {
    std::vector<Tensor> outputs(static_cast<size_t>(layer.steps));
    for (int64_t i = 0; i < layer.steps; ++i) {
      const int64_t t = d.backwards ? layer.steps - 1 - i : i;
      const Tensor h = d.h, c = d.c;
      step(d, d.x.slice(0, t, t + 1).reshape({layer.batch, layer.gates * layer.hidden}));
      Tensor output = d.h;
      if (layer.lengths) {
        // A sequence that is over keeps its state, and gives zeros.
        const Tensor alive = rondo::binary(RONDO_GT, layer.lengths, rondo::Number(t));
        output = choose(alive, d.h, zeros(call, {layer.batch, layer.hidden}));
        d.h = choose(alive, d.h, h);
        if (d.c) d.c = choose(alive, d.c, c);
      }
      outputs[static_cast<size_t>(t)] = output;
    }
    sequences.push_back(call.wants(0) && layer.steps > 0 ? rondo::stack(outputs, 0) : Tensor());
    last_h.push_back(d.h);
    if (d.c) last_c.push_back(d.c);
  }
  const auto states = [&](const std::vector<Tensor>& all) { return rondo::stack(all, layer.batch_first ? 1 : 0); };
  if (call.wants(0)) {
    if (layer.steps == 0) refuse("it has no steps");
    const Tensor y = rondo::stack(sequences, 1);  // [steps, directions, batch, hidden]
    call.out(0, layer.batch_first ? y.transpose({2, 0, 1, 3}) : y);
  }
  call.out(1, states(last_h));
  if (!last_c.empty()) call.out(2, states(last_c));
}

}  // namespace

void lstm_node(Call& call) {
  if (call.integer("input_forget", 0) != 0) refuse("its input gate is tied to its forget gate");
  if (as_whole(call, {0, 2, 3, 1}, {"Sigmoid", "Tanh", "Tanh"}, false, rondo::lstm)) return;
  Layer layer = read_layer(call, 4, 3, {"Sigmoid", "Tanh", "Tanh"}, true);
  run_layer(call, layer, [&](Direction& d, const Tensor& x) {
    Tensor all = x + recurrent_product(d.h, d.r);
    if (d.recurrent_bias) all = all + d.recurrent_bias;
    Tensor i = gate(layer, all, 0), o = gate(layer, all, 1), f = gate(layer, all, 2);
    if (d.peepholes) {
      i = i + gate(layer, d.peepholes, 0) * d.c;
      f = f + gate(layer, d.peepholes, 2) * d.c;
    }
    const Tensor c = d.activations[0](f) * d.c + d.activations[0](i) * d.activations[1](gate(layer, all, 3));
    if (d.peepholes) o = o + gate(layer, d.peepholes, 1) * c;
    d.c = c;
    d.h = d.activations[0](o) * d.activations[2](c);
  });
}

void gru_node(Call& call) {
  if (call.integer("linear_before_reset", 0) != 0 && as_whole(call, {1, 0, 2}, {"Sigmoid", "Tanh"}, false, rondo::gru))
    return;
  Layer layer = read_layer(call, 3, 2, {"Sigmoid", "Tanh"}, false);
  const bool after = call.integer("linear_before_reset", 0) != 0;
  run_layer(call, layer, [&](Direction& d, const Tensor& x) {
    const int64_t n = layer.hidden;
    const auto with_bias = [&](const Tensor& a, int64_t from, int64_t to) {
      return d.recurrent_bias ? a + d.recurrent_bias.slice(0, from, to) : a;
    };
    Tensor z, r, candidate;
    if (after) {
      const Tensor all = with_bias(recurrent_product(d.h, d.r), 0, 3 * n);
      z = d.activations[0](gate(layer, x, 0) + gate(layer, all, 0));
      r = d.activations[0](gate(layer, x, 1) + gate(layer, all, 1));
      candidate = d.activations[1](gate(layer, x, 2) + r * gate(layer, all, 2));
    } else {
      const Tensor both = with_bias(recurrent_product(d.h, d.r.slice(0, 0, 2 * n)), 0, 2 * n);
      z = d.activations[0](gate(layer, x, 0) + gate(layer, both, 0));
      r = d.activations[0](gate(layer, x, 1) + gate(layer, both, 1));
      candidate = d.activations[1](gate(layer, x, 2) +
                                   with_bias(recurrent_product(r * d.h, d.r.slice(0, 2 * n, 3 * n)), 2 * n, 3 * n));
    }
    d.h = (rondo::Number(1.0) - z) * candidate + z * d.h;
  });
}

void rnn_node(Call& call) {
  if (as_whole(call, {0}, {"Tanh"}, false, rondo::rnn) || as_whole(call, {0}, {"Relu"}, true, rondo::rnn)) return;
  Layer layer = read_layer(call, 1, 1, {"Tanh"}, false);
  run_layer(call, layer, [&](Direction& d, const Tensor& x) {
    Tensor all = x + recurrent_product(d.h, d.r);
    if (d.recurrent_bias) all = all + d.recurrent_bias;
    d.h = d.activations[0](all);
  });
}

}  // namespace rondo_onnx
