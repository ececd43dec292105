// Multiplies matrices of 16 bits by tensor cores: with any batches and epilogues, and operands that are contiguous
// along k or along their rows or columns.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/matmul.h"
#include "rtc/device/tensor_core.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// An operand's part in shared memory: `tile` lines (m or n) of `depth` (k), with neighbours along k or along lines. A
// thread copies the same part of each step, so that all but where a step begins is known before the first one.
template <class In, class Index, int tile, int depth, bool along_k, int threads>
struct OperandTile {
  static constexpr int kSize = tile * depth;
  static constexpr int kPacks = (along_k ? depth : tile) / 8, kAll = kSize / 8;  // of 16 bytes, of a row and of all
  static constexpr int kEach = kAll / threads, kApart = threads / kPacks;
  static_assert(kAll % threads == 0, "each thread copies as many packs");
  static_assert(threads % kPacks == 0 && kApart % 8 == 0, "a thread's packs are as far apart in shared memory");
  const In* from;   // the thread's first pack
  i64 apart, step;  // from one of its packs to the next, and from one unit of k to the next
  Index depths;     // from its first pack on
  u32 there;        // a bit for each of its packs whose line is one
  int first;        // in shared memory

  RONDO_INLINE OperandTile(const In* matrix, Index line, Index lines, Index depths, Index line_step, Index depth_step)
      : step(depth_step) {
    const int outer = threadIdx.x / kPacks, inner = threadIdx.x % kPacks * 8;
    const Index x = line + (along_k ? outer : inner), y = along_k ? inner : outer;
    const bool any = x < lines && y < depths;
    from = matrix + (any ? static_cast<i64>(x) * line_step + static_cast<i64>(y) * depth_step : 0);
    apart = static_cast<i64>(kApart) * (along_k ? line_step : depth_step);
    this->depths = depths - y;
    first = offset_of(outer, inner / 8);
    there = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      if (x + (along_k ? i * kApart : 0) < lines) there |= 1u << i;
  }
  // Begins to load the elements from `begin` on; zeros after the end.
  RONDO_INLINE void begin_load(In* to, Index begin) const {
    const In* const at = from + begin * step;
    to += first;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const bool is = (there >> i & 1) && begin + (along_k ? 0 : i * kApart) < depths;
      begin_copy(to + i * kApart * kPacks * 8, is ? at + i * apart : from, is);
    }
  }
  // 16 rows of the left operand, 16 deep.
  RONDO_INLINE static void load_left(u32 (&to)[4], const In* tile_of, int line, int begin, int lane) {
    if constexpr (along_k)
      load_matrices<false>(to, tile_of + offset_of(line + lane % 16, begin / 8 + lane / 16));
    else
      load_matrices<true>(to, tile_of + offset_of(begin + lane / 16 * 8 + lane % 8, line / 8 + lane / 8 % 2));
  }
  // 16 columns of the right one: of the first 8 and of the others the two words that a product takes.
  RONDO_INLINE static void load_right(u32 (&to)[4], const In* tile_of, int line, int begin, int lane) {
    if constexpr (along_k)
      load_matrices<false>(to, tile_of + offset_of(line + lane / 16 * 8 + lane % 8, begin / 8 + lane / 8 % 2));
    else
      load_matrices<true>(to, tile_of + offset_of(begin + lane % 16, line / 8 + lane / 16));
  }

 private:
  // The pack of a row in shared memory. Packs of a row are exchanged so that neither 8 neighbours of a row nor the same
  // ones of 8 rows have banks in common.
  RONDO_INLINE static int offset_of(int row, int pack) {
    constexpr int kRowsOfAll = kPacks < 8 ? 8 / kPacks : 1,
                  kTurns = kPacks < 8 ? kPacks : 8;  // rows that all banks hold
    return 8 * (row * kPacks + (pack ^ row / kRowsOfAll % kTurns));
  }
};

// How the warps of a block share a tile of m x n results: its rows, its columns, and k, of which each step is `depth`
// long. Some steps are under way while one is worked on.
template <int m, int n, int warps_m, int warps_n, int warps_k, int depth, int stages>
struct TensorTile {
  static constexpr int kM = m, kN = n, kWarpsN = warps_n, kWarpsK = warps_k, kDepth = depth, kStages = stages;
  static constexpr int kRows = m / warps_m, kColumns = n / warps_n, kSlice = depth / warps_k;  // of a warp
  static constexpr int kThreads = 32 * warps_m * warps_n * warps_k;
  static_assert(kRows % 16 == 0 && kColumns % 16 == 0 && kSlice % 16 == 0, "a warp multiplies 16 x 16 by 16 x 16");
};

// A block makes a tile of results. The sums of warps that share k are added in the order of the warps.
template <class In, class Index, class Sink, class Tile, int batch, bool a_along_k, bool b_along_k, int vector>
struct TensorProduct {
  static constexpr int kRows = Tile::kRows, kColumns = Tile::kColumns, kDepth = Tile::kDepth, kStages = Tile::kStages;
  using Left = OperandTile<In, Index, Tile::kM, kDepth, a_along_k, Tile::kThreads>;
  using Right = OperandTile<In, Index, Tile::kN, kDepth, b_along_k, Tile::kThreads>;
  static constexpr int kStage = Left::kSize + Right::kSize;
  static constexpr int kPitch = Tile::kN + 8;  // of sums in shared memory, each as long as two elements
  static constexpr int kSums = 2 * Tile::kWarpsK * Tile::kM * kPitch;
  static constexpr int kShared = (kStages * kStage > kSums) ? (kStages * kStage) : kSums;
  static_assert(2 * kShared <= 48 << 10, "a kernel has as much shared memory without asking for more");
  using Sum = f32[kRows / 16][kColumns / 8][4];
  static constexpr int kPairs = Tile::kM * Tile::kN / 2;  // of neighbours, which a thread writes
  // Pairs of a thread whose operands are on their way at once.
  static constexpr int kAtOnce = kPairs / Tile::kThreads < 4 ? kPairs / Tile::kThreads : 4;
  static_assert(kPairs % (kAtOnce * Tile::kThreads) == 0, "each thread has as many");
  struct Pair {
    int line, first;
    Index row, column;

    RONDO_INLINE Pair(int at, Index i0, Index j0)
        : line(at / (Tile::kN / 2)), first(at % (Tile::kN / 2) * 2), row(i0 + line), column(j0 + first) {}
  };
  const MatmulArguments& args;
  const Sink sink;
  In* const tiles;

  template <class Arguments>
  RONDO_INLINE TensorProduct(const Arguments& args, In* tiles) : args(args), sink{args}, tiles(tiles) {}

  RONDO_INLINE void run() const {
    const Index block = static_cast<Index>(blockIdx.x), blocks_n = static_cast<Index>(args.blocks_n);
    const Index i0 = block / blocks_n * Tile::kM, j0 = block % blocks_n * Tile::kN;
    bool begun = false;
    for (Index g = static_cast<Index>(blockIdx.y); g < args.batches; g += static_cast<Index>(gridDim.y)) {
      run(g, i0, j0, begun);
      begun = true;
    }
  }
  RONDO_INLINE void run(Index of, Index i0, Index j0, bool begun) const {
    const int warp = threadIdx.x / 32, part = warp % Tile::kWarpsK, place = warp / Tile::kWarpsK;
    const int row0 = place / Tile::kWarpsN * kRows, column0 = place % Tile::kWarpsN * kColumns;
    Sum sum = {};
    add_up(sum, of, i0, j0, row0, column0, part * Tile::kSlice, begun);
    __syncthreads();  // the next of the batch begins to load
    write(sum, of, i0, j0, row0, column0, part);
  }

 private:
  // Adds up what a warp's part of each step gives. begun: the kernel has waited for those before it. If it has not, the
  // first steps of what may be read early are loaded before that.
  RONDO_INLINE void add_up(Sum& sum, Index of, Index i0, Index j0, int row0, int column0, int slice, bool begun) const {
    const Index m = static_cast<Index>(args.m), n = static_cast<Index>(args.n), k = static_cast<Index>(args.k);
    const Left left(static_cast<const In*>(args.a) + offset<batch>(args.batch, 0, of), i0, m, k,
                    static_cast<Index>(args.a_step[0]), static_cast<Index>(args.a_step[1]));
    const Right right(static_cast<const In*>(args.b) + offset<batch>(args.batch, 1, of), j0, n, k,
                      static_cast<Index>(args.b_step[1]), static_cast<Index>(args.b_step[0]));
    const int lane = threadIdx.x % 32;
    // Begins to load the step that begins at l0 along k, into a slot of shared memory.
    const auto begin_stage = [&](Index l0, int slot, i64 operands) {
      if (l0 < k) {
        In* const to = tiles + slot * kStage;
        if (operands & kEarlyA) left.begin_load(to, l0);
        if (operands & kEarlyB) right.begin_load(to + Left::kSize, l0);
      }
      end_copies();
    };
    i64 operands = begun ? kEarlyA | kEarlyB : args.early;
#pragma unroll 1
    for (;; operands = ~args.early, begun = true) {
#pragma unroll
      for (int s = 0; s < kStages - 1; ++s) begin_stage(s * kDepth, s, operands);
      if (begun) break;
      begin_kernel();
    }
    int slot = 0, freed = kStages - 1;
    for (Index l0 = 0; l0 < k; l0 += kDepth) {
      wait_for_copies<kStages - 2>();
      __syncthreads();
      begin_stage(l0 + (kStages - 1) * kDepth, freed, kEarlyA | kEarlyB);
      freed = slot;
      const In* const tile_a = tiles + slot * kStage;
      slot = slot + 1 == kStages ? 0 : slot + 1;
      const In* const tile_b = tile_a + Left::kSize;
#pragma unroll
      for (int l = 0; l < Tile::kSlice; l += 16) {
        u32 rows[kRows / 16][4];
#pragma unroll
        for (int i = 0; i < kRows / 16; ++i) Left::load_left(rows[i], tile_a, row0 + 16 * i, slice + l, lane);
#pragma unroll
        for (int j = 0; j < kColumns / 8; j += 2) {
          u32 columns[4];
          Right::load_right(columns, tile_b, column0 + 8 * j, slice + l, lane);
#pragma unroll
          for (int i = 0; i < kRows / 16; ++i) {
            multiply_add<In>(sum[i][j], rows[i], columns[0], columns[1]);
            multiply_add<In>(sum[i][j + 1], rows[i], columns[2], columns[3]);
          }
        }
      }
    }
  }
  // Writes the results of all warps, of which those with one place have a part of k each.
  RONDO_INLINE void write(const Sum& sum, Index of, Index i0, Index j0, int row0, int column0, int part) const {
    const Index m = static_cast<Index>(args.m), n = static_cast<Index>(args.n);
    const int lane = threadIdx.x % 32;
    f32* const sums = reinterpret_cast<f32*>(tiles);
#pragma unroll
    for (int i = 0; i < kRows / 8; ++i)
#pragma unroll
      for (int j = 0; j < kColumns / 8; ++j)
#pragma unroll
        for (int v = 0; v < 2; ++v)
          sums[(part * Tile::kM + row0 + 8 * i + lane / 4) * kPitch + column0 + 8 * j + lane % 4 * 2 + v] =
              sum[i / 2][j][i % 2 * 2 + v];
    __syncthreads();
    for (int begin = threadIdx.x; begin < kPairs; begin += kAtOnce * Tile::kThreads) {
      typename Sink::Place places[kAtOnce];
      typename Sink::template Fetched<vector> fetched[kAtOnce][2 / vector];
#pragma unroll
      for (int each = 0; each < kAtOnce; ++each) {
        const Pair pair(begin + each * Tile::kThreads, i0, j0);
        if (pair.row >= m || pair.column >= n) continue;
        places[each] = sink.place(of * m + pair.row);
#pragma unroll
        for (int v = 0; v < 2; v += vector)
          if (pair.column + v < n)
            fetched[each][v / vector] = sink.template fetch<vector>(places[each], pair.column + v);
      }
#pragma unroll
      for (int each = 0; each < kAtOnce; ++each) {
        const Pair pair(begin + each * Tile::kThreads, i0, j0);
        if (pair.row >= m || pair.column >= n) continue;
        f32 values[2] = {};
#pragma unroll
        for (int p = 0; p < Tile::kWarpsK; ++p)
#pragma unroll
          for (int v = 0; v < 2; ++v) values[v] += sums[(p * Tile::kM + pair.line) * kPitch + pair.first + v];
#pragma unroll
        for (int v = 0; v < 2; v += vector)
          if (pair.column + v < n)
            sink.template write<vector>(places[each], pair.column + v, values + v, fetched[each][v / vector]);
      }
    }
    __syncthreads();  // the next of the batch begins to load
  }
};
#endif

}  // namespace rondo::device
