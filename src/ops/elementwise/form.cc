// Makes the expressions of the elementwise kinds of calls, and joins expressions to each other.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/form.h"

#include <algorithm>

#include "ops/elementwise/transfer.h"
#include "ops/operators/scalar.h"
#include "ops/program/infer.h"

namespace rondo::ops {

namespace {

// An operand in the common dtype: a wider integer is rounded to a 16-bit float as a cast would.
Value load(Expression& expression, rondo_dtype dtype, rondo_dtype common) {
  const Value value = expression.cast(expression.input(dtype), common);
  const bool inexact = is_half(common) && !is_float(dtype) && !exact_in_half(dtype);
  return inexact ? expression.round(value, common) : value;
}

// True if an operand is the old contents that a result is added to.
bool is_added_to(const ProgramOperand& operand, const ProgramNode& node) {
  return !operand.known && !operand.written &&
         std::any_of(node.operands.begin(), node.operands.end(), [&operand](const ProgramOperand& each) {
           return each.known && each.written && each.view.accumulate && each.value == operand.value;
         });
}
// True if the operands are as many as the expression has.
bool is_of(const Expression& expression, const ProgramNode& node) {
  int inputs = 0, outputs = 0;
  for (const ProgramOperand& each : node.operands) {
    if (!each.known) continue;
    const int k = each.written ? outputs++ : inputs++;
    if (k >= (each.written ? expression.outputs() : expression.inputs())) return false;
    if (each.view.dtype !=
        (each.written ? expression.operand_dtype(expression.inputs() + k) : expression.input_dtype(k)))
      return false;
    if (each.written && each.view.accumulate != (expression.output(k).accumulate != 0)) return false;
  }
  return inputs == expression.inputs() && outputs == expression.outputs();
}

// The results of one expression: they have one shape, which may be larger than what its operands broadcast to.
Status infer_form(const Fused* form, InputTypes inputs, ResultTypes results) {
  if (!form) return error(RONDO_INVALID_ARGUMENT, "there is no expression");
  const Expression& e = form->expression;
  if (inputs.size() != static_cast<size_t>(e.inputs()) || results.size() != static_cast<size_t>(e.outputs()) ||
      results.empty())
    return error(RONDO_INVALID_ARGUMENT, "an expression of %d inputs and %d results has %zu and %zu", e.inputs(),
                 e.outputs(), inputs.size(), results.size());
  JoinedShape joined("the results", results[0].shape);
  for (size_t k = 1; k < results.size(); ++k) RONDO_TRY(joined.add("another result", results[k].shape));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const rondo_dtype dtype = e.input_dtype(static_cast<int>(i));
    if (inputs[i]->dtype != dtype && moved_dtype(inputs[i]->dtype) != dtype)
      return error(RONDO_INVALID_ARGUMENT, "input %zu of an expression has dtype %s; %s is needed", i,
                   dtype_name(inputs[i]->dtype), dtype_name(dtype));
    RONDO_TRY(joined.add("an input of the expression", inputs[i]->layout));
  }
  for (size_t k = 0; k < results.size(); ++k)
    results[k].set(static_cast<rondo_dtype>(e.output(static_cast<int>(k)).dtype), joined.shape());
  return {};
}

}  // namespace

Status infer(const FusedCall& call, InputTypes inputs, ResultTypes results) {
  return infer_form(call.fused.get(), inputs, results);
}

Status infer(const TextCall& call, InputTypes inputs, ResultTypes results) {
  std::vector<TextSet> sets;
  RONDO_TRY(find_sets(call, inputs.size(), results.size(), &sets));
  for (const TextSet& each : sets)
    RONDO_TRY(infer_form(each.form, inputs.subspan(each.first_input, each.inputs),
                         results.subspan(each.first_result, each.results)));
  return {};
}

Status find_sets(const TextCall& call, size_t inputs, size_t results, std::vector<TextSet>* sets) {
  TextSet next;
  for (const std::shared_ptr<const Fused>& each : call.expressions) {
    if (!each) return error(RONDO_INVALID_ARGUMENT, "there is no expression");
    next.form = each.get();
    next.inputs = static_cast<size_t>(each->expression.inputs());
    next.results = static_cast<size_t>(each->expression.outputs());
    sets->push_back(next);
    next.first_input += next.inputs;
    next.first_result += next.results;
  }
  if (!sets->empty() && next.first_input == inputs && next.first_result == results) return {};
  return error(RONDO_INVALID_ARGUMENT, "%zu expressions of %zu inputs and %zu results have %zu and %zu", sets->size(),
               next.first_input, next.first_result, inputs, results);
}

Expression expression_of(const ElementwiseCall& call, std::span<const View* const> inputs, const View& to) {
  const Operator& row = *call.row;
  Expression expression;
  Value values[3] = {};  // operands and parameters: no row has more
  int next = 0;
  const auto push = [&](Value value) {
    if (next < 3) values[next++] = value;
  };
  if (call.scalar && call.scalar_first) push(expression.scalar(compute_dtype(call.computed)));
  for (const View* input : inputs) push(load(expression, input->dtype, call.computed));
  if (call.scalar && !call.scalar_first) push(expression.scalar(compute_dtype(call.computed)));
  for (int i = 0; i < row.parameters; ++i) push(expression.scalar(compute_dtype(call.computed)));
  expression.output(expression.apply(row.op, values[0], values[1], values[2]), to.dtype, to.accumulate);
  return expression;
}

Expression expression_of(const AddNCall&, std::span<const View* const> inputs, const View& to) {
  Expression expression;
  Value sum = load(expression, inputs[0]->dtype, to.dtype);
  for (const View* input : inputs.subspan(1))
    sum = expression.apply(Op::add, sum, load(expression, input->dtype, to.dtype));
  expression.output(sum, to.dtype, to.accumulate);
  return expression;
}

Expression expression_of(const WhereCall&, std::span<const View* const> inputs, const View& to) {
  const rondo_dtype moved = moved_dtype(to.dtype);
  Expression expression;
  const Value condition = expression.input(RONDO_BOOL);
  const Value a = load(expression, moved_dtype(inputs[1]->dtype), moved);
  const Value b = load(expression, moved_dtype(inputs[2]->dtype), moved);
  expression.output(expression.where(condition, a, b), moved, to.accumulate);
  return expression;
}

Expression expression_of(const GatedCall& call, std::span<const View* const> inputs, const View& to) {
  Expression expression;
  const Value a = load(expression, inputs[0]->dtype, call.computed);
  const Value gate = load(expression, inputs[1]->dtype, call.computed);
  Value parameters[2] = {};
  for (int i = 0; i < call.row->parameters; ++i) parameters[i] = expression.scalar(compute_dtype(call.computed));
  const Value activated = expression.apply(call.row->op, gate, parameters[0], parameters[1]);
  expression.output(expression.apply(Op::mul, a, activated), to.dtype, to.accumulate);
  return expression;
}

Expression expression_of(const CopyCall&, std::span<const View* const> inputs, const View& to) {
  const bool moves = inputs[0]->dtype == to.dtype;
  const rondo_dtype source = moves ? moved_dtype(to.dtype) : inputs[0]->dtype;
  const rondo_dtype target = moves ? moved_dtype(to.dtype) : to.dtype;
  Expression expression;
  const Value value = expression.input(source);
  // A value that is added is rounded with the sum, not before it.
  const rondo_dtype on_its_way = to.accumulate ? compute_dtype(target) : target;
  expression.output(expression.cast(value, on_its_way), target, to.accumulate);
  return expression;
}

Expression expression_of(const FillCall&, std::span<const View* const>, const View& to) {
  Expression expression;
  expression.output(expression.scalar(compute_dtype(to.dtype)), to.dtype, to.accumulate);
  return expression;
}

Expression expression_of(const DropoutGradCall& call, std::span<const View* const> inputs, const View& to,
                         uint64_t* word) {
  const rondo_dtype dtype = compute_dtype(to.dtype);
  Expression expression;
  const Value dy = expression.input(inputs[0]->dtype);
  const Value kept = expression.cast(expression.input(RONDO_U8), dtype);
  const Value rest = expression.scalar(dtype);
  expression.output(expression.apply(Op::div, expression.apply(Op::mul, dy, kept), rest), to.dtype, to.accumulate);
  *word = float_word(dtype, 1 - call.p);
  return expression;
}

std::optional<Fused> elementwise_form(const ProgramNode& node) {
  if (node.opaque()) return {};
  const View* inputs[Expression::kMaxInputs];
  size_t count = 0;
  const View* to = nullptr;
  for (const ProgramOperand& each : node.operands) {
    if (!each.known && is_added_to(each, node)) continue;
    if (!each.known || &each.view.device() != node.device) return {};
    if (each.written)
      to = &each.view;
    else if (count < std::size(inputs))
      inputs[count++] = &each.view;
  }
  if (!to) return {};
  const std::span<const View* const> of(inputs, count);
  std::optional<Fused> form;
  if (const auto* fused = std::get_if<FusedCall>(&node.call->of)) {
    if (fused->fused->expression.generators() == 0) form = *fused->fused;
  } else if (const auto* elementwise = std::get_if<ElementwiseCall>(&node.call->of)) {
    form.emplace().expression = expression_of(*elementwise, of, *to);
    std::copy_n(elementwise->words, form->expression.scalars(), form->words);
  } else if (const auto* sum = std::get_if<AddNCall>(&node.call->of)) {
    form.emplace().expression = expression_of(*sum, of, *to);
  } else if (const auto* where = std::get_if<WhereCall>(&node.call->of)) {
    form.emplace().expression = expression_of(*where, of, *to);
  } else if (const auto* gated = std::get_if<GatedCall>(&node.call->of)) {
    form.emplace().expression = expression_of(*gated, of, *to);
    std::copy_n(gated->words, form->expression.scalars(), form->words);
  } else if (const auto* copy = std::get_if<CopyCall>(&node.call->of)) {
    if (count == 1 && !is_transfer(*inputs[0], *to)) form.emplace().expression = expression_of(*copy, of, *to);
  } else if (const auto* fill = std::get_if<FillCall>(&node.call->of)) {
    form.emplace().expression = expression_of(*fill, of, *to);
    form->words[0] = fill->word;
  } else if (const auto* grad = std::get_if<DropoutGradCall>(&node.call->of)) {
    form.emplace();
    form->expression = expression_of(*grad, of, *to, form->words);
  }
  if (form && !is_of(form->expression, node)) form.reset();
  return form;
}

bool stands_alone(const Expression& e) {
  if (e.outputs() != 1) return false;
  const auto dtype = static_cast<rondo_dtype>(e.output(0).dtype);
  return !is_f8(dtype) && e.dtype_of(e.output(0).value) == compute_dtype(dtype);
}

Value append_before(Expression* to, const Expression& before, rondo_dtype memory) {
  Value inputs[Expression::kMaxInputs] = {}, made[Expression::kMaxOutputs] = {};
  for (int k = 0; k < before.inputs(); ++k) inputs[k] = to->input(before.input_dtype(k));
  to->append(before, inputs, made);
  return is_half(memory) ? to->round(made[0], memory) : made[0];
}

Value append_after(Expression* to, const Expression& after, Value given, rondo_dtype memory) {
  if (is_half(memory)) given = to->round(given, memory);
  Value inputs[Expression::kMaxInputs], made[Expression::kMaxOutputs] = {};
  std::fill(std::begin(inputs), std::end(inputs), given);
  to->append(after, inputs, made);
  return made[0];
}

bool same_steps(const Layout& a, const Layout& b) {
  for (int d = 0; d < a.ndim; ++d)
    if (a.shape[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

}  // namespace rondo::ops
