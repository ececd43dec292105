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
#include "engine/tasks/making_limit.h"
#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "graph/passes/step_ranges.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/invoke/lower.h"

namespace rondo {

namespace {

using ops::ElementwiseTask;
using ops::ProgramNode;

constexpr size_t kSmallBytes = size_t{1} << 22;  // of a node's operands together: more keeps a GPU busy by itself
constexpr size_t kTried = 4;                     // groups of a kind that a node may join, the latest

// True for kinds whose tasks may be elementwise ones.
bool may_share(const ops::Call& call) {
  return std::visit(
      []<class Kind>(const Kind&) {
        return ops::kIsOneOf<Kind, ops::ElementwiseCall, ops::FusedCall, ops::AddNCall, ops::WhereCall, ops::GatedCall,
                             ops::CopyCall, ops::FillCall, ops::ParameterCall, ops::DropoutGradCall, ops::TextCall,
                             ops::RecurrentCellCall>;
      },
      call.of);
}

// Finds the task of a node that may share a launch; null: it may not.
Status small_task(const ProgramNode& node, Ref<ElementwiseTask>* small) {
  if (node.device->is_host() || !may_share(*node.call)) return {};
  size_t bytes = 0;
  for (const ops::ProgramOperand& each : node.operands) bytes += static_cast<size_t>(each.end - each.begin);
  if (bytes > kSmallBytes || node.operands.empty() || !node.operands[0].known) return {};
  Ref<ops::OperatorTask> task;
  RONDO_TRY(ops::lower(node.operands[0].view.engine(), node, &task));
  auto* const elementwise = dynamic_cast<ElementwiseTask*>(task.get());
  if (!elementwise || elementwise->expression().generators() > 0) return {};
  const ops::Space& space = elementwise->space();
  if (space.flat && !space.wide && space.elements > 0) *small = Ref<ElementwiseTask>::share(elementwise);
  return {};
}

struct HashOfKernel {
  size_t operator()(const rtc::Signature& signature) const { return signature.hash(); }
};

class HorizontalFusion {
 public:
  explicit HorizontalFusion(ops::Program& program)
      : program_(program), groups_(program), ranges_(groups_.dependences(), program.nodes.size()) {}
  Status form_groups();
  void rewrite(PassReport* report);
  size_t steps() const { return groups_.steps(); }

 private:
  bool join(uint32_t i, uint32_t group);
  ProgramNode grouped(const std::vector<uint32_t>& nodes, PassReport* report);

  ops::Program& program_;
  Groups groups_;
  StepRanges ranges_;
  std::vector<Ref<ElementwiseTask>> small_;  // by node; null: it stays apart
};

// A kernel may move bits of several dtypes, but a group says one of each operand.
bool has_dtypes_of(const ops::Expression& a, const ops::Expression& b) {
  for (int k = 0; k < a.inputs(); ++k)
    if (a.input_dtype(k) != b.input_dtype(k)) return false;
  for (int k = 0; k < a.outputs(); ++k)
    if (a.output(k).dtype != b.output(k).dtype) return false;
  return true;
}

bool HorizontalFusion::join(uint32_t i, uint32_t group) {
  if (!groups_.open(group)) return false;
  const std::vector<uint32_t>& nodes = groups_.nodes(group);
  const ElementwiseTask &task = *small_[i], &first = *small_[nodes[0]];
  const ops::Expression& expression = task.expression();
  if (nodes.size() >= static_cast<size_t>(ops::group_capacity(expression)) ||
      !has_dtypes_of(expression, first.expression()) ||
      !std::equal(task.scalars(), task.scalars() + expression.scalars(), first.scalars()))
    return false;
  return ranges_.join(i, group, &groups_);
}

Status HorizontalFusion::form_groups() {
  std::unordered_map<rtc::Signature, std::vector<uint32_t>, HashOfKernel> alike;
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    RONDO_TRY(MakingLimit::check());
    groups_.begin(i);
    RONDO_TRY(small_task(program_.nodes[i], &small_.emplace_back()));
    if (small_[i]) {
      std::vector<uint32_t>& groups = alike[small_[i]->signature(rtc::kElementwiseGroup)];
      if (!std::any_of(groups.rbegin(), groups.rend(), [&](uint32_t each) { return join(i, each); })) {
        if (groups.size() == kTried) groups.erase(groups.begin());
        groups.push_back(i);
      }
    }
    groups_.end(i);
  }
  return {};
}

ProgramNode HorizontalFusion::grouped(const std::vector<uint32_t>& nodes, PassReport* report) {
  std::vector<TaskOperand> operands;
  for (const bool written : {false, true})
    for (const uint32_t each : nodes)
      for (const ops::ProgramOperand& operand : program_.nodes[each].operands)
        if (operand.known && operand.written == written) operands.push_back({operand.view, written});
  report->lines.push_back("one launch of" + groups_.some(nodes));
  const ProgramNode& first = program_.nodes[nodes[0]];
  const ElementwiseTask& task = *small_[nodes[0]];
  const ops::Call fused = ops::fused_call(task.expression(), task.scalars());
  const char* const name = Engine::intern(format("%zu of %s", nodes.size(), first.name).c_str());
  ProgramNode node =
      program_.make_node(name, make_ref<const ops::Call>(ops::GroupCall{std::get<ops::FusedCall>(fused.of).fused}),
                         operands, first.section);
  node.operators = first.operators.empty() ? first.name : first.operators;
  return node;
}

void HorizontalFusion::rewrite(PassReport* report) {
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes, auto*) { return grouped(nodes, report); });
}

}  // namespace

Status horizontal_fuse(ops::Program& program, PassReport* report) {
  const auto is_on_gpu = [](const ProgramNode& node) { return !node.device->is_host(); };
  if (std::none_of(program.nodes.begin(), program.nodes.end(), is_on_gpu)) return {};
  HorizontalFusion pass(program);
  RONDO_TRY(pass.form_groups());
  pass.rewrite(report);
  report->steps = pass.steps();
  return {};
}

}  // namespace rondo
