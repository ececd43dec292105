// Checks and plans sort, argsort and top-k; has the host's loop.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/sort.h"

#include <cinttypes>

#include "engine/views.h"
#include "ops/movement/shapes.h"
#include "ops/program/infer.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"
#include "rtc/device/sort.h"

namespace rondo::ops {

namespace {

class CpuSort final : public Computation {
 public:
  explicit CpuSort(const SortPlan& plan) : Computation(plan.name, plan.in.device()), plan_(plan) {
    declare_sort(*this, plan);
  }
  Status run(const TaskContext&) override {
    with_element(plan_.in.dtype, [&]<class M>(M*) { sort_lines<M>(); });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_sort_operands(plan_, list); }
  Ref<OperatorTask> without(uint32_t unread) const override { return make_ref<CpuSort>(plan_.without(unread)); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuSort>(memory.moved(plan_)); }

 private:
  template <class M>
  void sort_lines() const {
    std::vector<KeyedPlace> entries(static_cast<size_t>(plan_.length));
    const int64_t count = plan_.lines.elements();
    for (int64_t line = 0; line < count; ++line) {
      const M* from = reinterpret_cast<const M*>(plan_.in.address()) + plan_.lines.offset(0, line);
      for (int64_t i = 0; i < plan_.length; ++i) {
        const uint64_t key = device::sort_key(from[i * plan_.step[0]]);
        entries[static_cast<size_t>(i)] = {plan_.descending ? ~key : key, i};
      }
      sort_places(&entries, plan_.keep);
      for (int64_t rank = 0; rank < plan_.keep; ++rank) {
        const int64_t place = entries[static_cast<size_t>(rank)].place;
        if (plan_.values.storage) {
          M* to = reinterpret_cast<M*>(plan_.values.address()) + plan_.lines.offset(1, line) + rank * plan_.step[1];
          const M& value = from[place * plan_.step[0]];
          if (plan_.values.accumulate)
            put(to, device::from_memory(value), true);
          else
            *to = value;
        }
        if (plan_.indices.storage)
          put(reinterpret_cast<device::i64*>(plan_.indices.address()) + plan_.lines.offset(2, line) +
                  rank * plan_.step[2],
              static_cast<device::i64>(place), plan_.indices.accumulate);
      }
    }
  }

  SortPlan plan_;
};

// values, indices: null where they are not wanted.
Status submit_sort(const char* name, const View& a, int axis, int64_t keep, bool descending, Output* values,
                   Output* indices) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &axis));
  SortPlan plan;
  plan.name = name;
  plan.in = a;
  plan.length = a.layout.shape[axis];
  plan.keep = keep < 0 ? plan.length : keep;
  plan.descending = descending;
  const SortCall call{axis, descending, values != nullptr, indices != nullptr};
  const View* const inputs[] = {&a};
  ResultType made[2];
  made[0].shape = a.layout;
  made[0].shape.shape[axis] = plan.keep;
  RONDO_TRY(infer(call, inputs, {made, values && indices ? size_t{2} : size_t{1}}));
  const Layout& shape = made[0].shape;
  if (values) RONDO_TRY(values->resolve(a.engine(), a.device(), a.dtype, shape, {&a}, false, &plan.values));
  const View* const others[] = {&a, &plan.values};
  if (indices)
    RONDO_TRY(indices->resolve(a.engine(), a.device(), RONDO_I64, shape,
                               std::span<const View* const>(others, values ? 2 : 1), false, &plan.indices));
  for (int d = 0; d < shape.ndim; ++d) {
    const int64_t steps[] = {a.layout.strides[d], values ? plan.values.layout.strides[d] : 0,
                             indices ? plan.indices.layout.strides[d] : 0};
    if (d == axis)
      std::copy(steps, steps + 3, plan.step);
    else
      plan.lines.push(shape.shape[d], steps);
  }
  Engine& engine = a.engine();
  const auto describe = [&] { return Call{call}; };
  if (shape.elements() == 0)
    RONDO_TRY(submit_nothing(
        name, [&](std::vector<TaskOperand>* list) { list_sort_operands(plan, list); }, {}, describe));
  else
    RONDO_TRY(a.device().is_host() ? submit(engine, make_ref<CpuSort>(plan), {}, describe)
                                   : submit_prepared(engine, make_cuda_sort(plan), {}, describe));
  if (values) values->commit();
  if (indices) indices->commit();
  return {};
}

}  // namespace

void sort_places(std::vector<KeyedPlace>* line, int64_t keep) {
  if (keep == static_cast<int64_t>(line->size()))
    std::sort(line->begin(), line->end());
  else
    std::partial_sort(line->begin(), line->begin() + keep, line->end());
}

void declare_sort(Task& task, const SortPlan& plan) {
  task.reads(*plan.in.storage);
  if (plan.values.storage) declare_output(task, plan.values);
  if (plan.indices.storage) declare_output(task, plan.indices);
}

void list_sort_operands(const SortPlan& plan, std::vector<TaskOperand>* list) {
  list->push_back({plan.in, false});
  if (plan.values.storage) list->push_back({plan.values, true});
  if (plan.indices.storage) list->push_back({plan.indices, true});
}

// The results tell how many elements of each line are kept; one alone has all of them.
Status infer(const SortCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  RONDO_TRY(check_computed("a", a.dtype));
  RONDO_TRY(check_axis_attribute(call.axis, a));
  Layout shape = a.layout;
  int64_t& keep = shape.shape[call.axis];
  const int64_t length = keep;
  for (const ResultType& each : results)
    if (call.values && call.indices && each.shape.ndim == shape.ndim) keep = each.shape.shape[call.axis];
  if (keep > length)
    return error(RONDO_INVALID_ARGUMENT,
                 "k is %" PRId64 "; a has %" PRId64 " elements along axis %d, the most it can be", keep, length,
                 call.axis);
  if (call.values) results[0].set(a.dtype, shape);
  if (call.indices) results.back().set(RONDO_I64, shape);
  return {};
}

Status sort(const View& a, int axis, bool descending, Output& out) {
  return submit_sort("sort", a, axis, -1, descending, &out, nullptr);
}

Status argsort(const View& a, int axis, bool descending, Output& out) {
  return submit_sort("argsort", a, axis, -1, descending, nullptr, &out);
}

Status topk(const View& a, int64_t k, int axis, bool largest, Output& out, Output& indices) {
  if (k < 0) return error(RONDO_INVALID_ARGUMENT, "k is %" PRId64 "; 0 or more is needed", k);
  return submit_sort("topk", a, axis, k, largest, &out, &indices);
}

}  // namespace rondo::ops
