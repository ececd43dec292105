// Checks lists of tensors, and measures them: whether they are finite, and their norm.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ops/elementwise/form.h"
#include "ops/optimizer/list.h"
#include "ops/program/overlap.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

std::string each_name(const char* list, size_t i) {
  return format("%s[%zu]", list, i);
}

Status submit_measure(MeasureWork work, Output& out, rondo_dtype dtype, const Describe& call) {
  if (work.tensors.empty()) return error(RONDO_INVALID_ARGUMENT, "n is 0; at least one tensor is needed");
  RONDO_TRY(check_list("tensors", work.tensors));
  std::vector<const View*> inputs;
  for (const View& each : work.tensors) inputs.push_back(&each);
  Engine& engine = work.tensors[0].engine();
  Device& device = work.tensors[0].device();
  RONDO_TRY(out.resolve(engine, device, dtype, Layout(), inputs, false, &work.out));
  if (work.out.accumulate)
    return error(RONDO_INVALID_ARGUMENT, "the result cannot be added to an accumulator; a plain tensor is needed");
  Ref<Task> task = device.is_host() ? make_cpu_measure(std::move(work)) : make_cuda_measure(std::move(work));
  return submit_prepared(engine, std::move(task), {&out}, call);
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

Status check_list(const char* name, std::span<const View> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const View &each = tensors[i], &first = tensors[0];
    if (&each.engine() != &first.engine())
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] belongs to another engine than %s[0]", name, i, name);
    if (&each.device() != &first.device())
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is on %s and %s[0] on %s; one device is needed", name, i,
                   device_name(each.device().id()).c_str(), name, device_name(first.device().id()).c_str());
    if (!is_float(each.dtype) || is_f8(each.dtype))
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is %s; f16, bf16, f32 or f64 is needed", name, i,
                   operand_text(each).c_str());
    if (each.accumulate)
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is an accumulator; the tensor itself is needed", name, i);
    if (!lies_together(each.layout))
      return error(RONDO_INVALID_ARGUMENT,
                   "%s[%zu] has elements that do not lie together in memory; a copy (rondo_copy) has", name, i);
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
  if (given->dtype != dtype || given->elements() != 1)
    return error(RONDO_INVALID_ARGUMENT, "%s is %s; one element of %s is needed", name, operand_text(*given).c_str(),
                 dtype_name(dtype));
  if (given->accumulate)
    return error(RONDO_INVALID_ARGUMENT, "%s is an accumulator; the tensor itself is needed", name);
  return check_written(name, *given);
}

Status all_finite(std::span<const View> tensors, Output& out) {
  MeasureWork work{Measure::finite, {tensors.begin(), tensors.end()}, {}, 0};
  return submit_measure(std::move(work), out, RONDO_BOOL, [] { return Call{AllFiniteCall{}}; });
}

Status global_norm(std::span<const View> tensors, Output& out) {
  MeasureWork work{Measure::norm, {tensors.begin(), tensors.end()}, {}, 0};
  return submit_measure(std::move(work), out, RONDO_F32, [] { return Call{GlobalNormCall{}}; });
}

Status clip_global_norm(std::span<const View> tensors, double max_norm, Output& out) {
  if (!(max_norm > 0) || std::isinf(max_norm))
    return error(RONDO_INVALID_ARGUMENT, "max_norm is %g; a positive number is needed", max_norm);
  for (size_t i = 0; i < tensors.size(); ++i) RONDO_TRY(check_writable(each_name("tensors", i).c_str(), tensors[i]));
  RONDO_TRY(check_apart("tensors", tensors));
  MeasureWork work{Measure::clip, {tensors.begin(), tensors.end()}, {}, max_norm};
  return submit_measure(std::move(work), out, RONDO_F32, [&] { return Call{ClipGlobalNormCall{max_norm}}; });
}

}  // namespace rondo::ops
