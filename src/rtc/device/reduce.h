// Defines the kernels of reductions and their argument. `rows` gives each result a group of lanes that walk its
// elements side by side; `columns` gives neighbouring results to neighbouring lanes and splits the reduced range over
// the rest of the block. Elements come from a Source: memory here, an expression in reduce_expression.h.
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

// The source of a pass that reduces elements in memory. Place: where what belongs to a result begins; fetch: n
// neighbours at a place of the reduced range; get: one of them. dense: what is reduced is one dimension, its elements
// side by side.
template <class E, class Arguments, class Index, int kept, int reduced, bool dense>
struct Stored {
  using Element = E;
  struct One {
    E v[1];
  };
  template <int n>
  using Fetched = typename Choose<n == 1, One, Pack<E, n>>::type;
  const Arguments& args;

  RONDO_INLINE const E* place(Index output) const {
    return static_cast<const E*>(args.reduce.in) + offset<kept>(args.reduce.kept, 0, output);
  }
  template <int n>
  RONDO_INLINE Fetched<n> fetch(const E* place, Index i) const {
    if constexpr (!dense) i = offset<reduced>(args.reduce.reduced, 0, i);
    return *reinterpret_cast<const Fetched<n>*>(place + i);
  }
  template <class F>
  RONDO_INLINE E get(const F& fetched, int v) const {
    return fetched.v[v];
  }
};

// Stores results, if nothing else is computed of them.
template <class Out, class Arguments>
struct ResultToMemory {
  const Arguments& args;
  template <class Index>
  RONDO_INLINE void write(Index at, Register<Out> result) const {
    put(static_cast<Out*>(args.reduce.out) + at, result, args.reduce.accumulate);
  }
};

// One pass of 256 threads per block. joins: the source has partial results; final: what goes out is results. vector:
// neighbours fetched at once; ahead: how often that before the first is used; group: lanes of a result (rows), results
// side by side (columns).
template <class Op, class Index, class Source, class Sink, bool joins, bool final, bool columns, int vector, int ahead,
          int group, int kept>
struct ReducePass {
  using Acc = typename Op::Acc;
  using In = typename Source::Element;
  template <int n>
  using Fetched = typename Source::template Fetched<n>;
  const ReduceArguments& args;
  const Source source;
  const Sink sink;
  unsigned char* memory;  // shared

  static constexpr int kMemory = (columns ? 128 * vector : group > 32 ? 8 : 1) * static_cast<int>(sizeof(Acc));
  static constexpr bool kRuns = !joins && Op::kRuns;
  // Lanes along rows: accumulators of each, and what it fetches whether or not the range goes on as far. If neighbours
  // are no run, that costs more registers than it is worth.
  static constexpr int kAccs = kRuns ? 1 : vector;
  static constexpr int kBatch = kRuns ? ahead : 1;
  static constexpr int kUnroll = kRuns ? 1 : ahead;

  RONDO_INLINE void run() const {
    if constexpr (columns)
      along_columns();
    else
      along_rows();
  }

 private:
  RONDO_INLINE void absorb(Acc& acc, In value, Index index) const {
    if constexpr (joins)
      Op::join(acc, value);
    else
      Op::take(acc, value, index, args.facts);
  }
  template <int count>
  RONDO_INLINE void absorb_run(Acc& acc, const In (&values)[count], Index index, int step) const {
    if constexpr (joins) {
#pragma unroll
      for (int k = 0; k < count; ++k) Op::join(acc, values[k]);
    } else {
      Op::template take_run<count>(acc, values, index, step, args.facts);
    }
  }
  template <int count>
  RONDO_INLINE static bool goes_again(Acc (&acc)[count]) {
    if constexpr (joins)
      return false;
    else
      return Op::goes_again(acc);
  }
  // Joins a lane's accumulators. By constants: loops in loops may leave them in memory.
  template <int half>
  RONDO_INLINE static void fold(Acc* acc) {
#pragma unroll
    for (int v = 0; v < half; ++v) Op::join(acc[v], acc[v + half]);
    if constexpr (half > 1) fold<half / 2>(acc);
  }
  RONDO_INLINE void deliver(Index output, Acc acc) const {
    if constexpr (!final)
      static_cast<Acc*>(args.out)[static_cast<i64>(blockIdx.y) * args.outputs + output] = acc;
    else
      sink.write(offset<kept>(args.kept, 1, output), Op::result(acc, args.facts));
  }
  RONDO_INLINE Index begin() const {
    return static_cast<Index>(blockIdx.y) * static_cast<Index>(args.chunk);
  }
  RONDO_INLINE Index end() const {
    const i64 rest = args.length - begin();
    return begin() + static_cast<Index>(rest < args.chunk ? rest : args.chunk);
  }

  RONDO_INLINE void along_rows() const {
    constexpr int width = group < 32 ? group : 32, gap = group * vector;
    const int lane = threadIdx.x % group;
    const Index output = static_cast<Index>(blockIdx.x) * (256 / group) + static_cast<Index>(threadIdx.x / group);
    Acc acc[kAccs];
#pragma unroll
    for (int v = 0; v < kAccs; ++v) acc[v] = Op::identity();
    if (output < args.outputs) {
      const auto place = source.place(output);
      const Index whole = end() - (end() - begin()) % vector;
      do {
#pragma unroll kUnroll
        for (Index i = begin() + lane * vector; i < whole; i += kBatch * gap) {
          Fetched<vector> fetched[kBatch];
#pragma unroll
          for (int u = 0; u < kBatch; ++u)
            if (u == 0 || i + u * gap < whole) fetched[u] = source.template fetch<vector>(place, i + u * gap);
#pragma unroll
          for (int u = 0; u < kBatch; ++u) {
            if (u > 0 && i + u * gap >= whole) continue;
            In values[vector];
#pragma unroll
            for (int v = 0; v < vector; ++v) values[v] = source.get(fetched[u], v);
            if constexpr (kRuns)
              absorb_run(acc[0], values, i + u * gap, 1);
            else
#pragma unroll
              for (int v = 0; v < vector; ++v) absorb(acc[v], values[v], i + v);
          }
        }
        for (Index i = whole + lane; i < end(); i += group)
          absorb(acc[0], source.get(source.template fetch<1>(place, i), 0), i);
      } while (goes_again(acc));
    }
    fold<kAccs / 2>(acc);
#pragma unroll
    for (int delta = width / 2; delta > 0; delta /= 2) Op::join(acc[0], shuffle_down(acc[0], delta, width));
    if constexpr (group > 32) {
      Acc* warps = reinterpret_cast<Acc*>(memory);
      if (lane % 32 == 0) warps[threadIdx.x / 32] = acc[0];
      __syncthreads();
      if (lane == 0)
        for (int w = 1; w < group / 32; ++w) Op::join(acc[0], warps[threadIdx.x / 32 + w]);
    }
    if (lane == 0 && output < args.outputs) deliver(output, acc[0]);
  }

  RONDO_INLINE void along_columns() const {
    constexpr int height = 256 / group;
    const int x = threadIdx.x % group, y = threadIdx.x / group;
    const Index output = (static_cast<Index>(blockIdx.x) * group + x) * vector;
    Acc acc[vector];
#pragma unroll
    for (int v = 0; v < vector; ++v) acc[v] = Op::identity();
    if (output < args.outputs) {
      const auto place = source.place(output);
      const Index last = end();
      do {
        Index i = begin() + y;
#pragma unroll 1
        for (; i + (ahead - 1) * height < last; i += ahead * height) {
          Fetched<vector> fetched[ahead];
#pragma unroll
          for (int u = 0; u < ahead; ++u) fetched[u] = source.template fetch<vector>(place, i + u * height);
#pragma unroll
          for (int v = 0; v < vector; ++v) {
            In values[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u) values[u] = source.get(fetched[u], v);
            absorb_run(acc[v], values, i, height);
          }
        }
#pragma unroll 1
        for (; i < last; i += height) {
          const Fetched<vector> fetched = source.template fetch<vector>(place, i);
#pragma unroll
          for (int v = 0; v < vector; ++v) absorb(acc[v], source.get(fetched, v), i);
        }
      } while (goes_again(acc));
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
