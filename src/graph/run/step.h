// One task of a graph, with all that is known of it once the graph is compiled.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/small_vector.h"
#include "ops/program/program.h"

namespace rondo {

struct Step {
  // Which operators a pass has made it of, and where it was recorded. Most steps have neither.
  struct Origin {
    std::string operators, site;
  };

  explicit Step(ops::ProgramNode&& node);
  bool is_switched() const { return section != ops::kAlways; }
  bool is_parameter() const { return parameter != ops::kAlways; }
  const std::string& operators() const;
  const std::string& site() const;

  Ref<Task> task;
  Ref<const ops::Call> call;  // null: it is opaque
  // Where its random numbers begin, from the first that the recording drew on its device, and those of cpu:0 besides.
  uint64_t random_offset, choice_offset;
  char* workspace = nullptr;  // in its device's arena
  std::unique_ptr<const Origin> origin;
  SmallVector<uint32_t, 2> predecessors;  // ascending
  uint32_t section;                       // of the settings, the one that switches it
  uint32_t parameter = ops::kAlways;      // of the settings, the one whose value it writes
  uint32_t segment = 0, branch = 0;
};

}  // namespace rondo
