// Holds what the host's reductions and running reductions have in common: of a row of reductions.def, the values that
// elements are read as, of which there are fewer than dtypes, so that a row's loops are compiled a few times only;
// accumulators, whatever their type; and how results lie.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "ops/host/values.h"
#include "ops/operators/reductions.h"

namespace rondo::ops {

template <class Parts, bool on_device, class M>
class ReductionValue {
  template <class T>
  using Whole = typename Parts::template Of<on_device, T>;
  using R = Register<M>;
  using OfInteger = typename Whole<device::i64>::Computed;
  // The host keeps a sum of f32 in f64, and rounds it once.
  static constexpr bool wide = std::is_same_v<typename Whole<float>::Inner, device::Sum<float, false>> ||
                               std::is_same_v<typename Whole<float>::Inner, device::PowerSum<float, false>>;
  using Integer = std::conditional_t<(sizeof(R) < 4), device::i32, R>;
  using Float = std::conditional_t<wide, double, R>;

 public:
  using type = std::conditional_t<device::is_floating<R>, Float,
                                  std::conditional_t<device::is_floating<OfInteger>, double, Integer>>;
};

// Calls f with a null pointer of the type of the values that elements of `dtype` are read as.
template <class Parts, bool on_device, class F>
auto with_reduction_value(rondo_dtype dtype, F&& f) {
  return with_element(
      dtype, [&]<class M>(M*) { return f(static_cast<typename ReductionValue<Parts, on_device, M>::type*>(nullptr)); });
}

inline constexpr size_t kAccumulator = 32;  // bytes of one, at most

template <int64_t most>
struct Accumulators {
  alignas(std::max_align_t) std::byte bytes[most * kAccumulator];
};

// The beginning of a table of loops over values.
struct ValueSteps {
  rondo_dtype values, results;
  bool as_bits;                        // values are the bits of elements, of whatever dtype
  void (*clear)(void* to, int64_t n);  // n accumulators of nothing
};

template <class Op>
struct ValueLoops {
  using Acc = typename Op::Acc;
  using V = typename Op::Element;
  using Result = Register<typename Op::Result>;
  static_assert(sizeof(Acc) <= kAccumulator);

  static void clear(void* to, int64_t n) { std::fill_n(static_cast<Acc*>(to), n, Op::identity()); }
  static constexpr ValueSteps steps = {value_dtype<V>(), value_dtype<Result>(), false, clear};
};

// Results along their innermost dimension, which neighbours are found by; steps in elements.
struct ResultRow {
  int64_t size = 1, in_step = 0, out_step = 0;

  explicit ResultRow(const Dims<2>& results) {  // arrays: in, out
    const int inner = results.count - 1;
    if (inner < 0) return;
    size = results.size[inner];
    in_step = results.stride[0][inner];
    out_step = results.stride[1][inner];
  }
  // How many from result i on are computed side by side: `most` at most, where they are closer together than what each
  // is made of, which lies `apart`.
  int64_t together(int64_t i, int64_t apart, int64_t most) const {
    return std::min(std::abs(in_step) < std::abs(apart) ? most : 1, size - i % size);
  }
};

// The arguments of a plan of either kind; Steps begins with ValueSteps.
template <class Plan, class Steps>
struct ValueRun {
  const Plan& plan;
  const Steps steps;
  const ValueReader reader;
  const ValueWriter writer;
  const device::ReduceFacts facts;
  const int64_t in_size, out_size;  // bytes of an element
  const ResultRow row;

  // written: the dtype that results are written from, if it is another than the loops'; -1: it is not.
  ValueRun(const Plan& plan, const Steps& steps, const Dims<2>& results, int written = -1)
      : plan(plan),
        steps(steps),
        reader(steps.as_bits ? steps.values : plan.in.dtype, steps.values),
        writer(written < 0 ? steps.results : static_cast<rondo_dtype>(written), plan.out.dtype, plan.out.accumulate),
        facts(plan.facts()),
        in_size(static_cast<int64_t>(dtype_size(plan.in.dtype))),
        out_size(static_cast<int64_t>(dtype_size(plan.out.dtype))),
        row(results) {}
};

}  // namespace rondo::ops
