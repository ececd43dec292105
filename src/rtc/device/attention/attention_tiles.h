// Computes attention of 16 bits by tensor cores. A warp makes 16 rows or two times 16, of queries, or of keys where
// their gradients are made: their factors come through shared memory, a tile at a time, and the sums stay in registers,
// spread as in tensor_core.h. Scores are rounded to 16 bits as they enter the second product. Sums have a fixed order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/attention/attention.h"
#include "rtc/device/tensor_core.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// head: the size of a head, rounded up; tile: places in shared memory at once; sixteens: how many 16 rows a warp makes,
// of gradients 1; columns: how much of a head of keys a block makes the gradients of, the blocks of the second axis one
// part each.
template <class M, class Mask, int head, int tile, int sixteens, int columns, AttentionMask mask, bool drops, bool caps>
struct AttentionTiles : AttentionWork<M, Mask, mask, drops> {
  using Work = AttentionWork<M, Mask, mask, drops>;
  using Work::args, Work::scale, Work::cap, Work::rest, Work::threshold, Work::key, Work::start;
  using Work::hidden, Work::keeps, Work::mask_of, Work::masked, Work::number_of, Work::find, Work::begin_draw,
      Work::read_draw;
  static constexpr int kThreads = 128, kRows = 64 * sixteens,
                       kPitch = head + 8;  // of rows in shared memory: no banks collide
  static constexpr int kSteps = head / 16, kAcross = tile / 8;
  // Elements: two tiles, and two f32 a place; and as much for the tiles that are on their way.
  static constexpr int kStage = 2 * tile * kPitch + 4 * tile, kShared = 2 * kStage;

  using Rows = u32[kSteps][4];     // 16 rows of a head as the left operand
  using Scores = f32[kAcross][4];  // of 16 rows with a tile's places
  template <int n>
  using Sums = f32[n / 8][4];  // of 16 rows, n columns

  M* const shared;
  const int lane, g, t, line;  // line: the first of the warp's rows within the block

  RONDO_INLINE AttentionTiles(const AttentionArguments& args, M* shared)
      : Work(args),
        shared(shared),
        lane(threadIdx.x % 32),
        g(lane / 4),
        t(lane % 4),
        line(threadIdx.x / 32 * 16 * sixteens) {}

  // Tiles begin at numbers of dropout. One that is empty may lie anywhere.
  RONDO_INLINE static i64 begin_of(AttentionSpan span) {
    return span.begin < span.end ? span.begin / kAttentionDraws * kAttentionDraws : span.end;
  }
  // Rows `place` + g and the one 8 after it, as far as there are so many.
  RONDO_INLINE void load(Rows& to, int array, i64 b, i64 place, i64 h, i64 end) const {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const i64 at = place + g + 8 * r;
      const bool there = at < end;
      const M* from = args.template row<const M>(array, b, there ? at : 0, h);
#pragma unroll
      for (int s = 0; s < kSteps; ++s)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int x = 16 * s + 8 * half + 2 * t;
          to[s][2 * half + r] = there && x < args.size ? *reinterpret_cast<const u32*>(from + x) : 0;
        }
    }
  }
  // The first `n` columns from `begin` on, of rows before `end`.
  template <int n>
  RONDO_INLINE void store(const Sums<n>& sums, int array, i64 b, i64 place, i64 h, i64 end, int begin,
                          const f32 (&factor)[2]) const {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const i64 at = place + g + 8 * r;
      if (at >= end) continue;
      M* to = args.template row<M>(array, b, at, h);
#pragma unroll
      for (int i = 0; i < n / 8; ++i) {
        const int x = begin + 8 * i + 2 * t;
        if (x < args.size)
          *reinterpret_cast<u32*>(to + x) = pair_of<M>(sums[i][2 * r] * factor[r], sums[i][2 * r + 1] * factor[r]);
      }
    }
  }
  // Begins to load a tile of places from `first` on; zeros outside the span.
  RONDO_INLINE void begin_tile(M* to, int array, i64 b, i64 first, AttentionSpan span, i64 h) const {
    constexpr int kPacks = head / 8, kAtOnce = kThreads / kPacks;
    const int begin = threadIdx.x / kPacks, x = threadIdx.x % kPacks * 8;
    const int low = span.begin > first ? static_cast<int>(span.begin - first) : 0;
    const int high = x >= args.size ? 0 : span.end - first < tile ? static_cast<int>(span.end - first) : tile;
    const M* const start = args.template row<const M>(array, b, 0, h);
    const i64 step = args.stride[array][1];
    const M* from = start + (first + begin) * step + x;
#pragma unroll
    for (int at = 0; at < tile; at += kAtOnce) {
      const int place = begin + at;
      const bool there = place >= low && place < high;
      begin_copy(to + place * kPitch + x, there ? from : start, there);
      from += kAtOnce * step;
    }
  }
  // Calls work(at, left, right) with the tiles of two arrays over a span, each loaded while the one before is worked
  // on; and beside(at, to) when the loads begin, for the other data that a stage has after its tiles.
  template <class Visit, class Beside>
  RONDO_INLINE void each_tile(int left, int right, i64 b, AttentionSpan span, i64 h, const Visit& work,
                              const Beside& beside) const {
    const auto begin = [&](M* to, i64 at) {
      if (at < span.end) {
        begin_tile(to, left, b, at, span, h);
        begin_tile(to + tile * kPitch, right, b, at, span, h);
        beside(at, to + 2 * tile * kPitch);
      }
      end_copies();
    };
    M *now = shared, *next = shared + kStage;
    i64 at = begin_of(span);
    begin(now, at);
    for (; at < span.end; at += tile) {
      wait_for_copies<0>();
      __syncthreads();
      begin(next, at + tile);
      work(at, now, now + tile * kPitch);
      M* const done = now;
      now = next;
      next = done;
    }
    __syncthreads();  // the next span begins where this one may be read still
  }

  // The products of rows with each place of a tile.
  template <int parts>
  RONDO_INLINE void multiply(Scores (&to)[parts], const Rows (&rows)[parts], const M* places) const {
    const M* const from = places + (lane / 16 * 8 + lane % 8) * kPitch + lane / 8 % 2 * 8;
#pragma unroll
    for (int p = 0; p < parts; ++p)
#pragma unroll
      for (int i = 0; i < kAcross; ++i)
#pragma unroll
        for (int e = 0; e < 4; ++e) to[p][i][e] = 0;
#pragma unroll
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int i = 0; i < kAcross; i += 2) {
        u32 of[4];
        load_matrices<false>(of, from + i * 8 * kPitch + 16 * s);
#pragma unroll
        for (int p = 0; p < parts; ++p) {
          multiply_add<M>(to[p][i], rows[p][s], of[0], of[1]);
          multiply_add<M>(to[p][i + 1], rows[p][s], of[2], of[3]);
        }
      }
  }
  // sums += scores times `n` columns of a tile, from `begin` on.
  template <int n, int parts>
  RONDO_INLINE void add(Sums<n> (&sums)[parts], const Scores (&by)[parts], const M* places, int begin) const {
    const M* const from = places + lane % 16 * kPitch + begin + lane / 16 * 8;
#pragma unroll
    for (int s = 0; s < tile / 16; ++s) {
      u32 rows[parts][4];
#pragma unroll
      for (int p = 0; p < parts; ++p)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          rows[p][i] = pair_of<M>(by[p][2 * s + i / 2][i % 2 * 2], by[p][2 * s + i / 2][i % 2 * 2 + 1]);
#pragma unroll
      for (int i = 0; i < n / 8; i += 2) {
        u32 of[4];
        load_matrices<true>(of, from + s * 16 * kPitch + i * 8);
#pragma unroll
        for (int p = 0; p < parts; ++p) {
          multiply_add<M>(sums[p][i], rows[p], of[0], of[1]);
          multiply_add<M>(sums[p][i + 1], rows[p], of[2], of[3]);
        }
      }
    }
  }
  RONDO_INLINE static f32 join(f32 part) {
    part += __shfl_xor_sync(0xffffffffu, part, 1);
    return part + __shfl_xor_sync(0xffffffffu, part, 2);
  }

  // Lane `at` of four gives word w of its own to lane w, and gets word `at` of each; step: how far lanes are apart.
  RONDO_INLINE static void exchange(u32 (&words)[4], int at, int step) {
    const bool odd = at % 2 != 0, high = at / 2 != 0;
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const u32 got = __shfl_xor_sync(0xffffffffu, odd ? words[i] : words[i + 1], step);
      words[i] = odd ? got : words[i];
      words[i + 1] = odd ? words[i + 1] : got;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const u32 got = __shfl_xor_sync(0xffffffffu, high ? words[i] : words[i + 2], 2 * step);
      words[i] = high ? got : words[i];
      words[i + 2] = high ? words[i + 2] : got;
    }
  }
  RONDO_INLINE void draw(u32 (&words)[4], i64 b, i64 h, i64 query, i64 place) const {
    const PhiloxBlock block = philox(key, start + static_cast<u64>(number_of(b, h, query, place)) / kAttentionDraws);
#pragma unroll
    for (int i = 0; i < 4; ++i) words[i] = block.lane[i];
  }
  // Which of the results of two parts of 16 x 8 side by side dropout leaves, for queries along rows and keys from
  // `place` along columns. Four lanes have the same rows: each draws the numbers of a row of a part.
  RONDO_INLINE void keep_rows(bool (&kept)[2][4], i64 b, i64 h, i64 query, i64 place) const {
    u32 words[4];
    draw(words, b, h, query + g + t % 2 * 8, place + t / 2 * 8);
    exchange(words, t, 1);
#pragma unroll
    for (int i = 0; i < 8; ++i) kept[i / 4][i % 4] = (words[i / 2] >> (i % 2 * 16) & 0xffffu) >= threshold;
  }
  // The same for keys along rows and queries along columns. Eight lanes have the same columns: each draws the numbers
  // of a column of half a part: of four of them after an exchange, and of the four others.
  RONDO_INLINE void keep_columns(bool (&kept)[2][4], i64 b, i64 h, i64 query, i64 place) const {
    u32 words[4];
    draw(words, b, h, query + 2 * t + g % 2 + g / 4 * 8, place + g / 2 % 2 * 8);
    exchange(words, g / 2, 8);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const u32 other = __shfl_xor_sync(0xffffffffu, words[i], 4);
      const u32 first = (g % 2 ? other : words[i]) >> (g % 2 * 16) & 0xffffu;
      const u32 second = (g % 2 ? words[i] : other) >> (g % 2 * 16) & 0xffffu;
      // Lane 2 i drew for the first column, lane 2 i + 1 for the second, of half i % 2 of part i / 2.
      kept[i / 2][i % 2 * 2] = first >= threshold;
      kept[i / 2][i % 2 * 2 + 1] = second >= threshold;
    }
  }

  // The slope of the cap, if scores are capped.
  struct Slopes {
    f32 v[caps ? kAcross : 1][4];
    RONDO_INLINE f32 of(int i, int e) const {
      if constexpr (caps) return v[i][e];
      return 1;
    }
  };
  // Scores of products, but for the mask.
  RONDO_INLINE void note(Slopes& slopes, Scores& score) const {
#pragma unroll
    for (int i = 0; i < kAcross; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        score[i][e] *= scale;
        if constexpr (caps) {
          const f32 share = tanh(score[i][e] / cap);
          score[i][e] = cap * share;
          slopes.v[i][e] = 1 - share * share;
        }
      }
  }
  // A number of places from the tile's first on, as far as it has them.
  RONDO_INLINE static int within(i64 places) {
    return places < 0 ? 0 : places < tile ? static_cast<int>(places) : tile;
  }
  // Hides the keys from `place` on that queries from `query` on do not see; seen: by the lane's two. A mask that all
  // queries have in common is read once for both.
  RONDO_INLINE void see(Scores& score, i64 b, i64 h, i64 query, i64 place, const AttentionSpan (&seen)[2]) const {
    const int first[2] = {within(seen[0].begin - place), within(seen[1].begin - place)};
    const int end[2] = {within(seen[0].end - place), within(seen[1].end - place)};
    const Mask* row[2] = {};
    i64 step = 0;
    bool common = false;
    if constexpr (mask != AttentionMask::none) {
      row[0] = mask_of(b, h, query + g, place), row[1] = mask_of(b, h, query + g + 8, place);
      step = args.stride[kAttentionMask][3], common = row[0] == row[1];
    }
#pragma unroll
    for (int i = 0; i < kAcross; ++i)
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const int at = 8 * i + 2 * t + c;
        Mask here = {};
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const bool sees = at >= first[r] && at < end[r];
          f32& of = score[i][2 * r + c];
          if constexpr (mask != AttentionMask::none) {
            if (r == 0 && common && (sees || (at >= first[1] && at < end[1]))) here = row[0][at * step];
            if (sees && !common) here = row[r][at * step];
            if (sees) of = hidden(of, here);
          }
          if (!sees) of = attention_nowhere<f32>();
        }
      }
  }
  // The gradient of a product, but for the scale, from that of its part of the result.
  RONDO_INLINE f32 change(f32 part, f32 coming, f32 delta, f32 slope, bool kept) const {
    if constexpr (drops) coming = kept ? coming * rest : 0;
    f32 made = part * (coming - delta);
    if constexpr (caps) made *= slope;
    return part == 0 ? 0 : made;  // whatever came in
  }

  // The sums of 16 rows: the highest score, the sum of all parts and of their values, by that score.
  struct Softened {
    f32 top[2], total[2];
  };
  // Makes parts of the scores of queries from `query` on with a tile from `at` on.
  RONDO_INLINE void soften(Scores& score, Softened& of, Sums<head>& sum, i64 b, i64 h, i64 query, i64 at) const {
    f32 highest[2] = {of.top[0], of.top[1]};
#pragma unroll
    for (int i = 0; i < kAcross; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) highest[e / 2] = larger(highest[e / 2], score[i][e]);
    f32 base[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int delta = 1; delta < 4; delta *= 2) {
        highest[r] = larger(highest[r], __shfl_xor_sync(0xffffffffu, highest[r], delta));
      }
      // Nothing was seen so far: any base will do.
      base[r] = highest[r] == attention_nowhere<f32>() ? 0 : highest[r] * kBinaryLog;
      const f32 before = power_of_two(fma(of.top[r], kBinaryLog, -base[r]));
      of.top[r] = highest[r];
      of.total[r] *= before;
#pragma unroll
      for (int i = 0; i < head / 8; ++i) sum[i][2 * r] *= before, sum[i][2 * r + 1] *= before;
    }
    bool kept[2][4] = {};
#pragma unroll
    for (int i = 0; i < kAcross; ++i) {
      if (drops && i % 2 == 0) keep_rows(kept, b, h, query, at + 8 * i);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const f32 part = power_of_two(fma(score[i][e], kBinaryLog, -base[e / 2]));
        of.total[e / 2] += part;
        score[i][e] = drops && !kept[i % 2][e] ? 0 : part;
      }
    }
  }

  RONDO_INLINE void forward() {
    begin_draw();
    i64 b, h, first;
    if (!find(args.queries, args.heads, kRows, &b, &h, &first)) return;
    const AttentionReach reach(args, b);
    const AttentionSpan all = reach.keys_of(first, kRows);
    // The keys that each row of the block sees.
    const AttentionSpan every = {reach.keys_of(first + kRows - 1).begin, reach.keys_of(first).end};
    const bool whole = first + kRows <= reach.queries;
    const i64 begin = first + line;
    Rows q[sixteens];
    Sums<head> sum[sixteens] = {};
    Softened softened[sixteens];
#pragma unroll
    for (int p = 0; p < sixteens; ++p) {
      load(q[p], kAttentionQ, b, begin + 16 * p, h, args.queries);
      softened[p] = {{attention_nowhere<f32>(), attention_nowhere<f32>()}, {0, 0}};
    }
    const auto work = [&](i64 at, const M* keys, const M* values) {
      Scores score[sixteens];
      multiply(score, q, keys);
      const bool inside = mask == AttentionMask::none && whole && at >= every.begin && at + tile <= every.end;
#pragma unroll
      for (int p = 0; p < sixteens; ++p) {
        const i64 query = begin + 16 * p;
        Slopes slopes;
        note(slopes, score[p]);
        if (!inside) see(score[p], b, h, query, at, {reach.keys_of(query + g), reach.keys_of(query + g + 8)});
        soften(score[p], softened[p], sum[p], b, h, query, at);
      }
      add<head>(sum, score, values, 0);
    };
    each_tile(kAttentionK, kAttentionV, b, all, h / args.shared, work, [](i64, M*) {});
#pragma unroll
    for (int p = 0; p < sixteens; ++p) {
      f32 factor[2];
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const f32 total = join(softened[p].total[r]);
        factor[r] = total == 0 ? 0 : drops ? rest / total : 1 / total;
        const i64 query = begin + 16 * p + g + 8 * r;
        if (t == 0 && query < args.queries)
          *args.template row<f32>(kAttentionLse, b, query, h) =
              total == 0 ? attention_nowhere<f32>() : softened[p].top[r] + log(total);
      }
      store<head>(sum[p], kAttentionOut, b, begin + 16 * p, h, args.queries, 0, factor);
    }
  }

  // A row's logarithm as exponents have it; of one that saw nothing, so that all its parts are 0.
  RONDO_INLINE static f32 binary(f32 lse) {
    return lse == attention_nowhere<f32>() ? -lse : lse * kBinaryLog;
  }

  RONDO_INLINE void queries() {
    read_draw();
    i64 b, h, first;
    if (!find(args.queries, args.heads, kRows, &b, &h, &first)) return;
    const AttentionReach reach(args, b);
    const AttentionSpan all = reach.keys_of(first, kRows);
    const AttentionSpan seen[2] = {reach.keys_of(first + line + g), reach.keys_of(first + line + g + 8)};
    const AttentionSpan every = {reach.keys_of(first + kRows - 1).begin, reach.keys_of(first).end};
    const bool whole = first + kRows <= reach.queries;
    const i64 of = h / args.shared;
    Rows q[1], dy[1];
    f32 delta[2] = {0, 0}, lse[2];
    {
      Rows out;
      load(dy[0], kAttentionDy, b, first + line, h, args.queries);
      load(out, kAttentionOut, b, first + line, h, args.queries);
#pragma unroll
      for (int s = 0; s < kSteps; ++s)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          delta[i % 2] = fma(first_of<M>(out[s][i]), first_of<M>(dy[0][s][i]), delta[i % 2]);
          delta[i % 2] = fma(second_of<M>(out[s][i]), second_of<M>(dy[0][s][i]), delta[i % 2]);
        }
    }
    load(q[0], kAttentionQ, b, first + line, h, args.queries);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const i64 query = first + line + g + 8 * r;
      delta[r] = join(delta[r]);
      lse[r] = binary(attention_nowhere<f32>());
      if (query >= args.queries) continue;
      lse[r] = binary(*args.template row<f32>(kAttentionLse, b, query, h));
      if (args.has(kAttentionDlse)) delta[r] -= *args.template row<f32>(kAttentionDlse, b, query, h);
      if (t == 0) *args.template row<f32>(kAttentionDelta, b, query, h) = delta[r];
    }
    Sums<head> sum[1] = {};
    const auto work = [&](i64 at, const M* keys, const M* values) {
      const bool inside = mask == AttentionMask::none && whole && at >= every.begin && at + tile <= every.end;
      Scores score[1], coming[1];
      multiply(score, q, keys);
      multiply(coming, dy, values);
      Slopes slopes;
      note(slopes, score[0]);
      if (!inside) see(score[0], b, h, first + line, at, seen);
      bool kept[2][4] = {};
#pragma unroll
      for (int i = 0; i < kAcross; ++i) {
        if (drops && i % 2 == 0) keep_rows(kept, b, h, first + line, at + 8 * i);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const f32 part = power_of_two(fma(score[0][i][e], kBinaryLog, -lse[e / 2]));
          score[0][i][e] = change(part, coming[0][i][e], delta[e / 2], slopes.of(i, e), kept[i % 2][e]);
        }
      }
      add<head>(sum, score, keys, 0);
    };
    each_tile(kAttentionK, kAttentionV, b, all, of, work, [](i64, M*) {});
    store<head>(sum[0], kAttentionDq, b, first + line, h, args.queries, 0, {scale, scale});
  }

  RONDO_INLINE void keys() {
    read_draw();
    i64 b, of, first;
    if (!find(args.keys, args.heads / args.shared, kRows, &b, &of, &first)) return;
    const AttentionReach reach(args, b);
    const AttentionSpan all = reach.queries_of(first, kRows);
    const int begin = blockIdx.y * columns;
    Rows k[1], v[1];
    // Rows after the end may be anything.
    load(k[0], kAttentionK, b, first + line, of, reach.keys);
    load(v[0], kAttentionV, b, first + line, of, reach.keys);
    Sums<columns> dk[1] = {}, dv[1] = {};
    for (i64 h = of * args.shared; h < (of + 1) * args.shared; ++h) {
      // Each query's logarithm and delta.
      const auto beside = [&](i64 at, M* to) {
        f32 *const lse = reinterpret_cast<f32*>(to), *const delta = lse + tile;
        for (int i = threadIdx.x; i < tile; i += kThreads) {
          const bool there = at + i >= all.begin && at + i < all.end;
          lse[i] = binary(there ? *args.template row<f32>(kAttentionLse, b, at + i, h) : attention_nowhere<f32>());
          delta[i] = there ? *args.template row<f32>(kAttentionDelta, b, at + i, h) : 0;
        }
      };
      const auto work = [&](i64 at, const M* queries, const M* changes) {
        const f32 *const lse = reinterpret_cast<const f32*>(queries + 2 * tile * kPitch), *const delta = lse + tile;
        const bool inside = mask == AttentionMask::none && first + kRows <= reach.keys && at + tile <= all.end &&
                            reach.keys_of(at + tile - 1).begin <= first && reach.keys_of(at).end >= first + kRows;
        Scores score[1], coming[1];
        multiply(score, k, queries);
        multiply(coming, v, changes);
        Slopes slopes;
        note(slopes, score[0]);
        if (!inside)
#pragma unroll
          for (int i = 0; i < kAcross; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
              const i64 query = at + 8 * i + 2 * t + e % 2, place = first + line + g + e / 2 * 8;
              const AttentionSpan span = reach.keys_of(query);
              score[0][i][e] = masked(score[0][i][e], b, h, query, place, place >= span.begin && place < span.end);
            }
        bool kept[2][4] = {};
#pragma unroll
        for (int i = 0; i < kAcross; ++i) {
          if (drops && i % 2 == 0) keep_columns(kept, b, h, at + 8 * i, first + line);
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int column = 8 * i + 2 * t + e % 2;
            const f32 part = power_of_two(fma(score[0][i][e], kBinaryLog, -lse[column]));
            coming[0][i][e] = change(part, coming[0][i][e], delta[column], slopes.of(i, e), kept[i % 2][e]);
            score[0][i][e] = drops && !kept[i % 2][e] ? 0 : part;
          }
        }
        add<columns>(dv, score, changes, begin);
        add<columns>(dk, coming, queries, begin);
      };
      each_tile(kAttentionQ, kAttentionDy, b, all, h, work, beside);
    }
    const f32 of_values = drops ? rest : 1;
    store<columns>(dk[0], kAttentionDk, b, first + line, of, args.keys, begin, {scale, scale});
    store<columns>(dv[0], kAttentionDv, b, first + line, of, args.keys, begin, {of_values, of_values});
  }
};
#endif

}  // namespace rondo::device
