// Defines the parts of reductions, once for all devices: the types that elements are computed in, the functions before
// they are combined, accumulators, and the functions of the accumulated value. A row of ops/operators/reductions.def
// names one of each.
//
// Host and device combine with the same functions, in trees of their own shapes. They differ in one accumulator: sums
// of f32 are compensated on a device, where memory is the bottleneck; on the host the tree is pairwise down to short
// leaves instead.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/scales.h"

namespace rondo::device {

// The facts of a reduction in addition to its elements.
struct ReduceFacts {
  i64 length;     // elements per result
  f64 parameter;  // of the row, if it has one
};

template <bool condition, class A, class B>
struct Choose {
  using type = A;
};
template <class A, class B>
struct Choose<false, A, B> {
  using type = B;
};

// --- domains: for elements of memory type M, the type they are computed in and the result's memory type
struct Same {
  template <class M>
  struct Of {
    using Computed = Register<M>;
    using Result = M;
  };
};
// Integers add up in 64 bits and wrap around; only those of u64 as unsigned ones.
struct Total {
  template <class M>
  struct Of {
    static constexpr bool real = is_floating<Register<M>>;
    using Computed = typename Choose<real, Register<M>, u64>::type;
    using Result = typename Choose<real || same_type<M, u64>, M, i64>::type;
  };
};
// Integers become f64 on the way and f32 at the end.
struct Real {
  template <class M>
  struct Of {
    static constexpr bool real = is_floating<Register<M>>;
    using Computed = typename Choose<real, Register<M>, f64>::type;
    using Result = typename Choose<real, M, f32>::type;
  };
};
// In f64 all the way: squares of f32 fit.
struct Wide {
  template <class M>
  struct Of {
    using Computed = f64;
    using Result = typename Real::Of<M>::Result;
  };
};
struct Truth {
  template <class M>
  struct Of {
    using Computed = bool;
    using Result = b8;
  };
};
// Compared in at least 4 bytes, so that an accumulator has no padding.
struct Position {
  template <class M>
  struct Of {
    using Computed = typename Choose<sizeof(Register<M>) < 4, i32, Register<M>>::type;
    using Result = i64;
  };
};

// --- what happens to an element first
struct Each {
  template <class C>
  RONDO_INLINE static C of(C x, const ReduceFacts&) {
    return x;
  }
};
struct Magnitude {
  template <class C>
  RONDO_INLINE static C of(C x, const ReduceFacts&) {
    return op_abs(x);
  }
};
struct Square {
  template <class C>
  RONDO_INLINE static C of(C x, const ReduceFacts&) {
    return x * x;
  }
};
// A magnitude, and the power of it that is added up.
template <class C>
struct PowerTerm {
  C size, power;
};
struct Power {
  template <class C>
  RONDO_INLINE static PowerTerm<C> of(C x, const ReduceFacts& facts) {
    return {op_abs(x), static_cast<C>(facts.parameter)};
  }
};
template <int instead>
struct NanTo {
  template <class C>
  RONDO_INLINE static C of(C x, const ReduceFacts&) {
    return op_isnan(x) ? static_cast<C>(instead) : x;
  }
};
using NanToZero = NanTo<0>;
using NanToOne = NanTo<1>;

// --- accumulators of values of type C: Acc (a partial result, without padding), identity, take (an element and its
// index), join (a later partial result), result; kRuns: elements may be combined with each other first, a run of them
// in `together`, and what they make be taken as one
template <class C, bool on_device>
struct Sum {
  static constexpr bool kRuns = true;
  struct Acc {
    C sum;
  };
  RONDO_INLINE static C together(C a, C b) { return a + b; }
  RONDO_INLINE static Acc identity() { return {C(0)}; }
  RONDO_INLINE static void take(Acc& acc, C value, i64) { acc.sum += value; }
  RONDO_INLINE static void join(Acc& acc, Acc other) { acc.sum += other.sum; }
  RONDO_INLINE static C result(Acc acc) { return acc.sum; }
  // For sums whose elements may be scaled (Reduction): the size that tells whether they should be, and the sum with
  // another factor in each element, or in each squared.
  RONDO_INLINE static C size(Acc acc) { return sqrt(op_abs(acc.sum)); }
  RONDO_INLINE static Acc times(Acc acc, C factor, bool squared) {
    return {squared ? acc.sum * factor * factor : acc.sum * factor};
  }
};
// A run's sum is not compensated. With 8 elements it is off by 3 roundings of 2^-24 at most, relative to their
// magnitudes.
template <>
struct Sum<f32, true> {
  static constexpr bool kRuns = true;
  struct Acc {
    f32 sum, rest;
  };
  RONDO_INLINE static f32 together(f32 a, f32 b) { return a + b; }
  RONDO_INLINE static Acc identity() { return {0.0f, 0.0f}; }
  RONDO_INLINE static void take(Acc& acc, f32 value, i64) { join(acc, {value, 0.0f}); }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    const f32 sum = acc.sum + other.sum;
    const f32 part = sum - acc.sum;
    acc.rest += ((acc.sum - (sum - part)) + (other.sum - part)) + other.rest;
    acc.sum = sum;
  }
  // With an infinity in the sum the rest is NaN and means nothing.
  RONDO_INLINE static f32 result(Acc acc) { return op_isnan(acc.rest) ? acc.sum : acc.sum + acc.rest; }
  RONDO_INLINE static f32 size(Acc acc) { return sqrt(op_abs(acc.sum)); }
  RONDO_INLINE static Acc times(Acc acc, f32 factor, bool) { return {acc.sum * factor, acc.rest * factor}; }
};

template <class C, bool on_device>
struct Product {
  static constexpr bool kRuns = true;
  struct Acc {
    C product;
  };
  RONDO_INLINE static C together(C a, C b) { return a * b; }
  RONDO_INLINE static Acc identity() { return {C(1)}; }
  RONDO_INLINE static void take(Acc& acc, C value, i64) { acc.product *= value; }
  RONDO_INLINE static void join(Acc& acc, Acc other) { acc.product *= other.product; }
  RONDO_INLINE static C result(Acc acc) { return acc.product; }
};

template <class C, bool on_device>
struct AllOf {
  static constexpr bool kRuns = true;
  struct Acc {
    i32 value;
  };
  RONDO_INLINE static C together(C a, C b) { return a && b; }
  RONDO_INLINE static Acc identity() { return {1}; }
  RONDO_INLINE static void take(Acc& acc, C value, i64) { acc.value &= value ? 1 : 0; }
  RONDO_INLINE static void join(Acc& acc, Acc other) { acc.value &= other.value; }
  RONDO_INLINE static bool result(Acc acc) { return acc.value != 0; }
};
template <class C, bool on_device>
struct AnyOf {
  static constexpr bool kRuns = true;
  struct Acc {
    i32 value;
  };
  RONDO_INLINE static C together(C a, C b) { return a || b; }
  RONDO_INLINE static Acc identity() { return {0}; }
  RONDO_INLINE static void take(Acc& acc, C value, i64) { acc.value |= value ? 1 : 0; }
  RONDO_INLINE static void join(Acc& acc, Acc other) { acc.value |= other.value; }
  RONDO_INLINE static bool result(Acc acc) { return acc.value != 0; }
};

// True if a value replaces the best so far; the first NaN is the best.
template <class C, bool largest>
RONDO_INLINE bool beats(C value, C best) {
  if (op_isnan(best)) return false;
  if (op_isnan(value)) return true;
  return largest ? value > best : value < best;
}
// The value that every other one beats.
template <class C, bool largest>
RONDO_INLINE C weakest() {
  if constexpr (is_floating<C>)
    return static_cast<C>(bits_as<f32>(largest ? 0xff800000u : 0x7f800000u));
  else
    return largest ? kLowest<C> : kHighest<C>;
}
template <class C, bool largest>
struct Extreme {
  static constexpr bool kRuns = true;
  struct Acc {
    C value;
  };
  // Which NaN comes out of several does not matter.
  RONDO_INLINE static C together(C a, C b) { return op_isnan(b) || (largest ? b > a : b < a) ? b : a; }
  RONDO_INLINE static Acc identity() { return {weakest<C, largest>()}; }
  RONDO_INLINE static void take(Acc& acc, C value, i64) { acc.value = together(acc.value, value); }
  RONDO_INLINE static void join(Acc& acc, Acc other) { take(acc, other.value, 0); }
  RONDO_INLINE static C result(Acc acc) { return acc.value; }
};
template <class C, bool on_device>
struct Largest : Extreme<C, true> {};
template <class C, bool on_device>
struct Smallest : Extreme<C, false> {};

template <class C, bool largest>
struct First {
  static constexpr bool kRuns = false;
  struct Acc {
    i64 index;  // -1: nothing yet
    C value, unused;
  };
  RONDO_INLINE static Acc identity() { return {-1, C(0), C(0)}; }
  RONDO_INLINE static void take(Acc& acc, C value, i64 index) { join(acc, {index, value, C(0)}); }
  // Partial results may meet in any order, so that of equals the lower index is taken explicitly.
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if (other.index < 0) return;
    if (acc.index < 0 || beats<C, largest>(other.value, acc.value) ||
        (!beats<C, largest>(acc.value, other.value) && other.index < acc.index))
      acc = other;
  }
  RONDO_INLINE static i64 result(Acc acc) { return acc.index; }
};
template <class C, bool on_device>
struct FirstLargest : First<C, true> {};
template <class C, bool on_device>
struct FirstSmallest : First<C, false> {};

// The sum of squared distances from the mean, in f64 whatever the values are: squares of f32 do not overflow there, and
// distances from the first value of each part, instead of the mean, lose nothing where the mean is far from zero. Parts
// are joined about their means (Chan, Golub and LeVeque 1979).
template <class C, bool on_device>
struct Spread {
  static constexpr bool kRuns = false;
  struct Acc {
    f64 base, sum, squares;  // of distances from the base
    i64 count;
  };
  RONDO_INLINE static Acc identity() { return {0.0, 0.0, 0.0, 0}; }
  RONDO_INLINE static void take(Acc& acc, C value, i64) {
    const f64 given = static_cast<f64>(value);
    if (acc.count == 0) acc.base = given;
    const f64 distance = given - acc.base;
    acc.sum += distance;
    acc.squares += distance * distance;
    ++acc.count;
  }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if (other.count == 0) return;
    if (acc.count == 0) {
      acc = other;
      return;
    }
    const i64 count = acc.count + other.count;
    const f64 share = static_cast<f64>(other.count) / static_cast<f64>(count);
    const f64 own = acc.sum / static_cast<f64>(acc.count);
    const f64 apart = (other.base - acc.base) + (other.sum / static_cast<f64>(other.count) - own);
    const f64 squares = result(acc) + result(other) + apart * apart * (static_cast<f64>(acc.count) * share);
    // The mean becomes the base; what it was rounded by stays as distances.
    const f64 moved = own + apart * share, base = acc.base + moved, rest = moved - (base - acc.base);
    acc = {base, rest * static_cast<f64>(count), squares + rest * rest * static_cast<f64>(count), count};
  }
  RONDO_INLINE static f64 result(Acc acc) {
    return acc.count == 0 ? 0.0 : acc.squares - acc.sum * (acc.sum / static_cast<f64>(acc.count));
  }
  RONDO_INLINE static f64 size(Acc acc) { return op_abs(acc.base) + sqrt(acc.squares); }
  RONDO_INLINE static Acc times(Acc acc, f64 factor, bool) {
    return {acc.base * factor, acc.sum * factor, acc.squares * factor * factor, acc.count};
  }
};

// The logarithm of a sum of exponentials, relative to the largest exponent so far.
template <class C, bool on_device>
struct LogSumExp {
  static constexpr bool kRuns = false;
  struct Acc {
    C top, sum;  // sum 0: nothing yet
  };
  RONDO_INLINE static Acc identity() { return {weakest<C, true>(), C(0)}; }
  RONDO_INLINE static void take(Acc& acc, C value, i64) { join(acc, {value, C(1)}); }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if (other.sum == C(0)) return;
    if (acc.sum == C(0)) {
      acc = other;
    } else if (acc.top == other.top) {  // infinite ones too
      acc.sum += other.sum;
    } else if (beats<C, true>(other.top, acc.top)) {
      acc.sum = other.sum + acc.sum * exp(acc.top - other.top);
      acc.top = other.top;
    } else {
      acc.sum += other.sum * exp(other.top - acc.top);
    }
  }
  RONDO_INLINE static C result(Acc acc) { return acc.sum == C(0) ? acc.top : acc.top + log(acc.sum); }
};

// A sum of powers of magnitudes, as shares of the power of one about as large as the largest so far, so that powers
// neither overflow nor vanish where the norm does not. Shares are rounded anew each time that it changes: that is when
// one twice as large comes, so that elements that rise slowly do not add up their roundings. A share of a high power
// might overflow then, and its roundings matter less, so there the largest itself is taken.
template <class C, bool on_device>
struct PowerSum {
  static constexpr bool kRuns = false;
  using Shares = Sum<C, on_device>;
  struct Acc {
    typename Shares::Acc shares;
    C top, power;  // top 0: nothing yet but zeros
  };
  RONDO_INLINE static Acc identity() { return {Shares::identity(), C(0), C(1)}; }
  RONDO_INLINE static void take(Acc& acc, PowerTerm<C> term, i64) {
    Acc one = {Shares::identity(), term.size, term.power};
    Shares::take(one.shares, C(1), 0);
    join(acc, one);
  }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if (other.top == C(0)) return;
    if (acc.top == C(0) || is_far_above(other.top, acc)) {
      const Acc before = acc;
      acc = other;
      other = before;
    }
    if (other.top != C(0)) Shares::join(acc.shares, Shares::times(other.shares, share(other.top, acc), false));
  }
  RONDO_INLINE static bool is_far_above(C size, const Acc& acc) {
    return acc.power > C(64) || op_isnan(size) ? beats<C, true>(size, acc.top) : size >= C(2) * acc.top;
  }
  // Quotients of small powers do not vanish as those of magnitudes may.
  RONDO_INLINE static C share(C size, const Acc& of) {
    if (size == of.top) return C(1);  // infinite ones too
    return of.power < C(0.5) ? pow(size, of.power) / pow(of.top, of.power) : pow(size / of.top, of.power);
  }
  // How often the power of `size` there is.
  struct Total {
    C size, count;
  };
  RONDO_INLINE static Total result(Acc acc) { return {acc.top, Shares::result(acc.shares)}; }
};

// --- what becomes of the accumulated value
// kDegree: of elements times s the result is that of the elements times s to the power of it; 0: they are never scaled.
// kSquares: squares are added up, which may also vanish. kNarrow: elements are scaled in f32 too.
struct Unscaled {
  static constexpr int kDegree = 0;
  static constexpr bool kSquares = false, kNarrow = false;
};
struct OfElements {
  static constexpr int kDegree = 1;
  static constexpr bool kSquares = false, kNarrow = true;
};
struct OfSquares {
  static constexpr int kDegree = 1;
  static constexpr bool kSquares = true, kNarrow = false;
};
struct AsIs : Unscaled {
  template <class C>
  RONDO_INLINE static C of(C total, const ReduceFacts&) {
    return total;
  }
};
struct PerElement : OfElements {
  template <class C>
  RONDO_INLINE static C of(C total, const ReduceFacts& facts) {
    return total / static_cast<C>(facts.length);
  }
};
struct Root : OfSquares {
  template <class C>
  RONDO_INLINE static C of(C total, const ReduceFacts&) {
    return sqrt(total);
  }
};
struct PowerRoot : Unscaled {
  // In f64, and in four steps where the root alone does not fit: the largest may be small.
  template <class T>
  RONDO_INLINE static f64 of(T total, const ReduceFacts& facts) {
    const f64 size = static_cast<f64>(total.size), count = static_cast<f64>(total.count);
    if (size == 0.0) return 0.0;
    const f64 root = pow(count, 1 / facts.parameter);
    if (!op_isinf(root)) return size * root;
    const f64 step = pow(count, 0.25 / facts.parameter);
    return size * step * step * step * step;
  }
};
// The parameter is what the number of elements is reduced by.
struct Variance : OfSquares {
  static constexpr int kDegree = 2;
  template <class C>
  RONDO_INLINE static C of(C squares, const ReduceFacts& facts) {
    const f64 freedom = static_cast<f64>(facts.length) - facts.parameter;
    return squares / static_cast<C>(freedom > 0 ? freedom : 0);
  }
};
struct Deviation : OfSquares {
  template <class C>
  RONDO_INLINE static C of(C squares, const ReduceFacts& facts) {
    return sqrt(Variance::of(squares, facts));
  }
};

// An accumulator of elements times `scale`.
template <class Acc, class C>
struct ScaledAcc {
  Acc acc;
  C scale;
};

// --- a whole reduction of elements of memory type M
// Where sums of elements, or of their squares, overflow or vanish though the result does not (kScales), elements are
// scaled (scales.h): on a device by an accumulator, which says when its elements are to be taken again; on the host by
// all accumulators of a result.
template <bool on_device, class M, class Domain, class Before, template <class, bool> class Accumulator, class After>
struct Reduction {
  using Element = M;
  using Computed = typename Domain::template Of<M>::Computed;
  using Result = typename Domain::template Of<M>::Result;
  using Inner = Accumulator<Computed, on_device>;
  static constexpr bool kScales = After::kDegree > 0 &&
                                  (same_type<M, f64> || (on_device && After::kNarrow && same_type<Computed, f32> &&
                                                         is_floating<Register<M>>));
  static constexpr bool kScaled = on_device && kScales;
  using Acc = typename Choose<kScaled, ScaledAcc<typename Inner::Acc, Computed>, typename Inner::Acc>::type;
  RONDO_INLINE static Acc identity() {
    if constexpr (kScaled)
      return {Inner::identity(), Computed(1)};
    else
      return Inner::identity();
  }
  RONDO_INLINE static auto term(const Acc& acc, M value, const ReduceFacts& facts) {
    Computed x = convert<Computed>(from_memory(value));
    if constexpr (kScaled) x *= acc.scale;
    return Before::of(x, facts);
  }
  RONDO_INLINE static typename Inner::Acc& inner(Acc& acc) {
    if constexpr (kScaled)
      return acc.acc;
    else
      return acc;
  }
  RONDO_INLINE static void take(Acc& acc, M value, i64 index, const ReduceFacts& facts) {
    const auto each = term(acc, value, facts);
    Inner::take(inner(acc), each, index);
  }
  static constexpr bool kRuns = Inner::kRuns;
#if defined(__CUDACC_RTC__)
  // Elements whose indices are `step` apart; their number is a power of two.
  template <int count>
  RONDO_INLINE static void take_run(Acc& acc, const M (&values)[count], i64 index, i64 step, const ReduceFacts& facts) {
    static_assert(count <= 8, "the bound of a sum of f32");
    if constexpr (kRuns) {
      Computed each[count];
#pragma unroll
      for (int k = 0; k < count; ++k) each[k] = term(acc, values[k], facts);
#pragma unroll
      for (int half = count / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < half; ++k) each[k] = Inner::together(each[k], each[k + half]);
      Inner::take(inner(acc), each[0], index);
    } else {
#pragma unroll
      for (int k = 0; k < count; ++k) take(acc, values[k], index + k * step, facts);
    }
  }
#endif
  // The factor of the elements in another pass, if this one multiplied them by `scale`; the same if that will do.
  template <class C>
  RONDO_INLINE static C scale_after(const typename Inner::Acc& acc, C scale) {
    const C next = next_scale(scale, static_cast<C>(Inner::size(acc)));
    return next > scale && !After::kSquares ? scale : next;
  }
  // The accumulator becomes that of elements times `scale`, which is smaller.
  RONDO_INLINE static void rescale(Acc& acc, Computed scale) {
    acc = {Inner::times(acc.acc, scale / acc.scale, After::kSquares), scale};
  }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if constexpr (kScaled) {
      if (acc.scale > other.scale) rescale(acc, other.scale);
      if (other.scale > acc.scale) rescale(other, acc.scale);
      Inner::join(acc.acc, other.acc);
    } else {
      Inner::join(acc, other);
    }
  }
  // The result of elements, from that of elements times `scale`. Twice, as a power may not fit where the result does.
  template <class R>
  RONDO_INLINE static R unscaled(R result, R scale) {
    if (scale == R(1)) return result;
    const R back = R(1) / scale;
    return After::kDegree == 2 ? result * back * back : result * back;
  }
  RONDO_INLINE static Register<Result> result(Acc acc, const ReduceFacts& facts) {
    if constexpr (kScaled)
      return static_cast<Register<Result>>(unscaled(After::of(Inner::result(acc.acc), facts), acc.scale));
    else
      return static_cast<Register<Result>>(After::of(Inner::result(acc), facts));
  }
#if defined(__CUDACC_RTC__)
  // True if elements are to be taken again; then accumulators are empty, with the scale for that.
  template <int count>
  RONDO_INLINE static bool goes_again(Acc (&acc)[count]) {
    bool again = false;
    if constexpr (kScaled) {
      Computed scale[count];
#pragma unroll
      for (int v = 0; v < count; ++v) {
        scale[v] = scale_after(acc[v].acc, acc[v].scale);
        again |= scale[v] != acc[v].scale;
      }
      if (again)
#pragma unroll
        for (int v = 0; v < count; ++v) acc[v] = {Inner::identity(), scale[v]};
    }
    return again;
  }
#endif
};

}  // namespace rondo::device
