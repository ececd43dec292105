// A recording that has ended leaves the program, and all that says what graph is to be made of it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "graph/plan/shared_arena.h"
#include "graph/run/bindings.h"
#include "graph/run/budget.h"
#include "graph/run/launch_settings.h"
#include "graph/run/recorded_program.h"

namespace rondo {

class NumberChecks;

struct FinishedRecording {
  Ref<Engine> engine;
  const char* name;
  uint64_t number;  // among all recordings of the process
  double begun_us;
  int max_branches;
  int arenas;  // of a callable graph: how many of its calls are to overlap
  bool as_written, callable, fewer_roundings, falls_back, host_decides, unkept;
  ops::Program program;
  Drawn drawn;  // by its runs
  std::vector<Binding> call_inputs, call_outputs;
  std::unique_ptr<LaunchSettings> settings;
  std::shared_ptr<SharedArena> arena;           // null: the graph's own
  Ref<tape::Journal> journal;                   // null: of a graph that is launched, or a callable's
  std::shared_ptr<NumberChecks> number_checks;  // null: nothing is checked
  std::shared_ptr<Budget::Share> share;         // null: nothing limits it but its engine
};

}  // namespace rondo
