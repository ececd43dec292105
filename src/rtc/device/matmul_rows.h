// Multiplies up to 16 rows by a matrix of 16 bits whose columns are contiguous along k, such as the weights of a
// linear layer: at the speed at which they come from memory. A block makes 16 columns; its warps share k among them,
// and their sums are added in the order of the warps.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/matmul.h"
#include "rtc/device/tensor_core.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// eights: of the rows. The matrix is the left operand of the tensor cores, with 16 of its columns; a lane's 16 bytes
// of a column and of a row are the same eight steps of k, so it does not matter to which steps of a product they go.
template <class In, class Index, class Sink, int batch, int eights>
struct RowsProduct {
  static constexpr int kWarps = 8, kColumns = 16, kRows = 8 * eights, kDepth = 32, kAhead = 4;
  static constexpr int kShared = kWarps * kRows * kColumns;
  using Words = Pack<u32, 4>;
  const MatmulArguments& args;
  const Sink sink;
  f32* const shared;

  template <class Arguments>
  RONDO_INLINE RowsProduct(const Arguments& args, f32* shared) : args(args), sink{args}, shared(shared) {}

  // Adds the products of `ahead` steps from `depth` on, all loaded before the first. One alone may reach beyond k.
  template <int ahead>
  RONDO_INLINE void add(f32 (&sum)[eights][4], const In* const (&columns)[2], const In* const (&rows)[eights],
                        Index depth) const {
    Words left[ahead][2], right[ahead][eights];
#pragma unroll
    for (int s = 0; s < ahead; ++s) {
#pragma unroll
      for (int h = 0; h < 2; ++h) left[s][h] = load(columns[h], depth + s * (kWarps * kDepth), ahead > 1);
#pragma unroll
      for (int e = 0; e < eights; ++e) right[s][e] = load(rows[e], depth + s * (kWarps * kDepth), ahead > 1);
    }
#pragma unroll
    for (int s = 0; s < ahead; ++s)
#pragma unroll
      for (int w = 0; w < 4; w += 2) {
        const u32 a[4] = {left[s][0].v[w], left[s][1].v[w], left[s][0].v[w + 1], left[s][1].v[w + 1]};
#pragma unroll
        for (int e = 0; e < eights; ++e) multiply_add<In>(sum[e], a, right[s][e].v[w], right[s][e].v[w + 1]);
      }
  }
  RONDO_INLINE Words load(const In* line, Index depth, bool whole) const {
    if (whole || depth < static_cast<Index>(args.k))
      return load_pack<u32, 4>(reinterpret_cast<const u32*>(line + depth));
    return {};
  }
  RONDO_INLINE void run() const {
    const Index j0 = static_cast<Index>(blockIdx.x) * kColumns;
    for (Index g = static_cast<Index>(blockIdx.y); g < args.batches; g += static_cast<Index>(gridDim.y)) run(g, j0);
  }
  RONDO_INLINE void run(Index of, Index j0) const {
    const Index m = static_cast<Index>(args.m), n = static_cast<Index>(args.n), k = static_cast<Index>(args.k);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, line = lane / 4;
    // Lines after the last are read as the last, and what they give is not written.
    const In *columns[2], *rows[eights];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const Index j = j0 + line + 8 * h;
      columns[h] = static_cast<const In*>(args.b) + offset<batch>(args.batch, 1, of) +
                   (j < n ? j : n - 1) * static_cast<Index>(args.b_step[1]);
    }
#pragma unroll
    for (int e = 0; e < eights; ++e) {
      const Index i = line + 8 * e;
      rows[e] = static_cast<const In*>(args.a) + offset<batch>(args.batch, 0, of) +
                (i < m ? i : m - 1) * static_cast<Index>(args.a_step[0]);
    }
    f32 sum[eights][4] = {};
    constexpr int kStep = kWarps * kDepth;
    const Index own = lane % 4 * 8;  // of a warp's depths
    Index l = warp * kDepth;
    for (; l + (kAhead - 1) * kStep + kDepth <= k; l += kAhead * kStep) add<kAhead>(sum, columns, rows, l + own);
    for (; l < k; l += kStep) add<1>(sum, columns, rows, l + own);
#pragma unroll
    for (int e = 0; e < eights; ++e)
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        const int row = 8 * e + lane % 4 * 2 + v % 2, column = line + v / 2 * 8;
        shared[(warp * kRows + row) * kColumns + column] = sum[e][v];
      }
    __syncthreads();
    if (threadIdx.x < kRows * kColumns) {
      const Index row = threadIdx.x / kColumns, column = j0 + static_cast<Index>(threadIdx.x % kColumns);
      if (row < m && column < n) {
        f32 total = 0;
#pragma unroll
        for (int w = 0; w < kWarps; ++w) total += shared[w * kRows * kColumns + static_cast<int>(threadIdx.x)];
        sink.template write<1>(sink.place(of * m + row), column, &total);
      }
    }
    __syncthreads();  // the next of the batch writes there
  }
};
#endif

}  // namespace rondo::device
