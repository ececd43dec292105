// The steps of an operator among the tasks of a recording: they are noted with the operator, and go over into the
// program.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/caught.h"
#include "graph/recording.h"

namespace rondo {

void Recording::combine(size_t first, const Ref<const OpInfo>& what,
                        const std::vector<TaskOperand>& operands) noexcept {
  if (first == taken_.size()) return;
  (void)caught([&]() -> Status {
    if (groups_.empty() || groups_.back().begin != first || groups_.back().end != taken_.size()) {
      ops::ProgramGroup group;
      group.begin = static_cast<uint32_t>(first);
      group.end = static_cast<uint32_t>(taken_.size());
      groups_.push_back(std::move(group));
    }
    ops::ProgramGroup& group = groups_.back();
    const auto* const call = static_cast<const ops::Call*>(what.get());
    group.operators.push_back({call ? Ref<const ops::Call>::share(call) : Ref<const ops::Call>(), operands});
    for (const TaskOperand& each : operands) group.keep.push_back(Ref<Storage>::share(each.view.storage));
    return {};
  });
}

const ops::ProgramGroup::Whole* Recording::whole(size_t first) const {
  if (groups_.empty()) return nullptr;
  const ops::ProgramGroup& last = groups_.back();
  return last.begin == first && last.end == taken_.size() && last.operators.size() == 1 ? last.operators.data()
                                                                                        : nullptr;
}

void Recording::hand_over_groups(const Body& begin, const std::vector<uint32_t>& node_of, ops::Program* program) {
  for (size_t i = begin.groups; i < groups_.size(); ++i) {
    ops::ProgramGroup& each = program->groups.emplace_back(std::move(groups_[i]));
    each.begin = node_of[each.begin - begin.tasks];
    each.end = node_of[each.end - begin.tasks];
  }
}

void Recording::drop_groups(size_t from) {
  groups_.resize(from);
}

}  // namespace rondo
