// Walks over graphs in attributes: branches, and bodies of loops whose number of turns is known, turn by turn.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "onnx/converter.h"
#include "onnx/file/failure.h"

namespace rondo_onnx {

namespace {

constexpr int kDeepestBody = 32;
constexpr int64_t kMostTurns = 4096;

const Attribute* find_attribute(const NodeProto& node, const char* name) {
  for (const Attribute& each : node.attributes)
    if (each.name == name) return &each;
  return nullptr;
}

std::vector<int64_t> integers_of(const NodeProto& node, const char* name, size_t count) {
  const Attribute* const found = find_attribute(node, name);
  std::vector<int64_t> all = found ? found->integers : std::vector<int64_t>();
  if (all.empty()) all.assign(count, 0);
  if (all.size() != count)
    malformed("its attribute " + shown(name) + " has " + std::to_string(all.size()) + " numbers, not " +
              std::to_string(count));
  return all;
}

}  // namespace

const GraphProto& Converter::body_of(const NodeProto& node, const char* attribute) const {
  const Attribute* const found = find_attribute(node, attribute);
  if (!found || !found->graph) malformed(std::string("it has no ") + attribute);
  return *found->graph;
}

void Converter::open_body(const GraphProto& body, const Scope& scope, Scope* inner) {
  if (scope.depth >= kDeepestBody)
    malformed("graphs lie in each other more than " + std::to_string(kDeepestBody) + " deep");
  inner->outer = &scope;
  inner->opsets = scope.opsets;
  inner->bound = scope.bound;
  inner->depth = scope.depth + 1;
  inner->facts = facts_of(body);
  add_initializers(body, *inner);
}

bool Converter::run_body(const GraphProto& body, const Scope& constants, const std::vector<ValueRef>& inputs,
                         std::vector<ValueRef>* outputs) {
  Scope inner;
  inner.outer = &constants;
  inner.opsets = constants.opsets;
  inner.bound = constants.bound;
  inner.depth = constants.depth;
  inner.facts = constants.facts;
  if (body.inputs.size() != inputs.size())
    malformed("its body has " + std::to_string(body.inputs.size()) + " inputs, not " + std::to_string(inputs.size()));
  // A turn costs something even if its body has no nodes.
  session_.count_nodes(1 + static_cast<int64_t>(body.outputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) define(inner, body.inputs[i].name, inputs[i]);
  run(body.nodes, inner);
  bool known = true;
  outputs->clear();
  for (const ValueInfo& each : body.outputs) {
    outputs->emplace_back();
    known = look_up(inner, each.name, &outputs->back()) && known;
  }
  return known;
}

ValueRef Converter::made_of(const std::vector<ValueRef>& values, const std::function<Tensor()>& make) {
  const bool constant = std::all_of(values.begin(), values.end(), [](const ValueRef& each) { return each->constant; });
  Tensor made;
  if (constant) {
    session_.apart.run([&] { made = make(); });
  } else {
    for (const ValueRef& each : values)
      if (each->constant) session_.use(each->tensor);
    made = make();
  }
  return std::make_shared<const Value>(Value{made, constant});
}

ValueRef Converter::stacked(const std::vector<ValueRef>& values, int64_t axis) {
  if (values.empty()) refuse("a result has no elements, since it makes no turn");
  const auto place = static_cast<int32_t>(axis_of(axis, values[0]->tensor.dim() + 1));
  return made_of(values, [&] {
    std::vector<Tensor> tensors;
    for (const ValueRef& each : values) tensors.push_back(each->tensor);
    return rondo::stack(tensors, place);
  });
}

void Converter::run_loop(const NodeProto& node, Scope& scope, const std::vector<ValueRef>& inputs) {
  const GraphProto& body = body_of(node, "body");
  const auto number = [&](const ValueRef& value, const char* what) {
    if (!value->constant) refuse(std::string(what) + " computed by the program; it must be a constant");
    if (value->tensor.numel() != 1) malformed(std::string(what) + " more than one number");
    int64_t read = 0;
    session_.apart.run([&] { read = value->tensor.to(RONDO_I64).item<int64_t>(); });
    return read;
  };
  int64_t turns = kMostTurns + 1;
  if (!inputs.empty() && inputs[0]) turns = number(inputs[0], "its number of turns is");
  // While the program decides how long the loop goes on, all turns that there may be are written out, and those after
  // the last one change no state.
  bool goes_on = true;
  ValueRef alive;  // null: turns up to here happen for certain
  const auto ask = [&](const ValueRef& condition) {
    if (condition->constant) {
      goes_on = number(condition, "its condition is") != 0;
      return;
    }
    if (condition->tensor.dtype() != RONDO_BOOL || condition->tensor.numel() != 1)
      malformed("its condition is not one bool");
    if (turns > kMostTurns)
      refuse("the program decides how many turns it makes; at most " + std::to_string(kMostTurns) +
             " by a constant can be converted");
    const auto both = [&] {
      return rondo::binary(RONDO_LOGICAL_AND, alive->tensor.reshape({}), condition->tensor.reshape({}));
    };
    alive = alive ? made_of({alive, condition}, both) : condition;
  };
  if (inputs.size() > 1 && inputs[1]) ask(inputs[1]);
  std::vector<ValueRef> states(inputs.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(inputs.size())),
                               inputs.end());
  if (std::any_of(states.begin(), states.end(), [](const ValueRef& each) { return !each; }))
    malformed("a state has no first value");
  if (body.outputs.size() < states.size() + 1) malformed("its body has fewer outputs than states");
  std::vector<std::vector<ValueRef>> sequences(body.outputs.size() - 1 - states.size());
  Scope constants;
  open_body(body, scope, &constants);
  for (int64_t turn = 0; goes_on && turn < turns; ++turn) {
    if (turn == kMostTurns) refuse("it makes more than " + std::to_string(kMostTurns) + " turns");
    const uint8_t yes = 1;
    const auto constant = [&](rondo_dtype dtype, const void* data) {
      return std::make_shared<const Value>(Value{session_.engine.from_host(session_.device, dtype, {}, data), true});
    };
    std::vector<ValueRef> given = {constant(RONDO_I64, &turn), constant(RONDO_BOOL, &yes)}, results;
    given.insert(given.end(), states.begin(), states.end());
    if (!run_body(body, constants, given, &results)) return leave_out(node, scope);
    if (alive && !sequences.empty())
      refuse("how many turns it makes, and so the size of a result, is computed by the program");
    for (size_t i = 0; i < states.size(); ++i)
      states[i] = alive ? selected(alive, results[1 + i], states[i]) : results[1 + i];
    ask(results[0]);
    for (size_t i = 0; i < sequences.size(); ++i) sequences[i].push_back(results[1 + states.size() + i]);
  }
  for (const std::vector<ValueRef>& each : sequences) states.push_back(stacked(each, 0));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i >= states.size()) malformed("it has more outputs than its body");
    if (!node.outputs[i].empty()) define(scope, node.outputs[i], states[i]);
  }
}

void Converter::run_scan(const NodeProto& node, int64_t opset, Scope& scope, const std::vector<ValueRef>& inputs) {
  if (opset < 9) refuse("version 8 of it is not there");
  const GraphProto& body = body_of(node, "body");
  const Attribute* const count = find_attribute(node, "num_scan_inputs");
  if (!count || count->integer < 1 || count->integer > static_cast<int64_t>(inputs.size()))
    malformed("its num_scan_inputs is none");
  if (std::any_of(inputs.begin(), inputs.end(), [](const ValueRef& each) { return !each; }))
    malformed("an input is not given");
  const auto scanned = static_cast<size_t>(count->integer);
  std::vector<ValueRef> states(inputs.begin(), inputs.end() - static_cast<std::ptrdiff_t>(scanned));
  if (body.outputs.size() < states.size()) malformed("its body has fewer outputs than states");
  const size_t outputs = body.outputs.size() - states.size();
  const std::vector<int64_t> axes = integers_of(node, "scan_input_axes", scanned),
                             backwards = integers_of(node, "scan_input_directions", scanned);
  const std::vector<int64_t> out_axes = integers_of(node, "scan_output_axes", outputs),
                             out_backwards = integers_of(node, "scan_output_directions", outputs);
  int64_t turns = -1;
  for (size_t i = 0; i < scanned; ++i) {
    const Tensor& tensor = inputs[states.size() + i]->tensor;
    const int64_t size = tensor.shape()[static_cast<size_t>(axis_of(axes[i], tensor.dim()))];
    if (turns >= 0 && size != turns) malformed("its sequences have different lengths");
    turns = size;
  }
  if (turns > kMostTurns) refuse("it makes more than " + std::to_string(kMostTurns) + " turns");
  std::vector<std::vector<ValueRef>> sequences(outputs);
  Scope constants;
  open_body(body, scope, &constants);
  for (int64_t turn = 0; turn < turns; ++turn) {
    std::vector<ValueRef> given = states, results;
    for (size_t i = 0; i < scanned; ++i) {
      const ValueRef& sequence = inputs[states.size() + i];
      given.push_back(made_of({sequence}, [&] {
        const int64_t place = backwards[i] != 0 ? turns - 1 - turn : turn,
                      axis = axis_of(axes[i], sequence->tensor.dim());
        Shape shape = sequence->tensor.shape();
        shape.erase(shape.begin() + axis);
        return sequence->tensor.slice(static_cast<int32_t>(axis), place, place + 1).reshape(shape);
      }));
    }
    if (!run_body(body, constants, given, &results)) return leave_out(node, scope);
    std::copy_n(results.begin(), states.size(), states.begin());
    for (size_t i = 0; i < outputs; ++i) sequences[i].push_back(results[states.size() + i]);
  }
  for (size_t i = 0; i < outputs; ++i) {
    if (out_backwards[i] != 0) std::reverse(sequences[i].begin(), sequences[i].end());
    states.push_back(stacked(sequences[i], out_axes[i]));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i >= states.size()) malformed("it has more outputs than its body");
    if (!node.outputs[i].empty()) define(scope, node.outputs[i], states[i]);
  }
}

}  // namespace rondo_onnx
