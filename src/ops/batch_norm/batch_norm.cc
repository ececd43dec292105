// Checks batch, group and instance normalisation, and submits a task for their statistics and another for the elements.
// A tape notes both: the statistics, and an operator that reads them, whose rule knows what they are made of and so
// passes their part on to the image itself.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/batch_norm/batch_norm.h"

#include <algorithm>

#include "ops/elementwise/elementwise_task.h"
#include "ops/operators/scalar.h"
#include "ops/program/infer.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// How elements are grouped: the layout that operands stand under.
struct Groups {
  Layout elements;       // of a: [n, c, ...], or [n, groups, c / groups, ...]
  int parts = 1;         // dimensions of channels, from 1 on
  bool samples = false;  // each has statistics of its own

  unsigned channels() const { return parts == 2 ? 6u : 2u; }
  // Within a group.
  unsigned axes() const { return ((1u << elements.ndim) - 1) & ~(samples ? 3u : 2u); }
  // [n, c, ...] with the same shape as a.
  View image(View view) const {
    if (parts == 1) return view;
    Layout& layout = view.layout;
    const Layout given = layout;
    layout.ndim = elements.ndim;
    for (int d = 0; d < layout.ndim; ++d) {
      layout.shape[d] = elements.shape[d];
      layout.strides[d] = d == 0 ? given.strides[0] : given.strides[d == 1 ? 1 : d - 1];
    }
    layout.strides[1] = given.strides[1] * elements.shape[2];
    return view;
  }
  // One number per channel, or per group of a sample.
  View line(View view, bool statistics) const {
    const Layout given = view.layout;
    Layout& layout = view.layout;
    layout.ndim = elements.ndim;
    for (int d = 0; d < layout.ndim; ++d) layout.shape[d] = 1, layout.strides[d] = 0;
    const auto put = [&](int d, int64_t stride) {
      layout.shape[d] = elements.shape[d];
      layout.strides[d] = stride;
    };
    if (statistics && samples) {
      put(0, given.strides[0]);
      put(1, given.strides[1]);
    } else if (parts == 2) {
      put(1, given.strides[0] * elements.shape[2]);
      put(2, given.strides[0]);
    } else {
      put(1, given.strides[0]);
    }
    return view;
  }
};

Status check_image(const View& a) {
  RONDO_TRY(check_float("a", a));
  if (a.layout.ndim < 2)
    return error(RONDO_INVALID_ARGUMENT, "a has shape %s; [n, c, ...] is needed", shape_text(a.layout).c_str());
  return {};
}

// One number per channel, of the dtype of a or of that in which a is computed; statistics: of the latter.
Status check_channels(const char* name, const View& given, const View& a, bool statistics) {
  const rondo_dtype computed = compute_dtype(a.dtype);
  if (given.dtype != computed && (statistics || given.dtype != a.dtype))
    return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s; with a of %s, %s is needed (rondo_cast makes it)", name,
                 dtype_name(given.dtype), dtype_name(a.dtype), dtype_name(computed));
  if (given.layout.ndim != 1 || given.layout.shape[0] != a.layout.shape[1])
    return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; [%lld] is needed, the channels of a", name,
                 shape_text(given.layout).c_str(), static_cast<long long>(a.layout.shape[1]));
  return check_inputs({{"a", &a}, {name, &given}});
}

Status check_activation(const char* name, rondo_activation activation) {
  if (activation == RONDO_ACTIVATION_NONE || activation == RONDO_ACTIVATION_RELU) return {};
  return error(RONDO_INVALID_ARGUMENT,
               "%s is %d; RONDO_ACTIVATION_NONE (%d) and RONDO_ACTIVATION_RELU (%d) are possible", name, activation,
               RONDO_ACTIVATION_NONE, RONDO_ACTIVATION_RELU);
}

Status check_options(const View& a, const NormOptions& options) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  RONDO_TRY(check_image(a));
  RONDO_TRY(check_epsilon("options->epsilon", options.epsilon));
  RONDO_TRY(check_activation("options->activation", options.activation));
  if (options.weight) RONDO_TRY(check_channels("options->weight", *options.weight, a, false));
  if (options.bias) RONDO_TRY(check_channels("options->bias", *options.bias, a, false));
  if (!options.residual) return {};
  RONDO_TRY(check_inputs({{"a", &a}, {"options->residual", options.residual}}));
  if (options.residual->dtype != a.dtype || !options.residual->layout.same_shape(a.layout))
    return error(RONDO_INVALID_ARGUMENT, "options->residual is %s; a is %s, and they must be alike",
                 operand_text(*options.residual).c_str(), operand_text(a).c_str());
  return {};
}

// The result, which may be one of the images.
Status resolve_image(const View& a, const NormOptions& options, std::initializer_list<const View*> others, Output& out,
                     View* to) {
  std::vector<const View*> inputs = {&a};
  for (const View* each : {options.weight, options.bias, options.residual})
    if (each) inputs.push_back(each);
  inputs.insert(inputs.end(), others);
  return out.given() ? out.resolve(a.engine(), a.device(), a.dtype, a.layout, inputs, true, to)
                     : out.resolve_as(a, a.layout, inputs, to);
}

// Statistics are made of a; the running ones, and what rounding took from the mean, are written and have no gradient.
void note_statistics(Observer& tapes, const NormPlan& plan) {
  const auto out = [&plan](int array) -> const std::optional<View>& { return plan.result(array); };
  tapes.done(plan.name, Ref<const Call>::adopt(new Call(plan.call())),
             {{plan.x(), false}, {*out(device::kNormFirst), true}, {*out(device::kNormSecond), true}});
  tapes.done(plan.name, {}, {{*out(device::kNormThird), true}});
  if (plan.tracks())
    tapes.done(plan.name, {}, {{*out(device::kNormRunningMean), true}, {*out(device::kNormRunningVariance), true}});
}

// out = activation((a - mean - rest) * inverse * weight + bias + residual), or with inverse made of a variance, and
// without a rest, if that is given. inputs: those of the row.
Expression expression_of(const BatchNormCall& call, InputTypes inputs, const View& out) {
  const rondo_dtype a = inputs[0]->dtype, dtype = compute_dtype(a);
  Expression e;
  size_t next = 0;
  const auto input = [&](bool has) { return has ? e.cast(e.input(inputs[next++]->dtype), dtype) : Value(); };
  const Value x = e.input(inputs[next++]->dtype);
  const Value weight = input(call.weight), bias = input(call.bias);
  const Value residual = call.residual ? e.input(inputs[next++]->dtype) : x;
  const Value center = e.input(inputs[next++]->dtype);
  Value inverse = e.input(inputs[next++]->dtype);
  if (call.given) inverse = e.apply(Op::rsqrt, e.apply(Op::add, inverse, e.scalar(dtype)));
  Value y = e.apply(Op::sub, x, center);
  if (!call.given) y = e.apply(Op::sub, y, e.input(inputs[next++]->dtype));
  y = e.apply(Op::mul, y, inverse);
  if (call.weight) y = e.apply(Op::mul, y, weight);
  if (call.bias) y = e.apply(Op::add, y, bias);
  if (call.residual) y = e.apply(Op::add, y, residual);
  if (call.activation == RONDO_ACTIVATION_RELU) y = e.apply(Op::relu, y);
  e.output(y, a, out.accumulate);
  return e;
}

Status submit_elements(const char* name, const BatchNormCall& call, InputTypes inputs, const View& out,
                       std::initializer_list<Output*> outputs) {
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  std::vector<const View*> views(inputs.begin(), inputs.end());
  views.push_back(&out);
  const uint64_t epsilon = float_word(compute_dtype(out.dtype), call.epsilon);
  return submit_prepared(out.engine(),
                         make_ref<ElementwiseTask>(name, out.device(), expression_of(call, inputs, out), out.layout,
                                                   views.data(), &epsilon),
                         outputs, [&] { return Call{call}; });
}

// The elements of an operator, and how they stand.
struct Apply {
  const char* name;
  const Groups& groups;
  const NormOptions& options;
  View a, mean, second;  // as they stand under the elements
  const View* rest;      // null: second is a variance, given

  std::vector<View> operands() const {
    std::vector<View> list = {a};
    for (const View* each : {options.weight, options.bias})
      if (each) list.push_back(groups.line(*each, false));
    if (options.residual) list.push_back(groups.image(*options.residual));
    list.push_back(mean);
    list.push_back(second);
    if (rest) list.push_back(*rest);
    return list;
  }
  Status submit(const View& out, std::initializer_list<Output*> outputs) const {
    const std::vector<View> list = operands();
    std::vector<const View*> inputs;
    for (const View& each : list) inputs.push_back(&each);
    return submit_elements(name, call(), inputs, out, outputs);
  }
  void list_operands(const View& out, std::vector<TaskOperand>* list) const {
    for (const View& each : operands()) list->push_back({each, false});
    list->push_back({out, true});
  }
  BatchNormCall call() const {
    return {groups.axes(),           groups.channels(),           options.epsilon,   !rest, options.weight != nullptr,
            options.bias != nullptr, options.residual != nullptr, options.activation};
  }
  void note(Observer& tapes, const View& out) const {
    std::vector<TaskOperand> list;
    list_operands(out, &list);
    tapes.done(name, make_ref<const Call>(call()), list);
  }
  // Commits the outputs of an image without elements.
  Status submit_nothing(const View& to, Output& out) const {
    return ops::submit_nothing(
        name, [&](std::vector<TaskOperand>* list) { list_operands(to, list); }, {&out}, [&] { return Call{call()}; });
  }
  // With the statistics that the plan makes.
  Status submit_after(const NormPlan& plan, const View& out, std::initializer_list<Output*> outputs) const {
    return submit_unheard(
        [&]() -> Status {
          RONDO_TRY(submit_norm(plan));
          return submit(out, outputs);
        },
        [&](Observer& tapes) {
          note_statistics(tapes, plan);
          note(tapes, out);
        });
  }
};

// The statistics of a's groups into mean, inverse and rest, which stand under its elements.
NormPlan moments_of(const char* name, const View& a, const View& mean, const View& inverse, const View& rest,
                    double epsilon) {
  NormPlan plan;
  plan.name = name;
  plan.kind = NormKind::moments;
  plan.in[device::kNormX] = a;
  plan.out[device::kNormFirst - device::kNormInputs] = mean;
  plan.out[device::kNormSecond - device::kNormInputs] = inverse;
  plan.out[device::kNormThird - device::kNormInputs] = rest;
  plan.epsilon = epsilon;
  return plan;
}

// The dtype that x is computed in, and its shape with one element along each of `axes`.
ResultType of_groups(const View& x, unsigned axes) {
  Layout shape = x.layout;
  for (int d = 0; d < shape.ndim; ++d)
    if ((axes >> d) & 1) shape.shape[d] = 1;
  ResultType made;
  made.set(compute_dtype(x.dtype), shape);
  return made;
}

// Makes the tensors for the results of groups of x over `axes`, and their views under x.
template <size_t n>
void make_results(const View& x, unsigned axes, rondo_tensor** const (&results)[n], View (&to)[n]) {
  const ResultType made = of_groups(x, axes);
  for (size_t i = 0; i < n; ++i) {
    *results[i] = make_tensor(x.engine(), x.device(), made.dtype, made.shape);
    to[i] = (*results[i])->view;
    for (int d = 0; d < made.shape.ndim; ++d)
      if (made.shape.shape[d] == 1) to[i].layout.strides[d] = 0;
  }
}

// Numbers of groups or channels as they stand under x: along each axis one, or one for each element.
Status check_under(const char* name, const View& view, const View& x, std::initializer_list<rondo_dtype> dtypes) {
  const Layout &layout = view.layout, &of_x = x.layout;
  bool fits = layout.ndim == of_x.ndim && std::find(dtypes.begin(), dtypes.end(), view.dtype) != dtypes.end();
  for (int d = 0; fits && d < layout.ndim; ++d) fits = layout.shape[d] == 1 || layout.shape[d] == of_x.shape[d];
  if (fits) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s is %s; one of %s is needed that broadcasts to a's shape, %s", name,
               operand_text(view).c_str(), dtype_name(*dtypes.begin()), shape_text(of_x).c_str());
}

}  // namespace

Status infer(const BatchNormStatisticsCall& call, InputTypes inputs, ResultTypes results) {
  constexpr size_t kPlain = 3, kTracked = 5;
  const View& x = *inputs[0];
  RONDO_TRY(check_float("a", x));
  RONDO_TRY(check_axes_attribute(call.axes, x));
  RONDO_TRY(check_epsilon("epsilon", call.epsilon));
  if (!(call.momentum >= 0 && call.momentum <= 1))
    return error(RONDO_INVALID_ARGUMENT, "momentum is %g; 0 to 1 are possible", call.momentum);
  if (results.size() != kPlain && results.size() != kTracked)
    return error(RONDO_INVALID_ARGUMENT, "statistics have %zu results; %zu, or %zu with running ones, are possible",
                 results.size(), kPlain, kTracked);
  const ResultType made = of_groups(x, call.axes);
  if (made.shape.elements() > 0 && x.elements() == 0)
    return error(RONDO_INVALID_ARGUMENT, "a has shape %s, and there is no mean of nothing",
                 shape_text(x.layout).c_str());
  std::fill(results.begin(), results.end(), made);
  return {};
}

Status infer(const BatchNormCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  const rondo_dtype computed = compute_dtype(a.dtype);
  RONDO_TRY(check_float("a", a));
  RONDO_TRY(check_axes_attribute(call.axes | call.channels, a));
  RONDO_TRY(check_activation("activation", call.activation));
  RONDO_TRY(check_epsilon("epsilon", call.epsilon));
  for (const char* name : {"weight", "bias"})
    if (const View* each = find_operand(call, inputs, name))
      RONDO_TRY(check_under(name, *each, a, {a.dtype, computed}));
  for (const char* name : {"mean", "second", "rest"})
    if (const View* each = find_operand(call, inputs, name)) RONDO_TRY(check_under(name, *each, a, {computed}));
  if (const View* residual = find_operand(call, inputs, "residual")) RONDO_TRY(check_type("residual", *residual, a));
  results[0].set(a.dtype, a.layout);
  return {};
}

Status infer(const BatchNormSumsCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  const rondo_dtype computed = compute_dtype(a.dtype);
  RONDO_TRY(check_float("a", a));
  RONDO_TRY(check_axes_attribute(call.axes, a));
  RONDO_TRY(check_type("dy", *inputs[1], a));
  if (const View* y = find_operand(call, inputs, "y")) RONDO_TRY(check_type("y", *y, a));
  for (const char* name : {"mean", "inverse", "rest"})
    if (const View* each = find_operand(call, inputs, name)) RONDO_TRY(check_under(name, *each, a, {computed}));
  if (const View* weight = find_operand(call, inputs, "weight"))
    RONDO_TRY(check_under("weight", *weight, a, {a.dtype, computed}));
  std::fill(results.begin(), results.end(), of_groups(a, call.axes));
  return {};
}

Status batch_norm(const View& a, const View& mean, const View& variance, const NormOptions& options, Output& out) {
  RONDO_TRY(check_options(a, options));
  RONDO_TRY(check_channels("mean", mean, a, true));
  RONDO_TRY(check_channels("variance", variance, a, true));
  View to;
  RONDO_TRY(resolve_image(a, options, {&mean, &variance}, out, &to));
  const Groups groups{a.layout, 1, false};
  const Apply apply{"batch_norm", groups, options, a, groups.line(mean, true), groups.line(variance, true), nullptr};
  if (to.elements() == 0) return apply.submit_nothing(to, out);
  return submit_unheard([&] { return apply.submit(to, {&out}); }, [&](Observer& tapes) { apply.note(tapes, to); });
}

Status batch_norm_training(const View& a, const NormOptions& options, const BatchNormTraining& training, Output& out,
                           Output* mean, Output* inverse) {
  RONDO_TRY(check_options(a, options));
  const View *running = training.running_mean, *spread = training.running_variance;
  if (!running != !spread)
    return error(RONDO_INVALID_ARGUMENT, "%s is NULL but %s is not; give both or neither",
                 running ? "running_variance" : "running_mean", running ? "running_mean" : "running_variance");
  if (!(training.momentum >= 0 && training.momentum <= 1))
    return error(RONDO_INVALID_ARGUMENT, "momentum is %g; 0 to 1 are possible", training.momentum);
  if (running) {
    RONDO_TRY(check_channels("running_mean", *running, a, true));
    RONDO_TRY(check_channels("running_variance", *spread, a, true));
    RONDO_TRY(check_writable("running_mean", *running));
    RONDO_TRY(check_writable("running_variance", *spread));
  }
  const Layout& shape = a.layout;
  if (shape.shape[1] > 0 && a.elements() == 0)
    return error(RONDO_INVALID_ARGUMENT, "a has shape %s, and there is no mean of nothing", shape_text(shape).c_str());
  View to, first, second;
  RONDO_TRY(resolve_image(a, options, {running ? running : &a, spread ? spread : &a}, out, &to));
  const rondo_dtype dtype = compute_dtype(a.dtype);
  const Layout line = Layout::row_major(1, shape.shape + 1);
  Ref<Storage> kept[3];
  for (const bool is_mean : {true, false}) {
    View& view = is_mean ? first : second;
    if (Output* given = is_mean ? mean : inverse) {
      RONDO_TRY(given->resolve(a.engine(), a.device(), dtype, line, {&a, running ? running : &a, spread ? spread : &a},
                               false, &view));
      if (view.accumulate)
        return error(RONDO_INVALID_ARGUMENT, "%s is an accumulator view; statistics are not added",
                     is_mean ? "mean" : "inverse_deviation");
    } else {
      view = make_temporary(a.engine(), a.device(), dtype, line, &kept[is_mean ? 0 : 1]);
    }
  }
  const auto commit = [&] {
    for (Output* each : {&out, mean, inverse})
      if (each) each->commit();
  };
  const Groups groups{a.layout, 1, false};
  const View under_mean = groups.line(first, true), under_inverse = groups.line(second, true);
  const View rest = groups.line(make_temporary(a.engine(), a.device(), dtype, line, &kept[2]), true);
  NormPlan plan = moments_of("batch_norm_statistics", a, under_mean, under_inverse, rest, options.epsilon);
  plan.momentum = training.momentum;
  if (running) {
    plan.out[device::kNormRunningMean - device::kNormInputs] = groups.line(*running, true);
    plan.out[device::kNormRunningVariance - device::kNormInputs] = groups.line(*spread, true);
  }
  const Apply apply{"batch_norm_training", groups, options, a, under_mean, under_inverse, &rest};
  if (a.elements() == 0) {
    RONDO_TRY(apply.submit_nothing(to, out));
  } else {
    plan.arrange(groups.axes());
    RONDO_TRY(apply.submit_after(plan, to, {}));
  }
  commit();
  return {};
}

Status group_norm(const View& a, int64_t count, const NormOptions& options, Output& out) {
  RONDO_TRY(check_options(a, options));
  const Layout& shape = a.layout;
  if (count < 1 || shape.shape[1] % count != 0)
    return error(RONDO_INVALID_ARGUMENT, "groups is %lld; a has %lld channels, which so many groups must share",
                 static_cast<long long>(count), static_cast<long long>(shape.shape[1]));
  if (shape.ndim == kMaxDims)
    return error(RONDO_INVALID_ARGUMENT, "a has %d dimensions; at most %d are possible: reshape it first", shape.ndim,
                 kMaxDims - 1);
  View to;
  RONDO_TRY(resolve_image(a, options, {}, out, &to));
  Groups groups{{}, 2, true};
  groups.elements.ndim = shape.ndim + 1;
  for (int d = 0; d < groups.elements.ndim; ++d) groups.elements.shape[d] = shape.shape[d < 2 ? d : d - 1];
  groups.elements.shape[1] = count;
  groups.elements.shape[2] = shape.shape[1] / count;
  const int64_t of_samples[] = {shape.shape[0], count};
  const Layout table = Layout::row_major(2, of_samples);
  Ref<Storage> kept[3];
  const rondo_dtype dtype = compute_dtype(a.dtype);
  const View mean = groups.line(make_temporary(a.engine(), a.device(), dtype, table, &kept[0]), true);
  const View inverse = groups.line(make_temporary(a.engine(), a.device(), dtype, table, &kept[1]), true);
  const View rest = groups.line(make_temporary(a.engine(), a.device(), dtype, table, &kept[2]), true);
  const View image = groups.image(a), result = groups.image(to);
  const Apply apply{"group_norm", groups, options, image, mean, inverse, &rest};
  if (to.elements() == 0) return apply.submit_nothing(result, out);
  NormPlan plan = moments_of("group_norm_statistics", image, mean, inverse, rest, options.epsilon);
  plan.arrange(groups.axes());
  return apply.submit_after(plan, result, {&out});
}

Status norm_moments(const View& x, unsigned axes, double epsilon, rondo_tensor** mean, rondo_tensor** inverse,
                    rondo_tensor** rest) {
  View to[3];
  make_results(x, axes, {mean, inverse, rest}, to);
  NormPlan plan = moments_of("norm_statistics", x, to[0], to[1], to[2], epsilon);
  plan.arrange(axes);
  return submit_norm(plan);
}

Status norm_statistics(const BatchNormStatisticsCall& call, const char* name, const View& x,
                       std::span<const View> results) {
  RONDO_TRY(check_inputs({{"a", &x}}));
  const View* const inputs[] = {&x};
  std::vector<ResultType> made(results.size());
  RONDO_TRY(infer(call, inputs, made));
  NormPlan plan;
  plan.name = name;
  plan.kind = NormKind::moments;
  plan.in[device::kNormX] = x;
  plan.epsilon = call.epsilon;
  plan.momentum = call.momentum;
  for (size_t i = 0; i < results.size(); ++i) plan.out[i] = results[i];
  plan.arrange(call.axes);
  return submit_unheard([&] { return submit_norm(plan); }, [&](Observer& tapes) { note_statistics(tapes, plan); });
}

Status norm_elements(const BatchNormCall& call, const char* name, std::span<const View> inputs, const View& out) {
  std::vector<const View*> all;
  for (const View& each : inputs) all.push_back(&each);
  return submit_elements(name, call, all, out, {});
}

Status norm_sums(const BatchNormSumsCall& call, const View& x, const View& dy, const View* y, const View& mean,
                 const View& inverse, const View* rest, const View* weight, std::span<const View> results) {
  NormPlan plan;
  plan.name = "norm_grad_sums";
  plan.kind = NormKind::sums;
  plan.in[device::kNormX] = x;
  plan.in[device::kNormDy] = dy;
  if (y) plan.in[device::kNormY] = *y;
  plan.in[device::kNormMean] = mean;
  plan.in[device::kNormInverse] = inverse;
  if (rest) plan.in[device::kNormRest] = *rest;
  if (weight) plan.in[device::kNormWeight] = *weight;
  for (size_t i = 0; i < results.size(); ++i) plan.out[i] = results[i];
  for (std::optional<View>& each : plan.in)
    if (each)
      for (int d = 0; d < each->layout.ndim; ++d)
        if (each->layout.shape[d] == 1) each->layout.strides[d] = 0;
  plan.arrange(call.axes);
  return submit_norm(plan);
}

Status norm_sums(const View& x, const View& dy, const View* y, const View& mean, const View& inverse, const View* rest,
                 const View* weight, unsigned axes, rondo_tensor** sum, rondo_tensor** dot) {
  View to[2];
  make_results(x, axes, {sum, dot}, to);
  const BatchNormSumsCall call = {axes, y != nullptr, weight != nullptr, rest != nullptr};
  return norm_sums(call, x, dy, y, mean, inverse, rest, weight, to);
}

}  // namespace rondo::ops
