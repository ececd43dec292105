// Computes windows over the spatial axes of images: pooling and resizing, forward and backward. A result is made of a
// run of elements on each axis, with a weight each; so an element counts in a range of results, and a gradient is a sum
// in a fixed order that one lane computes. Host and device share all but the launch.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/reductions.h"
#include "rtc/device/strided.h"
#include "rtc/device/window_axis.h"

namespace rondo::device {

enum { kWindowImage, kWindowResult, kWindowPlaces, kWindowArrays };

struct WindowArguments {
  void *image, *result, *places;
  Dims<kWindowArrays> outer, inner;  // around the spatial axes in the order of the lanes
  WindowAxis axis[3];
  i64 inner_count, count;
  i32 accumulate, unused;
};

// The elements start + j * step, j from first up to last. dense: of a window of a size, whose elements are neighbours.
template <class Index, bool dense = false>
struct Taps {
  Index start, step, first, last, divisor;
  f64 upper;  // weight of the second of two
  bool two;
  template <class C>
  RONDO_INLINE C weight(Index j) const {
    if constexpr (dense) return C(1);
    return two ? static_cast<C>(j == 0 ? 1.0 - upper : upper) : C(1);
  }
};

// The place of result `o` in the image, for the rules that resize.
RONDO_INLINE f64 window_source(const WindowAxis& axis, i64 o) {
  const f64 place = static_cast<f64>(o);
  if (axis.origin == WindowOrigin::align_corners)
    return axis.out > 1 ? place * static_cast<f64>(axis.in - 1) / static_cast<f64>(axis.out - 1) : 0.0;
  const f64 scale = static_cast<f64>(axis.in) / static_cast<f64>(axis.out);
  const f64 source = axis.origin == WindowOrigin::half_pixel ? (place + 0.5) * scale - 0.5 : place * scale;
  const f64 last = static_cast<f64>(axis.in - 1);
  return source < 0.0 ? 0.0 : source > last ? last : source;
}
// The nearest element, in integers. `nearest`: halves go down where coordinates are those of centres, and up between
// corners; from edges everything goes down. `exact`: halves go up.
RONDO_INLINE i64 window_nearest(const WindowAxis& axis, i64 o) {
  const bool exact = axis.rule == WindowRule::exact;
  if (axis.origin == WindowOrigin::asymmetric) {
    const i64 at = exact ? (2 * o * axis.in + axis.out) / (2 * axis.out) : o * axis.in / axis.out;
    return at < axis.in ? at : axis.in - 1;
  }
  if (axis.origin == WindowOrigin::half_pixel) return ((2 * o + 1) * axis.in - (exact ? 0 : 1)) / (2 * axis.out);
  return axis.out > 1 ? (2 * o * (axis.in - 1) + axis.out - 1) / (2 * (axis.out - 1)) : 0;
}

template <class Index, bool dense = false>
RONDO_INLINE Taps<Index, dense> window_taps(const WindowAxis& axis, Index o) {
  Taps<Index, dense> taps = {0, 1, 0, 1, 1, 0.0, false};
  const Index in = static_cast<Index>(axis.in);
  switch (dense ? WindowRule::fixed : axis.rule) {
    case WindowRule::fixed: {
      const Index size = static_cast<Index>(axis.size), padding = static_cast<Index>(axis.padding);
      taps.start = o * static_cast<Index>(axis.stride) - padding;
      taps.step = dense ? 1 : static_cast<Index>(axis.dilation);
      taps.first = taps.start < 0 ? (-taps.start + taps.step - 1) / taps.step : 0;
      const Index inside = taps.start < in ? (in - taps.start + taps.step - 1) / taps.step : 0;
      taps.last = inside < size ? inside : size;
      if (taps.last < taps.first) taps.last = taps.first;
      taps.divisor = taps.last - taps.first;
      if (axis.counts_padding) {
        const Index end = in + static_cast<Index>(axis.padding_end);
        taps.divisor = taps.start + size < end ? size : end - taps.start;
      }
      break;
    }
    case WindowRule::adaptive: {
      taps.start = static_cast<Index>(static_cast<i64>(o) * axis.in / axis.out);
      taps.last = static_cast<Index>((static_cast<i64>(o + 1) * axis.in + axis.out - 1) / axis.out) - taps.start;
      taps.divisor = taps.last;
      break;
    }
    case WindowRule::nearest:
    case WindowRule::exact: taps.start = static_cast<Index>(window_nearest(axis, o)); break;
    case WindowRule::linear: {
      const f64 source = window_source(axis, o);
      taps.start = static_cast<Index>(source);
      taps.upper = source - static_cast<f64>(taps.start);
      taps.two = taps.upper > 0.0 && taps.start + 1 < in;
      taps.last = taps.two ? 2 : 1;
      break;
    }
  }
  return taps;
}

// The results from first up to last, among which are all that element `i` counts in.
template <class Index>
struct Range {
  Index first, last;
};
template <class Index>
RONDO_INLINE Range<Index> window_results(const WindowAxis& axis, Index i) {
  const Index in = static_cast<Index>(axis.in), out = static_cast<Index>(axis.out);
  Range<Index> range = {0, out};
  switch (axis.rule) {
    case WindowRule::fixed: {
      const Index at = i + static_cast<Index>(axis.padding), stride = static_cast<Index>(axis.stride);
      const Index reach = static_cast<Index>((axis.size - 1) * axis.dilation);
      range.first = at > reach ? (at - reach + stride - 1) / stride : 0;
      const Index last = at / stride + 1;
      range.last = last < out ? last : out;
      break;
    }
    case WindowRule::adaptive: {
      range.first = static_cast<Index>(static_cast<i64>(i) * axis.out / axis.in);
      range.last = static_cast<Index>((static_cast<i64>(i + 1) * axis.out - 1) / axis.in) + 1;
      break;
    }
    case WindowRule::nearest:
    case WindowRule::exact:
    case WindowRule::linear: {
      if (out == 1 || in == 1) break;
      const f64 per = axis.origin == WindowOrigin::align_corners ? static_cast<f64>(out - 1) / static_cast<f64>(in - 1)
                                                                 : static_cast<f64>(out) / static_cast<f64>(in);
      const f64 low = (static_cast<f64>(i) - 1.0) * per - 2.0, high = (static_cast<f64>(i) + 2.0) * per + 2.0;
      if (i > 0 && low > 0.0) range.first = static_cast<Index>(low);
      if (i < in - 1 && high < static_cast<f64>(out)) range.last = static_cast<Index>(high);
      break;
    }
  }
  return range;
}
// Which of a result's taps element i is; false: none.
template <class Index, bool dense>
RONDO_INLINE bool window_tap(const Taps<Index, dense>& taps, Index i, Index* j) {
  const Index distance = i - taps.start;
  *j = taps.step == 1 ? distance : distance / taps.step;
  return distance >= 0 && *j >= taps.first && *j < taps.last && *j * taps.step == distance;
}

// One lane's work: the results, or elements of an image, from number * vector on, which are neighbours in the innermost
// dimension within. Axes that are not there have one element and one result.
// size: of windows that move by one element along the innermost dimension, whose results are the neighbours; 0: they
// are other ones.
template <class M, class Place, class Index, WindowKind kind, int axes, int outer, int inner, int vector = 1,
          bool dense = false, int along = 0>
struct WindowKernel {
  using Along = Taps<Index, dense>;
  using C = Register<M>;
  static constexpr bool kBack = kind == WindowKind::spread || kind == WindowKind::spread_one;
  const WindowArguments& args;  // inner_count and count are those of lanes

  RONDO_INLINE static Index extent(const WindowAxis& axis) { return static_cast<Index>(kBack ? axis.in : axis.out); }

  RONDO_INLINE void run(Index number) const {
    const Index inner_count = static_cast<Index>(args.inner_count);
    Index rest = inner > 0 ? number / inner_count : number;
    const Index within = (number - rest * inner_count) * vector;
    Index at[3] = {0, 0, 0};
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (int a = axes - 1; a >= 0; --a) {
      const Index size = extent(args.axis[a]), next = rest / size;
      at[a] = rest - next * size;
      rest = next;
    }
    const auto base = [&](int array) {
      return offset<outer>(args.outer, array, rest) + offset<inner>(args.inner, array, within);
    };
    M* const image = static_cast<M*>(args.image) + base(kWindowImage);
    M* const result = static_cast<M*>(args.result) + base(kWindowResult);
    Place* const places = static_cast<Place*>(args.places) +
                          (kind == WindowKind::combine || kind == WindowKind::spread ? Index(0) : base(kWindowPlaces));
    if constexpr (kBack)
      backward(image, result, places, at);
    else
      forward(image, result, places, at);
  }

  // Means of neighbours in memory: each element is read once for all windows of the lane that have it.
  RONDO_INLINE void run_along(Index number) const {
    const WindowAxis& axis = args.axis[0];
    const Index lanes = static_cast<Index>(axis.out) / vector, rest = number / lanes;
    const Index first = (number - rest * lanes) * vector, start = first - static_cast<Index>(axis.padding);
    const M* const image = static_cast<const M*>(args.image) + offset<outer>(args.outer, kWindowImage, rest);
    C x[vector + along - 1];
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (int i = 0; i < vector + along - 1; ++i) {
      const Index at = start + i;
      x[i] = at >= 0 && at < static_cast<Index>(axis.in) ? from_memory(image[at]) : C(0);
    }
    C values[vector];
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (int v = 0; v < vector; ++v) {
      const C divisor = static_cast<C>(window_taps<Index, true>(axis, first + v).divisor);
      C sum = C(0), small = C(0);
      for (int i = 0; i < along; ++i) sum += x[v + i];
      values[v] = sum / divisor;
      if (values[v] - values[v] == C(0) || divisor == C(1)) continue;
      for (int i = 0; i < along; ++i) small += x[v + i] * Scales<C>::down;
      values[v] = small / divisor * (C(1) / Scales<C>::down);
    }
    deliver(static_cast<M*>(args.result) + (offset<outer>(args.outer, kWindowResult, rest) + first), values);
  }

  RONDO_INLINE void deliver(M* to, const C (&values)[vector]) const {
    Pack<M, vector> pack = {};
    if (args.accumulate) pack = load_pack<M, vector>(to);
    for (int v = 0; v < vector; ++v)
      pack.v[v] = to_memory<M>(args.accumulate ? op_add<C>(from_memory(pack.v[v]), values[v]) : values[v]);
    store_pack<M, vector>(to, pack);
  }

  RONDO_INLINE void forward(const M* image, M* result, Place* places, const Index* at) const {
    Along taps[3];
    Index to = 0, place_to = 0;
    for (int a = 0; a < axes; ++a) {
      taps[a] = window_taps<Index, dense>(args.axis[a], at[a]);
      to += at[a] * static_cast<Index>(args.axis[a].out_step);
      place_to += at[a] * static_cast<Index>(args.axis[a].place_step);
    }
    for (int a = axes; a < 3; ++a) taps[a] = {0, 1, 0, 1, 1, 0.0, false};
    const auto step = [&](int a) { return a < axes ? static_cast<Index>(args.axis[a].in_step) : Index(0); };
    C values[vector];
    if constexpr (kind == WindowKind::pick) {
      for (int v = 0; v < vector; ++v) {
        Index place = static_cast<Index>(places[place_to + v]), from = v;
        bool nothing = false;  // the window has no element
        for (int a = axes - 1; a >= 0; --a) {
          const Index size = static_cast<Index>(args.axis[a].size), j = place % size;
          place /= size;
          from += (taps[a].start + j * taps[a].step) * step(a);
          nothing |= taps[a].first == taps[a].last;
        }
        values[v] = nothing ? C(0) : from_memory(image[from]);
      }
      deliver(result + to, values);
      return;
    }
    if constexpr (kind == WindowKind::combine)
      combine(image, taps, step, values);
    else
      find_largest(image, places + place_to, taps, step, values);
    deliver(result + to, values);
  }

  // Calls body(i, j, k, the elements) for the taps in their order.
  template <class Step, class Body>
  RONDO_INLINE void each_tap(const M* image, const Along (&taps)[3], const Step& step, const Body& body) const {
    for (Index i = taps[0].first; i < taps[0].last; ++i) {
      const Index at0 = (taps[0].start + i * taps[0].step) * step(0);
      for (Index j = taps[1].first; j < taps[1].last; ++j) {
        const Index at1 = at0 + (taps[1].start + j * taps[1].step) * step(1);
        for (Index k = taps[2].first; k < taps[2].last; ++k)
          body(i, j, k, load_pack<M, vector>(image + at1 + (taps[2].start + k * taps[2].step) * step(2)));
      }
    }
  }
  // A mean that is not finite, though its elements may be, is made again of smaller ones.
  template <class Step>
  RONDO_INLINE void combine(const M* image, const Along (&taps)[3], const Step& step, C (&values)[vector]) const {
    const C divisor = static_cast<C>(taps[0].divisor * taps[1].divisor * taps[2].divisor);
    C scale = C(1);
    for (;;) {
      C sums[vector];
      for (int v = 0; v < vector; ++v) sums[v] = C(0);
      each_tap(image, taps, step, [&](Index i, Index j, Index k, const Pack<M, vector>& x) {
        const C weight =
            taps[0].template weight<C>(i) * taps[1].template weight<C>(j) * taps[2].template weight<C>(k) * scale;
        for (int v = 0; v < vector; ++v) sums[v] += from_memory(x.v[v]) * weight;
      });
      bool finite = true;
      for (int v = 0; v < vector; ++v) {
        sums[v] = sums[v] / divisor;
        if (scale == C(1))
          values[v] = sums[v];
        else if (!(values[v] - values[v] == C(0)))
          values[v] = sums[v] * (C(1) / scale);
        finite &= values[v] - values[v] == C(0);
      }
      if (finite || divisor == C(1) || scale != C(1)) return;
      scale = Scales<C>::down;
    }
  }
  template <class Step>
  RONDO_INLINE void find_largest(const M* image, Place* places, const Along (&taps)[3], const Step& step,
                                 C (&values)[vector]) const {
    for (int v = 0; v < vector; ++v) values[v] = weakest<C, true>();
    Pack<Place, vector> found = {};
    bool first = true;
    each_tap(image, taps, step, [&](Index i, Index j, Index k, const Pack<M, vector>& x) {
      const Place place = static_cast<Place>(number_of(i, j, k));
      for (int v = 0; v < vector; ++v) {
        const C value = from_memory(x.v[v]);
        if (!first && !beats<C, true>(value, values[v])) continue;
        values[v] = value;
        found.v[v] = place;
      }
      first = false;
    });
    if (args.places) store_pack<Place, vector>(places, found);
  }

  // Which of a window's taps one is.
  RONDO_INLINE Index number_of(Index i, Index j, Index k) const {
    if (axes > 1) i = i * static_cast<Index>(args.axis[1].size) + j;
    if (axes > 2) i = i * static_cast<Index>(args.axis[2].size) + k;
    return i;
  }

  RONDO_INLINE void backward(M* image, const M* result, const Place* places, const Index* at) const {
    Range<Index> range[3] = {{0, 1}, {0, 1}, {0, 1}};
    Index to = 0;
    for (int a = 0; a < axes; ++a) {
      range[a] = window_results<Index>(args.axis[a], at[a]);
      to += at[a] * static_cast<Index>(args.axis[a].in_step);
    }
    // Tap number, weight and place in memory of one result on an axis; false where the element is not in its window.
    struct One {
      Index j, from, place_from, divisor;
      C weight;
    };
    const auto look = [&](int a, Index o, One* one) {
      *one = {0, 0, 0, 1, C(1)};
      if (a >= axes) return true;
      const Along taps = window_taps<Index, dense>(args.axis[a], o);
      if (!window_tap(taps, at[a], &one->j)) return false;
      one->from = o * static_cast<Index>(args.axis[a].out_step);
      one->place_from = o * static_cast<Index>(args.axis[a].place_step);
      one->divisor = taps.divisor;
      one->weight = taps.template weight<C>(one->j);
      return true;
    };
    C sum[vector];
    for (int v = 0; v < vector; ++v) sum[v] = 0;
    One x, y, z;
    for (Index i = range[0].first; i < range[0].last; ++i) {
      if (!look(0, i, &x)) continue;
      for (Index j = range[1].first; j < range[1].last; ++j) {
        if (!look(1, j, &y)) continue;
        for (Index k = range[2].first; k < range[2].last; ++k) {
          if (!look(2, k, &z)) continue;
          const Pack<M, vector> from = load_pack<M, vector>(result + (x.from + y.from + z.from));
          if constexpr (kind == WindowKind::spread) {
            const C weight = x.weight * y.weight * z.weight;
            const C divisor = static_cast<C>(x.divisor * y.divisor * z.divisor);
            for (int v = 0; v < vector; ++v) sum[v] += from_memory(from.v[v]) * weight / divisor;
          } else {
            const Index place = number_of(x.j, y.j, z.j);
            const Pack<Place, vector> of =
                load_pack<Place, vector>(places + (x.place_from + y.place_from + z.place_from));
            for (int v = 0; v < vector; ++v)
              if (static_cast<Index>(of.v[v]) == place) sum[v] += from_memory(from.v[v]);
          }
        }
      }
    }
    deliver(image + to, sum);
  }
};

}  // namespace rondo::device
