// The gradient of recurrent layers' gradients. Its formula is the layers, step by step, made of products and
// elementwise operators, of which steps make the gradients.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/shapes.h"
#include "ops/recurrent/cells.h"
#include "ops/recurrent/recurrent.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

using ops::at;
using ops::columns;

class RecurrentFormula {
 public:
  RecurrentFormula(GradientBuilder& steps, const ops::RecurrentGradCall& call, std::span<const View> in)
      : steps_(steps),
        form_(call.form),
        call_(call),
        dtype_(compute_dtype(in[0].dtype)),
        given_(in[0].dtype),
        directions_(static_cast<size_t>(ops::directions_of(call.form))),
        lines_(static_cast<size_t>(call.form.layers) * directions_),
        time_(in[0].layout.shape[0]),
        batch_(in[0].layout.shape[1]) {
    const auto of = [&call](const char* name) { return ops::input_of(call, name).value_or(0); };
    const size_t of_h = of("change_h"), of_c = of("change_c");
    if (call.lengths) lengths_ = in[of("lengths")];
    size_t next = of("states_and_weights");
    sources_.push_back(steps.copy(in[0], dtype_));
    for (const bool given : {call.first_h, call.first_c})
      for (size_t line = 0; given && line < lines_; ++line)
        sources_.push_back(steps.copy(at(in[next++], line % directions_ == 0 ? 0 : time_), dtype_));
    weights_ = sources_.size();
    for (; next < in.size(); ++next) sources_.push_back(steps.copy(in[next], dtype_));
    changes_.push_back(steps.cast(in[1], dtype_));
    for (const size_t each : {of_h, of_c})
      if (each) changes_.push_back(steps.cast(in[each], dtype_));
    hidden_ = in.back().layout.shape[0] / ops::gates_of(form_.kind);
  }

  void run(std::span<View> outputs) {
    if (!steps_.status().ok()) return;
    const std::vector<View> made = steps_.gradients(sources_, changes_, [&] { return results(); });
    size_t next = 0;
    if (call_.wants_x) outputs[next++] = steps_.cast(made[0], given_);
    const size_t cells = 1 + (call_.first_h ? lines_ : 0);
    if (call_.wants_h) outputs[next++] = steps_.cast(stacked({&made[1], lines_}), given_);
    if (call_.wants_c) outputs[next++] = steps_.cast(stacked({&made[cells], lines_}), given_);
    for (size_t i = 0; i < call_.wanted.size(); ++i)
      if (call_.wanted[i]) outputs[next++] = steps_.cast(made[weights_ + i], given_);
  }

 private:
  View stacked(std::span<const View> parts) {
    std::vector<const View*> views;
    for (const View& each : parts) views.push_back(&each);
    return steps_.make([&](ops::Output& out) { return ops::stack(views, 0, out); });
  }
  View product(const View& rows, const View& weight) {
    ops::MatmulOptions options;
    options.transpose_b = true;
    return steps_.make([&](ops::Output& out) { return ops::matmul(rows, weight, options, out); });
  }
  View add(const View& a, const View& b) { return steps_.binary(RONDO_ADD, a, b); }
  View multiply(const View& a, const View& b) { return steps_.binary(RONDO_MUL, a, b); }
  View sigmoid(const View& a) { return steps_.unary(RONDO_SIGMOID, a); }
  View tanh(const View& a) { return steps_.unary(RONDO_TANH, a); }
  View first(bool cells, size_t line) {
    if (cells ? call_.first_c : call_.first_h) return sources_[1 + (cells && call_.first_h ? lines_ : 0) + line];
    const int64_t shape[] = {batch_, hidden_};
    const rondo_tensor* const zeros = steps_.filled(sources_[0].device(), dtype_, Layout::row_major(2, shape), 0);
    return zeros ? zeros->view : View{};
  }
  // [batch, 1]: which sequences have this step.
  View active(int64_t step) {
    View column = lengths_;
    column.layout.ndim = 2;
    column.layout.shape[1] = 1;
    column.layout.strides[1] = 0;
    return steps_.whole(RONDO_GT, column, step);
  }

  // A step's state, and its cell. of_inputs, of_states: the sums of all gates.
  View step(const View& of_inputs, const View& of_states, const View& state, View* cell) {
    const auto part = [&](const View& sums, int gate) { return columns(sums, gate * hidden_, hidden_); };
    const auto sum = [&](int gate) { return add(part(of_inputs, gate), part(of_states, gate)); };
    if (form_.kind == ops::RecurrentKind::lstm) {
      const View i = sigmoid(sum(0)), f = sigmoid(sum(1)), g = tanh(sum(2)), o = sigmoid(sum(3));
      *cell = add(multiply(f, *cell), multiply(i, g));
      return multiply(o, tanh(*cell));
    }
    if (form_.kind == ops::RecurrentKind::gru) {
      const View r = sigmoid(sum(0)), z = sigmoid(sum(1));
      const View n = tanh(add(part(of_inputs, 2), multiply(r, part(of_states, 2))));
      return add(n, multiply(z, steps_.binary(RONDO_SUB, state, n)));
    }
    return form_.relu ? steps_.unary(RONDO_RELU, sum(0)) : tanh(sum(0));
  }
  // One direction of a layer: the results of its steps, [steps, batch, hidden].
  View direction(const View& inputs, size_t line, View* state, View* cell) {
    const View* const weights = &sources_[weights_ + line * static_cast<size_t>(ops::weights_of(form_))];
    View of_inputs = product(inputs, weights[0]);
    if (form_.biased) of_inputs = add(of_inputs, weights[2]);
    std::vector<View> results(static_cast<size_t>(time_));
    const bool back = line % directions_ != 0, lstm = form_.kind == ops::RecurrentKind::lstm;
    *state = first(false, line);
    if (lstm) *cell = first(true, line);
    for (int64_t i = 0; i < time_ && steps_.status().ok(); ++i) {
      const int64_t t = back ? time_ - 1 - i : i;
      View of_states = product(*state, weights[1]);
      if (form_.biased) of_states = add(of_states, weights[3]);
      if (!steps_.status().ok()) break;
      const View cell_before = *cell;
      const View made = step(at(of_inputs, t), of_states, *state, cell);
      if (lengths_.storage) {
        const View there = active(t);
        results[static_cast<size_t>(t)] = steps_.where(there, made, 0.0);
        *state = steps_.where(there, made, *state);
        if (lstm) *cell = steps_.where(there, *cell, cell_before);
      } else {
        results[static_cast<size_t>(t)] = *state = made;
      }
    }
    return steps_.status().ok() ? stacked(results) : View{};
  }
  // The results, and of last states and cells those for which something came in.
  std::vector<View> results() {
    std::vector<View> states(lines_), cells(lines_);
    View inputs = sources_[0];
    for (size_t line = 0; line < lines_; line += directions_) {
      const View forward = direction(inputs, line, &states[line], &cells[line]);
      View both = forward;
      if (directions_ == 2) {
        const View back = direction(inputs, line + 1, &states[line + 1], &cells[line + 1]);
        const View* const sides[] = {&forward, &back};
        both = steps_.make([&](ops::Output& out) { return ops::concat(sides, 2, out); });
      }
      inputs = both;
      if (!steps_.status().ok()) return {};
    }
    std::vector<View> made = {inputs};
    if (call_.change_h) made.push_back(stacked(states));
    if (call_.change_c) made.push_back(stacked(cells));
    return made;
  }

  GradientBuilder& steps_;
  const ops::RecurrentForm& form_;
  const ops::RecurrentGradCall& call_;
  const rondo_dtype dtype_, given_;
  const size_t directions_, lines_;
  const int64_t time_, batch_;
  int64_t hidden_ = 0;
  View lengths_;               // without storage: there are none
  std::vector<View> sources_;  // x, first states, first cells, weights
  size_t weights_ = 0;         // where they begin there
  std::vector<View> changes_;
};

}  // namespace

// Lengths are constants.
unsigned flowing(const ops::RecurrentGradCall& call, unsigned active) {
  const std::optional<size_t> lengths = ops::input_of(call, "lengths");
  return lengths ? active & ~operand_bit(*lengths) : active;
}

Status run(const ops::RecurrentGradCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    RecurrentFormula(steps, call, inputs).run(outputs);
  });
}

}  // namespace rondo::tape
