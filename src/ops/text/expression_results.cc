// Computes results of an expression's text that come from a reduction, a softmax or a product: each is a task of its
// own, which computes the steps around that.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/ops.h"
#include "ops/rows/rows.h"
#include "ops/text/expression_call.h"

namespace rondo::ops {

Status ExpressionCall::row_results() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (comes_from(i, Node::softmax)) RONDO_TRY(softmax_result(i));
    if (comes_from(i, Node::product)) RONDO_TRY(product_result(i));
  }
  return {};
}

Status ExpressionCall::reduce_results() {
  for (size_t i = 0; i < slots_.size(); ++i)
    if (is_reduction(i)) RONDO_TRY(reduce_result(i));
  return {};
}

// A value of the text as an expression of its own, and its operands; `given` may be among its inputs, as the last.
bool ExpressionCall::take_out(Value value, rondo_dtype dtype, const Value* given, RowSide* side) const {
  Expression expression = lowered_.expression;
  expression.output(value, dtype, false);
  Views inputs;
  side->expression = needed(expression, given ? 1u << *given : 0, &inputs);
  side->scalars.assign(lowered_.words.begin(), lowered_.words.end());
  for (const View* each : inputs) {
    View& input = side->inputs.emplace_back(*each);
    input.layout = broadcast_layout(input.layout, shape_);
  }
  return !expression.overflow();
}

Status ExpressionCall::check_float(size_t i, const char* origin) const {
  const rondo_dtype dtype = lowered_.results[i].dtype;
  if (is_float(dtype)) return {};
  return text_.error_at(RONDO_INVALID_ARGUMENT, node_of(i).at,
                        "%s comes from a %s and has dtype %s; a cast such as f32(...) makes it a float",
                        text_.results()[i].name.c_str(), origin, dtype_name(dtype));
}

// For a product, the steps after it are computed where it stores.
Status ExpressionCall::product_result(size_t i) {
  const Node& node = *text_.product();
  const View &a = factors_[0].view, &b = factors_[1].view;
  if (node_of(i).kind == Node::product)
    return located(node, multiply(names(), a, b, product_options(), nullptr, a.dtype, outputs_[i]));
  const Lowered::Result& result = lowered_.results[i];
  RONDO_TRY(check_float(i, "product"));
  auto after = std::make_shared<RowSide>();
  if (!take_out(result.value, compute_dtype(result.dtype), &lowered_.product.given, after.get()))
    return error(RONDO_INTERNAL, "'%s' does not fit", text_.name());
  return located(node, multiply(names(), a, b, product_options(), std::move(after), result.dtype, outputs_[i]));
}

// For a softmax, the steps before and after it are computed where it loads and where it stores.
Status ExpressionCall::softmax_result(size_t i) {
  const Node& node = origin_of(i);
  const ExpressionText::Softmax& softmax = text_.softmaxes()[node.index];
  const View* operand = operand_of(text_.nodes()[node.nodes[0]]);
  if (operand && node_of(i).kind == Node::softmax) {
    View a = *operand;
    a.layout = broadcast_layout(a.layout, shape_);
    return located(node, ops::softmax(SoftmaxOptions{softmax.op}, a, softmax.axis, outputs_[i]));
  }
  const Lowered::Origin& origin = lowered_.softmaxes[node.index];
  const Lowered::Result &of = origin.of, &result = lowered_.results[i];
  RONDO_TRY(check_float(i, "softmax"));
  auto made = std::make_shared<RowExpression>();
  made->dtype = of.dtype;
  made->result = result.dtype;
  const bool fits = take_out(of.value, compute_dtype(of.dtype), nullptr, &made->before) &&
                    take_out(result.value, compute_dtype(result.dtype), &origin.given, &made->after);
  if (!fits) return error(RONDO_INTERNAL, "'%s' does not fit", text_.name());
  if (made->before.inputs.empty())
    return text_.error_at(RONDO_INVALID_ARGUMENT, node.at, "the softmax is of no tensor; its rows would be all alike");
  return located(node, softmax_expression(softmax.op, std::move(made), softmax.axis, outputs_[i]));
}

// For a reduction, the steps after it are computed where it stores.
Status ExpressionCall::reduce_result(size_t i) {
  const Node& node = origin_of(i);
  const ExpressionText::Reduction& reduction = text_.reductions()[node.index];
  const auto count = static_cast<int>(reduction.axes.size());
  const int32_t* const axes = count ? reduction.axes.data() : nullptr;
  std::shared_ptr<ReduceFinish> finish;
  if (node_of(i).kind != Node::reduce) RONDO_TRY(make_finish(i, &finish));
  return located(node, reduce_expression(reduction.op, sources_[i], std::move(made_[i]), std::move(finish), count, axes,
                                         reduction.keep, outputs_[i]));
}
Status ExpressionCall::make_finish(size_t i, std::shared_ptr<ReduceFinish>* finish) const {
  const Lowered::Result& result = lowered_.results[i];
  RowSide side;
  if (!take_out(result.value, compute_dtype(result.dtype), &lowered_.reductions[origin_of(i).index].given, &side))
    return error(RONDO_INTERNAL, "'%s' does not fit", text_.name());
  if (!side.inputs.empty())
    return text_.error_at(RONDO_INVALID_ARGUMENT, node_of(i).at,
                          "%s comes from a reduction, whose result has another shape than the tensors that it meets "
                          "here; with numbers alone it may be computed, so run another expression on it",
                          text_.results()[i].name.c_str());
  *finish = std::make_shared<ReduceFinish>();
  **finish = {side.expression, std::move(side.scalars), result.dtype};
  return {};
}

}  // namespace rondo::ops
