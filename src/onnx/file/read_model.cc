// Reads ONNX's messages of protobuf into the plain structs of model.h. Lists grow by what the file holds, never by a
// count that it claims, and graphs within graphs are read to a fixed depth.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/file/fields.h"
#include "onnx/file/model.h"

#include <protozero/exception.hpp>

#include <charconv>

namespace rondo_onnx {

namespace {

constexpr int kDeepest = 16;  // graphs in attributes of nodes of graphs in attributes ...

GraphProto read_graph(std::string_view bytes, int depth);

std::pair<std::string, std::string> read_entry(std::string_view bytes) {
  std::pair<std::string, std::string> entry;
  for (Fields fields(bytes, "StringStringEntryProto"); fields.next();) switch (fields.tag()) {
      case 1: entry.first = fields.text(); break;
      case 2: entry.second = fields.text(); break;
      default: fields.skip();
    }
  return entry;
}

int64_t whole_number(const std::string& text, const std::string& tensor) {
  int64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size() || number < 0)
    malformed("the tensor " + excerpt(tensor) + " has external data at " + excerpt(text) + ", which is no place");
  return number;
}

TensorProto read_tensor(std::string_view bytes) {
  TensorProto tensor;
  std::vector<std::pair<std::string, std::string>> external;
  for (Fields fields(bytes, "TensorProto"); fields.next();) switch (fields.tag()) {
      case 1: fields.add_integers(&tensor.dims); break;
      case 2: tensor.type = fields.small_integer(); break;
      case 4: fields.add_reals(&tensor.floats); break;
      case 5:
      case 7:
      case 11: fields.add_integers(&tensor.integers); break;
      case 6:
        tensor.strings = true;
        fields.skip();
        break;
      case 8: tensor.name = fields.text(); break;
      case 9: tensor.raw = fields.bytes(); break;
      case 10: fields.add_doubles(&tensor.doubles); break;
      case 13: external.push_back(read_entry(fields.bytes())); break;
      case 14: tensor.external = fields.integer() == 1; break;
      default: fields.skip();
    }
  for (const auto& [key, value] : external) {
    if (key == "location") tensor.location = value;
    if (key == "offset") tensor.offset = whole_number(value, tensor.name);
    if (key == "length") tensor.length = whole_number(value, tensor.name);
  }
  return tensor;
}

Attribute read_attribute(std::string_view bytes, int depth) {
  Attribute attribute;
  int32_t seen = 0;  // files of old versions do not say the type
  for (Fields fields(bytes, "AttributeProto"); fields.next();) switch (fields.tag()) {
      case 1: attribute.name = fields.text(); break;
      case 2:
        attribute.real = fields.real();
        seen = Attribute::kFloat;
        break;
      case 3:
        attribute.integer = fields.integer();
        seen = Attribute::kInt;
        break;
      case 4:
        attribute.text = fields.text();
        seen = Attribute::kString;
        break;
      case 5:
        attribute.tensor = std::make_shared<TensorProto>(read_tensor(fields.bytes()));
        seen = Attribute::kTensor;
        break;
      case 6:
        attribute.graph = std::make_shared<GraphProto>(read_graph(fields.bytes(), depth + 1));
        seen = Attribute::kGraph;
        break;
      case 7:
        fields.add_reals(&attribute.reals);
        seen = Attribute::kFloats;
        break;
      case 8:
        fields.add_integers(&attribute.integers);
        seen = Attribute::kInts;
        break;
      case 9:
        attribute.texts.push_back(fields.text());
        seen = Attribute::kStrings;
        break;
      case 20: attribute.type = fields.small_integer(); break;
      case 21: attribute.refers = fields.text(); break;
      default: fields.skip();
    }
  if (attribute.type == 0) attribute.type = seen;
  return attribute;
}

NodeProto read_node(std::string_view bytes, int depth) {
  NodeProto node;
  for (Fields fields(bytes, "NodeProto"); fields.next();) switch (fields.tag()) {
      case 1: node.inputs.push_back(fields.text()); break;
      case 2: node.outputs.push_back(fields.text()); break;
      case 3: node.name = fields.text(); break;
      case 4: node.type = fields.text(); break;
      case 5: node.attributes.push_back(read_attribute(fields.bytes(), depth)); break;
      case 7: node.domain = fields.text(); break;
      case 8: node.overload = fields.text(); break;
      default: fields.skip();
    }
  if (node.domain == "ai.onnx") node.domain.clear();
  return node;
}

void read_dimensions(std::string_view bytes, ValueInfo* value) {
  value->has_shape = true;
  for (Fields fields(bytes, "TensorShapeProto"); fields.next();) {
    if (fields.tag() != 1) {
      fields.skip();
      continue;
    }
    Dimension& dimension = value->dims.emplace_back();
    for (Fields inner(fields.bytes(), "Dimension"); inner.next();) switch (inner.tag()) {
        case 1: dimension.size = inner.integer(); break;
        case 2: dimension.name = inner.text(); break;
        default: inner.skip();
      }
  }
}

void read_type(std::string_view bytes, ValueInfo* value) {
  for (Fields fields(bytes, "TypeProto"); fields.next();) {
    if (fields.tag() != 1) {
      fields.skip();
      continue;
    }
    for (Fields inner(fields.bytes(), "TypeProto.Tensor"); inner.next();) switch (inner.tag()) {
        case 1: value->type = inner.small_integer(); break;
        case 2: read_dimensions(inner.bytes(), value); break;
        default: inner.skip();
      }
  }
}

ValueInfo read_value(std::string_view bytes) {
  ValueInfo value;
  for (Fields fields(bytes, "ValueInfoProto"); fields.next();) switch (fields.tag()) {
      case 1: value.name = fields.text(); break;
      case 2: read_type(fields.bytes(), &value); break;
      default: fields.skip();
    }
  return value;
}

GraphProto read_graph(std::string_view bytes, int depth) {
  if (depth > kDeepest) malformed("graphs lie in each other more than " + std::to_string(kDeepest) + " deep");
  GraphProto graph;
  for (Fields fields(bytes, "GraphProto"); fields.next();) switch (fields.tag()) {
      case 1: graph.nodes.push_back(read_node(fields.bytes(), depth)); break;
      case 2: graph.name = fields.text(); break;
      case 5: graph.initializers.push_back(read_tensor(fields.bytes())); break;
      case 11: graph.inputs.push_back(read_value(fields.bytes())); break;
      case 12: graph.outputs.push_back(read_value(fields.bytes())); break;
      case 13: graph.values.push_back(read_value(fields.bytes())); break;
      case 15:
        graph.sparse = true;
        fields.skip();
        break;
      default: fields.skip();
    }
  return graph;
}

void read_opset(std::string_view bytes, Opsets* opsets) {
  std::string domain;
  int64_t version = 0;
  for (Fields fields(bytes, "OperatorSetIdProto"); fields.next();) switch (fields.tag()) {
      case 1: domain = fields.text(); break;
      case 2: version = fields.integer(); break;
      default: fields.skip();
    }
  if (domain == "ai.onnx") domain.clear();
  if (!opsets->emplace(domain, version).second)
    malformed("the opset of the domain " + excerpt(domain) + " is given twice");
}

FunctionProto read_function(std::string_view bytes) {
  FunctionProto function;
  for (Fields fields(bytes, "FunctionProto"); fields.next();) switch (fields.tag()) {
      case 1: function.name = fields.text(); break;
      case 4: function.inputs.push_back(fields.text()); break;
      case 5: function.outputs.push_back(fields.text()); break;
      case 6: function.attributes.push_back(fields.text()); break;
      case 7: function.nodes.push_back(read_node(fields.bytes(), 0)); break;
      case 9: read_opset(fields.bytes(), &function.opsets); break;
      case 10: function.domain = fields.text(); break;
      case 11: function.defaults.push_back(read_attribute(fields.bytes(), 0)); break;
      case 13: function.overload = fields.text(); break;
      default: fields.skip();
    }
  if (function.domain == "ai.onnx") function.domain.clear();
  return function;
}

}  // namespace

Model read_model(std::string_view bytes) {
  Model model;
  bool has_graph = false;
  try {
    for (Fields fields(bytes, "ModelProto"); fields.next();) switch (fields.tag()) {
        case 2: model.producer = fields.text(); break;
        case 7:
          if (has_graph) malformed("it has two graphs");
          has_graph = true;
          model.graph = read_graph(fields.bytes(), 0);
          break;
        case 8: read_opset(fields.bytes(), &model.opsets); break;
        case 14: model.metadata.push_back(read_entry(fields.bytes())); break;
        case 25: model.functions.push_back(read_function(fields.bytes())); break;
        default: fields.skip();
      }
  } catch (const protozero::exception& wrong) {
    malformed(std::string("it is cut off, or not protobuf (") + wrong.what() + ")");
  }
  if (!has_graph) malformed("it has no graph");
  if (model.opsets.empty()) malformed("it does not say the versions of its operators (opset_import)");
  return model;
}

}  // namespace rondo_onnx
