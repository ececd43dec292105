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
    malformed("its attribute " + excerpt(name) + " has " + std::to_string(all.size()) + " numbers, not " +
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

ValueRef Converter::made_of(const std::vector<ValueRef>& values,
                            const std::function<Tensor(const std::vector<Tensor>&)>& make) {
  const auto recorded = [this, values, make] {
    std::vector<Tensor> operands;
    for (const ValueRef& each : values) operands.push_back(session_.operand(*each));
    return make(operands);
  };
  if (!std::all_of(values.begin(), values.end(), [](const ValueRef& each) { return each->constant; }))
    return std::make_shared<const Value>(Value{recorded(), false});
  Tensor made;
  session_.apart.run([&] { made = recorded(); });
  const bool varies =
      std::any_of(values.begin(), values.end(), [](const ValueRef& each) { return each->remake != nullptr; });
  if (varies) return varying(made, 0, values, recorded);
  if (session_.sizes.vary()) {
    const Form* ignored = nullptr;
    made = session_.sizes.keep_table(session_, made, &ignored);
  }
  return std::make_shared<const Value>(Value{made, true});
}

ValueRef Converter::stacked(const std::vector<ValueRef>& values, int64_t axis) {
  if (values.empty()) refuse("a result has no elements, since it makes no turn");
  const auto place = static_cast<int32_t>(axis_of(axis, values[0]->tensor.dim() + 1));
  return made_of(values, [place](const std::vector<Tensor>& tensors) { return rondo::stack(tensors, place); });
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
  int64_t turns = kMostTurns + 1, limit = 0;
  ValueRef asked;        // how many turns it makes, if the program computes that
  bool limited = false;  // which an option does where the program decides
  if (!inputs.empty() && inputs[0] && !inputs[0]->constant && session_.find_limit(node, &limit)) {
    asked = inputs[0];
    limited = true;
    if (asked->tensor.numel() != 1 || is_float(asked->tensor.dtype()))
      malformed("its number of turns is no whole number");
  } else if (!inputs.empty() && inputs[0]) {
    turns = number(inputs[0], "its number of turns is");
  }
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
    limited = limited || session_.find_limit(node, &limit);
    if ((limited ? std::min(turns, limit) : turns) > kMostTurns)
      refuse("the program decides how many turns it makes; at most " + std::to_string(kMostTurns) +
             " by a constant can be converted");
    const auto both = [](const std::vector<Tensor>& of) {
      return rondo::binary(RONDO_LOGICAL_AND, of[0].reshape({}), of[1].reshape({}));
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
  std::vector<ValueRef> happened;  // null: for certain
  for (int64_t turn = 0; goes_on && turn < turns; ++turn) {
    if (limited && turn >= limit) break;
    if (asked)
      ask(made_of({asked}, [turn](const std::vector<Tensor>& of) {
        return rondo::binary(RONDO_GT, of[0].reshape({}), rondo::Number(turn));
      }));
    happened.push_back(alive);
    if (turn == kMostTurns) refuse("it makes more than " + std::to_string(kMostTurns) + " turns");
    const uint8_t yes = 1;
    const auto constant = [&](rondo_dtype dtype, const void* data) {
      return std::make_shared<const Value>(Value{session_.engine.from_host(session_.device, dtype, {}, data), true});
    };
    std::vector<ValueRef> given = {constant(RONDO_I64, &turn), constant(RONDO_BOOL, &yes)}, results;
    given.insert(given.end(), states.begin(), states.end());
    if (!run_body(body, constants, given, &results)) return leave_out(node, scope);
    if (alive && !sequences.empty() && !limited)
      refuse("how many turns it makes, and so the size of a result, is computed by the program");
    for (size_t i = 0; i < states.size(); ++i)
      states[i] = alive ? selected(alive, results[1 + i], states[i]) : results[1 + i];
    ask(results[0]);
    for (size_t i = 0; i < sequences.size(); ++i) {
      const ValueRef& result = results[1 + states.size() + i];
      if (!happened.back()) {
        sequences[i].push_back(result);
        continue;
      }
      // Elements of turns that do not happen are zero.
      sequences[i].push_back(made_of({happened.back(), result}, [this](const std::vector<Tensor>& of) {
        const Tensor zero = session_.engine.full(session_.device, of[1].dtype(), {}, 0);
        return choose(of[0].reshape({}), of[1], zero);
      }));
    }
  }
  for (const std::vector<ValueRef>& each : sequences) states.push_back(stacked(each, 0));
  if (limited && !sequences.empty()) {
    const int64_t certain = std::count(happened.begin(), happened.end(), nullptr);
    happened.erase(std::remove(happened.begin(), happened.end(), nullptr), happened.end());
    Tensor count = session_.engine.full(session_.device, RONDO_I64, {}, certain);
    for (const ValueRef& each : happened) count = count + session_.operand(*each).reshape({}).to(RONDO_I64);
    session_.add_count(node, count);
  }
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
      const int64_t place = backwards[i] != 0 ? turns - 1 - turn : turn,
                    axis = axis_of(axes[i], sequence->tensor.dim());
      given.push_back(made_of({sequence}, [place, axis](const std::vector<Tensor>& of) {
        Shape shape = of[0].shape();
        shape.erase(shape.begin() + axis);
        return of[0].slice(static_cast<int32_t>(axis), place, place + 1).reshape(shape);
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
