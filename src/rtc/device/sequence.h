// Computes numbers at equal distances: element i is start + i * step, computed in i64 for integers and in f64 for
// floats, and rounded once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

struct SequenceArguments {
  void* out;
  i64 count, stride;
  i64 whole_start, whole_step;
  f64 start, step, last;
  i32 whole;  // the integers count
  i32 ends;   // the last element is `last`, whatever rounding makes of it
  i32 adds, unused;
};

template <class M>
RONDO_INLINE void sequence_element(const SequenceArguments& args, i64 i) {
  Register<M> value;
  if (args.whole) {
    value = convert_to<M>(
        static_cast<i64>(static_cast<u64>(args.whole_start) + static_cast<u64>(i) * static_cast<u64>(args.whole_step)));
  } else {
    f64 x = args.start + static_cast<f64>(i) * args.step;
    if (args.ends && i == args.count - 1) x = args.last;
    if constexpr (!is_floating<Register<M>>) x = floor(x);
    value = convert_to<M>(x);
  }
  put(static_cast<M*>(args.out) + i * args.stride, value, args.adds != 0);
}

}  // namespace rondo::device
