// A model as its file has it: graphs, nodes, attributes, tensors. Nothing is computed here, and names are not yet
// looked up.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo_onnx {

// A tensor with its elements where the file has them: `raw` is a view of the file's bytes; other fields are ONNX's
// lists by type, of which one is used.
struct TensorProto {
  std::string name;
  int32_t type = 0;
  std::vector<int64_t> dims;
  std::string_view raw;
  std::vector<int64_t> integers;  // int32_data, int64_data, uint64_data
  std::vector<float> floats;
  std::vector<double> doubles;
  bool external = false;
  bool strings = false;
  std::string location;  // of external data: the file's name, and where in it they are
  int64_t offset = 0;
  int64_t length = -1;
};

struct GraphProto;

struct Attribute {
  enum Type { kFloat = 1, kInt = 2, kString = 3, kTensor = 4, kGraph = 5, kFloats = 6, kInts = 7, kStrings = 8 };

  std::string name;
  std::string refers;  // within a function: the attribute of the call that stands here
  int32_t type = 0;
  double real = 0;  // a float in the file
  int64_t integer = 0;
  std::string text;
  std::vector<float> reals;
  std::vector<int64_t> integers;
  std::vector<std::string> texts;
  std::shared_ptr<const TensorProto> tensor;
  std::shared_ptr<const GraphProto> graph;
};

struct NodeProto {
  std::string name, type, domain, overload;
  std::vector<std::string> inputs, outputs;  // an empty name: not given
  std::vector<Attribute> attributes;
  bool rewritten = false;  // it stands for nodes of the file, and follows the newest version's rules
};

struct Dimension {
  int64_t size = -1;  // -1: not said
  std::string name;
};

struct ValueInfo {
  std::string name;
  int32_t type = 0;  // of the elements; 0: it is no tensor
  bool has_shape = false;
  std::vector<Dimension> dims;
};

struct GraphProto {
  std::string name;
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<ValueInfo> inputs, outputs, values;
  bool sparse = false;  // it has sparse initializers
};

using Opsets = std::map<std::string, int64_t>;

struct FunctionProto {
  std::string name, domain, overload;
  std::vector<std::string> inputs, outputs, attributes;
  std::vector<Attribute> defaults;
  std::vector<NodeProto> nodes;
  Opsets opsets;
};

struct Model {
  Opsets opsets;
  GraphProto graph;
  std::vector<FunctionProto> functions;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string producer;
};

// The model in `bytes`, which must live as long as it does. Failure with RONDO_IO_ERROR if it is not valid.
Model read_model(std::string_view bytes);

// The bytes of a regular file, at most `most`. Failure with RONDO_NOT_FOUND, RONDO_IO_ERROR or RONDO_OUT_OF_MEMORY.
std::string read_file(const std::string& path, uint64_t most);

// The `length` bytes from `offset` on, or with -1 all that follow, of the file `name` in the folder of `model_path`.
// `name` must have no folder, and what is there must be a regular file and no link.
std::string read_external(const std::string& model_path, const std::string& name, int64_t offset, int64_t length);

}  // namespace rondo_onnx
