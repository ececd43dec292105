// Defines the loops of window_loops.h, for the .cc file of each instruction set, as those of vector_loops.h. A vector
// of results stays in registers while its taps are gone through; of a line shorter than that, a shorter vector.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ops/host/vector_folds.h"
#include "ops/host/window_loops.h"

namespace rondo::ops::RONDO_VECTOR_SET {

namespace {

// Lanes of two vectors, those of the second counted on from those of the first.
template <int... lanes, class Vector>
RONDO_VECTOR static inline Vector shuffled(const Vector& low, const Vector& high) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(low, high, lanes...);
#else  // GCC before 12
  using Lane = std::conditional_t<sizeof(low[0]) == 4, int32_t, int64_t>;
  typedef Lane Lanes __attribute__((vector_size(sizeof(Vector))));
  return __builtin_shuffle(low, high, Lanes{lanes...});
#endif
}

template <class C, int bytes = RONDO_VECTOR_BYTES>
struct WindowLanes {
  static constexpr int kLanes = bytes / static_cast<int>(sizeof(C));
  typedef C Vector __attribute__((vector_size(bytes)));
  typedef PlaceOf<C> Places __attribute__((vector_size(bytes)));
  using Each = std::make_integer_sequence<int, kLanes>;

  // Elements 0, 2, 4, ...: in two halves, of which the second ends with the last that is needed.
  template <int... l>
  RONDO_VECTOR static inline void load_every_second(Vector& to, const C* at, std::integer_sequence<int, l...>) {
    Vector low, high;
    std::memcpy(&low, at, sizeof low);
    std::memcpy(&high, at + kLanes - 1, sizeof high);
    to = shuffled<(2 * l < kLanes ? 2 * l : 2 * l + 1)...>(low, high);
  }
  // Loads elements 1, 3, 5, ... as well.
  template <int... l>
  RONDO_VECTOR static inline void load_both(Vector& even, Vector& odd, const C* at, std::integer_sequence<int, l...>) {
    Vector low, high;
    std::memcpy(&low, at, sizeof low);
    std::memcpy(&high, at + kLanes, sizeof high);
    even = shuffled<(2 * l)...>(low, high);
    odd = shuffled<(2 * l + 1)...>(low, high);
  }
  // Each lane twice.
  template <int... l>
  RONDO_VECTOR static inline void double_up(Vector& low, Vector& high, const Vector& x,
                                            std::integer_sequence<int, l...>) {
    low = shuffled<(l / 2)...>(x, x);
    high = shuffled<(kLanes / 2 + l / 2)...>(x, x);
  }
  // sum: of all keys, which is NaN if one of them is.
  template <bool places>
  RONDO_VECTOR static inline void raise(Vector& best, Places& found, Vector& sum, const Vector& key, PlaceOf<C> name) {
    sum += key;
    if constexpr (places) {
      const auto larger = key > best;
      best = larger ? key : best;
      const Places named = name - Places{};
      found = larger ? named : found;
    } else {
      Limits<C, bytes>::template apply<true>(best, key);
    }
  }
  template <int step>
  RONDO_VECTOR static inline void load(Vector& to, const C* at, int64_t any) {
    if constexpr (step == 1)
      std::memcpy(&to, at, sizeof to);
    else if constexpr (step == 2)
      load_every_second(to, at, Each());
    else
      for (int l = 0; l < kLanes; ++l) to[l] = at[l * any];
  }
};

template <class C>
inline void find_largest(C* to, PlaceOf<C>* place, const C* from, const int64_t* taps, const PlaceOf<C>* names,
                         int64_t count, int64_t offset, bool more) {
  int64_t t = 0;
  C best = *to;
  PlaceOf<C> found = place ? *place : 0;
  from += offset;
  if (!more) {
    best = from[taps[0]];
    found = names[0];
    t = 1;
  }
  for (; t < count; ++t) {
    const bool more_than = surpasses(from[taps[t]], best);
    best = more_than ? from[taps[t]] : best;
    found = more_than ? names[t] : found;
  }
  *to = best;
  if (place) *place = found;
}

template <class C>
[[gnu::noinline]] void largest_one_by_one(C* to, PlaceOf<C>* places, const C* from, const int64_t* taps,
                                          const PlaceOf<C>* names, int64_t count, int64_t step, int64_t n, bool more) {
  for (int64_t i = 0; i < n; ++i)
    find_largest(to + i, places ? places + i : nullptr, from, taps, names, count, i * step, more);
}

// Vectors as long as there are whole ones, the last of which goes over again some that are done. If some are NaN it is
// all done again by the rule for those.
template <class C, int step, bool places, int bytes = RONDO_VECTOR_BYTES>
RONDO_VECTOR inline void largest_by(C* to, PlaceOf<C>* at, const C* from, const int64_t* taps, const PlaceOf<C>* names,
                                    int64_t count, int64_t any, int64_t n) {
  using L = WindowLanes<C, bytes>;
  typename L::Vector all = {};  // NaN if one was met, or infinities of both signs
  for (int64_t done = 0; done < n;) {
    const int64_t i = done + L::kLanes <= n ? done : n - L::kLanes;
    done = i + L::kLanes;
    typename L::Vector best = {}, key = {};
    typename L::Places found = {};
    L::template load<step>(best, from + taps[0] + i * any, any);
    if constexpr (places) found += names[0];
    typename L::Vector sum = best;
    for (int64_t t = 1; t < count; ++t) {
      if (step == 2 && t + 1 < count && taps[t + 1] == taps[t] + 1) {
        // Neighbours are read together.
        typename L::Vector next = {};
        L::load_both(key, next, from + taps[t] + i * any, typename L::Each());
        L::template raise<places>(best, found, sum, key, names[t++]);
        L::template raise<places>(best, found, sum, next, names[t]);
        continue;
      }
      L::template load<step>(key, from + taps[t] + i * any, any);
      L::template raise<places>(best, found, sum, key, names[t]);
    }
    all += sum;
    std::memcpy(to + i, &best, sizeof best);
    if constexpr (places) std::memcpy(at + i, &found, sizeof found);
  }
  const typename L::Places unordered = all != all;
  PlaceOf<C> some = 0;
  for (int l = 0; l < L::kLanes; ++l) some |= unordered[l];
  if (some) [[unlikely]]
    largest_one_by_one(to, places ? at : nullptr, from, taps, names, count, any, n, false);
}
// Lines shorter than a vector of twice as many bytes.
constexpr int kFewest = 4;
template <int bytes>
RONDO_VECTOR inline void largest_of_few(float* to, const float* from, const int64_t* taps, const int32_t* names,
                                        int64_t count, int64_t step, int64_t n) {
  if constexpr (bytes >= kFewest * static_cast<int>(sizeof(float))) {
    if (n * static_cast<int64_t>(sizeof(float)) < bytes)
      return largest_of_few<bytes / 2>(to, from, taps, names, count, step, n);
    if (step == 1) return largest_by<float, 1, false, bytes>(to, nullptr, from, taps, names, count, 1, n);
    largest_by<float, 2, false, bytes>(to, nullptr, from, taps, names, count, 2, n);
  }
}
template <class C>
RONDO_VECTOR void window_largest(C* to, PlaceOf<C>* places, const C* from, const int64_t* taps, const PlaceOf<C>* names,
                                 int64_t count, int64_t step, int64_t n, bool more) {
  if (more) return largest_one_by_one(to, places, from, taps, names, count, step, n, true);
  if (n < WindowLanes<C>::kLanes) {
    if constexpr (sizeof(C) == sizeof(float)) {
      if (!places && (step == 1 || step == 2) && n >= kFewest)
        return largest_of_few<RONDO_VECTOR_BYTES / 2>(to, from, taps, names, count, step, n);
    }
    for (int64_t i = 0; i < n; ++i)
      find_largest(to + i, places ? places + i : nullptr, from, taps, names, count, i * step, false);
    return;
  }
  if (step == 1) {
    if (places) return largest_by<C, 1, true>(to, places, from, taps, names, count, 1, n);
    return largest_by<C, 1, false>(to, places, from, taps, names, count, 1, n);
  }
  if (step == 2) {
    if (places) return largest_by<C, 2, true>(to, places, from, taps, names, count, 2, n);
    return largest_by<C, 2, false>(to, places, from, taps, names, count, 2, n);
  }
  if (places) return largest_by<C, 0, true>(to, places, from, taps, names, count, step, n);
  largest_by<C, 0, false>(to, places, from, taps, names, count, step, n);
}

// Makes so many vectors side by side, as each sum waits for its last tap. Vectors are copied one by one: an array that
// is copied as a whole would be in memory, with all sums of each tap.
template <class C, int step, bool weighted, int vectors, int bytes>
RONDO_VECTOR inline void sum_vectors(C* to, const C* from, const int64_t* taps, const C* weights, int64_t count,
                                     int64_t any, bool more) {
  using L = WindowLanes<C, bytes>;
  typename L::Vector sum[vectors] = {};
  if (more) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) std::memcpy(&sum[v], to + v * L::kLanes, sizeof sum[v]);
  }
  for (int64_t t = 0; t < count; ++t) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      typename L::Vector x = {};
      L::template load<step>(x, from + taps[t] + v * L::kLanes * any, any);
      if constexpr (weighted) x *= weights[t];
      sum[v] += x;
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) std::memcpy(to + v * L::kLanes, &sum[v], sizeof sum[v]);
}
template <class C>
[[gnu::noinline]] void sum_one_by_one(C* to, const C* from, const int64_t* taps, const C* weights, int64_t count,
                                      int64_t step, int64_t n, bool more) {
  for (int64_t i = 0; i < n; ++i, from += step) {
    C sum = more ? to[i] : C(0);
    for (int64_t t = 0; t < count; ++t) sum += weights ? from[taps[t]] * weights[t] : from[taps[t]];
    to[i] = sum;
  }
}
// The last vector goes over again some that are done, unless something was there before.
template <class C, int step, bool weighted, int bytes = RONDO_VECTOR_BYTES>
RONDO_VECTOR inline void sum_by(C* to, const C* from, const int64_t* taps, const C* weights, int64_t count, int64_t any,
                                int64_t n, bool more) {
  constexpr int64_t kLanes = WindowLanes<C, bytes>::kLanes;
  int64_t i = 0;
  if constexpr (step == 1 && bytes == RONDO_VECTOR_BYTES)
    for (; i + 4 * kLanes <= n; i += 4 * kLanes)
      sum_vectors<C, step, weighted, 4, bytes>(to + i, from + i * any, taps, weights, count, any, more);
  for (; i + kLanes <= n; i += kLanes)
    sum_vectors<C, step, weighted, 1, bytes>(to + i, from + i * any, taps, weights, count, any, more);
  if (i < n && n >= kLanes && !more)
    return sum_vectors<C, step, weighted, 1, bytes>(to + n - kLanes, from + (n - kLanes) * any, taps, weights, count,
                                                    any, false);
  if (i < n) sum_one_by_one(to + i, from + i * any, taps, weighted ? weights : nullptr, count, any, n - i, more);
}
template <int bytes>
RONDO_VECTOR inline void sum_of_few(float* to, const float* from, const int64_t* taps, int64_t count, int64_t step,
                                    int64_t n) {
  if constexpr (bytes >= kFewest * static_cast<int>(sizeof(float))) {
    if (n * static_cast<int64_t>(sizeof(float)) < bytes) return sum_of_few<bytes / 2>(to, from, taps, count, step, n);
    if (step == 1) return sum_by<float, 1, false, bytes>(to, from, taps, nullptr, count, 1, n, false);
    sum_by<float, 2, false, bytes>(to, from, taps, nullptr, count, 2, n, false);
  }
}
template <class C>
RONDO_VECTOR void window_sum(C* to, const C* from, const int64_t* taps, const C* weights, int64_t count, int64_t step,
                             int64_t n, bool more) {
  if constexpr (sizeof(C) == sizeof(float)) {
    if (n < WindowLanes<C>::kLanes && n >= kFewest && (step == 1 || step == 2) && !weights && !more)
      return sum_of_few<RONDO_VECTOR_BYTES / 2>(to, from, taps, count, step, n);
  }
  if (step == 1) {
    if (weights) return sum_by<C, 1, true>(to, from, taps, weights, count, 1, n, more);
    return sum_by<C, 1, false>(to, from, taps, weights, count, 1, n, more);
  }
  if constexpr (sizeof(C) == sizeof(float)) {
    if (step == 2 && !weights) return sum_by<C, 2, false>(to, from, taps, weights, count, 2, n, more);
    if (!weights) return sum_by<C, 0, false>(to, from, taps, weights, count, step, n, more);
  }
  sum_one_by_one(to, from, taps, weights, count, step, n, more);
}

template <class C>
RONDO_VECTOR void window_divide(C* values, C divisor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) values[i] /= divisor;
}
template <class C>
RONDO_VECTOR void window_blend(C* to, const C* low, const C* high, const C* lower, const C* upper, C weight, int64_t n,
                               bool more) {
  if (more) {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) to[i] = to[i] + low[i] * (weight * lower[i]) + high[i] * (weight * upper[i]);
  } else {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) to[i] = C(0) + low[i] * (weight * lower[i]) + high[i] * (weight * upper[i]);
  }
}
template <class C>
RONDO_VECTOR void window_twice(C* to, C* also, const C* from, int64_t n) {
  using L = WindowLanes<C>;
  if (n < L::kLanes) {
    for (int64_t i = 0; i < n; ++i) to[2 * i] = to[2 * i + 1] = also[2 * i] = also[2 * i + 1] = from[i] + C(0);
    return;
  }
  for (int64_t done = 0; done < n;) {  // the last vector goes over again some that are done
    const int64_t i = done + L::kLanes <= n ? done : n - L::kLanes;
    done = i + L::kLanes;
    typename L::Vector x, low, high;
    std::memcpy(&x, from + i, sizeof x);
    x += typename L::Vector{};
    L::double_up(low, high, x, typename L::Each());
    std::memcpy(to + 2 * i, &low, sizeof low);
    std::memcpy(to + 2 * i + L::kLanes, &high, sizeof high);
    std::memcpy(also + 2 * i, &low, sizeof low);
    std::memcpy(also + 2 * i + L::kLanes, &high, sizeof high);
  }
}
template <class C>
RONDO_VECTOR void window_share(C* to, const C* from, int64_t step, C weight, C divisor, int64_t n) {
  if (step == 1) {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) to[i] += from[i] * weight / divisor;
  } else {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) to[i] += from[i * step] * weight / divisor;
  }
}
template <class C, class Place>
RONDO_VECTOR inline void chosen_by(C* to, const C* from, int64_t step, const Place* places, int64_t place_step,
                                   Place name, int64_t n) {
  if (step == 1 && place_step == 1) {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) to[i] += places[i] == name ? from[i] : C(0);
  } else {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) to[i] += places[i * place_step] == name ? from[i * step] : C(0);
  }
}
template <class C>
RONDO_VECTOR void window_chosen(C* to, const C* from, int64_t step, const void* places, int64_t place_step, bool bytes,
                                PlaceOf<C> name, int64_t n) {
  if (bytes)
    chosen_by(to, from, step, static_cast<const uint8_t*>(places), place_step, static_cast<uint8_t>(name), n);
  else
    chosen_by(to, from, step, static_cast<const int32_t*>(places), place_step, static_cast<int32_t>(name), n);
}
template <class C>
RONDO_VECTOR void window_spread(C* to, int64_t step, const C* from, int64_t n) {
  if (step == 1) {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) to[i] += from[i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * step] += from[i];
  }
}

// In vectors, the last of which goes over again what is done; a line of fewer pairs than lanes by shorter ones.
template <int bytes>
RONDO_VECTOR inline void part_by(const float* from, int64_t apart, int64_t lines, int64_t n, float* even, float* odd,
                                 int64_t to_apart) {
  using L = WindowLanes<float, bytes>;
  const int64_t pairs = n / 2;
  if constexpr (bytes > 16) {
    if (pairs < L::kLanes) return part_by<bytes / 2>(from, apart, lines, n, even, odd, to_apart);
  }
  for (; lines > 0; --lines, from += apart, even += to_apart, odd += to_apart) {
    if (n % 2 != 0) even[pairs] = from[2 * pairs];
    if (pairs < L::kLanes) {
      for (int64_t i = 0; i < pairs; ++i) {
        even[i] = from[2 * i];
        odd[i] = from[2 * i + 1];
      }
      continue;
    }
    for (int64_t done = 0; done < pairs; done += L::kLanes) {
      const int64_t i = std::min<int64_t>(done, pairs - L::kLanes);
      typename L::Vector one, other;
      L::load_both(one, other, from + 2 * i, typename L::Each());
      std::memcpy(even + i, &one, sizeof one);
      std::memcpy(odd + i, &other, sizeof other);
    }
  }
}

template <class C>
constexpr WindowLoops<C> window_loops() {
  return {window_largest<C>, window_sum<C>,   window_divide<C>, window_blend<C>,
          window_twice<C>,   window_share<C>, window_chosen<C>, window_spread<C>};
}
constexpr WindowTables kWindowTables = {window_loops<float>(), window_loops<double>(), part_by<RONDO_VECTOR_BYTES>};

}  // namespace

}  // namespace rondo::ops::RONDO_VECTOR_SET
