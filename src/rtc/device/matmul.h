// Matrix products of any strides: the kernel that does all of one, and the one that ends what a library computed.
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
  i32 activation, accumulate;
};

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
template <class Out, class Index, int rows>
struct EndedProduct {
  using Memory = ProductToMemory<Out, Index, rows>;
  using Place = typename Memory::Place;
  const MatmulArguments& args;

  RONDO_INLINE Place place(Index row) const { return Memory{args}.place(row); }
  template <int n>
  RONDO_INLINE void write(const Place& place, Index column, const Register<Out>* values) const {
    const Out* const bias = static_cast<const Out*>(args.bias);
    Register<Out> ended[n];
#pragma unroll
    for (int v = 0; v < n; ++v) {
      ended[v] = bias ? values[v] + from_memory(bias[(column + v) * static_cast<Index>(args.bias_step)]) : values[v];
      ended[v] = activated(args.activation, ended[v]);
    }
    Memory{args}.template write<n>(place, column, ended);
  }
};

RONDO_INLINE f32 multiply_add(f32 a, f32 b, f32 c) {
  return __fmaf_rn(a, b, c);
}
RONDO_INLINE f64 multiply_add(f64 a, f64 b, f64 c) {
  return __fma_rn(a, b, c);
}

// Each of 256 threads has a 4 x 4 part of a 64 x 64 tile of the result; k in steps of 16 through shared memory.
// a_along_k, b_along_k: whether neighbouring lanes read along k, or along m and n.
template <class In, class Index, class Sink, int batch, bool a_along_k, bool b_along_k>
struct TiledProduct {
  using C = Register<In>;
  static constexpr int kTile = 64, kDepth = 16, kRow = kTile + 1;
  static constexpr int kShared = kDepth * kRow;
  const MatmulArguments& args;
  const Sink sink;
  C* tile_a;
  C* tile_b;

  template <class Arguments>
  RONDO_INLINE TiledProduct(const Arguments& args, C* tile_a, C* tile_b)
      : args(args), sink{args}, tile_a(tile_a), tile_b(tile_b) {}

  // Lines (m or n) and depths of an operand from `line` and `depth` on, as many as a tile has; 0 beyond the last.
  template <bool along_k>
  RONDO_INLINE static void load(C* tile, const In* from, Index line, Index lines, Index depth, Index depths,
                                Index line_step, Index depth_step) {
    const int t = threadIdx.x;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int x = along_k ? t / 16 + 16 * q : t % 64, y = along_k ? t % 16 : t / 64 + 4 * q;
      const Index i = line + x, l = depth + y;
      tile[y * kRow + x] = i < lines && l < depths ? from_memory(from[i * line_step + l * depth_step]) : C(0);
    }
  }

  RONDO_INLINE void run() const {
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const Index block = static_cast<Index>(blockIdx.x), blocks_n = static_cast<Index>(args.blocks_n);
    const Index m = static_cast<Index>(args.m), n = static_cast<Index>(args.n), k = static_cast<Index>(args.k);
    const Index i0 = block / blocks_n * kTile, j0 = block % blocks_n * kTile;
    for (Index g = static_cast<Index>(blockIdx.y); g < args.batches; g += static_cast<Index>(gridDim.y)) {
      const In* const a = static_cast<const In*>(args.a) + offset<batch>(args.batch, 0, g);
      const In* const b = static_cast<const In*>(args.b) + offset<batch>(args.batch, 1, g);
      C sum[4][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] = C(0);
      for (Index l0 = 0; l0 < k; l0 += kDepth) {
        load<a_along_k>(tile_a, a, i0, m, l0, k, static_cast<Index>(args.a_step[0]),
                        static_cast<Index>(args.a_step[1]));
        load<b_along_k>(tile_b, b, j0, n, l0, k, static_cast<Index>(args.b_step[1]),
                        static_cast<Index>(args.b_step[0]));
        __syncthreads();
#pragma unroll
        for (int l = 0; l < kDepth; ++l) {
          C left[4], right[4];
#pragma unroll
          for (int i = 0; i < 4; ++i) left[i] = tile_a[l * kRow + y + 16 * i];
#pragma unroll
          for (int j = 0; j < 4; ++j) right[j] = tile_b[l * kRow + x + 16 * j];
#pragma unroll
          for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) sum[i][j] = multiply_add(left[i], right[j], sum[i][j]);
        }
        __syncthreads();
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const Index row = i0 + y + 16 * i;
        if (row >= m) continue;
        const typename Sink::Place place = sink.place(g * m + row);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const Index column = j0 + x + 16 * j;
          if (column < n) sink.template write<1>(place, column, &sum[i][j]);
        }
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
