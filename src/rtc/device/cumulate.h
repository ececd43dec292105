// Defines the kernel of cumulative reductions and its argument. A row is walked in chunks by a group of lanes: each
// lane takes neighbours, the lanes' totals are combined from the left, and what came before is carried along. If rows
// are interleaved in memory, a group is one lane.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/reductions.h"
#include "rtc/device/strided.h"

namespace rondo::device {

struct CumulateArguments {
  const void* in;
  void* out;
  Dims<2> rows;  // arrays: in, out
  i64 count, length;
  i64 step[2];  // along a row; from the end, if the order is reversed
  ReduceFacts facts;
  i32 accumulate, unused;
};

#if defined(__CUDACC_RTC__)
// The lane's value moved up by `delta` lanes of a warp.
template <class A>
RONDO_INLINE A shuffle_up(A acc, int delta) {
  constexpr int words = (sizeof(A) + 3) / 4;
  union {
    u32 word[words];
    A acc;
  } both;
  both.word[words - 1] = 0;
  both.acc = acc;
#pragma unroll
  for (int i = 0; i < words; ++i) both.word[i] = __shfl_up_sync(0xffffffffu, both.word[i], delta, 32);
  return both.acc;
}

// group: lanes of a row, 1 or all 256 of a block. items: neighbours per lane.
template <class Op, class Index, int group, int items, int dims>
struct CumulateKernel {
  using Acc = typename Op::Acc;
  using In = typename Op::Element;
  using Out = typename Op::Result;
  static constexpr int kShared = 8 * static_cast<int>(sizeof(Acc));
  const CumulateArguments& args;
  unsigned char* memory;  // shared

  // `first`, then `second`.
  RONDO_INLINE static Acc both(Acc first, Acc second) {
    Op::join(first, second);
    return first;
  }

  // The sum of the lanes to the left, and of all together.
  RONDO_INLINE void scan(Acc mine, Acc* before, Acc* all) const {
    if constexpr (group == 1) {
      *before = Op::identity();
      *all = mine;
    } else {
      const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
      for (int delta = 1; delta < 32; delta *= 2) {
        const Acc left = shuffle_up(mine, delta);
        if (lane >= delta) mine = both(left, mine);
      }
      Acc* warps = reinterpret_cast<Acc*>(memory);
      if (lane == 31) warps[warp] = mine;
      Acc left = shuffle_up(mine, 1);
      if (lane == 0) left = Op::identity();
      __syncthreads();
      Acc sum = Op::identity();
      for (int w = 0; w < 8; ++w) {
        if (w == warp) *before = both(sum, left);
        sum = both(sum, warps[w]);
      }
      *all = sum;
      __syncthreads();
    }
  }

  RONDO_INLINE void run() const {
    const int lane = threadIdx.x % group;
    const Index wanted = static_cast<Index>(blockIdx.x) * (256 / group) + static_cast<Index>(threadIdx.x / group);
    const bool live = wanted < args.count;
    const Index row = live ? wanted : 0, length = static_cast<Index>(args.length);
    const In* in = static_cast<const In*>(args.in) + offset<dims>(args.rows, 0, row);
    Out* out = static_cast<Out*>(args.out) + offset<dims>(args.rows, 1, row);
    const Index in_step = static_cast<Index>(args.step[0]), out_step = static_cast<Index>(args.step[1]);
    Acc carried = Op::identity();
    for (Index chunk = 0; chunk < length; chunk += group * items) {
      const Index first = chunk + lane * items;
      Acc sofar[items], mine = Op::identity(), before, all;
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (first + k < length) Op::take(mine, in[(first + k) * in_step], first + k, args.facts);
        sofar[k] = mine;
      }
      scan(mine, &before, &all);
      before = both(carried, before);
#pragma unroll
      for (int k = 0; k < items; ++k)
        if (live && first + k < length)
          put(out + (first + k) * out_step, Op::result(both(before, sofar[k]), args.facts), args.accumulate);
      carried = both(carried, all);
    }
  }
};
#endif

}  // namespace rondo::device
