// Leaves out nodes that compute a value a second time, and copies of what stays as it is. A node that does what an
// earlier one has done is left out, and so is a copy whose elements lie as its source's, or as those of what its source
// is a copy of, which nothing writes any more; the readers of their results read what was there already.
//
// Only values are given up that were made in the recording, are written once, and end with it. A node that reads one is
// made again for the other memory (OperatorTask::again).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

#include "base/folded_product.h"
#include "engine/tasks/making_limit.h"
#include "graph/passes/passes.h"

namespace rondo {

namespace {

using ops::Program;
using ops::ProgramNode;
using ops::ProgramOperand;

// These words say what a node does: two nodes with equal words do the same.
using ops::Words;

template <class... W>
void put(Words* words, W... all) {
  (words->push_back(static_cast<uint64_t>(all)), ...);
}

void put(Words* words, const Layout& layout) {
  put(words, layout.ndim);
  for (int d = 0; d < layout.ndim; ++d) put(words, layout.shape[d], layout.shape[d] > 1 ? layout.strides[d] : 0);
}

struct HashOfWords {
  size_t operator()(const Words& words) const {
    uint64_t all = words.size();
    for (const uint64_t word : words) all = mixed(all, word);
    return all;
  }
};
struct EqualWords {
  bool operator()(const Words& a, const Words& b) const {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }
};

// A view of a copy, as a view of what was copied: its axes are those of the copy in any order.
std::optional<View> seen_through(const View& view, const View& copy, const View& source) {
  if (view.offset != copy.offset || view.elements() != copy.elements()) return {};
  View seen = source;
  seen.layout = view.layout;
  const auto wide = [](const Layout& layout) {
    return std::count_if(layout.shape, layout.shape + layout.ndim, [](int64_t size) { return size > 1; });
  };
  if (wide(view.layout) != wide(copy.layout)) return {};
  for (int d = 0; d < view.layout.ndim; ++d) {
    if (view.layout.shape[d] <= 1) continue;
    int axis = 0;
    while (axis < copy.layout.ndim &&
           (copy.layout.shape[axis] != view.layout.shape[d] || copy.layout.strides[axis] != view.layout.strides[d]))
      ++axis;
    if (axis == copy.layout.ndim) return {};
    seen.layout.strides[d] = source.layout.strides[axis];
  }
  return seen;
}

class Cse {
 public:
  explicit Cse(Program& program)
      : program_(program),
        alias_of_(program.values.size()),
        writes_(program.values.size()),
        last_write_(program.values.size()),
        bound_(program.values.size()),
        written_(program.values.size()) {
    for (uint32_t v = 0; v < alias_of_.size(); ++v) alias_of_[v] = {v, 0};
    for (size_t i = 0; i < program.nodes.size(); ++i) {
      const ProgramNode& node = program.nodes[i];
      const bool fixed = !node.moves();
      for (const ProgramOperand& each : node.operands) {
        if (each.written) ++writes_[each.value], last_write_[each.value] = i;
        if (fixed || !each.known) bound_[each.value] = true;
      }
    }
  }

  Status run(PassReport* report) {
    std::vector<bool> gone(program_.nodes.size());
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      RONDO_TRY(MakingLimit::check());
      const ProgramNode& node = program_.nodes[i];
      gone[i] = is_plain(node) && leave_out(i, report);
      if (gone[i]) continue;
      for (const ProgramOperand& each : node.operands)
        if (each.written) ++written_[each.value];
    }
    if (report->lines.empty()) return {};
    leave_out_unread(&gone, report);
    for (size_t i = 0; i < program_.nodes.size(); ++i)
      if (!gone[i]) move(&program_.nodes[i]);
    size_t next = 0;
    std::erase_if(program_.nodes, [&](const ProgramNode&) { return gone[next++]; });
    return {};
  }

 private:
  // The place where a value's bytes are now: in another one, so many bytes further on.
  struct Alias {
    uint32_t value;
    int64_t bytes;
  };

  // Leaves a node out if it can be, saying where its results are instead.
  bool leave_out(size_t i, PassReport* report) {
    const ProgramNode& node = program_.nodes[i];
    size_t earlier = 0;
    if (const std::optional<Lying> same = lies_already(i)) {
      const Alias source = alias_of_[same->value];
      alias_of_[node.operands[1].value] = {source.value, source.bytes + same->offset - node.operands[1].view.offset};
      report->lines.push_back("left out: " + program_.text(node) + ", which lies as " +
                              (same->through == i ? "it is copied" : std::to_string(same->through) + " copied it"));
      if (same->through != i) passed_by_.push_back(same->through);
      return true;
    }
    if (!find_earlier(i, &earlier)) return false;
    const ProgramNode& first = program_.nodes[earlier];
    for (size_t k = 0; k < node.operands.size(); ++k)
      if (node.operands[k].written) alias_of_[node.operands[k].value] = {first.operands[k].value, 0};
    report->lines.push_back("left out: " + program_.text(node) + ", which is what " + std::to_string(earlier) +
                            " makes");
    return true;
  }
  // A node that writes what it writes anew, always the same.
  static bool is_plain(const ProgramNode& node) {
    if (!node.removable() || node.section != ops::kAlways || node.random_count > 0) return false;
    return std::all_of(node.operands.begin(), node.operands.end(), [](const ProgramOperand& each) {
      return each.known && (!each.written || (each.covers && !each.view.accumulate));
    });
  }
  // True if nothing needs the value in memory of its own: its bytes may be in another one.
  bool may_go(const ProgramOperand& result) const {
    const ops::ProgramValue& value = program_.values[result.value];
    return !value.outlives() && !value.storage->pinned() && writes_[result.value] == 1 && !bound_[result.value] &&
           result.begin == 0 && result.end == static_cast<int64_t>(value.storage->bytes()) && result.view.offset == 0;
  }
  // The place where what a copy makes lies already: from this byte of a value on, which was read by node `through`.
  struct Lying {
    uint32_t value;
    int64_t offset;
    size_t through;
  };
  bool is_copy(const ProgramNode& node) const {
    return is_plain(node) && std::holds_alternative<ops::CopyCall>(node.call->of) && node.operands.size() == 2 &&
           node.operands[1].written && node.operands[0].view.dtype == node.operands[1].view.dtype;
  }
  std::optional<Lying> lies_already(size_t i) const {
    const ProgramNode& node = program_.nodes[i];
    if (!is_copy(node) || !may_go(node.operands[1])) return {};
    const ProgramOperand &from = node.operands[0], &to = node.operands[1];
    const auto stays = [&](const ProgramOperand& source, size_t since) {
      const uint32_t place = alias_of_[source.value].value;
      const Storage& memory = *program_.values[source.value].storage;
      // mutation: copy_of_what_is_written_later
      return &memory.device() == &program_.values[to.value].storage->device() && !memory.pinned() &&
             (writes_[place] == 0 || last_write_[place] < since);
    };
    if (from.view.layout.same_as(to.view.layout) && stays(from, i)) return Lying{from.value, from.view.offset, i};
    const size_t before = last_write_[from.value];
    if (writes_[from.value] != 1 || before >= i || !is_copy(program_.nodes[before])) return {};
    const ProgramOperand &first = program_.nodes[before].operands[0], &made = program_.nodes[before].operands[1];
    const std::optional<View> seen = seen_through(from.view, made.view, first.view);
    if (!seen || !seen->layout.same_as(to.view.layout) || !stays(first, before)) return {};
    return Lying{first.value, first.view.offset, before};
  }
  // Leaves out copies whose copies read what they read, if no node reads them any more.
  void leave_out_unread(std::vector<bool>* gone, PassReport* report) {
    std::vector<uint32_t> readers(program_.values.size());
    const auto count = [&](const ProgramNode& node, uint32_t by) {
      for (const ProgramOperand& each : node.operands)
        if (!each.written) readers[alias_of_[each.value].value] += by;
    };
    for (size_t i = 0; i < program_.nodes.size(); ++i)
      if (!(*gone)[i]) count(program_.nodes[i], 1);
    std::sort(passed_by_.begin(), passed_by_.end(), std::greater<>());
    for (const size_t each : passed_by_) {
      const ProgramNode& copy = program_.nodes[each];
      if ((*gone)[each] || readers[copy.operands[1].value] > 0 || !may_go(copy.operands[1])) continue;
      (*gone)[each] = true;
      count(copy, UINT32_MAX);  // one less
      report->lines.push_back("left out: " + program_.text(copy) + ", which nobody reads any more");
    }
  }
  // Puts into words what a node does, to values as they are now; false: its kind does not tell.
  bool words_of(const ProgramNode& node, Words* words) const {
    if (!append_words(*node.call, words)) return false;
    put(words, reinterpret_cast<uintptr_t>(node.device));
    for (const ProgramOperand& each : node.operands) {
      const Alias place = alias_of_[each.value];
      put(words, each.written, each.view.dtype);
      put(words, each.view.layout);
      if (!each.written) put(words, place.value, place.bytes + each.view.offset, written_[place.value]);
    }
    return true;
  }
  // An earlier node that has made the same, of what is still the same. A number is not looked for: each node that reads
  // it makes it in a register.
  bool find_earlier(size_t i, size_t* earlier) {
    const ProgramNode& node = program_.nodes[i];
    if (std::holds_alternative<ops::FillCall>(node.call->of) ||
        std::holds_alternative<ops::ParameterCall>(node.call->of))
      return false;
    bool goes = true;
    for (const ProgramOperand& each : node.operands) {
      if (!each.written) continue;
      if (writes_[each.value] != 1 || each.view.offset != 0) return false;
      goes = goes && may_go(each);
    }
    Words words;
    if (!words_of(node, &words)) return false;
    const auto [found, fresh] = done_.try_emplace(std::move(words), i);
    *earlier = found->second;
    return !fresh && goes;
  }
  // Makes a node's task again where it reads what has moved.
  void move(ProgramNode* node) {
    Rebinding memory;
    bool moves = false;
    for (const ProgramOperand& each : node->operands) {
      const Alias place = alias_of_[each.value];
      if (place.value == each.value) continue;
      memory.put(*program_.values[each.value].storage, *program_.values[place.value].storage, place.bytes);
      moves = true;
    }
    if (moves) program_.rebind(node, memory);
  }

  Program& program_;
  std::vector<Alias> alias_of_;  // by value
  std::vector<uint32_t> writes_;
  std::vector<size_t> last_write_;
  std::vector<bool> bound_;        // used by what cannot be made again, or otherwise than as a view
  std::vector<uint32_t> written_;  // so far
  std::vector<size_t> passed_by_;  // copies of which a copy was left out
  std::unordered_map<Words, size_t, HashOfWords, EqualWords> done_;  // the first node that does it
};

}  // namespace

Status cse(Program& program, PassReport* report) {
  return Cse(program).run(report);
}

}  // namespace rondo
