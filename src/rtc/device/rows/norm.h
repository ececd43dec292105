// Defines the kernels of normalisations and their argument: the mean and 1 / sqrt(variance + epsilon) of groups of
// elements, and the two sums over groups that gradients are made of. `rows` gives each group lanes that walk its
// elements side by side; `columns` gives neighbouring groups to neighbouring lanes and splits their elements over the
// rest of the block.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/reduce.h"
#include "rtc/device/scales.h"
#include "rtc/device/strided.h"

namespace rondo::device {

enum class NormKind : i32 {
  moments,  // of x: mean, what rounding took from it, and 1 / sqrt(variance + epsilon)
  sums      // of g and of g * (x - mean - rest) * inverse, where g = dy * weight, or 0 where y is not positive
};

// The arrays whose strides the dimensions have.
enum {
  kNormX,
  kNormDy,
  kNormY,
  kNormMean,
  kNormInverse,
  kNormRest,  // of the mean
  kNormWeight,
  kNormInputs,
  kNormFirst = kNormInputs,  // mean, or sum of g
  kNormSecond,               // inverse, or the other sum
  kNormThird,                // rest
  kNormRunningMean,
  kNormRunningVariance,
  kNormArrays
};

struct NormArguments {
  const void* in[kNormInputs];
  void* out[kNormArrays - kNormInputs];
  void* partial;  // [split][group], written by the first of two passes and read by the second
  Dims<kNormArrays> kept;
  Dims<kNormInputs> reduced;
  i64 groups, length, chunk;
  i64 parts;  // partial results per group
  f64 epsilon, momentum;
};

// The mean, as a base and what is added to that, and the sum of squared distances from it (Welford 1962; joined as
// Chan, Golub and LeVeque 1979), all of elements times `scale` (scales.h). The base is the first element, or near the
// mean, so that nothing is lost where the mean is far from 0. Those that overflowed or vanished are taken again with
// another scale; where parts with different ones meet, the larger elements count.
template <class C>
struct Moments {
  struct Acc {
    C base, mean, squares, scale;
    C count;  // exact to 2^24 elements of a lane, and no lane has that many; joined, a rounding more in the shares
  };
  RONDO_INLINE static Acc identity(C scale) { return {C(0), C(0), C(0), scale, C(0)}; }
  RONDO_INLINE static void rescale(Acc& acc, C scale) {
    const C factor = scale / acc.scale;
    acc = {acc.base * factor, acc.mean * factor, acc.squares * factor * factor, scale, acc.count};
  }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if (other.count == C(0)) return;
    if (acc.count == C(0)) {
      acc = other;
      return;
    }
    if (acc.scale > other.scale) rescale(acc, other.scale);
    if (other.scale > acc.scale) rescale(other, acc.scale);
    const C count = acc.count + other.count;
    const C share = acc.count == other.count ? C(0.5) : other.count / count;  // most are equal: no division
    const C apart = (other.base - acc.base) + (other.mean - acc.mean);
    const C moved = acc.mean + apart * share, base = acc.base + moved;
    acc.squares += other.squares + apart * apart * (acc.count * share);
    acc.mean = moved - (base - acc.base);
    acc.base = base;
    acc.count = count;
  }
  // The factor of the elements in another pass, or acc.scale. If epsilon is larger, squares that vanish do not matter.
  RONDO_INLINE static C next(const Acc& acc, f64 epsilon) {
    if (acc.count == C(0)) return acc.scale;
    using S = Scales<C>;
    const C mean = op_abs(acc.base) + op_abs(acc.mean);
    // Most need no root.
    if (acc.scale == C(1) && mean <= S::large / 2 && acc.squares <= S::large * S::large / 4 &&
        (mean >= S::small || acc.squares >= S::small * S::small))
      return acc.scale;
    const C to = next_scale(acc.scale, mean + static_cast<C>(sqrt(acc.squares)));
    const f64 least = static_cast<f64>(S::small);
    return to > acc.scale && epsilon >= least * least ? acc.scale : to;
  }
};

// The number of elements that a lane of `columns` loads before it uses the first.
constexpr int kNormAhead = 4;

// A new running value; of a variance of what is drawn from many, its unbiased estimate.
template <class C>
RONDO_INLINE C running(C old, C now, f64 momentum) {
  return old + static_cast<C>(momentum) * (now - old);
}
template <class C>
RONDO_INLINE C unbiased(C squares, i64 length) {
  return length > 1 ? squares / static_cast<C>(length - 1) : C(0);
}

#if defined(__CUDACC_RTC__)
// In, Weight: memory types. partial: what comes out is partial results; joins: what comes in is. vector: neighbours
// loaded at once; group: lanes of a group (rows), groups side by side (columns). fixed: mean and inverse are the
// group's own. rests: there is what rounding took from the mean.
template <class In, class Weight, class Index, NormKind kind, bool joins, bool partial, int vector, int group, int kept,
          int reduced, bool masked, bool weighted, bool fixed, bool rests, bool tracks>
struct NormPass {
  using C = Register<In>;
  using Moment = Moments<C>;
  using Total = Sum<C, true>;
  static constexpr bool kMoments = kind == NormKind::moments;
  struct Sums {
    typename Total::Acc sum, dot;
  };
  using Acc = typename Choose<kMoments, typename Moment::Acc, Sums>::type;
  const NormArguments& args;
  unsigned char* memory;  // shared

  static constexpr int kRowsMemory = (group > 32 ? group / 32 : 1) * static_cast<int>(sizeof(Acc));
  static constexpr int kColumnsMemory = 128 * vector * static_cast<int>(sizeof(Acc));

  RONDO_INLINE static Acc identity() {
    if constexpr (kMoments)
      return Moment::identity(C(1));
    else
      return {Total::identity(), Total::identity()};
  }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if constexpr (kMoments) {
      Moment::join(acc, other);
    } else {
      Total::join(acc.sum, other.sum);
      Total::join(acc.dot, other.dot);
    }
  }

  // The places of element i of a group in all the arrays; `at` starts with the group's own places.
  struct Places {
    Index at[kNormInputs];
  };
  RONDO_INLINE static bool used(int array) {
    return array == kNormX ||
           (!kMoments && (array == kNormDy || (array == kNormY && masked) || (array == kNormWeight && weighted) ||
                          ((array == kNormMean || array == kNormInverse || (array == kNormRest && rests)) && !fixed)));
  }
  template <class D, int count>
  RONDO_INLINE static void move(const D& dims, Places& places, Index i) {
#pragma unroll
    for (int d = count - 1; d >= 0; --d) {
      Index here = i;
      if (d > 0) {
        const Index size = static_cast<Index>(dims.size[d]), rest = i / size;
        here = i - rest * size;
        i = rest;
      }
#pragma unroll
      for (int a = 0; a < kNormInputs; ++a)
        if (used(a)) places.at[a] += here * static_cast<Index>(dims.stride[a][d]);
    }
  }
  template <class T>
  RONDO_INLINE const T* array(int number) const {
    return static_cast<const T*>(args.in[number]);
  }

  // Mean and inverse of `vector` groups that lie `step` apart.
  struct Statistics {
    C mean[vector], inverse[vector], rest[vector];
  };
  template <bool columns>
  RONDO_INLINE void load_statistics(Statistics& of, Index mean, Index inverse, Index rest) const {
    const auto load_line = [&](int which, Index at, C(&to)[vector]) {
      const Index step = columns && kept > 0 ? static_cast<Index>(args.kept.stride[which][kept - 1]) : 0;
      to[0] = array<C>(which)[at];
#pragma unroll
      for (int v = 1; v < vector; ++v) to[v] = to[0];
      if (!columns || step == 0) return;  // of all groups the same: one load instead of `vector`
#pragma unroll
      for (int v = 1; v < vector; ++v) to[v] = array<C>(which)[at + v * step];
    };
    load_line(kNormMean, mean, of.mean);
    load_line(kNormInverse, inverse, of.inverse);
    if constexpr (rests) load_line(kNormRest, rest, of.rest);
  }
  template <bool columns>
  RONDO_INLINE void load_statistics(Statistics& of, const Places& places) const {
    load_statistics<columns>(of, places.at[kNormMean], places.at[kNormInverse], places.at[kNormRest]);
  }
  // Those of a group.
  template <bool columns>
  RONDO_INLINE void load_statistics(Statistics& of, Index number) const {
    load_statistics<columns>(of, offset<kept>(args.kept, kNormMean, number),
                             offset<kept>(args.kept, kNormInverse, number),
                             rests ? offset<kept>(args.kept, kNormRest, number) : Index(0));
  }

  template <int n>
  RONDO_INLINE static void load(const In* from, C (&to)[n]) {
    if constexpr (n == 1) {
      to[0] = from_memory(*from);
    } else {
      const Pack<In, n> pack = load_pack<In, n>(from);
#pragma unroll
      for (int v = 0; v < n; ++v) to[v] = from_memory(pack.v[v]);
    }
  }
  // The memory of n neighbours. Loaded ahead of its use, so that many loads are under way at once.
  template <int n>
  struct Loaded {
    C x[n], g[n], y[n];
  };
  template <int n>
  RONDO_INLINE void fetch(Loaded<n>& loaded, const Places& places) const {
    load<n>(array<In>(kNormX) + places.at[kNormX], loaded.x);
    if constexpr (!kMoments) load<n>(array<In>(kNormDy) + places.at[kNormDy], loaded.g);
    if constexpr (!kMoments && masked) load<n>(array<In>(kNormY) + places.at[kNormY], loaded.y);
  }
  // n neighbours, an accumulator each; so many as they have counted so far.
  template <bool columns, int n>
  RONDO_INLINE void absorb(Acc* acc, Loaded<n>& loaded, const Places& places, const Statistics& statistics) const {
    const C(&x)[n] = loaded.x;
    if constexpr (kMoments) {
      const bool first = acc[0].count == C(0);
      const C share = C(1) / (acc[0].count + C(1));
#pragma unroll
      for (int v = 0; v < n; ++v) {
        acc[v].count += C(1);
        const C value = x[v] * acc[v].scale;
        if (first) acc[v].base = value;
        const C place = value - acc[v].base, distance = place - acc[v].mean;
        acc[v].mean += distance * share;
        acc[v].squares += distance * (place - acc[v].mean);
      }
    } else {
      C(&g)[n] = loaded.g;
      if constexpr (masked) {
#pragma unroll
        for (int v = 0; v < n; ++v) g[v] = loaded.y[v] > C(0) ? g[v] : C(0);
      }
      if constexpr (weighted) {
        const Index step =
            static_cast<Index>(columns ? args.kept.stride[kNormWeight][kept > 0 ? kept - 1 : 0]
                                       : args.reduced.stride[kNormWeight][reduced > 0 ? reduced - 1 : 0]);
#pragma unroll
        for (int v = 0; v < n; ++v)
          g[v] *= static_cast<C>(from_memory(array<Weight>(kNormWeight)[places.at[kNormWeight] + v * step]));
      }
#pragma unroll
      for (int v = 0; v < n; ++v) {
        Total::take(acc[v].sum, g[v], 0);
        C distance = x[v] - statistics.mean[v];
        if constexpr (rests) distance -= statistics.rest[v];
        Total::take(acc[v].dot, g[v] * (distance * statistics.inverse[v]), 0);
      }
    }
  }

  RONDO_INLINE void deliver(Index number, Acc acc) const {
    if constexpr (partial) {
      static_cast<Acc*>(args.partial)[static_cast<i64>(blockIdx.y) * args.groups + number] = acc;
    } else {
      const auto result = [&](int which) {
        return static_cast<C*>(args.out[which - kNormInputs]) + offset<kept>(args.kept, which, number);
      };
      if constexpr (kMoments) {
        const C back = C(1) / acc.scale, scaled = acc.base + acc.mean, mean = scaled * back;
        const f64 scale = static_cast<f64>(acc.scale);
        *result(kNormFirst) = mean;
        *result(kNormThird) = (acc.mean - (scaled - acc.base)) * back;
        const C squares = acc.squares / static_cast<C>(args.length);
        *result(kNormSecond) = inverse_deviation<C>(squares, args.epsilon, scale) * acc.scale;
        if constexpr (tracks) {
          C *to = result(kNormRunningMean), *spread = result(kNormRunningVariance);
          *to = running(*to, mean, args.momentum);
          *spread = running(*spread, unbiased(acc.squares, args.length) * back * back, args.momentum);
        }
      } else {
        *result(kNormFirst) = Total::result(acc.sum);
        *result(kNormSecond) = Total::result(acc.dot);
      }
    }
  }
  RONDO_INLINE Index begin() const {
    return static_cast<Index>(blockIdx.y) * static_cast<Index>(args.chunk);
  }
  RONDO_INLINE Index end() const {
    const i64 rest = args.length - begin();
    return begin() + static_cast<Index>(rest < args.chunk ? rest : args.chunk);
  }

  RONDO_INLINE void rows() const {
    const int lane = threadIdx.x % group;
    const Index number = static_cast<Index>(blockIdx.x) * (256 / group) + static_cast<Index>(threadIdx.x / group);
    Acc acc[vector];
#pragma unroll
    for (int v = 0; v < vector; ++v) acc[v] = identity();
    if (number < args.groups) {
      Places base = {};
      move<Dims<kNormArrays>, kept>(args.kept, base, number);
      Statistics statistics;
      if constexpr (!kMoments && fixed) load_statistics<false>(statistics, number);
      const auto at = [&](Index i) {
        Places places = base;
        move<Dims<kNormInputs>, reduced>(args.reduced, places, i);
        if constexpr (!kMoments && !fixed) load_statistics<false>(statistics, places);
        return places;
      };
      const Index whole = end() - (end() - begin()) % vector;
      do {
        for (Index i = begin() + lane * vector; i < whole; i += group * vector) {
          const Places places = at(i);
          Loaded<vector> loaded;
          fetch(loaded, places);
          absorb<false>(acc, loaded, places, statistics);
        }
        for (Index i = whole + lane; i < end(); i += group) {
          const Places places = at(i);
          Loaded<1> loaded;
          fetch(loaded, places);
          absorb<false>(acc, loaded, places, statistics);
        }
        fold<vector / 2>(acc);
      } while (goes_again<1>(acc));
    }
    finish_rows(acc, lane, number);
  }
  // Joins the accumulators of a lane; the constants keep them in registers.
  template <int half>
  RONDO_INLINE static void fold(Acc* acc) {
#pragma unroll
    for (int v = 0; v < half; ++v) join(acc[v], acc[v + half]);
    if constexpr (half > 1) fold<half / 2>(acc);
  }
  // True if this lane's elements are to be taken again, by the first n accumulators; then all are empty, with the scale
  // for that.
  template <int n>
  RONDO_INLINE bool goes_again(Acc* acc) const {
    bool again = false;
    if constexpr (kMoments) {
      C scale[n];
#pragma unroll
      for (int v = 0; v < n; ++v) {
        scale[v] = Moment::next(acc[v], args.epsilon);
        again |= scale[v] != acc[v].scale;
      }
      if (again)
#pragma unroll
        for (int v = 0; v < vector; ++v) acc[v] = Moment::identity(scale[v < n ? v : 0]);
    }
    return again;
  }
  RONDO_INLINE void finish_rows(Acc* acc, int lane, Index number) const {
    constexpr int width = group < 32 ? group : 32;
#pragma unroll
    for (int delta = width / 2; delta > 0; delta /= 2) join(acc[0], shuffle_down(acc[0], delta, width));
    if constexpr (group > 32) {
      Acc* warps = reinterpret_cast<Acc*>(memory);
      if (lane % 32 == 0) warps[lane / 32] = acc[0];
      __syncthreads();
      if (lane == 0)
        for (int w = 1; w < group / 32; ++w) join(acc[0], warps[w]);
    }
    if (lane == 0 && number < args.groups) deliver(number, acc[0]);
  }

  // Elements i, i + height ... of `vector` neighbouring groups, `ahead` of them loaded before the first is used.
  template <int ahead>
  RONDO_INLINE void walk(Acc* acc, const Places& base, Statistics& statistics, Index i) const {
    Places places[ahead];
    Loaded<vector> loaded[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      places[k] = base;
      move<Dims<kNormInputs>, reduced>(args.reduced, places[k], i + k * (256 / group));
      fetch(loaded[k], places[k]);
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      if constexpr (!kMoments && !fixed) load_statistics<true>(statistics, places[k]);
      absorb<true>(acc, loaded[k], places[k], statistics);
    }
  }
  // The same of partial results.
  template <int ahead>
  RONDO_INLINE void gather(Acc* acc, Index number, Index i) const {
    Acc loaded[ahead][vector];
#pragma unroll
    for (int k = 0; k < ahead; ++k)
#pragma unroll
      for (int v = 0; v < vector; ++v)
        loaded[k][v] = static_cast<const Acc*>(
            args.partial)[(i + k * (256 / group)) * static_cast<Index>(args.groups) + number + v];
#pragma unroll
    for (int k = 0; k < ahead; ++k)
#pragma unroll
      for (int v = 0; v < vector; ++v) join(acc[v], loaded[k][v]);
  }
  RONDO_INLINE void columns() const {
    constexpr int height = 256 / group;
    const int x = threadIdx.x % group, y = threadIdx.x / group;
    const Index number = (static_cast<Index>(blockIdx.x) * group + x) * vector;
    Acc acc[vector];
#pragma unroll
    for (int v = 0; v < vector; ++v) acc[v] = identity();
    if (number < args.groups) {
      if constexpr (joins) {
        Index i = y;
        for (; i + (kNormAhead - 1) * height < args.parts; i += kNormAhead * height) gather<kNormAhead>(acc, number, i);
        for (; i < args.parts; i += height) gather<1>(acc, number, i);
      } else {
        Places base = {};
        move<Dims<kNormArrays>, kept>(args.kept, base, number);
        Statistics statistics;
        if constexpr (!kMoments && fixed) load_statistics<true>(statistics, number);
        do {
          Index i = begin() + y;
          for (; i + (kNormAhead - 1) * height < end(); i += kNormAhead * height)
            walk<kNormAhead>(acc, base, statistics, i);
          for (; i < end(); i += height) walk<1>(acc, base, statistics, i);
        } while (goes_again<vector>(acc));
      }
    }
    Acc* shared = reinterpret_cast<Acc*>(memory);
#pragma unroll
    for (int half = height / 2; half > 0; half /= 2) {
      if (y >= half && y < 2 * half)
        for (int v = 0; v < vector; ++v) shared[((y - half) * vector + v) * group + x] = acc[v];
      __syncthreads();
      if (y < half)
        for (int v = 0; v < vector; ++v) join(acc[v], shared[(y * vector + v) * group + x]);
      __syncthreads();
    }
    if (y == 0 && number < args.groups)
      for (int v = 0; v < vector; ++v) deliver(number + v, acc[v]);
  }
};
#endif

}  // namespace rondo::device
