// Gives products of dequantised numbers as products of those numbers themselves, whose sums are exact in i32: they are
// scaled once, by both scales.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/patterns/finder.h"
#include "onnx/patterns/nodes.h"
#include "onnx/patterns/patterns.h"

namespace rondo_onnx {

namespace {

constexpr int32_t kFloat = 1, kU8 = 2, kI8 = 3;  // ONNX's types

// A value that DequantizeLinear makes of bytes.
struct Dequantised {
  std::string numbers, scale, zero;
};

bool is_one(const TensorProto& tensor) {
  return tensor.dims.empty() || tensor.dims == std::vector<int64_t>{1};
}

// One scale for all; for a constant matrix also one for each column. Its zero points are as many, and tell that numbers
// have 8 bits.
bool is_dequantised(const Finder& finder, const std::string& value, bool by_column, Dequantised* found) {
  const NodeProto* const node = finder.maker(value);
  if (!node || !node->domain.empty() || node->type != "DequantizeLinear" || node->inputs.size() != 3) return false;
  const TensorProto *const scale = finder.initializer(node->inputs[1]),
                           *const zero = finder.initializer(node->inputs[2]),
                           *const numbers = finder.initializer(node->inputs[0]);
  if (!scale || !zero || scale->type != kFloat || (zero->type != kU8 && zero->type != kI8) || zero->dims != scale->dims)
    return false;
  for (const char* each : {"block_size", "output_dtype"})
    if (attribute_of(*node, each)) return false;
  if (!is_one(*scale)) {
    const Attribute* const axis = attribute_of(*node, "axis");
    const bool last = !axis || axis->integer == 1 || axis->integer == -1;  // of a matrix
    if (!by_column || !last || !numbers || numbers->dims.size() != 2 ||
        scale->dims != std::vector<int64_t>{numbers->dims[1]})
      return false;
  }
  *found = {node->inputs[0], node->inputs[1], node->inputs[2]};
  return true;
}

}  // namespace

size_t join_scales(Finder& finder) {
  std::vector<const NodeProto*> products;
  for (const NodeProto& each : finder.nodes())
    if (each.domain.empty() && each.type == "MatMul" && each.inputs.size() == 2 && each.outputs.size() == 1)
      products.push_back(&each);
  size_t joined = 0;
  for (const NodeProto* each : products) {
    Dequantised a, b;
    if (!is_dequantised(finder, each->inputs[0], false, &a) || !is_dequantised(finder, each->inputs[1], true, &b))
      continue;
    std::vector<NodeProto> fresh = {
        fresh_node(*each, "MatMulInteger", {a.numbers, b.numbers, a.zero, b.zero, a.scale, b.scale}, each->outputs)};
    finder.replace({each}, std::move(fresh));
    ++joined;
  }
  return joined;
}

}  // namespace rondo_onnx
