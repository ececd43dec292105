// The kernels of reductions and their argument. `rows` gives each result a group of lanes that walk its elements side
// by side; `columns` gives neighbouring results to neighbouring lanes and splits what is reduced over the rest of the
// block.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/reductions.h"
#include "rtc/device/strided.h"

namespace rondo::device {

struct ReduceArguments {
  const void* in;
  void* out;  // results, or partial ones [split][result]
  Dims<2> kept;
  Dims<1> reduced;
  i64 outputs, length, chunk;
  ReduceFacts facts;
  i32 accumulate, unused;
};

#if defined(__CUDACC_RTC__)
template <class A>
RONDO_INLINE A shuffle_down(A acc, int delta, int width) {
  constexpr int words = (sizeof(A) + 3) / 4;
  union {
    u32 word[words];
    A acc;
  } both;
  both.word[words - 1] = 0;
  both.acc = acc;
#pragma unroll
  for (int i = 0; i < words; ++i) both.word[i] = __shfl_down_sync(0xffffffffu, both.word[i], delta, width);
  return both.acc;
}

// One pass of 256 threads per block. joins: what comes in is partial results; final: what goes out is results. vector:
// neighbours loaded at once; group: lanes of a result (rows), results side by side (columns).
template <class Op, class Index, bool joins, bool final, int vector, int group, int kept, int reduced>
struct ReducePass {
  using Acc = typename Op::Acc;
  using Out = typename Op::Result;
  using In = typename Choose<joins, Acc, typename Op::Element>::type;
  const ReduceArguments& args;
  unsigned char* memory;  // shared

  static constexpr int kRowsMemory = (group > 32 ? group / 32 : 1) * static_cast<int>(sizeof(Acc));
  static constexpr int kColumnsMemory = 128 * vector * static_cast<int>(sizeof(Acc));

  RONDO_INLINE void absorb(Acc& acc, In value, Index index) const {
    if constexpr (joins)
      Op::join(acc, value);
    else
      Op::take(acc, value, index, args.facts);
  }
  // `vector` neighbours, one accumulator each; their indices are `step` apart.
  template <int step>
  RONDO_INLINE void absorb_run(Acc* acc, const In* from, Index index) const {
    if constexpr (vector == 1) {
      absorb(acc[0], *from, index);
    } else {
      const Pack<In, vector> pack = load_pack<In, vector>(from);
#pragma unroll
      for (int v = 0; v < vector; ++v) absorb(acc[v], pack.v[v], index + v * step);
    }
  }
  RONDO_INLINE void deliver(Index output, Acc acc) const {
    if constexpr (!final)
      static_cast<Acc*>(args.out)[static_cast<i64>(blockIdx.y) * args.outputs + output] = acc;
    else
      put(static_cast<Out*>(args.out) + offset<kept>(args.kept, 1, output), Op::result(acc, args.facts),
          args.accumulate);
  }
  RONDO_INLINE Index begin() const {
    return static_cast<Index>(blockIdx.y) * static_cast<Index>(args.chunk);
  }
  RONDO_INLINE Index end() const {
    const i64 rest = args.length - begin();
    return begin() + static_cast<Index>(rest < args.chunk ? rest : args.chunk);
  }

  RONDO_INLINE void rows() const {
    constexpr int width = group < 32 ? group : 32;
    const int lane = threadIdx.x % group;
    const Index output = static_cast<Index>(blockIdx.x) * (256 / group) + static_cast<Index>(threadIdx.x / group);
    Acc acc[vector];
#pragma unroll
    for (int v = 0; v < vector; ++v) acc[v] = Op::identity();
    if (output < args.outputs) {
      const In* from = static_cast<const In*>(args.in) + offset<kept>(args.kept, 0, output);
      const Index whole = end() - (end() - begin()) % vector;
#pragma unroll 4
      for (Index i = begin() + lane * vector; i < whole; i += group * vector)
        absorb_run<1>(acc, from + offset<reduced>(args.reduced, 0, i), i);
      for (Index i = whole + lane; i < end(); i += group) absorb(acc[0], from[offset<reduced>(args.reduced, 0, i)], i);
    }
#pragma unroll
    for (int half = vector / 2; half > 0; half /= 2)
#pragma unroll
      for (int v = 0; v < half; ++v) Op::join(acc[v], acc[v + half]);
#pragma unroll
    for (int delta = width / 2; delta > 0; delta /= 2) Op::join(acc[0], shuffle_down(acc[0], delta, width));
    if constexpr (group > 32) {
      Acc* warps = reinterpret_cast<Acc*>(memory);
      if (lane % 32 == 0) warps[lane / 32] = acc[0];
      __syncthreads();
      if (lane == 0)
        for (int w = 1; w < group / 32; ++w) Op::join(acc[0], warps[w]);
    }
    if (lane == 0 && output < args.outputs) deliver(output, acc[0]);
  }

  RONDO_INLINE void columns() const {
    constexpr int height = 256 / group;
    const int x = threadIdx.x % group, y = threadIdx.x / group;
    const Index output = (static_cast<Index>(blockIdx.x) * group + x) * vector;
    Acc acc[vector];
#pragma unroll
    for (int v = 0; v < vector; ++v) acc[v] = Op::identity();
    if (output < args.outputs) {
      const In* from = static_cast<const In*>(args.in) + offset<kept>(args.kept, 0, output);
#pragma unroll 4
      for (Index i = begin() + y; i < end(); i += height)
        absorb_run<0>(acc, from + offset<reduced>(args.reduced, 0, i), i);
    }
    Acc* shared = reinterpret_cast<Acc*>(memory);
#pragma unroll
    for (int half = height / 2; half > 0; half /= 2) {
      if (y >= half && y < 2 * half)
        for (int v = 0; v < vector; ++v) shared[((y - half) * vector + v) * group + x] = acc[v];
      __syncthreads();
      if (y < half)
        for (int v = 0; v < vector; ++v) Op::join(acc[v], shared[(y * vector + v) * group + x]);
      __syncthreads();
    }
    if (y == 0 && output < args.outputs)
      for (int v = 0; v < vector; ++v) deliver(output + v, acc[v]);
  }
};
#endif

}  // namespace rondo::device
