// Defines attention: its arguments, which keys a query sees, the functions of a score, and the kernels. A query's row,
// or a key's where gradients of keys are made, is shared by a few lanes, which keep it in registers; the rows that it
// meets come through shared memory, a tile at a time. Everything is added in the order of keys, heads and queries,
// whatever the device.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/philox.h"

namespace rondo::device {

enum AttentionArray : i32 {
  kAttentionQ,
  kAttentionK,
  kAttentionV,
  kAttentionMask,
  kAttentionQueryLengths,
  kAttentionKeyLengths,
  kAttentionOut,
  kAttentionLse,
  kAttentionDraw,  // where the numbers of dropout began: key and counter
  kAttentionDy,
  kAttentionDlse,
  kAttentionDq,
  kAttentionDk,
  kAttentionDv,
  kAttentionDelta,  // of each query: sum of out dy, less dlse
  kAttentionArrays
};

enum class AttentionMask : i32 { none, chosen, added };

struct AttentionArguments {
  void* at[kAttentionArrays];       // null: there is none
  i64 stride[kAttentionArrays][4];  // batch, place (of query or key), head, element; of a mask: batch, head, query, key
  const PhiloxState* state;         // of a graph, added to what follows
  u64 key, start;                   // where the numbers of dropout begin
  i64 batch, heads, shared;         // shared: heads that have a key's head in common
  i64 queries, keys, size;          // size: of a head
  i64 before, after;                // how far from its own place a query sees
  i64 last;                         // whether the last query's own place is the last key; else the first ones meet
  f64 scale, cap, dropped;          // cap 0: none; dropped: the share

  // An element of an array of rows that begin there.
  template <class T>
  RONDO_INLINE T* row(int array, i64 b, i64 place, i64 head) const {
    return static_cast<T*>(at[array]) + (b * stride[array][0] + place * stride[array][1] + head * stride[array][2]);
  }
  RONDO_INLINE bool has(int array) const { return at[array] != nullptr; }
};

// From begin to before end.
struct AttentionSpan {
  i64 begin, end;
};

// How many queries and keys of a batch's entry there are, and who sees whom but for the mask.
struct AttentionReach {
  i64 queries, keys, shift, before, after;

  RONDO_INLINE AttentionReach(const AttentionArguments& args, i64 b)
      : queries(length(args, kAttentionQueryLengths, b, args.queries)),
        keys(length(args, kAttentionKeyLengths, b, args.keys)),
        shift(args.last ? keys - queries : 0),
        before(args.before),
        after(args.after) {}
  RONDO_INLINE static i64 length(const AttentionArguments& args, int array, i64 b, i64 most) {
    if (!args.has(array)) return most;
    const i64 given = static_cast<const i32*>(args.at[array])[b * args.stride[array][0]];
    return given < 0 ? 0 : given < most ? given : most;
  }
  RONDO_INLINE static AttentionSpan within(i64 begin, i64 end, i64 most) {
    if (begin < 0) begin = 0;
    if (end > most) end = most;
    return {begin, end < begin ? begin : end};
  }
  RONDO_INLINE AttentionSpan keys_of(i64 query) const {
    if (query >= queries) return {0, 0};
    return within(query + shift - before, query + shift + after + 1, keys);
  }
  // The keys that any of these queries sees; some of them may see fewer.
  RONDO_INLINE AttentionSpan keys_of(i64 first, i64 count) const {
    i64 end = first + count;
    if (end > queries) end = queries;
    if (first >= end) return {0, 0};
    return within(first + shift - before, end - 1 + shift + after + 1, keys);
  }
  // Who sees any of these keys.
  RONDO_INLINE AttentionSpan queries_of(i64 first, i64 count) const {
    i64 end = first + count;
    if (end > keys) end = keys;
    if (first >= end) return {0, 0};
    return within(first - shift - after, end - 1 - shift + before + 1, queries);
  }
};

// A score, from the product of a query and a key, before the mask.
template <class C>
RONDO_INLINE C attention_score(C product, C scale, C cap) {
  const C x = product * scale;
  return cap > C(0) ? cap * tanh(x / cap) : x;
}
// The slope of that, by what it gave.
template <class C>
RONDO_INLINE C attention_slope(C score, C scale, C cap) {
  if (!(cap > C(0))) return scale;
  const C share = score / cap;
  return scale * (C(1) - share * share);
}
template <class C>
RONDO_INLINE C attention_nowhere() {
  return -static_cast<C>(bits_as<f32>(0x7f800000u));
}
// Numbers of dropout have 16 bits, and a block of Philox has eight of them: of eight neighbouring keys of a query's
// row, which takes up a multiple of eight.
constexpr i64 kAttentionDraws = 8;
RONDO_INLINE i64 attention_pitch(i64 keys) {
  return (keys + kAttentionDraws - 1) / kAttentionDraws * kAttentionDraws;
}
// Numbers below this are left out.
RONDO_INLINE u32 attention_threshold(f64 dropped) {
  const f64 share = dropped * 65536 + 0.5;
  return share < 65535 ? static_cast<u32>(share) : 65535u;
}
RONDO_INLINE u32 attention_draw(const PhiloxBlock& block, u32 number) {
  return block.lane[number / 2 % 4] >> (number % 2 * 16) & 0xffffu;
}
// Returns whether dropout leaves this part of a query's result.
RONDO_INLINE bool attention_keeps(u64 key, u64 start, i64 number, u32 threshold) {
  const u64 at = static_cast<u64>(number);
  return attention_draw(philox(key, start + at / kAttentionDraws), static_cast<u32>(at % kAttentionDraws)) >= threshold;
}

#if defined(__CUDACC_RTC__)
constexpr f32 kBinaryLog = 1.44269504088896340736f;  // of e

// 2 to the power of x, within two units in the last place; 0 where that is subnormal.
RONDO_INLINE f32 power_of_two(f32 x) {
#if defined(RONDO_SIMULATED)
  return exp2(x);
#else
  f32 power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#endif
}

// The parts that all kernels of attention share. M, Mask: memory types.
template <class M, class Mask, AttentionMask mask, bool drops>
struct AttentionWork {
  using C = Register<M>;
  const AttentionArguments& args;
  const C scale, cap, rest;
  const u32 threshold;
  u64 key, start;

  RONDO_INLINE explicit AttentionWork(const AttentionArguments& args)
      : args(args),
        scale(static_cast<C>(args.scale)),
        cap(static_cast<C>(args.cap)),
        rest(C(1) / static_cast<C>(1 - args.dropped)),
        threshold(attention_threshold(args.dropped)),
        key(0),
        start(0) {}

  // Points at the mask of a query and a key.
  RONDO_INLINE const Mask* mask_of(i64 b, i64 h, i64 query, i64 place) const {
    const i64* step = args.stride[kAttentionMask];
    return static_cast<const Mask*>(args.at[kAttentionMask]) +
           (b * step[0] + h * step[1] + query * step[2] + place * step[3]);
  }
  // A score by what the mask has.
  RONDO_INLINE static C hidden(C score, Mask here) {
    if constexpr (mask == AttentionMask::chosen) return from_memory(here) ? score : attention_nowhere<C>();
    return score + static_cast<C>(from_memory(here));
  }
  // A score after the mask; `seen` but for that.
  RONDO_INLINE C masked(C score, i64 b, i64 h, i64 query, i64 place, bool seen) const {
    if (!seen) return attention_nowhere<C>();
    if constexpr (mask != AttentionMask::none) return hidden(score, *mask_of(b, h, query, place));
    return score;
  }
  RONDO_INLINE i64 number_of(i64 b, i64 h, i64 query, i64 place) const {
    return ((b * args.heads + h) * args.queries + query) * attention_pitch(args.keys) + place;
  }
  RONDO_INLINE bool keeps(i64 b, i64 h, i64 query, i64 place) const {
    return attention_keeps(key, start, number_of(b, h, query, place), threshold);
  }
  // Whose rows the block makes: of so many places and heads, `rows` of them.
  RONDO_INLINE bool find(i64 places, i64 heads, int rows, i64* b, i64* h, i64* first) const {
    i64 blocks = (places + rows - 1) / rows;
    if (blocks == 0) blocks = 1;
    const i64 number = blockIdx.x, rest_of = number / blocks;
    *first = (number - rest_of * blocks) * rows;
    *b = rest_of / heads;
    *h = rest_of - *b * heads;
    return *b < args.batch;
  }
  RONDO_INLINE void begin_draw() {
    if constexpr (drops) {
      key = args.state ? args.state->key : args.key;
      start = (args.state ? args.state->offset : 0) + args.start;
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        static_cast<u64*>(args.at[kAttentionDraw])[0] = key;
        static_cast<u64*>(args.at[kAttentionDraw])[1] = start;
      }
    }
  }
  RONDO_INLINE void read_draw() {
    if constexpr (drops) {
      key = static_cast<const u64*>(args.at[kAttentionDraw])[0];
      start = static_cast<const u64*>(args.at[kAttentionDraw])[1];
    }
  }
};

// head: the size of a head, rounded up to lanes; tile: places in shared memory at once.
template <class M, class Mask, int head, int lanes, int tile, AttentionMask mask, bool drops>
struct AttentionPass : AttentionWork<M, Mask, mask, drops> {
  using Work = AttentionWork<M, Mask, mask, drops>;
  using typename Work::C;
  using Work::args, Work::scale, Work::cap, Work::rest;
  using Work::masked, Work::keeps, Work::find, Work::read_draw;
  static constexpr int kThreads = 128, kRows = kThreads / lanes, kEach = head / lanes;
  static constexpr int kShared = 2 * tile * head + 2 * tile;
  C* const shared;
  const int lane, line;  // within the row; the row within the block

  RONDO_INLINE AttentionPass(const AttentionArguments& args, C* shared)
      : Work(args), shared(shared), lane(threadIdx.x % lanes), line(threadIdx.x / lanes) {}

  using Line = C[kEach];
  RONDO_INLINE void load(Line& to, int array, i64 b, i64 place, i64 h, bool there) const {
    const M* from = args.template row<const M>(array, b, there ? place : 0, h);
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int x = lane + lanes * e;
      to[e] = there && x < args.size ? from_memory(from[x * args.stride[array][3]]) : C(0);
    }
  }
  RONDO_INLINE void store(const Line& from, int array, i64 b, i64 place, i64 h, C factor) const {
    M* to = args.template row<M>(array, b, place, h);
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int x = lane + lanes * e;
      if (x < args.size) to[x * args.stride[array][3]] = to_memory<M>(from[e] * factor);
    }
  }
  // Places from `first` on, zeros from `end` on.
  RONDO_INLINE void load_tile(C* to, int array, i64 b, i64 first, i64 end, i64 h) const {
    for (int i = threadIdx.x; i < tile * head; i += kThreads) {
      const int place = i / head, x = i % head;
      C value = C(0);
      if (first + place < end && x < args.size)
        value = from_memory(args.template row<const M>(array, b, first + place, h)[x * args.stride[array][3]]);
      to[i] = value;
    }
  }
  RONDO_INLINE static C join(C part) {
#pragma unroll
    for (int delta = lanes / 2; delta > 0; delta /= 2) part += __shfl_xor_sync(0xffffffffu, part, delta);
    return part;
  }
  RONDO_INLINE C dot(const Line& a, const C* b) const {
    C sum = C(0);
#pragma unroll
    for (int e = 0; e < kEach; ++e) sum = fma(a[e], b[lane + lanes * e], sum);
    return join(sum);
  }
  RONDO_INLINE void add(Line& to, C factor, const C* from) const {
#pragma unroll
    for (int e = 0; e < kEach; ++e) to[e] = fma(factor, from[lane + lanes * e], to[e]);
  }
  RONDO_INLINE static C share(C score, C lse) {
    return score == attention_nowhere<C>() ? C(0) : exp(score - lse);
  }

  // The factors that dropout gives the parts of the result.
  RONDO_INLINE void kept() {
    read_draw();
    i64 b, h, first;
    if (!find(args.queries, args.heads, kRows, &b, &h, &first)) return;
    const i64 query = first + line;
    if (query >= args.queries) return;
    const i64* step = args.stride[kAttentionOut];
    C* to = static_cast<C*>(args.at[kAttentionOut]) + (b * step[0] + h * step[1] + query * step[2]);
    for (i64 place = lane; place < args.keys; place += lanes)
      to[place * step[3]] = keeps(b, h, query, place) ? rest : C(0);
  }

  // The gradient of a score, from that of the result's part.
  RONDO_INLINE C change(C part, C coming, C delta, C score, bool kept) const {
    if constexpr (drops) coming = kept ? coming * rest : C(0);
    return part * (coming - delta) * attention_slope(score, scale, cap);
  }

  RONDO_INLINE void queries() {
    read_draw();
    i64 b, h, first;
    if (!find(args.queries, args.heads, kRows, &b, &h, &first)) return;
    const AttentionReach reach(args, b);
    const i64 query = first + line, of = h / args.shared;
    const bool there = query < args.queries;
    const AttentionSpan all = reach.keys_of(first, kRows), seen = reach.keys_of(query);
    Line q, dy, out, sum = {};
    load(q, kAttentionQ, b, query, h, there);
    load(dy, kAttentionDy, b, query, h, there);
    load(out, kAttentionOut, b, query, h, there);
    C delta = C(0), lse = C(0);
#pragma unroll
    for (int e = 0; e < kEach; ++e) delta = fma(out[e], dy[e], delta);
    delta = join(delta);
    if (there) {
      lse = *args.template row<C>(kAttentionLse, b, query, h);
      if (args.has(kAttentionDlse)) delta -= *args.template row<C>(kAttentionDlse, b, query, h);
      if (lane == 0) *args.template row<C>(kAttentionDelta, b, query, h) = delta;
    }
    C *keys = shared, *values = shared + tile * head;
    for (i64 at = all.begin; at < all.end; at += tile) {
      __syncthreads();
      load_tile(keys, kAttentionK, b, at, all.end, of);
      load_tile(values, kAttentionV, b, at, all.end, of);
      __syncthreads();
      for (int j = 0; j < tile; ++j) {
        const i64 place = at + j;
        const C score = attention_score(dot(q, keys + j * head), scale, cap), coming = dot(dy, values + j * head);
        const C part = share(masked(score, b, h, query, place, place >= seen.begin && place < seen.end), lse);
        if (part == C(0)) continue;
        add(sum, change(part, coming, delta, score, !drops || keeps(b, h, query, place)), keys + j * head);
      }
    }
    if (there) store(sum, kAttentionDq, b, query, h, C(1));
  }

  RONDO_INLINE void keys() {
    read_draw();
    i64 b, of, first;
    if (!find(args.keys, args.heads / args.shared, kRows, &b, &of, &first)) return;
    const AttentionReach reach(args, b);
    const i64 place = first + line;
    // Rows after the end may be anything.
    const bool there = place < args.keys;
    const AttentionSpan all = reach.queries_of(first, kRows);
    Line k, v, dk = {}, dv = {};
    load(k, kAttentionK, b, place, of, place < reach.keys);
    load(v, kAttentionV, b, place, of, place < reach.keys);
    C *queries = shared, *changes = shared + tile * head, *lse = changes + tile * head, *delta = lse + tile;
    for (i64 h = of * args.shared; h < (of + 1) * args.shared; ++h) {
      for (i64 at = all.begin; at < all.end; at += tile) {
        __syncthreads();
        load_tile(queries, kAttentionQ, b, at, all.end, h);
        load_tile(changes, kAttentionDy, b, at, all.end, h);
        for (int i = threadIdx.x; i < tile; i += kThreads) {
          const bool inside = at + i < all.end;
          lse[i] = inside ? *args.template row<C>(kAttentionLse, b, at + i, h) : C(0);
          delta[i] = inside ? *args.template row<C>(kAttentionDelta, b, at + i, h) : C(0);
        }
        __syncthreads();
        for (int i = 0; i < tile; ++i) {
          const i64 query = at + i;
          const C score = attention_score(dot(k, queries + i * head), scale, cap), coming = dot(v, changes + i * head);
          bool seen = there && query < all.end;
          if (seen) {
            const AttentionSpan span = reach.keys_of(query);
            seen = place >= span.begin && place < span.end;
          }
          const C part = share(masked(score, b, h, query, place, seen), lse[i]);
          if (part == C(0)) continue;
          const bool kept = !drops || keeps(b, h, query, place);
          if (kept) add(dv, drops ? part * rest : part, changes + i * head);
          add(dk, change(part, coming, delta[i], score, kept), queries + i * head);
        }
      }
    }
    if (!there) return;
    store(dk, kAttentionDk, b, place, of, C(1));
    store(dv, kAttentionDv, b, place, of, C(1));
  }
};
#endif

}  // namespace rondo::device
