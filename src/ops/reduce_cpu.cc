// Reductions on the host. Elements are combined pairwise: halves of the reduced range are reduced apart and joined,
// down to leaves of a fixed length, so that rounding errors grow with the depth of the tree and results depend on the
// shape alone.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/reduce.h"

namespace rondo::ops {

namespace {

// Each operation: Acc (a partial result), identity, take (an element and its index), join (a later partial).
template <class C>
struct Sum {
  using Acc = C;
  static Acc identity() { return 0; }
  template <class T>
  static void take(Acc& acc, T value, int64_t) {
    acc += static_cast<Acc>(value);
  }
  static void join(Acc& acc, Acc other) { acc += other; }
};

template <class C>
struct Product {
  using Acc = C;
  static Acc identity() { return 1; }
  template <class T>
  static void take(Acc& acc, T value, int64_t) {
    acc *= static_cast<Acc>(value);
  }
  static void join(Acc& acc, Acc other) { acc *= other; }
};

template <bool all>
struct Truth {
  using Acc = bool;
  static Acc identity() { return all; }
  template <class T>
  static void take(Acc& acc, T value, int64_t) {
    join(acc, value != 0);
  }
  static void join(Acc& acc, Acc other) { acc = all ? acc && other : acc || other; }
};

template <class C, bool largest>
bool beats(C value, C best) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(best)) return false;
    if (std::isnan(value)) return true;
  }
  return largest ? value > best : value < best;
}

template <class C, bool largest>
struct Extreme {
  using Acc = C;
  static Acc identity() {
    using Limits = std::numeric_limits<C>;
    if constexpr (Limits::has_infinity) return largest ? -Limits::infinity() : Limits::infinity();
    return largest ? Limits::lowest() : Limits::max();
  }
  static void take(Acc& acc, C value, int64_t) {
    if (beats<C, largest>(value, acc)) acc = value;
  }
  static void join(Acc& acc, Acc other) { take(acc, other, 0); }
};

template <class C, bool largest>
struct ArgExtreme {
  struct Acc {
    C value;
    int64_t index;  // -1: nothing yet
  };
  static Acc identity() { return {C(), -1}; }
  static void take(Acc& acc, C value, int64_t index) { join(acc, {value, index}); }
  // Partials may meet in any order, so that of equals the lower index is taken explicitly.
  static void join(Acc& acc, Acc other) {
    if (other.index < 0) return;
    if (acc.index < 0 || beats<C, largest>(other.value, acc.value) ||
        (!beats<C, largest>(acc.value, other.value) && other.index < acc.index))
      acc = other;
  }
};

constexpr int64_t kLeaf = 256;     // elements combined one by one
constexpr int kLanes = 8;          // independent chains within a leaf of one result
constexpr int64_t kTogether = 64;  // results computed side by side when they are closer together than what is reduced

template <class T, class Op>
struct Reducer {
  using Acc = typename Op::Acc;
  const T* base;
  const Dims<1>& reduced;
  int64_t step;   // between results computed side by side
  int64_t count;  // of them

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
          for (int64_t i = 0; i < count; ++i) Op::take(acc[i], device::from_memory(at[i * step]), begin + j);
      begin += run;
    }
  }

  void one(const T* at, int64_t stride, int64_t run, int64_t index, Acc* acc) const {
    Acc lanes[kLanes];
    std::fill(lanes, lanes + kLanes, Op::identity());
    int64_t j = 0;
    if (stride == 1) {
      for (; j + kLanes <= run; j += kLanes)
        for (int l = 0; l < kLanes; ++l) Op::take(lanes[l], device::from_memory(at[j + l]), index + j + l);
    }
    for (; j < run; ++j) Op::take(lanes[j % kLanes], device::from_memory(at[j * stride]), index + j);
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) Op::join(lanes[l], lanes[l + width]);
    Op::join(*acc, lanes[0]);
  }
};

// `finish` turns an accumulator into the result in the output's compute type.
template <class T, class Out, class Op, class Finish>
void run(const Reduction& plan, Finish finish) {
  const T* in = reinterpret_cast<const T*>(plan.in.address());
  Out* out = reinterpret_cast<Out*>(plan.out.address());
  const Dims<2>& kept = plan.kept;
  const int inner = kept.count - 1;
  const int64_t inner_size = inner >= 0 ? kept.size[inner] : 1;
  const int64_t in_step = inner >= 0 ? kept.stride[0][inner] : 0;
  const int64_t out_step = inner >= 0 ? kept.stride[1][inner] : 0;
  const int64_t reduced_step = plan.reduced.count ? plan.reduced.stride[0][plan.reduced.count - 1] : 0;
  const int64_t together = std::abs(in_step) < std::abs(reduced_step) ? kTogether : 1;
  const int64_t outputs = plan.outputs(), length = plan.length();
  for (int64_t i = 0; i < outputs;) {
    const int64_t count = std::min(together, inner_size - i % inner_size);
    typename Op::Acc acc[kTogether];
    Reducer<T, Op>{in, plan.reduced, in_step, count}.reduce(in + kept.offset(0, i), 0, length, acc);
    Out* to = out + kept.offset(1, i);
    for (int64_t j = 0; j < count; ++j) put(to + j * out_step, finish(acc[j]), plan.out.accumulate);
    i += count;
  }
}

template <class T>
void dispatch(const Reduction& plan) {
  using C = Register<T>;
  constexpr bool real = std::is_floating_point_v<C>;
  using Total = std::conditional_t<real, C, device::u64>;   // wraps around
  using Result = std::conditional_t<real, T, device::i64>;  // dtype of sums and products
  using ResultCompute = Register<Result>;
  const auto as_is = [](auto acc) { return acc; };
  const auto total = [](Total acc) { return static_cast<ResultCompute>(acc); };
  const auto index = [](auto acc) { return static_cast<device::i64>(acc.index); };
  switch (plan.op) {
    case RONDO_SUM: return run<T, Result, Sum<Total>>(plan, total);
    case RONDO_PROD: return run<T, Result, Product<Total>>(plan, total);
    case RONDO_MEAN: {
      // Integers: exact in 64 bits, except i64, whose sum may not fit.
      using Mean = std::conditional_t<real, C, std::conditional_t<sizeof(T) == 8, double, device::i64>>;
      using Quotient = std::conditional_t<real, C, double>;
      const auto length = static_cast<Quotient>(plan.length());
      return run<T, std::conditional_t<real, T, float>, Sum<Mean>>(plan, [=](Mean sum) {
        return static_cast<std::conditional_t<real, C, float>>(static_cast<Quotient>(sum) / length);
      });
    }
    case RONDO_MAX: return run<T, T, Extreme<C, true>>(plan, as_is);
    case RONDO_MIN: return run<T, T, Extreme<C, false>>(plan, as_is);
    case RONDO_ARGMAX: return run<T, device::i64, ArgExtreme<C, true>>(plan, index);
    case RONDO_ARGMIN: return run<T, device::i64, ArgExtreme<C, false>>(plan, index);
    case RONDO_ALL: return run<T, device::b8, Truth<true>>(plan, as_is);
    case RONDO_ANY: return run<T, device::b8, Truth<false>>(plan, as_is);
  }
}

}  // namespace

void reduce_on_cpu(const Reduction& reduction) {
  with_element(reduction.in.dtype, [&]<class T>(T*) { dispatch<T>(reduction); });
}

}  // namespace rondo::ops
