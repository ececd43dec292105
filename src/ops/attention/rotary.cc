// Checks rotary positions, plans them, and submits their tasks on the host or a GPU.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/rotary.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/views.h"
#include "ops/program/infer.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

using namespace device;

namespace {

Status check_form(const View& x, RotaryForm* form) {
  RONDO_TRY(check_float("x", x));
  const Layout& layout = x.layout;
  if (layout.ndim < 2)
    return error(RONDO_INVALID_ARGUMENT, "x has shape %s; an axis of places and behind it one of channels are needed",
                 shape_text(layout).c_str());
  RONDO_TRY(check_axis(form->axis, layout.ndim, "options->axis", "x", &form->axis));
  if (form->axis == layout.ndim - 1)
    return error(
        RONDO_INVALID_ARGUMENT,
        "options->axis is %d, which x of shape %s has its channels along; another one is needed, that of places",
        form->axis, shape_text(layout).c_str());
  const int64_t size = layout.shape[layout.ndim - 1];
  const int64_t channels = form->channels == 0 ? size : form->channels;
  if (channels < 0 || channels > size || channels % 2 != 0)
    return error(
        RONDO_INVALID_ARGUMENT,
        "options->channels is %lld and x has %lld; an even number of them is needed, or 0 for all if that is even",
        printable(form->channels), printable(size));
  form->channels = channels;
  if (!(std::isfinite(form->base) && form->base > 0))
    return error(RONDO_INVALID_ARGUMENT, "options->base is %g; a finite number above 0 is needed", form->base);
  return {};
}

Status check_positions(const View& x, const View& positions) {
  if (positions.dtype != RONDO_I32 && positions.dtype != RONDO_I64)
    return error(RONDO_INVALID_ARGUMENT, "options->positions has dtype %s; i32 or i64 is needed (rondo_cast makes it)",
                 dtype_name(positions.dtype));
  Layout rows = x.layout;
  --rows.ndim;
  bool fits = positions.layout.ndim <= rows.ndim;
  for (int d = 1; fits && d <= positions.layout.ndim; ++d) {
    const int64_t size = positions.layout.shape[positions.layout.ndim - d];
    fits = size == 1 || size == rows.shape[rows.ndim - d];
  }
  if (fits) return {};
  return error(RONDO_INVALID_ARGUMENT,
               "options->positions has shape %s; one that broadcasts to x's without its last axis, %s, is needed",
               shape_text(positions.layout).c_str(), shape_text(rows).c_str());
}

// base to the power of -1 / n: from f64 by Newton's steps, each of which doubles its digits.
TwoNumbers root_of(double base, int64_t n) {
  TwoNumbers root = {std::pow(base, -1.0 / static_cast<double>(n)), 0};
  for (int step = 0; step < 2; ++step) {
    TwoNumbers power = {1, 0}, factor = root;
    for (int64_t rest = n; rest > 0; rest >>= 1, factor = product_of(factor, factor))
      if ((rest & 1) != 0) power = product_of(power, factor);
    const TwoNumbers one = product_of(power, {base, 0});
    const double error = (1 - one.high) - one.low;
    if (!std::isfinite(error) || std::fabs(error) > 0.5) break;  // out of the range of f64 on the way
    const double change = root.high * error / static_cast<double>(n) + root.low, sum = root.high + change;
    root = {sum, change - (sum - root.high)};
  }
  return root;
}

// True if places are counted along the axis, and not given one by one.
bool counts(const View* positions, int ndim, int axis) {
  if (!positions) return true;
  const int d = axis - (ndim - 1 - positions->layout.ndim);
  return d < 0 || positions->layout.shape[d] == 1;
}

}  // namespace

RotaryPlan::RotaryPlan(const View& x, const View* given, const RotaryForm& form, const View& out)
    : x(x), out(out), form(form) {
  const int channel = x.layout.ndim - 1;
  step[kRotaryX] = x.layout.strides[channel];
  step[kRotaryOut] = out.layout.strides[channel];
  const bool counted = counts(given, x.layout.ndim, form.axis);
  Layout of_rows = x.layout;
  --of_rows.ndim;
  if (given) positions = *given, of_rows = broadcast_layout(given->layout, of_rows);
  const auto stride_of = [&](int d) { return given ? of_rows.strides[d] : 0; };
  int sharing = -1;
  for (int d = 0; d < channel; ++d)
    if (x.layout.shape[d] > 1 && stride_of(d) == 0 && !(counted && d == form.axis)) sharing = d;
  for (int d = 0; d < channel; ++d) {
    const int64_t in = x.layout.strides[d], to = out.layout.strides[d];
    if (d == sharing)
      shared = x.layout.shape[d], shared_step[kRotaryX] = in, shared_step[kRotaryOut] = to;
    else
      rows.push(x.layout.shape[d], {in, to, stride_of(d), counted && d == form.axis ? 1 : 0});
  }
}

RotaryArguments RotaryPlan::arguments() const {
  RotaryArguments args = {};
  for (int a = 0; a < 2; ++a) args.shared_step[a] = shared_step[a], args.step[a] = step[a];
  args.shared = shared;
  args.channels = form.channels;
  constexpr double kQuarterTurns = 0.63661977236758134308;  // in a radian
  constexpr double kQuarterTurnsLow = -3.9357353350364971e-17;
  args.first = form.inverse ? -kQuarterTurns : kQuarterTurns;
  args.first_low = form.inverse ? -kQuarterTurnsLow : kQuarterTurnsLow;
  TwoNumbers power = root_of(form.base, std::max<int64_t>(form.channels / 2, 1));
  for (int k = 0; k < kRotaryPowers; ++k, power = product_of(power, power)) {
    args.power[k] = std::pow(form.base, -std::ldexp(2.0, k) / static_cast<double>(form.channels));
    const double low = (power.high - args.power[k]) + power.low;
    args.power_low[k] = std::isfinite(low) ? low : 0;
  }
  return args;
}

void RotaryPlan::declare(Task& task) const {
  task.reads(*x.storage);
  if (positions) task.reads(*positions->storage);
  declare_output(task, out);
}

void RotaryPlan::list_operands(std::vector<TaskOperand>* list) const {
  list->push_back({x, false});
  if (positions) list->push_back({*positions, false});
  list->push_back({out, true});
}

Status infer(const RotaryCall& call, InputTypes inputs, ResultTypes results) {
  const View& x = *inputs[0];
  RotaryForm form = call.form;
  RONDO_TRY(check_form(x, &form));
  if (call.positions) RONDO_TRY(check_positions(x, *inputs[1]));
  results[0].set(x.dtype, x.layout);
  return {};
}

Status rotary(const View& x, const View* positions, const RotaryForm& given, Output& out) {
  RotaryForm form = given;
  RONDO_TRY(check_inputs({{"x", &x}}));
  RONDO_TRY(check_form(x, &form));
  if (positions) RONDO_TRY(check_inputs({{"x", &x}, {"options->positions", positions}}));
  const View* const both[] = {&x, positions};
  const InputTypes inputs(both, positions ? 2 : 1);
  const RotaryCall call{form, positions != nullptr};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  View to;
  RONDO_TRY(out.resolve(x.engine(), x.device(), made.dtype, made.shape, inputs, true, &to));
  const auto describe = [&] { return Call{call}; };
  const RotaryPlan plan(x, positions, form, to);
  if (to.elements() == 0) return submit_nothing("rotary", plan, {&out}, describe);
  return submit_prepared(x.engine(), x.device().is_host() ? make_cpu_rotary(plan) : make_cuda_rotary(plan), {&out},
                         describe);
}

}  // namespace rondo::ops
