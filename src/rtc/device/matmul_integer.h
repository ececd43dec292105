// Multiplies matrices of whole numbers of 8 bits, of any strides, less their zero points: sums are exact, modulo 2^32.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

struct MatmulIntegerArguments {
  const void* a;
  const void* b;
  const void* a_zero;  // null: none
  const void* b_zero;
  void* out;
  Dims<5> batch;  // arrays: a, b, a_zero, b_zero, out
  i64 m, n, k, batches;
  i64 a_step[2], b_step[2], out_step[2];
  i64 a_zero_step, b_zero_step;  // m; n
  i64 blocks_n;
  i32 accumulate, unused;
};

#if defined(__CUDACC_RTC__)
// Each of 256 threads has 4 x 4 results of a square tile; k comes in steps through shared memory, as numbers less their
// zero points. a_along_k, b_along_k: whether neighbouring lanes read along k, or along m and n.
template <class A, class B, class Index, int batch, bool a_along_k, bool b_along_k>
struct IntegerProduct {
  static constexpr int kTile = 64, kDepth = 16, kRow = kTile + 4, kShared = 2 * kDepth * kRow;
  const MatmulIntegerArguments& args;
  i32* const tiles;

  // Some lines (m or n) and depths of an operand, 0 beyond the last.
  template <class M, bool along_k>
  RONDO_INLINE static void stage(const M* from, const M* zero, Index line, Index lines, Index depth, Index depths,
                                 Index line_step, Index depth_step, Index zero_step, i32* tile) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int number = static_cast<int>(threadIdx.x) + 256 * q;
      const int x = along_k ? number / kDepth : number % kTile, y = along_k ? number % kDepth : number / kTile;
      const Index i = line + x, l = depth + y;
      i32 value = 0;
      if (i < lines && l < depths) {
        value = from[i * line_step + l * depth_step];
        if (zero) value -= zero[i * zero_step];
      }
      tile[y * kRow + x] = value;
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
    const A* const a = static_cast<const A*>(args.a) + offset<batch>(args.batch, 0, of);
    const B* const b = static_cast<const B*>(args.b) + offset<batch>(args.batch, 1, of);
    const A* const a_zero =
        args.a_zero ? static_cast<const A*>(args.a_zero) + offset<batch>(args.batch, 2, of) : nullptr;
    const B* const b_zero =
        args.b_zero ? static_cast<const B*>(args.b_zero) + offset<batch>(args.batch, 3, of) : nullptr;
    i32 *const left = tiles, *const right = tiles + kDepth * kRow;
    u32 sum[4][4] = {};  // modulo 2^32
    for (Index l0 = 0; l0 < k; l0 += kDepth) {
      __syncthreads();
      stage<A, a_along_k>(a, a_zero, i0, m, l0, k, static_cast<Index>(args.a_step[0]),
                          static_cast<Index>(args.a_step[1]), static_cast<Index>(args.a_zero_step), left);
      stage<B, b_along_k>(b, b_zero, j0, n, l0, k, static_cast<Index>(args.b_step[1]),
                          static_cast<Index>(args.b_step[0]), static_cast<Index>(args.b_zero_step), right);
      __syncthreads();
#pragma unroll
      for (int l = 0; l < kDepth; ++l) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) sum[i][j] += static_cast<u32>(left[l * kRow + y + i] * right[l * kRow + x + j]);
      }
    }
    __syncthreads();
    i32* const out = static_cast<i32*>(args.out) + offset<batch>(args.batch, 4, of);
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const Index row = i0 + y + i, column = j0 + x + j;
        if (row < m && column < n)
          put(out + row * static_cast<Index>(args.out_step[0]) + column * static_cast<Index>(args.out_step[1]),
              static_cast<i32>(sum[i][j]), args.accumulate != 0);
      }
  }
};
#endif

}  // namespace rondo::device
