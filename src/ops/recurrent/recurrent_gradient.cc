// Goes back through recurrent layers: it submits for each step one elementwise task and one product, and at the end of
// a direction one product over all steps for each weight.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"
#include "ops/matmul/matmul.h"
#include "ops/program/infer.h"
#include "ops/recurrent/cells.h"
#include "ops/recurrent/recurrent.h"
#include "ops/reduce/reduce.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

constexpr const char* kName = "recurrent_grad";

// [steps, batch, n] as rows, of a copy where that is no view.
Status as_rows(const View& view, Scratch* copy, View* rows) {
  const int64_t shape[] = {view.layout.shape[0] * view.layout.shape[1], view.layout.shape[2]};
  View from = view;
  // A view of a tensor that is packed otherwise has no rows.
  if (!view.layout.contiguous()) {
    *copy = Scratch(view, view.dtype, {view.layout.shape[0], view.layout.shape[1], view.layout.shape[2]});
    RONDO_TRY(copy_elements(view, copy->view));
    from = copy->view;
  }
  return reshape_view(from, 2, shape, rows);
}

class Backward {
 public:
  Backward(const RecurrentForm& form, const RecurrentInputs& in, const std::vector<RecurrentLayer>& layers,
           const RecurrentChanges& changes, const RecurrentGradients& wanted)
      : form_(form),
        in_(in),
        layers_(layers),
        changes_(changes),
        wanted_(wanted),
        steps_(in.x.layout.shape[0]),
        batch_(in.x.layout.shape[1]),
        hidden_(layers[0].direction[0].states.layout.shape[2]),
        dtype_(in.x.dtype),
        computed_(compute_dtype(in.x.dtype)) {}

  Status run() {
    View dy = changes_.out;
    Scratch of_layer;
    for (int layer = form_.layers - 1; layer >= 0; --layer) {
      const View& inputs = layer == 0 ? in_.x : layers_[static_cast<size_t>(layer - 1)].out;
      Scratch below;
      for (int d = 0; d < directions_of(form_); ++d) RONDO_TRY(direction(layer, d, inputs, dy, &below));
      if (layer == 0) {
        if (wanted_.x && !*wanted_.x) std::swap(*wanted_.x, below.handle.tensor);
        return {};
      }
      of_layer = std::move(below);
      dy = of_layer.view;
    }
    return {};
  }

 private:
  rondo_tensor** wanted_weight(int64_t line, int part) const {
    return wanted_.weights[static_cast<size_t>(line * weights_of(form_) + part)];
  }
  // A carried gradient, with what came in for a last state.
  Status begin(const View* given, int64_t line, Scratch* carried) const {
    *carried = Scratch(in_.x, computed_, {batch_, hidden_});
    return given ? copy_elements(at(*given, line), carried->view) : fill(carried->view, Scalar::of(0));
  }
  // Into the gradient of first states or cells.
  Status end(const Scratch& carried, int64_t line, rondo_tensor** to) const {
    if (!*to)
      *to = make_tensor(
          in_.x.engine(), in_.x.device(), dtype_,
          Layout::row_major(
              3,
              std::initializer_list<int64_t>{int64_t{form_.layers} * directions_of(form_), batch_, hidden_}.begin()));
    return copy_elements(carried.view, at((*to)->view, line));
  }
  static Status product_of_rows(const View& changes, const View& rows, rondo_tensor** to) {
    MatmulOptions options;
    options.transpose_a = true;
    Output out(to);
    return matmul(changes, rows, options, out);
  }

  // below: the gradient of the layer's inputs, which both directions add to.
  Status direction(int layer, int d, const View& inputs, const View& dy, Scratch* below) {
    const int64_t line = int64_t{layer} * directions_of(form_) + d, rows = gates_of(form_.kind) * hidden_;
    const RecurrentDirection& left = layers_[static_cast<size_t>(layer)].direction[d];
    const View* const weights = &in_.weights[static_cast<size_t>(line * weights_of(form_))];
    const bool gru = form_.kind == RecurrentKind::gru, lstm = form_.kind == RecurrentKind::lstm;
    const View states = left.exact.storage ? left.exact : left.states;
    const View mine = columns(dy, d * hidden_, hidden_);
    Scratch state, cell;
    RONDO_TRY(begin(changes_.last_h, line, &state));
    if (lstm) RONDO_TRY(begin(changes_.last_c, line, &cell));
    const Scratch changes(in_.x, dtype_, {steps_, batch_, rows});
    Scratch apart;
    if (gru) apart = Scratch(in_.x, dtype_, {steps_, batch_, rows});
    const View& state_changes = gru ? apart.view : changes.view;
    const bool adds = passes_by(form_, in_.extras.lengths != nullptr);
    for (int64_t i = steps_ - 1; i >= 0; --i) {
      const int64_t t = d == 0 ? i : steps_ - 1 - i, before = d == 0 ? t : t + 1, behind = d == 0 ? t + 1 : t;
      CellGradient step;
      step.step = t;
      step.lengths = in_.extras.lengths;
      step.gates = at(left.gates, t);
      step.before = at(states, before);
      if (lstm) step.cells_before = at(left.cells, before), step.cells_behind = at(left.cells, behind);
      if (gru) step.inner = at(left.inner, t);
      step.dy = at(mine, t);
      step.state = state.view;
      step.cell = cell.view;
      step.change = at(changes.view, t);
      step.state_change = at(state_changes, t);
      RONDO_TRY(run_cell_gradient(form_, step));
      if (i == 0 && !wanted_.first_h) break;
      const View to = adds ? accumulator_view(state.view) : state.view;
      RONDO_TRY(multiply_into(at(state_changes, t), weights[1], {}, to));
    }
    if (wanted_.first_h) RONDO_TRY(end(state, line, wanted_.first_h));
    if (wanted_.first_c && lstm) RONDO_TRY(end(cell, line, wanted_.first_c));
    RONDO_TRY(of_weights(line, d, inputs, left, changes.view, state_changes));
    if (layer == 0 && !wanted_.x) return {};
    const bool given = layer == 0 && *wanted_.x;
    if (!given && !below->handle.tensor) *below = Scratch(in_.x, dtype_, {steps_, batch_, inputs.layout.shape[2]});
    const View& of_inputs = given ? (*wanted_.x)->view : below->view;
    const View to = d > 0 ? accumulator_view(of_inputs) : of_inputs;
    return multiply_into(changes.view, weights[0], {}, to);
  }

  Status of_weights(int64_t line, int d, const View& inputs, const RecurrentDirection& left, const View& changes,
                    const View& state_changes) {
    Scratch copies[2];
    View of_inputs, of_states, rows, before = left.states;
    RONDO_TRY(as_rows(changes, nullptr, &of_inputs));
    RONDO_TRY(as_rows(state_changes, nullptr, &of_states));
    if (rondo_tensor** to = wanted_weight(line, 0)) {
      RONDO_TRY(as_rows(inputs, &copies[0], &rows));
      RONDO_TRY(product_of_rows(of_inputs, rows, to));
    }
    if (rondo_tensor** to = wanted_weight(line, 1)) {
      if (d == 1) before = slice_of(before, 1);
      before.layout.shape[0] = steps_;
      RONDO_TRY(as_rows(before, nullptr, &rows));
      RONDO_TRY(product_of_rows(of_states, rows, to));
    }
    for (int part = 2; part < weights_of(form_); ++part) {
      rondo_tensor** to = wanted_weight(line, part);
      if (!to) continue;
      Output out(to);
      RONDO_TRY(reduce_over(ReduceOp::sum, 0, part == 2 ? of_inputs : of_states, 1, false, out));
    }
    return {};
  }
  // From so many places of the first axis on.
  static View slice_of(View view, int64_t first) {
    view.offset += first * view.layout.strides[0] * static_cast<int64_t>(dtype_size(view.dtype));
    view.layout.shape[0] -= first;
    return view;
  }

  const RecurrentForm& form_;
  const RecurrentInputs& in_;
  const std::vector<RecurrentLayer>& layers_;
  const RecurrentChanges& changes_;
  const RecurrentGradients& wanted_;
  const int64_t steps_, batch_, hidden_;
  const rondo_dtype dtype_, computed_;
};

RecurrentGradCall call_of(const RecurrentForm& form, const RecurrentInputs& in, const RecurrentChanges& changes,
                          const RecurrentGradients& wanted) {
  RecurrentGradCall call{form,
                         changes.last_h != nullptr,
                         changes.last_c != nullptr,
                         in.extras.lengths != nullptr,
                         changes.first_h,
                         changes.first_c,
                         wanted.x != nullptr,
                         wanted.first_h != nullptr,
                         wanted.first_c != nullptr,
                         {}};
  for (rondo_tensor** each : wanted.weights) call.wanted.push_back(each != nullptr);
  return call;
}

// Lists the inputs in the order that a tape's rule knows. It makes anew what layers left, which a recording is told.
std::vector<TaskOperand> inputs_of(const RecurrentForm& form, const RecurrentInputs& in,
                                   const std::vector<RecurrentLayer>& layers, const RecurrentChanges& changes) {
  std::vector<TaskOperand> list = {{in.x, false}, {changes.out, false}};
  for (const View* each : {changes.last_h, changes.last_c, in.extras.lengths})
    if (each) list.push_back({*each, false});
  for (const bool cells : {false, true})
    for (size_t layer = 0; (cells ? changes.first_c : changes.first_h) && layer < layers.size(); ++layer)
      for (int d = 0; d < directions_of(form); ++d) {
        const RecurrentDirection& left = layers[layer].direction[d];
        list.push_back({cells ? left.cells : left.states, false});
      }
  for (const View& each : in.weights) list.push_back({each, false});
  return list;
}

// Calls `each` with those that are wanted, in the order of the results.
template <class Each>
void each_wanted(const RecurrentGradients& wanted, const Each& each) {
  for (rondo_tensor** to : {wanted.x, wanted.first_h, wanted.first_c})
    if (to) each(to);
  for (rondo_tensor** to : wanted.weights)
    if (to) each(to);
}

void tell(Observer& tapes, const RecurrentForm& form, const RecurrentInputs& in,
          const std::vector<RecurrentLayer>& layers, const RecurrentChanges& changes,
          const RecurrentGradients& wanted) {
  std::vector<TaskOperand> list = inputs_of(form, in, layers, changes);
  each_wanted(wanted, [&](rondo_tensor** to) { list.push_back({(*to)->view, true}); });
  tapes.done(kName, make_ref<const Call>(call_of(form, in, changes, wanted)), list);
}

// Its results are made here.
Status record(const RecurrentForm& form, const RecurrentInputs& in, const std::vector<RecurrentLayer>& layers,
              const RecurrentChanges& changes, const RecurrentGradients& wanted) {
  const RecurrentGradCall call = call_of(form, in, changes, wanted);
  std::vector<TaskOperand> operands = inputs_of(form, in, layers, changes);
  each_left(form, is_half(in.x.dtype), layers, [&](const View& view) { operands.push_back({view, false}); });
  std::vector<const View*> inputs;
  for (const TaskOperand& each : operands) inputs.push_back(&each.view);
  size_t results = 0;
  each_wanted(wanted, [&](rondo_tensor**) { ++results; });
  std::vector<ResultType> types(results);
  RONDO_TRY(infer_results(Call(call), inputs, &types));
  size_t next = 0;
  each_wanted(wanted, [&](rondo_tensor** to) {
    const ResultType& type = types[next++];
    if (!*to) *to = make_tensor(in.x.engine(), in.x.device(), type.dtype, type.shape);
    operands.push_back({(*to)->view, true});
  });
  return submit_recorded(in.x.engine(), kName, std::move(operands), [&] { return Call(call); });
}

}  // namespace

Status split_operands(const RecurrentGradCall& call, InputTypes inputs, RecurrentGradOperands* operands) {
  const RecurrentForm& form = call.form;
  const size_t lines =
      form.layers > 0 ? static_cast<size_t>(form.layers) * static_cast<size_t>(directions_of(form)) : 0;
  const size_t count = lines * static_cast<size_t>(weights_of(form));
  size_t next = 2 + (call.change_h ? 1 : 0) + (call.change_c ? 1 : 0) + (call.lengths ? 1 : 0);
  const size_t least = next + (call.first_h ? lines : 0) + (call.first_c ? lines : 0) + count;
  if (count == 0 || inputs.size() < least || call.wanted.size() != count)
    return error(RONDO_INVALID_ARGUMENT, "it has %zu inputs, and wanted %zu members; %zu or more and %zu are needed",
                 inputs.size(), call.wanted.size(), least, count);
  operands->in.x = *inputs[0];
  operands->in.extras.lengths = find_operand(call, inputs, "lengths");
  if (call.first_h) operands->first_h = inputs.subspan(next, lines), next += lines;
  if (call.first_c) operands->first_c = inputs.subspan(next, lines), next += lines;
  for (const View* each : inputs.subspan(next, count)) operands->in.weights.push_back(*each);
  operands->left = inputs.subspan(next + count);
  return {};
}

Status infer(const RecurrentGradCall& call, InputTypes inputs, ResultTypes results) {
  RecurrentGradOperands of;
  RONDO_TRY(split_operands(call, inputs, &of));
  RecurrentForm form = call.form;
  form.batch_first = false;  // steps come first
  RecurrentSizes sizes;
  RONDO_TRY(check_recurrent(&form, of.in, &sizes));
  const rondo_dtype dtype = of.in.x.dtype;
  const int64_t lines = int64_t{form.layers} * directions_of(form);
  const bool lstm = form.kind == RecurrentKind::lstm;
  const auto shape_of = [](int64_t first, int64_t second, int64_t third) {
    const int64_t shape[] = {first, second, third};
    return Layout::row_major(3, shape);
  };
  const Layout of_line = shape_of(lines, sizes.batch, sizes.hidden);
  RONDO_TRY(
      check_type("dy", *inputs[1], dtype, shape_of(sizes.steps, sizes.batch, directions_of(form) * sizes.hidden)));
  if ((call.change_c || call.first_c || call.wants_c) && !lstm)
    return error(RONDO_INVALID_ARGUMENT, "change_c, first_c or wants_c is true; only an LSTM has cells");
  for (const char* name : {"change_h", "change_c"})
    if (const View* change = find_operand(call, inputs, name)) RONDO_TRY(check_type(name, *change, dtype, of_line));
  for (const View* each : of.first_h)
    RONDO_TRY(check_type("a first state", *each, dtype, shape_of(sizes.steps + 1, sizes.batch, sizes.hidden)));
  for (const View* each : of.first_c)
    RONDO_TRY(
        check_type("a first cell", *each, compute_dtype(dtype), shape_of(sizes.steps + 1, sizes.batch, sizes.hidden)));
  if (!of.left.empty()) {
    const std::vector<ResultType> types = types_left(form, dtype, sizes);
    if (types.size() != of.left.size())
      return error(RONDO_INVALID_ARGUMENT, "%zu values are what layers left; %zu are needed", of.left.size(),
                   types.size());
    for (size_t i = 0; i < types.size(); ++i)
      RONDO_TRY(check_type("a value that layers left", *of.left[i], types[i].dtype, types[i].shape));
  }
  size_t next = 0;
  const auto add = [&](const Layout& shape) {
    if (next < results.size()) results[next].set(dtype, shape);
    ++next;
  };
  if (call.wants_x) add(of.in.x.layout);
  if (call.wants_h) add(of_line);
  if (call.wants_c) add(of_line);
  for (size_t i = 0; i < call.wanted.size(); ++i)
    if (call.wanted[i]) add(of.in.weights[i].layout);
  if (next == results.size()) return {};
  return error(RONDO_INVALID_ARGUMENT, "it has %zu results; %zu are wanted", results.size(), next);
}

Status recurrent_grad(const RecurrentForm& form, const RecurrentInputs& in, const std::vector<RecurrentLayer>& layers,
                      const RecurrentChanges& changes, const RecurrentGradients& wanted) {
  return submit_unheard(
      [&] {
        return records_operators(in.x.engine()) ? record(form, in, layers, changes, wanted)
                                                : Backward(form, in, layers, changes, wanted).run();
      },
      [&](Observer& tapes) { tell(tapes, form, in, layers, changes, wanted); });
}

}  // namespace rondo::ops
