// Finding the steps at which nodes may run, forwards for the first one and backwards for the last.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/step_ranges.h"

#include <algorithm>
#include <optional>

namespace rondo {

StepRanges::StepRanges(const Dependences& dependences, size_t count) : spans_(count) {
  size_t longest = 0;
  for (uint32_t i = 0; i < count; ++i) {
    for (const Dependences::Before& each : dependences.node(i).before)
      spans_[i].first = std::max(spans_[i].first, spans_[each.node].first + 1);
    longest = std::max(longest, spans_[i].first);
  }
  for (Span& each : spans_) each.last = longest;
  for (size_t i = count; i-- > 0;)
    for (const Dependences::Before& each : dependences.node(i).before)
      spans_[each.node].last = std::min(spans_[each.node].last, spans_[i].last - 1);
}

bool StepRanges::join(uint32_t i, uint32_t group, Groups* groups) {
  const Span both = {std::max(spans_[i].first, spans_[group].first), std::min(spans_[i].last, spans_[group].last)};
  if (both.first > both.last) return false;
  for (const Dependences::Before& each : groups->dependences().node(i).before) {
    groups->step();
    // mutation: launch_shared_with_what_it_waits_for
    if (groups->of(each.node) == group) return false;
  }
  const std::optional<uint32_t> place = groups->place_for(i, {group});
  if (!place) return false;
  groups->join(i, {group}, *place);
  spans_[group] = both;
  return true;
}

}  // namespace rondo
