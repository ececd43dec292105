// Tests write sets of fences as lists. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "memory/fence.h"

namespace rondo {

inline FenceSet fences(std::initializer_list<Fence> list) {
  FenceSet set;
  for (const Fence& fence : list) set.add(fence);
  return set;
}

}  // namespace rondo
