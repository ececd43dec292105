// Translates nodes in the order of the file, which ONNX promises to be one in which they can run. Functions of the
// model and branches of a constant condition are walked in place of their node. A node that cannot be converted is
// noted, and the walk goes on, so that the report has all of them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/converter.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/patterns/patterns.h"

namespace rondo_onnx {

namespace {

constexpr int kDeepestCall = 32;  // functions that call functions, and graphs in graphs
constexpr int64_t kOldestOpset = 6, kNewestOpset = 28;

std::string name_of(const NodeProto& node) {
  if (!node.name.empty()) return node.name;
  return node.outputs.empty() ? "" : node.outputs[0];
}

std::string type_of_node(const NodeProto& node) {
  return (node.domain.empty() ? "" : plain(node.domain) + ".") + plain(node.type);
}

std::string key_of(const std::string& domain, const std::string& name, const std::string& overload) {
  return domain + '\0' + name + '\0' + overload;
}

void check_versions(const Opsets& opsets, const std::string& whose) {
  const auto found = opsets.find("");
  if (found == opsets.end() || (found->second >= kOldestOpset && found->second <= kNewestOpset)) return;
  throw Failure(RONDO_UNSUPPORTED, whose + " is written for version " + std::to_string(found->second) +
                                       " of ONNX's operators; versions " + std::to_string(kOldestOpset) + " to " +
                                       std::to_string(kNewestOpset) + " can be converted");
}

// Numbers for an input of whole numbers must be such, and no larger than a double holds exactly.
void check_fixed(const std::string& name, rondo_dtype dtype, const std::vector<double>& numbers) {
  if (is_float(dtype)) return;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool sign = dtype == RONDO_I8 || dtype == RONDO_I16 || dtype == RONDO_I32 || dtype == RONDO_I64;
  const auto bits = dtype == RONDO_BOOL ? 1 : static_cast<int>(8 * rondo_dtype_size(dtype)) - (sign ? 1 : 0);
  const double most = std::min(std::ldexp(1.0, bits) - 1, kExact), least = sign ? std::max(-most - 1, -kExact) : 0;
  for (const double each : numbers)
    if (!(each >= least && each <= most) || each != std::floor(each))
      throw Failure(RONDO_INVALID_ARGUMENT,
                    "the number " + std::to_string(each) + " is given for the input " + excerpt(name) +
                        ", which takes whole numbers from " + std::to_string(static_cast<int64_t>(least)) + " to " +
                        std::to_string(static_cast<int64_t>(most)) + " (" + rondo_dtype_name(dtype) + ")");
}

// While it is there, what comes next is made by the node at that place.
class Entered {
 public:
  Entered(Sizes& sizes, Sizes::Place place) : sizes_(sizes), before_(sizes.enter(place)) {}
  ~Entered() { sizes_.enter(before_); }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Sizes& sizes_;
  const Sizes::Place before_;
};

}  // namespace

void Report::add(const std::string& type, const std::string& node, const std::string& why) {
  constexpr size_t kMostNames = 8;
  const std::string key = type + ": " + why;
  auto found = std::find_if(groups_.begin(), groups_.end(), [&](const auto& each) { return each.first == key; });
  if (found == groups_.end()) found = groups_.insert(groups_.end(), {key, Group()});
  ++total_;
  ++found->second.count;
  if (found->second.nodes.size() < kMostNames) found->second.nodes.push_back(excerpt(node));
}

void Report::add_lacking(const std::string& type, const std::string& node, const std::string& why) {
  lacks_operators_ = true;
  add(type, node, why);
}

std::string Report::text() const {
  constexpr size_t kMostGroups = 200;
  std::string text = std::to_string(total_) + (total_ == 1 ? " node" : " nodes") + " cannot be converted";
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (i == kMostGroups) return text + "\n  and " + std::to_string(groups_.size() - i) + " more reasons";
    const auto& [key, group] = groups_[i];
    text += "\n  " + key + " (" + std::to_string(group.count) + ": ";
    for (size_t k = 0; k < group.nodes.size(); ++k) text += (k ? ", " : "") + group.nodes[k];
    text += group.count > group.nodes.size() ? ", ...)" : ")";
  }
  return text;
}

Converter::Converter(const Model& model, Session& session, const ConvertOptions& options)
    : model_(model), session_(session), options_(options) {
  check_versions(model.opsets, "it");
  for (const FunctionProto& each : model.functions) {
    check_versions(each.opsets, "its function " + excerpt(each.name));
    if (!functions_.emplace(key_of(each.domain, each.name, each.overload), &each).second)
      malformed("it has two functions " + excerpt(each.name));
  }
}

void Converter::size_inputs(const std::map<std::string, int64_t>& more) {
  graph_inputs_.clear();
  sizes_ = options_.sizes;
  sizes_.insert(more.begin(), more.end());
  std::unordered_map<std::string, bool> initialized;
  for (const TensorProto& each : model_.graph.initializers) initialized[each.name] = true;
  std::string missing, strange;
  std::map<std::string, bool> asked;
  for (const ValueInfo& each : model_.graph.inputs) {
    if (initialized.count(each.name)) continue;  // files of old versions list initializers as inputs too
    Input input;
    input.name = each.name;
    if (each.type == 0) throw Failure(RONDO_UNSUPPORTED, "its input " + excerpt(each.name) + " is no tensor");
    input.bits = narrow_bits(each.type);
    if (!find_storage(each.type, &input.dtype))
      throw Failure(RONDO_UNSUPPORTED, "its input " + excerpt(each.name) + " is of the type " + type_name(each.type));
    if (!each.has_shape)
      throw Failure(RONDO_UNSUPPORTED, "its input " + excerpt(each.name) + " does not say how many dimensions it has");
    bool sized = false;  // by an option, whose fault it may be that there are too many elements
    for (size_t axis = 0; axis < each.dims.size(); ++axis) {
      const Dimension& dimension = each.dims[axis];
      int64_t size = dimension.size;
      if (size < 0) {
        // The place counts before the name, which some exporters give to all that they do not know.
        const std::string place = each.name + ":" + std::to_string(axis);
        const bool named = !dimension.name.empty() && dimension.name != "?" && !sizes_.count(place);
        const std::string name = named ? dimension.name : place;
        const auto given = sizes_.find(name);
        if (given == sizes_.end()) {
          if (!asked[name]) missing += (missing.empty() ? "" : ", ") + excerpt(name);
          size = 1;
        } else {
          size = given->second;
          sized = true;
        }
        asked[name] = true;
      }
      input.shape.push_back(size);
    }
    try {
      count_elements(input.shape, rondo_dtype_size(input.dtype), "its input " + excerpt(each.name));
    } catch (const Failure& failure) {
      if (!sized || failure.status() != RONDO_IO_ERROR) throw;
      throw Failure(RONDO_INVALID_ARGUMENT, std::string(failure.what()) + ", with the sizes that are given");
    }
    graph_inputs_.push_back(std::move(input));
  }
  for (const auto& [name, numbers] : options_.fixed) {
    const auto found = std::find_if(graph_inputs_.begin(), graph_inputs_.end(),
                                    [&, &key = name](const Input& each) { return each.name == key; });
    if (found == graph_inputs_.end())
      throw Failure(RONDO_INVALID_ARGUMENT, "numbers are given for " + excerpt(name) + ", which is none of its inputs");
    if (product(found->shape) != static_cast<int64_t>(numbers.size()))
      throw Failure(RONDO_INVALID_ARGUMENT, std::to_string(numbers.size()) + " numbers are given for the input " +
                                                excerpt(name) + ", which has " + std::to_string(product(found->shape)) +
                                                " elements");
    check_fixed(name, found->dtype, numbers);
  }
  for (const auto& [name, size] : sizes_)
    if (!asked.count(name)) strange += (strange.empty() ? "" : ", ") + excerpt(name);
  if (!missing.empty()) throw Failure(RONDO_INVALID_ARGUMENT, "no size is given for the dimensions " + missing);
  if (!strange.empty())
    throw Failure(RONDO_INVALID_ARGUMENT, "sizes are given for dimensions that it does not name: " + strange);
}

bool Converter::look_up(const Scope& scope, const std::string& name, ValueRef* value) const {
  for (const Scope* at = &scope; at; at = at->outer)
    if (const auto found = at->values.find(name); found != at->values.end()) {
      *value = found->second;
      return *value != nullptr;
    }
  malformed("the value " + excerpt(name) + " is used, and nothing before makes it");
}

void Converter::define(Scope& scope, const std::string& name, ValueRef value) {
  if (!scope.values.emplace(name, std::move(value)).second) malformed("the value " + excerpt(name) + " is made twice");
}

bool Converter::opset_of(const Scope& scope, const std::string& domain, int64_t* version) const {
  for (const Opsets* const each : {scope.opsets, &model_.opsets})
    if (const auto found = each->find(domain); found != each->end()) {
      *version = found->second;
      return true;
    }
  return false;
}

std::shared_ptr<const Converter::Facts> Converter::facts_of(const GraphProto& graph) {
  Facts facts;
  for (const ValueInfo& each : graph.values) facts.emplace(each.name, &each);
  return std::make_shared<const Facts>(std::move(facts));
}

const FunctionProto* Converter::function_of(const NodeProto& node) const {
  const auto found = functions_.find(key_of(node.domain, node.type, node.overload));
  return found == functions_.end() ? nullptr : found->second;
}

void Converter::add_initializers(const GraphProto& graph, Scope& scope) {
  if (graph.sparse) throw Failure(RONDO_UNSUPPORTED, "it has sparse initializers");
  // The body of a loop is walked once for each turn, and its initializers are read once.
  std::vector<ValueRef>& known = initializers_[&graph];
  if (known.size() == graph.initializers.size()) {
    for (size_t i = 0; i < known.size(); ++i) define(scope, graph.initializers[i].name, known[i]);
    return;
  }
  for (const TensorProto& each : graph.initializers) {
    Contents contents;
    ValueRef value;
    try {
      read_contents(each, session_.path, session_.memory_limit, &contents);
      const Tensor tensor =
          session_.engine.from_host(session_.device, contents.dtype, contents.shape, contents.bytes.data());
      session_.name_weight(each.name, tensor);
      value = std::make_shared<const Value>(Value{tensor, true, narrow_bits(each.type)});
    } catch (const Failure& failure) {
      if (failure.status() != RONDO_UNSUPPORTED) throw;
      report_.add("initializer", each.name, failure.what());
    }
    define(scope, each.name, value);
    known.push_back(value);
  }
}

void Converter::record() {
  report_ = Report();
  input_names_.clear();
  output_names_.clear();
  session_.nodes = session_.steps = 0;
  session_.counts.clear();
  session_.sizes.begin();
  Scope scope;
  scope.opsets = &model_.opsets;
  scope.bound = std::make_shared<const Bound>();
  scope.facts = facts_of(model_.graph);
  add_initializers(model_.graph, scope);
  for (const Input& each : graph_inputs_) {
    if (const auto fixed = options_.fixed.find(each.name); fixed != options_.fixed.end()) {
      ValueRef& value = fixed_[each.name];
      if (!value || value->tensor.shape() != each.shape) {
        Tensor constant;
        session_.apart.run([&] {
          constant =
              session_.engine.from_host(session_.device, RONDO_F64, each.shape, fixed->second.data()).to(each.dtype);
        });
        session_.name_weight(each.name, constant);
        value = std::make_shared<const Value>(Value{constant, true, each.bits});
      }
      define(scope, each.name, value);
      continue;
    }
    const Tensor tensor = session_.engine.record_input(session_.device, each.dtype, each.shape);
    define(scope, each.name, std::make_shared<const Value>(Value{tensor, false, each.bits}));
    input_names_.push_back(each.name);
  }
  int64_t version = 0;
  const bool rewrites = options_.patterns && has_plain_operators(&version);
  if (rewrites && !looked_)
    nodes_ = find_patterns(model_.graph, version, session_.path, session_.memory_limit, &findings_);
  looked_ = true;
  run(rewrites ? nodes_ : model_.graph.nodes, scope);
  for (const ValueInfo& each : model_.graph.outputs) {
    ValueRef value;
    if (!look_up(scope, each.name, &value)) continue;
    output_names_.push_back(each.name);
    attempt("output", each.name, "its output " + excerpt(each.name), [&] {
      const Tensor tensor = session_.operand(*value);
      // An output owns its memory, row-major; what is an input, a view or an output already is copied.
      if (value->constant || rondo_record_output(session_.engine.get(), tensor.get()) != RONDO_OK)
        session_.engine.record_output(tensor.clone());
    });
  }
  for (const auto& [name, count] : session_.counts) {
    output_names_.push_back(name);
    session_.engine.record_output(count.clone());
  }
  std::string strange;
  for (const auto& [name, limit] : options_.limits)
    if (!session_.limits_used[name]) strange += (strange.empty() ? "" : ", ") + excerpt(name);
  if (!strange.empty() && report_.empty())
    throw Failure(RONDO_INVALID_ARGUMENT,
                  "limits are given for " + strange + ", which name no result whose size the program computes");
}

// Version 6 has rules of its own for what is broadcast and for statistics, and a function of the model may stand for
// one of ONNX's operators: patterns know neither.
bool Converter::has_plain_operators(int64_t* version) const {
  constexpr int64_t kOldestOfPatterns = 7;
  const auto found = model_.opsets.find("");
  if (found == model_.opsets.end() || found->second < kOldestOfPatterns) return false;
  *version = found->second;
  return std::none_of(model_.functions.begin(), model_.functions.end(),
                      [](const FunctionProto& each) { return each.domain.empty(); });
}

void Converter::run(const std::vector<NodeProto>& nodes, Scope& scope) {
  for (const NodeProto& each : nodes) run_node(each, scope);
}

void Converter::leave_out(const NodeProto& node, Scope& scope) {
  for (const std::string& each : node.outputs) {
    if (each.empty()) continue;
    // A result whose shape the file tells stands for itself, so that later nodes are looked at too.
    const ValueInfo* known = nullptr;
    if (scope.facts)
      if (const auto found = scope.facts->find(each); found != scope.facts->end()) known = found->second;
    ValueRef value;
    Shape shape;
    rondo_dtype dtype = RONDO_F32;
    if (known && known->has_shape && find_storage(known->type, &dtype)) {
      bool all = known->dims.size() <= RONDO_MAX_DIMS;
      for (const Dimension& dimension : known->dims) {
        const auto given = sizes_.find(dimension.name);
        shape.push_back(dimension.size >= 0 ? dimension.size : given == sizes_.end() ? -1 : given->second);
        all = all && shape.back() >= 0;
      }
      if (all) {
        count_elements(shape, rondo_dtype_size(dtype), "the value " + excerpt(each));
        value =
            std::make_shared<const Value>(Value{session_.engine.record_input(session_.device, dtype, shape), false});
      }
    }
    define(scope, each, value);
  }
}

void Converter::run_node(const NodeProto& node, Scope& scope) {
  session_.count_nodes(1);
  session_.sizes.next_node();
  std::vector<ValueRef> inputs;
  bool known = true;
  for (const std::string& each : node.inputs) {
    inputs.emplace_back();
    if (!each.empty()) known = look_up(scope, each, &inputs.back()) && known;
  }
  while (!inputs.empty() && node.inputs[inputs.size() - 1].empty()) inputs.pop_back();
  const FunctionProto* const function = node.rewritten ? nullptr : function_of(node);
  bool versions = false;
  int64_t opset = kNewestOpset;
  if (!node.rewritten && !opset_of(scope, node.domain, &opset)) {
    report_.add_lacking(type_of_node(node), name_of(node), "nobody imports its domain (opset_import)");
    return leave_out(node, scope);
  }
  const bool walks = node.domain.empty() && (node.type == "If" || node.type == "Loop" || node.type == "Scan");
  const bool flexible = node.domain == "ai.onnx.preview" && node.type == "FlexAttention";
  if (!function && !walks && !flexible && !find_operator(node.domain, node.type, opset, &versions)) {
    report_.add_lacking(
        type_of_node(node), name_of(node),
        versions ? "version " + std::to_string(opset) + " of it is not there" : "the operator is not there");
    return leave_out(node, scope);
  }
  if (!known) return leave_out(node, scope);
  const auto translate = [&] {
    if (function) return run_function(*function, node, scope, std::move(inputs));
    if (flexible) return run_flex_attention(node, scope, inputs);
    if (walks && node.type == "Loop") return run_loop(node, scope, inputs);
    if (walks && node.type == "Scan") return run_scan(node, opset, scope, inputs);
    if (walks) {
      if (inputs.empty() || !inputs[0]) malformed("it has no condition");
      return run_if(node, scope, inputs[0]);
    }
    run_operator(node, opset, scope, std::move(inputs));
  };
  const std::string type = type_of_node(node), name = name_of(node);
  if (!attempt(type, name, "node " + excerpt(name) + " (" + type + ")", translate)) leave_out(node, scope);
}

bool Converter::attempt(const std::string& type, const std::string& name, const std::string& place,
                        const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Refusal& refusal) {
    report_.add(type, name, refusal.why);
  } catch (const rondo::Error& error) {
    if (error.status() != RONDO_INVALID_ARGUMENT && error.status() != RONDO_UNSUPPORTED) throw;
    report_.add(type, name, error.message());
  } catch (const std::logic_error& error) {  // of the C++ interface: an index or a number out of bounds
    report_.add(type, name, error.what());
  } catch (const Failure& failure) {
    const std::string text = failure.what();
    if (text.compare(0, 5, "node ") == 0) throw;
    if (failure.status() != RONDO_UNSUPPORTED) throw Failure(failure.status(), place + ": " + text);
    report_.add(type, name, text);
  }
  return false;
}

void Converter::run_operator(const NodeProto& node, int64_t opset, Scope& scope, std::vector<ValueRef> inputs) {
  bool versions = false;
  const OperatorRow* const row = find_operator(node.domain, node.type, opset, &versions);
  // Operators of other domains follow the rules of the newest version of ONNX's own.
  const int64_t version = node.domain.empty() ? opset : kNewestOpset;
  Call call(session_, node, version, *scope.bound, inputs);
  const bool constant =
      std::all_of(inputs.begin(), inputs.end(), [](const ValueRef& each) { return !each || each->constant; });
  Sizes& sizes = session_.sizes;
  const bool vary = sizes.vary() && !session_.apart.here();
  if (const std::vector<ValueRef>* const known = vary && constant ? sizes.known(node, inputs) : nullptr) {
    for (size_t i = 0; i < known->size(); ++i)
      if (!node.outputs[i].empty()) define(scope, node.outputs[i], (*known)[i]);
    return;
  }
  const Sizes::Place place = sizes.place();
  if (constant)
    session_.apart.run([&] { row->translate(call); });
  else
    row->translate(call);
  // Operators that move integers of a few bits give such integers; those that make others say so themselves.
  const bool makes_others = row->translate == cast_node || row->translate == cast_like ||
                            row->translate == quantize_linear || row->translate == dequantize_linear;
  if (!makes_others && !inputs.empty() && inputs[0] && inputs[0]->bits > 0) call.keep_narrow();
  std::vector<ValueRef> outputs = call.take_outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    if (!outputs[i]) refuse("its output " + std::to_string(i) + " is asked for");
  }
  if (vary && sizes.keep(session_, place, node, &outputs)) {
    // Values that vary with sizes are known now, and where they are operands the program computes them anew.
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      ValueRef value = outputs[i];
      if (value->constant && std::find(inputs.begin(), inputs.end(), value) == inputs.end())
        value = varying(value->tensor, value->bits, inputs,
                        [this, row, &node, version, bound = scope.bound, inputs, place, i, known = value->tensor] {
                          return again(*row, node, version, *bound, inputs, place, i, known);
                        });
      define(scope, node.outputs[i], value);
    }
    return;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    ValueRef value = outputs[i];
    if (value->constant && !session_.weights.count(value->tensor.variable()) && value->tensor.is_contiguous()) {
      // A constant of its own, which may get the name of the value.
      Tensor whole;
      session_.apart.run([&] { whole = value->tensor.clone(); });
      session_.name_weight(node.outputs[i], whole);
      value = std::make_shared<const Value>(Value{whole, true, value->bits});
      outputs[i] = value;
    }
    define(scope, node.outputs[i], value);
  }
  if (vary) sizes.remember(place, node, inputs, outputs);
}

Tensor Converter::again(const OperatorRow& row, const NodeProto& node, int64_t version, const Bound& bound,
                        const std::vector<ValueRef>& inputs, Sizes::Place place, size_t output, const Tensor& known) {
  const Entered entered(session_.sizes, place);
  Call call(session_, node, version, bound, inputs);
  row.translate(call);
  const ValueRef value = call.take_outputs()[output];
  Tensor made = value->constant && !value->remake ? Sizes::made_by_program(session_, value->tensor, Form::kList)
                                                  : session_.operand(*value);
  if (made.shape() != known.shape() || made.dtype() != known.dtype())
    refuse("it needs numbers that depend on sizes that vary, and as the program computes them they have another shape");
  return made;
}

ValueRef Converter::varying(const Tensor& tensor, int bits, const std::vector<ValueRef>& inputs,
                            std::function<Tensor()> remake) {
  constexpr int kDeepest = 256;  // one is recorded within the other
  int depth = 1;
  for (const ValueRef& each : inputs)
    if (each) depth = std::max(depth, each->depth + 1);
  if (depth > kDeepest) {
    depth = kDeepest;
    remake = []() -> Tensor {
      refuse("it needs numbers that depend on sizes that vary, through more than " + std::to_string(kDeepest) +
             " nodes");
    };
  }
  return std::make_shared<const Value>(Value{tensor, true, bits, std::move(remake), depth});
}

void Converter::run_function(const FunctionProto& function, const NodeProto& node, Scope& scope,
                             std::vector<ValueRef> inputs) {
  if (scope.depth >= kDeepestCall)
    malformed("functions call each other more than " + std::to_string(kDeepestCall) + " deep");
  Scope inner;
  inner.opsets = &function.opsets;
  inner.depth = scope.depth + 1;
  const auto all = std::make_shared<Bound>();
  Bound& bound = *all;
  for (const Attribute& each : function.defaults) bound[each.name] = &each;
  for (const Attribute& each : node.attributes) {
    if (each.refers.empty()) {
      bound[each.name] = &each;
    } else if (const auto found = scope.bound->find(each.refers); found != scope.bound->end()) {
      bound[each.name] = found->second;
    }
  }
  inner.bound = all;
  if (inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size())
    malformed("it has more inputs or outputs than the function " + excerpt(function.name));
  std::vector<std::string> missing;
  std::string key;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    if (i < inputs.size() && inputs[i]) {
      define(inner, function.inputs[i], inputs[i]);
    } else {
      missing.push_back(function.inputs[i]);
      key += std::to_string(i) + " ";
    }
  const auto [at, added] = inlined_.try_emplace({&function, key});
  std::vector<NodeProto>& nodes = at->second;
  if (added) {
    // Inputs that are not given are empty names for the nodes within.
    nodes = function.nodes;
    for (NodeProto& each : nodes)
      for (std::string& name : each.inputs)
        if (std::find(missing.begin(), missing.end(), name) != missing.end()) name.clear();
  }
  run(nodes, inner);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    ValueRef value;
    look_up(inner, function.outputs[i], &value);
    define(scope, node.outputs[i], value);
  }
}

void Converter::run_if(const NodeProto& node, Scope& scope, const ValueRef& condition) {
  if (scope.depth >= kDeepestCall)
    malformed("graphs lie in each other more than " + std::to_string(kDeepestCall) + " deep");
  if (condition->tensor.dtype() != RONDO_BOOL || condition->tensor.numel() != 1)
    malformed("its condition is not one bool");
  // The results of one branch; false: one depends on what could not be converted.
  const auto run_branch = [&](const char* attribute, std::vector<ValueRef>* outputs) {
    const GraphProto& branch = body_of(node, attribute);
    if (branch.outputs.size() < node.outputs.size()) malformed("its branch has fewer outputs");
    Scope constants;
    open_body(branch, scope, &constants);
    return run_body(branch, constants, {}, outputs);
  };
  std::vector<ValueRef> outputs;
  if (condition->constant) {
    uint8_t chosen = 0;
    session_.apart.run([&] { condition->tensor.contiguous().read(&chosen, 1); });
    run_branch(chosen ? "then_branch" : "else_branch", &outputs);
  } else {
    // Nodes have no effects but their results: both branches are computed, and the condition chooses among results.
    std::vector<ValueRef> others;
    const bool first = run_branch("then_branch", &outputs), second = run_branch("else_branch", &others);
    if (!first || !second) return leave_out(node, scope);
    for (size_t i = 0; i < node.outputs.size(); ++i) outputs[i] = selected(condition, outputs[i], others[i]);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty()) define(scope, node.outputs[i], outputs[i]);
}

ValueRef Converter::selected(const ValueRef& condition, const ValueRef& a, const ValueRef& b) {
  if (a == b) return a;
  const auto text = [](const Tensor& x) {
    std::string all = rondo_dtype_name(x.dtype());
    for (const int64_t each : x.shape()) all += " " + std::to_string(each);
    return all;
  };
  if (a->tensor.shape() != b->tensor.shape() || a->tensor.dtype() != b->tensor.dtype() || a->bits != b->bits)
    refuse("the program chooses between " + text(a->tensor) + " and " + text(b->tensor) +
           "; both must have one type and shape");
  return made_of({condition, a, b},
                 [](const std::vector<Tensor>& of) { return choose(of[0].reshape({}), of[1], of[2]); });
}

}  // namespace rondo_onnx
