// What a pass of a reduction (reduce.h) reduces, if it is nowhere in memory: an expression makes each element of what
// its operands have at the element's place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/reduce.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// A Source as `Stored`. Arguments: `operands` of the expression, and how they lie over results and what is reduced,
// `kept` and `reduced`. In front stand what n neighbours of the operands are (Loaded), load() and element().
template <class E, class Arguments, class Index, int kept, int reduced, int count>
struct Made {
  using Element = E;
  template <int n>
  using Fetched = Loaded<n>;
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
  RONDO_INLINE Loaded<n> fetch(const Place& place, Index i) const {
    Index at[count];
#pragma unroll
    for (int k = 0; k < count; ++k) at[k] = place.at[k] + offset<reduced>(args.reduced, k, i);
    return load<n>(args.operands, at);
  }
  template <class F>
  RONDO_INLINE E get(const F& fetched, int v) const {
    return element(args.operands, fetched, v);
  }
};
#endif

}  // namespace rondo::device
