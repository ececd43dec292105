// Reductions inside: what is reduced over what, in a form that both devices compute from.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/ops.h"
#include "ops/prepared.h"
#include "ops/reductions.h"

namespace rondo::ops {

struct ReducePlan {
  ReduceOp op = ReduceOp::sum;
  double parameter = 0;
  View in, out;
  Dims<2> kept;     // arrays: in, out. One result each
  Dims<1> reduced;  // array: in. For positions in row-major order of the tensor; otherwise the widest stride first

  const char* name() const { return reduction_row(op).name; }
  int64_t outputs() const { return kept.elements(); }
  int64_t length() const { return reduced.elements(); }
  device::ReduceFacts facts() const { return {length(), parameter}; }
};

// Reduces the axes with a bit in `axes`; everything but the operand's having elements has been checked.
Status reduce_over(const char* function, ReduceOp op, double parameter, const View& a, unsigned axes, bool keep_dims,
                   Output& out);

// Bytes of workspace that reduce_on_cpu() needs.
size_t reduce_workspace(const ReducePlan& plan);
void reduce_on_cpu(const ReducePlan& plan, void* workspace);
Ref<Task> make_cuda_reduction(const ReducePlan& plan);

}  // namespace rondo::ops
