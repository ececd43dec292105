// Views that no recording has noted, because they were made before it, or by an operator that lays out its memory in a
// way of its own: those that lead from a whole tensor to such a part are found from how both lie in memory. All others
// are known (ops/program/views.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/tensor.h"
#include "ops/program/kinds.h"

namespace rondo::program_files {

// whole: dense. Puts the views in order, each one of the one before. False if no simple ones lead there: axes in
// another order, cut, shortened, repeated.
bool find_views(const View& whole, const View& part, std::vector<Ref<const ops::Call>>* views);

}  // namespace rondo::program_files
