// What a graph's own picture says of its data flow, and what follows from that for how it was captured. A test need not
// count nodes and branches: which tasks there are and which come after which is enough to know them, exactly or from
// below.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <string>
#include <vector>

namespace conformance {

// A piece of a graph.
struct Piece {
  bool captured = false;
  bool inside = false;  // of a conditional node
  int32_t tasks = 0;
  int32_t idle = 0;  // of which nothing runs: they write tensors without elements, or accept them as they are
  // The most tasks that are equally far from the beginning: none of them comes after another, so each needs a branch of
  // its own. 1: the tasks are a chain.
  int32_t abreast = 0;
};

// Of a DOT picture (rondo_graph_dot), in the graph's order.
std::vector<Piece> pieces_of(const std::string& dot);

// Fails the test unless the graph is captured as its data flow says: pieces and tasks as in the picture; at least one
// node for each captured task that is not idle, but for `own` ones, the test's, which may do nothing; as many branches
// as tasks that may run side by side, up to max_branches, and one for a chain, whose nodes are then joined one behind
// the other.
void expect_captured_as_drawn(rondo_graph* graph, int32_t max_branches, int32_t own);

}  // namespace conformance
