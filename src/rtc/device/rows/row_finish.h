// Defines the sink of kernels whose results are rows, if an expression is computed of the operator's output and of
// operands that lie over the results.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// The operands of an expression, and how they lie over rows and along them.
template <int count, class Operands>
struct RowOperands {
  Dims<count> rows;
  i64 step[count];
  Operands operands;

  template <int dims, class Index>
  RONDO_INLINE void place(Index (&at)[count], Index row) const {
#pragma unroll
    for (int k = 0; k < count; ++k) at[k] = offset<dims>(rows, k, row);
  }
  template <class Index>
  RONDO_INLINE void along(Index (&to)[count], const Index (&at)[count], Index i) const {
#pragma unroll
    for (int k = 0; k < count; ++k) to[k] = at[k] + i * static_cast<Index>(step[k]);
  }
};

// A sink in front of another one, which takes what the expression in `after` makes of what the operator gives. In front
// stands that expression, as element_text() has it.
template <class Memory, class Arguments, class Index, int count, int dims>
struct FinishedRows {
  struct Place {
    typename Memory::Place to;
    Index at[count];
  };
  const Arguments& args;

  RONDO_INLINE Place place(Index row) const {
    Place place;
    place.to = Memory{args}.place(row);
    args.after.template place<dims>(place.at, row);
    return place;
  }
  template <int n>
  using Fetched = after::Loaded<n>;
  template <int n>
  RONDO_INLINE Fetched<n> fetch(const Place& place, Index i) const {
    Index at[count];
    args.after.along(at, place.at, i);
    return after::load<n>(args.after.operands, at);
  }
  template <int n, class C>
  RONDO_INLINE void write(const Place& place, Index i, const C* values) const {
    write<n>(place, i, values, fetch<n>(place, i));
  }
  template <int n, class C>
  RONDO_INLINE void write(const Place& place, Index i, const C* values, Fetched<n> loaded) const {
    after::Element results[n];
#pragma unroll
    for (int v = 0; v < n; ++v) {
      after::give(loaded, v, values[v]);
      results[v] = after::element(args.after.operands, loaded, v);
    }
    Memory{args}.template write<n>(place.to, i, results);
  }
};
#endif

}  // namespace rondo::device
