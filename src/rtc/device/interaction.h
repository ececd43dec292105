// Computes products of all pairs of a sample's vectors, and their gradient. Each sum is one lane's, in the order of the
// columns, or of the vectors.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

struct InteractionArguments {
  const void* x;
  const void* dy;  // of the gradient: what came in
  void* out;
  i64 x_stride[3];    // sample, vector, column
  i64 y_stride[2];    // sample, column: of the result, or of its gradient
  i64 out_stride[3];  // of the gradient: sample, vector, column
  i64 samples, vectors, width;
  i64 kept;  // columns of y in front of the products
  i32 adds, unused;
};

constexpr int kInteractionMost = 64;     // vectors that a block stages
constexpr int kInteractionColumns = 32;  // of them, at once
constexpr int kInteractionWarps = 8;     // of a block that makes a sample's gradient, each some of its vectors
// Vectors whose pairs are 28 squares of 4 x 4, one for each lane of a warp, and the warps of a block then.
constexpr int kInteractionFew = 28, kInteractionFewWarps = 4;

RONDO_INLINE i64 pairs_below(i64 vector) {
  return vector * (vector - 1) / 2;
}

// The gradient of a vector's column.
template <class M>
RONDO_INLINE Register<M> interaction_gradient(const InteractionArguments& args, i64 sample, i64 vector, i64 column) {
  const M* x = static_cast<const M*>(args.x) + sample * args.x_stride[0] + column * args.x_stride[2];
  const M* dy = static_cast<const M*>(args.dy) + sample * args.y_stride[0];
  Register<M> sum = 0;
  if (args.kept && vector == 0) sum = from_memory(dy[column * args.y_stride[1]]);
  dy += args.kept * args.y_stride[1];
  for (i64 other = 0; other < vector; ++other)
    sum = sum +
          from_memory(dy[(pairs_below(vector) + other) * args.y_stride[1]]) * from_memory(x[other * args.x_stride[1]]);
  for (i64 other = vector + 1; other < args.vectors; ++other)
    sum = sum +
          from_memory(dy[(pairs_below(other) + vector) * args.y_stride[1]]) * from_memory(x[other * args.x_stride[1]]);
  return sum;
}

#if defined(__CUDACC_RTC__)
// The vector of a pair with the larger number.
RONDO_INLINE i64 pair_row(i64 pair) {
  i64 row = static_cast<i64>((1 + sqrt(1 + 8 * static_cast<f64>(pair))) / 2);
  while (pairs_below(row) > pair) --row;
  while (pairs_below(row + 1) <= pair) ++row;
  return row;
}

// Blocks in x have samples, those in y of one have its pairs.
template <class M, bool staged>
RONDO_INLINE void interact(const InteractionArguments& args) {
  using C = Register<M>;
  constexpr int kRow = kInteractionColumns + 1;  // so that lanes meet different banks
  __shared__ C tile[staged ? kInteractionMost * kRow : 1];
  const i64 pairs = pairs_below(args.vectors), lane = threadIdx.x;
  for (i64 sample = blockIdx.x; sample < args.samples; sample += gridDim.x) {
    const M* x = static_cast<const M*>(args.x) + sample * args.x_stride[0];
    M* out = static_cast<M*>(args.out) + sample * args.y_stride[0];
    if (blockIdx.y == 0)
      for (i64 c = lane; c < args.kept; c += 256)
        put(out + c * args.y_stride[1], from_memory(x[c * args.x_stride[2]]), args.adds != 0);
    for (i64 first = static_cast<i64>(blockIdx.y) * 256; first < pairs; first += static_cast<i64>(gridDim.y) * 256) {
      const i64 pair = first + lane;
      const i64 i = pair < pairs ? pair_row(pair) : 0, j = pair < pairs ? pair - pairs_below(i) : 0;
      C sum = 0;
      for (i64 start = 0; start < args.width; start += kInteractionColumns) {
        const i64 left = args.width - start, n = left < kInteractionColumns ? left : kInteractionColumns;
        if constexpr (staged) {
          __syncthreads();
          for (int s = threadIdx.x; s < static_cast<int>(args.vectors) * kInteractionColumns; s += 256) {
            const int v = s / kInteractionColumns, c = s % kInteractionColumns;
            if (c < n) tile[v * kRow + c] = from_memory(x[v * args.x_stride[1] + (start + c) * args.x_stride[2]]);
          }
          __syncthreads();
          for (int c = 0; c < n; ++c) sum = sum + tile[i * kRow + c] * tile[j * kRow + c];
        } else if (pair < pairs) {
          for (i64 c = start; c < start + n; ++c)
            sum = sum + from_memory(x[i * args.x_stride[1] + c * args.x_stride[2]]) *
                            from_memory(x[j * args.x_stride[1] + c * args.x_stride[2]]);
        }
      }
      if (pair < pairs) put(out + (args.kept + pair) * args.y_stride[1], sum, args.adds != 0);
    }
  }
}

// The same of few vectors: a warp has a sample, and each lane a square of pairs, which are added up in registers.
template <class M>
RONDO_INLINE void interact_few(const InteractionArguments& args) {
  using C = Register<M>;
  constexpr int kSide = 4, kRow = kInteractionColumns + 1;
  __shared__ C tiles[kInteractionFewWarps][kInteractionFew * kRow];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, vectors = static_cast<int>(args.vectors);
  C* tile = tiles[warp];
  int row = 0, below = 0;  // of the square, counted in squares
  while (below + row + 1 <= lane) below += ++row;
  const int across = lane - below;
  int at[2][kSide];  // where the rows of both sides begin; those that there are not repeat the last
  for (int k = 0; k < kSide; ++k) {
    const int i = kSide * row + k, j = kSide * across + k;
    at[0][k] = (i < vectors ? i : vectors - 1) * kRow;
    at[1][k] = (j < vectors ? j : vectors - 1) * kRow;
  }
  for (i64 sample = static_cast<i64>(blockIdx.x) * kInteractionFewWarps + warp; sample < args.samples;
       sample += static_cast<i64>(gridDim.x) * kInteractionFewWarps) {
    const M* x = static_cast<const M*>(args.x) + sample * args.x_stride[0];
    M* out = static_cast<M*>(args.out) + sample * args.y_stride[0];
    for (i64 c = lane; c < args.kept; c += 32)
      put(out + c * args.y_stride[1], from_memory(x[c * args.x_stride[2]]), args.adds != 0);
    C sum[kSide][kSide] = {};
    for (i64 start = 0; start < args.width; start += kInteractionColumns) {
      const i64 left = args.width - start;
      const int n = left < kInteractionColumns ? static_cast<int>(left) : kInteractionColumns;
      __syncwarp();
      if (lane < n)
        for (int v = 0; v < vectors; ++v)
          tile[v * kRow + lane] = from_memory(x[v * args.x_stride[1] + (start + lane) * args.x_stride[2]]);
      __syncwarp();
      for (int c = 0; c < n; ++c)
        for (int k = 0; k < kSide; ++k)
          for (int l = 0; l < kSide; ++l) sum[k][l] = sum[k][l] + tile[at[0][k] + c] * tile[at[1][l] + c];
    }
    for (int k = 0; k < kSide; ++k)
      for (int l = 0; l < kSide; ++l) {
        const int i = kSide * row + k, j = kSide * across + l;
        if (i < vectors && j < i)
          put(out + (args.kept + pairs_below(i) + j) * args.y_stride[1], sum[k][l], args.adds != 0);
      }
  }
}

// The gradient of samples, one for each block in turn. A warp makes kRows vectors, a lane their elements in a column:
// what came in for each pair lies in a square, on both sides of its diagonal.
template <class M, int kRows>
RONDO_INLINE void interact_back(const InteractionArguments& args) {
  using C = Register<M>;
  constexpr int kVectors = kInteractionWarps * kRows;
  __shared__ C square[kVectors * kVectors];
  __shared__ C tile[kVectors * kInteractionColumns];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, vectors = static_cast<int>(args.vectors);
  for (i64 sample = blockIdx.x; sample < args.samples; sample += gridDim.x) {
    const M* x = static_cast<const M*>(args.x) + sample * args.x_stride[0];
    const M* dy = static_cast<const M*>(args.dy) + sample * args.y_stride[0];
    M* out = static_cast<M*>(args.out) + sample * args.out_stride[0];
    __syncthreads();
    for (int i = warp; i < vectors; i += kInteractionWarps)
      for (int j = lane; j < i; j += 32) {
        const C came = from_memory(dy[(args.kept + pairs_below(i) + j) * args.y_stride[1]]);
        square[i * kVectors + j] = came;
        square[j * kVectors + i] = came;
      }
    for (i64 column = lane; column - lane < args.width; column += kInteractionColumns) {
      const bool there = column < args.width;
      if (column >= kInteractionColumns) __syncthreads();
      for (int v = warp; there && v < vectors; v += kInteractionWarps)
        tile[v * kInteractionColumns + lane] = from_memory(x[v * args.x_stride[1] + column * args.x_stride[2]]);
      __syncthreads();
      C sum[kRows] = {};
      if (there && args.kept && warp == 0) sum[0] = from_memory(dy[column * args.y_stride[1]]);
      for (int other = 0; there && other < vectors; ++other) {
        const C with = tile[other * kInteractionColumns + lane];
        for (int k = 0; k < kRows; ++k)
          if (other != warp * kRows + k) sum[k] = sum[k] + square[other * kVectors + warp * kRows + k] * with;
      }
      for (int k = 0; there && k < kRows; ++k)
        if (const int v = warp * kRows + k; v < vectors)
          put(out + v * args.out_stride[1] + column * args.out_stride[2], sum[k], args.adds != 0);
    }
  }
}
#endif

}  // namespace rondo::device
