// Defines the source of a reduction (reduce.h) whose elements are nowhere in memory: an expression makes each of them
// from its operands at the element's place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/reduce.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// A Source as `Stored`. Arguments: `operands` of the expression, and how they lie over results and what is reduced,
// `kept` and `reduced`. In front stands the expression, as element_text() has it in `before`.
template <class Arguments, class Index, int kept, int reduced, int count>
struct Made {
  using Element = before::Element;
  template <int n>
  using Fetched = before::Loaded<n>;
  struct Place {
    Index at[count];
  };
  const Arguments& args;

  RONDO_INLINE Place place(Index output) const {
    Place place;
#pragma unroll
    for (int k = 0; k < count; ++k) place.at[k] = offset<kept>(args.kept, k, output);
    return place;
  }
  template <int n>
  RONDO_INLINE before::Loaded<n> fetch(const Place& place, Index i) const {
    Index at[count];
#pragma unroll
    for (int k = 0; k < count; ++k) at[k] = place.at[k] + offset<reduced>(args.reduced, k, i);
    return before::load<n>(args.operands, at);
  }
  template <class F>
  RONDO_INLINE Element get(const F& fetched, int v) const {
    return before::element(args.operands, fetched, v);
  }
};
#endif

}  // namespace rondo::device
