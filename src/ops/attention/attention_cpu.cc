// Computes attention on the host: a block of queries meets the keys a block at a time, and the sums of their scores are
// kept as it goes (M. Milakov, N. Gimelshein: "Online normalizer calculation for softmax", 2018), so that scores of all
// queries and keys are never in memory. Products of blocks are panels' (panels.h). Blocks of queries, and of keys where
// their gradients are made, are shared among workers; each is made by one of them, in one order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/machine/processors.h"
#include "dynlib/blas.h"
#include "engine/tasks/part_ranges.h"
#include "engine/tasks/workers.h"
#include "ops/attention/attention.h"
#include "ops/host/elementwise_loops.h"
#include "ops/host/panels.h"

namespace rondo::ops {

using namespace device;

namespace {

constexpr int64_t kQueries = 64;  // of a block
// The keys of a block: so many that a product of blocks is small enough for a library to make it in the calling thread.
int64_t keys_of_block(int64_t size) {
  return std::clamp<int64_t>((int64_t{1} << 18) / (kQueries * size) / 16 * 16, 16, 128);
}

// Scratch memory of one thread: blocks of rows, some turned, and of scores.
struct Sizes {
  int64_t block, rows, scores, all;
  Sizes(const AttentionPlan& plan)
      : block(keys_of_block(plan.size())),
        rows(std::max(kQueries, block) * plan.size()),
        scores(kQueries * block),
        all((plan.gradient ? 10 : 4) * rows + (plan.gradient ? 4 : 1) * scores + 2 * kQueries) {}
};

template <class T>
class Attention {
 public:
  using C = Register<T>;
  static constexpr C kNowhere = -std::numeric_limits<C>::infinity();

  Attention(const AttentionPlan& plan, const AttentionArguments& args, int64_t threads, char* workspace)
      : plan_(plan),
        args_(args),
        sizes_(plan),
        threads_(threads),
        scratch_(reinterpret_cast<C*>(workspace)),
        mask_(plan.mask()),
        scale_(static_cast<C>(args.scale)),
        cap_(static_cast<C>(args.cap)),
        rest_(C(1) / static_cast<C>(1 - args.dropped)),
        threshold_(attention_threshold(args.dropped)) {
    if ((plan.gradient || plan.kept) && plan.drops()) {
      key_ = static_cast<const uint64_t*>(args.at[kAttentionDraw])[0];
      start_ = static_cast<const uint64_t*>(args.at[kAttentionDraw])[1];
    } else if (plan.drops()) {
      key_ = args.key;
      start_ = args.start;
      static_cast<uint64_t*>(args.at[kAttentionDraw])[0] = key_;
      static_cast<uint64_t*>(args.at[kAttentionDraw])[1] = start_;
    }
  }

  void run() {
    if (plan_.kept)
      return each_block(args_.queries, kQueries, args_.heads,
                        [&](int64_t b, int64_t h, int64_t first, C*) { kept(b, h, first); });
    if (!plan_.gradient)
      return each_block(args_.queries, kQueries, args_.heads,
                        [&](int64_t b, int64_t h, int64_t first, C* memory) { forward(b, h, first, memory); });
    each_block(args_.queries, kQueries, args_.heads,
               [&](int64_t b, int64_t h, int64_t first, C* memory) { queries(b, h, first, memory); });
    each_block(args_.keys, sizes_.block, args_.heads / args_.shared,
               [&](int64_t b, int64_t h, int64_t first, C* memory) { keys(b, h, first, memory); });
  }

 private:
  // make(b, h, first place, scratch memory) for all blocks of so many places.
  template <class Make>
  void each_block(int64_t places, int64_t block, int64_t heads, const Make& make) {
    const int64_t blocks = (places + block - 1) / block, parts = blocks * heads * args_.batch;
    PartRanges ranges(parts, threads_);
    Workers::share(std::min(threads_, parts), [&](int64_t thread) {
      C* const memory = scratch_ + thread * sizes_.all;
      for (int64_t part; (part = ranges.take(thread)) >= 0;)
        make(part / blocks / heads, part / blocks % heads, part % blocks * block, memory);
    });
  }

  // Rows of an array, one after the other, or, transposed, next to each other.
  [[gnu::noinline]] void load(int array, int64_t b, int64_t h, int64_t first, int64_t count, C* to) const {
    for (int64_t i = 0; i < count; ++i)
      moves_.load(to + i * args_.size,
                  reinterpret_cast<const char*>(args_.template row<const T>(array, b, first + i, h)),
                  args_.stride[array][3], args_.size);
  }
  void turn(int64_t count, const C* from, C* to) const { transpose_rows(count, args_.size, from, to); }
  // A few at a time, so that whole lines of the cache are read and written.
  [[gnu::noinline]] static void transpose_rows(int64_t rows, int64_t columns, const C* from, C* to) {
    constexpr int64_t kTile = 8;
    for (int64_t i = 0; i < rows; i += kTile)
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t r = i; r < std::min(i + kTile, rows); ++r) to[j * rows + r] = from[r * columns + j];
  }
  void store(int array, int64_t b, int64_t h, int64_t place, C* from, C factor) const {
    for (int64_t x = 0; x < args_.size; ++x) from[x] *= factor;
    moves_.store(reinterpret_cast<char*>(args_.template row<T>(array, b, place, h)), args_.stride[array][3], from,
                 args_.size);
  }

  // Products of queries and keys become scores, before the mask.
  void score(C* values, int64_t count) const {
    if (cap_ > C(0))
      for (int64_t i = 0; i < count; ++i) values[i] = attention_score(values[i], scale_, cap_);
    else
      for (int64_t i = 0; i < count; ++i) values[i] *= scale_;
  }
  // A query's scores of keys from `first` on, after the mask.
  void hide(const AttentionReach& reach, int64_t b, int64_t h, int64_t query, int64_t first, int64_t count,
            C* row) const {
    const AttentionSpan seen = reach.keys_of(query);
    const int64_t begin = std::clamp<int64_t>(seen.begin - first, 0, count),
                  end = std::clamp<int64_t>(seen.end - first, begin, count);
    std::fill(row, row + begin, kNowhere);
    std::fill(row + end, row + count, kNowhere);
    if (mask_ == AttentionMask::none) return;
    const i64* step = args_.stride[kAttentionMask];
    const int64_t at = b * step[0] + h * step[1] + query * step[2] + first * step[3];
    if (mask_ == AttentionMask::chosen) {
      const b8* mask = static_cast<const b8*>(args_.at[kAttentionMask]) + at;
      for (int64_t j = begin; j < end; ++j)
        if (!from_memory(mask[j * step[3]])) row[j] = kNowhere;
    } else {
      const T* mask = static_cast<const T*>(args_.at[kAttentionMask]) + at;
      for (int64_t j = begin; j < end; ++j) row[j] += from_memory(mask[j * step[3]]);
    }
  }
  bool keeps(int64_t b, int64_t h, int64_t query, int64_t key) const {
    const int64_t row = (b * args_.heads + h) * args_.queries + query;
    return attention_keeps(key_, start_, row * attention_pitch(args_.keys) + key, threshold_);
  }
  // to[j] = exp(from[j] - top), and 0 of what is nowhere.
  void exponentials(C* to, const C* from, C top, int64_t count) const {
    if (top == kNowhere) {
      for (int64_t j = 0; j < count; ++j) to[j] = from[j] == kNowhere ? C(0) : std::exp(from[j] - top);
      return;
    }
    if constexpr (std::is_same_v<C, float>)
      table_.exponentials(to, from, top, count);
    else
      for (int64_t j = 0; j < count; ++j) to[j] = std::exp(from[j] - top);
  }
  C largest(const C* values, int64_t count, C top) const {
    if constexpr (std::is_same_v<C, float>) {
      const C highest = table_.largest(values, count);
      return highest > top ? highest : top;
    }
    for (int64_t j = 0; j < count; ++j) top = values[j] > top ? values[j] : top;
    return top;
  }
  static C total(const C* values, int64_t count) {
    constexpr int64_t kLanes = 16;
    C lanes[kLanes] = {};
    int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes)
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] += values[j + l];
    for (int64_t l = 0; j + l < count; ++l) lanes[l] += values[j + l];
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (int64_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    return lanes[0];
  }

  void forward(int64_t b, int64_t h, int64_t first, C* memory) const {
    const int64_t size = args_.size, count = std::min<int64_t>(kQueries, args_.queries - first), of = h / args_.shared;
    C *q = memory, *k = q + sizes_.rows, *v = k + sizes_.rows, *sum = v + sizes_.rows, *scores = sum + sizes_.rows,
      *top = scores + sizes_.scores, *totals = top + kQueries;
    const AttentionReach reach(args_, b);
    const AttentionSpan all = reach.keys_of(first, count);
    load(kAttentionQ, b, h, first, count, q);
    std::fill(sum, sum + count * size, C(0));
    std::fill(top, top + count, kNowhere);
    std::fill(totals, totals + count, C(0));
    for (int64_t at = all.begin; at < all.end; at += sizes_.block) {
      const int64_t keys = std::min<int64_t>(sizes_.block, all.end - at);
      load(kAttentionK, b, of, at, keys, v);
      turn(keys, v, k);
      load(kAttentionV, b, of, at, keys, v);
      std::fill(scores, scores + count * keys, C(0));
      multiply_panels(count, keys, size, q, k, scores);
      score(scores, count * keys);
      for (int64_t i = 0; i < count; ++i) {
        C* const row = scores + i * keys;
        hide(reach, b, h, first + i, at, keys, row);
        const C highest = largest(row, keys, top[i]);
        const C before = top[i] == kNowhere ? C(0) : std::exp(top[i] - highest);
        top[i] = highest;
        exponentials(row, row, highest, keys);
        totals[i] = totals[i] * before + total(row, keys);
        if (before != C(1))
          for (int64_t x = 0; x < size; ++x) sum[i * size + x] *= before;
        if (plan_.drops())
          for (int64_t j = 0; j < keys; ++j)
            if (row[j] != C(0) && !keeps(b, h, first + i, at + j)) row[j] = 0;
      }
      multiply_panels(count, size, keys, scores, v, sum);
    }
    for (int64_t i = 0; i < count; ++i) {
      const bool none = totals[i] == C(0);
      store(kAttentionOut, b, h, first + i, sum + i * size, none ? C(0) : (plan_.drops() ? rest_ : C(1)) / totals[i]);
      *args_.template row<C>(kAttentionLse, b, first + i, h) = none ? kNowhere : top[i] + std::log(totals[i]);
    }
  }

  void kept(int64_t b, int64_t h, int64_t first) const {
    const i64* step = args_.stride[kAttentionOut];
    for (int64_t query = first; query < std::min<int64_t>(first + kQueries, args_.queries); ++query) {
      C* const to = static_cast<C*>(args_.at[kAttentionOut]) + b * step[0] + h * step[1] + query * step[2];
      for (int64_t key = 0; key < args_.keys; ++key) to[key * step[3]] = keeps(b, h, query, key) ? rest_ : C(0);
    }
  }

  // For a block of queries, from `query` on, and of keys, from `key` on: makes the share of each in the result, in
  // `parts`, and the gradient of each score, in `changes`; k and v transposed. `scores` is needed meanwhile.
  struct Meeting {
    int64_t b, h, query, queries, key, keys;
    const C *q, *dy, *k_turned, *v_turned;
    C *scores, *parts, *changes;
  };
  void meet(const AttentionReach& reach, const Meeting& m) const {
    const int64_t n = m.queries * m.keys;
    std::fill(m.scores, m.scores + n, C(0));
    multiply_panels(m.queries, m.keys, args_.size, m.q, m.k_turned, m.scores);
    score(m.scores, n);
    std::fill(m.changes, m.changes + n, C(0));
    multiply_panels(m.queries, m.keys, args_.size, m.dy, m.v_turned, m.changes);
    std::copy_n(m.scores, n, m.parts);
    for (int64_t i = 0; i < m.queries; ++i) {
      const int64_t query = m.query + i;
      C *parts = m.parts + i * m.keys, *changes = m.changes + i * m.keys;
      const C* scores = m.scores + i * m.keys;
      hide(reach, m.b, m.h, query, m.key, m.keys, parts);
      exponentials(parts, parts, *args_.template row<C>(kAttentionLse, m.b, query, m.h), m.keys);
      const C delta = *args_.template row<C>(kAttentionDelta, m.b, query, m.h);
      if (plan_.drops()) {
        for (int64_t j = 0; j < m.keys; ++j) {
          const C kept = keeps(m.b, m.h, query, m.key + j) ? rest_ : C(0);
          changes[j] = parts[j] == C(0) ? C(0) : parts[j] * (changes[j] * kept - delta);
          parts[j] *= kept;
        }
      } else {
        for (int64_t j = 0; j < m.keys; ++j) changes[j] = parts[j] == C(0) ? C(0) : parts[j] * (changes[j] - delta);
      }
      // A key that is not seen may have any score, and so any slope.
      if (cap_ > C(0))
        for (int64_t j = 0; j < m.keys; ++j)
          changes[j] = changes[j] == C(0) ? C(0) : changes[j] * attention_slope(scores[j], scale_, cap_);
      else
        for (int64_t j = 0; j < m.keys; ++j) changes[j] *= scale_;
    }
  }

  void queries(int64_t b, int64_t h, int64_t first, C* memory) const {
    const int64_t size = args_.size, count = std::min<int64_t>(kQueries, args_.queries - first), of = h / args_.shared;
    C *q = memory, *dy = q + sizes_.rows, *k = dy + sizes_.rows, *k_turned = k + sizes_.rows,
      *v = k_turned + sizes_.rows, *v_turned = v + sizes_.rows, *sum = v_turned + sizes_.rows,
      *scores = sum + sizes_.rows, *parts = scores + sizes_.scores, *changes = parts + sizes_.scores;
    const AttentionReach reach(args_, b);
    const AttentionSpan all = reach.keys_of(first, count);
    load(kAttentionDy, b, h, first, count, dy);
    load(kAttentionOut, b, h, first, count, q);
    for (int64_t i = 0; i < count; ++i) {
      double dot = 0;
      for (int64_t x = 0; x < size; ++x)
        dot += static_cast<double>(q[i * size + x]) * static_cast<double>(dy[i * size + x]);
      if (args_.has(kAttentionDlse))
        dot -= static_cast<double>(*args_.template row<C>(kAttentionDlse, b, first + i, h));
      *args_.template row<C>(kAttentionDelta, b, first + i, h) = static_cast<C>(dot);
    }
    load(kAttentionQ, b, h, first, count, q);
    std::fill(sum, sum + count * size, C(0));
    for (int64_t at = all.begin; at < all.end; at += sizes_.block) {
      const int64_t keys = std::min<int64_t>(sizes_.block, all.end - at);
      load(kAttentionK, b, of, at, keys, k);
      turn(keys, k, k_turned);
      load(kAttentionV, b, of, at, keys, v);
      turn(keys, v, v_turned);
      meet(reach, {b, h, first, count, at, keys, q, dy, k_turned, v_turned, scores, parts, changes});
      multiply_panels(count, size, keys, changes, k, sum);
    }
    for (int64_t i = 0; i < count; ++i) store(kAttentionDq, b, h, first + i, sum + i * size, C(1));
  }

  void keys(int64_t b, int64_t of, int64_t first, C* memory) const {
    const int64_t size = args_.size;
    const AttentionReach reach(args_, b);
    // Values after the end may be anything: they are not read.
    const int64_t places = std::min<int64_t>(sizes_.block, args_.keys - first),
                  count = std::clamp<int64_t>(reach.keys - first, 0, places);
    C *q = memory, *dy = q + sizes_.rows, *k = dy + sizes_.rows, *k_turned = k + sizes_.rows,
      *v = k_turned + sizes_.rows, *v_turned = v + sizes_.rows, *dk = v_turned + sizes_.rows, *dv = dk + sizes_.rows,
      *scores = dv + sizes_.rows, *parts = scores + sizes_.scores, *changes = parts + sizes_.scores,
      *transposed = changes + sizes_.scores;
    load(kAttentionK, b, of, first, count, k);
    turn(count, k, k_turned);
    load(kAttentionV, b, of, first, count, v);
    turn(count, v, v_turned);
    std::fill(dk, dk + places * size, C(0));
    std::fill(dv, dv + places * size, C(0));
    const AttentionSpan all = reach.queries_of(first, count);
    for (int64_t h = of * args_.shared; h < (of + 1) * args_.shared; ++h) {
      for (int64_t at = all.begin; at < all.end; at += kQueries) {
        const int64_t queries = std::min<int64_t>(kQueries, all.end - at);
        load(kAttentionQ, b, h, at, queries, q);
        load(kAttentionDy, b, h, at, queries, dy);
        meet(reach, {b, h, at, queries, first, count, q, dy, k_turned, v_turned, scores, parts, changes});
        transpose_rows(queries, count, parts, transposed);
        multiply_panels(count, size, queries, transposed, dy, dv);
        transpose_rows(queries, count, changes, transposed);
        multiply_panels(count, size, queries, transposed, q, dk);
      }
    }
    for (int64_t i = 0; i < places; ++i) {
      store(kAttentionDk, b, of, first + i, dk + i * size, C(1));
      store(kAttentionDv, b, of, first + i, dv + i * size, C(1));
    }
  }

  const AttentionPlan& plan_;
  const AttentionArguments& args_;
  const Sizes sizes_;
  const int64_t threads_;  // that have scratch memory
  C* const scratch_;
  const AttentionMask mask_;
  const C scale_, cap_, rest_;
  const uint32_t threshold_;
  uint64_t key_ = 0, start_ = 0;
  const Loops& table_ = loops(instructions());
  const Moves moves_ = table_.moves(plan_.q().dtype, false);
};

class CpuAttention final : public Computation {
 public:
  explicit CpuAttention(const AttentionPlan& plan) : Computation(plan.name, plan.q().device()), plan_(plan) {
    plan.declare(*this);
    random_count_ = plan.draws();
    if (have_blas()) lendable_ = blas().same_on_every_thread();
    const Sizes sizes(plan);
    int64_t parts = plan.batch() * plan.heads() * ((plan.queries() + kQueries - 1) / kQueries);
    if (plan.gradient)
      parts = std::max(parts, plan.batch() * plan.key_heads() * ((plan.keys() + sizes.block - 1) / sizes.block));
    threads_ = std::clamp<int64_t>(parts, 1, known_processors());
    delta_ = (plan.delta_bytes() + 63) / 64 * 64;
    workspace_bytes_ = delta_ + static_cast<size_t>(threads_ * sizes.all) * dtype_size(compute_dtype(plan.q().dtype));
  }
  Status run(const TaskContext& context) override {
    AttentionArguments args = plan_.arguments();
    for (int a = 0; a < kAttentionArrays; ++a)
      if (plan_.uses(a)) args.at[a] = plan_.view[a]->address();
    args.at[kAttentionDelta] = context.workspace;
    const RandomState first = context.first_number(random_);
    args.key = first.seed;
    args.start = first.offset;
    char* const scratch = static_cast<char*>(context.workspace) + delta_;
    with_float_element(plan_.q().dtype, [&]<class T>(T*) { Attention<T>(plan_, args, threads_, scratch).run(); });
    return {};
  }
  void set_random(RandomState own, RandomState) override { random_ = own; }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CpuAttention>(memory.moved(plan_));
  }

 private:
  const AttentionPlan plan_;
  RandomState random_;
  int64_t threads_ = 1;
  size_t delta_ = 0;
};

}  // namespace

Ref<OperatorTask> make_cpu_attention(const AttentionPlan& plan) {
  return make_ref<CpuAttention>(plan);
}

}  // namespace rondo::ops
