// Leaves out copies into a concatenation: what is joined is made where it lies in the result, and its readers read it
// there. A chain of concatenations, each of which adds to the one before, has all parts in the last result.
//
// Only temporaries are made elsewhere, those that fill memory of their own and lie in the result as they lie there,
// from a byte on where memory could begin. So every task works as on memory of its own. Results are temporaries too: an
// output may be the caller's memory, which is written when the recording says so.
//
// A task that fails spoils the whole result, with what its other parts were made by and are read by. So what these make
// besides must be seen by way of the result alone, and no task may write anew what a failure has spoilt, as one that
// writes a whole tensor does: failures reach what they reach in eager calls.
//
// A result lives from its first part on. It is left where it is if more memory would be in use at a time then. On a
// GPU, where a part may be made as soon as what it depends on, also if a part depends on far less than the others do.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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
    std::vector<uint32_t> levels(values_.size());  // of the node that wrote the value last
    for (const ProgramNode& node : program.nodes) {
      uint32_t level = 0;
      for (const ProgramOperand& each : node.operands) level = std::max(level, levels[each.value]);
      levels_.push_back(++level);
      for (const ProgramOperand& each : node.operands)
        if (each.written) levels[each.value] = level;
    }
    live_.resize(program.nodes.size() + 1);
    for (uint32_t v = 0; v < values_.size(); ++v) {
      Value& value = values_[v];
      if (value.uses.empty() || !is_temporary(v)) continue;
      value.first = value.uses.front().node, value.last = value.uses.back().node;
      live_[value.first] += bytes_of(v), live_[value.last + 1] -= bytes_of(v);
    }
    for (size_t i = 1; i < live_.size(); ++i) live_[i] += live_[i - 1];
    peak_ = *std::max_element(live_.begin(), live_.end());
  }

  Status run(PassReport* report) {
    std::vector<bool> gone(program_.nodes.size());
    for (auto i = static_cast<uint32_t>(gone.size()); i-- > 0 && seen_ < kMostUsesSeen;) {
      RONDO_TRY(MakingLimit::check());
      if (!std::holds_alternative<ops::ConcatCall>(program_.nodes[i].call->of)) continue;
      const std::string before = program_.text(program_.nodes[i]);
      if (place_operands(i, &gone)) report->lines.push_back("in place: " + before);
    }
    if (report->lines.empty()) return {};
    for (ProgramNode& node : program_.nodes) move(&node);
    size_t next = 0;
    std::erase_if(program_.nodes, [&](const ProgramNode&) { return gone[next++]; });
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
    std::vector<Use> uses;         // also by way of the values that lie in it
    bool fixed = false;            // used by what cannot be made again, or otherwise than as a view
    uint32_t first = 0, last = 0;  // nodes that it lives from and to
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
        const uint32_t in = place_of(made.value).value;
        if (!made.written || in == value) continue;
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
  int64_t bytes_of(uint32_t value) const { return static_cast<int64_t>(program_.values[value].storage->bytes()); }
  // Adds to what is in use at nodes from one up to before another.
  void add_live(uint32_t from, uint32_t to, int64_t bytes) {
    for (uint32_t i = from; i < to; ++i) live_[i] += bytes;
  }
  // Has values live in another one, or again each for itself: sign -1. Returns the nodes where that changes something.
  std::pair<uint32_t, uint32_t> join_lives(const std::vector<uint32_t>& parts, uint32_t into, int sign) {
    const Value& whole = values_[into];
    uint32_t first = whole.first, last = whole.last;
    for (const uint32_t each : parts) {
      const Value& part = values_[each];
      add_live(part.first, part.last + 1, -sign * bytes_of(each));
      first = std::min(first, part.first), last = std::max(last, part.last);
    }
    add_live(first, whole.first, sign * bytes_of(into));
    add_live(whole.last + 1, last + 1, sign * bytes_of(into));
    return {first, last};
  }
  bool is_temporary(uint32_t value) const {
    const ops::ProgramValue& made = program_.values[value];
    return !made.outlives() && !made.given() && !made.storage->pinned();
  }
  // From the part of a result that the operand before was copied to, or at first from the result, to the next.
  static void go_to(const ProgramNode& node, size_t operand, View* part) {
    const int axis = std::get<ops::ConcatCall>(node.call->of).axis;
    Layout& layout = part->layout;
    if (operand > 0)
      part->offset += layout.shape[axis] * layout.strides[axis] * static_cast<int64_t>(dtype_size(part->dtype));
    layout.shape[axis] = node.operands[operand].view.layout.shape[axis];
  }

  // True if an operand of node i may be made in a part of the result, which moves it by so many bytes to a value.
  bool may_move(uint32_t i, const ProgramOperand& operand, const View& part, uint32_t to, int64_t by) {
    const Value& own = values_[operand.value];
    const Storage& storage = *program_.values[operand.value].storage;
    const auto bytes = static_cast<int64_t>(storage.bytes());
    if (own.fixed || own.place.value != operand.value || operand.value == to || !is_temporary(operand.value) ||
        &storage.device() != &part.device() || operand.view.dtype != part.dtype ||
        by % (storage.device().is_host() ? 64 : 256) != 0 || operand.begin != 0 || operand.end != bytes ||
        static_cast<int64_t>(operand.view.bytes()) != bytes || !operand.view.layout.same_as(part.layout))
      return false;
    uint32_t last = 0;
    const Use* first = &own.uses[0];
    for (const Use& use : own.uses) {
      last = std::max(last, use.node);
      if (use.node < first->node || (use.node == first->node && use.written)) first = &use;
      if (use.written && use.node >= i) return false;
    }
    if (!first->written) return false;
    // A later write of the whole heals it. The first one is there still where no pass has removed dead code.
    for (const Use& use : own.uses)
      if (use.written && use.node != first->node && use.begin == 0 && use.end == bytes && !reads(own, use.node))
        return false;
    // mutation: part_of_a_concat_fails
    for (const Use& use : own.uses)
      if (use.node != i && !is_for(use.node, to)) return false;
    const std::vector<Use>& around = values_[to].uses;
    seen_ += own.uses.size() + around.size();
    // Until now no task looks at the part, and it is not written again while the operand is read.
    return std::none_of(around.begin(), around.end(), [&](const Use& use) {
      if (use.begin >= by + bytes || use.end <= by) return false;
      if (use.node == i) return !use.written;
      // mutation: part_of_a_concat_in_use
      return use.written ? use.node <= last : use.node < i;
    });
  }

  // True if what an operand of node i is made by may not run long before what the others are made by.
  bool is_made_late(uint32_t i, const ProgramOperand& operand, bool moves) const {
    constexpr uint32_t kMostLevels = 6;
    if (operand.view.device().is_host()) return true;
    uint32_t level = 0;
    for (const Use& use : values_[operand.value].uses)
      if (use.written && use.node < i && (!moves || level == 0)) level = levels_[use.node];
    return levels_[i] - level <= kMostLevels;
  }
  static bool reads(const Value& value, uint32_t node) {
    return std::any_of(value.uses.begin(), value.uses.end(),
                       [node](const Use& use) { return use.node == node && !use.written; });
  }

  // Places the operands of a concatenation, of which one may be left to copy. False: it stays as it is.
  bool place_operands(uint32_t i, std::vector<bool>* gone) {
    ProgramNode& node = program_.nodes[i];
    const ProgramOperand& result = node.operands.back();
    if (node.section != ops::kAlways || !result.written || result.view.accumulate) return false;
    const Place into = place_of(result.value);
    if (!is_temporary(into.value)) return false;
    // A concatenation into what has been written is a whole write.
    for (const Use& use : values_[result.value].uses)
      if (use.written && use.node < i) return false;
    bool late = true;
    std::vector<uint32_t> placed;
    TaskOperand copy[2] = {{{}, false}, {{}, true}};
    View part = result.view;
    for (size_t k = 0; k + 1 < node.operands.size(); ++k) {
      const ProgramOperand& operand = node.operands[k];
      go_to(node, k, &part);
      const int64_t by = into.bytes + part.offset - operand.view.offset;
      const bool moves = operand.known && may_move(i, operand, part, into.value, by);
      late = late && is_made_late(i, operand, moves);
      if (moves) {
        values_[operand.value].place = {into.value, by};
        placed.push_back(operand.value);
      } else {
        copy[0].view = operand.view;
        copy[1].view = part;
      }
    }
    const size_t left = node.operands.size() - 1 - placed.size();
    if (left > 1 || placed.empty() || !late || !lives_in(placed, into.value)) {
      for (const uint32_t each : placed) values_[each].place = {each, 0};
      return false;
    }
    std::vector<Use>& uses = values_[into.value].uses;
    if (left == 0)
      std::erase_if(uses, [&](const Use& use) { return use.node == i && use.written; });
    else
      program_.replace(&node, node.name, make_ref<const ops::Call>(ops::CopyCall{}), copy);
    for (const uint32_t each : placed)
      for (const int64_t by = values_[each].place.bytes; const Use& use : values_[each].uses)
        uses.push_back({use.node, use.written, use.begin + by, use.end + by});
    (*gone)[i] = left == 0;
    return true;
  }

  // Has values live in another one, unless more memory would be in use at a time then.
  bool lives_in(const std::vector<uint32_t>& placed, uint32_t into) {
    const auto [first, last] = join_lives(placed, into, 1);
    seen_ += 2 * (last - first);
    if (*std::max_element(live_.begin() + first, live_.begin() + last + 1) > peak_) {
      join_lives(placed, into, -1);
      return false;
    }
    values_[into].first = first, values_[into].last = last;
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
  std::vector<uint32_t> levels_;  // of nodes: how many follow each other up to there
  std::vector<int64_t> live_;     // bytes of temporaries in use at each node
  int64_t peak_ = 0;
  size_t seen_ = 0;
};

}  // namespace

Status concat_in_place(Program& program, PassReport* report) {
  return ConcatInPlace(program).run(report);
}

}  // namespace rondo
