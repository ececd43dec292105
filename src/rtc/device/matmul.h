// Multiplies matrices of any strides: by a kernel that does all of a product, and by one that finishes what a library
// computed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/activations.h"
#include "rtc/device/strided.h"

namespace rondo::device {

struct MatmulArguments {
  const void* a;  // of the kernel that ends a product: that product, row-major in the compute dtype
  const void* b;
  const void* bias;
  void* out;
  Dims<2> batch;  // arrays: a, b
  Dims<1> rows;   // of the result, batch by batch: row i of batch g is number g * m + i
  i64 m, n, k, batches;
  i64 a_step[2], b_step[2];
  i64 out_step, bias_step;  // between columns
  i64 blocks_n;
  i64 accumulate;
  i64 early;  // operands that may be read before the kernel waits: kEarlyA, kEarlyB
};
inline constexpr i64 kEarlyA = 1, kEarlyB = 2;

#if defined(__CUDACC_RTC__)
// A sink of results by row and column: memory. n neighbours at once are so in memory too.
template <class Out, class Index, int rows>
struct ProductToMemory {
  struct Place {
    Out* to;
  };
  const MatmulArguments& args;

  RONDO_INLINE Place place(Index row) const {
    return Place{static_cast<Out*>(args.out) + offset<rows>(args.rows, 0, row)};
  }
  template <int n>
  RONDO_INLINE void write(const Place& place, Index column, const Register<Out>* values) const {
    Out* const to = place.to + column * static_cast<Index>(args.out_step);
    if (args.accumulate) {
#pragma unroll
      for (int v = 0; v < n; ++v) put(to + v, values[v], true);
    } else {
      Pack<Out, n> pack;
#pragma unroll
      for (int v = 0; v < n; ++v) pack.v[v] = to_memory<Out>(values[v]);
      store_pack<Out, n>(to, pack);
    }
  }
};

// Memory, with the operator's own epilogue in front of it.
template <class Out, class Index, int rows, int activation>
struct EndedProduct {
  using Memory = ProductToMemory<Out, Index, rows>;
  using Place = typename Memory::Place;
  const MatmulArguments& args;

  // Holds what the results of some columns take from memory. It can be on its way for several at once.
  template <int n>
  struct Fetched {
    Register<Out> bias[n];
  };

  RONDO_INLINE Place place(Index row) const { return Memory{args}.place(row); }
  template <int n>
  RONDO_INLINE Fetched<n> fetch(const Place&, Index column) const {
    const Out* const bias = static_cast<const Out*>(args.bias);
    Fetched<n> fetched;
#pragma unroll
    for (int v = 0; v < n; ++v)
      fetched.bias[v] = bias ? from_memory(bias[(column + v) * static_cast<Index>(args.bias_step)]) : Register<Out>(0);
    return fetched;
  }
  template <int n>
  RONDO_INLINE void write(const Place& place, Index column, const Register<Out>* values,
                          const Fetched<n>& fetched) const {
    Register<Out> ended[n];
#pragma unroll
    for (int v = 0; v < n; ++v) ended[v] = activated(activation, args.bias ? values[v] + fetched.bias[v] : values[v]);
    Memory{args}.template write<n>(place, column, ended);
  }
  template <int n>
  RONDO_INLINE void write(const Place& place, Index column, const Register<Out>* values) const {
    write<n>(place, column, values, fetch<n>(place, column));
  }
};

RONDO_INLINE f32 multiply_add(f32 a, f32 b, f32 c) {
  return __fmaf_rn(a, b, c);
}
RONDO_INLINE f64 multiply_add(f64 a, f64 b, f64 c) {
  return __fma_rn(a, b, c);
}

// Each of 256 threads has part x part results of a square tile; k comes in steps through shared memory, the next of
// which is on its way while one is worked on. a_along_k, b_along_k: whether neighbouring lanes read along k, or along m
// and n. vector: neighbours that it writes at once.
template <class In, class Index, class Sink, int batch, bool a_along_k, bool b_along_k, int part, int vector>
struct TiledProduct {
  using C = Register<In>;
  // Four lines of a thread are consecutive, the next four follow kFours after them.
  static constexpr int kTile = 16 * part, kFours = 64, kDepth = 16, kRow = kTile + 4;
  static constexpr int kSide = kDepth * kRow, kShared = 4 * kSide;  // of two operands, for two steps
  const MatmulArguments& args;
  const Sink sink;
  C* const tiles;

  template <class Arguments>
  RONDO_INLINE TiledProduct(const Arguments& args, C* tiles) : args(args), sink{args}, tiles(tiles) {}

  // The part of a tile that a thread loads: some lines (m or n) and depths of an operand, 0 beyond the last.
  template <bool along_k>
  struct Side {
    const In* from;
    Index line, lines, depths, line_step, depth_step;
    C values[part];

    RONDO_INLINE static int x(int q) {
      return along_k ? static_cast<int>(threadIdx.x) / 16 + 16 * q : (static_cast<int>(threadIdx.x) + 256 * q) % kTile;
    }
    RONDO_INLINE static int y(int q) {
      return along_k ? static_cast<int>(threadIdx.x) % 16 : (static_cast<int>(threadIdx.x) + 256 * q) / kTile;
    }
    RONDO_INLINE void load(Index depth) {
#pragma unroll
      for (int q = 0; q < part; ++q) {
        const Index i = line + x(q), l = depth + y(q);
        values[q] = i < lines && l < depths ? from_memory(from[i * line_step + l * depth_step]) : C(0);
      }
    }
    RONDO_INLINE void store(C* tile) const {
#pragma unroll
      for (int q = 0; q < part; ++q) tile[y(q) * kRow + x(q)] = values[q];
    }
  };

  RONDO_INLINE static void read(C (&to)[part], const C* line) {
#pragma unroll
    for (int i = 0; i < part; i += 4) {
      const Pack<C, 4> four = load_pack<C, 4>(line + i / 4 * kFours);
#pragma unroll
      for (int v = 0; v < 4; ++v) to[i + v] = four.v[v];
    }
  }

  RONDO_INLINE void run() const {
    const Index block = static_cast<Index>(blockIdx.x), blocks_n = static_cast<Index>(args.blocks_n);
    const Index i0 = block / blocks_n * kTile, j0 = block % blocks_n * kTile;
    for (Index g = static_cast<Index>(blockIdx.y); g < args.batches; g += static_cast<Index>(gridDim.y)) run(g, i0, j0);
  }
  RONDO_INLINE void run(Index of, Index i0, Index j0) const {
    const int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
    const Index m = static_cast<Index>(args.m), n = static_cast<Index>(args.n), k = static_cast<Index>(args.k);
    Side<a_along_k> a{static_cast<const In*>(args.a) + offset<batch>(args.batch, 0, of),
                      i0,
                      m,
                      k,
                      static_cast<Index>(args.a_step[0]),
                      static_cast<Index>(args.a_step[1])};
    Side<b_along_k> b{static_cast<const In*>(args.b) + offset<batch>(args.batch, 1, of),
                      j0,
                      n,
                      k,
                      static_cast<Index>(args.b_step[1]),
                      static_cast<Index>(args.b_step[0])};
    C sum[part][part];
#pragma unroll
    for (int i = 0; i < part; ++i)
#pragma unroll
      for (int j = 0; j < part; ++j) sum[i][j] = C(0);
    C* now = tiles;
    a.load(0);
    b.load(0);
    a.store(now);
    b.store(now + kSide);
    __syncthreads();
    for (Index l0 = 0; l0 < k; l0 += kDepth) {
      C* const next = now == tiles ? tiles + 2 * kSide : tiles;
      const bool more = l0 + kDepth < k;
      if (more) {
        a.load(l0 + kDepth);
        b.load(l0 + kDepth);
      }
#pragma unroll
      for (int l = 0; l < kDepth; ++l) {
        C left[part], right[part];
        read(left, now + l * kRow + y);
        read(right, now + kSide + l * kRow + x);
#pragma unroll
        for (int i = 0; i < part; ++i)
#pragma unroll
          for (int j = 0; j < part; ++j) sum[i][j] = multiply_add(left[i], right[j], sum[i][j]);
      }
      if (more) {
        a.store(next);
        b.store(next + kSide);
      }
      __syncthreads();
      now = next;
    }
#pragma unroll
    for (int i = 0; i < part; ++i) {
      const Index row = i0 + i / 4 * kFours + y + i % 4;
      if (row >= m) continue;
      const typename Sink::Place place = sink.place(of * m + row);
#pragma unroll
      for (int j = 0; j < part; j += vector) {
        const Index column = j0 + j / 4 * kFours + x + j % 4;
        if (column < n) sink.template write<vector>(place, column, &sum[i][j]);
      }
    }
  }
};

// `vector` neighbours of a product that the library left in workspace.
template <class In, class Index, class Sink, int vector, class Arguments>
RONDO_INLINE void end_product(const Arguments& args) {
  using C = Register<In>;
  const Index at = (static_cast<Index>(blockIdx.x) * 256 + static_cast<Index>(threadIdx.x)) * vector;
  const Index n = static_cast<Index>(args.n), row = at / n;
  if (row >= static_cast<Index>(args.batches * args.m)) return;
  const Sink sink{args};
  const Pack<C, vector> pack = load_pack<C, vector>(static_cast<const C*>(args.a) + at);
  sink.template write<vector>(sink.place(row), at - row * n, pack.v);
}
#endif

}  // namespace rondo::device
