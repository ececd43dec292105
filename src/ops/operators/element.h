// Dispatches elements on the host: a switch from dtype to the memory types of rtc/device/prelude.h. Also strided
// dimensions walked together, collapsed as far as they go, which every family with kernels of its own plans with.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>

#include "base/dtype.h"
#include "base/shape.h"
#include "base/sort_few.h"
#include "rtc/device/f8.h"
#include "rtc/device/strided.h"

namespace rondo::ops {

using device::put;
using device::Register;

// Calls f with a null pointer of the dtype's memory type: with_element(dtype, [&]<class T>(T*) { ... }). Not of an
// 8-bit float: few who switch have a use for those (with_f8_element), and each of the others would be larger by two.
template <class F>
auto with_element(rondo_dtype dtype, F&& f) {
  switch (dtype) {
    case RONDO_BOOL: return f(static_cast<device::b8*>(nullptr));
    case RONDO_U8: return f(static_cast<device::u8*>(nullptr));
    case RONDO_I8: return f(static_cast<device::i8*>(nullptr));
    case RONDO_I32: return f(static_cast<device::i32*>(nullptr));
    case RONDO_I64: return f(static_cast<device::i64*>(nullptr));
    case RONDO_F16: return f(static_cast<device::f16*>(nullptr));
    case RONDO_BF16: return f(static_cast<device::bf16*>(nullptr));
    case RONDO_F32: return f(static_cast<device::f32*>(nullptr));
    case RONDO_I16: return f(static_cast<device::i16*>(nullptr));
    case RONDO_U16: return f(static_cast<device::u16*>(nullptr));
    case RONDO_U32: return f(static_cast<device::u32*>(nullptr));
    case RONDO_U64: return f(static_cast<device::u64*>(nullptr));
    default: return f(static_cast<device::f64*>(nullptr));
  }
}
template <class F>
auto with_f8_element(rondo_dtype dtype, F&& f) {
  return dtype == RONDO_F8_E4M3 ? f(static_cast<device::f8e4m3*>(nullptr)) : f(static_cast<device::f8e5m2*>(nullptr));
}
template <class F>
auto with_half_element(rondo_dtype dtype, F&& f) {
  return dtype == RONDO_F16 ? f(static_cast<device::f16*>(nullptr)) : f(static_cast<device::bf16*>(nullptr));
}
template <class F>
auto with_float_element(rondo_dtype dtype, F&& f) {
  switch (dtype) {
    case RONDO_F16: return f(static_cast<device::f16*>(nullptr));
    case RONDO_BF16: return f(static_cast<device::bf16*>(nullptr));
    case RONDO_F32: return f(static_cast<device::f32*>(nullptr));
    default: return f(static_cast<device::f64*>(nullptr));
  }
}

// Dimensions walked together by up to N arrays, outermost first; strides in elements.
template <int N>
struct Dims {
  int count = 0;
  int64_t size[kMaxDims] = {};
  int64_t stride[N][kMaxDims] = {};

  int64_t elements() const {
    int64_t product = 1;
    for (int d = 0; d < count; ++d) product *= size[d];
    return product;
  }
  // Appends a dimension inside the others. Size 1 adds nothing; one that continues its predecessor in every array joins
  // it.
  void push(int64_t extent, const int64_t (&steps)[N]) {
    if (extent == 1) return;
    bool joins = count > 0;
    for (int a = 0; a < N && joins; ++a) joins = stride[a][count - 1] == steps[a] * extent;
    if (joins) {
      size[count - 1] *= extent;
    } else {
      size[count] = extent;
      ++count;
    }
    for (int a = 0; a < N; ++a) stride[a][count - 1] = steps[a];
  }
  // The same dimensions by the strides of array 0, widest first: what is contiguous there ends up innermost.
  Dims by_stride() const {
    int order[kMaxDims];
    for (int d = 0; d < count; ++d) order[d] = d;
    sort_few(order, count, [this](int a, int b) { return std::abs(stride[0][a]) > std::abs(stride[0][b]); });
    Dims sorted;
    for (int d = 0; d < count; ++d) {
      int64_t steps[N];
      for (int a = 0; a < N; ++a) steps[a] = stride[a][order[d]];
      sorted.push(size[order[d]], steps);
    }
    return sorted;
  }
  // Some of the arrays, from `first` on.
  template <int M>
  Dims<M> arrays(int first) const {
    Dims<M> some;
    some.count = count;
    std::copy_n(size, kMaxDims, some.size);
    for (int a = 0; a < M; ++a) std::copy_n(stride[first + a], kMaxDims, some.stride[a]);
    return some;
  }
  // Offset of the i-th combination in array `a`.
  int64_t offset(int a, int64_t i) const {
    int64_t at = 0;
    for (int d = count - 1; d >= 0; --d) {
      at += i % size[d] * stride[a][d];
      i /= size[d];
    }
    return at;
  }
  // Largest magnitude of an offset that array `a` reaches; for choosing 32-bit indices.
  int64_t reach(int a) const {
    int64_t sum = 0;
    for (int d = 0; d < count; ++d) sum += (size[d] - 1) * (stride[a][d] < 0 ? -stride[a][d] : stride[a][d]);
    return sum;
  }
};

}  // namespace rondo::ops
