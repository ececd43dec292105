// Makes nodes and attributes that stand for others of the file, with the names that these had.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "onnx/file/model.h"

namespace rondo_onnx {

// Takes its name from the node that it stands for.
inline NodeProto fresh_node(const NodeProto& like, const char* type, std::vector<std::string> inputs,
                            std::vector<std::string> outputs) {
  NodeProto node;
  node.name = like.name;
  node.type = type;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.rewritten = true;
  return node;
}

inline Attribute integer_attribute(const char* name, int64_t value) {
  Attribute attribute;
  attribute.name = name;
  attribute.type = Attribute::kInt;
  attribute.integer = value;
  return attribute;
}

inline Attribute integers_attribute(const char* name, std::vector<int64_t> values) {
  Attribute attribute;
  attribute.name = name;
  attribute.type = Attribute::kInts;
  attribute.integers = std::move(values);
  return attribute;
}

inline Attribute real_attribute(const char* name, double value) {
  Attribute attribute;
  attribute.name = name;
  attribute.type = Attribute::kFloat;
  attribute.real = value;
  return attribute;
}

inline Attribute text_attribute(const char* name, const char* value) {
  Attribute attribute;
  attribute.name = name;
  attribute.type = Attribute::kString;
  attribute.text = value;
  return attribute;
}

inline const Attribute* attribute_of(const NodeProto& node, const char* name) {
  for (const Attribute& each : node.attributes)
    if (each.name == name && each.refers.empty()) return &each;
  return nullptr;
}

}  // namespace rondo_onnx
