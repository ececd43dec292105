// Checks reductions, finds dtype and shape of their results, and brings them to the canonical form.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/reduce.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "engine/views.h"
#include "ops/program/infer.h"
#include "ops/reduce/sum_cpu.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

class CpuReduction final : public Computation {
 public:
  explicit CpuReduction(const ReducePlan& plan) : Computation(plan.name(), plan.out.device()), plan_(plan) {
    plan.declare(*this);
    workspace_bytes_ = is_plain_sum(plan) ? plain_sum_workspace(plan) : reduce_workspace(plan);
  }
  Status run(const TaskContext& context) override {
    if (is_plain_sum(plan_))
      plain_sum_on_cpu(plan_, context.workspace);
    else
      reduce_on_cpu(plan_, context.workspace);
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CpuReduction>(memory.moved(plan_));
  }

 private:
  ReducePlan plan_;
};

bool gone(unsigned axes, int axis) {
  return (axes >> axis) & 1;
}

template <int N, int All>
Dims<N> some_of(const Dims<All>& all, const int (&arrays)[N]) {
  Dims<N> some;
  some.count = all.count;
  std::copy_n(all.size, all.count, some.size);
  for (int a = 0; a < N; ++a) std::copy_n(all.stride[arrays[a]], all.count, some.stride[a]);
  return some;
}

// Positions are counted in the tensor's own order.
bool keeps_order(ReduceOp op) {
  return op == ReduceOp::argmax || op == ReduceOp::argmin;
}

// How what is reduced, the result, and then these inputs lie over the results and over the reduced range.
template <int N>
void lay_out(const ReducePlan& plan, std::span<const View> inputs, unsigned axes, bool keep_dims, Dims<N>* kept,
             Dims<N>* reduced) {
  int to = 0;
  for (int d = 0; d < plan.in.layout.ndim; ++d) {
    int64_t steps[N] = {plan.in.layout.strides[d]};
    if (!gone(axes, d)) steps[1] = plan.out.layout.strides[to];
    for (size_t k = 0; k < inputs.size(); ++k) steps[2 + k] = inputs[k].layout.strides[d];
    (gone(axes, d) ? reduced : kept)->push(plan.in.layout.shape[d], steps);
    if (!gone(axes, d) || keep_dims) ++to;
  }
  *kept = kept->by_stride();
  if (!keeps_order(plan.op)) *reduced = reduced->by_stride();
}

ReducePlan plan_reduction(ReduceOp op, double parameter, const View& in, const View& out, unsigned axes, bool keep_dims,
                          std::shared_ptr<ReducedExpression> expression, std::shared_ptr<const ReduceFinish> finish) {
  ReducePlan plan;
  plan.op = op;
  plan.parameter = parameter;
  plan.in = in;
  plan.out = out;
  plan.finish = std::move(finish);
  if (!expression) {
    Dims<2> reduced;
    lay_out(plan, {}, axes, keep_dims, &plan.kept, &reduced);
    plan.reduced = some_of(reduced, {0});
    return plan;
  }
  Dims<2 + Expression::kMaxInputs> kept, reduced;
  lay_out(plan, expression->inputs, axes, keep_dims, &kept, &reduced);
  plan.kept = some_of(kept, {0, 1});
  plan.reduced = some_of(reduced, {0});
  int inputs[Expression::kMaxInputs];
  std::iota(inputs, inputs + Expression::kMaxInputs, 2);
  expression->kept = some_of(kept, inputs);
  expression->reduced = some_of(reduced, inputs);
  plan.expression = std::move(expression);
  return plan;
}

// A bit for each axis to reduce.
Status find_axes(int ndim, int n_axes, const int32_t* axes, unsigned* mask) {
  *mask = axes ? 0 : (1u << ndim) - 1;
  for (int i = 0; i < n_axes; ++i) {
    int axis = 0;
    RONDO_TRY(check_axis(axes[i], ndim, "axes", "a", &axis));
    if (gone(*mask, axis))
      return error(RONDO_INVALID_ARGUMENT, "axes names axis %d twice; each is possible once", axis);
    *mask |= 1u << axis;
  }
  return {};
}

Status check_parameters(const ReductionRow& row, int n_parameters, const double* parameters, double* parameter) {
  *parameter = row.parameter;
  if (!parameters) return {};
  if (n_parameters != row.parameters)
    return error(RONDO_INVALID_ARGUMENT, "n_parameters is %d; %s has %d", n_parameters, row.name, row.parameters);
  if (row.parameters == 0) return {};
  const bool norm = row.op == ReduceOp::lp_norm;
  if (!std::isfinite(parameters[0]) || parameters[0] < 0 || (norm && parameters[0] == 0))
    return error(RONDO_INVALID_ARGUMENT, "parameters[0] is %g; %s needs a finite number %s 0", parameters[0], row.name,
                 norm ? "above" : "of at least");
  *parameter = parameters[0];
  return {};
}

// Norms of 1 and 2 have rows of their own, which add up without powers, and squares in f64.
const ReductionRow& simplest_row(const ReductionRow& row, double* parameter) {
  if (row.op != ReduceOp::lp_norm || (*parameter != 1 && *parameter != 2)) return row;
  const ReductionRow& simpler = reduction_row(*parameter == 1 ? ReduceOp::l1_norm : ReduceOp::l2_norm);
  *parameter = simpler.parameter;
  return simpler;
}

}  // namespace

Status reduce(rondo_reduce_op op, const View& a, int n_axes, const int32_t* axes, bool keep_dims, int n_parameters,
              const double* parameters, Output& out) {
  const ReductionRow* row = find_reduction(op);
  if (!row)
    return error(RONDO_INVALID_ARGUMENT, "op is %d; RONDO_SUM (%d) to RONDO_NANPROD (%d) are possible", op, RONDO_SUM,
                 RONDO_NANPROD);
  double parameter = 0;
  RONDO_TRY(check_parameters(*row, n_parameters, parameters, &parameter));
  RONDO_TRY(check_inputs({{"a", &a}}));
  unsigned mask = 0;
  RONDO_TRY(find_axes(a.layout.ndim, n_axes, axes, &mask));
  const ReduceOp simplest = simplest_row(*row, &parameter).op;
  return reduce_over(simplest, parameter, a, mask, keep_dims, out);
}

View ReducedExpression::widest() const {
  const auto width = [](const View& view) {
    int64_t elements = 1;
    for (int d = 0; d < view.layout.ndim; ++d)
      if (view.layout.strides[d] != 0) elements *= view.layout.shape[d];
    return elements;
  };
  View view = *std::max_element(inputs.begin(), inputs.end(),
                                [&](const View& a, const View& b) { return width(a) < width(b); });
  view.dtype = dtype();
  return view;
}

void ReducePlan::declare(Task& task) const {
  if (expression)
    for (const View& each : expression->inputs) task.reads(*each.storage);
  else
    task.reads(*in.storage);
  declare_output(task, out);
}

void ReducePlan::list_operands(std::vector<TaskOperand>* list) const {
  if (expression)
    for (const View& each : expression->inputs) list->push_back({each, false});
  else
    list->push_back({in, false});
  list->push_back({out, true});
}

namespace {

// The shape of what is made by reducing a.
Status reduced_shape(ReduceOp op, const View& a, unsigned axes, bool keep_dims, Layout* made) {
  const ReductionRow& row = reduction_row(op);
  Layout& shape = *made;
  shape = {};
  bool of_nothing = false, makes_nothing = false;
  for (int d = 0; d < a.layout.ndim; ++d) {
    (gone(axes, d) ? of_nothing : makes_nothing) |= a.layout.shape[d] == 0;
    if (!gone(axes, d) || keep_dims) shape.shape[shape.ndim++] = gone(axes, d) ? 1 : a.layout.shape[d];
  }
  if (of_nothing && !makes_nothing && row.needs_elements)
    return error(RONDO_INVALID_ARGUMENT,
                 "a has shape %s, and there is no %s of nothing; at least one element is needed",
                 shape_text(a.layout).c_str(), row.name);
  return {};
}

// describe: for a tape, if it knows a gradient.
Status begin(const ReducePlan& plan, Output& out, const Describe& describe = {}) {
  Engine& engine = plan.in.engine();
  if (plan.out.elements() == 0) return submit_nothing(plan.name(), plan, {&out}, describe);
  return plan.in.device().is_host() ? submit(engine, make_ref<CpuReduction>(plan), {&out}, describe)
                                    : submit_prepared(engine, make_cuda_reduction(plan), {&out}, describe);
}

}  // namespace

Status infer(const ReduceCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  RONDO_TRY(check_reduction_attribute(call.op));
  RONDO_TRY(check_computed("a", a.dtype));
  if (call.axes >> a.layout.ndim)
    return error(RONDO_INVALID_ARGUMENT, "axes is 0x%x; a bit for each of the %d dimensions of a is possible",
                 call.axes, a.layout.ndim);
  Layout shape;
  RONDO_TRY(reduced_shape(call.op, a, call.axes, call.keep_dims, &shape));
  results[0].set(reduced_dtype(call.op, a.dtype), shape);
  return {};
}

Status reduce_over(ReduceOp op, double parameter, const View& a, unsigned axes, bool keep_dims, Output& out) {
  const ReduceCall call{op, parameter, axes, keep_dims};
  const View* const inputs[] = {&a};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, made.shape, inputs, false, &to));
  return begin(plan_reduction(op, parameter, a, to, axes, keep_dims, nullptr, nullptr), out,
               [&] { return Call{call}; });
}

Status reduce_expression(rondo_reduce_op op, const View& a, std::shared_ptr<ReducedExpression> expression,
                         std::shared_ptr<const ReduceFinish> finish, int n_axes, const int32_t* axes, bool keep_dims,
                         Output& out) {
  if (!expression && !finish) return reduce(op, a, n_axes, axes, keep_dims, 0, nullptr, out);
  double parameter = find_reduction(op)->parameter;
  const ReductionRow& row = simplest_row(*find_reduction(op), &parameter);
  const View in = expression ? expression->widest() : a;
  std::vector<const View*> inputs = {&in};
  if (expression) {
    inputs.clear();
    for (const View& each : expression->inputs) inputs.push_back(&each);
  }
  unsigned mask = 0;
  RONDO_TRY(find_axes(in.layout.ndim, n_axes, axes, &mask));
  const rondo_dtype dtype = finish ? finish->dtype : reduced_dtype(row.op, in.dtype);
  Layout shape;
  RONDO_TRY(reduced_shape(row.op, in, mask, keep_dims, &shape));
  View to;
  RONDO_TRY(out.resolve(in.engine(), in.device(), dtype, shape, inputs, false, &to));
  return begin(plan_reduction(row.op, parameter, in, to, mask, keep_dims, std::move(expression), std::move(finish)),
               out);
}

Ref<OperatorTask> fused_reduce(const char* name, const ReduceCall& call, const View& a, const View& out,
                               const RowFusion& around) {
  // On the host sums have loops of their own over what is in memory.
  if (out.device().is_host() || out.elements() == 0) return {};
  const View& to = around.after ? *around.to : out;
  std::shared_ptr<ReducedExpression> made;
  std::shared_ptr<const ReduceFinish> finish;
  if (around.before) {
    const Expression& before = around.before->expression;
    if (around.inputs.empty() || !stands_alone(before) || before.output(0).accumulate) return {};
    made = std::make_shared<ReducedExpression>();
    made->expression = before;
    made->scalars.assign(around.before->words, around.before->words + before.scalars());
    made->inputs.assign(around.inputs.begin(), around.inputs.end());
    if (made->dtype() != a.dtype || !same_steps(made->widest().layout, a.layout)) return {};
  }
  if (around.after) {
    const Expression& after = around.after->expression;
    if (out.accumulate || !is_float(out.dtype) || !is_float(to.dtype) || !stands_alone(after)) return {};
    auto last = std::make_shared<ReduceFinish>();
    Expression& e = last->expression;
    const Value given = e.input(compute_dtype(out.dtype));
    e.output(append_after(&e, after, given, out.dtype), compute_dtype(to.dtype), false);
    if (e.overflow()) return {};
    last->scalars.assign(around.after->words, around.after->words + after.scalars());
    last->dtype = to.dtype;
    finish = std::move(last);
  }
  const auto plan = [&](const View& in, const View& result, auto expression, auto last) {
    return plan_reduction(call.op, call.parameter, in, result, call.axes, call.keep_dims, std::move(expression),
                          std::move(last));
  };
  ReducePlan whole = plan(made ? made->widest() : a, to, made, finish);
  whole.given_name = name;
  // mutation: sum_in_another_order
  if (!around.decided && !(cuda_reduction_tree(whole) == cuda_reduction_tree(plan(a, out, nullptr, nullptr))))
    return {};
  return make_cuda_reduction(whole);
}

}  // namespace rondo::ops
