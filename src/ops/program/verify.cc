// Checks a program node by node, and says which one is wrong and why.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/verify.h"

#include <algorithm>
#include <string_view>

#include "ops/program/infer.h"

namespace rondo::ops {

namespace {

Status wrong(const Program& program, size_t node, const char* why) {
  return error(RONDO_INTERNAL, "node %zu of a program is wrong: %s: %s", node, why,
               program.text(program.nodes[node]).c_str());
}

// True if a node has the operands that its kind names, but for results that it does not make.
bool has_its_operands(const ProgramNode& node) {
  size_t inputs = 0, outputs = 0;
  for (const ProgramOperand& each : node.operands)
    if (each.known) ++(each.written ? outputs : inputs);
  for (uint32_t bits = node.call->unwritten; bits; bits &= bits - 1) ++outputs;
  std::vector<std::string_view> names;
  return name_operands(*node.call, inputs, outputs, &names);
}

// The results that a node makes have the dtypes and shapes that its kind says, if it says any.
Status check_types(const ProgramNode& node) {
  std::vector<const View*> inputs, made;
  for (const ProgramOperand& each : node.operands)
    if (each.known) (each.written ? made : inputs).push_back(&each.view);
  return check_results(*node.call, inputs, made);
}

// One without elements is inside wherever it begins, as a part of an empty tensor does.
bool is_inside(const ProgramOperand& operand, const ProgramValue& value) {
  return operand.begin >= 0 && operand.begin <= operand.end &&
         (operand.begin == operand.end || operand.end <= static_cast<int64_t>(value.storage->bytes()));
}

}  // namespace

Status verify(const Program& program, bool* undefined) {
  std::vector<bool> written(program.values.size());
  for (size_t v = 0; v < written.size(); ++v) written[v] = program.values[v].given();
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    if (!has_its_operands(node)) return wrong(program, i, "its operands are not those of its kind");
    if (const Status status = check_types(node); !status.ok()) return wrong(program, i, status.message());
    if (node.random_count + node.host_random_count > 0 && node.effects() == Effects::pure)
      return wrong(program, i, "it draws random numbers, and its kind does not");
    for (const ProgramOperand& each : node.operands) {
      if (each.value >= program.values.size()) return wrong(program, i, "an operand is no value of the program");
      const ProgramValue& value = program.values[each.value];
      if (each.known && each.view.storage != value.storage.get())
        return wrong(program, i, "a view of an operand shows another value");
      if (!is_inside(each, value)) return wrong(program, i, "an operand lies outside of its value");
      if (each.written || !each.known || each.begin >= each.end || written[each.value] || value.outlives()) continue;
      if (!undefined) return wrong(program, i, "it reads a value that no node before it writes");
      *undefined = true;
    }
    for (const ProgramOperand& each : node.operands)
      if (each.written) written[each.value] = true;
  }
  return {};
}

KeptEffects::Drawn KeptEffects::drawn_by(const ProgramNode& node) {
  return {node.device, node.random_offset};
}

KeptEffects::KeptEffects(const Program& program) {
  for (const ProgramNode& node : program.nodes) {
    if (node.effects() >= Effects::kept) acting_.push_back(node.call.get());
    if (node.random_count > 0) drawn_.push_back(drawn_by(node));
  }
}

Status KeptEffects::check(const Program& after) const {
  size_t acting = 0;
  for (size_t i = 0; i < after.nodes.size(); ++i) {
    const ProgramNode& node = after.nodes[i];
    if (node.effects() >= Effects::ordered) {
      while (acting < acting_.size() && acting_[acting] != node.call.get()) ++acting;
      if (acting == acting_.size())
        return wrong(after, i, "it acts outside of the program, in another order than before");
    }
    if (node.random_count > 0 && std::find(drawn_.begin(), drawn_.end(), drawn_by(node)) == drawn_.end())
      return wrong(after, i, "it draws other random numbers than before");
  }
  const auto kept = static_cast<size_t>(std::count_if(
      after.nodes.begin(), after.nodes.end(), [](const ProgramNode& each) { return each.effects() >= Effects::kept; }));
  if (kept == acting_.size()) return {};
  return error(RONDO_INTERNAL, "a pass has left %zu of %zu nodes that act outside of the program", kept,
               acting_.size());
}

}  // namespace rondo::ops
