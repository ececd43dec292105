// Computes attention without tensor cores. A warp makes some rows: its lanes are keys while it makes scores, and
// elements of a head while it adds values, so no sum goes from lane to lane, and what the rows have in common is read
// once. Keys and values come through shared memory, a tile at a time. Sums have a fixed order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/attention/attention.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// Index counts keys. head: the size of a head, rounded up; rows: of a warp; tile: places in shared memory at once;
// vector: elements that are loaded at once, 1 or 16 bytes of C.
template <class M, class Mask, class Index, int head, int rows, int tile, int vector, AttentionMask mask, bool drops>
struct AttentionRows : AttentionWork<M, Mask, mask, drops> {
  using Work = AttentionWork<M, Mask, mask, drops>;
  using typename Work::C;
  using Work::args, Work::scale, Work::cap, Work::rest;
  using Work::keeps, Work::find, Work::begin_draw;
  static constexpr int kThreads = 128, kWarp = 32, kRows = kThreads / kWarp * rows;
  static constexpr int kPack = 16 / sizeof(C), kPitch = head + kPack;  // of keys: no banks collide
  static constexpr int kGroups = (tile + kWarp - 1) / kWarp, kEach = (head + kWarp - 1) / kWarp;
  static constexpr int kShared = kRows * (head + tile) + tile * (kPitch + head);
  static_assert(kShared * sizeof(C) <= 48 * 1024, "it fits");
  static_assert(vector == 1 || vector == kPack, "what is loaded at once is put down at once");
  using Few = Pack<C, kPack>;

  C *const queries, *const keys, *const values, *const parts;  // queries and parts of the warp's rows
  const int lane;

  RONDO_INLINE AttentionRows(const AttentionArguments& args, C* shared)
      : Work(args),
        queries(shared + threadIdx.x / kWarp * rows * head),
        keys(shared + kRows * head),
        values(keys + tile * kPitch),
        parts(values + tile * head + threadIdx.x / kWarp * rows * tile),
        lane(threadIdx.x % kWarp) {}

  // `places` rows from `first` on, of which `count` are there; zeros for the others.
  template <int places, int pitch>
  RONDO_INLINE void load(C* to, int array, i64 b, i64 first, i64 count, i64 h) const {
    constexpr int kAcross = head / vector;
    const M* const start = args.template row<const M>(array, b, first, h);
    const i64 place_step = args.stride[array][1], step = args.stride[array][3];
#pragma unroll 4
    for (int i = threadIdx.x; i < places * kAcross; i += kThreads) {
      const int place = i / kAcross, x = i % kAcross * vector;
      Pack<M, vector> pack = {};
      if (place < count && x < args.size) {
        if constexpr (vector > 1)
          pack = load_pack<M, vector>(start + place * place_step + x);
        else
          pack.v[0] = start[place * place_step + x * step];
      }
      Pack<C, vector> wide;
#pragma unroll
      for (int v = 0; v < vector; ++v) wide.v[v] = from_memory(pack.v[v]);
      store_pack<C, vector>(to + place * pitch + x, wide);
    }
  }

  // exp(score - base), of f32 by a power of two.
  RONDO_INLINE static C part_of(C score, C base) {
    if (score == attention_nowhere<C>()) return C(0);
    if constexpr (sizeof(C) == 4) return power_of_two((score - base) * kBinaryLog);
    return exp(score - base);
  }
  RONDO_INLINE void forward() {
    begin_draw();
    i64 b, h, first;
    if (!find(args.queries, args.heads, kRows, &b, &h, &first)) return;
    const AttentionReach reach(args, b);
    const AttentionSpan all = reach.keys_of(first, kRows);
    const i64 own = first + threadIdx.x / kWarp * rows, of = h / args.shared;
    const Index places = static_cast<Index>(all.end - all.begin);
    load<kRows, head>(queries - (own - first) * head, kAttentionQ, b, first, args.queries - first, h);
    C top[rows], total[rows], sum[rows][kEach];
    Index begin[rows], end[rows];  // of the keys that a row sees
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const AttentionSpan seen = reach.keys_of(own + r);
      begin[r] = static_cast<Index>(seen.begin - all.begin), end[r] = static_cast<Index>(seen.end - all.begin);
      top[r] = attention_nowhere<C>();
      total[r] = C(0);
#pragma unroll
      for (int i = 0; i < kEach; ++i) sum[r][i] = C(0);
    }
    // The mask of the lane's first key; a mask that all queries have in common is read once for the rows.
    const Mask* hides = nullptr;
    i64 mask_row = 0, mask_step = 0;
    if constexpr (mask != AttentionMask::none) {
      hides = this->mask_of(b, h, own, all.begin + lane);
      mask_row = args.stride[kAttentionMask][2], mask_step = args.stride[kAttentionMask][3];
    }
    const int key = tile < kWarp ? lane % tile : lane, column = head < kWarp ? lane % head : lane;
    const bool works = tile >= kWarp || lane < tile;
    for (Index at = 0; at < places; at += tile) {
      const int count = places - at < tile ? static_cast<int>(places - at) : tile;
      __syncthreads();
      load<tile, kPitch>(keys, kAttentionK, b, all.begin + at, count, of);
      load<tile, head>(values, kAttentionV, b, all.begin + at, count, of);
      __syncthreads();
      C score[rows][kGroups], highest[rows];
      products(score, key, count);
#pragma unroll
      for (int r = 0; r < rows; ++r) highest[r] = top[r];
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const Index place = at + g * kWarp + lane;
        Mask here = {};
        if constexpr (mask != AttentionMask::none) {
          if (mask_row == 0 && works && place < places) here = hides[(place - lane) * mask_step];
        }
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          C value = attention_nowhere<C>();
          if (works && place >= begin[r] && place < end[r]) {
            value = attention_score(score[r][g], scale, cap);
            if constexpr (mask != AttentionMask::none)
              value = this->hidden(value, mask_row == 0 ? here : hides[r * mask_row + (place - lane) * mask_step]);
          }
          score[r][g] = value;
          if (value > highest[r]) highest[r] = value;
        }
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int delta = kWarp / 2; delta > 0; delta /= 2) {
          const C other = __shfl_xor_sync(0xffffffffu, highest[r], delta);
          if (other > highest[r]) highest[r] = other;
        }
        const C before = part_of(top[r], highest[r]);
        top[r] = highest[r];
        total[r] *= before;
#pragma unroll
        for (int i = 0; i < kEach; ++i) sum[r][i] *= before;
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          const Index place = at + g * kWarp + lane;
          C part = part_of(score[r][g], highest[r]);
          total[r] += part;
          if constexpr (drops) part = part != C(0) && !keeps(b, h, own + r, all.begin + place) ? C(0) : part;
          if (works) parts[r * tile + g * kWarp + lane] = part;
        }
      }
      __syncwarp();
      add_values(sum, column, count);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int delta = kWarp / 2; delta > 0; delta /= 2) total[r] += __shfl_xor_sync(0xffffffffu, total[r], delta);
      if (own + r >= args.queries) continue;
      const C factor = total[r] == C(0) ? C(0) : drops ? rest / total[r] : C(1) / total[r];
      M* to = args.template row<M>(kAttentionOut, b, own + r, h);
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        const int x = i * kWarp + lane;
        if (x < args.size) to[x * args.stride[kAttentionOut][3]] = to_memory<M>(sum[r][i] * factor);
      }
      if (lane == 0)
        *args.template row<C>(kAttentionLse, b, own + r, h) =
            total[r] == C(0) ? attention_nowhere<C>() : top[r] + log(total[r]);
    }
  }

  // The products of the rows with the first `count` keys of the tile.
  RONDO_INLINE void products(C (&score)[rows][kGroups], int key, int count) const {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int g = 0; g < kGroups; ++g) score[r][g] = C(0);
#pragma unroll 4
    for (int x = 0; x < head; x += kPack) {
      Few query[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) query[r] = load_pack<C, kPack>(queries + r * head + x);
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        if (g * kWarp >= count) break;
        const Few met = load_pack<C, kPack>(keys + (g * kWarp + key) * kPitch + x);
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int v = 0; v < kPack; ++v) score[r][g] = fma(query[r].v[v], met.v[v], score[r][g]);
      }
    }
  }

  // Adds the values of the first `count` places, each as much as its part.
  RONDO_INLINE void add_values(C (&sum)[rows][kEach], int column, int count) const {
#pragma unroll 4
    for (int place = 0; place < count; place += kPack) {
      Few part[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) part[r] = load_pack<C, kPack>(parts + r * tile + place);
#pragma unroll
      for (int v = 0; v < kPack; ++v)
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
          const C value = values[(place + v) * head + i * kWarp + column];
#pragma unroll
          for (int r = 0; r < rows; ++r) sum[r][i] = fma(part[r].v[v], value, sum[r][i]);
        }
    }
  }
};
#endif

}  // namespace rondo::device
