// Defines the source of row operators' kernels in which an expression makes each element from its operands at the
// element's place; the sink is in row_finish.h.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/rows/row_finish.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// A source as StoredRows. In front stands the expression, as element_text() has it in `before`.
template <class Arguments, class Index, int count, int dims>
struct MadeRows {
  template <int n>
  using Fetched = before::Loaded<n>;
  struct Place {
    Index at[count];
  };
  const Arguments& args;

  RONDO_INLINE Place place(Index row) const {
    Place place;
    args.before.template place<dims>(place.at, row);
    return place;
  }
  template <int n>
  RONDO_INLINE before::Loaded<n> fetch(const Place& place, Index i) const {
    Index at[count];
    args.before.along(at, place.at, i);
    return before::load<n>(args.before.operands, at);
  }
  template <int n>
  RONDO_INLINE before::Element get(const before::Loaded<n>& fetched, int v) const {
    return before::element(args.before.operands, fetched, v);
  }
};
#endif

}  // namespace rondo::device
