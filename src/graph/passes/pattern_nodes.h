// Makes the nodes that stand for what a pattern has found: the operator, and before it nodes that make what it reads.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/passes/value_graph.h"

namespace rondo {

struct PatternNodes {
  struct NewNode {
    const char* name = nullptr;
    Ref<const ops::Call> call;  // null: there is no such node
    std::vector<TaskOperand> operands;
  };
  const ops::Program* program;
  ValueGraph::Matched other;         // what the other text of the row has found
  View to;                           // what the last node of those that were found gives
  NewNode before, last;              // the last one comes in their place
  std::vector<Ref<Storage>> memory;  // of results that no node of the program has
};

// Makes nodes of what a text has found; false if it is none of that kind after all.
using BuildPattern = bool (*)(const ValueGraph::Matched& found, PatternNodes* made);

bool layer_norm_pattern(const ValueGraph::Matched& found, PatternNodes* made);
bool rms_norm_pattern(const ValueGraph::Matched& found, PatternNodes* made);
bool attention_pattern(const ValueGraph::Matched& found, PatternNodes* made);
bool gelu_pattern(const ValueGraph::Matched& found, PatternNodes* made);
// x c + (-h, l) s, or (a c - b s, d e + f g), which are joined or parts of one tensor: both halves in one node.
bool rotary_pattern(const ValueGraph::Matched& found, PatternNodes* made);
// Given statistics after a convolution: a scale and a bias of each channel, which a node before it makes.
bool batch_norm_pattern(const ValueGraph::Matched& found, PatternNodes* made);

}  // namespace rondo
