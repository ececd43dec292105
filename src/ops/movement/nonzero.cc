// Finds where a tensor is not 0, and selects elements by a mask: checks, plans and the host's loops.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/nonzero.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "engine/tasks/workers.h"
#include "engine/views.h"
#include "ops/movement/shapes.h"
#include "ops/operators/scalar.h"
#include "ops/program/infer.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

constexpr int64_t kPart = 1 << 15;  // elements that are worth handing to another thread

class CpuNonzero final : public Computation {
 public:
  explicit CpuNonzero(const NonzeroPlan& plan) : Computation(plan.name, plan.in.device()), plan_(plan) {
    plan.declare(*this);
  }
  Status run(const TaskContext&) override {
    with_element(plan_.in.dtype, [this]<class M>(M*) { find<M>(); });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuNonzero>(memory.moved(plan_)); }

 private:
  // Calls f with the number of each element of a part that is not 0.
  template <class M, class F>
  void each(int64_t part, F&& f) const {
    const M* from = reinterpret_cast<const M*>(plan_.in.address());
    const int64_t end = std::min((part + 1) * kPart, plan_.total);
    for (int64_t i = part * kPart; i < end; ++i)
      if (device::from_memory(from[plan_.elements.offset(0, i)]) != Register<M>(0)) f(i);
  }

  template <class M>
  void find() const {
    const int64_t parts = (plan_.total + kPart - 1) / kPart;
    std::vector<int64_t> starts(static_cast<size_t>(parts) + 1);
    Workers::share(parts, [&](int64_t part) {
      int64_t found = 0;
      each<M>(part, [&found](int64_t) { ++found; });
      starts[static_cast<size_t>(part) + 1] = found;
    });
    for (size_t part = 0; part < static_cast<size_t>(parts); ++part) starts[part + 1] += starts[part];
    const int64_t found = starts.back();
    put(reinterpret_cast<device::i64*>(plan_.count.address()), static_cast<device::i64>(found), plan_.count.accumulate);
    if (plan_.limit == 0) return;
    Workers::share(parts, [&](int64_t part) {
      int64_t row = starts[static_cast<size_t>(part)];
      if (row >= plan_.limit) return;
      each<M>(part, [&](int64_t i) {
        if (row < plan_.limit) write(row, i);
        ++row;
      });
    });
    for (int64_t row = found; row < plan_.limit; ++row)
      for (int c = 0; c < plan_.columns; ++c) write(row, c, plan_.fill);
  }
  void write(int64_t row, int64_t element) const {
    for (int c = plan_.columns - 1; c >= 0; --c) {
      write(row, c, element % plan_.size[c]);
      element /= plan_.size[c];
    }
  }
  void write(int64_t row, int column, int64_t value) const {
    device::i64* to = reinterpret_cast<device::i64*>(plan_.places.address());
    put(to + row * plan_.row_step + column * plan_.column_step, static_cast<device::i64>(value),
        plan_.places.accumulate);
  }

  NonzeroPlan plan_;
};

// A layout with `limit` as its first size.
Status limited_shape(int64_t limit, int rest, const int64_t* sizes, rondo_dtype dtype, Layout* layout) {
  if (limit < 0)
    return error(RONDO_INVALID_ARGUMENT, "limit is %lld; 0 or more is needed", static_cast<long long>(limit));
  int64_t shape[kMaxDims] = {limit};
  std::copy_n(sizes, rest, shape + 1);
  return check_shape(rest + 1, shape, dtype, layout);
}

// The task of a plan that says how places are written. `to` is [limit, columns] or, of one number for each, [limit].
Status submit_nonzero(NonzeroPlan& plan, const View& in, const View& to, const View& count,
                      std::initializer_list<Output*> outputs) {
  plan.in = in;
  plan.places = to;
  plan.count = count;
  plan.total = in.elements();
  for (int d = 0; d < in.layout.ndim; ++d) plan.elements.push(in.layout.shape[d], {in.layout.strides[d]});
  plan.row_step = to.layout.strides[0];
  plan.column_step = to.layout.ndim > 1 ? to.layout.strides[1] : 0;
  const auto describe = [&] { return Call{NonzeroCall{plan.limit, plan.fill, plan.columns}}; };
  return in.device().is_host() ? submit(in.engine(), make_ref<CpuNonzero>(plan), outputs, describe)
                               : submit_prepared(in.engine(), make_cuda_nonzero(plan), outputs, describe);
}

// Runs an operator that makes a new tensor, or that writes into a view.
template <class Operator>
Status make(Handle* made, const Operator& run) {
  Output out(&made->tensor);
  return run(out);
}
template <class Operator>
Status write_into(const View& to, const Operator& run) {
  Handle target{make_view(Ref<Storage>::share(to.storage), to)};
  return make(&target, run);
}

// The places where elements are not 0, as numbers or as indices along each dimension.
Status find_places(const View& a, int64_t limit, int64_t fill, bool numbers, Output& out, Output& count) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  NonzeroPlan plan;
  plan.name = "nonzero";
  plan.limit = limit;
  plan.fill = fill;
  plan.columns = numbers ? 1 : a.layout.ndim;
  std::copy_n(a.layout.shape, a.layout.ndim, plan.size);
  if (numbers) plan.size[0] = std::max<int64_t>(a.elements(), 1);
  const View* const inputs[] = {&a};
  ResultType made[2];
  made[0].shape.ndim = numbers ? 1 : 2;
  RONDO_TRY(infer(NonzeroCall{limit, fill, plan.columns}, inputs, made));
  RONDO_TRY(check_result("out", &made[0]));
  View places, number;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made[0].dtype, made[0].shape, {&a}, false, &places));
  RONDO_TRY(count.resolve(a.engine(), a.device(), made[1].dtype, made[1].shape, {&a, &places}, false, &number));
  return submit_nonzero(plan, a, places, number, {&out, &count});
}

}  // namespace

// Places that are numbers have one dimension, which is the result's own; coordinates have one more.
Status infer(const NonzeroCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  RONDO_TRY(check_computed("a", a.dtype));
  if (call.limit < 0)
    return error(RONDO_INVALID_ARGUMENT, "limit is %lld; 0 or more is needed", static_cast<long long>(call.limit));
  const bool numbers = results[0].shape.ndim == 1;
  const int columns = numbers ? 1 : a.layout.ndim;
  if (call.columns != columns)
    return error(RONDO_INVALID_ARGUMENT, "columns is %d; for such places, %d is needed", call.columns, columns);
  const int64_t shape[] = {call.limit, columns};
  results[0].set(RONDO_I64, Layout::row_major(numbers ? 1 : 2, shape));
  results[1].set(RONDO_I64, {});
  return {};
}

Status nonzero(const View& a, int64_t limit, int64_t fill, Output& out, Output& count) {
  return find_places(a, limit, fill, false, out, count);
}

Status nonzero_numbers(const View& a, int64_t limit, int64_t fill, Output& out, Output& count) {
  return find_places(a, limit, fill, true, out, count);
}

Status select(const View& a, const View& mask, int64_t limit, double fill, Output& out, Output& count) {
  RONDO_TRY(check_moved({{"a", &a}, {"mask", &mask}}));
  if (mask.dtype != RONDO_BOOL)
    return error(RONDO_INVALID_ARGUMENT, "mask has dtype %s; bool is needed (rondo_cast or a comparison makes it)",
                 dtype_name(mask.dtype));
  const int n = mask.layout.ndim;
  if (n < 1 || n > a.layout.ndim || !std::equal(mask.layout.shape, mask.layout.shape + n, a.layout.shape))
    return error(RONDO_INVALID_ARGUMENT,
                 "mask has shape %s and a has %s; the mask's sizes must be those of a's first dimensions, one at "
                 "least",
                 shape_text(mask.layout).c_str(), shape_text(a.layout).c_str());
  uint64_t word = 0;
  RONDO_TRY(scalar_word("fill", Scalar::of(fill), a.dtype, &word));
  Engine& engine = a.engine();
  const int64_t rows = mask.elements();
  Layout shape, flat;
  RONDO_TRY(limited_shape(limit, a.layout.ndim - n, a.layout.shape + n, a.dtype, &shape));
  RONDO_TRY(limited_shape(limit, 0, nullptr, RONDO_I64, &flat));
  View to, number;
  RONDO_TRY(out.resolve(engine, a.device(), a.dtype, shape, {&a, &mask}, false, &to));
  RONDO_TRY(count.resolve(engine, a.device(), RONDO_I64, {}, {&a, &mask, &to}, false, &number));

  // The numbers of the mask's elements; where there are no more, one that is none, which rondo_take makes 0 of.
  Ref<Storage> kept[3];
  const View chosen = make_temporary(engine, a.device(), RONDO_I64, flat, &kept[0]);
  chosen.storage->skips_outside = true;
  NonzeroPlan plan;
  plan.name = "select";
  plan.limit = limit;
  plan.fill = rows;
  plan.columns = 1;
  plan.size[0] = std::max<int64_t>(rows, 1);
  RONDO_TRY(submit_nonzero(plan, mask, chosen, number, {}));
  View from;
  shape.shape[0] = rows;
  if (!reshape_view(a, shape.ndim, shape.shape, &from).ok()) {
    const View copy =
        make_temporary(engine, a.device(), a.dtype, Layout::row_major(a.layout.ndim, a.layout.shape), &kept[1]);
    RONDO_TRY(copy_elements(a, copy));
    RONDO_TRY(reshape_view(copy, shape.ndim, shape.shape, &from));
  }
  const auto pick = [&](Output& all) { return take(from, chosen, 0, all); };
  if (fill == 0 && !std::signbit(fill)) {
    RONDO_TRY(write_into(to, pick));
  } else {
    const View one = make_temporary(engine, a.device(), a.dtype, {}, &kept[2]);
    RONDO_TRY(ops::fill(one, Scalar::of(fill)));
    Handle taken, there;
    RONDO_TRY(make(&taken, pick));
    RONDO_TRY(make(&there,
                   [&](Output& found) { return binary_scalar(RONDO_LT, chosen, Scalar::of_i64(rows), false, found); }));
    View valid;
    std::fill_n(shape.shape + 1, shape.ndim - 1, 1);
    shape.shape[0] = limit;
    RONDO_TRY(reshape_view(there.tensor->view, shape.ndim, shape.shape, &valid));
    RONDO_TRY(write_into(to, [&](Output& all) { return where(valid, taken.tensor->view, one, all); }));
  }
  out.commit();
  count.commit();
  return {};
}

}  // namespace rondo::ops
