// Checks lists of tensors, and measures them: whether they are finite, and their norm.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ops/elementwise/form.h"
#include "ops/optimizer/list.h"
#include "ops/program/infer.h"
#include "ops/program/overlap.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

std::string each_name(const char* list, size_t i) {
  return format("%s[%zu]", list, i);
}

// Tensors that are measured together.
Status check_measured(InputTypes tensors) {
  if (tensors.empty()) return error(RONDO_INVALID_ARGUMENT, "n is 0; at least one tensor is needed");
  for (size_t i = 0; i < tensors.size(); ++i) RONDO_TRY(check_listed("tensors", i, *tensors[i]));
  return {};
}

template <class OneKind>
Status submit_measure(const OneKind& call, MeasureWork work, Output& out) {
  RONDO_TRY(check_list("tensors", work.tensors));
  std::vector<const View*> inputs;
  for (const View& each : work.tensors) inputs.push_back(&each);
  std::vector<ResultType> made(1 + (work.what == Measure::clip ? inputs.size() : 0));
  RONDO_TRY(infer(call, inputs, made));
  Engine& engine = work.tensors[0].engine();
  Device& device = work.tensors[0].device();
  RONDO_TRY(out.resolve(engine, device, made.back().dtype, made.back().shape, inputs, false, &work.out));
  if (work.out.accumulate)
    return error(RONDO_INVALID_ARGUMENT, "the result cannot be added to an accumulator; a plain tensor is needed");
  Ref<OperatorTask> task = device.is_host() ? make_cpu_measure(std::move(work)) : make_cuda_measure(std::move(work));
  return submit_prepared(engine, std::move(task), {&out}, [&] { return Call{call}; });
}

}  // namespace

void StepWork::move_to(const Rebinding& memory) {
  for (StepTensor& each : tensors) memory.move_all(each.weights, each.gradient);
  for (std::optional<View>& state : states) memory.move(&state);
  memory.move_all(step, rate, finite, scale);
}

void StepWork::list_operands(std::vector<TaskOperand>* list) const {
  for (const bool written : {false, true}) {
    for (const StepTensor& each : tensors) list->push_back({each.weights, written});
    for (const StepTensor& each : tensors)
      if (!written) list->push_back({each.gradient, false});
    for (const std::optional<View>& state : states)
      if (state) list->push_back({*state, written});
    list->push_back({step, written});
    if (written) continue;
    list->push_back({rate, false});
    for (const std::optional<View>* given : {&finite, &scale})
      if (*given) list->push_back({**given, false});
  }
}

void StepWork::declare(Task& task) const {
  std::vector<TaskOperand> all;
  list_operands(&all);
  for (const TaskOperand& each : all) {
    if (each.written)
      declare_output(task, each.view);
    else
      task.reads(*each.view.storage);
  }
}

const char* MeasureWork::name() const {
  static const char* const names[] = {"all_finite", "global_norm", "clip_global_norm"};
  return names[static_cast<int>(what)];
}

void MeasureWork::list_operands(std::vector<TaskOperand>* list) const {
  for (const View& each : tensors) list->push_back({each, false});
  if (what == Measure::clip)
    for (const View& each : tensors) list->push_back({each, true});
  list->push_back({out, true});
}

void MeasureWork::declare(Task& task) const {
  for (const View& each : tensors) {
    task.reads(*each.storage);
    if (what == Measure::clip) declare_output(task, each);
  }
  declare_output(task, out);
}

bool lies_together(const Layout& layout) {
  const int64_t elements = layout.elements();
  if (elements == 0) return true;
  int64_t low = 0, high = 0;
  layout.extent(&low, &high);
  return low == 0 && high == elements && !layout.repeats();
}

bool lies_alike(const Layout& a, const Layout& b) {
  return a.same_shape(b) && (a.elements() == 0 || same_steps(a, b));
}

Status check_listed(const char* name, size_t i, const View& view) {
  if (!is_float(view.dtype))
    return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is %s; f16, bf16, f32 or f64 is needed", name, i,
                 operand_text(view).c_str());
  if (lies_together(view.layout)) return {};
  return error(RONDO_INVALID_ARGUMENT,
               "%s[%zu] has elements that do not lie together in memory; a copy (rondo_copy) has", name, i);
}

Status check_list(const char* name, std::span<const View> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const View &each = tensors[i], &first = tensors[0];
    if (&each.engine() != &first.engine())
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] belongs to another engine than %s[0]", name, i, name);
    if (&each.device() != &first.device())
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is on %s and %s[0] on %s; one device is needed", name, i,
                   device_name(each.device().id()).c_str(), name, device_name(first.device().id()).c_str());
    if (each.accumulate)
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is an accumulator; the tensor itself is needed", name, i);
    RONDO_TRY(check_listed(name, i, each));
    if (each.storage->has_contents()) continue;
    RONDO_TRY(check_written(each_name(name, i).c_str(), each));
  }
  return {};
}

Status check_apart(const char* name, std::span<const View> tensors) {
  // Sorted by storage and place, for lists have many tensors.
  std::vector<size_t> order(tensors.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto place = [&](size_t i) {
    return std::pair(reinterpret_cast<uintptr_t>(tensors[i].storage), tensors[i].offset);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  size_t last = 0;  // with elements
  bool found = false;
  for (const size_t i : order) {
    if (tensors[i].elements() == 0) continue;
    const View& before = tensors[last];
    if (found && before.storage == tensors[i].storage &&
        before.offset + static_cast<int64_t>(before.bytes()) > tensors[i].offset)
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] and %s[%zu] share memory; each element must come once", name,
                   std::min(last, i), name, std::max(last, i));
    last = i, found = true;
  }
  return {};
}

Status check_given(const char* name, const View* given, rondo_dtype dtype, const char* list, const View& first) {
  if (!given) return {};
  if (&given->engine() != &first.engine() || &given->device() != &first.device())
    return error(RONDO_INVALID_ARGUMENT, "%s is not on the %s' engine and device, %s", name, list,
                 device_name(first.device().id()).c_str());
  RONDO_TRY(check_one(name, given, dtype));
  if (given->accumulate)
    return error(RONDO_INVALID_ARGUMENT, "%s is an accumulator; the tensor itself is needed", name);
  return check_written(name, *given);
}

Status infer(const AllFiniteCall&, InputTypes inputs, ResultTypes results) {
  results[0].set(RONDO_BOOL, {});
  return check_measured(inputs);
}

Status infer(const GlobalNormCall&, InputTypes inputs, ResultTypes results) {
  results[0].set(RONDO_F32, {});
  return check_measured(inputs);
}

Status infer(const ClipGlobalNormCall& call, InputTypes inputs, ResultTypes results) {
  if (!(call.max_norm > 0) || std::isinf(call.max_norm))
    return error(RONDO_INVALID_ARGUMENT, "max_norm is %g; a positive number is needed", call.max_norm);
  RONDO_TRY(check_measured(inputs));
  if (results.size() != inputs.size() + 1)
    return error(RONDO_INVALID_ARGUMENT, "%zu tensors are read and %zu written; as many are needed", inputs.size(),
                 results.size() - 1);
  for (size_t i = 0; i < inputs.size(); ++i) results[i].set(inputs[i]->dtype, inputs[i]->layout);
  results.back().set(RONDO_F32, {});
  return {};
}

Status all_finite(std::span<const View> tensors, Output& out) {
  return submit_measure(AllFiniteCall{}, {Measure::finite, {tensors.begin(), tensors.end()}, {}, 0}, out);
}

Status global_norm(std::span<const View> tensors, Output& out) {
  return submit_measure(GlobalNormCall{}, {Measure::norm, {tensors.begin(), tensors.end()}, {}, 0}, out);
}

Status clip_global_norm(std::span<const View> tensors, double max_norm, Output& out) {
  for (size_t i = 0; i < tensors.size(); ++i) RONDO_TRY(check_writable(each_name("tensors", i).c_str(), tensors[i]));
  RONDO_TRY(check_apart("tensors", tensors));
  return submit_measure(ClipGlobalNormCall{max_norm}, {Measure::clip, {tensors.begin(), tensors.end()}, {}, max_norm},
                        out);
}

}  // namespace rondo::ops
