// One launch of small elementwise nodes that are alike: the same expression and scalars over operands of their own, as
// an optimizer's updates of many parameters are. Each computes what it would have alone.
//
// Nodes that depend on each other stay apart, and so do those that cannot run at the same time without making the
// longest way through the program longer (steps.h).
//
// On a GPU alone: there a launch costs as much as a small node's work, and what is captured fails as a whole anyway.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "engine/engine.h"
#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "graph/passes/steps.h"
#include "ops/elementwise/elementwise_group.h"

namespace rondo {

namespace {

using ops::ElementwiseTask;
using ops::ProgramNode;

constexpr size_t kSmallBytes = size_t{1} << 22;  // of a node's operands together: more keeps a GPU busy by itself
constexpr size_t kTried = 4;                     // groups of a kind that a node may join, the latest

// The task of a node that may share a launch; null: it may not.
ElementwiseTask* small_task(const ProgramNode& node) {
  if (node.opaque() || node.task->device().is_host()) return nullptr;
  auto* task = dynamic_cast<ElementwiseTask*>(node.task.get());
  if (!task || task->expression().generators() > 0) return nullptr;
  const ops::Space& space = task->space();
  if (!space.flat || space.wide || space.elements == 0) return nullptr;
  size_t bytes = 0;
  for (const ops::ProgramOperand& each : node.operands) bytes += static_cast<size_t>(each.end - each.begin);
  return bytes <= kSmallBytes ? task : nullptr;
}

struct HashOfKernel {
  size_t operator()(const rtc::Signature& signature) const { return signature.hash(); }
};

class SideBySide {
 public:
  explicit SideBySide(ops::Program& program)
      : program_(program), groups_(program), together_(groups_.dependences(), program.nodes.size()) {}
  void form_groups();
  void rewrite(PassReport* report);
  size_t steps() const { return groups_.steps(); }

 private:
  bool join(uint32_t i, const ElementwiseTask& task, uint32_t group);
  ProgramNode grouped(const std::vector<uint32_t>& nodes, PassReport* report);

  ops::Program& program_;
  Groups groups_;
  Steps together_;
};

bool SideBySide::join(uint32_t i, const ElementwiseTask& task, uint32_t group) {
  if (!groups_.open(group)) return false;
  const std::vector<uint32_t>& nodes = groups_.nodes(group);
  const auto& first = static_cast<const ElementwiseTask&>(*program_.nodes[nodes[0]].task);
  const ops::Expression& expression = task.expression();
  if (nodes.size() >= static_cast<size_t>(ops::group_capacity(expression)) ||
      !std::equal(task.scalars(), task.scalars() + expression.scalars(), first.scalars()))
    return false;
  return together_.join(i, group, &groups_);
}

void SideBySide::form_groups() {
  std::unordered_map<rtc::Signature, std::vector<uint32_t>, HashOfKernel> alike;
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    groups_.begin(i);
    if (const ElementwiseTask* task = small_task(program_.nodes[i])) {
      std::vector<uint32_t>& groups = alike[task->signature(rtc::kElementwiseGroup)];
      if (!std::any_of(groups.rbegin(), groups.rend(), [&](uint32_t each) { return join(i, *task, each); })) {
        if (groups.size() == kTried) groups.erase(groups.begin());
        groups.push_back(i);
      }
    }
    groups_.end(i);
  }
}

ProgramNode SideBySide::grouped(const std::vector<uint32_t>& nodes, PassReport* report) {
  std::vector<Ref<ElementwiseTask>> parts;
  for (const uint32_t each : nodes)
    parts.push_back(Ref<ElementwiseTask>::share(&static_cast<ElementwiseTask&>(*program_.nodes[each].task)));
  report->lines.push_back("one launch of" + groups_.some(nodes));
  const ProgramNode& first = program_.nodes[nodes[0]];
  const char* const name = Engine::intern(format("%zu of %s", nodes.size(), first.task->name()).c_str());
  Device& device = first.task->device();
  ProgramNode node = program_.make_node(make_ref<ops::ElementwiseGroup>(name, device, std::move(parts)),
                                        Ref<const ops::Call>::adopt(new ops::Call(ops::GroupCall{})), 0, first.section);
  node.operators = first.operators.empty() ? first.task->name() : first.operators;
  return node;
}

void SideBySide::rewrite(PassReport* report) {
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes) { return grouped(nodes, report); });
}

}  // namespace

Status side_by_side(ops::Program& program, PassReport* report) {
  SideBySide pass(program);
  pass.form_groups();
  pass.rewrite(report);
  report->steps = pass.steps();
  return {};
}

}  // namespace rondo
