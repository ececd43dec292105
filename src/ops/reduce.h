// Reductions inside: what is reduced over what, in a form that both devices compute from.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/element.h"
#include "ops/ops.h"
#include "ops/prepared.h"

namespace rondo::ops {

struct Reduction {
  rondo_reduce_op op = RONDO_SUM;
  View in, out;
  Dims<2> kept;     // arrays: in, out. One result each
  Dims<1> reduced;  // array: in. For arg operators in row-major order of the tensor; otherwise the widest stride first

  int64_t outputs() const { return kept.elements(); }
  int64_t length() const { return reduced.elements(); }
  bool is_arg() const { return op == RONDO_ARGMAX || op == RONDO_ARGMIN; }
  bool is_extreme() const { return op == RONDO_MAX || op == RONDO_MIN; }
};

Reduction plan_reduction(rondo_reduce_op op, const View& in, const View& out, const bool (&gone)[kMaxDims],
                         bool keep_dims);

void reduce_on_cpu(const Reduction& reduction);
Ref<Task> make_cuda_reduction(const Reduction& reduction);

}  // namespace rondo::ops
