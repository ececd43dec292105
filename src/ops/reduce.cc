// Reductions: checks, result dtype and shape, and the canonical form.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/reduce.h"

#include <algorithm>
#include <cmath>

#include "engine/views.h"
#include "ops/node.h"
#include "ops/sum_cpu.h"

namespace rondo::ops {

namespace {

class CpuReduction final : public Task {
 public:
  explicit CpuReduction(const ReducePlan& plan) : Task(plan.name(), plan.out.device()), plan_(plan) {
    reads(*plan.in.storage);
    declare_output(*this, plan.out);
    workspace_bytes_ = is_plain_sum(plan) ? plain_sum_workspace(plan) : reduce_workspace(plan);
  }
  Status run(const TaskContext& context) override {
    if (is_plain_sum(plan_))
      plain_sum_on_cpu(plan_, context.workspace);
    else
      reduce_on_cpu(plan_, context.workspace);
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { *list = {{plan_.in, false}, {plan_.out, true}}; }

 private:
  ReducePlan plan_;
};

bool gone(unsigned axes, int axis) {
  return (axes >> axis) & 1;
}

ReducePlan plan_reduction(ReduceOp op, double parameter, const View& in, const View& out, unsigned axes,
                          bool keep_dims) {
  ReducePlan plan;
  plan.op = op;
  plan.parameter = parameter;
  plan.in = in;
  plan.out = out;
  int to = 0;
  for (int d = 0; d < in.layout.ndim; ++d) {
    if (gone(axes, d)) {
      plan.reduced.push(in.layout.shape[d], {in.layout.strides[d]});
    } else {
      plan.kept.push(in.layout.shape[d], {in.layout.strides[d], out.layout.strides[to]});
    }
    if (!gone(axes, d) || keep_dims) ++to;
  }
  plan.kept = plan.kept.by_stride();
  // Positions are counted in the tensor's own order.
  if (op != ReduceOp::argmax && op != ReduceOp::argmin) plan.reduced = plan.reduced.by_stride();
  return plan;
}

Status check_parameters(const char* function, const ReductionRow& row, int n_parameters, const double* parameters,
                        double* parameter) {
  *parameter = row.parameter;
  if (!parameters) return {};
  if (n_parameters != row.parameters)
    return error(RONDO_INVALID_ARGUMENT, "%s: n_parameters is %d; %s has %d", function, n_parameters, row.name,
                 row.parameters);
  if (row.parameters == 0) return {};
  const bool norm = row.op == ReduceOp::lp_norm;
  if (!std::isfinite(parameters[0]) || parameters[0] < 0 || (norm && parameters[0] == 0))
    return error(RONDO_INVALID_ARGUMENT, "%s: parameters[0] is %g; %s needs a finite number %s 0", function,
                 parameters[0], row.name, norm ? "above" : "of at least");
  *parameter = parameters[0];
  return {};
}

}  // namespace

Status reduce(const char* function, rondo_reduce_op op, const View& a, int n_axes, const int32_t* axes, bool keep_dims,
              int n_parameters, const double* parameters, Output& out) {
  const ReductionRow* row = find_reduction(op);
  if (!row)
    return error(RONDO_INVALID_ARGUMENT, "%s: op is %d; RONDO_SUM (%d) to RONDO_NANPROD (%d) are possible", function,
                 op, RONDO_SUM, RONDO_NANPROD);
  double parameter = 0;
  RONDO_TRY(check_parameters(function, *row, n_parameters, parameters, &parameter));
  RONDO_TRY(check_inputs(function, {{"a", &a}}));
  unsigned mask = axes ? 0 : (1u << a.layout.ndim) - 1;
  for (int i = 0; i < n_axes; ++i) {
    int axis = 0;
    RONDO_TRY(check_axis(axes[i], a.layout.ndim, "axes", "a", &axis));
    if (gone(mask, axis))
      return error(RONDO_INVALID_ARGUMENT, "%s: axes names axis %d twice; each is possible once", function, axis);
    mask |= 1u << axis;
  }
  return reduce_over(function, row->op, parameter, a, mask, keep_dims, out);
}

Status reduce_over(const char* function, ReduceOp op, double parameter, const View& a, unsigned axes, bool keep_dims,
                   Output& out) {
  const ReductionRow& row = reduction_row(op);
  Layout shape;
  int64_t length = 1;
  for (int d = 0; d < a.layout.ndim; ++d) {
    if (gone(axes, d)) length *= a.layout.shape[d];
    if (!gone(axes, d) || keep_dims) shape.shape[shape.ndim++] = gone(axes, d) ? 1 : a.layout.shape[d];
  }
  if (length == 0 && row.needs_elements && shape.elements() > 0)
    return error(RONDO_INVALID_ARGUMENT,
                 "%s: a has shape %s, and there is no %s of nothing; at least one element is needed", function,
                 shape_text(a.layout).c_str(), row.name);
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), reduced_dtype(op, a.dtype), shape, {&a}, false, &to));
  if (to.elements() == 0) {
    out.commit();
    return {};
  }
  const ReducePlan plan = plan_reduction(op, parameter, a, to, axes, keep_dims);
  const auto describe = [&] { return Call{ReduceCall{op, parameter, axes, keep_dims}}; };
  return a.device().is_host() ? submit(a.engine(), make_ref<CpuReduction>(plan), {&out}, describe)
                              : submit_prepared(a.engine(), make_cuda_reduction(plan), {&out}, describe);
}

}  // namespace rondo::ops
