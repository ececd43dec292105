// Reductions on the host. Elements are combined pairwise: halves of the reduced range are reduced apart and joined,
// down to leaves of a fixed length, so that rounding errors grow with the depth of the tree and results depend on the
// shape alone.
//
// Each reduction comes as a table of its loops over values (ops/values.h); how the range is cut is the same for all.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/workers.h"
#include "ops/reduce.h"
#include "ops/reduction_values.h"

namespace rondo::ops {

namespace {

constexpr int64_t kLeaf = 256;          // elements combined one by one
constexpr int64_t kLongLeaf = 1 << 13;  // where the order does not matter
constexpr int kLanes = 8;               // independent chains within a leaf of one result
constexpr int64_t kPart = 1 << 15;      // elements that are worth handing to another thread, of so many in all
constexpr int64_t kShared = 1 << 17;

using device::ReduceFacts;

struct Steps : ValueSteps {
  int64_t leaf;
  void (*join)(void* to, const void* from, int64_t n);
  // To one accumulator, n neighbours in the range from `index` on; to n accumulators, a value each of so many rows,
  // which lie `step` apart, the first of them at `index`.
  void (*along)(void* to, const void* values, int64_t n, int64_t index, const ReduceFacts& facts);
  void (*across)(void* to, const void* values, int64_t n, int64_t rows, int64_t step, int64_t index,
                 const ReduceFacts& facts);
  void (*finish)(void* results, const void* from, int64_t n, const ReduceFacts& facts);
};

template <class Op>
struct LoopsOf : ValueLoops<Op> {
  using typename ValueLoops<Op>::Acc;
  using typename ValueLoops<Op>::V;
  using typename ValueLoops<Op>::Result;
  // Whether the results are the same however elements are combined.
  static constexpr bool exact = !device::is_floating<typename Op::Computed>;

  static void join(void* to, const void* from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) Op::join(static_cast<Acc*>(to)[i], static_cast<const Acc*>(from)[i]);
  }
  static void along(void* to, const void* values, int64_t n, int64_t index, const ReduceFacts& facts) {
    const V* at = static_cast<const V*>(values);
    Acc lanes[kLanes];
    std::fill(lanes, lanes + kLanes, Op::identity());
    int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
      for (int l = 0; l < kLanes; ++l) Op::take(lanes[l], at[j + l], index + j + l, facts);
    for (; j < n; ++j) Op::take(lanes[j % kLanes], at[j], index + j, facts);
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) Op::join(lanes[l], lanes[l + width]);
    Op::join(*static_cast<Acc*>(to), lanes[0]);
  }
  static void across(void* to, const void* values, int64_t n, int64_t rows, int64_t step, int64_t index,
                     const ReduceFacts& facts) {
    Acc* acc = static_cast<Acc*>(to);
    const V* at = static_cast<const V*>(values);
    for (int64_t row = 0; row < rows; ++row, at += step)
      for (int64_t i = 0; i < n; ++i) Op::take(acc[i], at[i], index + row, facts);
  }
  static void finish(void* results, const void* from, int64_t n, const ReduceFacts& facts) {
    for (int64_t i = 0; i < n; ++i)
      static_cast<Result*>(results)[i] = Op::result(static_cast<const Acc*>(from)[i], facts);
  }
};

template <class Op>
constexpr Steps kSteps = {ValueLoops<Op>::steps, LoopsOf<Op>::exact ? kLongLeaf : kLeaf,
                          LoopsOf<Op>::join,     LoopsOf<Op>::along,
                          LoopsOf<Op>::across,   LoopsOf<Op>::finish};

const Steps* steps_of(ReduceOp op, rondo_dtype dtype) {
  return with_reduction(op, [dtype]<class Parts>() {
    return with_reduction_value<Parts, false>(
        dtype, []<class V>(V*) -> const Steps* { return &kSteps<typename Parts::template Of<false, V>>; });
  });
}

struct Reducer : ValueRun<ReducePlan, Steps> {
  int64_t run_size = 1, run_step = 0;  // of the reduced range

  explicit Reducer(const ReducePlan& plan) : ValueRun(plan, *steps_of(plan.op, plan.in.dtype), plan.kept) {
    if (const int inner = plan.reduced.count - 1; inner >= 0) {
      run_size = plan.reduced.size[inner];
      run_step = plan.reduced.stride[0][inner];
    }
  }

  // Results [i, end).
  void results(int64_t i, int64_t end) const {
    while (i < end) {
      const int64_t count = std::min(row.together(i, run_step), end - i);
      Accumulators acc;
      reduce(plan.in.address() + plan.kept.offset(0, i) * in_size, 0, facts.length, &acc, count);
      ValueBlock room;
      steps.finish(room.bytes, acc.bytes, count, facts);
      writer.write(plan.out.address() + plan.kept.offset(1, i) * out_size, row.out_step, room.bytes, count);
      i += count;
    }
  }

  // [begin, end) of the reduced range for `count` results.
  void reduce(const char* from, int64_t begin, int64_t end, Accumulators* acc, int64_t count) const {
    if (const int64_t leaf = steps.leaf; end - begin > leaf) {
      const int64_t middle = begin + (end - begin + leaf - 1) / leaf / 2 * leaf;
      Accumulators right;
      reduce(from, begin, middle, acc, count);
      reduce(from, middle, end, &right, count);
      return steps.join(acc->bytes, right.bytes, count);
    }
    steps.clear(acc->bytes, count);
    ValueBlock room;
    while (begin < end) {
      int64_t run = std::min(end - begin, run_size - begin % run_size);
      const char* at = from + plan.reduced.offset(0, begin) * in_size;
      if (count == 1) {
        if (!reader.as_it_lies(run_step)) run = std::min(run, kMostValues);
        steps.along(acc->bytes, reader.read(at, run_step, run, &room), run, begin, facts);
      } else if (reader.as_it_lies(row.in_step)) {
        steps.across(acc->bytes, at, count, run, run_step, begin, facts);
      } else {
        for (int64_t j = 0; j < run; ++j, at += run_step * in_size)
          steps.across(acc->bytes, reader.read(at, row.in_step, count, &room), count, 1, 0, begin + j, facts);
      }
      begin += run;
    }
  }
};

}  // namespace

void reduce_on_cpu(const ReducePlan& plan) {
  const Reducer reducer(plan);
  const int64_t outputs = plan.outputs(), length = plan.length();
  // Several threads for what is large; each result is one thread's.
  if (outputs * length < kShared) return reducer.results(0, outputs);
  const int64_t part =
      std::max<int64_t>(kPart / std::max<int64_t>(length, 1), reducer.row.together(0, reducer.run_step));
  Workers::share((outputs + part - 1) / part,
                 [&](int64_t number) { reducer.results(number * part, std::min((number + 1) * part, outputs)); });
}

}  // namespace rondo::ops
