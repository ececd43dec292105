// Declares the plan of one-hot, and its tasks for the host and for a GPU.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/task/submit.h"

namespace rondo::ops {

// out[i, j] = (indices[i] == j). Arrays of `items`: indices, out.
struct OneHotPlan {
  View indices, out;
  Ref<Variable> checked;  // of a check of the indices; null: there was none
  Dims<2> items;
  int64_t depth = 0;
  int64_t out_step = 0;  // between the depth's elements

  void move_to(const Rebinding& memory) { memory.move_all(indices, out); }
};

Ref<OperatorTask> make_cuda_one_hot(const OneHotPlan& plan);

}  // namespace rondo::ops
