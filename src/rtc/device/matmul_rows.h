// Multiplies up to 16 rows by a matrix whose columns are contiguous along k, such as the weights of a linear layer: at
// the speed at which they come from memory. A block makes 16 columns; its warps share k among them, and their sums are
// added in the order of the warps.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/matmul.h"
#include "rtc/device/tensor_core.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// lines: at least as many as there are rows. With 16 bits they are 8 or 16: the matrix is the left operand of the
// tensor cores, with 16 of its columns; a lane's 16 bytes of a column and of a row are the same eight steps of k, so it
// does not matter to which steps of a product they go. With f32 each lane has two columns and all rows.
template <class In, class Index, class Sink, int batch, int lines>
struct RowsProduct {
  static constexpr bool kTensor = !same_type<In, f32>;
  static constexpr int kWarps = 8, kColumns = 16, kElements = 16 / sizeof(In), kDepth = 4 * kElements, kAhead = 4;
  static constexpr int kLoads = kTensor ? lines / 8 : lines, kTogether = kTensor ? kAhead : 1;
  static constexpr int kStep = kWarps * kDepth;
  static constexpr int kShared = kWarps * lines * kColumns;
  using Words = Pack<u32, 4>;
  using Columns = Words[kAhead][2];
  using Sums = f32[kLoads][kTensor ? 4 : 2];
  const MatmulArguments& args;
  const Sink sink;
  f32* const shared;

  template <class Arguments>
  RONDO_INLINE RowsProduct(const Arguments& args, f32* shared) : args(args), sink{args}, shared(shared) {}

  // Zeros beyond k.
  RONDO_INLINE Words load(const In* line, Index depth) const {
    if (depth < static_cast<Index>(args.k)) return load_pack<u32, 4>(reinterpret_cast<const u32*>(line + depth));
    return {};
  }
  // Loads a lane's part of its columns in the steps from `depth` on.
  RONDO_INLINE void load_columns(Columns& left, const In* const (&columns)[2], Index depth) const {
#pragma unroll
    for (int s = 0; s < kAhead; ++s)
#pragma unroll
      for (int h = 0; h < 2; ++h) left[s][h] = load(columns[h], depth + s * kStep);
  }
  // Adds the products of these with the rows.
  RONDO_INLINE void add(Sums& sum, const Columns& left, const In* const (&rows)[kLoads], Index depth) const {
#pragma unroll
    for (int first = 0; first < kAhead; first += kTogether) {
      Words right[kTogether][kLoads];
#pragma unroll
      for (int s = 0; s < kTogether; ++s)
#pragma unroll
        for (int e = 0; e < kLoads; ++e) right[s][e] = load(rows[e], depth + (first + s) * kStep);
#pragma unroll
      for (int s = 0; s < kTogether; ++s) multiply(sum, left[first + s], right[s]);
    }
  }
  RONDO_INLINE static void multiply(Sums& sum, const Words (&left)[2], const Words (&right)[kLoads]) {
    if constexpr (kTensor) {
#pragma unroll
      for (int w = 0; w < 4; w += 2) {
        const u32 a[4] = {left[0].v[w], left[1].v[w], left[0].v[w + 1], left[1].v[w + 1]};
#pragma unroll
        for (int e = 0; e < kLoads; ++e) multiply_add<In>(sum[e], a, right[e].v[w], right[e].v[w + 1]);
      }
    } else {
#pragma unroll
      for (int v = 0; v < 4; ++v)
#pragma unroll
        for (int e = 0; e < kLoads; ++e)
#pragma unroll
          for (int h = 0; h < 2; ++h)
            sum[e][h] = multiply_add(bits_as<f32>(left[h].v[v]), bits_as<f32>(right[e].v[v]), sum[e][h]);
    }
  }
  // Puts a warp's sums where all of them are added.
  RONDO_INLINE void share(Sums& sum, int warp, int lane) const {
    const int line = lane / 4;
#pragma unroll
    for (int e = 0; e < kLoads; ++e) {
      if constexpr (kTensor) {
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          const int row = 8 * e + lane % 4 * 2 + v % 2, column = line + v / 2 * 8;
          shared[(warp * lines + row) * kColumns + column] = sum[e][v];
        }
      } else {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
#pragma unroll
          for (int other = 1; other < 4; other *= 2) sum[e][h] += __shfl_xor_sync(~0u, sum[e][h], other);
          if (lane % 4 == 0) shared[(warp * lines + e) * kColumns + line + 8 * h] = sum[e][h];
        }
      }
    }
  }

  RONDO_INLINE void run() const {
    const Index j0 = static_cast<Index>(blockIdx.x) * kColumns;
    bool begun = false;
    for (Index g = static_cast<Index>(blockIdx.y); g < args.batches; g += static_cast<Index>(gridDim.y)) {
      run(g, j0, begun);
      begun = true;
    }
  }
  // begun: the kernel has waited for those before it. If it has not, and columns may be read early, the first of them
  // are on their way when it does.
  RONDO_INLINE void run(Index of, Index j0, bool begun) const {
    const Index m = static_cast<Index>(args.m), n = static_cast<Index>(args.n), k = static_cast<Index>(args.k);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, line = lane / 4;
    // Lines after the last are read as the last, and what they give is not written.
    const In *columns[2], *rows[kLoads];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const Index j = j0 + line + 8 * h;
      columns[h] = static_cast<const In*>(args.b) + offset<batch>(args.batch, 1, of) +
                   (j < n ? j : n - 1) * static_cast<Index>(args.b_step[1]);
    }
#pragma unroll
    for (int e = 0; e < kLoads; ++e) {
      const Index i = kTensor ? line + 8 * e : e;
      rows[e] = static_cast<const In*>(args.a) + offset<batch>(args.batch, 0, of) +
                (i < m ? i : m - 1) * static_cast<Index>(args.a_step[0]);
    }
    Sums sum = {};
    Columns left;
    Index first = warp * kDepth;             // of the warp's steps
    const Index own = lane % 4 * kElements;  // of each step
    const bool early = !begun && (args.early & kEarlyB);
    if (!begun && !early) begin_kernel();
    load_columns(left, columns, first + own);
    if (early) begin_kernel();
    while (true) {
      add(sum, left, rows, first + own);
      first += kAhead * kStep;
      if (first >= k) break;
      load_columns(left, columns, first + own);
    }
    share(sum, warp, lane);
    __syncthreads();
    if (threadIdx.x < lines * kColumns) {
      const Index row = threadIdx.x / kColumns, column = j0 + static_cast<Index>(threadIdx.x % kColumns);
      if (row < m && column < n) {
        f32 total = 0;
#pragma unroll
        for (int w = 0; w < kWarps; ++w) total += shared[w * lines * kColumns + static_cast<int>(threadIdx.x)];
        sink.template write<1>(sink.place(of * m + row), column, &total);
      }
    }
    __syncthreads();  // the next of the batch writes there
  }
};
#endif

}  // namespace rondo::device
