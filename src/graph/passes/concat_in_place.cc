// Leaves out copies into a concatenation: what is joined is made where it lies in the result, and its readers read it
// there. A chain of concatenations, each of which adds to the one before, has all parts in the last result.
//
// Only temporaries are made elsewhere, those that fill memory of their own and lie in the result as they lie there,
// from a byte on where memory could begin. So every task works as on memory of its own. Results are temporaries too: an
// output may be the caller's memory, which is written when the recording says so.
//
// A task that fails spoils the whole result, with what its other parts were made by and are read by. So what these make
// besides must be seen by way of the result alone: failures reach what they reach in eager calls.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "engine/tasks/making_limit.h"
#include "graph/passes/passes.h"

namespace rondo {

namespace {

using ops::Program;
using ops::ProgramNode;
using ops::ProgramOperand;

constexpr size_t kMostUsesSeen = size_t{1} << 24;

class ConcatInPlace {
 public:
  explicit ConcatInPlace(Program& program) : program_(program), values_(program.values.size()) {
    for (uint32_t v = 0; v < values_.size(); ++v) values_[v].place.value = v;
    for (uint32_t i = 0; i < program.nodes.size(); ++i) {
      const ProgramNode& node = program.nodes[i];
      const bool fixed = !node.moves() || node.section != ops::kAlways;
      for (const ProgramOperand& each : node.operands) {
        values_[each.value].uses.push_back({i, each.written, each.begin, each.end});
        values_[each.value].fixed |= fixed || !each.known;
      }
    }
  }

  Status run(PassReport* report) {
    std::vector<std::vector<TaskOperand>> copies(program_.nodes.size());  // that are left of a concatenation
    std::vector<bool> changed(program_.nodes.size());
    for (auto i = static_cast<uint32_t>(program_.nodes.size()); i-- > 0 && seen_ < kMostUsesSeen;) {
      RONDO_TRY(MakingLimit::check());
      changed[i] = std::holds_alternative<ops::ConcatCall>(program_.nodes[i].call->of) && join(i, &copies[i], report);
    }
    if (report->lines.empty()) return {};
    std::vector<ProgramNode> nodes;
    for (size_t i = 0; i < changed.size(); ++i) {
      ProgramNode& node = program_.nodes[i];
      if (!changed[i]) nodes.push_back(std::move(node));
      for (size_t k = 0; k < copies[i].size(); k += 2) {
        nodes.push_back(program_.make_node(node.name, make_ref<const ops::Call>(ops::CopyCall{}),
                                           std::span(copies[i]).subspan(k, 2), ops::kAlways));
        nodes.back().site = node.site;
      }
    }
    for (ProgramNode& node : nodes) move(&node);
    program_.nodes = std::move(nodes);
    return {};
  }

 private:
  // The place where a value's bytes are now: in another one, so many bytes further on.
  struct Place {
    uint32_t value = 0;
    int64_t bytes = 0;
  };
  struct Use {
    uint32_t node;
    bool written;
    int64_t begin, end;
  };
  struct Value {
    Place place;
    std::vector<Use> uses;  // also by way of the values that lie in it
    bool fixed = false;     // used by what cannot be made again, or otherwise than as a view
  };

  Place place_of(uint32_t value) const {
    Place place = {value, 0};
    for (; values_[place.value].place.value != place.value; place.value = values_[place.value].place.value)
      place.bytes += values_[place.value].place.bytes;
    return place;
  }
  // True if a node's results, and what is made of them, are seen only by way of a value.
  bool is_for(uint32_t node, uint32_t value) {
    constexpr size_t kMost = 256;  // nodes
    std::vector<uint32_t> reached = {node};
    for (size_t at = 0; at < reached.size(); ++at) {
      const ProgramNode& each = program_.nodes[reached[at]];
      if (each.effects() >= ops::Effects::kept || reached.size() > kMost) return false;
      for (const ProgramOperand& made : each.operands) {
        if (!made.written) continue;
        const uint32_t in = place_of(made.value).value;
        if (in == value) continue;
        if (!is_temporary(in)) return false;
        seen_ += values_[in].uses.size();
        for (const Use& use : values_[in].uses)
          if (!use.written && use.node > reached[at] &&
              std::find(reached.begin(), reached.end(), use.node) == reached.end())
            reached.push_back(use.node);
      }
    }
    return true;
  }
  bool is_temporary(uint32_t value) const {
    const ops::ProgramValue& made = program_.values[value];
    return !made.outlives() && !made.given() && !made.storage->pinned();
  }

  // The bytes by which an operand of node i moves if it is made in a part of the result, which is in `into`.
  std::optional<int64_t> moved_by(uint32_t i, const ProgramOperand& operand, const View& part, Place into) {
    const Value& own = values_[operand.value];
    const Storage& storage = *program_.values[operand.value].storage;
    const auto bytes = static_cast<int64_t>(storage.bytes());
    const int64_t by = into.bytes + part.offset - operand.view.offset;
    const int64_t aligned = storage.device().is_host() ? 64 : 256;
    if (own.fixed || own.place.value != operand.value || operand.value == into.value || !is_temporary(operand.value))
      return {};
    if (&storage.device() != &part.device() || operand.view.dtype != part.dtype || by % aligned != 0) return {};
    if (operand.begin != 0 || operand.end != bytes || static_cast<int64_t>(operand.view.bytes()) != bytes) return {};
    if (!operand.view.layout.same_as(part.layout)) return {};
    uint32_t last = 0;
    const Use* first = nullptr;
    for (const Use& use : own.uses) {
      last = std::max(last, use.node);
      if (!first || use.node < first->node || (use.node == first->node && use.written)) first = &use;
      if (use.written && use.node >= i) return {};
    }
    if (!first->written) return {};
    const std::vector<Use>& around = values_[into.value].uses;
    seen_ += own.uses.size() + around.size();
    // mutation: part_of_a_concat_fails
    if (std::any_of(own.uses.begin(), own.uses.end(),
                    [&](const Use& use) { return use.node != i && !is_for(use.node, into.value); }))
      return {};
    // Until now no task looks at the part, and it is not written again while the operand is read.
    const auto harms = [&](const Use& use) {
      if (use.begin >= by + bytes || use.end <= by) return false;
      // mutation: part_of_a_concat_in_use
      return use.node < i || (use.node == i ? !use.written : use.written && use.node <= last);
    };
    if (std::any_of(around.begin(), around.end(), harms)) return {};
    return by;
  }

  // Places those operands of a concatenation that can be, and lists what is still copied. False: none of them.
  bool join(uint32_t i, std::vector<TaskOperand>* copies, PassReport* report) {
    const ProgramNode& node = program_.nodes[i];
    const ProgramOperand& result = node.operands.back();
    const Place into = place_of(result.value);
    if (node.section != ops::kAlways || !is_temporary(into.value) || result.view.accumulate) return false;
    if (!std::all_of(node.operands.begin(), node.operands.end(), [](const auto& each) { return each.known; }))
      return false;
    const int axis = std::get<ops::ConcatCall>(node.call->of).axis;
    const int64_t step = result.view.layout.strides[axis] * static_cast<int64_t>(dtype_size(result.view.dtype));
    View part = result.view;
    std::vector<uint32_t> placed;
    std::vector<Use> left;  // writes of the result
    for (size_t k = 0; k + 1 < node.operands.size(); ++k) {
      const ProgramOperand& operand = node.operands[k];
      part.layout.shape[axis] = operand.view.layout.shape[axis];
      if (const std::optional<int64_t> by = moved_by(i, operand, part, into)) {
        values_[operand.value].place = {into.value, *by};
        placed.push_back(operand.value);
      } else {
        copies->insert(copies->end(), {{operand.view, false}, {part, true}});
        int64_t low = 0, high = 0;
        part.layout.extent(&low, &high);
        const int64_t from = into.bytes + part.offset, size = static_cast<int64_t>(dtype_size(part.dtype));
        left.push_back({i, true, from + low * size, from + high * size});
      }
      part.offset += part.layout.shape[axis] * step;
    }
    // A GPU copies what is left in one launch, as before.
    if (placed.empty() || (copies->size() > 2 && !node.device->is_host())) {
      for (const uint32_t each : placed) values_[each].place = {each, 0};
      copies->clear();
      return false;
    }
    std::vector<Use>& uses = values_[into.value].uses;
    std::erase_if(uses, [&](const Use& use) { return use.node == i && use.written; });
    uses.insert(uses.end(), left.begin(), left.end());
    std::string line = "in place:";
    for (const uint32_t each : placed) {
      for (const Use& use : values_[each].uses)
        uses.push_back(
            {use.node, use.written, use.begin + values_[each].place.bytes, use.end + values_[each].place.bytes});
      line += format(" %%%u", each);
    }
    report->lines.push_back(line + " of " + program_.text(node));
    return true;
  }

  void move(ProgramNode* node) {
    Rebinding memory;
    bool moves = false;
    for (const ProgramOperand& each : node->operands) {
      const Place place = place_of(each.value);
      if (place.value == each.value) continue;
      memory.put(*program_.values[each.value].storage, *program_.values[place.value].storage, place.bytes);
      moves = true;
    }
    if (moves) program_.rebind(node, memory);
  }

  Program& program_;
  std::vector<Value> values_;
  size_t seen_ = 0;
};

}  // namespace

Status concat_in_place(Program& program, PassReport* report) {
  return ConcatInPlace(program).run(report);
}

}  // namespace rondo
