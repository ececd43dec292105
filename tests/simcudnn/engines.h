// Engines: which of them take a pattern, in which order they are proposed, what they need, and what they compute.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pattern.h"

namespace simcudnn {

// An engine with its knobs, for one pattern. Immutable.
struct Engine {
  std::int64_t number = 0;
  Pattern pattern;
  std::vector<std::pair<int, std::int64_t>> knobs;
  std::vector<int> notes, behaviours;
  std::int64_t workspace = 0;
  bool loses_nan = false;
  bool adds_first = false;      // bias and residual to each other, and rounds
  bool rounds_first = false;    // to 16 bits, before it adds to what is there
  bool rounds_between = false;  // before it adds bias or residual
  bool overreads = false;       // a filter's gradient takes what lies in front of the image for what is in its padding
  bool miscounts = false;       // padding is what lies beside it
  AttentionFlaws flaws;         // of attention
  bool misplaces = false;       // a filter's gradient is of the channels next to its group's, where these are not last
};

// What heuristics propose in a mode.
std::vector<std::shared_ptr<const Engine>> propose(const Pattern& pattern, int mode);
// An engine asked for by its number. Throws a Refusal where it does not take the pattern.
std::shared_ptr<const Engine> engine_for(const Pattern& pattern, std::int64_t number);
// With other knobs. Throws a Refusal for those it does not have.
std::shared_ptr<const Engine> with_knobs(const Engine& engine, std::vector<std::pair<int, std::int64_t>> knobs);

// Puts one run in a stream. `pointers` has what operands() lists.
void execute(const std::shared_ptr<const Engine>& engine, const std::vector<void*>& pointers, void* workspace,
             void* stream);

// The computation itself, on host memory: addresses as operands() lists them.
void compute(const Engine& engine, const std::vector<void*>& pointers);

// Writes a pattern down where that is wished.
void record(const Pattern& pattern);

// Of libcuda.so.1 as it is in the process; null where it has no such function.
void* driver_function(const char* name);

}  // namespace simcudnn
