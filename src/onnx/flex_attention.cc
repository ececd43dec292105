// Attention whose scores and weights a body changes: ai.onnx.preview's FlexAttention.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "onnx/converter.h"
#include "onnx/file/contents.h"
#include "onnx/file/failure.h"

namespace rondo_onnx {

ValueRef Converter::changed_by(const NodeProto& node, const char* attribute, Scope& scope, const ValueRef& value) {
  const auto has = [&](const Attribute& each) { return each.name == attribute; };
  if (std::none_of(node.attributes.begin(), node.attributes.end(), has)) return value;
  const GraphProto& body = body_of(node, attribute);
  Scope constants;
  open_body(body, scope, &constants);
  std::vector<ValueRef> results;
  if (!run_body(body, constants, {value}, &results)) return nullptr;
  if (results.size() != 1 || results[0]->tensor.shape() != value->tensor.shape() ||
      results[0]->tensor.dtype() != value->tensor.dtype())
    malformed(std::string("its ") + attribute + " does not give one tensor of the shape and type that it takes");
  return results[0];
}

void Converter::run_flex_attention(const NodeProto& node, Scope& scope, const std::vector<ValueRef>& inputs) {
  if (inputs.size() != 3 || node.outputs.size() != 1 ||
      std::any_of(inputs.begin(), inputs.end(), [](const ValueRef& each) { return !each; }))
    malformed("it needs queries, keys and values, and gives one output");
  const Shape qs = inputs[0]->tensor.shape(), ks = inputs[1]->tensor.shape(), vs = inputs[2]->tensor.shape();
  const bool four = qs.size() == 4 && ks.size() == 4 && vs.size() == 4;
  if (!four || ks[1] < 1 || qs[1] % ks[1] != 0 || vs[1] != ks[1] || vs[2] != ks[2] || ks[3] != qs[3] || qs[3] < 1)
    malformed("its keys and values do not go with its queries");
  const rondo_dtype dtype = inputs[0]->tensor.dtype();
  rondo_dtype precision = dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
  double scale = 1 / std::sqrt(static_cast<double>(qs[3]));
  for (const Attribute& each : node.attributes) {
    if (each.name == "scale") scale = each.real;
    if (each.name == "softmax_precision" && !find_dtype(each.integer, &precision))
      refuse("its softmax is computed in " + type_name(each.integer));
  }
  if (!(scale > 0)) refuse("its scale is not above 0");
  const int64_t groups = ks[1], shared = qs[1] / groups;
  // Heads that share keys are rows of one product.
  const Shape rows = {qs[0], groups, shared * qs[2], qs[3]};
  ValueRef scores = made_of(inputs, [=](const std::vector<Tensor>& of) {
    rondo_matmul_options options = rondo::matmul_defaults();
    options.transpose_b = 1;
    const double root = std::sqrt(scale);
    const Tensor all = rondo::matmul(of[0].reshape(rows) * root, of[1] * root, options);
    return all.reshape({qs[0], qs[1], qs[2], ks[2]}).to(precision);
  });
  scores = changed_by(node, "score_mod", scope, scores);
  if (!scores) return leave_out(node, scope);
  ValueRef weights = made_of({scores}, [](const std::vector<Tensor>& of) { return rondo::softmax(of[0]); });
  weights = changed_by(node, "prob_mod", scope, weights);
  if (!weights) return leave_out(node, scope);
  const ValueRef result = made_of({weights, inputs[2]}, [=](const std::vector<Tensor>& of) {
    const Tensor flat = of[0].to(precision).reshape({qs[0], groups, shared * qs[2], ks[2]});
    return rondo::matmul(flat, of[1].to(precision)).reshape({qs[0], qs[1], qs[2], vs[3]}).to(dtype);
  });
  if (!node.outputs[0].empty()) define(scope, node.outputs[0], result);
}

}  // namespace rondo_onnx
