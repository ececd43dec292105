// Presents the table of reductions (reductions.def) as data: opcodes of their own, and what each is made of.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/ops.h>

#include "ops/operators/element.h"
#include "ops/operators/enumerators.h"
#include "rtc/device/reductions.h"

namespace rondo::ops {

struct ReductionRow {
  ReduceOp op;
  const char* name;
  const char* parts;    // domain, before, accumulator, after: the names in kernel text that follow the element type
  int parameters;       // 0 or 1
  double parameter;     // its default
  bool needs_elements;  // there is no result over nothing
  bool cumulative;      // the accumulator is the result, so that it can be had after each element
};

const ReductionRow& reduction_row(ReduceOp op);
// Null for a number that is not an enumerator.
const ReductionRow* find_reduction(int op);
// Its name ("sum"); null for a number that is none.
const char* reduce_name(int op);

// The parts of each: parts::sum::Of<on_device, M> is its device::Reduction for elements of memory type M.
namespace parts {
#define REDUCTION(ID, name, Domain, Before, Accumulator, After, ...)                                                \
  struct name {                                                                                                     \
    template <bool on_device, class M>                                                                              \
    using Of = device::Reduction<on_device, M, device::Domain, device::Before, device::Accumulator, device::After>; \
  };
#include "ops/operators/reductions.def"
#undef REDUCTION
}  // namespace parts

// Calls f.template operator()<parts::...>().
template <class F>
auto with_reduction(ReduceOp op, F&& f) {
  switch (op) {
#define REDUCTION(ID, name, ...) \
  case ReduceOp::name:           \
    return f.template operator()<parts::name>();
#include "ops/operators/reductions.def"
#undef REDUCTION
  }
  __builtin_unreachable();  // the compiler warns of an enumerator without a case
}

// The dtype of the result of a reduction of this dtype.
rondo_dtype reduced_dtype(ReduceOp op, rondo_dtype dtype);
// Bytes of a partial result on a device.
size_t partial_bytes(ReduceOp op, rondo_dtype dtype);

}  // namespace rondo::ops
