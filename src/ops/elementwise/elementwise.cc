// Checks elementwise operators, finds shape, dtype and expression of their results, and submits them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "engine/views.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/elementwise/form.h"
#include "ops/elementwise/plan_table.h"
#include "ops/elementwise/transfer.h"
#include "ops/operators/scalar.h"
#include "ops/ops.h"
#include "ops/program/infer.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// The rows of a family have numbers in groups: "0 (neg) to 49 (trigamma), 64 (log_sigmoid) to 77 (hard_swish)".
Status unknown(int op, const Operator* (*find)(int)) {
  std::string groups;
  for (int i = 0; i < 256; ++i) {
    if (!find(i)) continue;
    const int first = i;
    while (find(i + 1)) ++i;
    groups += format("%s%d (%s) to %d (%s)", groups.empty() ? "" : ", ", first, find(first)->name, i, find(i)->name);
  }
  return error(RONDO_INVALID_ARGUMENT, "op is %d; possible are %s", op, groups.c_str());
}

Ref<OperatorTask> make(const char* name, Device& device, const Expression& expression, const Layout& shape,
                       std::initializer_list<const View*> views, const uint64_t* scalars = nullptr) {
  return make_ref<ElementwiseTask>(name, device, expression, shape, views.begin(), scalars);
}

// --- operators of the table ---

// One use of a table's operator. Operands are tensors, in order, or one of them a scalar.
struct OperatorUse {
  const Operator& row;
  std::span<const NamedView> views;  // of the tensors among the operands
  const Scalar* scalar = nullptr;    // one operand of two, instead of a tensor
  bool scalar_first = false;
  const double* parameters = nullptr;
  int n_parameters = 0;
};

// The words of the parameters, given or the row's defaults, in the dtype the operator computes in.
Status parameter_words(const OperatorUse& use, rondo_dtype computed, uint64_t* words) {
  const Operator& row = use.row;
  if (use.parameters && use.n_parameters != row.parameters)
    return error(RONDO_INVALID_ARGUMENT, "n_parameters is %d; %s has %d", use.n_parameters, row.name, row.parameters);
  static const char* const names[] = {"parameters[0]", "parameters[1]"};
  for (int i = 0; i < row.parameters; ++i) {
    const double value = use.parameters ? use.parameters[i] : row.defaults[i];
    if (!use.parameters && std::isnan(value))
      return error(RONDO_INVALID_ARGUMENT, "operator %s has %d parameters without defaults; use rondo_%s_with",
                   row.name, row.parameters, use.views.size() == 1 ? "unary" : "binary");
    RONDO_TRY(scalar_word(names[i], Scalar::of(value), compute_dtype(computed), &words[i]));
  }
  return {};
}

// An operator, its operands and its output as a key: what is computed, and all that is checked of dtypes and layouts,
// follow from that. So a call that finds a plan has been checked but for what changes from call to call. shape: of the
// result where it is not what the operands broadcast to; null: it is that.
inline PlanKey key_of(const ElementwiseCall& call, std::span<const View* const> operands, const Layout* shape,
                      const Output& out) {
  constexpr uint32_t kOperator = 1;
  PlanKey key(operands[0]->device(), kOperator | uint32_t{call.scalar} << 1 | uint32_t{call.scalar_first} << 2 |
                                         uint32_t{shape != nullptr} << 3 | static_cast<uint32_t>(operands.size()) << 4 |
                                         static_cast<uint32_t>(call.row->op) << 8 |
                                         static_cast<uint32_t>(call.computed) << 16);
  for (const View* operand : operands) key.put(*operand);
  if (out.given())
    key.put(out.given_view());
  else
    key.put(PlanKey::kNone);
  if (shape) key.put_shape(*shape);
  return key;
}

rondo_dtype result_dtype(const ElementwiseCall& call) {
  return call.row->boolean ? RONDO_BOOL : call.computed;
}

// views: of the operands and the output.
inline Status submit_planned(const ElementwiseCall& call, Ref<const ElementwisePlan> plan, const View* const* views,
                             Output& out) {
  return submit_prepared(
      views[0]->engine(),
      make_ref<ElementwiseTask>(call.row->name, views[0]->device(), std::move(plan), views, call.words), {&out},
      [&call] { return Call{call}; });
}

// A call whose plan is there. views: of the operands, and room for the output's.
inline Status run_known(const ElementwiseCall& call, const View** views, size_t operands,
                        Ref<const ElementwisePlan> plan, Output& out) {
  RONDO_TRY(out.resolve_known(result_dtype(call), plan->shape(), plan->strides(operands), {views, operands}));
  views[operands] = &out.view();
  return submit_planned(call, std::move(plan), views, out);
}

// One that must be planned.
RONDO_COLD Status run_anew(const ElementwiseCall& call, std::span<const View* const> operands, const Layout& shape,
                           const PlanKey& key, Output& out) {
  Device& device = operands[0]->device();
  View to;
  RONDO_TRY(out.resolve_elementwise(result_dtype(call), shape, operands, &to));
  const View* views[4];
  std::copy(operands.begin(), operands.end(), views);
  views[operands.size()] = &to;
  Ref<const ElementwisePlan> plan =
      make_ref<ElementwisePlan>(device, key, expression_of(call, operands, to), to.layout, views);
  return submit_planned(call, plan_table().keep(key, std::move(plan)), views, out);
}

// The words of the scalar and the parameters of a call, if it has any.
inline Status find_words(const OperatorUse& use, ElementwiseCall* call) {
  int n = 0;
  if (use.scalar) {
    // It takes the tensor's dtype, and goes on to the computed one with it.
    const rondo_dtype dtype = use.views[0].view->dtype;
    if (dtype != call->computed) RONDO_TRY(scalar_word("scalar", *use.scalar, dtype, &call->words[n]));
    RONDO_TRY(scalar_word("scalar", *use.scalar, call->computed, &call->words[n++]));
  }
  return use.parameters || use.row.parameters ? parameter_words(use, call->computed, call->words + n) : Status();
}

RONDO_COLD Status run_operator_anew(const OperatorUse& use, std::span<const View* const> operands, const PlanKey& key,
                                    ElementwiseCall* call, Output& out) {
  RONDO_TRY(check_inputs(use.views));
  ResultType made;
  RONDO_TRY(infer_one(*call, operands, &made));
  RONDO_TRY(find_words(use, call));
  return run_anew(*call, operands, made.shape, key, out);
}

RONDO_HOT Status run_operator(const OperatorUse& use, Output& out) {
  const View* views[4];
  rondo_dtype common = use.views[0].view->dtype;
  for (size_t i = 0; i < use.views.size(); ++i) {
    views[i] = use.views[i].view;
    common = promote(common, views[i]->dtype);
  }
  const std::span<const View* const> operands(views, use.views.size());
  ElementwiseCall call{&use.row, use.row.computed(common), use.scalar != nullptr, use.scalar_first, {}};
  const PlanKey key = key_of(call, operands, nullptr, out);
  Ref<const ElementwisePlan> plan = plan_table().find(key);
  if (!plan) [[unlikely]]
    return run_operator_anew(use, operands, key, &call, out);
  RONDO_TRY(check_moved(use.views));  // with their dtypes others were computed with
  RONDO_TRY(find_words(use, &call));
  return run_known(call, views, operands.size(), std::move(plan), out);
}

}  // namespace

Status infer(const ElementwiseCall& call, InputTypes inputs, ResultTypes results) {
  static const char* const names[] = {"a", "b", "c"};
  if (!call.row) return error(RONDO_INVALID_ARGUMENT, "row is missing: there is no operator");
  if (inputs.size() + (call.scalar ? 1 : 0) != call.row->operands || (call.scalar && inputs.size() != 1))
    return error(RONDO_INVALID_ARGUMENT, "%s has %zu inputs%s", call.row->name, inputs.size(),
                 call.scalar ? " and a scalar" : "");
  if (call.scalar_first && !call.scalar)
    return error(RONDO_INVALID_ARGUMENT, "scalar_first is true, and there is no scalar");
  JoinedShape joined("out", results[0].shape);
  rondo_dtype common = inputs[0]->dtype;
  for (size_t i = 0; i < inputs.size(); ++i) {
    RONDO_TRY(check_computed(names[i], inputs[i]->dtype));
    RONDO_TRY(joined.add(names[i], inputs[i]->layout));
    common = promote(common, inputs[i]->dtype);
  }
  if (call.row->domain == Domain::whole && is_float(common))
    return error(RONDO_INVALID_ARGUMENT, "operator %s is for integers and bool; the operands' dtype is %s (rondo_cast)",
                 call.row->name, dtype_name(common));
  if (call.computed != call.row->computed(common))
    return error(RONDO_INVALID_ARGUMENT, "computed is %s; with operands of %s, %s is needed", dtype_name(call.computed),
                 dtype_name(common), dtype_name(call.row->computed(common)));
  results[0].set(result_dtype(call), joined.shape());
  return {};
}

Status run_elementwise(const ElementwiseCall& call, std::span<const View* const> operands, const Layout& shape,
                       Output& out) {
  const PlanKey key = key_of(call, operands, &shape, out);
  Ref<const ElementwisePlan> plan = plan_table().find(key);
  if (!plan) return run_anew(call, operands, shape, key, out);
  const View* views[4];
  std::copy(operands.begin(), operands.end(), views);
  return run_known(call, views, operands.size(), std::move(plan), out);
}

Status unary(rondo_unary_op op, const View& a, int n_parameters, const double* parameters, Output& out) {
  const Operator* row = find_unary(op);
  if (!row) return unknown(op, find_unary);
  const NamedView views[] = {{"a", &a}};
  return run_operator({*row, views, nullptr, false, parameters, n_parameters}, out);
}

Status binary(rondo_binary_op op, const View& a, const View& b, int n_parameters, const double* parameters,
              Output& out) {
  const Operator* row = find_binary(op);
  if (!row) return unknown(op, find_binary);
  const NamedView views[] = {{"a", &a}, {"b", &b}};
  return run_operator({*row, views, nullptr, false, parameters, n_parameters}, out);
}

Status binary_scalar(rondo_binary_op op, const View& a, Scalar scalar, bool reversed, Output& out) {
  const Operator* row = find_binary(op);
  if (!row) return unknown(op, find_binary);
  const NamedView views[] = {{"a", &a}};
  return run_operator({*row, views, &scalar, reversed}, out);
}

Status ternary(rondo_ternary_op op, const View& a, const View& b, const View& c, Output& out) {
  const Operator* row = find_ternary(op);
  if (!row) return unknown(op, find_ternary);
  const NamedView views[] = {{"a", &a}, {"b", &b}, {"c", &c}};
  return run_operator({*row, views}, out);
}

Status infer(const AddNCall&, InputTypes inputs, ResultTypes results) {
  if (inputs.empty() || inputs.size() > static_cast<size_t>(kMostAddends))
    return error(RONDO_INVALID_ARGUMENT, "%zu tensors cannot be added; 1 to %d can", inputs.size(), kMostAddends);
  JoinedShape joined("out", results[0].shape);
  rondo_dtype common = inputs[0]->dtype;
  for (const View* each : inputs) {
    RONDO_TRY(check_computed("tensors", each->dtype));
    RONDO_TRY(joined.add(each == inputs[0] ? "tensors[0]" : "the next of tensors", each->layout));
    common = promote(common, each->dtype);
  }
  results[0].set(common, joined.shape());
  return {};
}

Status add_n(std::span<const View* const> tensors, Output& out) {
  const View& first = *tensors[0];
  NamedView views[Expression::kMaxInputs];
  for (size_t i = 0; i < tensors.size(); ++i) views[i] = {"tensors", tensors[i]};
  RONDO_TRY(check_inputs(std::span<const NamedView>(views, tensors.size())));
  ResultType made;
  RONDO_TRY(infer_one(AddNCall{}, tensors, &made));
  View to;
  RONDO_TRY(out.resolve_elementwise(made.dtype, made.shape, tensors, &to));
  const View* operands[Expression::kMaxInputs + 1];
  std::copy(tensors.begin(), tensors.end(), operands);
  operands[tensors.size()] = &to;
  return submit_prepared(first.engine(),
                         make_ref<ElementwiseTask>("add_n", first.device(), expression_of(AddNCall{}, tensors, to),
                                                   to.layout, operands, nullptr),
                         {&out}, [] { return Call{AddNCall{}}; });
}

Status infer(const WhereCall&, InputTypes inputs, ResultTypes results) {
  const View &condition = *inputs[0], &a = *inputs[1], &b = *inputs[2];
  if (condition.dtype != RONDO_BOOL)
    return error(RONDO_INVALID_ARGUMENT, "condition has dtype %s; bool is needed (rondo_cast or a comparison makes it)",
                 dtype_name(condition.dtype));
  JoinedShape joined("out", results[0].shape);
  RONDO_TRY(joined.add("a", a.layout));
  RONDO_TRY(joined.add("b", b.layout));
  RONDO_TRY(joined.add("condition", condition.layout));
  if (!promotes(a.dtype, b.dtype)) return without_common_dtype("a", a.dtype, "b", b.dtype);
  results[0].set(promote(a.dtype, b.dtype), joined.shape());
  return {};
}

Status where(const View& condition, const View& a, const View& b, Output& out) {
  RONDO_TRY(check_moved({{"condition", &condition}, {"a", &a}, {"b", &b}}));
  ResultType made;
  RONDO_TRY(infer_one(WhereCall{}, {&condition, &a, &b}, &made));
  View to;
  RONDO_TRY(out.resolve_elementwise(made.dtype, made.shape, {&a, &b, &condition}, &to));
  const View* const operands[] = {&condition, &a, &b};
  return submit_prepared(
      a.engine(),
      make("where", a.device(), expression_of(WhereCall{}, operands, to), to.layout, {&condition, &a, &b, &to}), {&out},
      [] { return Call{WhereCall{}}; });
}

// A copy is cast and broadcast to what is written.
Status infer(const CopyCall&, InputTypes inputs, ResultTypes results) {
  const Layout &from = inputs[0]->layout, &to = results[0].shape;
  Layout joined;
  if (broadcast_shapes(from, to, &joined) && joined.same_shape(to)) return {};
  return error(RONDO_INVALID_ARGUMENT,
               "a of shape %s and out of shape %s do not broadcast together; from the last axis on, sizes of a must be "
               "out's or 1",
               shape_text(from).c_str(), shape_text(to).c_str());
}

Status copy_elements(const View& from, const View& to) {
  ResultType made{to.dtype, to.layout};
  RONDO_TRY(infer_one(CopyCall{}, {&from}, &made));
  const View* const operands[] = {&from};
  return submit_prepared(from.engine(),
                         make(from.dtype == to.dtype ? "copy" : "cast", from.device(),
                              expression_of(CopyCall{}, operands, to), to.layout, {&from, &to}),
                         {}, [] { return Call{CopyCall{}}; });
}

Status cast(const View& a, rondo_dtype dtype, Output& out) {
  RONDO_TRY(check_dtype(dtype));
  RONDO_TRY(check_moved({{"a", &a}}));
  View to;
  RONDO_TRY(out.resolve_elementwise(dtype, a.layout, {&a}, &to));
  RONDO_TRY(copy_elements(a, to));
  out.commit();
  return {};
}

Status fill(const View& tensor, Scalar value) {
  RONDO_TRY(check_writable("tensor", tensor));
  uint64_t word = 0;
  RONDO_TRY(scalar_word("value", value, tensor.dtype, &word));
  const FillCall call{word};
  return submit_prepared(
      tensor.engine(),
      make("fill", tensor.device(), expression_of(call, {}, tensor), tensor.layout, {&tensor}, &call.word), {},
      [&call] { return Call{call}; });
}

Status copy(const View& a, Output& out) {
  RONDO_TRY(check_moved({{"a", &a}}));
  Layout shape = a.layout;
  Device* device = &a.device();
  if (out.given()) {
    const View& given = out.given_view();
    ResultType made{given.dtype, given.layout};
    RONDO_TRY(infer_one(CopyCall{}, {&a}, &made));
    shape = made.shape;
    device = &given.device();
  }
  View to;
  RONDO_TRY(out.resolve(a.engine(), *device, a.dtype, shape, {&a}, true, &to));
  if (device == &a.device()) {
    RONDO_TRY(copy_elements(a, to));
  } else {
    View from = a;
    from.layout = broadcast_layout(a.layout, shape);
    RONDO_TRY(copy_across(from, to));
  }
  out.commit();
  return {};
}

}  // namespace rondo::ops
