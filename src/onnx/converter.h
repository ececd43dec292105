// Walks over the nodes of a model's graph and keeps what each name stands for.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnx/convert.h"
#include "onnx/file/model.h"
#include "onnx/patterns/patterns.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

// Keeps what cannot be converted, by operator; texts in the order in which they were met.
class Report {
 public:
  void add(const std::string& type, const std::string& node, const std::string& why);
  // The same of an operator that is not there.
  void add_lacking(const std::string& type, const std::string& node, const std::string& why);
  bool lacks_operators() const { return lacks_operators_; }
  bool empty() const { return groups_.empty(); }
  // All of it, a line for each operator and reason.
  std::string text() const;

 private:
  struct Group {
    size_t count = 0;
    std::vector<std::string> nodes;  // the first ones
  };
  std::vector<std::pair<std::string, Group>> groups_;
  size_t total_ = 0;
  bool lacks_operators_ = false;
};

// One conversion; used by one thread, once.
class Converter {
 public:
  Converter(const Model& model, Session& session, const ConvertOptions& options);

  // Shapes of the graph's inputs, with the options' sizes and these. Failure with RONDO_INVALID_ARGUMENT for dimensions
  // that have no size, all of them. May be called again, before another recording.
  void size_inputs(const std::map<std::string, int64_t>& more = {});
  // Records the graph; to be called between the begin and the end of a callable recording, and if sizes vary once for
  // each time. Nodes that cannot be converted are in report() then.
  void record();

  // Tells what was found in the graph.
  const Findings& findings() const { return findings_; }

  const Report& report() const { return report_; }
  const std::vector<std::string>& inputs() const { return input_names_; }
  const std::vector<std::string>& outputs() const { return output_names_; }

 private:
  // Holds what a graph says of its values, by name.
  using Facts = std::unordered_map<std::string, const ValueInfo*>;
  // Names of one graph or function, and of those around it.
  struct Scope {
    const Scope* outer = nullptr;
    std::unordered_map<std::string, ValueRef> values;
    const Opsets* opsets = nullptr;
    std::shared_ptr<const Bound> bound;
    std::shared_ptr<const Facts> facts;  // null: none
    int depth = 0;
  };
  // False: the name is that of a result of a node that could not be converted.
  bool look_up(const Scope& scope, const std::string& name, ValueRef* value) const;
  static void define(Scope& scope, const std::string& name, ValueRef value);
  // The version of the domain's operators; false: it is not imported.
  bool opset_of(const Scope& scope, const std::string& domain, int64_t* version) const;
  static std::shared_ptr<const Facts> facts_of(const GraphProto& graph);

  void add_initializers(const GraphProto& graph, Scope& scope);
  void run(const std::vector<NodeProto>& nodes, Scope& scope);
  void run_node(const NodeProto& node, Scope& scope);
  // Runs `work` for what has the type, the name and, in messages, the place. False: that cannot be converted, which is
  // in the report.
  bool attempt(const std::string& type, const std::string& name, const std::string& place,
               const std::function<void()>& work);
  void run_operator(const NodeProto& node, int64_t opset, Scope& scope, std::vector<ValueRef> inputs);
  // A constant that varies with sizes: where it is an operand, the program computes it as `remake` records it.
  static ValueRef varying(const Tensor& tensor, int bits, const std::vector<ValueRef>& inputs,
                          std::function<Tensor()> remake);
  // An output of a node whose inputs are constants, some of which vary with sizes, as the program computes it; `known`
  // is what it is now.
  Tensor again(const OperatorRow& row, const NodeProto& node, int64_t version, const Bound& bound,
               const std::vector<ValueRef>& inputs, Sizes::Place place, size_t output, const Tensor& known);
  void run_function(const FunctionProto& function, const NodeProto& node, Scope& scope, std::vector<ValueRef> inputs);
  void run_if(const NodeProto& node, Scope& scope, const ValueRef& condition);
  void run_loop(const NodeProto& node, Scope& scope, const std::vector<ValueRef>& inputs);
  void run_scan(const NodeProto& node, int64_t opset, Scope& scope, const std::vector<ValueRef>& inputs);
  void run_flex_attention(const NodeProto& node, Scope& scope, const std::vector<ValueRef>& inputs);
  // A body's result for one value, which is the value itself without such an attribute; null if it cannot be converted.
  ValueRef changed_by(const NodeProto& node, const char* attribute, Scope& scope, const ValueRef& value);
  // The graph in an attribute of a node, and a scope with its initializers.
  const GraphProto& body_of(const NodeProto& node, const char* attribute) const;
  void open_body(const GraphProto& body, const Scope& scope, Scope* inner);
  // Runs a body once; false: a result depends on what could not be converted.
  bool run_body(const GraphProto& body, const Scope& constants, const std::vector<ValueRef>& inputs,
                std::vector<ValueRef>* outputs);
  // A value that `make` makes of others: a constant if they are.
  ValueRef made_of(const std::vector<ValueRef>& values, const std::function<Tensor(const std::vector<Tensor>&)>& make);
  // The first value where the condition holds, else the second; refused if they differ in type or shape.
  ValueRef selected(const ValueRef& condition, const ValueRef& a, const ValueRef& b);
  ValueRef stacked(const std::vector<ValueRef>& values, int64_t axis);
  void leave_out(const NodeProto& node, Scope& scope);
  const FunctionProto* function_of(const NodeProto& node) const;
  // Patterns of nodes may be looked for; gives the version of ONNX's operators that they follow.
  bool has_plain_operators(int64_t* version) const;

  const Model& model_;
  Session& session_;
  const ConvertOptions& options_;
  Report report_;
  Findings findings_;
  std::map<std::string, int64_t> sizes_;  // of dimensions, in this recording
  std::map<std::string, const FunctionProto*> functions_;
  std::vector<NodeProto> nodes_;  // of the graph, with the patterns that were found; once `looked_`
  bool looked_ = false;
  std::map<std::string, ValueRef> fixed_;
  // Nodes of functions without the inputs that a call does not give, by the function and the names of these.
  std::map<std::pair<const FunctionProto*, std::string>, std::vector<NodeProto>> inlined_;
  std::unordered_map<const GraphProto*, std::vector<ValueRef>> initializers_;  // of graphs that were entered
  struct Input {
    std::string name;
    rondo_dtype dtype;
    Shape shape;
    int bits = 0;  // see Value
  };
  std::vector<Input> graph_inputs_;
  std::vector<std::string> input_names_, output_names_;
};

}  // namespace rondo_onnx
