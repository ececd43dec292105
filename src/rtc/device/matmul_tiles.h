// Multiplies matrices of 16 bits by tensor cores: with any batches and epilogues, and operands that are contiguous
// along k or along their rows or columns.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/matmul.h"
#include "rtc/device/tensor_core.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// An operand's part in shared memory: `tile` lines (m or n) of `depth` (k), with neighbours along k or along lines.
template <class In, class Index, int tile, int depth, bool along_k>
struct OperandTile {
  static constexpr int kPitch = (along_k ? depth : tile) + 8;  // no banks collide
  static constexpr int kSize = (along_k ? tile : depth) * kPitch;
  const In* from;
  Index lines, depths, line_step, depth_step;

  // Begins to load the elements from `line` and `begin` on; zeros after the end.
  RONDO_INLINE void begin_load(In* to, Index line, Index begin) const {
    constexpr int kPacks = (along_k ? depth : tile) / 8;
#pragma unroll
    for (int i = threadIdx.x; i < tile * depth / 8; i += 128) {
      const int outer = i / kPacks, inner = i % kPacks * 8;
      const Index x = line + (along_k ? outer : inner), y = begin + (along_k ? inner : outer);
      const bool there = x < lines && y < depths;
      begin_copy(to + outer * kPitch + inner, from + (there ? x * line_step + y * depth_step : 0), there);
    }
  }
  // 16 rows of the left operand, 16 deep.
  RONDO_INLINE static void load_left(u32 (&to)[4], const In* tile_of, int line, int begin, int lane) {
    if constexpr (along_k)
      load_matrices<false>(to, tile_of + (line + lane % 16) * kPitch + begin + lane / 16 * 8);
    else
      load_matrices<true>(to, tile_of + (begin + lane / 16 * 8 + lane % 8) * kPitch + line + lane / 8 % 2 * 8);
  }
  // 16 columns of the right one: of the first 8 and of the others the two words that a product takes.
  RONDO_INLINE static void load_right(u32 (&to)[4], const In* tile_of, int line, int begin, int lane) {
    if constexpr (along_k)
      load_matrices<false>(to, tile_of + (line + lane / 16 * 8 + lane % 8) * kPitch + begin + lane / 8 % 2 * 8);
    else
      load_matrices<true>(to, tile_of + (begin + lane % 16) * kPitch + line + lane / 16 * 8);
  }
};

// A block of four warps makes tile_m x tile_n results, each warp a quarter; k comes in steps, some of which are under
// way while one is worked on.
template <class In, class Index, class Sink, int batch, int tile_m, int tile_n, bool a_along_k, bool b_along_k,
          int vector>
struct TensorProduct {
  static constexpr int kDepth = 32, kStages = 4, kRows = tile_m / 2, kColumns = tile_n / 2;
  using Left = OperandTile<In, Index, tile_m, kDepth, a_along_k>;
  using Right = OperandTile<In, Index, tile_n, kDepth, b_along_k>;
  static constexpr int kStage = Left::kSize + Right::kSize, kShared = kStages * kStage;
  const MatmulArguments& args;
  const Sink sink;
  In* const tiles;

  template <class Arguments>
  RONDO_INLINE TensorProduct(const Arguments& args, In* tiles) : args(args), sink{args}, tiles(tiles) {}

  RONDO_INLINE void run() const {
    const Index block = static_cast<Index>(blockIdx.x), blocks_n = static_cast<Index>(args.blocks_n);
    const Index i0 = block / blocks_n * tile_m, j0 = block % blocks_n * tile_n;
    for (Index g = static_cast<Index>(blockIdx.y); g < args.batches; g += static_cast<Index>(gridDim.y)) run(g, i0, j0);
  }
  RONDO_INLINE void run(Index of, Index i0, Index j0) const {
    const Index m = static_cast<Index>(args.m), n = static_cast<Index>(args.n), k = static_cast<Index>(args.k);
    const Left left{static_cast<const In*>(args.a) + offset<batch>(args.batch, 0, of), m, k,
                    static_cast<Index>(args.a_step[0]), static_cast<Index>(args.a_step[1])};
    const Right right{static_cast<const In*>(args.b) + offset<batch>(args.batch, 1, of), n, k,
                      static_cast<Index>(args.b_step[1]), static_cast<Index>(args.b_step[0])};
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row0 = warp / 2 * kRows, column0 = warp % 2 * kColumns;
    const auto begin_stage = [&](Index l0) {
      if (l0 < k) {
        In* const to = tiles + l0 / kDepth % kStages * kStage;
        left.begin_load(to, i0, l0);
        right.begin_load(to + Left::kSize, j0, l0);
      }
      end_copies();
    };
    f32 sum[kRows / 16][kColumns / 8][4] = {};
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) begin_stage(s * kDepth);
    for (Index l0 = 0; l0 < k; l0 += kDepth) {
      wait_for_copies<kStages - 2>();
      __syncthreads();
      begin_stage(l0 + (kStages - 1) * kDepth);
      const In* const tile_a = tiles + l0 / kDepth % kStages * kStage;
      const In* const tile_b = tile_a + Left::kSize;
#pragma unroll
      for (int l = 0; l < kDepth; l += 16) {
        u32 rows[kRows / 16][4];
#pragma unroll
        for (int i = 0; i < kRows / 16; ++i) Left::load_left(rows[i], tile_a, row0 + 16 * i, l, lane);
#pragma unroll
        for (int j = 0; j < kColumns / 8; j += 2) {
          u32 columns[4];
          Right::load_right(columns, tile_b, column0 + 8 * j, l, lane);
#pragma unroll
          for (int i = 0; i < kRows / 16; ++i) {
            multiply_add<In>(sum[i][j], rows[i], columns[0], columns[1]);
            multiply_add<In>(sum[i][j + 1], rows[i], columns[2], columns[3]);
          }
        }
      }
    }
    __syncthreads();  // the next of the batch begins to load
#pragma unroll
    for (int i = 0; i < kRows / 8; ++i) {
      const Index row = i0 + row0 + 8 * i + lane / 4;
      if (row >= m) continue;
      const typename Sink::Place place = sink.place(of * m + row);
#pragma unroll
      for (int j = 0; j < kColumns / 8; ++j) {
        const Index column = j0 + column0 + 8 * j + lane % 4 * 2;
        const f32* const values = &sum[i / 2][j][i % 2 * 2];
#pragma unroll
        for (int v = 0; v < 2; v += vector)
          if (column + v < n) sink.template write<vector>(place, column + v, values + v);
      }
    }
  }
};
#endif

}  // namespace rondo::device
