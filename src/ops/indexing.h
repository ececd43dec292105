// Indexing operators inside: one-hot and gathering rows.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/element.h"
#include "ops/ops.h"
#include "ops/prepared.h"

namespace rondo::ops {

// out[i, j] = (indices[i] == j). Arrays of `items`: indices, out.
struct OneHotPlan {
  View indices, out;
  Dims<2> items;
  int64_t depth = 0;
  int64_t out_step = 0;  // between the depth's elements
};

// out[i, r] = table[indices[i], r]. Arrays of `items`: indices, out; of `row`: table, out.
struct GatherPlan {
  View table, indices, out;
  Dims<2> items, row;
  int64_t rows = 0;        // of the table
  int64_t table_step = 0;  // between rows of the table
};

Ref<Task> make_cuda_one_hot(const OneHotPlan& plan);
Ref<Task> make_cuda_gather(const GatherPlan& plan);

}  // namespace rondo::ops
