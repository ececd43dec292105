// Reductions on the host. Elements are combined pairwise: halves of the reduced range are reduced apart and joined,
// down to leaves of a fixed length, so that rounding errors grow with the depth of the tree and results depend on the
// shape alone.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "engine/workers.h"
#include "ops/reduce.h"

namespace rondo::ops {

namespace {

constexpr int64_t kLeaf = 256;      // elements combined one by one
constexpr int kLanes = 8;           // independent chains within a leaf of one result
constexpr int64_t kPart = 1 << 15;  // elements that are worth handing to another thread, of so many in all
constexpr int64_t kShared = 1 << 17;
constexpr int64_t kTogether = 64;  // results computed side by side when they are closer together than what is reduced

// A sum of f32 or less is kept in f64, and rounded once.
template <class Whole>
struct OnHost {
  using type = Whole;
};
template <class M, class Domain, class Before, class After>
struct WideSum {
  using Element = M;
  using Result = typename Domain::template Of<M>::Result;
  using Inner = device::Sum<double, false>;
  using Acc = Inner::Acc;
  static Acc identity() { return Inner::identity(); }
  static void take(Acc& acc, M value, int64_t index, const device::ReduceFacts& facts) {
    Inner::take(acc, Before::of(static_cast<double>(device::from_memory(value)), facts), index);
  }
  static void join(Acc& acc, Acc other) { Inner::join(acc, other); }
  static Register<Result> result(Acc acc, const device::ReduceFacts& facts) {
    return device::convert_to<Result>(After::of(Inner::result(acc), facts));
  }
};
template <class M, class Domain, class Before, class After>
requires std::is_same_v < typename Domain::template Of<M>::Computed,
float > struct OnHost<device::Reduction<false, M, Domain, Before, device::Sum, After>> {
  using type = WideSum<M, Domain, Before, After>;
};

template <class T, class Op>
struct Reducer {
  using Acc = typename Op::Acc;
  const Dims<1>& reduced;
  int64_t step;   // between results computed side by side
  int64_t count;  // of them
  device::ReduceFacts facts;

  // [begin, end) of the reduced range for `count` results.
  void reduce(const T* from, int64_t begin, int64_t end, Acc* acc) const {
    if (end - begin > kLeaf) {
      const int64_t middle = begin + (end - begin + kLeaf - 1) / kLeaf / 2 * kLeaf;
      Acc right[kTogether];
      reduce(from, begin, middle, acc);
      reduce(from, middle, end, right);
      for (int64_t i = 0; i < count; ++i) Op::join(acc[i], right[i]);
      return;
    }
    std::fill(acc, acc + count, Op::identity());
    const int inner = reduced.count - 1;
    const int64_t run_size = inner >= 0 ? reduced.size[inner] : 1;
    const int64_t stride = inner >= 0 ? reduced.stride[0][inner] : 0;
    while (begin < end) {
      const int64_t run = std::min(end - begin, run_size - begin % run_size);
      const T* at = from + reduced.offset(0, begin);
      if (count == 1)
        one(at, stride, run, begin, acc);
      else
        for (int64_t j = 0; j < run; ++j, at += stride)
          for (int64_t i = 0; i < count; ++i) Op::take(acc[i], at[i * step], begin + j, facts);
      begin += run;
    }
  }

  void one(const T* at, int64_t stride, int64_t run, int64_t index, Acc* acc) const {
    Acc lanes[kLanes];
    std::fill(lanes, lanes + kLanes, Op::identity());
    int64_t j = 0;
    if (stride == 1) {
      for (; j + kLanes <= run; j += kLanes)
        for (int l = 0; l < kLanes; ++l) Op::take(lanes[l], at[j + l], index + j + l, facts);
    }
    for (; j < run; ++j) Op::take(lanes[j % kLanes], at[j * stride], index + j, facts);
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) Op::join(lanes[l], lanes[l + width]);
    Op::join(*acc, lanes[0]);
  }
};

template <class T, class Op>
void run(const ReducePlan& plan) {
  using Out = typename Op::Result;
  const T* in = reinterpret_cast<const T*>(plan.in.address());
  Out* out = reinterpret_cast<Out*>(plan.out.address());
  const device::ReduceFacts facts = plan.facts();
  const Dims<2>& kept = plan.kept;
  const int inner = kept.count - 1;
  const int64_t inner_size = inner >= 0 ? kept.size[inner] : 1;
  const int64_t in_step = inner >= 0 ? kept.stride[0][inner] : 0;
  const int64_t out_step = inner >= 0 ? kept.stride[1][inner] : 0;
  const int64_t reduced_step = plan.reduced.count ? plan.reduced.stride[0][plan.reduced.count - 1] : 0;
  const int64_t together = std::abs(in_step) < std::abs(reduced_step) ? kTogether : 1;
  const int64_t outputs = plan.outputs(), length = plan.length();
  const auto results = [&](int64_t i, int64_t end) {
    while (i < end) {
      const int64_t count = std::min({together, inner_size - i % inner_size, end - i});
      typename Op::Acc acc[kTogether];
      Reducer<T, Op>{plan.reduced, in_step, count, facts}.reduce(in + kept.offset(0, i), 0, length, acc);
      Out* to = out + kept.offset(1, i);
      for (int64_t j = 0; j < count; ++j) put(to + j * out_step, Op::result(acc[j], facts), plan.out.accumulate);
      i += count;
    }
  };
  // Several threads for what is large; each result is one thread's.
  const int64_t part = std::max<int64_t>(kPart / std::max<int64_t>(length, 1), together);
  if (outputs * length < kShared) return results(0, outputs);
  Workers::share((outputs + part - 1) / part,
                 [&](int64_t number) { results(number * part, std::min((number + 1) * part, outputs)); });
}

}  // namespace

void reduce_on_cpu(const ReducePlan& plan) {
  with_reduction(plan.op, [&]<class Parts>() {
    with_element(plan.in.dtype,
                 [&]<class T>(T*) { run<T, typename OnHost<typename Parts::template Of<false, T>>::type>(plan); });
  });
}

}  // namespace rondo::ops
