// Dead nodes and dead results. Backwards through the program: what will be read yet are parts of values; a node that
// writes none of them is left out, if it does nothing else; of one that writes some, the results that are not read are
// left out where its task can do without them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "graph/passes/passes.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/invoke/lower.h"

namespace rondo {

namespace {

// Bytes of one value, as ranges that do not touch.
class Bytes {
 public:
  void add(int64_t begin, int64_t end) {
    if (begin >= end) return;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
    while (at != ranges_.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ranges_.erase(at);
    }
    ranges_.emplace(begin, end);
  }
  void remove(int64_t begin, int64_t end) {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin()) --at;
    while (at != ranges_.end() && at->first < end) {
      const auto [first, last] = *at;
      if (last <= begin) {
        ++at;
        continue;
      }
      at = ranges_.erase(at);
      if (first < begin) ranges_.emplace(first, begin);
      if (last > end) ranges_.emplace(end, last);
    }
  }
  bool meets(int64_t begin, int64_t end) const {
    auto at = ranges_.lower_bound(end);
    return begin < end && at != ranges_.begin() && std::prev(at)->second > begin;
  }

 private:
  std::map<int64_t, int64_t> ranges_;  // from the first byte to the one after the last
};

// The nodes that are left out, last first; unread_of: others, with the results that nothing reads. kept: devices whose
// nodes that draw random numbers are not left out.
std::vector<size_t> find_dead(const ops::Program& program, const std::set<const Device*>& kept,
                              std::vector<std::pair<size_t, uint32_t>>* unread_of) {
  std::vector<Bytes> live(program.values.size());
  for (size_t i = 0; i < live.size(); ++i)
    if (const ops::ProgramValue& value = program.values[i]; value.outlives())
      live[i].add(0, static_cast<int64_t>(value.storage->bytes()));
  std::vector<size_t> dead;
  for (size_t i = program.nodes.size(); i-- > 0;) {
    const ops::ProgramNode& node = program.nodes[i];
    const bool draws = node.random_count > 0 && kept.count(node.device) > 0;
    uint32_t unread = 0, written = 0;
    for (const ops::ProgramOperand& each : node.operands) {
      if (!each.written) continue;
      if (written < 32 && !live[each.value].meets(each.begin, each.end)) unread |= 1u << written;
      ++written;
    }
    const bool whole = written < 32 && unread == (1u << written) - 1;
    if (whole && node.removable() && !draws) {
      dead.push_back(i);
      continue;
    }
    if (unread && !whole && node.removable()) unread_of->emplace_back(i, unread);
    for (const ops::ProgramOperand& each : node.operands)
      if (each.covers) live[each.value].remove(each.begin, each.end);
    for (const ops::ProgramOperand& each : node.operands)
      if (!each.written) live[each.value].add(each.begin, each.end);
  }
  return dead;
}

bool is_expression(const ops::ProgramNode& node) {
  return std::holds_alternative<ops::FusedCall>(node.call->of) ||
         std::holds_alternative<ops::TextCall>(node.call->of) ||
         std::holds_alternative<ops::RecurrentCellCall>(node.call->of);
}

// True if a task that makes less of a node reads less, too: such a node is none of its kind, unless it is an
// expression.
bool reads_less(const ops::ProgramNode& node, const ops::OperatorTask& task) {
  std::vector<TaskOperand> operands;
  task.list_operands(&operands);
  const auto reads = [](const auto& list) {
    return std::count_if(list.begin(), list.end(), [](const auto& each) { return !each.written; });
  };
  return reads(operands) < reads(node.operands);
}

// An expression without some of its results is another one, which may do without some inputs as well.
void shorten(ops::ProgramNode* node, const ops::OperatorTask& task) {
  if (!is_expression(*node)) return;
  const auto& elementwise = static_cast<const ops::ElementwiseTask&>(task);
  const ops::FusedCall less = ops::fused_of(elementwise.expression(), elementwise.scalars());
  if (std::holds_alternative<ops::FusedCall>(node->call->of))
    node->call = make_ref<const ops::Call>(less);
  else if (std::holds_alternative<ops::RecurrentCellCall>(node->call->of))
    node->call = make_ref<const ops::Call>(ops::RecurrentCellCall{less});
  else
    node->call = make_ref<const ops::Call>(ops::TextCall{{less.fused}});
}

}  // namespace

Status dce(ops::Program& program, PassReport* report) {
  std::set<const Device*> kept;
  std::vector<std::pair<size_t, uint32_t>> unread_of;
  std::vector<size_t> gone = find_dead(program, kept, &unread_of);
  // A launch draws the numbers of what was left out as well, so of a device that draws some node must be left.
  std::set<const Device*> left;
  std::vector<bool> is_gone(program.nodes.size());
  for (const size_t i : gone) is_gone[i] = true;
  for (size_t i = 0; i < program.nodes.size(); ++i)
    if (!is_gone[i]) left.insert(program.nodes[i].device);
  for (const auto& [device, drawn] : program.drawn())
    if (!left.count(device)) kept.insert(device);
  if (!kept.empty()) {
    unread_of.clear();
    gone = find_dead(program, kept, &unread_of);
    is_gone.assign(program.nodes.size(), false);
    for (const size_t i : gone) is_gone[i] = true;
  }
  for (const auto& [i, unread] : unread_of) {
    ops::ProgramNode& node = program.nodes[i];
    const std::string was = program.text(node);
    Ref<ops::OperatorTask> task;
    RONDO_TRY(ops::lower(program.values[0].storage->engine(), node, &task));
    const Ref<ops::OperatorTask> less = task->without(unread);
    if (!less || (reads_less(node, *less) && !is_expression(node))) continue;
    program.leave_out(&node, unread, less);
    shorten(&node, *less);
    report->lines.push_back("made smaller: " + was + "; now " + program.text(node));
  }
  for (const size_t i : gone) report->lines.push_back("left out: " + program.text(program.nodes[i]));
  size_t next = 0;
  std::erase_if(program.nodes, [&](const ops::ProgramNode&) { return is_gone[next++]; });
  return {};
}

}  // namespace rondo
