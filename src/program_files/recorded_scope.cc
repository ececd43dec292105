// Finds the views of a recorded program that a file has.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/recorded_scope.h"

#include <algorithm>

#include "graph/run/control.h"

namespace rondo::program_files {

RecordedScope::RecordedScope(const ops::Program& of, RecordedScope* outside) : program(of), around(outside), views(of) {
  for (size_t i = 0; i < of.nodes.size(); ++i) {
    for (size_t k = 0; k < of.nodes[i].operands.size(); ++k) need(views.of(i, k));
    const auto* const control = Control::of(of.nodes[i]);
    if (!control) continue;
    need(control->number());
    for (const rondo::Body& body : control->bodies())
      bodies[i].push_back(body.recorded ? std::make_unique<RecordedScope>(*body.recorded, this) : nullptr);
  }
  const auto has_layers = [](const ops::ProgramNode& node) {
    return std::holds_alternative<ops::RecurrentCall>(node.call->of);
  };
  if (std::any_of(of.nodes.begin(), of.nodes.end(), has_layers))
    for (size_t i = 0; i < of.nodes.size(); ++i)
      for (const ops::ProgramOperand& each : of.nodes[i].operands)
        uses_.try_emplace(of.values[each.value].storage.get(), i, i).first->second.second = i;
  if (!around) return;
  for (const View& each : from_around()) around->need(each);
}

std::vector<View> RecordedScope::from_around() const {
  std::vector<View> seen;
  for (size_t i = 0; i < needed_.size(); ++i) {
    const ops::OperandViews::Node& each = views.nodes()[i];
    if (needed_[i] && !each.call && program.values[each.value].given()) seen.push_back(each.view);
  }
  return seen;
}

void RecordedScope::need(uint32_t of) {
  needed_.resize(views.nodes().size());
  for (; of != kNone && !needed_[of]; of = views.nodes()[of].from) needed_[of] = true;
}

bool RecordedScope::used_besides(const Storage& storage, size_t node) const {
  const auto found = uses_.find(&storage);
  return found != uses_.end() && (found->second.first != node || found->second.second != node);
}

}  // namespace rondo::program_files
