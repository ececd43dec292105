// Sums floats of at most 32 bits on the host, over one dimension that is contiguous in memory or across one that is: in
// f64, with vectors, in an order that the shape alone decides.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/machine/instructions.h"
#include "ops/reduce/reduce.h"

namespace rondo::ops {

// Returns whether the plan is such a sum; then, the bytes of workspace that it needs.
bool is_plain_sum(const ReducePlan& plan);
size_t plain_sum_workspace(const ReducePlan& plan);
void plain_sum_on_cpu(const ReducePlan& plan, void* workspace, Instructions which = instructions());

}  // namespace rondo::ops
