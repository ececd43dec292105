// The instruction sets of this processor, for tests that compare them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/machine/instructions.h"

namespace rondo {

inline std::vector<Instructions> instruction_sets() {
  std::vector<Instructions> sets;
  for (int i = 0; i <= static_cast<int>(possible_instructions()); ++i) sets.push_back(static_cast<Instructions>(i));
  return sets;
}

}  // namespace rondo
