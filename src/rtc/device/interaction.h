// Products of all pairs of a sample's vectors, and their gradient. Each sum is one lane's, in the order of the columns,
// or of the vectors.
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
#endif

}  // namespace rondo::device
