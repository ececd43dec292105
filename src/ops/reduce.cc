// Reductions: checks, result dtype and shape, and the canonical form.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/reduce.h"

#include <algorithm>

#include "engine/views.h"

namespace rondo::ops {

namespace {

constexpr const char* kFunction = "rondo_reduce";

rondo_dtype result_dtype(rondo_reduce_op op, rondo_dtype dtype) {
  switch (op) {
    case RONDO_SUM:
    case RONDO_PROD: return is_float(dtype) ? dtype : RONDO_I64;
    case RONDO_MEAN: return is_float(dtype) ? dtype : RONDO_F32;
    case RONDO_ARGMAX:
    case RONDO_ARGMIN: return RONDO_I64;
    case RONDO_ALL:
    case RONDO_ANY: return RONDO_BOOL;
    default: return dtype;
  }
}

class CpuReduction final : public Task {
 public:
  explicit CpuReduction(const Reduction& reduction)
      : Task(reduce_name(reduction.op), reduction.out.device()), reduction_(reduction) {
    reads(*reduction.in.storage);
    declare_output(*this, reduction.out);
  }
  Status run(const TaskContext&) override {
    reduce_on_cpu(reduction_);
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    *list = {{reduction_.in, false}, {reduction_.out, true}};
  }

 private:
  Reduction reduction_;
};

}  // namespace

const char* reduce_name(int op) {
  static const char* const names[] = {"sum", "mean", "max", "min", "argmax", "argmin", "prod", "all", "any"};
  return op >= RONDO_SUM && op <= RONDO_ANY ? names[op] : nullptr;
}

Reduction plan_reduction(rondo_reduce_op op, const View& in, const View& out, const bool (&gone)[kMaxDims],
                         bool keep_dims) {
  Reduction plan;
  plan.op = op;
  plan.in = in;
  plan.out = out;
  int to = 0;
  for (int d = 0; d < in.layout.ndim; ++d) {
    if (gone[d]) {
      plan.reduced.push(in.layout.shape[d], {in.layout.strides[d]});
    } else {
      plan.kept.push(in.layout.shape[d], {in.layout.strides[d], out.layout.strides[to]});
    }
    if (!gone[d] || keep_dims) ++to;
  }
  plan.kept = plan.kept.by_stride();
  if (!plan.is_arg()) plan.reduced = plan.reduced.by_stride();  // argmax counts in the tensor's own order
  return plan;
}

Status reduce(rondo_reduce_op op, const View& a, int n_axes, const int32_t* axes, bool keep_dims, Output& out) {
  if (!reduce_name(op))
    return error(RONDO_INVALID_ARGUMENT, "%s: op is %d; RONDO_SUM (%d) to RONDO_ANY (%d) are possible", kFunction, op,
                 RONDO_SUM, RONDO_ANY);
  RONDO_TRY(check_inputs(kFunction, {{"a", &a}}));
  bool gone[kMaxDims] = {};
  if (!axes) std::fill(gone, gone + a.layout.ndim, true);
  for (int i = 0; i < n_axes; ++i) {
    int axis = 0;
    RONDO_TRY(check_axis(axes[i], a.layout.ndim, "axes", "a", &axis));
    if (gone[axis])
      return error(RONDO_INVALID_ARGUMENT, "%s: axes names axis %d twice; each is possible once", kFunction, axis);
    gone[axis] = true;
  }

  Layout shape;
  int64_t length = 1;
  for (int d = 0; d < a.layout.ndim; ++d) {
    if (gone[d]) length *= a.layout.shape[d];
    if (!gone[d] || keep_dims) shape.shape[shape.ndim++] = gone[d] ? 1 : a.layout.shape[d];
  }
  const bool needs_one = op == RONDO_MAX || op == RONDO_MIN || op == RONDO_ARGMAX || op == RONDO_ARGMIN;
  if (length == 0 && needs_one && shape.elements() > 0)
    return error(RONDO_INVALID_ARGUMENT,
                 "%s: a has shape %s, and nothing has no largest or smallest element; at least one is needed",
                 kFunction, shape_text(a.layout).c_str());
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), result_dtype(op, a.dtype), shape, {&a}, false, &to));
  if (to.elements() == 0) {
    out.commit();
    return {};
  }
  const Reduction plan = plan_reduction(op, a, to, gone, keep_dims);
  return a.device().is_host() ? submit(a.engine(), make_ref<CpuReduction>(plan), {&out})
                              : submit_prepared(a.engine(), make_cuda_reduction(plan), {&out});
}

}  // namespace rondo::ops
