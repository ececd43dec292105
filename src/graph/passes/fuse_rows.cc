// One task of a reduction, a softmax or a normalisation and the elementwise nodes around it: the node that makes what
// it reads, if nothing else reads that, and the node that makes something of its results alone. A product of whole
// numbers on the host takes the node after it, which may read other values too. The results that they
// hand over never reach memory; elements are combined in the order in which they would have been, so that the bits are
// the same.
//
// After `fuse`, which has made one node of each chain of elementwise nodes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "engine/engine.h"
#include "engine/tasks/making_limit.h"
#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "ops/elementwise/form.h"
#include "ops/invoke/lower.h"
#include "ops/program/overlap.h"

namespace rondo {

namespace {

using ops::Fused;
using ops::ProgramNode;
using ops::ProgramOperand;

// Sums that are exact: the host makes results of them while they are in its cache.
bool is_whole_product(const ProgramNode& node) {
  return std::holds_alternative<ops::MatmulIntegerCall>(node.call->of) && node.device->is_host();
}

// Its operand comes first, its one result last.
bool combines(const ProgramNode& node) {
  if (node.opaque()) return false;
  const bool of_one =
      std::holds_alternative<ops::ReduceCall>(node.call->of) || std::holds_alternative<ops::SoftmaxCall>(node.call->of);
  const bool of_several = std::holds_alternative<ops::NormalisationCall>(node.call->of) || is_whole_product(node);
  return (of_one ? node.operands.size() == 2 : of_several) &&
         std::all_of(node.operands.begin(), node.operands.end(), [](const ProgramOperand& each) { return each.known; });
}

decltype(ops::FusedRowsCall::rows) rows_of(const ops::Call& call) {
  if (const auto* product = std::get_if<ops::MatmulIntegerCall>(&call.of)) return *product;
  if (const auto* reduce = std::get_if<ops::ReduceCall>(&call.of)) return *reduce;
  if (const auto* softmax = std::get_if<ops::SoftmaxCall>(&call.of)) return *softmax;
  return std::get<ops::NormalisationCall>(call.of);
}

// A group as one node.
struct FusedNode {
  const char* name;
  ops::FusedRowsCall call;
  std::vector<TaskOperand> operands;
};

class RowFusionPass {
 public:
  explicit RowFusionPass(ops::Program& program) : program_(program), groups_(program) {}
  Status form_groups();
  void rewrite(PassReport* report);
  size_t steps() const { return groups_.steps(); }

 private:
  const ProgramNode& node(uint32_t i) const { return program_.nodes[i]; }
  const Dependences::Node& dependences(uint32_t i) const { return groups_.dependences().node(i); }
  uint32_t maker(uint32_t core) const;
  uint32_t only_source(uint32_t i) const;
  bool handed_over(uint32_t i, size_t operand, size_t readers) const;
  bool join(uint32_t i, uint32_t group);
  std::optional<FusedNode> made(const std::vector<uint32_t>& nodes) const;
  ProgramNode make_node(const std::vector<uint32_t>& nodes, PassReport* report);

  ops::Program& program_;
  Groups groups_;
  std::unordered_map<uint32_t, FusedNode> fused_;  // by group of several
};

// True if so many operands of one node are all that ever looks at a result.
bool RowFusionPass::handed_over(uint32_t i, size_t operand, size_t readers) const {
  const Dependences::Operand& mine = dependences(i).operands[operand];
  return !mine.kept && mine.readers == readers && !node(i).operands[operand].view.accumulate;
}

// The elementwise node that makes what one that combines elements reads, and nothing else.
uint32_t RowFusionPass::maker(uint32_t core) const {
  if (is_whole_product(node(core))) return Dependences::kNone;
  const Dependences::Source source = dependences(core).operands[0].source;
  if (source.node == Dependences::kNone || !handed_over(source.node, source.operand, 1)) return Dependences::kNone;
  const std::vector<ProgramOperand>& operands = node(source.node).operands;
  const View& written = operands[source.operand].view;
  for (const ProgramOperand& each : operands) {
    const bool other = each.written && &each != &operands[source.operand];
    if (!each.known || other || !each.view.layout.same_shape(written.layout)) return Dependences::kNone;
  }
  return source.node;
}

// The node that combines elements whose result is all that an elementwise node reads, but for what it reads besides a
// product.
uint32_t RowFusionPass::only_source(uint32_t i) const {
  uint32_t found = Dependences::kNone;
  size_t readers = 0, read = 0;
  const std::vector<ProgramOperand>& operands = node(i).operands;
  const auto source = [&](size_t k) { return dependences(i).operands[k].source.node; };
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].known || (operands[k].written && k + 1 < operands.size())) return Dependences::kNone;
    if (operands[k].written || source(k) == Dependences::kNone || !combines(node(source(k)))) continue;
    if (found == Dependences::kNone || (is_whole_product(node(source(k))) && !is_whole_product(node(found))))
      found = source(k);
  }
  if (found == Dependences::kNone || !operands.back().written) return Dependences::kNone;
  for (size_t k = 0; k + 1 < operands.size(); ++k, ++read) readers += source(k) == found;
  if ((readers < read && !is_whole_product(node(found))) ||
      !handed_over(found, node(found).operands.size() - 1, readers))
    return Dependences::kNone;
  const Layout& shape = node(found).operands.back().view.layout;
  for (const ProgramOperand& each : operands)
    if (!each.view.layout.same_shape(shape)) return Dependences::kNone;
  return found;
}

std::optional<FusedNode> RowFusionPass::made(const std::vector<uint32_t>& nodes) const {
  const auto core = std::find_if(nodes.begin(), nodes.end(), [this](uint32_t each) { return combines(node(each)); });
  const std::vector<ProgramOperand>& operands = node(*core).operands;
  const auto form_of = [this](uint32_t each) -> std::shared_ptr<const Fused> {
    const std::optional<Fused> form = ops::elementwise_form(node(each));
    return form && !form->expression.overflow() ? std::make_shared<const Fused>(*form) : nullptr;
  };
  const auto unstored = [](const View& view) { return ops::UnstoredValue{view.dtype, view.offset, view.layout}; };
  FusedNode whole = {};
  ops::FusedRowsCall& call = whole.call;
  call.rows = rows_of(*node(*core).call);
  std::vector<View> inputs;
  View to = operands.back().view;
  std::string name = node(*core).name;
  if (core != nodes.begin()) {
    call.before = form_of(nodes.front());
    if (!call.before) return {};
    call.operand = unstored(operands[0].view);
    for (const ProgramOperand& each : node(nodes.front()).operands)
      if (!each.written) inputs.push_back(each.view);
    name = std::string(node(nodes.front()).name) + "+" + name;
  }
  if (*core != nodes.back()) {
    call.after = form_of(nodes.back());
    if (!call.after) return {};
    call.result = unstored(to);
    to = node(nodes.back()).operands.back().view;
    name += std::string("+") + node(nodes.back()).name;
  }
  for (size_t k = call.before ? 1 : 0; k + 1 < operands.size(); ++k) inputs.push_back(operands[k].view);
  for (size_t k = 0; call.after && k + 1 < node(nodes.back()).operands.size(); ++k) {
    if (dependences(nodes.back()).operands[k].source.node == *core)
      call.from_rows |= 1U << k;
    else
      inputs.push_back(node(nodes.back()).operands[k].view);
  }
  // All of them is read before any result is written, apart; together an element may be gone too early.
  for (const View& input : inputs)
    if (ops::overlap(input, to)) return {};
  whole.name = Engine::intern(name.c_str());
  const View results[] = {to};
  if (!ops::make_task(call, {whole.name, inputs, results})) return {};
  for (const View& input : inputs) whole.operands.push_back({input, false});
  whole.operands.push_back({to, true});
  return whole;
}

bool RowFusionPass::join(uint32_t i, uint32_t group) {
  if (!groups_.open(group)) return false;
  const std::optional<uint32_t> place = groups_.place_for(i, {group});
  if (!place) return false;
  const std::vector<uint32_t> nodes = groups_.nodes_with(i, {group});
  std::optional<FusedNode> fused = made(nodes);
  if (!fused) return false;
  fused_[group] = std::move(*fused);
  groups_.join(i, {group}, *place);
  return true;
}

Status RowFusionPass::form_groups() {
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    RONDO_TRY(MakingLimit::check());
    groups_.begin(i);
    if (!node(i).opaque()) {
      const bool core = combines(node(i));
      const uint32_t from = core ? maker(i) : only_source(i);
      // A node stands either right after one or right before another.
      if (from != Dependences::kNone &&
          (core ? groups_.nodes(groups_.of(from)).size() == 1 : groups_.nodes(groups_.of(from)).back() == from))
        join(i, groups_.of(from));
    }
    groups_.end(i);
  }
  return {};
}

ProgramNode RowFusionPass::make_node(const std::vector<uint32_t>& nodes, PassReport* report) {
  const FusedNode& fused = fused_.at(groups_.of(nodes[0]));
  ProgramNode whole =
      program_.make_node(fused.name, make_ref<const ops::Call>(fused.call), fused.operands, node(nodes[0]).section);
  whole.operators = groups_.operators(nodes);
  report->lines.push_back(groups_.line(nodes) + ": " + program_.text(whole));
  return whole;
}

void RowFusionPass::rewrite(PassReport* report) {
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes, auto*) { return make_node(nodes, report); });
}

}  // namespace

Status fuse_rows(ops::Program& program, PassReport* report) {
  if (std::none_of(program.nodes.begin(), program.nodes.end(), combines)) return {};
  RowFusionPass pass(program);
  RONDO_TRY(pass.form_groups());
  pass.rewrite(report);
  report->steps = pass.steps();
  return {};
}

}  // namespace rondo
