// Sums on the host of floats of at most 32 bits, over one dimension that lies together in memory or across one that
// does: in f64, with vectors, in an order that the shape alone decides.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/machine/instructions.h"
#include "ops/reduce/reduce.h"

namespace rondo::ops {

// Whether the plan is such a sum; then, the bytes of workspace that it needs.
bool is_plain_sum(const ReducePlan& plan);
size_t plain_sum_workspace(const ReducePlan& plan);
void plain_sum_on_cpu(const ReducePlan& plan, void* workspace, Instructions which = instructions());

}  // namespace rondo::ops
