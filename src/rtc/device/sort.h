// Sorts lines of elements: by keys whose order as unsigned numbers is the elements' order, tiles sorted in shared
// memory, and tiles merged. A key goes with its element's place in the line, which breaks ties: so the order is stable,
// total, and the same each time.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

template <int size>
struct SortKeyOf {
  using type = u32;
};
template <>
struct SortKeyOf<8> {
  using type = u64;
};
template <class M>
using SortKey = typename SortKeyOf<static_cast<int>(sizeof(M))>::type;

// Larger than every other: NaN's.
template <class Key>
constexpr Key kLastKey = static_cast<Key>(~static_cast<Key>(0));

// Equal elements have equal keys, -0 and 0 too; NaN is greater than every number, as in NumPy's sort.
template <class M>
RONDO_INLINE SortKey<M> sort_key(M element) {
  using Key = SortKey<M>;
  const Register<M> x = from_memory(element);
  constexpr Key sign = static_cast<Key>(static_cast<Key>(1) << (sizeof(Key) * 8 - 1));
  if constexpr (is_floating<Register<M>>) {
    if (op_isnan(x)) return kLastKey<Key>;
    const Key bits = x == 0 ? 0 : bits_as<Key>(x);
    return bits & sign ? ~bits : bits | sign;
  } else if constexpr (kLowest<Register<M>> == 0) {
    return static_cast<Key>(x);
  } else {
    return static_cast<Key>(static_cast<i64>(x)) ^ sign;
  }
}

// The axis' coordinate that an index names; negative ones count from the end. The last key: none.
template <class M>
RONDO_INLINE SortKey<M> coordinate_key(M index, i64 extent) {
  i64 c = static_cast<i64>(index);
  if (c < 0) c += extent;
  return c < 0 || c >= extent ? kLastKey<SortKey<M>> : static_cast<SortKey<M>>(c);
}

constexpr int kSortBlock = 2048;  // elements that a block sorts: tiles of one or more lines
constexpr int kSortThreads = 256;

struct SortArguments {
  const void* in;
  void* values;   // null: not wanted
  void* indices;  // of i64; null: not wanted
  void* from_keys;
  u32* from_places;
  void* to_keys;
  u32* to_places;
  Dims<3> lines;  // in, values, indices
  i64 step[3];    // along a line
  i64 count;      // of lines
  i64 length;     // of a line as it comes in
  i64 tiles;      // of a line
  i64 left;       // of a line as it goes on
  i64 run;        // that are sorted already, when merging
  i64 extent;     // not 0: the elements are indices of an axis of this size, and keys are its coordinates
  i32 tile;       // a power of two, at most kSortBlock
  i32 keep;       // of each tile
  i32 descending, first, last, adds;
};

#if defined(__CUDACC_RTC__)
template <class Key>
RONDO_INLINE bool sorts_before(Key key, u32 place, Key other_key, u32 other_place) {
  return key < other_key || (key == other_key && place < other_place);
}

// The element of a line that is at `rank` in the result.
template <class M, int dims>
RONDO_INLINE void emit_sorted(const SortArguments& args, i64 line, i64 rank, u32 place) {
  if (args.values) {
    const M* from = static_cast<const M*>(args.in) + offset<dims>(args.lines, 0, line) + place * args.step[0];
    M* to = static_cast<M*>(args.values) + offset<dims>(args.lines, 1, line) + rank * args.step[1];
    if (args.adds & 1)
      put(to, from_memory(*from), true);
    else
      *to = *from;
  }
  if (args.indices)
    put(static_cast<i64*>(args.indices) + offset<dims>(args.lines, 2, line) + rank * args.step[2],
        static_cast<i64>(place), (args.adds & 2) != 0);
}

// Sorts the tiles of a block, by a bitonic network.
template <class M, int dims>
RONDO_INLINE void sort_tiles(const SortArguments& args) {
  using Key = SortKey<M>;
  __shared__ Key keys[kSortBlock];
  __shared__ u32 places[kSortBlock];
  const int tile = args.tile, per_block = kSortBlock / tile;
  for (int slot = threadIdx.x; slot < kSortBlock; slot += kSortThreads) {
    const i64 t = static_cast<i64>(blockIdx.x) * per_block + slot / tile;
    const i64 line = t / args.tiles, at = t % args.tiles * tile + slot % tile;
    Key key = kLastKey<Key>;
    u32 place = 0xffffffffu;  // behind every element
    if (line < args.count && at < args.length) {
      if (args.first) {
        const M element = static_cast<const M*>(args.in)[offset<dims>(args.lines, 0, line) + at * args.step[0]];
        key = sort_key(element);
        if constexpr (same_type<M, i32> || same_type<M, i64>) {
          if (args.extent) key = coordinate_key(element, args.extent);
        }
        if (args.descending) key = ~key;
        place = static_cast<u32>(at);
      } else {
        key = static_cast<const Key*>(args.from_keys)[line * args.length + at];
        place = args.from_places[line * args.length + at];
      }
    }
    keys[slot] = key;
    places[slot] = place;
  }
  for (int size = 2; size <= tile; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < kSortBlock / 2; pair += kSortThreads) {
        const int a = pair / distance * distance * 2 + pair % distance, b = a + distance;
        const bool up = (a & size) == 0 || size == tile;
        const Key left = keys[a], right = keys[b];
        const u32 left_place = places[a], right_place = places[b];
        if (sorts_before(right, right_place, left, left_place) == up) {
          keys[a] = right;
          places[a] = right_place;
          keys[b] = left;
          places[b] = left_place;
        }
      }
    }
  __syncthreads();
  for (int slot = threadIdx.x; slot < kSortBlock; slot += kSortThreads) {
    const i64 t = static_cast<i64>(blockIdx.x) * per_block + slot / tile;
    const i64 line = t / args.tiles, rank = slot % tile, start = t % args.tiles * tile;
    if (line >= args.count || rank >= args.keep || start + rank >= args.length) continue;
    if (args.last) {
      emit_sorted<M, dims>(args, line, rank, places[slot]);
    } else {
      const i64 to = line * args.left + t % args.tiles * args.keep + rank;
      static_cast<Key*>(args.to_keys)[to] = keys[slot];
      args.to_places[to] = places[slot];
    }
  }
}

// Merges pairs of runs: each element finds how many of the other run stand before it.
template <class M, int dims>
RONDO_INLINE void sort_merge(const SortArguments& args) {
  using Key = SortKey<M>;
  const i64 i = static_cast<i64>(blockIdx.x) * kSortThreads + threadIdx.x;
  if (i >= args.count * args.length) return;
  const i64 line = i / args.length, at = i - line * args.length;
  const Key* keys = static_cast<const Key*>(args.from_keys) + line * args.length;
  const u32* places = args.from_places + line * args.length;
  const i64 own = at / args.run, other = (own ^ 1) * args.run;
  const Key key = keys[at];
  const u32 place = places[at];
  i64 low = other < args.length ? other : args.length;
  i64 high = other + args.run < args.length ? other + args.run : args.length;
  const i64 start = low;
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if (sorts_before(keys[middle], places[middle], key, place))
      low = middle + 1;
    else
      high = middle;
  }
  const i64 rank = (own & ~static_cast<i64>(1)) * args.run + (at - own * args.run) + (low - start);
  if (args.last) {
    if (rank < args.left) emit_sorted<M, dims>(args, line, rank, place);
  } else {
    static_cast<Key*>(args.to_keys)[line * args.length + rank] = key;
    args.to_places[line * args.length + rank] = place;
  }
}
#endif

}  // namespace rondo::device
