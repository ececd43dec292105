// Finds the dependences between the nodes of a program, going through them in its order.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/dependences.h"

#include <algorithm>

#include "ops/task/overlap.h"

namespace rondo {

namespace {

bool meet(const ops::ProgramOperand& a, const ops::ProgramOperand& b) {
  if (a.begin >= b.end || b.begin >= a.end) return false;
  return !a.known || !b.known || ops::overlap(a.view, b.view);
}
bool same(const ops::ProgramOperand& a, const ops::ProgramOperand& b) {
  return a.known && b.known && ops::identical(a.view, b.view);
}
bool adds(const ops::ProgramOperand& operand) {
  return operand.known && operand.view.accumulate;
}

}  // namespace

Dependences::Dependences(const ops::Program& program)
    : program_(program), nodes_(program.nodes.size()), place_(nodes_.size()), values_(program.values.size()) {
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const std::vector<ops::ProgramOperand>& operands = program.nodes[i].operands;
    nodes_[i].sources.resize(operands.size());
    nodes_[i].readers.resize(operands.size());
    nodes_[i].kept.resize(operands.size());
    const auto count = static_cast<uint32_t>(operands.size());
    // What a node reads is what was there before it writes.
    for (uint32_t k = 0; k < count; ++k)
      if (!operands[k].written || leaves(i, operands[k])) read(i, k);
    for (uint32_t k = 0; k < count; ++k)
      if (operands[k].written) write(i, k);
    for (uint32_t k = 0; k < count; ++k) keep(i, k);
  }
  for (size_t v = 0; v < values_.size(); ++v)
    for (const Access& each : values_[v].last)
      if (each.written && program.values[v].outlives()) nodes_[each.node].kept[each.operand] = true;
}

bool Dependences::leaves(uint32_t i, const ops::ProgramOperand& written) const {
  return adds(written) || program_.nodes[i].section != ops::kAlways;
}

bool Dependences::switched_together(uint32_t i, uint32_t k) const {
  return program_.nodes[i].section == program_.nodes[k].section;
}

void Dependences::depend(uint32_t i, uint32_t on, bool elementwise) {
  ++steps_;
  std::vector<Before>& before = nodes_[i].before;
  // The place of an earlier pair is another node's, or none.
  const uint32_t at = place_[on];
  if (at < before.size() && before[at].node == on) {
    before[at].elementwise &= elementwise;
    return;
  }
  place_[on] = static_cast<uint32_t>(before.size());
  before.push_back({on, elementwise});
}

// The newest result that an operand has elements of is what it reads, if it is the same view; else it reads of all that
// it has elements of.
void Dependences::read(uint32_t i, uint32_t k) {
  const ops::ProgramOperand& mine = program_.nodes[i].operands[k];
  Value& value = values_[mine.value];
  bool whole = !mine.written;
  for (size_t a = value.last.size(); a-- > 0;) {
    const Access& each = value.last[a];
    ++steps_;
    if (!each.written || each.node == i || !meet(operand(each), mine)) continue;
    const bool certain = !leaves(each.node, operand(each)) || (switched_together(i, each.node) && !adds(operand(each)));
    if (whole && certain && same(operand(each), mine)) {
      nodes_[i].sources[k] = {each.node, each.operand};
      ++nodes_[each.node].readers[each.operand];
      return depend(i, each.node, true);
    }
    whole = false;
    nodes_[each.node].kept[each.operand] = true;
    depend(i, each.node, false);
  }
  nodes_[i].all_before = std::max(nodes_[i].all_before, value.written_before);
}

void Dependences::write(uint32_t i, uint32_t k) {
  const ops::ProgramOperand& mine = program_.nodes[i].operands[k];
  Value& value = values_[mine.value];
  for (const Access& each : value.last) {
    ++steps_;
    if (each.node == i || !meet(operand(each), mine)) continue;
    depend(i, each.node, same(operand(each), mine) && !(each.written && (adds(mine) || adds(operand(each)))));
  }
  nodes_[i].all_before = std::max(nodes_[i].all_before, value.any_before);
}

// Puts an access among those of its value: what it writes over is forgotten, since who comes after it comes after that.
void Dependences::keep(uint32_t i, uint32_t k) {
  const ops::ProgramOperand& mine = program_.nodes[i].operands[k];
  Value& value = values_[mine.value];
  if (mine.written && !leaves(i, mine))
    std::erase_if(value.last, [&](const Access& each) {
      ++steps_;
      const ops::ProgramOperand& other = operand(each);
      return each.node != i &&
             (same(other, mine) || (mine.covers && mine.begin <= other.begin && other.end <= mine.end));
    });
  if (value.last.size() >= kApart) {
    const auto half = value.last.begin() + kApart / 2;
    for (auto each = value.last.begin(); each != half; ++each) {
      value.any_before = std::max(value.any_before, each->node + 1);
      if (!each->written) continue;
      value.written_before = std::max(value.written_before, each->node + 1);
      nodes_[each->node].kept[each->operand] = true;
    }
    value.last.erase(value.last.begin(), half);
  }
  value.last.push_back({i, k, mine.written});
}

}  // namespace rondo
