// Finds the dependences between the nodes of a program, in the order of the program.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/dependences.h"

#include <algorithm>

#include "ops/program/overlap.h"

namespace rondo::ops {

namespace {

bool meet(const ProgramOperand& a, const ProgramOperand& b) {
  if (a.begin >= b.end || b.begin >= a.end) return false;
  return !a.known || !b.known || overlap(a.view, b.view);
}
bool same(const ProgramOperand& a, const ProgramOperand& b) {
  return a.known && b.known && identical(a.view, b.view);
}
bool adds(const ProgramOperand& operand) {
  return operand.known && operand.view.accumulate;
}

}  // namespace

Dependences::Dependences(const Program& program)
    : program_(program), nodes_(program.nodes.size()), place_(nodes_.size()), values_(program.values.size()) {
  size_t all = 0;
  for (const ProgramNode& node : program.nodes) all += node.operands.size();
  operands_.resize(all);
  Operand* next = operands_.data();
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const std::vector<ProgramOperand>& operands = program.nodes[i].operands;
    nodes_[i].operands = next;
    next += operands.size();
    const auto count = static_cast<uint32_t>(operands.size());
    // A node reads what was there before it writes.
    for (uint32_t k = 0; k < count; ++k)
      if (!operands[k].written || leaves(i, operands[k])) read(i, k);
    for (uint32_t k = 0; k < count; ++k)
      if (operands[k].written) write(i, k);
    for (uint32_t k = 0; k < count; ++k) keep(i, k);
    if (const OperatorTask* const closure = program.nodes[i].closure())
      for (const rondo::Access& access : closure->accesses())
        if (!access.variable->storage()) follow(i, *access.variable, access.write);
    if (program.nodes[i].checked) follow(i, *program.nodes[i].checked, false);
  }
  for (size_t v = 0; v < values_.size(); ++v)
    for (const Access& each : values_[v].last)
      if (each.written && program.values[v].outlives()) nodes_[each.node].operands[each.operand].kept = true;
}

bool Dependences::leaves(uint32_t i, const ProgramOperand& written) const {
  return adds(written) || program_.nodes[i].section != kAlways;
}

bool Dependences::switched_together(uint32_t i, uint32_t k) const {
  return program_.nodes[i].section == program_.nodes[k].section;
}

void Dependences::depend(uint32_t i, uint32_t on, bool elementwise) {
  ++steps_;
  if (on == i) return;
  SmallVector<Before, 3>& before = nodes_[i].before;
  // The place of an earlier pair is another node's, or none.
  const uint32_t at = place_[on];
  if (at < before.size() && before[at].node == on) {
    before[at].elementwise &= elementwise;
    return;
  }
  place_[on] = static_cast<uint32_t>(before.size());
  before.push_back({on, elementwise});
}

void Dependences::read_from(uint32_t i, const Crowd& crowd) {
  for (const uint32_t each : crowd.writers) depend(i, each, false);
}

// Each of a crowd is waited for by one write: what comes later comes after that.
void Dependences::write_over(uint32_t i, Crowd* crowd) {
  if (crowd->writers.empty() && crowd->readers.empty()) return;
  for (const auto* all : {&crowd->writers, &crowd->readers})
    for (const uint32_t each : *all) depend(i, each, false);
  crowd->writers = {i};
  crowd->readers.clear();
}

// The newest result that an operand has elements of is what it reads, if it is the same view; else it reads of all that
// it has elements of.
void Dependences::read(uint32_t i, uint32_t k) {
  const ProgramOperand& mine = program_.nodes[i].operands[k];
  Value& value = values_[mine.value];
  bool whole = !mine.written;
  for (size_t a = value.last.size(); a-- > 0;) {
    const Access& each = value.last[a];
    ++steps_;
    if (!each.written || each.node == i || !meet(operand(each), mine)) continue;
    const bool certain = !leaves(each.node, operand(each)) || (switched_together(i, each.node) && !adds(operand(each)));
    if (whole && certain && same(operand(each), mine)) {
      nodes_[i].operands[k].source = {each.node, each.operand};
      ++nodes_[each.node].operands[each.operand].readers;
      return depend(i, each.node, true);
    }
    whole = false;
    nodes_[each.node].operands[each.operand].kept = true;
    depend(i, each.node, false);
  }
  read_from(i, value.crowd);
}

void Dependences::write(uint32_t i, uint32_t k) {
  const ProgramOperand& mine = program_.nodes[i].operands[k];
  Value& value = values_[mine.value];
  for (const Access& each : value.last) {
    ++steps_;
    if (each.node == i || !meet(operand(each), mine)) continue;
    // mutation: write_after_read_in_a_graph
    depend(i, each.node, same(operand(each), mine) && !(each.written && (adds(mine) || adds(operand(each)))));
  }
  write_over(i, &value.crowd);
}

// Puts an access among those of its value: what it writes over is forgotten, since what comes after that comes after
// this.
void Dependences::keep(uint32_t i, uint32_t k) {
  const ProgramOperand& mine = program_.nodes[i].operands[k];
  Value& value = values_[mine.value];
  if (mine.written && !leaves(i, mine)) {
    value.last.erase_if([&](const Access& each) {
      ++steps_;
      const ProgramOperand& other = operand(each);
      return each.node != i &&
             ((mine.covers && mine.begin <= other.begin && other.end <= mine.end) || same(other, mine));
    });
  }
  if (value.last.size() >= kApart) {
    Access* const half = value.last.begin() + kApart / 2;
    for (const Access* each = value.last.begin(); each != half; ++each) {
      (each->written ? value.crowd.writers : value.crowd.readers).push_back(each->node);
      if (each->written) nodes_[each->node].operands[each->operand].kept = true;
    }
    value.last.assign(half, value.last.size() - kApart / 2);
  }
  value.last.push_back({i, k, mine.written});
}

// An order that has no memory: a communicator's, or what a user's tasks agree upon.
void Dependences::follow(uint32_t i, const Variable& variable, bool writes) {
  Crowd& crowd = variables_[&variable];
  if (writes) {
    write_over(i, &crowd);
    crowd.writers = {i};
  } else {
    read_from(i, crowd);
    crowd.readers.push_back(i);
  }
}

// An edge that two others make is left out.
std::vector<std::vector<uint32_t>> Dependences::predecessors() const {
  std::vector<std::vector<uint32_t>> all(nodes_.size());
  std::vector<uint32_t> passed(nodes_.size(), kNone);  // by node: the last node that comes after it by way of another
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    for (const Before& each : nodes_[i].before)
      for (const uint32_t earlier : all[each.node]) passed[earlier] = i;
    for (const Before& each : nodes_[i].before)
      if (passed[each.node] != i) all[i].push_back(each.node);
    std::sort(all[i].begin(), all[i].end());
  }
  return all;
}

}  // namespace rondo::ops
