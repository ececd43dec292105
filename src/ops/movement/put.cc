// Checks and plans put and put_along_axis; has the loop that the host runs for them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/put.h"

#include <algorithm>
#include <span>
#include <vector>

#include "engine/views.h"
#include "ops/movement/index_check.h"
#include "ops/movement/shapes.h"
#include "ops/movement/sort.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"
#include "rtc/device/sort.h"

namespace rondo::ops {

namespace {

class CpuPut final : public Computation {
 public:
  explicit CpuPut(const PutPlan& plan) : Computation(plan.name, plan.out.device()), plan_(plan) {
    declare_put(*this, plan);
  }
  Status run(const TaskContext&) override {
    with_element(moved_dtype(plan_.out.dtype), [&]<class M>(M*) { put_lines<M>(); });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_put_operands(plan_, list); }
  Ref<Task> again(const Rebinding& memory) const override { return make_ref<CpuPut>(memory.moved(plan_)); }

 private:
  template <class Index>
  void read_line(int64_t line, KeyedPlace* entries) const {
    const Index* indices = reinterpret_cast<const Index*>(plan_.indices.address()) + plan_.lines.offset(0, line);
    for (int64_t i = 0; i < plan_.length; ++i)
      entries[i] = {device::coordinate_key<device::i64>(indices[i * plan_.index_step], plan_.extent), i};
  }
  // The places of a line by their targets, those without one last.
  std::span<const KeyedPlace> sorted(int64_t line, std::vector<KeyedPlace>* entries) const {
    if (plan_.indices.dtype == RONDO_I32)
      read_line<device::i32>(line, entries->data());
    else
      read_line<device::i64>(line, entries->data());
    sort_places(entries, plan_.length);
    return *entries;
  }

  template <class M>
  void put_lines() const {
    std::vector<KeyedPlace> room(static_cast<size_t>(plan_.length));
    const int64_t count = plan_.lines.elements(), width = plan_.columns.elements();
    for (int64_t line = 0; line < count; ++line) {
      const std::span<const KeyedPlace> entries = sorted(line, &room);
      const M* values = reinterpret_cast<const M*>(plan_.values.address()) + plan_.lines.offset(1, line);
      M* out = reinterpret_cast<M*>(plan_.out.address()) + plan_.lines.offset(2, line);
      for (auto run = entries.begin(); run != entries.end() && run->key != device::kLastKey<device::u64>;) {
        const auto end =
            std::find_if(run, entries.end(), [key = run->key](const KeyedPlace& each) { return each.key != key; });
        for (int64_t column = 0; column < width; ++column) {
          M* to = out + static_cast<int64_t>(run->key) * plan_.out_step + plan_.columns.offset(1, column);
          const auto value = [&](auto entry) {
            return values[plan_.along.offset(0, entry->place) + plan_.columns.offset(0, column)];
          };
          if (plan_.out.accumulate) {
            Register<M> sum = device::from_memory(value(run));
            for (auto each = run + 1; each != end; ++each)
              sum = device::op_add<Register<M>>(sum, device::from_memory(value(each)));
            put(to, sum, true);
          } else {
            *to = value(end - 1);
          }
        }
        run = end;
      }
    }
  }

  PutPlan plan_;
};

// Plans how `tensor`, a view that may accumulate, takes `values` of a shape.
Status resolve(const char* name, rondo_tensor* tensor, const View& indices, const View& values, PutPlan* plan) {
  const View& to = tensor->view;
  View plain = to;  // what accumulates is read here
  plain.accumulate = false;
  RONDO_TRY(check_moved({{"tensor", &plain}, {"indices", &indices}, {"values", &values}}));
  RONDO_TRY(check_indices(indices));
  if (values.dtype != to.dtype)
    return error(RONDO_INVALID_ARGUMENT, "values has dtype %s but tensor has %s; cast one with rondo_cast",
                 dtype_name(values.dtype), dtype_name(to.dtype));
  Output output(&tensor, "tensor");
  RONDO_TRY(output.resolve(to.engine(), to.device(), to.dtype, to.layout, {&indices, &values}, false, &plan->out));
  plan->name = name;
  plan->indices = indices;
  plan->values = values;
  return {};
}

Status values_differ(const View& values, const Layout& shape) {
  return error(RONDO_INVALID_ARGUMENT, "values has shape %s, which cannot be broadcast to %s",
               shape_text(values.layout).c_str(), shape_text(shape).c_str());
}

Status broadcast_values(const Layout& shape, PutPlan* plan) {
  Layout common;
  if (!broadcast_shapes(plan->values.layout, shape, &common) || !common.same_shape(shape))
    return values_differ(plan->values, shape);
  plan->values.layout = broadcast_layout(plan->values.layout, shape);
  return {};
}

Status check(const View& indices, int axis, PutPlan* plan) {
  return check_inside({plan->name, "tensor", axis, plan->out.layout.shape[axis], true}, indices, plan->out.device(),
                      &plan->checked);
}

Status submit_put(const PutPlan& plan, const PutCall& call) {
  Engine& engine = plan.out.engine();
  const auto describe = [&] { return Call{call}; };
  if (plan.length == 0 || plan.lines.elements() == 0 || plan.columns.elements() == 0 || plan.extent == 0) {
    PutPlan nothing = plan;  // of which no element is written
    nothing.out.layout.shape[0] = 0;
    return submit_nothing(
        plan.name, [&](std::vector<TaskOperand>* list) { list_put_operands(nothing, list); }, {}, describe);
  }
  return plan.out.device().is_host() ? submit(engine, make_ref<CpuPut>(plan), {}, describe)
                                     : submit_prepared(engine, make_cuda_put(plan), {}, describe);
}

}  // namespace

void declare_put(Task& task, const PutPlan& plan) {
  task.reads(*plan.indices.storage);
  task.reads(*plan.values.storage);
  task.reads(*plan.out.storage);  // what no index names stays
  if (plan.checked) task.follows(*plan.checked);
  task.writes(*plan.out.storage);
}

void list_put_operands(const PutPlan& plan, std::vector<TaskOperand>* list) {
  *list = {{plan.indices, false}, {plan.values, false}};
  if (!plan.out.accumulate) list->push_back({plan.out, false});  // what no index names stays
  list->push_back({plan.out, true});
}

Status put_along_axis(rondo_tensor* tensor, const View& indices, const View& values, int axis) {
  PutPlan plan;
  RONDO_TRY(resolve("put_along_axis", tensor, indices, values, &plan));
  const Layout& to = plan.out.layout;
  RONDO_TRY(check_axis(axis, to.ndim, "axis", "tensor", &axis));
  Layout shape = to;
  shape.shape[axis] = indices.layout.ndim == to.ndim ? indices.layout.shape[axis] : 0;
  Layout common;
  if (indices.layout.ndim != to.ndim || !broadcast_shapes(indices.layout, shape, &common) || !common.same_shape(shape))
    return error(RONDO_INVALID_ARGUMENT,
                 "indices has shape %s and tensor has %s; but for axis %d, those of indices must be equal or 1",
                 shape_text(indices.layout).c_str(), shape_text(to).c_str(), axis);
  RONDO_TRY(broadcast_values(shape, &plan));
  RONDO_TRY(check(indices, axis, &plan));
  plan.extent = to.shape[axis];
  plan.out_step = to.strides[axis];
  plan.length = shape.shape[axis];
  plan.index_step = indices.layout.strides[axis];
  plan.along.push(plan.length, {plan.values.layout.strides[axis]});
  for (int d = 0; d < to.ndim; ++d) {
    const int64_t value_step = plan.values.layout.strides[d];
    if (d == axis) continue;
    if (indices.layout.shape[d] != 1)
      plan.lines.push(to.shape[d], {indices.layout.strides[d], value_step, to.strides[d]});
    else
      plan.columns.push(to.shape[d], {value_step, to.strides[d]});
  }
  return submit_put(plan, {axis, true, !plan.out.accumulate});
}

Status put(rondo_tensor* tensor, const View& indices, const View& values, int axis) {
  PutPlan plan;
  RONDO_TRY(resolve("put", tensor, indices, values, &plan));
  const Layout& to = plan.out.layout;
  RONDO_TRY(check_axis(axis, to.ndim, "axis", "tensor", &axis));
  const int n = indices.layout.ndim;
  if (n + to.ndim - 1 > kMaxDims)
    return error(RONDO_INVALID_ARGUMENT, "tensor %s with indices %s needs values of more than %d dimensions",
                 shape_text(to).c_str(), shape_text(indices.layout).c_str(), kMaxDims);
  Layout shape;
  for (int d = 0; d < axis; ++d) shape.shape[shape.ndim++] = to.shape[d];
  for (int d = 0; d < n; ++d) shape.shape[shape.ndim++] = indices.layout.shape[d];
  for (int d = axis + 1; d < to.ndim; ++d) shape.shape[shape.ndim++] = to.shape[d];
  RONDO_TRY(broadcast_values(shape, &plan));
  RONDO_TRY(check(indices, axis, &plan));
  plan.extent = to.shape[axis];
  plan.out_step = to.strides[axis];
  plan.length = indices.elements();
  // One line of indices; those that no single step walks are copied.
  Dims<1> line;
  for (int d = 0; d < n; ++d) line.push(indices.layout.shape[d], {indices.layout.strides[d]});
  Ref<Storage> packed;
  if (line.count > 1) {
    plan.indices = make_temporary(indices.engine(), indices.device(), indices.dtype,
                                  Layout::row_major(n, indices.layout.shape), &packed);
    if (plan.length > 0) RONDO_TRY(copy_elements(indices, plan.indices));
  }
  plan.index_step = line.count == 1 ? line.stride[0][0] : 1;
  for (int d = 0; d < shape.ndim; ++d) {
    const int64_t value_step = plan.values.layout.strides[d];
    if (d >= axis && d < axis + n)
      plan.along.push(shape.shape[d], {value_step});
    else
      plan.columns.push(shape.shape[d], {value_step, to.strides[d < axis ? d : d - n + 1]});
  }
  return submit_put(plan, {axis, false, !plan.out.accumulate});
}

}  // namespace rondo::ops
