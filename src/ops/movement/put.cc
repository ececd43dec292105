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
#include "ops/program/infer.h"
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
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuPut>(memory.moved(plan_)); }

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

// The shape that values are broadcast to.
Layout shape_of_values(const PutCall& call, const Layout& to, const Layout& indices) {
  Layout shape = to;
  if (call.along) {
    shape.shape[call.axis] = indices.shape[call.axis];
    return shape;
  }
  shape.ndim = call.axis;
  for (int d = 0; d < indices.ndim; ++d) shape.shape[shape.ndim++] = indices.shape[d];
  for (int d = call.axis + 1; d < to.ndim; ++d) shape.shape[shape.ndim++] = to.shape[d];
  return shape;
}

// Plans how `tensor`, a view that may accumulate, takes `values`, and finds the shape that they are broadcast to.
Status resolve(const char* name, rondo_tensor* tensor, const View& indices, const View& values, PutCall* call,
               PutPlan* plan, Layout* shape) {
  const View& to = tensor->view;
  View plain = to;  // what accumulates is read here
  plain.accumulate = false;
  RONDO_TRY(check_moved({{"tensor", &plain}, {"indices", &indices}, {"values", &values}}));
  RONDO_TRY(check_axis(call->axis, to.layout.ndim, "axis", "tensor", &call->axis));
  Output output(&tensor, "tensor");
  RONDO_TRY(output.resolve(to.engine(), to.device(), to.dtype, to.layout, {&indices, &values}, false, &plan->out));
  call->replaces = !to.accumulate;
  const View* const inputs[] = {&indices, &values, &to};
  ResultType made{to.dtype, to.layout};
  RONDO_TRY(infer_one(*call, InputTypes(inputs, call->replaces ? 3 : 2), &made));
  plan->name = name;
  plan->indices = indices;
  plan->values = values;
  *shape = shape_of_values(*call, to.layout, indices.layout);
  plan->values.layout = broadcast_layout(values.layout, *shape);
  return check_inside({name, "tensor", call->axis, to.layout.shape[call->axis], true}, indices, to.device(),
                      &plan->checked);
}

Status submit_put(const PutPlan& plan, const PutCall& call) {
  Engine& engine = plan.out.engine();
  const auto describe = [&] { return Call{call}; };
  if (plan.length == 0 || plan.lines.elements() == 0 || plan.columns.elements() == 0 || plan.extent == 0) {
    PutPlan nothing = plan;  // of which no element is written
    nothing.out.layout.shape[call.axis] = 0;
    return submit_nothing(
        plan.name, [&](std::vector<TaskOperand>* list) { list_put_operands(nothing, list); }, {}, describe);
  }
  return plan.out.device().is_host() ? submit(engine, make_ref<CpuPut>(plan), {}, describe)
                                     : submit_prepared(engine, make_cuda_put(plan), {}, describe);
}

}  // namespace

// Values go to the result's own shape, or to that of the tensor whose elements they replace.
Status infer(const PutCall& call, InputTypes inputs, ResultTypes results) {
  const View &indices = *inputs[0], &values = *inputs[1];
  if (call.replaces) results[0].set(inputs[2]->dtype, inputs[2]->layout);
  View out;
  out.dtype = results[0].dtype;
  out.layout = results[0].shape;
  RONDO_TRY(check_indices(indices));
  RONDO_TRY(check_dtype_of("values", values, "tensor", out));
  RONDO_TRY(check_axis_attribute(call.axis, out));
  const Layout& to = out.layout;
  const Layout& named = indices.layout;
  Layout common;
  if (!call.along && named.ndim + to.ndim - 1 > kMaxDims)
    return error(RONDO_INVALID_ARGUMENT, "tensor %s with indices %s needs values of more than %d dimensions",
                 shape_text(to).c_str(), shape_text(named).c_str(), kMaxDims);
  if (call.along && named.ndim != to.ndim)
    return error(RONDO_INVALID_ARGUMENT, "indices has shape %s and tensor has %s; as many dimensions are needed",
                 shape_text(named).c_str(), shape_text(to).c_str());
  const Layout shape = shape_of_values(call, to, named);
  if (call.along && (!broadcast_shapes(named, shape, &common) || !common.same_shape(shape)))
    return error(RONDO_INVALID_ARGUMENT,
                 "indices has shape %s and tensor has %s; but for axis %d, those of indices must be equal or 1",
                 shape_text(named).c_str(), shape_text(to).c_str(), call.axis);
  if (!broadcast_shapes(values.layout, shape, &common) || !common.same_shape(shape))
    return error(RONDO_INVALID_ARGUMENT, "values has shape %s, which cannot be broadcast to %s",
                 shape_text(values.layout).c_str(), shape_text(shape).c_str());
  return {};
}

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
  PutCall call{axis, true, false};
  Layout shape;
  RONDO_TRY(resolve("put_along_axis", tensor, indices, values, &call, &plan, &shape));
  const Layout& to = plan.out.layout;
  axis = call.axis;
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
  return submit_put(plan, call);
}

Status put(rondo_tensor* tensor, const View& indices, const View& values, int axis) {
  PutPlan plan;
  PutCall call{axis, false, false};
  Layout shape;
  RONDO_TRY(resolve("put", tensor, indices, values, &call, &plan, &shape));
  const Layout& to = plan.out.layout;
  axis = call.axis;
  const int n = indices.layout.ndim;
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
  return submit_put(plan, call);
}

}  // namespace rondo::ops
