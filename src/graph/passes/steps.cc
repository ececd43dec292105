// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/steps.h"

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

}  // namespace rondo
