// Finds groups of nodes in a graph that a text describes, whatever the order of operands of sums and products.
//
// A text is a term. `Add(a, b)` is a node of that type with as many inputs; `...` as the last one stands for any number
// of constants. A small letter begins the name of a value, which is the same value wherever it stands; `#` before it
// asks for a constant of one element. A number is such a constant, of that value as its type has it. `[a | b]` is one
// of several terms, and `Softmax:s(x)` gives a node a name.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnx/file/model.h"

namespace rondo_onnx {

struct Term {
  enum Kind { kNode, kValue, kNumber, kChoice };
  Kind kind = kValue;
  std::string name;   // type of a node, name of a value
  std::string label;  // of a node; empty: none
  double number = 0;
  bool constant = false;  // a value that must be a constant of one element
  bool rest = false;      // constants may follow the node's inputs
  std::vector<Term> parts;
};

// A term of a text that the library has; what is wrong in one is a mistake of the program, and ends it.
Term read_term(std::string_view text);

// Tells what stands for the names of a text.
struct Found {
  std::map<std::string, std::string> values;  // names of the graph by those of the text
  std::map<std::string, double> numbers;      // of those with a #
  std::map<std::string, const NodeProto*> labelled;
  std::vector<const NodeProto*> nodes;  // all that the term has, the last one first; some may stand there twice
};

// The nodes of one graph, which may be exchanged. One thread.
class Finder {
 public:
  // `path` is that of the model, and `memory_limit` that of the conversion, for constants that are read.
  Finder(const GraphProto& graph, int64_t version, std::string path, int64_t memory_limit);

  // The version of ONNX's operators that nodes of the file follow.
  int64_t version() const { return version_; }

  const std::list<NodeProto>& nodes() const { return nodes_; }
  // The node makes what the term describes, and nothing outside reads what is made on the way.
  bool matches(const Term& term, const NodeProto& node, Found* found) const;
  // The node that makes a value; null for inputs and constants of the graph.
  const NodeProto* maker(const std::string& value) const;
  size_t readers(const std::string& value) const;
  bool is_output(const std::string& value) const;
  // Gives an initializer, or the result of a node Constant; null for other values.
  const TensorProto* constant(const std::string& value) const;
  // One that is there before all nodes.
  const TensorProto* initializer(const std::string& value) const;
  // The number that a constant of one element is, and the bits of its significand if they are fewer than f32's; 0.
  bool number(const std::string& value, double* number, int* bits = nullptr) const;
  bool integers(const std::string& value, std::vector<int64_t>* numbers) const;
  // Puts new nodes where the first one of this list is, and removes all of the list. Names of new nodes' results are
  // new, or were results of old ones.
  void replace(const std::vector<const NodeProto*>& old, std::vector<NodeProto> fresh);
  // A name that no value has.
  std::string fresh_name(const std::string& like);

 private:
  struct Value {
    const NodeProto* maker = nullptr;
    const TensorProto* constant = nullptr;
    size_t readers = 0;
    bool output = false;
  };
  bool match(const Term& term, const std::string& value, Found* found) const;
  bool match_node(const Term& term, const NodeProto& node, Found* found) const;
  bool match_inputs(const Term& term, const NodeProto& node, bool exchanged, Found* found) const;
  void add_all(const std::vector<NodeProto>& nodes);
  void add(NodeProto node, std::list<NodeProto>::iterator before);
  void note(const NodeProto& node);
  void note_body(const GraphProto& body, int depth);
  void count(const std::string& value, int64_t readers);

  int64_t version_;
  std::string path_;
  int64_t memory_limit_;
  std::unordered_map<std::string, Value> values_;
  std::list<NodeProto> nodes_;
  std::unordered_map<const NodeProto*, std::list<NodeProto>::iterator> places_;
  uint64_t names_ = 0;
};

}  // namespace rondo_onnx
