// Reduces on the host. Elements are combined pairwise: halves of the reduced range are reduced apart and joined, down
// to leaves of a fixed length, so that rounding errors grow with the depth of the tree and results depend on the shape
// alone. Threads share results, and the tree's upper branches where results are few.
//
// Each reduction comes as a table of its loops over values (ops/host/values.h); how the range is cut is the same for
// all.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "engine/tasks/workers.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/host/reduction_values.h"
#include "ops/operators/reductions.h"
#include "ops/reduce/reduce.h"

namespace rondo::ops {

namespace {

constexpr int64_t kLeaf = 256;          // elements combined one by one
constexpr int64_t kLongLeaf = 1 << 17;  // where the order does not matter
constexpr int kLanes = 8;               // independent chains within a leaf of one result
constexpr int64_t kPart = 1 << 15;      // elements that are worth handing to another thread, of so many in all
constexpr int64_t kShared = 1 << 17;
constexpr int64_t kParts = 32;  // of few results

constexpr int64_t kTogether = 64;  // results side by side in a tree
// Accumulators of results side by side where there is no tree, whose branches have each their own.
struct Row {
  alignas(64) std::byte bytes[16384];
};

struct ReduceLoops : ValueSteps {
  bool exact;   // the results are the same however elements are combined
  size_t size;  // bytes of an accumulator
  uint64_t bits;
  void (*join)(void* to, const void* from, int64_t n);
  void (*finish)(void* results, const void* from, int64_t n, const HostFacts& facts);
  FoldLoops loops;
  // For results of f64 whose elements may be scaled: by what they should be; null: they are not.
  void (*scales)(double* to, const void* from, int64_t n, const HostFacts& facts) = nullptr;

  int64_t leaf() const { return exact ? kLongLeaf : kLeaf; }
};

// The ends that depend on accumulators alone.
template <class Op, class Result>
struct EndsOf {
  using Acc = typename Op::Acc;
  static void clear(void* to, int64_t n) { std::fill_n(static_cast<Acc*>(to), n, Op::identity()); }
  static void join(void* to, const void* from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) Op::join(static_cast<Acc*>(to)[i], static_cast<const Acc*>(from)[i]);
  }
  static void finish(void* results, const void* from, int64_t n, const HostFacts& facts) {
    for (int64_t i = 0; i < n; ++i)
      static_cast<Result*>(results)[i] = Op::result(static_cast<const Acc*>(from)[i], facts);
  }
};

// --- by what a row of the table is made of
template <class Op>
struct ScalingOf {
  static constexpr auto scales = nullptr;
};
template <class Op>
requires(Op::kScales) struct ScalingOf<Op> {
  static void scales(double* to, const void* from, int64_t n, const HostFacts& facts) {
    for (int64_t i = 0; i < n; ++i) to[i] = Op::scale_after(static_cast<const typename Op::Acc*>(from)[i], facts.scale);
  }
};

template <class Op>
struct LoopsOf : ValueLoops<Op> {
  using typename ValueLoops<Op>::Acc;
  using typename ValueLoops<Op>::V;
  using Result = typename ValueLoops<Op>::Result;
  using Ends = EndsOf<Op, Result>;

  static V scaled(V value, const HostFacts& facts) {
    if constexpr (Op::kScales)
      return value * facts.scale;
    else
      return value;
  }
  static void finish(void* results, const void* from, int64_t n, const HostFacts& facts) {
    Ends::finish(results, from, n, facts);
    if constexpr (Op::kScales)
      for (int64_t i = 0; i < n; ++i) {
        Result& each = static_cast<Result*>(results)[i];
        each = Op::unscaled(each, static_cast<Result>(facts.scale));
      }
  }
  static void along(void* to, const void* values, int64_t n, int64_t index, const HostFacts& facts) {
    const V* at = static_cast<const V*>(values);
    Acc lanes[kLanes];
    std::fill(lanes, lanes + kLanes, Op::identity());
    int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
      for (int l = 0; l < kLanes; ++l) Op::take(lanes[l], scaled(at[j + l], facts), index + j + l, facts);
    for (; j < n; ++j) Op::take(lanes[j % kLanes], scaled(at[j], facts), index + j, facts);
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) Op::join(lanes[l], lanes[l + width]);
    Op::join(*static_cast<Acc*>(to), lanes[0]);
  }
  static void across(void* to, const void* values, int64_t n, int64_t rows, int64_t step, int64_t index,
                     const HostFacts& facts) {
    Acc* acc = static_cast<Acc*>(to);
    const V* at = static_cast<const V*>(values);
    for (int64_t row = 0; row < rows; ++row, at += step)
      for (int64_t i = 0; i < n; ++i) Op::take(acc[i], scaled(at[i], facts), index + row, facts);
  }
  static constexpr ReduceLoops steps = {ValueLoops<Op>::steps,
                                        !device::is_floating<typename Op::Computed>,
                                        sizeof(Acc),
                                        0,
                                        Ends::join,
                                        finish,
                                        {along, across},
                                        ScalingOf<Op>::scales};
};

// --- comparisons and tests
struct FoldRow {
  bool any = false;
  Fold kind = Fold::largest;
  bool smallest = false;
};
template <template <class, bool> class Accumulator>
constexpr FoldRow kFoldRow;
template <>
constexpr FoldRow kFoldRow<device::Largest> = {true, Fold::largest, false};
template <>
constexpr FoldRow kFoldRow<device::Smallest> = {true, Fold::largest, true};
template <>
constexpr FoldRow kFoldRow<device::FirstLargest> = {true, Fold::first_largest, false};
template <>
constexpr FoldRow kFoldRow<device::FirstSmallest> = {true, Fold::first_largest, true};
template <>
constexpr FoldRow kFoldRow<device::AnyOf> = {true, Fold::any, false};
template <>
constexpr FoldRow kFoldRow<device::AllOf> = {true, Fold::all, false};
template <class Op>
constexpr FoldRow kFoldOf;
template <bool on_device, class M, class Domain, class Before, template <class, bool> class Accumulator, class After>
constexpr FoldRow kFoldOf<device::Reduction<on_device, M, Domain, Before, Accumulator, After>> = kFoldRow<Accumulator>;

template <class K>
struct LargestKey {
  using Acc = K;
  static Acc identity() { return device::weakest<K, true>(); }
  static void join(Acc& acc, Acc other) {
    if (device::beats<K, true>(other, acc)) acc = other;
  }
  static K result(Acc acc, const HostFacts& facts) { return flipped(acc, facts.bits); }
};
template <class K>
struct FirstKey {
  using Acc = Found<K>;
  static Acc identity() { return {-1, K(0)}; }
  static void join(Acc& acc, Acc other) {  // the other follows
    if (acc.index < 0 || (other.index >= 0 && device::beats<K, true>(other.key, acc.key))) acc = other;
  }
  static int64_t result(Acc acc, const HostFacts&) { return acc.index; }
};
template <class K, bool all>
struct Test {
  using Acc = BitsOf<K>;
  static Acc identity() { return 0; }
  static void join(Acc& acc, Acc other) { acc = static_cast<Acc>(acc | other); }
  static bool result(Acc acc, const HostFacts&) { return (acc != 0) != all; }
};

template <class Op, class Result>
ReduceLoops with_ends(rondo_dtype values, rondo_dtype results, const FoldLoops& loops) {
  using Ends = EndsOf<Op, Result>;
  return {{values, results, false, Ends::clear}, true, sizeof(typename Op::Acc), 0, Ends::join, Ends::finish, loops};
}

ReduceLoops fold_steps(const FoldRow& row, rondo_dtype dtype) {
  const size_t size = dtype_size(dtype);
  const bool test = row.kind == Fold::any || row.kind == Fold::all;
  rondo_dtype values = dtype == RONDO_BOOL ? RONDO_U8 : compute_dtype(dtype);
  if (test) values = size == 1 ? RONDO_U8 : size == 2 ? RONDO_U16 : size == 4 ? RONDO_U32 : RONDO_U64;
  if (row.kind == Fold::first_largest && dtype_size(values) < 4) values = RONDO_I32;
  const FoldLoops made = loops(instructions()).fold(row.kind, values);
  ReduceLoops steps = with_key(values, [&]<class K>(K*) -> ReduceLoops {
    switch (row.kind) {
      case Fold::largest: return with_ends<LargestKey<K>, K>(values, values, made);
      case Fold::first_largest: return with_ends<FirstKey<K>, int64_t>(values, RONDO_I64, made);
      case Fold::any: return with_ends<Test<K, false>, bool>(values, RONDO_BOOL, made);
      case Fold::all: return with_ends<Test<K, true>, bool>(values, RONDO_BOOL, made);
    }
    __builtin_unreachable();  // the compiler warns of an enumerator without a case
  });
  const uint64_t sign = uint64_t{1} << (8 * dtype_size(values) - 1);
  steps.as_bits = test;
  if (test)
    steps.bits = is_float(dtype) ? sign - 1 : ~uint64_t{0};  // negative zero is none
  else if (is_float(values))
    steps.bits = row.smallest ? sign : 0;
  else
    steps.bits = (row.smallest ? ~uint64_t{0} : 0) ^ (is_unsigned(values) ? sign : 0);
  return steps;
}

ReduceLoops steps_of(ReduceOp op, rondo_dtype dtype) {
  return with_reduction(op, [dtype]<class Parts>() -> ReduceLoops {
    if constexpr (constexpr FoldRow row = kFoldOf<typename Parts::template Of<false, float>>; row.any)
      return fold_steps(row, dtype);
    else
      return with_reduction_value<Parts, false>(
          dtype, []<class V>(V*) -> ReduceLoops { return LoopsOf<typename Parts::template Of<false, V>>::steps; });
  });
}

// --- the range
// Of an expression, elements in a row, as if they had been in memory; and what another makes of results.
class MadeElements {
 public:
  static constexpr int64_t kRooms = 8;
  explicit MadeElements(const ReducePlan& plan) : plan_(plan) {
    if (plan.expression) evaluator_.emplace(plan.expression->expression, plan.expression->scalars.data());
    if (plan.finish) finish_.emplace(plan.finish->expression, plan.finish->scalars.data());
  }
  // Room for rows that are read before they are taken. On the heap, as the next: callers may have small stacks.
  ValueBlock* rooms() {
    if (!rooms_) rooms_ = std::make_unique_for_overwrite<ValueBlock[]>(kRooms);
    return rooms_.get();
  }
  // Room for the right branches of a tree, the same for each of this part's.
  std::byte* branches(size_t bytes) {
    if (!branches_) branches_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    return branches_.get();
  }
  // n neighbours from `at` of the reduced range on, of result i; or across: of n results from i on.
  void row(int64_t i, int64_t at, bool across, int64_t n, void* to) {
    const ReducedExpression& made = *plan_.expression;
    char* addresses[Expression::kMaxInputs];
    int64_t steps[Expression::kMaxInputs];
    const auto& along = across ? made.kept : made.reduced;
    for (size_t k = 0; k < made.inputs.size(); ++k) {
      const int array = static_cast<int>(k);
      const int64_t offset = made.kept.offset(array, i) + made.reduced.offset(array, at);
      addresses[k] = made.inputs[k].address() + offset * static_cast<int64_t>(dtype_size(made.inputs[k].dtype));
      steps[k] = along.count > 0 ? along.stride[k][along.count - 1] : 0;
    }
    evaluator_->run(addresses, steps, n, to);
  }
  // The same as values.
  void values(const ValueReader& reader, int64_t i, int64_t at, bool across, int64_t n, ValueBlock* to) {
    if (reader.as_it_lies(1)) return row(i, at, across, n, to->bytes);
    ValueBlock elements;
    row(i, at, across, n, elements.bytes);
    reader.read(elements.bytes, 1, n, to);
  }
  // The finished results, values of that dtype: as they are, if there is nothing to do.
  const void* finished(rondo_dtype values, const ValueBlock& results, int64_t n, ValueBlock* room) {
    if (!finish_) return results.bytes;
    ValueBlock given;
    ValueWriter(values, plan_.finish->expression.input_dtype(0), false).write(given.bytes, 1, results.bytes, n);
    char* const address = given.bytes;
    const int64_t step = 1;
    finish_->run(&address, &step, n, room->bytes);
    return room->bytes;
  }

 private:
  const ReducePlan& plan_;
  std::optional<RowEvaluator> evaluator_, finish_;
  std::unique_ptr<ValueBlock[]> rooms_;
  std::unique_ptr<std::byte[]> branches_;
};

struct Reducer : ValueRun<ReducePlan, ReduceLoops> {
  HostFacts known;
  int64_t run_size = 1, run_step = 0;  // of the reduced range
  int64_t together = 1;                // results side by side, at most
  int64_t part = 1, parts = 1;         // results of a part, and parts of them
  int64_t branch;                      // elements of a branch of the tree that is a part of its own, at most

  explicit Reducer(const ReducePlan& plan)
      : ValueRun(plan, steps_of(plan.op, plan.in.dtype), plan.kept,
                 plan.finish ? compute_dtype(plan.finish->dtype) : -1),
        known{facts, steps.bits},
        branch(facts.length) {
    if (const int inner = plan.reduced.count - 1; inner >= 0) {
      run_size = plan.reduced.size[inner];
      run_step = plan.reduced.stride[0][inner];
    }
    const int64_t most = as_it_lies(row.in_step) ? INT64_MAX : kMostValues;
    const int64_t wide = std::min(most, static_cast<int64_t>(sizeof(Row) / steps.size));
    together = row.together(0, run_step, steps.exact ? wide : kTogether);
    // Several threads for what is large.
    const int64_t outputs = plan.outputs(), length = facts.length;
    part = outputs;
    if (outputs * length < kShared) return;
    part = std::max<int64_t>(kPart / length, together);
    parts = (outputs + part - 1) / part;
    if (parts < kParts / 2)
      branch = std::max({length * parts / kParts, kPart / std::min(together, outputs), steps.exact ? 1 : steps.leaf()});
  }

  // True if the tree is a single part.
  bool whole() const { return facts.length <= branch; }
  // The tree above its branches: calls reduce(begin, end) for each from the left, and join() after two.
  template <class Each, class Join>
  void walk(int64_t begin, int64_t end, Each&& each, Join&& join) const {
    if (end - begin <= branch) return each(begin, end);
    const int64_t middle = middle_of(begin, end);
    walk(begin, middle, each, join);
    walk(middle, end, each, join);
    join();
  }
  int64_t middle_of(int64_t begin, int64_t end) const {
    const int64_t grain = steps.exact ? 1 : steps.leaf();
    return begin + (end - begin + grain - 1) / grain / 2 * grain;
  }

  // Calls body(first, count) for the results [i, end) that are computed side by side.
  template <class F>
  void groups(int64_t i, int64_t end, const F& body) const {
    for (int64_t count; i < end; i += count) {
      count = std::min({together, end - i, row.size - i % row.size});
      body(i, count);
    }
  }
  // [begin, end) of the reduced range for `count` results from `first` on.
  void reduce(MadeElements& made, int64_t first, int64_t count, int64_t begin, int64_t end, void* acc) const {
    if (!steps.exact) {
      std::byte* const right = facts.length > steps.leaf() ? made.branches(levels() * level_bytes()) : nullptr;
      return tree(made, first, begin, end, acc, count, right);
    }
    steps.clear(acc, count);
    take(made, first, begin, end, acc, count);
  }
  void deliver(MadeElements& made, int64_t first, int64_t count, const void* acc) const {
    ValueBlock room, finished;
    for (int64_t i = 0, n; i < count; i += n) {
      n = std::min(count - i, kMostValues);
      steps.finish(room.bytes, static_cast<const std::byte*>(acc) + static_cast<size_t>(i) * steps.size, n, known);
      if (steps.scales) scale(made, first, count, acc, reinterpret_cast<double*>(room.bytes));  // all are in this block
      writer.write(plan.out.address() + plan.kept.offset(1, first + i) * out_size, row.out_step,
                   made.finished(steps.results, room, n, &finished), n);
    }
  }

 private:
  // Makes those of the results anew that accumulators say nothing of, in the same order of scaled elements.
  void scale(MadeElements& made, int64_t first, int64_t count, const void* acc, double* results) const {
    static_assert(kTogether <= kMostValues);
    double wanted[kTogether];
    steps.scales(wanted, acc, count, known);
    for (int64_t i = 0; i < count; ++i) {
      if (wanted[i] == known.scale) continue;
      Reducer other = *this;
      other.known.scale = wanted[i];
      Accumulators<kTogether> again;
      double found[kTogether];
      other.reduce(made, first, count, 0, facts.length, again.bytes);
      steps.finish(found, again.bytes, count, other.known);
      other.scale(made, first, count, again.bytes, found);
      for (int64_t k = count - 1; k >= i; --k)
        if (wanted[k] == wanted[i]) {
          results[k] = found[k];
          if (k > i) wanted[k] = known.scale;
        }
    }
  }
  // A tree halves its leaves from one level to the next.
  size_t levels() const { return std::bit_width(static_cast<uint64_t>((facts.length - 1) / steps.leaf())); }
  size_t level_bytes() const { return (static_cast<size_t>(together) * steps.size + 63) / 64 * 64; }
  // `right` has room for this level and those below.
  void tree(MadeElements& made, int64_t first, int64_t begin, int64_t end, void* acc, int64_t count,
            std::byte* right) const {
    if (end - begin > steps.leaf()) {
      const int64_t middle = middle_of(begin, end);
      std::byte* const below = right + level_bytes();
      tree(made, first, begin, middle, acc, count, below);
      tree(made, first, middle, end, right, count, below);
      return steps.join(acc, right, count);
    }
    steps.clear(acc, count);
    take(made, first, begin, end, acc, count);
  }
  void take(MadeElements& made, int64_t first, int64_t begin, int64_t end, void* acc, int64_t count) const {
    const char* from = plan.in.address() + plan.kept.offset(0, first) * in_size;
    const int64_t most = count > 1 || as_it_lies(run_step) ? steps.leaf() : kMostValues;
    ValueBlock* const rooms = as_it_lies(count > 1 ? row.in_step : run_step) ? nullptr : made.rooms();
    const auto apart = static_cast<int64_t>(sizeof(ValueBlock) / dtype_size(steps.values));
    for (int64_t run; begin < end; begin += run) {
      run = std::min({end - begin, run_size - begin % run_size, most});
      const char* at = from + plan.reduced.offset(0, begin) * in_size;
      if (count == 1 && plan.expression) {
        made.values(reader, first, begin, false, run, rooms);
        steps.loops.along(acc, rooms, run, begin, known);
      } else if (count == 1) {
        steps.loops.along(acc, reader.read(at, run_step, run, rooms), run, begin, known);
      } else if (as_it_lies(row.in_step)) {
        steps.loops.across(acc, at, count, run, run_step, begin, known);
      } else {
        run = std::min(run, MadeElements::kRooms);
        for (int64_t j = 0; j < run; ++j)
          if (plan.expression)
            made.values(reader, first, begin + j, true, count, rooms + j);
          else
            reader.read(at + j * run_step * in_size, row.in_step, count, rooms + j);
        steps.loops.across(acc, rooms, count, run, apart, begin, known);
      }
    }
  }
  // True if elements so far apart are values in memory.
  bool as_it_lies(int64_t step) const { return !plan.expression && reader.as_it_lies(step); }
};

// The ends of its branches, from the left.
std::vector<int64_t> branches_of(const Reducer& reducer) {
  std::vector<int64_t> ends;
  reducer.walk(
      0, reducer.facts.length, [&](int64_t, int64_t end) { ends.push_back(end); }, [] {});
  return ends;
}

}  // namespace

size_t reduce_workspace(const ReducePlan& plan) {
  const Reducer reducer(plan);
  if (reducer.whole()) return 0;
  return branches_of(reducer).size() * static_cast<size_t>(plan.outputs()) * reducer.steps.size;
}

void reduce_on_cpu(const ReducePlan& plan, void* workspace) {
  const Reducer reducer(plan);
  const int64_t outputs = plan.outputs();
  // Calls body(first, count) for what is computed side by side of a part of the results.
  const auto each_of = [&](int64_t number, const auto& body) {
    reducer.groups(number * reducer.part, std::min((number + 1) * reducer.part, outputs), body);
  };
  if (reducer.whole())
    return Workers::share(reducer.parts, [&](int64_t number) {
      MadeElements made(plan);
      each_of(number, [&](int64_t first, int64_t count) {
        Row acc;
        reducer.reduce(made, first, count, 0, reducer.facts.length, acc.bytes);
        reducer.deliver(made, first, count, acc.bytes);
      });
    });
  const std::vector<int64_t> ends = branches_of(reducer);
  const auto branches = static_cast<int64_t>(ends.size());
  const auto partial = [&](int64_t branch, int64_t first) {
    return static_cast<std::byte*>(workspace) + static_cast<size_t>(branch * outputs + first) * reducer.steps.size;
  };
  Workers::share(reducer.parts * branches, [&](int64_t number) {
    const int64_t branch = number % branches, begin = branch ? ends[static_cast<size_t>(branch - 1)] : 0;
    MadeElements made(plan);
    each_of(number / branches, [&](int64_t first, int64_t count) {
      reducer.reduce(made, first, count, begin, ends[static_cast<size_t>(branch)], partial(branch, first));
    });
  });
  MadeElements made(plan);
  reducer.groups(0, outputs, [&](int64_t first, int64_t count) {
    std::vector<int64_t> left;
    reducer.walk(
        0, reducer.facts.length, [&, next = int64_t{0}](int64_t, int64_t) mutable { left.push_back(next++); },
        [&] {
          const int64_t right = left.back();
          left.pop_back();
          reducer.steps.join(partial(left.back(), first), partial(right, first), count);
        });
    reducer.deliver(made, first, count, partial(0, first));
  });
}

}  // namespace rondo::ops
