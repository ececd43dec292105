// Finds, before the walk begins, where gradients may be written at once, and when they are complete.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ops/program/overlap.h"
#include "tape/backward.h"
#include "tape/rules.h"

namespace rondo::tape {

// One pass over the nodes, the first time that anybody asks.
const Backward::StorageUse& Backward::use_of(uint64_t number) {
  if (!uses_) {
    uses_.emplace();
    for (size_t i = tape_.nodes_.size(); i-- > 0;) {
      const Node& node = tape_.nodes_[i];
      if (!node.flows) continue;
      if (node.custom) first_custom_ = i;
      for (size_t k = 0; k < node.inputs.size(); ++k) {
        if (!node.inputs[k].active) continue;
        StorageUse& use = (*uses_)[node.inputs[k].number];
        ++use.count;
        use.node = i;
        use.input = k;
      }
      for (const std::vector<Operand>* list : {&node.inputs, &node.outputs})
        for (const Operand& each : *list)
          if (each.kept) (*uses_)[each.number].first_read = i;
    }
  }
  return (*uses_)[number];
}

// True if the values of a storage that the tape knows are read before the gradient of a source is written there: one
// node alone uses the source, nothing reads them further on the way back, and that node reads them for its other inputs
// only, whose gradients it makes first. It is not known what a gradient of the user's reads.
bool Backward::reads_first(uint64_t source, uint64_t written) {
  const size_t first_read = use_of(written).first_read;
  const StorageUse& use = use_of(source);
  if (use.count != 1 || use.input >= 31 || first_custom_ <= use.node || first_read < use.node) return false;
  if (first_read > use.node) return true;
  const Node& node = tape_.nodes_[use.node];
  const auto among = [&](const std::vector<Operand>& list, unsigned mask) {
    for (size_t i = 0; i < list.size(); ++i)
      if (((mask >> std::min<size_t>(i, 31)) & 1) && list[i].kept && list[i].number == written) return true;
    return false;
  };
  const Needs own = needed(node, 1u << use.input);
  if (among(node.inputs, own.inputs) || among(node.outputs, own.outputs)) return false;
  return makes_last(node) && last_input_.try_emplace(&node, use.input).second;
}

// True for each source that shares its storage with another one, or its gradient elements with that of another one.
std::vector<bool> Backward::find_shared(std::span<const View> sources, std::span<rondo_tensor*> gradients) const {
  std::unordered_map<uint64_t, size_t> of_storage;
  std::unordered_map<const Storage*, Ranges<size_t, 1>> written;
  for (size_t i = 0; i < sources.size(); ++i) {
    ++of_storage[number_of(sources[i])];
    if (gradients[i]) written[gradients[i]->view.storage].add(range_of(gradients[i]->view), i);
  }
  std::vector<bool> shared(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    bool is = of_storage.at(number_of(sources[i])) > 1;
    if (gradients[i]) {
      const View& to = gradients[i]->view;
      std::as_const(written.at(to.storage)).each_meeting(range_of(to), [&](size_t k) {
        is = is || (k != i && ops::overlap(gradients[k]->view, to));
      });
    }
    shared[i] = is;
  }
  return shared;
}

// A source's gradient may be written where the caller wants it at once, if it is not read before it is complete and
// nothing that backward still reads is there.
void Backward::find_direct(std::span<const View> sources, std::span<rondo_tensor*> gradients) {
  const std::vector<bool> shared = find_shared(sources, gradients);
  std::unordered_set<const Storage*> pinned;
  for (const Memory& memory : pinned_) pinned.insert(memory->get());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!gradients[i] || shared[i] || pinned.count(gradients[i]->view.storage)) continue;
    const View& source = sources[i];
    const View& to = gradients[i]->view;
    const uint64_t number = number_of(source);
    bool alone = !tape_.known_.at(number).written && adjoint_of(tape_.operand_of(source)).none();
    if (const uint64_t given = number_of(to); given && tape_.known_.count(given))
      alone = alone && reads_first(number, given);
    if (alone) adjoint_of(tape_.operand_of(source)).direct(gradients[i], place(source));
  }
}

namespace {
// One function for both lists: the sort has kilobytes.
template <class Turn>
void put_last_first(std::vector<Turn>* turns) {
  std::stable_sort(turns->begin(), turns->end(), [](const Turn& a, const Turn& b) { return a.node > b.node; });
}
}  // namespace

// Finds where each source's gradient is complete. One that was written after it was watched is so at the end.
void Backward::find_last(std::span<const View> sources, std::span<rondo_tensor*> gradients) {
  delivered_.assign(sources.size(), false);
  if (!finished_) return;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Tape::Known& known = tape_.known_.at(number_of(sources[i]));
    const StorageUse& use = use_of(number_of(sources[i]));
    if (gradients[i] && !known.written && use.count) last_.push_back({std::max(use.node, known.watched), i});
  }
  put_last_first(&last_);
}

void Backward::find_watched(std::span<const View> sources) {
  for (size_t i = 0; i < sources.size(); ++i) watched_.push_back({tape_.known_.at(number_of(sources[i])).watched, i});
  put_last_first(&watched_);
}

}  // namespace rondo::tape
