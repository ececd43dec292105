// Makes the tasks of expressions, and of the kinds that passes make, which are no operators that a caller could ask
// for.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/elementwise_group.h"
#include "ops/elementwise/form.h"
#include "ops/invoke/lower.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/matmul_integer.h"
#include "ops/reduce/reduce.h"
#include "ops/rows/rows.h"

namespace rondo::ops {

namespace {

// One evaluation of an expression. Its results have one shape.
Ref<ElementwiseTask> make_elementwise(const char* name, const Fused& fused, std::span<const View> inputs,
                                      std::span<const View> results) {
  SmallVector<const View*, Expression::kMaxInputs + Expression::kMaxOutputs> views;
  for (const View& each : inputs) views.push_back(&each);
  for (const View& each : results) views.push_back(&each);
  return make_ref<ElementwiseTask>(name, results[0].device(), fused.expression, results[0].layout, views.begin(),
                                   fused.words);
}

// The view of a value that is in no memory, on the device of another one.
View view_of(const UnstoredValue& value, const View& other) {
  View view = other;
  view.dtype = value.dtype;
  view.offset = value.offset;
  view.layout = value.layout;
  view.accumulate = false;
  return view;
}

}  // namespace

Ref<OperatorTask> make_task(const Fused& form, const PassNode& node) {
  return make_elementwise(node.name, form, node.inputs, node.results);
}

Ref<OperatorTask> make_task(const FusedCall& call, const PassNode& node) {
  return make_task(*call.fused, node);
}

Ref<OperatorTask> make_task(const GroupCall& call, const PassNode& node) {
  const Expression& e = call.fused->expression;
  const auto inputs = static_cast<size_t>(e.inputs()), results = static_cast<size_t>(e.outputs());
  std::vector<Ref<ElementwiseTask>> parts;
  for (size_t i = 0; (i + 1) * results <= node.results.size(); ++i)
    parts.push_back(make_elementwise(node.name, *call.fused, node.inputs.subspan(i * inputs, inputs),
                                     node.results.subspan(i * results, results)));
  return make_ref<ElementwiseGroup>(node.name, node.results[0].device(), std::move(parts));
}

Ref<OperatorTask> make_task(const BatchedMatmulCall& call, const PassNode& node) {
  const Product batch = batch_of(call, node.inputs, node.results[0]);
  return node.decided || is_one_launch(batch) ? make_cuda_matmul(batch) : Ref<OperatorTask>();
}

Ref<OperatorTask> make_task(const RecurrentProductCall& call, const PassNode& node) {
  const Product product = product_of(call, node.inputs, node.results[0]);
  return product.out.device().is_host() ? make_cpu_matmul(product) : make_cuda_matmul(product);
}

Ref<OperatorTask> make_task(const FusedRowsCall& call, const PassNode& node) {
  const View& to = node.results[0];
  RowFusion fusion;
  fusion.decided = node.decided;
  std::vector<View> inputs;  // of the rows
  size_t next = 0;
  if (call.before) {
    next = static_cast<size_t>(call.before->expression.inputs());
    fusion.before = call.before.get();
    fusion.inputs = node.inputs.first(next);
    inputs.push_back(view_of(call.operand, to));
  }
  inputs.insert(inputs.end(), node.inputs.begin() + static_cast<std::ptrdiff_t>(next), node.inputs.end());
  if (call.after) {
    fusion.after = call.after.get();
    fusion.to = &to;
  }
  const View out = call.after ? view_of(call.result, to) : to;
  if (const auto* product = std::get_if<MatmulIntegerCall>(&call.rows)) {
    const std::span<const View> all = node.inputs;
    const size_t own = size_t{2} + product->a_zero + product->b_zero;
    return finished_matmul_integer(*product, all.first(own), to,
                                   {*call.after, call.from_rows, all.subspan(own), node.decided});
  }
  if (const auto* reduce = std::get_if<ReduceCall>(&call.rows))
    return fused_reduce(node.name, *reduce, inputs[0], out, fusion);
  if (const auto* softmax = std::get_if<SoftmaxCall>(&call.rows))
    return fused_softmax(node.name, *softmax, inputs[0], out, fusion);
  return fused_normalisation(node.name, std::get<NormalisationCall>(call.rows), inputs, out, fusion);
}

}  // namespace rondo::ops
