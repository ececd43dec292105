// Runs the elementwise part of a recurrent step, or of its gradient, as one expression.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/recurrent/cells.h"

#include "ops/elementwise/elementwise_task.h"
#include "ops/operators/formula.h"
#include "ops/task/submit.h"

namespace rondo::ops {

using formula::V;

View at(const View& view, int64_t place) {
  View part = view;
  part.offset += place * view.layout.strides[0] * static_cast<int64_t>(dtype_size(view.dtype));
  part.layout.ndim = view.layout.ndim - 1;
  for (int d = 0; d < part.layout.ndim; ++d) {
    part.layout.shape[d] = view.layout.shape[d + 1];
    part.layout.strides[d] = view.layout.strides[d + 1];
  }
  return part;
}

View columns(const View& view, int64_t first, int64_t count) {
  View part = view;
  const int last = view.layout.ndim - 1;
  part.offset += first * view.layout.strides[last] * static_cast<int64_t>(dtype_size(view.dtype));
  part.layout.shape[last] = count;
  return part;
}

Scratch::Scratch(const View& like, rondo_dtype dtype, std::initializer_list<int64_t> shape) {
  handle.tensor = make_tensor(like.engine(), like.device(), dtype,
                              Layout::row_major(static_cast<int>(shape.size()), shape.begin()));
  view = handle.tensor->view;
}

namespace {

// An expression with its operands.
class CellKernel {
 public:
  CellKernel(const char* name, rondo_dtype dtype, const Layout& shape)
      : name_(name), shape_(shape), builder_{made_, dtype} {}
  // In the dtype of the computation, spread over the shape.
  V input(const View& view) {
    Expression& e = made_.expression;
    inputs_.push_back(view);
    inputs_.back().layout = broadcast_layout(view.layout, shape_);
    return {builder_, e.cast(e.input(view.dtype), builder_.dtype)};
  }
  void output(const V& value, const View& view) {
    outputs_.push_back(view);
    made_.expression.output(builder_.value(value), view.dtype, false);
  }
  // Computes whether a sequence has this step. Asked before anything that has constants.
  V active(const CellPlaces& at) {
    Expression& e = made_.expression;
    View lengths = *at.lengths;
    lengths.layout.ndim = 2;
    lengths.layout.shape[1] = 1;
    lengths.layout.strides[1] = 0;
    inputs_.push_back(lengths);
    inputs_.back().layout = broadcast_layout(lengths.layout, shape_);
    const Value length = e.input(RONDO_I32), step = e.scalar(RONDO_I32);
    int32_t number = static_cast<int32_t>(at.step);
    std::memcpy(words_, &number, sizeof number);
    scalars_ = 1;
    return {builder_, e.apply(Op::gt, length, step)};
  }
  Status submit() {
    if (made_.expression.overflow()) return error(RONDO_INTERNAL, "the expression of '%s' does not fit", name_);
    std::copy_n(made_.constants, made_.n_constants, words_ + scalars_);
    std::vector<const View*> views;
    for (const View& each : inputs_) views.push_back(&each);
    for (const View& each : outputs_) views.push_back(&each);
    const View& to = outputs_[0];
    const auto call = [&] { return Call{RecurrentCellCall{fused_of(made_.expression, words_)}}; };
    return submit_prepared(
        to.engine(), make_ref<ElementwiseTask>(name_, to.device(), made_.expression, shape_, views.data(), words_), {},
        call);
  }

 private:
  const char* const name_;
  const Layout shape_;
  FormulaExpression made_;
  formula::Builder builder_;
  std::vector<View> inputs_, outputs_;
  uint64_t words_[Expression::kMaxScalars] = {};
  int scalars_ = 0;
};

struct GateViews {
  const View& view;
  const int64_t hidden;
  View operator[](int64_t gate) const { return columns(view, gate * hidden, hidden); }
};

}  // namespace

Status run_cell(const RecurrentForm& form, const CellStep& step) {
  const int64_t hidden = step.before.layout.shape[1];
  const Layout shape = Layout::row_major(2, step.before.layout.shape);
  const GateViews gates{step.gates, hidden}, product{step.product, hidden};
  CellKernel kernel("recurrent_cell", step.gates.dtype, shape);
  const bool lengths = step.lengths != nullptr;
  V active = 0.0;
  if (lengths) active = kernel.active(step);
  const auto chosen = [&](const V& value, const V& other) { return lengths ? where(active, value, other) : value; };
  const auto sum = [&](int gate) { return kernel.input(gates[gate]) + kernel.input(product[gate]); };
  V state = 0.0;
  if (form.kind == RecurrentKind::lstm) {
    const V i = sigmoid(sum(0)), f = sigmoid(sum(1)), g = tanh(sum(2)), o = sigmoid(sum(3));
    const V before = kernel.input(step.cells_before), cell = f * before + i * g;
    state = o * tanh(cell);
    int gate = 0;
    for (const V& each : {i, f, g, o}) kernel.output(each, gates[gate++]);
    kernel.output(chosen(cell, before), step.cells_behind);
  } else if (form.kind == RecurrentKind::gru) {
    const V r = sigmoid(sum(0)), z = sigmoid(sum(1)), of_input = kernel.input(gates[2]);
    V inner = kernel.input(product[2]);
    if (step.inner_bias) inner = inner + kernel.input(*step.inner_bias);
    const V n = tanh(of_input + r * inner);
    state = (1.0 - z) * n + z * kernel.input(step.before);
    int gate = 0;
    for (const V& each : {r, z, n}) kernel.output(each, gates[gate++]);
    kernel.output(inner, step.inner);
  } else {
    state = form.relu ? relu(sum(0)) : tanh(sum(0));
    kernel.output(state, step.gates);
  }
  const V behind = lengths ? where(active, state, kernel.input(step.before)) : state;
  kernel.output(behind, step.behind);
  if (step.rounded.storage) kernel.output(behind, step.rounded);
  kernel.output(chosen(state, 0.0), step.out);
  return kernel.submit();
}

Status run_cell_gradient(const RecurrentForm& form, const CellGradient& step) {
  const int64_t hidden = step.state.layout.shape[1];
  const Layout shape = Layout::row_major(2, step.state.layout.shape);
  const GateViews gates{step.gates, hidden}, changes{step.change, hidden}, state_changes{step.state_change, hidden};
  CellKernel kernel("recurrent_cell_grad", step.gates.dtype, shape);
  const bool lengths = step.lengths != nullptr;
  V active = 0.0;
  if (lengths) active = kernel.active(step);
  const auto chosen = [&](const V& value, const V& other) { return lengths ? where(active, value, other) : value; };
  const V incoming = kernel.input(step.state), dh = kernel.input(step.dy) + incoming;
  V by = 0.0;  // the part that goes on past the product, of a sequence that has this step
  if (form.kind == RecurrentKind::lstm) {
    const V i = kernel.input(gates[0]), f = kernel.input(gates[1]), g = kernel.input(gates[2]),
            o = kernel.input(gates[3]);
    const V of_cell = kernel.input(step.cell), reached = tanh(kernel.input(step.cells_behind));
    const V dc = of_cell + dh * o * (1.0 - reached * reached);
    const V sums[] = {dc * g * i * (1.0 - i), dc * kernel.input(step.cells_before) * f * (1.0 - f),
                      dc * i * (1.0 - g * g), dh * reached * o * (1.0 - o)};
    int gate = 0;
    for (const V& each : sums) kernel.output(chosen(each, 0.0), changes[gate++]);
    kernel.output(chosen(dc * f, of_cell), step.cell);
  } else if (form.kind == RecurrentKind::gru) {
    const V r = kernel.input(gates[0]), z = kernel.input(gates[1]), n = kernel.input(gates[2]);
    const V dn = dh * (1.0 - z) * (1.0 - n * n), dz = dh * (kernel.input(step.before) - n) * z * (1.0 - z);
    const V dr = dn * kernel.input(step.inner) * r * (1.0 - r);
    by = dh * z;
    const V of_inputs[] = {dr, dz, dn}, of_states[] = {dr, dz, dn * r};
    for (int gate = 0; gate < 3; ++gate) {
      kernel.output(chosen(of_inputs[gate], 0.0), changes[gate]);
      kernel.output(chosen(of_states[gate], 0.0), state_changes[gate]);
    }
  } else {
    const V h = kernel.input(step.gates);
    kernel.output(chosen(form.relu ? where(h > 0.0, dh, 0.0) : dh * (1.0 - h * h), 0.0), step.change);
  }
  if (passes_by(form, lengths)) kernel.output(chosen(by, incoming), step.state);
  return kernel.submit();
}

Status add_biases(const View& first, const View& second, int64_t count, const View& to) {
  const auto add = [&](int64_t from, int64_t n, bool both) -> Status {
    if (n == 0) return {};
    const View part = columns(to, from, n);
    CellKernel kernel("recurrent_bias", to.dtype, part.layout);
    const V value = kernel.input(columns(first, from, n));
    kernel.output(both ? value + kernel.input(columns(second, from, n)) : value, part);
    return kernel.submit();
  };
  RONDO_TRY(add(0, count, true));
  return add(count, to.layout.shape[0] - count, false);
}

}  // namespace rondo::ops
