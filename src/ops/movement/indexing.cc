// Checks and plans one-hot, and picking elements by an index tensor; has the host's loop of one-hot.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/indexing.h"

#include "engine/views.h"
#include "ops/movement/index_check.h"
#include "ops/movement/remap.h"
#include "ops/movement/shapes.h"
#include "ops/program/infer.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

int64_t index_at(const View& indices, int64_t at) {
  return indices.dtype == RONDO_I32 ? reinterpret_cast<const device::i32*>(indices.address())[at]
                                    : reinterpret_cast<const device::i64*>(indices.address())[at];
}

class CpuOneHot final : public Computation {
 public:
  explicit CpuOneHot(const OneHotPlan& plan) : Computation("one_hot", plan.out.device()), plan_(plan) {
    reads(*plan.indices.storage);
    if (plan.checked) follows(*plan.checked);
    declare_output(*this, plan.out);
  }
  Status run(const TaskContext&) override {
    with_element(plan_.out.dtype, [&]<class T>(T*) {
      T* out = reinterpret_cast<T*>(plan_.out.address());
      const int64_t items = plan_.items.elements();
      for (int64_t i = 0; i < items; ++i) {
        const int64_t index = index_at(plan_.indices, plan_.items.offset(0, i));
        T* to = out + plan_.items.offset(1, i);
        for (int64_t j = 0; j < plan_.depth; ++j)
          put(to + j * plan_.out_step, static_cast<Register<T>>(j == index), plan_.out.accumulate);
      }
    });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    *list = {{plan_.indices, false}, {plan_.out, true}};
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuOneHot>(memory.moved(plan_)); }

 private:
  OneHotPlan plan_;
};

// a with `axis` replaced by the indices' dimensions. `of`: a's name.
Status find_taken(const char* of, const View& a, const View& indices, int axis, ResultType* made) {
  const Layout& from = a.layout;
  const int n = indices.layout.ndim;
  RONDO_TRY(check_indices(indices));
  if (n + from.ndim - 1 > kMaxDims)
    return error(RONDO_INVALID_ARGUMENT, "the result of %s %s and indices %s would have more than %d dimensions", of,
                 shape_text(from).c_str(), shape_text(indices.layout).c_str(), kMaxDims);
  Layout shape;
  for (int d = 0; d < axis; ++d) shape.shape[shape.ndim++] = from.shape[d];
  for (int d = 0; d < n; ++d) shape.shape[shape.ndim++] = indices.layout.shape[d];
  for (int d = axis + 1; d < from.ndim; ++d) shape.shape[shape.ndim++] = from.shape[d];
  made->set(a.dtype, shape);
  return {};
}

Status take_rows(const char* name, const char* of, const View& a, const View& indices, int axis, Output& out) {
  const Layout& from = a.layout;
  const int n = indices.layout.ndim;
  ResultType made;
  RONDO_TRY(find_taken(of, a, indices, axis, &made));
  RONDO_TRY(check_result("out", &made));
  const Layout& shape = made.shape;
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, shape, {&a, &indices}, false, &to));
  RemapPlan plan(name, to, {a});
  RONDO_TRY(check_inside({name, of, axis, from.shape[axis], true}, indices, to.device(), &plan.checked));
  plan.index_by(indices, from.shape[axis], from.strides[axis]);
  for (int d = 0; d < shape.ndim; ++d) {
    device::RemapDim dim = plain_dim(shape.shape[d], to.layout.strides[d]);
    const bool named = d >= axis && d < axis + n;
    if (named) dim.index_stride = indices.layout.strides[d - axis];
    plan.push(dim, named ? 0 : from.strides[d < axis ? d : d - n + 1]);
  }
  return submit_remap(plan, {&out}, [&] { return Call{TakeCall{axis}}; });
}

}  // namespace

Status check_indices(const View& indices) {
  if (indices.dtype == RONDO_I32 || indices.dtype == RONDO_I64) return {};
  return error(RONDO_INVALID_ARGUMENT, "indices has dtype %s; i32 or i64 is needed (rondo_cast makes it)",
               dtype_name(indices.dtype));
}

Status infer(const TakeCall& call, InputTypes inputs, ResultTypes results) {
  RONDO_TRY(check_axis_attribute(call.axis, *inputs[0]));
  return find_taken("a", *inputs[0], *inputs[1], call.axis, &results[0]);
}

Status infer(const TakeAlongAxisCall& call, InputTypes inputs, ResultTypes results) {
  const View &a = *inputs[0], &indices = *inputs[1];
  const int axis = call.axis;
  RONDO_TRY(check_indices(indices));
  RONDO_TRY(check_axis_attribute(axis, a));
  Layout rest = a.layout, named = indices.layout, shape;
  rest.shape[axis] = 1;
  if (named.ndim == rest.ndim) named.shape[axis] = 1;
  if (named.ndim != rest.ndim || !broadcast_shapes(rest, named, &shape))
    return error(RONDO_INVALID_ARGUMENT, "indices has shape %s and a has %s; but for axis %d, sizes must be equal or 1",
                 shape_text(indices.layout).c_str(), shape_text(a.layout).c_str(), axis);
  shape.shape[axis] = indices.layout.shape[axis];
  results[0].set(a.dtype, shape);
  return {};
}

// The dtype is the result's own.
Status infer(const OneHotCall& call, InputTypes inputs, ResultTypes results) {
  const View& indices = *inputs[0];
  RONDO_TRY(check_indices(indices));
  if (call.depth < 0)
    return error(RONDO_INVALID_ARGUMENT, "depth is %lld; 0 or more is needed", static_cast<long long>(call.depth));
  RONDO_TRY(check_dtype(results[0].dtype));
  RONDO_TRY(check_computed("the result", results[0].dtype));
  if (indices.layout.ndim == kMaxDims)
    return error(RONDO_INVALID_ARGUMENT,
                 "indices has %d dimensions; the result would have one more, and %d are the most", kMaxDims, kMaxDims);
  Layout shape = indices.layout;
  shape.shape[shape.ndim++] = call.depth;
  results[0].set(results[0].dtype, shape);
  return {};
}

Status one_hot(const View& indices, int64_t depth, rondo_dtype dtype, Output& out) {
  RONDO_TRY(check_inputs({{"indices", &indices}}));
  const OneHotCall call{depth};
  ResultType made{dtype, {}};
  RONDO_TRY(infer_one(call, {&indices}, &made));
  View to;
  RONDO_TRY(out.resolve(indices.engine(), indices.device(), made.dtype, made.shape, {&indices}, false, &to));
  if (to.elements() == 0) {
    out.commit();
    return {};
  }
  OneHotPlan plan;
  RONDO_TRY(check_inside({"one_hot", "", -1, depth, false}, indices, to.device(), &plan.checked));
  plan.indices = indices;
  plan.out = to;
  plan.depth = depth;
  plan.out_step = to.layout.strides[indices.layout.ndim];
  for (int d = 0; d < indices.layout.ndim; ++d)
    plan.items.push(indices.layout.shape[d], {indices.layout.strides[d], to.layout.strides[d]});
  const auto describe = [&] { return Call{call}; };
  return to.device().is_host() ? submit(to.engine(), make_ref<CpuOneHot>(plan), {&out}, describe)
                               : submit_prepared(to.engine(), make_cuda_one_hot(plan), {&out}, describe);
}

Status gather_rows(const View& table, const View& indices, Output& out) {
  RONDO_TRY(check_moved({{"table", &table}, {"indices", &indices}}));
  if (table.layout.ndim == 0) return error(RONDO_INVALID_ARGUMENT, "table has 0 dimensions; rows need at least 1");
  return take_rows("gather_rows", "table", table, indices, 0, out);
}

Status take(const View& a, const View& indices, int axis, Output& out) {
  RONDO_TRY(check_moved({{"a", &a}, {"indices", &indices}}));
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &axis));
  return take_rows("take", "a", a, indices, axis, out);
}

Status take_along_axis(const View& a, const View& indices, int axis, Output& out) {
  RONDO_TRY(check_moved({{"a", &a}, {"indices", &indices}}));
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &axis));
  const TakeAlongAxisCall call{axis};
  ResultType made;
  RONDO_TRY(infer_one(call, {&a, &indices}, &made));
  const Layout& shape = made.shape;
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, shape, {&a, &indices}, false, &to));
  RemapPlan plan("take_along_axis", to, {a});
  RONDO_TRY(check_inside({plan.name, "a", axis, a.layout.shape[axis], true}, indices, to.device(), &plan.checked));
  plan.index_by(indices, a.layout.shape[axis], a.layout.strides[axis]);
  for (int d = 0; d < shape.ndim; ++d) {
    device::RemapDim dim = plain_dim(shape.shape[d], to.layout.strides[d]);
    dim.index_stride = d == axis || indices.layout.shape[d] > 1 ? indices.layout.strides[d] : 0;
    plan.push(dim, d == axis || a.layout.shape[d] == 1 ? 0 : a.layout.strides[d]);
  }
  return submit_remap(plan, {&out}, [&] { return Call{call}; });
}

}  // namespace rondo::ops
