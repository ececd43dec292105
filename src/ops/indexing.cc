// One-hot and gathering rows: checks, plans, and the host's loops.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/indexing.h"

#include "engine/views.h"

namespace rondo::ops {

namespace {

constexpr const char* kOneHot = "rondo_one_hot";
constexpr const char* kGather = "rondo_gather_rows";

Status check_indices(const char* function, const View& indices) {
  if (indices.dtype == RONDO_I32 || indices.dtype == RONDO_I64) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s: indices has dtype %s; i32 or i64 is needed (rondo_cast makes it)", function,
               dtype_name(indices.dtype));
}

int64_t index_at(const View& indices, int64_t at) {
  return indices.dtype == RONDO_I32 ? reinterpret_cast<const device::i32*>(indices.address())[at]
                                    : reinterpret_cast<const device::i64*>(indices.address())[at];
}

class CpuOneHot final : public Task {
 public:
  explicit CpuOneHot(const OneHotPlan& plan) : Task("one_hot", plan.out.device()), plan_(plan) {
    reads(*plan.indices.storage);
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

 private:
  OneHotPlan plan_;
};

class CpuGather final : public Task {
 public:
  explicit CpuGather(const GatherPlan& plan) : Task("gather_rows", plan.out.device()), plan_(plan) {
    reads(*plan.table.storage);
    reads(*plan.indices.storage);
    declare_output(*this, plan.out);
  }
  Status run(const TaskContext&) override {
    with_element(plan_.out.dtype, [&]<class T>(T*) {
      const T* table = reinterpret_cast<const T*>(plan_.table.address());
      T* out = reinterpret_cast<T*>(plan_.out.address());
      const int64_t items = plan_.items.elements();
      const Dims<2>& row = plan_.row;
      const int inner = row.count - 1;
      const int64_t run = inner >= 0 ? row.size[inner] : 1;
      const int64_t from_step = inner >= 0 ? row.stride[0][inner] : 0;
      const int64_t to_step = inner >= 0 ? row.stride[1][inner] : 0;
      const int64_t length = row.elements();
      for (int64_t i = 0; i < items; ++i) {
        int64_t index = index_at(plan_.indices, plan_.items.offset(0, i));
        if (index < 0) index += plan_.rows;
        const bool inside = index >= 0 && index < plan_.rows;
        T* to_row = out + plan_.items.offset(1, i);
        for (int64_t r = 0; r < length; r += run) {
          const T* from = inside ? table + index * plan_.table_step + row.offset(0, r) : nullptr;
          T* to = to_row + row.offset(1, r);
          for (int64_t j = 0; j < run; ++j)
            put(to + j * to_step, inside ? device::from_memory(from[j * from_step]) : Register<T>(0),
                plan_.out.accumulate);
        }
      }
    });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    *list = {{plan_.table, false}, {plan_.indices, false}, {plan_.out, true}};
  }

 private:
  GatherPlan plan_;
};

}  // namespace

Status one_hot(const View& indices, int64_t depth, rondo_dtype dtype, Output& out) {
  RONDO_TRY(check_inputs(kOneHot, {{"indices", &indices}}));
  RONDO_TRY(check_indices(kOneHot, indices));
  if (depth < 0)
    return error(RONDO_INVALID_ARGUMENT, "%s: depth is %lld; 0 or more is needed", kOneHot,
                 static_cast<long long>(depth));
  RONDO_TRY(check_dtype(dtype));
  if (indices.layout.ndim == kMaxDims)
    return error(RONDO_INVALID_ARGUMENT,
                 "%s: indices has %d dimensions; the result would have one more, and %d are the most", kOneHot,
                 kMaxDims, kMaxDims);
  Layout shape = indices.layout;
  shape.shape[shape.ndim++] = depth;
  View to;
  RONDO_TRY(out.resolve(indices.engine(), indices.device(), dtype, Layout::row_major(shape.ndim, shape.shape),
                        {&indices}, false, &to));
  if (to.elements() == 0) {
    out.commit();
    return {};
  }
  OneHotPlan plan;
  plan.indices = indices;
  plan.out = to;
  plan.depth = depth;
  plan.out_step = to.layout.strides[indices.layout.ndim];
  for (int d = 0; d < indices.layout.ndim; ++d)
    plan.items.push(indices.layout.shape[d], {indices.layout.strides[d], to.layout.strides[d]});
  return to.device().is_host() ? submit(to.engine(), make_ref<CpuOneHot>(plan), {&out})
                               : submit_prepared(to.engine(), make_cuda_one_hot(plan), {&out});
}

Status gather_rows(const View& table, const View& indices, Output& out) {
  RONDO_TRY(check_inputs(kGather, {{"table", &table}, {"indices", &indices}}));
  RONDO_TRY(check_indices(kGather, indices));
  if (table.layout.ndim == 0)
    return error(RONDO_INVALID_ARGUMENT, "%s: table has 0 dimensions; rows need at least 1", kGather);
  const int row_dims = table.layout.ndim - 1;
  if (indices.layout.ndim + row_dims > kMaxDims)
    return error(RONDO_INVALID_ARGUMENT, "%s: the result of table %s and indices %s would have more than %d dimensions",
                 kGather, shape_text(table.layout).c_str(), shape_text(indices.layout).c_str(), kMaxDims);
  Layout shape = indices.layout;
  for (int d = 0; d < row_dims; ++d) shape.shape[shape.ndim++] = table.layout.shape[d + 1];
  View to;
  RONDO_TRY(out.resolve(table.engine(), table.device(), table.dtype, Layout::row_major(shape.ndim, shape.shape),
                        {&table, &indices}, false, &to));
  if (to.elements() == 0) {
    out.commit();
    return {};
  }
  GatherPlan plan;
  plan.table = table;
  plan.indices = indices;
  plan.out = to;
  plan.rows = table.layout.shape[0];
  plan.table_step = table.layout.strides[0];
  const int items = indices.layout.ndim;
  for (int d = 0; d < items; ++d)
    plan.items.push(indices.layout.shape[d], {indices.layout.strides[d], to.layout.strides[d]});
  for (int d = 0; d < row_dims; ++d)
    plan.row.push(table.layout.shape[d + 1], {table.layout.strides[d + 1], to.layout.strides[items + d]});
  return to.device().is_host() ? submit(to.engine(), make_ref<CpuGather>(plan), {&out})
                               : submit_prepared(to.engine(), make_cuda_gather(plan), {&out});
}

}  // namespace rondo::ops
