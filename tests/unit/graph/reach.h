// Orders of numbered things, as tests of them compute them: which come before which, by any number of steps.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo {

using Edges = std::vector<std::vector<uint32_t>>;  // by node: what comes before it
using Reach = std::vector<std::vector<bool>>;      // [later][earlier]

inline Reach closure(const Edges& before) {
  Reach reach(before.size(), std::vector<bool>(before.size(), false));
  for (size_t i = 0; i < before.size(); ++i)
    for (const uint32_t each : before[i]) {
      reach[i][each] = true;
      for (size_t k = 0; k < each; ++k)
        if (reach[each][k]) reach[i][k] = true;
    }
  return reach;
}

}  // namespace rondo
