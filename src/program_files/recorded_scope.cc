// Finds the views and the groups of a recorded program that a file has.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/recorded_scope.h"

#include "graph/run/control.h"
#include "program_files/attributes.h"
#include "program_files/check.h"

namespace rondo::program_files {

namespace {

// True if steps that no file has do together what a file has kinds for.
bool is_saved_whole(const ops::Program& program, const ops::ProgramGroup& group) {
  bool steps = false, whole = true;
  for (size_t i = group.begin; i < group.end; ++i) {
    const Ref<const ops::Call>& call = program.nodes[i].call;
    steps |= std::holds_alternative<ops::PartCall>(call->of);
  }
  std::string json;
  for (const auto& each : group.operators)
    whole &= each.call && is_checked(*each.call) && write_attributes(*each.call, &json);
  return steps && whole;
}

}  // namespace

RecordedScope::RecordedScope(const ops::Program& of, RecordedScope* outside) : program(of), around(outside), views(of) {
  find_groups();
  for (size_t i = 0; i < of.nodes.size(); ++i) {
    if (const auto group = groups.find(i); group != groups.end()) {
      for (const auto& each : group->second->operators)
        for (const TaskOperand& operand : each.operands) need(operand.view);
      i = group->second->end - 1;
      continue;
    }
    for (size_t k = 0; k < of.nodes[i].operands.size(); ++k) need(views.of(i, k));
    const auto* const control = Control::of(of.nodes[i]);
    if (!control) continue;
    need(control->number());
    for (const rondo::Body& body : control->bodies())
      bodies[i].push_back(body.recorded ? std::make_unique<RecordedScope>(body.recorded->program, this) : nullptr);
  }
  if (!around) return;
  for (const View& each : from_around()) around->need(each);
}

std::vector<View> RecordedScope::from_around() const {
  std::vector<View> seen;
  for (size_t i = 0; i < needed_.size(); ++i) {
    const ops::OperandViews::Node& each = views.nodes()[i];
    if (needed_[i] && !each.call && !program.values[each.value].made) seen.push_back(each.view);
  }
  return seen;
}

void RecordedScope::need(uint32_t of) {
  needed_.resize(views.nodes().size());
  for (; of != kNone && !needed_[of]; of = views.nodes()[of].from) needed_[of] = true;
}

void RecordedScope::find_groups() {
  for (const ops::ProgramGroup& each : program.groups)
    if (is_saved_whole(program, each)) groups.emplace(each.begin, &each);
  if (groups.empty()) return;
  for (size_t i = 0; i < program.nodes.size(); ++i)
    for (const ops::ProgramOperand& each : program.nodes[i].operands)
      uses_.try_emplace(program.values[each.value].storage, i, i).first->second.second = i;
}

bool RecordedScope::used_besides(const Storage& storage, const ops::ProgramGroup& group) const {
  const auto found = uses_.find(&storage);
  return found != uses_.end() && (found->second.first < group.begin || found->second.second >= group.end);
}

}  // namespace rondo::program_files
