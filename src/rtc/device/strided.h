// Accesses elements in strided memory, for every device: it has dimensions as a kernel's argument, finds the place of
// an element, and writes a result. It precedes the kernels of all families but the elementwise one, whose layout is its
// own.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/functions.h"

namespace rondo::device {

// Dimensions walked together by so many arrays, outermost first; strides in elements. How many are in use, the kernel
// knows.
template <int arrays>
struct Dims {
  i64 size[8];
  i64 stride[arrays][8];
};

// Offset of the i-th combination of the first `count` dimensions, computed in the index type.
template <int count, int arrays, class Index>
RONDO_INLINE Index offset(const Dims<arrays>& dims, int array, Index i) {
  Index at = 0;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
  for (int d = count - 1; d > 0; --d) {
    const Index size = static_cast<Index>(dims.size[d]);
    const Index rest = i / size;
    at += (i - rest * size) * static_cast<Index>(dims.stride[array][d]);
    i = rest;
  }
  if (count > 0) at += i * static_cast<Index>(dims.stride[array][0]);
  return at;
}

// Writes a result, or adds it with one rounding.
template <class M>
RONDO_INLINE void put(M* to, Register<M> value, bool accumulate) {
  if (accumulate) value = op_add<Register<M>>(from_memory(*to), value);
  *to = to_memory<M>(value);
}

}  // namespace rondo::device
