// When each node of a program can run: the first and the last step at which it may, if each takes one and the longest
// way through the program is not to become longer. What becomes one has the steps that all of it has.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "graph/passes/dependences.h"

namespace rondo {

class Steps {
 public:
  Steps(const Dependences& dependences, size_t nodes);

  // Of a node, or of what several are that are known by it.
  bool meet(uint32_t a, uint32_t b) const { return of(a, b).first <= of(a, b).last; }
  void join(uint32_t a, uint32_t into) { spans_[into] = of(a, into); }

 private:
  struct Span {
    size_t first = 0, last = 0;
  };
  Span of(uint32_t a, uint32_t b) const {
    return {std::max(spans_[a].first, spans_[b].first), std::min(spans_[a].last, spans_[b].last)};
  }
  std::vector<Span> spans_;
};

}  // namespace rondo
