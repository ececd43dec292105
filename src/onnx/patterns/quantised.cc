// Gives products and convolutions of dequantised numbers as those of the numbers themselves, whose sums are exact in
// i32: they are scaled once, by both scales.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "onnx/file/whole_numbers.h"
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

constexpr int kNoAxis = -1;

// One scale for all; for constants also one for each place of an axis, if there is one. Zero points are as many, and
// tell that numbers have 8 bits.
bool is_dequantised(const Finder& finder, const std::string& value, int axis, Dequantised* found) {
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
    if (axis == kNoAxis || !numbers || numbers->dims.size() <= static_cast<size_t>(axis)) return false;
    const Attribute* const given = attribute_of(*node, "axis");
    const int64_t along = given ? given->integer : 1, from_end = axis - static_cast<int64_t>(numbers->dims.size());
    if ((along != axis && along != from_end) ||
        scale->dims != std::vector<int64_t>{numbers->dims[static_cast<size_t>(axis)]})
      return false;
  }
  *found = {node->inputs[0], node->inputs[1], node->inputs[2]};
  return true;
}

// A product of whole numbers, if the node is one of what is dequantised.
bool join_product(const Finder& finder, const NodeProto& node, NodeProto* made) {
  if (node.type != "MatMul" || node.inputs.size() != 2) return false;
  Dequantised a, b;
  if (!is_dequantised(finder, node.inputs[0], kNoAxis, &a) || !is_dequantised(finder, node.inputs[1], kNoAxis, &b)) {
    const TensorProto* numbers = nullptr;
    const NodeProto* const right = finder.maker(node.inputs[1]);
    if (right && !right->inputs.empty()) numbers = finder.initializer(right->inputs[0]);
    if (!numbers || numbers->dims.size() != 2 || !is_dequantised(finder, node.inputs[0], kNoAxis, &a) ||
        !is_dequantised(finder, node.inputs[1], 1, &b))
      return false;
  }
  *made = fresh_node(node, "MatMulInteger", {a.numbers, b.numbers, a.zero, b.zero, a.scale, b.scale}, node.outputs);
  return true;
}

// The same of a convolution by a constant filter, if it becomes a product: of other whole numbers it is computed in
// f64, which is slower than that of the dequantised ones.
bool join_convolution(const Finder& finder, const NodeProto& node, NodeProto* made) {
  if (node.type != "Conv" || node.inputs.size() < 2 || node.inputs.size() > 3) return false;
  Dequantised x, w;
  if (!is_dequantised(finder, node.inputs[0], kNoAxis, &x) || !is_dequantised(finder, node.inputs[1], 0, &w))
    return false;
  const TensorProto* const filter = finder.initializer(w.numbers);
  if (!filter || filter->dims.size() < 3) return false;
  int64_t offsets = 1;
  for (size_t d = 2; d < filter->dims.size() && offsets <= kMostOffsets; ++d)
    offsets *= std::clamp<int64_t>(filter->dims[d], 0, kMostOffsets + 1);
  const int64_t depth = std::clamp<int64_t>(filter->dims[1], 0, kMostExact + 1) * offsets;
  if (offsets > kMostOffsets || depth < kLeastDepth || depth > kMostExact) return false;
  *made = fresh_node(node, "ConvInteger", {x.numbers, w.numbers, x.zero, w.zero, x.scale, w.scale}, node.outputs);
  if (node.inputs.size() > 2) made->inputs.push_back(node.inputs[2]);
  made->attributes = node.attributes;
  return true;
}

}  // namespace

size_t join_scales(Finder& finder) {
  std::vector<const NodeProto*> all;
  for (const NodeProto& each : finder.nodes())
    if (each.domain.empty() && each.outputs.size() == 1) all.push_back(&each);
  size_t joined = 0;
  for (const NodeProto* each : all) {
    std::vector<NodeProto> fresh(1);
    if (!join_product(finder, *each, &fresh[0]) && !join_convolution(finder, *each, &fresh[0])) continue;
    finder.replace({each}, std::move(fresh));
    ++joined;
  }
  return joined;
}

}  // namespace rondo_onnx
