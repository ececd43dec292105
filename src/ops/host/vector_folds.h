// Defines the loops of folds.h, for the .cc file of each instruction set, as those of vector_loops.h. Lanes are as many
// on each set, so that of equals the same one stays.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ops/host/folds.h"

namespace rondo::ops::RONDO_VECTOR_SET {

namespace {

template <class K>
constexpr int kFoldLanes = 256 / static_cast<int>(sizeof(K));

// As device::beats, without branches: the first NaN stays.
template <class K>
inline bool surpasses(K key, K best) {
  if constexpr (device::is_floating<K>)
    return (best == best) & !(key <= best);
  else
    return key > best;
}
template <class K>
inline K larger(K best, K key) {
  return surpasses(key, best) ? key : best;
}

// best = a > best ? a : best, or a < best ? a : best. Compilers know the instructions by that, but GCC not those of
// AVX-512. With a mask, since GCC 12 warns of what the others are made of.
template <class T, int bytes>
struct Limits {
  typedef T Vector __attribute__((vector_size(bytes)));
  template <bool largest>
  RONDO_VECTOR static inline void apply(Vector& best, const Vector& a) {
#if defined(RONDO_VECTOR_AVX512)
    if constexpr (std::is_same_v<T, float> && bytes == 64)
      best = largest ? _mm512_maskz_max_ps(0xffff, a, best) : _mm512_maskz_min_ps(0xffff, a, best);
    else if constexpr (std::is_same_v<T, float> && bytes == 32)
      best = largest ? _mm256_max_ps(a, best) : _mm256_min_ps(a, best);
    else if constexpr (std::is_same_v<T, float> && bytes == 16)
      best = largest ? _mm_max_ps(a, best) : _mm_min_ps(a, best);
    else
#endif
        if constexpr (largest)
      best = a > best ? a : best;
    else
      best = a < best ? a : best;
  }
};

// The lanes as vectors of the instruction set that stay in registers, which the compiler does not see to by itself.
// A function that takes vectors is compiled for the set, like a loop: otherwise its arguments are taken apart before it
// becomes part of one.
template <class K>
struct Lanes {
  static constexpr int kVectors = 256 / RONDO_VECTOR_BYTES, kEach = RONDO_VECTOR_BYTES / static_cast<int>(sizeof(K));
  using Each = std::make_integer_sequence<int, kVectors>;
  typedef K Vector __attribute__((vector_size(RONDO_VECTOR_BYTES)));
  typedef BitsOf<K> Bits __attribute__((vector_size(RONDO_VECTOR_BYTES)));

  RONDO_VECTOR static inline void load(Vector& to, const K* at, uint64_t bits) {
    Bits loaded;
    std::memcpy(&loaded, at, sizeof loaded);
    loaded ^= static_cast<BitsOf<K>>(bits);
    std::memcpy(&to, &loaded, sizeof to);
  }
  // As larger().
  RONDO_VECTOR static inline void raise(Vector& best, const K* at, uint64_t bits) {
    Vector key;
    load(key, at, bits);
    if constexpr (device::is_floating<K>)
      best = best == best ? (key <= best ? best : key) : best;
    else
      best = key > best ? key : best;
  }

  template <int... v>
  RONDO_VECTOR inline void load_all(const K* at, uint64_t bits, std::integer_sequence<int, v...>) {
    (load(vectors[v], at + v * kEach, bits), ...);
  }
  template <int... v>
  RONDO_VECTOR inline void raise_all(const K* at, uint64_t bits, std::integer_sequence<int, v...>) {
    (raise(vectors[v], at + v * kEach, bits), ...);
  }

  Vector vectors[kVectors];
};

template <class K>
RONDO_VECTOR inline K largest_key(const K* at, int64_t n, uint64_t bits) {
  constexpr int kLanes = kFoldLanes<K>, kFew = kLanes / 4;
  if (n < kLanes) {
    K best = flipped(at[0], bits);
    for (int64_t i = 1; i < n; ++i) best = larger(best, flipped(at[i], bits));
    return best;
  }
  using L = Lanes<K>;
  L most;
  most.load_all(at, bits, typename L::Each());
  for (int64_t i = kLanes; i + kLanes <= n; i += kLanes) most.raise_all(at + i, bits, typename L::Each());
  // The last of all, some of which were there already.
  most.raise_all(at + n - kLanes, bits, typename L::Each());
  K lanes[kLanes];
  std::memcpy(lanes, &most, sizeof lanes);
  for (int part = kFew; part < kLanes; part += kFew)
    for (int l = 0; l < kFew; ++l) lanes[l] = larger(lanes[l], lanes[part + l]);
  K best = lanes[0];
  for (int l = 1; l < kFew; ++l) best = larger(best, lanes[l]);
  return best;
}
// The largest of each lane, and in which round it came: the first time.
template <class K>
struct Places {
  static constexpr int kVectors = 4, kEach = Lanes<K>::kEach, kLanes = kVectors * kEach;
  using Each = std::make_integer_sequence<int, kVectors>;
  using Vector = typename Lanes<K>::Vector;
  using Round = std::make_signed_t<BitsOf<K>>;
  typedef Round Rounds __attribute__((vector_size(RONDO_VECTOR_BYTES)));

  template <int... v>
  RONDO_VECTOR inline void load_all(const K* at, uint64_t bits, std::integer_sequence<int, v...>) {
    ((Lanes<K>::load(best[v], at + v * kEach, bits), rounds[v] ^= rounds[v]), ...);
  }
  // As surpasses().
  RONDO_VECTOR static inline void raise(Vector& best, Rounds& rounds, const K* at, uint64_t bits, const Rounds& now) {
    Vector key;
    Lanes<K>::load(key, at, bits);
    auto more = key > best;
    if constexpr (device::is_floating<K>) more = (best == best) & ~(key <= best);
    best = more ? key : best;
    rounds = more ? now : rounds;
  }
  template <int... v>
  RONDO_VECTOR inline void raise_all(const K* at, uint64_t bits, const Rounds& now, std::integer_sequence<int, v...>) {
    (raise(best[v], rounds[v], at + v * kEach, bits, now), ...);
  }

  Vector best[kVectors];
  Rounds rounds[kVectors] = {};
};

// Takes n values, fewer than Round can count.
template <class K>
RONDO_VECTOR inline Found<K> first_largest(const K* at, int64_t n, uint64_t bits) {
  using P = Places<K>;
  Found<K> found = {0, flipped(at[0], bits)};
  int64_t i = 1;
  if (n >= 2 * P::kLanes) {
    P places;
    places.load_all(at, bits, typename P::Each());
    typename P::Rounds now = {};
    for (i = P::kLanes; i + P::kLanes <= n; i += P::kLanes)
      places.raise_all(at + i, bits, now += typename P::Round(1), typename P::Each());
    K keys[P::kLanes];
    typename P::Round rounds[P::kLanes];
    std::memcpy(keys, places.best, sizeof keys);
    std::memcpy(rounds, places.rounds, sizeof rounds);
    found = {rounds[0] * P::kLanes, keys[0]};
    for (int l = 1; l < P::kLanes; ++l) {
      const int64_t index = int64_t{rounds[l]} * P::kLanes + l;
      const bool same = keys[l] == found.key || (keys[l] != keys[l] && found.key != found.key);
      if (same ? index < found.index : surpasses(keys[l], found.key)) found = {index, keys[l]};
    }
  }
  for (; i < n; ++i)
    if (surpasses(flipped(at[i], bits), found.key)) found = {i, flipped(at[i], bits)};
  return found;
}

template <class K>
RONDO_VECTOR void largest_along(void* to, const void* values, int64_t n, int64_t, const HostFacts& facts) {
  K* best = static_cast<K*>(to);
  *best = larger(*best, largest_key(static_cast<const K*>(values), n, facts.bits));
}
template <class K>
RONDO_VECTOR void largest_across(void* to, const void* values, int64_t n, int64_t rows, int64_t step, int64_t,
                                 const HostFacts& facts) {
  K* best = static_cast<K*>(to);
  const K* at = static_cast<const K*>(values);
  const uint64_t bits = facts.bits;
  for (int64_t row = 0; row < rows; ++row, at += step) {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) best[i] = larger(best[i], flipped(at[i], bits));
  }
}

template <class K>
RONDO_VECTOR void first_along(void* to, const void* values, int64_t n, int64_t index, const HostFacts& facts) {
  Found<K>* found = static_cast<Found<K>*>(to);
  const Found<K> here = first_largest(static_cast<const K*>(values), n, facts.bits);
  if (found->index < 0 || surpasses(here.key, found->key)) *found = {index + here.index, here.key};
}
template <class K>
RONDO_VECTOR void first_across(void* to, const void* values, int64_t n, int64_t rows, int64_t step, int64_t index,
                               const HostFacts& facts) {
  using Row = std::make_signed_t<BitsOf<K>>;  // counted in as many bits as keys have: a vector holds as many
  constexpr int64_t kColumns = 256;
  const uint64_t bits = facts.bits;
  for (int64_t begin = 0; begin < n; begin += kColumns) {
    Found<K>* found = static_cast<Found<K>*>(to) + begin;
    const K* at = static_cast<const K*>(values) + begin;
    const int64_t columns = std::min(kColumns, n - begin);
    K best[kColumns];
    Row where[kColumns] = {};
    for (int64_t i = 0; i < columns; ++i) best[i] = flipped(at[i], bits);
    for (int64_t row = 1; row < rows; ++row) {
      at += step;
      RONDO_APART
      for (int64_t i = 0; i < columns; ++i) {
        const K key = flipped(at[i], bits);
        const bool more = surpasses(key, best[i]);
        best[i] = more ? key : best[i];
        where[i] = more ? static_cast<Row>(row) : where[i];
      }
    }
    for (int64_t i = 0; i < columns; ++i)
      if (found[i].index < 0 || surpasses(best[i], found[i].key)) found[i] = {index + where[i], best[i]};
  }
}

// The bits that decide: for `any` a nonzero one among the bits that count, for `all` none.
template <class B, bool all>
inline B deciding(B value, B bits) {
  return static_cast<B>(all ? static_cast<B>((value & bits) == 0) : static_cast<B>(value & bits));
}
template <class B, bool all>
RONDO_VECTOR void test_along(void* to, const void* values, int64_t n, int64_t, const HostFacts& facts) {
  constexpr int kLanes = kFoldLanes<B>;
  B* met = static_cast<B*>(to);
  const B* at = static_cast<const B*>(values);
  const B bits = static_cast<B>(facts.bits);
  int64_t i = 0;
  for (; *met == 0 && i + kLanes <= n; i += kLanes) {
    B some = 0;
    for (int l = 0; l < kLanes; ++l) some |= deciding<B, all>(at[i + l], bits);
    *met = some;
  }
  for (; *met == 0 && i < n; ++i) *met = deciding<B, all>(at[i], bits);
}
template <class B, bool all>
RONDO_VECTOR void test_across(void* to, const void* values, int64_t n, int64_t rows, int64_t step, int64_t,
                              const HostFacts& facts) {
  B* met = static_cast<B*>(to);
  const B* at = static_cast<const B*>(values);
  const B bits = static_cast<B>(facts.bits);
  for (int64_t row = 0; row < rows; ++row, at += step) {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) met[i] |= deciding<B, all>(at[i], bits);
  }
}

FoldLoops fold(Fold kind, rondo_dtype values) {
  return with_key(values, [kind]<class K>(K*) -> FoldLoops {
    switch (kind) {
      case Fold::largest: return {largest_along<K>, largest_across<K>};
      case Fold::first_largest:
        if constexpr (sizeof(K) >= 4)
          return {first_along<K>, first_across<K>};
        else
          break;
      case Fold::any: return {test_along<BitsOf<K>, false>, test_across<BitsOf<K>, false>};
      case Fold::all: return {test_along<BitsOf<K>, true>, test_across<BitsOf<K>, true>};
    }
    return {};
  });
}

}  // namespace

}  // namespace rondo::ops::RONDO_VECTOR_SET
