// When each node of a program can run: the first and the last step at which it may, if each takes one and the longest
// way through the program is not to become longer. Nodes that become one have the steps that all of them have in
// common.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/passes/groups.h"

namespace rondo {

class StepRanges {
 public:
  StepRanges(const Dependences& dependences, size_t nodes);

  // Makes node i one of a group, if it waits for none of it, they have a step in common and a place.
  bool join(uint32_t i, uint32_t group, Groups* groups);

 private:
  struct Span {
    size_t first = 0, last = 0;
  };
  std::vector<Span> spans_;  // by node; by group: those of all of its nodes
};

}  // namespace rondo
