// Defines the sink of a reduction (reduce.h) that stores what an expression makes of its results.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/reduce.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// A Sink as `ResultToMemory`. Arguments: `finish`, operands of the expression in `after`, which is given the result.
template <class Out, class Arguments>
struct FinishedResult {
  const Arguments& args;
  template <class Index, class Result>
  RONDO_INLINE void write(Index at, Result result) const {
    after::Loaded<1> loaded = after::load<1>(args.finish, &at);
    after::give(loaded, 0, result);
    put(static_cast<Out*>(args.reduce.out) + at, from_memory(after::element(args.finish, loaded, 0)),
        args.reduce.accumulate);
  }
};
#endif

}  // namespace rondo::device
