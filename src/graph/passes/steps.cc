// Finds the steps at which each node of a program can run, and joins those of nodes that become one.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/steps.h"

#include <algorithm>
#include <optional>

namespace rondo {

Steps::Steps(const Dependences& dependences, size_t count) : spans_(count) {
  std::vector<size_t> most_until(count + 1);  // the greatest first step before each number
  for (uint32_t i = 0; i < count; ++i) {
    const Dependences::Node& node = dependences.node(i);
    size_t first = node.all_before ? most_until[node.all_before] + 1 : 0;
    for (const Dependences::Before& each : node.before) first = std::max(first, spans_[each.node].first + 1);
    spans_[i].first = first;
    most_until[i + 1] = std::max(most_until[i], first);
  }
  for (Span& each : spans_) each.last = most_until[count];
  std::vector<size_t> all_by(count + 1, most_until[count]);  // what all before a number must have run by
  for (size_t i = count; i-- > 0;) {
    const Dependences::Node& node = dependences.node(i);
    all_by[i] = std::min(all_by[i], all_by[i + 1]);
    size_t& last = spans_[i].last;
    last = std::min(last, all_by[i + 1]);
    for (const Dependences::Before& each : node.before)
      spans_[each.node].last = std::min(spans_[each.node].last, last - 1);
    if (node.all_before) all_by[node.all_before] = std::min(all_by[node.all_before], last - 1);
  }
}

bool Steps::join(uint32_t i, uint32_t group, Groups* groups) {
  const Span both = {std::max(spans_[i].first, spans_[group].first), std::min(spans_[i].last, spans_[group].last)};
  if (both.first > both.last) return false;
  for (const Dependences::Before& each : groups->dependences().node(i).before) {
    groups->step();
    // mutation: launch_shared_with_what_it_waits_for
    if (groups->of(each.node) == group) return false;
  }
  const std::optional<uint32_t> place = groups->place_for(i, {group});
  if (!place) return false;
  groups->join(i, {group}, *place, groups->nodes_with(i, {group}));
  spans_[group] = both;
  return true;
}

}  // namespace rondo
