// Joins the products that make queries, keys and values of one value: a product by their matrices side by side, whose
// result is split.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>
#include <unordered_map>

#include "onnx/patterns/finder.h"
#include "onnx/patterns/nodes.h"
#include "onnx/patterns/patterns.h"

namespace rondo_onnx {

namespace {

struct Product {
  const NodeProto* node;
  int64_t columns;
};

// How often values are read: by nodes that take rows apart by heads, and by nodes that ask for more than the shape.
struct Reads {
  size_t apart = 0, others = 0;
};

}  // namespace

size_t join_products(Finder& finder) {
  std::unordered_map<std::string, Reads> reads;
  for (const NodeProto& each : finder.nodes())
    for (const std::string& name : each.inputs)
      if (each.type != "Shape") ++(each.type == "Reshape" ? reads[name].apart : reads[name].others);
  // By the value, the rows and type of the matrices, and whether there is a bias.
  std::map<std::tuple<std::string, int64_t, int32_t, bool>, std::vector<Product>> groups;
  for (const NodeProto& each : finder.nodes()) {
    if (!each.domain.empty() || each.type != "MatMul" || each.inputs.size() < 2 || each.outputs.size() != 1) continue;
    if (!each.attributes.empty()) continue;  // an activation works on this product alone
    const TensorProto* const w = finder.initializer(each.inputs[1]);
    const Reads& by = reads[each.outputs[0]];
    if (!w || w->dims.size() != 2 || w->dims[1] < 1 || finder.constant(each.inputs[0]) || by.apart != 1 ||
        by.others != 0 || finder.is_output(each.outputs[0]) ||
        (each.inputs.size() > 2 && !finder.initializer(each.inputs[2])))
      continue;
    groups[{each.inputs[0], w->dims[0], w->type, each.inputs.size() > 2}].push_back({&each, w->dims[1]});
  }
  size_t joined = 0;
  for (const auto& [key, products] : groups) {
    if (products.size() < 2) continue;
    const NodeProto& like = *products[0].node;
    std::vector<const NodeProto*> old;
    std::vector<std::string> matrices, biases, results;
    std::vector<int64_t> columns;
    for (const Product& each : products) {
      old.push_back(each.node);
      matrices.push_back(each.node->inputs[1]);
      if (std::get<3>(key)) biases.push_back(each.node->inputs[2]);
      results.push_back(each.node->outputs[0]);
      columns.push_back(each.columns);
    }
    std::vector<NodeProto> fresh;
    std::vector<std::string> inputs = {std::get<0>(key), finder.fresh_name(matrices[0])};
    fresh.push_back(fresh_node(like, "Concat", matrices, {inputs[1]}));
    fresh.back().attributes = {integer_attribute("axis", 1)};
    if (!biases.empty()) {
      inputs.push_back(finder.fresh_name(biases[0]));
      fresh.push_back(fresh_node(like, "Concat", biases, {inputs[2]}));
      fresh.back().attributes = {integer_attribute("axis", 0)};
    }
    const std::string all = finder.fresh_name(results[0]);
    fresh.push_back(fresh_node(like, "MatMul", inputs, {all}));
    const std::string sizes = finder.fresh_name(all);
    fresh.push_back(fresh_node(like, "Constant", {}, {sizes}));
    fresh.back().attributes = {integers_attribute("value_ints", columns)};
    fresh.push_back(fresh_node(like, "Split", {all, sizes}, results));
    fresh.back().attributes = {integer_attribute("axis", -1)};
    finder.replace(old, std::move(fresh));
    ++joined;
  }
  return joined;
}

}  // namespace rondo_onnx
