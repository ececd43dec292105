// Passes: what becomes of a program between its recording and its graph. Each is one function on plain data, can be
// switched off (RONDO_GRAPH_PASSES, RONDO_RECORD_AS_WRITTEN), and reports what it changed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ops/program/program.h"

namespace rondo {

// The report of what one pass did.
struct PassReport {
  const char* name;
  size_t before, after;            // nodes
  size_t steps;                    // what the pass did most often, how often, if it counts that
  std::vector<std::string> lines;  // "left out: Elementwise 'relu': %1 f32 [10] -> %2 f32 [10]"
};

#define RONDO_PASS(name, text) Status name(ops::Program& program, PassReport* report);
#include "graph/passes/passes.def"
#undef RONDO_PASS

// Runs the passes that RONDO_GRAPH_PASSES names.
Status run_passes(ops::Program& program, std::vector<PassReport>* reports);

}  // namespace rondo
