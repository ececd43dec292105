// Checks recurrent layers, and submits their steps forward as products and expressions.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/recurrent/recurrent.h"

#include <optional>
#include <tuple>

#include "base/text.h"
#include "engine/views.h"
#include "ops/matmul/matmul.h"
#include "ops/program/infer.h"
#include "ops/recurrent/cells.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

const char* name_of(RecurrentKind kind) {
  return kind == RecurrentKind::lstm ? "lstm" : kind == RecurrentKind::gru ? "gru" : "rnn";
}

// Steps first.
View by_steps(const RecurrentForm& form, View view) {
  if (form.batch_first) {
    std::swap(view.layout.shape[0], view.layout.shape[1]);
    std::swap(view.layout.strides[0], view.layout.strides[1]);
  }
  return view;
}

Status check_tensor_of(const char* name, const View& view, const View& x, std::initializer_list<int64_t> shape) {
  const Layout wanted = Layout::row_major(static_cast<int>(shape.size()), shape.begin());
  RONDO_TRY(check_dtype_of(name, view, "x", x));
  if (!view.layout.same_shape(wanted))
    return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; %s is needed", name, shape_text(view.layout).c_str(),
                 shape_text(wanted).c_str());
  return {};
}

Status check_weights(RecurrentForm* form, const RecurrentInputs& in, int64_t* hidden) {
  const int64_t lines = int64_t{form->layers} * directions_of(*form), count = static_cast<int64_t>(in.weights.size());
  if (count != 2 * lines && count != 4 * lines)
    return error(RONDO_INVALID_ARGUMENT,
                 "n_weights is %lld; %d layers of %d directions have %lld weights, or %lld with biases",
                 printable(count), form->layers, directions_of(*form), printable(2 * lines), printable(4 * lines));
  form->biased = count == 4 * lines;
  const Layout& states = in.weights[1].layout;
  if (states.ndim != 2 || states.shape[1] < 1)
    return error(RONDO_INVALID_ARGUMENT, "weights[1] has shape %s; [%d * hidden, hidden] is needed, hidden at least 1",
                 shape_text(states).c_str(), gates_of(form->kind));
  *hidden = states.shape[1];
  const int64_t rows = gates_of(form->kind) * *hidden;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t line = i / weights_of(*form), part = i % weights_of(*form);
    const View& view = in.weights[static_cast<size_t>(i)];
    const std::string name = format("weights[%lld]", printable(i));
    const int64_t inputs = line < directions_of(*form) ? in.x.layout.shape[2] : directions_of(*form) * *hidden;
    RONDO_TRY(part >= 2 ? check_tensor_of(name.c_str(), view, in.x, {rows})
                        : check_tensor_of(name.c_str(), view, in.x, {rows, part == 0 ? inputs : *hidden}));
  }
  return {};
}

}  // namespace

Status check_recurrent(RecurrentForm* form, const RecurrentInputs& in, RecurrentSizes* sizes) {
  const View& x = in.x;
  RONDO_TRY(check_float("x", x));
  if (x.layout.ndim != 3)
    return error(RONDO_INVALID_ARGUMENT, "x has shape %s; [%s, inputs] is needed", shape_text(x.layout).c_str(),
                 form->batch_first ? "batch, steps" : "steps, batch");
  if (form->layers < 1)
    return error(RONDO_INVALID_ARGUMENT, "options->layers is %d; at least 1 is needed", form->layers);
  if (form->relu && form->kind != RecurrentKind::rnn)
    return error(RONDO_INVALID_ARGUMENT, "options->relu is %d; only rondo_rnn has a choice, 0 is needed", 1);
  const Layout time = by_steps(*form, x).layout;
  sizes->steps = time.shape[0], sizes->batch = time.shape[1];
  if (sizes->steps < 1)
    return error(RONDO_INVALID_ARGUMENT, "x has shape %s, no steps; at least one is needed",
                 shape_text(x.layout).c_str());
  RONDO_TRY(check_weights(form, in, &sizes->hidden));
  const RecurrentExtras& extras = in.extras;
  const int64_t lines = int64_t{form->layers} * directions_of(*form);
  if (extras.first_c && form->kind != RecurrentKind::lstm)
    return error(RONDO_INVALID_ARGUMENT, "options->first_c is given; only rondo_lstm has cells, NULL is needed");
  if (extras.first_h)
    RONDO_TRY(check_tensor_of("options->first_h", *extras.first_h, x, {lines, sizes->batch, sizes->hidden}));
  if (extras.first_c)
    RONDO_TRY(check_tensor_of("options->first_c", *extras.first_c, x, {lines, sizes->batch, sizes->hidden}));
  if (const View* lengths = extras.lengths) {
    if (lengths->dtype != RONDO_I32)
      return error(RONDO_INVALID_ARGUMENT, "options->lengths has dtype %s; i32 is needed (rondo_cast makes it)",
                   dtype_name(lengths->dtype));
    if (lengths->layout.ndim != 1 || lengths->layout.shape[0] != sizes->batch)
      return error(RONDO_INVALID_ARGUMENT, "options->lengths has shape %s; [%lld] is needed, one for each of the batch",
                   shape_text(lengths->layout).c_str(), printable(sizes->batch));
  }
  return {};
}

namespace {

// All operands in the order of the row.
void list_inputs(const RecurrentInputs& in, std::vector<const View*>* list) {
  list->push_back(&in.x);
  const RecurrentExtras& extras = in.extras;
  for (const View* each : {extras.lengths, extras.first_h, extras.first_c})
    if (each) list->push_back(each);
  for (const View& each : in.weights) list->push_back(&each);
}

// The steps of all layers, with what they leave.
class Forward {
 public:
  // given: where it leaves what is left; empty: in tensors of its own.
  Forward(const RecurrentForm& form, const RecurrentInputs& in, const RecurrentSizes& sizes,
          std::span<const View> given)
      : form_(form),
        in_(in),
        sizes_(sizes),
        computed_(compute_dtype(in.x.dtype)),
        half_(is_half(in.x.dtype)),
        rows_(gates_of(form.kind) * sizes.hidden),
        layers_(static_cast<size_t>(form.layers)) {
    if (given.empty()) return;
    size_t next = 0;
    each_left(form, half_, layers_, [&](View& view) { view = given[next++]; });
  }

  const std::vector<RecurrentLayer>& layers() const { return layers_; }
  // out: steps first.
  Status run(const View& out, const View* last_h, const View* last_c) {
    View inputs = by_steps(form_, in_.x);
    for (int layer = 0; layer < form_.layers; ++layer) {
      RecurrentLayer& here = layers_[static_cast<size_t>(layer)];
      const bool last = layer + 1 == form_.layers;
      const int64_t width = directions_of(form_) * sizes_.hidden;
      if (!last) leave(&here.out, in_.x.dtype, {sizes_.steps, sizes_.batch, width});
      const View to = last ? out : here.out;
      for (int d = 0; d < directions_of(form_); ++d) RONDO_TRY(direction(layer, d, inputs, to, last_h, last_c));
      for (int d = 0; d < directions_of(form_) && form_.bidirectional; ++d)
        RONDO_TRY(copy_elements(results_[d], columns(to, d * sizes_.hidden, sizes_.hidden)));
      inputs = to;
    }
    return {};
  }

 private:
  View make(rondo_dtype dtype, std::initializer_list<int64_t> shape) {
    return made_.emplace_back(in_.x, dtype, shape).view;
  }
  // A value that is left: where it was given, or in a new tensor.
  void leave(View* view, rondo_dtype dtype, std::initializer_list<int64_t> shape) {
    if (!view->storage) *view = make(dtype, shape);
  }
  // A tensor of states or cells, whose first ones are there.
  Status begin(rondo_dtype dtype, const View* first, int64_t line, int64_t place, View* states) {
    leave(states, dtype, {sizes_.steps + 1, sizes_.batch, sizes_.hidden});
    return first ? copy_elements(at(*first, line), at(*states, place)) : fill(at(*states, place), Scalar::of(0));
  }
  // The sums of the inputs at all steps, with the biases that are not within another gate.
  Status input_sums(const View& inputs, const View* weights, const View& gates) {
    MatmulOptions options;
    options.transpose_b = true;
    Scratch bias;
    if (form_.biased) {
      bias = Scratch(in_.x, computed_, {rows_});
      RONDO_TRY(
          add_biases(weights[2], weights[3], form_.kind == RecurrentKind::gru ? 2 * sizes_.hidden : rows_, bias.view));
      options.bias = &bias.view;
    }
    return multiply_into(inputs, weights[0], options, gates);
  }
  Status direction(int layer, int d, const View& inputs, const View& to, const View* last_h, const View* last_c) {
    const int64_t steps = sizes_.steps, line = int64_t{layer} * directions_of(form_) + d;
    const View* const weights = &in_.weights[static_cast<size_t>(line * weights_of(form_))];
    RecurrentDirection& left = layers_[static_cast<size_t>(layer)].direction[d];
    leave(&left.gates, computed_, {steps, sizes_.batch, rows_});
    RONDO_TRY(input_sums(inputs, weights, left.gates));
    const int64_t first = d == 0 ? 0 : steps, end = steps - first;
    const bool gru = form_.kind == RecurrentKind::gru;
    RONDO_TRY(begin(in_.x.dtype, in_.extras.first_h, line, first, &left.states));
    if (gru && half_) RONDO_TRY(begin(computed_, in_.extras.first_h, line, first, &left.exact));
    if (form_.kind == RecurrentKind::lstm) RONDO_TRY(begin(computed_, in_.extras.first_c, line, first, &left.cells));
    if (gru) leave(&left.inner, computed_, {steps, sizes_.batch, sizes_.hidden});
    const View sums = make(computed_, {sizes_.batch, rows_});
    results_[d] = form_.bidirectional ? make(in_.x.dtype, {steps, sizes_.batch, sizes_.hidden}) : to;
    const View states = gru && half_ ? left.exact : left.states;
    std::optional<View> inner_bias;
    if (gru && form_.biased) inner_bias = columns(weights[3], 2 * sizes_.hidden, sizes_.hidden);
    MatmulOptions options;
    options.transpose_b = true;
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t t = d == 0 ? i : steps - 1 - i, before = d == 0 ? t : t + 1, behind = d == 0 ? t + 1 : t;
      RONDO_TRY(multiply_into(at(left.states, before), weights[1], options, sums));
      CellStep step;
      step.step = t;
      step.lengths = in_.extras.lengths;
      step.gates = at(left.gates, t);
      step.product = sums;
      step.before = at(states, before);
      step.behind = at(states, behind);
      if (gru && half_) step.rounded = at(left.states, behind);
      if (left.cells.storage) step.cells_before = at(left.cells, before), step.cells_behind = at(left.cells, behind);
      if (gru) step.inner = at(left.inner, t);
      if (inner_bias) step.inner_bias = &*inner_bias;
      step.out = at(results_[d], t);
      RONDO_TRY(run_cell(form_, step));
    }
    if (last_h) RONDO_TRY(copy_elements(at(left.states, end), at(*last_h, line)));
    if (last_c) RONDO_TRY(copy_elements(at(left.cells, end), at(*last_c, line)));
    return {};
  }

  const RecurrentForm& form_;
  const RecurrentInputs& in_;
  const RecurrentSizes sizes_;
  const rondo_dtype computed_;
  const bool half_;
  const int64_t rows_;
  std::vector<Scratch> made_;
  std::vector<RecurrentLayer> layers_;
  View results_[2];
};

// Lists the operands and results that a tape is told, in the order that its rule knows.
void list_operands(const RecurrentInputs& in, const View& out, const View* last_h, const View* last_c,
                   std::vector<TaskOperand>* list) {
  std::vector<const View*> inputs;
  list_inputs(in, &inputs);
  for (const View* each : inputs) list->push_back({*each, false});
  list->push_back({out, true});
  for (const View* each : {last_h, last_c})
    if (each) list->push_back({*each, true});
}

RecurrentCall call_of(const RecurrentForm& form, const RecurrentInputs& in, bool last_h, bool last_c) {
  const RecurrentExtras& extras = in.extras;
  return {form, extras.lengths != nullptr, extras.first_h != nullptr, extras.first_c != nullptr, last_h, last_c};
}

// Tells tapes those, followed by the values that were left for the gradient.
void note(Observer& tapes, const RecurrentForm& form, const RecurrentInputs& in, const View& out, const View* last_h,
          const View* last_c, const std::vector<RecurrentLayer>& layers) {
  std::vector<TaskOperand> list;
  list_operands(in, out, last_h, last_c, &list);
  each_left(form, is_half(in.x.dtype), layers, [&](const View& view) { list.push_back({view, true}); });
  tapes.done(name_of(form.kind), make_ref<const Call>(call_of(form, in, last_h != nullptr, last_c != nullptr)), list);
}

// The values that are left are results if a tape may want them, or if they are given.
Status record(const RecurrentForm& form, const RecurrentInputs& in, const RecurrentSizes& sizes, const View& out,
              const View* last_h, const View* last_c, std::span<const View> given) {
  std::vector<TaskOperand> operands;
  list_operands(in, out, last_h, last_c, &operands);
  for (const View& each : given) operands.push_back({each, true});
  std::vector<Ref<Storage>> left;
  if (given.empty() && this_thread().tapes)
    for (const ResultType& each : types_left(form, in.x.dtype, sizes))
      operands.push_back(
          {make_temporary(in.x.engine(), in.x.device(), each.dtype, each.shape, &left.emplace_back()), true});
  return submit_recorded(in.x.engine(), name_of(form.kind), std::move(operands),
                         [&] { return Call{call_of(form, in, last_h != nullptr, last_c != nullptr)}; });
}

}  // namespace

std::vector<ResultType> types_left(const RecurrentForm& form, rondo_dtype dtype, const RecurrentSizes& sizes) {
  const rondo_dtype computed = compute_dtype(dtype);
  const bool gru = form.kind == RecurrentKind::gru, lstm = form.kind == RecurrentKind::lstm;
  std::vector<ResultType> types;
  const auto add = [&](rondo_dtype of, int64_t steps, int64_t width) {
    const int64_t shape[] = {steps, sizes.batch, width};
    types.emplace_back().set(of, Layout::row_major(3, shape));
  };
  for (int layer = 0; layer < form.layers; ++layer) {
    for (int d = 0; d < directions_of(form); ++d) {
      add(computed, sizes.steps, gates_of(form.kind) * sizes.hidden);
      add(dtype, sizes.steps + 1, sizes.hidden);
      if ((gru && is_half(dtype)) || lstm) add(computed, sizes.steps + 1, sizes.hidden);
      if (gru) add(computed, sizes.steps, sizes.hidden);
    }
    if (layer + 1 < form.layers) add(dtype, sizes.steps, directions_of(form) * sizes.hidden);
  }
  return types;
}

Status infer(const RecurrentCall& call, InputTypes inputs, ResultTypes results) {
  RecurrentForm form = call.form;
  RecurrentInputs in{*inputs[0], {}, {}};
  in.extras = {find_operand(call, inputs, "lengths"), find_operand(call, inputs, "first_h"),
               find_operand(call, inputs, "first_c")};
  for (size_t i = 1; i < inputs.size(); ++i)
    if (i > static_cast<size_t>(call.lengths + call.first_h + call.first_c)) in.weights.push_back(*inputs[i]);
  RecurrentSizes sizes;
  RONDO_TRY(check_recurrent(&form, in, &sizes));
  if (call.last_c && form.kind != RecurrentKind::lstm)
    return error(RONDO_INVALID_ARGUMENT, "last_c is true; only an LSTM has cells");
  const rondo_dtype dtype = in.x.dtype;
  const int64_t width = directions_of(form) * sizes.hidden, lines = int64_t{form.layers} * directions_of(form);
  size_t next = 0;
  const auto add = [&](rondo_dtype of, int64_t first, int64_t second, int64_t third) {
    const int64_t shape[] = {first, second, third};
    if (next < results.size()) results[next].set(of, Layout::row_major(3, shape));
    ++next;
  };
  add(dtype, in.x.layout.shape[0], in.x.layout.shape[1], width);
  if (call.last_h) add(dtype, lines, sizes.batch, sizes.hidden);
  if (call.last_c) add(dtype, lines, sizes.batch, sizes.hidden);
  if (next == results.size()) return {};
  for (const ResultType& each : types_left(form, dtype, sizes)) {
    if (next < results.size()) results[next].set(each.dtype, each.shape);
    ++next;
  }
  if (next == results.size()) return {};
  return error(RONDO_INVALID_ARGUMENT, "a recurrent layer has %zu results; %zu are needed", results.size(), next);
}

Status recurrent(RecurrentForm form, const RecurrentInputs& in, Output& out, Output* last_h, Output* last_c,
                 std::span<const View> left) {
  const View& x = in.x;
  std::vector<const View*> inputs;
  list_inputs(in, &inputs);
  RONDO_TRY(check_inputs({{"x", &x}}));
  for (const NamedView& each : {NamedView{"options->lengths", in.extras.lengths},
                                {"options->first_h", in.extras.first_h},
                                {"options->first_c", in.extras.first_c}})
    if (each.view) RONDO_TRY(check_inputs({{"x", &x}, each}));
  for (size_t i = 0; i < in.weights.size(); ++i)
    RONDO_TRY(check_inputs({{"x", &x}, {format("weights[%zu]", i).c_str(), &in.weights[i]}}));
  RecurrentSizes sizes;
  RONDO_TRY(check_recurrent(&form, in, &sizes));
  std::vector<ResultType> made(1 + (last_h ? 1 : 0) + (last_c ? 1 : 0));
  RONDO_TRY(infer(call_of(form, in, last_h != nullptr, last_c != nullptr), inputs, made));
  const Layout& shape = made[0].shape;
  View to, states, cells;
  RONDO_TRY(out.resolve(x.engine(), x.device(), made[0].dtype, shape, inputs, false, &to));
  inputs.push_back(&to);
  for (const auto& [output, view, name] :
       {std::tuple{last_h, &states, "last_h"}, std::tuple{last_c, &cells, "last_c"}}) {
    if (!output) continue;
    RONDO_TRY(output->resolve(x.engine(), x.device(), made[1].dtype, made[1].shape, inputs, false, view));
    if (view->accumulate)
      return error(RONDO_INVALID_ARGUMENT, "%s is an accumulator view; last states are not added", name);
    inputs.push_back(view);
  }
  const auto commit = [&] {
    for (Output* each : {&out, last_h, last_c})
      if (each) each->commit();
    return Status();
  };
  if (sizes.batch == 0) {
    RONDO_TRY(submit_nothing(
        name_of(form.kind),
        [&](std::vector<TaskOperand>* list) {
          list_operands(in, to, last_h ? &states : nullptr, last_c ? &cells : nullptr, list);
        },
        {}, [&] { return Call{call_of(form, in, last_h != nullptr, last_c != nullptr)}; }));
    return commit();
  }
  // Adding it to something is a step after it.
  Scratch apart;
  if (to.accumulate) apart = Scratch(x, x.dtype, {shape.shape[0], shape.shape[1], shape.shape[2]});
  const View result = to.accumulate ? apart.view : to;
  if (records_operators(x.engine())) {
    RONDO_TRY(record(form, in, sizes, result, last_h ? &states : nullptr, last_c ? &cells : nullptr, left));
    if (to.accumulate) RONDO_TRY(copy_elements(result, to));
    return commit();
  }
  Forward forward(form, in, sizes, left);
  RONDO_TRY(submit_unheard(
      [&] { return forward.run(by_steps(form, result), last_h ? &states : nullptr, last_c ? &cells : nullptr); },
      [&](Observer& tapes) {
        note(tapes, form, in, result, last_h ? &states : nullptr, last_c ? &cells : nullptr, forward.layers());
      }));
  if (to.accumulate) RONDO_TRY(copy_elements(result, to));
  return commit();
}

}  // namespace rondo::ops
