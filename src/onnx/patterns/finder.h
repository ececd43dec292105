// Finds groups of nodes of a model's graph that a term describes (terms/term.h), and puts others in their place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnx/file/model.h"
#include "terms/match.h"

namespace rondo_onnx {

struct Contents;

class Finder;
using Found = rondo::TermMatch<Finder>;

// The nodes of one graph, which may be exchanged. One thread.
class Finder {
 public:
  // Values are names of the graph.
  using Value = std::string;
  using Node = const NodeProto*;

  // `path` is that of the model, and `memory_limit` that of the conversion, for constants that are read.
  Finder(const GraphProto& graph, int64_t version, std::string path, int64_t memory_limit);

  // The version of ONNX's operators that nodes of the file follow.
  int64_t version() const { return version_; }

  const std::list<NodeProto>& nodes() const { return nodes_; }
  // The node makes what the term describes, and nothing outside reads what is made on the way.
  bool matches(const rondo::Term& term, const NodeProto& node, Found* found) const;
  // A term is compared with these (terms/match.h).
  bool given(const std::string& value) const { return !value.empty(); }
  bool is_constant(const std::string& value) const { return constant(value) != nullptr; }
  size_t inputs(const NodeProto* node) const;
  const std::string& input(const NodeProto* node, size_t i) const { return node->inputs[i]; }
  bool makes(const std::string& value, std::string_view type, const NodeProto** node) const;

  // The node that makes a value; null for inputs and constants of the graph.
  const NodeProto* maker(const std::string& value) const;
  size_t readers(const std::string& value) const;
  // True if one node gives the value. A file where several do is refused later, so their nodes stay.
  bool made_once(const std::string& value) const;
  bool is_output(const std::string& value) const;
  // Gives an initializer, or the result of a node Constant; null for other values.
  const TensorProto* constant(const std::string& value) const;
  // One that is there before all nodes.
  const TensorProto* initializer(const std::string& value) const;
  // The number that a constant of one element is, and the bits of its significand if they are fewer than f32's; 0.
  bool number(const std::string& value, double* number, int* bits = nullptr) const;
  bool integers(const std::string& value, std::vector<int64_t>* numbers) const;
  // The numbers of a constant of f32.
  bool reals(const std::string& value, std::vector<float>* numbers) const;
  // Puts new nodes where the first one of this list is, and removes all of the list. Names of new nodes' results are
  // new, or were results of old ones.
  void replace(const std::vector<const NodeProto*>& old, std::vector<NodeProto> fresh);
  // Removes nodes that nothing reads any more since others were put in place of what read them.
  void drop_unread();
  // A name that no value has.
  std::string fresh_name(const std::string& like);

 private:
  struct Known {
    const NodeProto* maker = nullptr;
    const TensorProto* constant = nullptr;
    size_t readers = 0, makers = 0;
    bool output = false;
  };
  bool read(const TensorProto& tensor, Contents* contents) const;
  template <class Number>
  bool contents(const std::string& value, rondo_dtype dtype, bool external, std::vector<Number>* numbers) const;
  void add_all(const std::vector<NodeProto>& nodes);
  void add(NodeProto node, std::list<NodeProto>::iterator before);
  void note(const NodeProto& node);
  void note_body(const GraphProto& body, int depth);
  void count(const std::string& value, int64_t readers);
  void remove(const NodeProto* node);

  int64_t version_;
  std::string path_;
  int64_t memory_limit_;
  std::unordered_map<std::string, Known> values_;
  std::list<NodeProto> nodes_;
  std::unordered_map<const NodeProto*, std::list<NodeProto>::iterator> places_;
  std::vector<std::string> left_;  // values that lost a reader
  uint64_t names_ = 0;
};

}  // namespace rondo_onnx
