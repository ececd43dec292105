// Computes bags of rows: rows that indices choose in many tables are added up, gradients of the sums go back to the
// rows, all of them or those that were read. One launch works on all of its tables, whose places its argument has. Rows
// are numbered through all tables, one after the other: that number is the key by which places in the list of indices
// are sorted, so that the gradients of one row are added up in the order of the places, whichever lane does it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/optimizer.h"
#include "rtc/device/sort.h"

namespace rondo::device {

constexpr int kBagMost = 64;  // tables of a launch, of which arguments of 4 KiB have room

struct BagTable {
  void* rows;        // null: nobody wants to know
  i64 count;         // of rows
  i64 first;         // the number of its first row
  i64 stride, step;  // of elements: from row to row, and along one
};

struct BagFacts {
  const void* indices;
  const void* offsets;  // where bags begin in the list of indices; null: all are `length` long
  void* sums;           // of bags; or their gradients
  const void* rate;     // f64 or f32, how far rows go
  const b8* finite;     // null: true
  const f32* scale;     // of gradients; null: 1
  void* numbers;        // of rows, by place, as they are sorted then
  u32* bags;            // by place, with offsets
  const void* keys;     // the numbers in order
  const u32* places;    // where they stood
  i64 index_stride[3];  // table, bag, place; with offsets the last alone
  i64 offset_stride;
  i64 sum_stride[3];  // bag, table, column
  i64 tables, batch;
  i64 length;       // of a bag; with offsets, of the list
  i64 width;        // of a row
  i64 count;        // of lanes
  i64 line;         // places that are sorted together: a table's, with offsets all
  i64 rows;         // of all tables
  i64 first_table;  // of this launch
  i64 here;         // tables of this launch
  i32 adds, mean;
};
template <int most>
struct BagArguments {
  BagFacts facts;
  BagTable tables[most];
};

// The row that an index names; negative ones count from the end. -1: none.
RONDO_INLINE i64 row_of(i64 index, i64 rows) {
  if (index < 0) index += rows;
  return index < 0 || index >= rows ? -1 : index;
}

template <class In>
RONDO_INLINE i64 bag_begin(const BagFacts& facts, i64 bag) {
  const i64 at = static_cast<i64>(static_cast<const In*>(facts.offsets)[bag * facts.offset_stride]);
  return at < 0 ? 0 : at > facts.length ? facts.length : at;
}

// A bag's indices: the first, and how many.
template <class In>
RONDO_INLINE const In* bag_indices(const BagFacts& facts, i64 table, i64 bag, i64& count) {
  const In* indices = static_cast<const In*>(facts.indices);
  if (!facts.offsets) {
    count = facts.length;
    return indices + table * facts.index_stride[0] + bag * facts.index_stride[1];
  }
  const i64 number = table * facts.batch + bag, begin = bag_begin<In>(facts, number);
  count = bag_begin<In>(facts, number + 1) - begin;
  return indices + begin * facts.index_stride[2];
}

// The bag that a place is in, of all tables; -1: none.
template <class In>
RONDO_INLINE i64 bag_at(const BagFacts& facts, i64 place) {
  const i64 all = facts.tables * facts.batch;
  i64 low = 0, high = all + 1;  // the first that begins behind the place
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if (bag_begin<In>(facts, middle) <= place)
      low = middle + 1;
    else
      high = middle;
  }
  return low > all ? -1 : low - 1;
}

// The part of a bag's gradient that goes to each of its rows.
template <class M, class In>
RONDO_INLINE Register<M> bag_share(const BagFacts& facts, i64 table, i64 bag) {
  if (!facts.mean) return 1;
  if (!facts.offsets) return static_cast<Register<M>>(facts.length);
  const i64 number = table * facts.batch + bag;
  return static_cast<Register<M>>(bag_begin<In>(facts, number + 1) - bag_begin<In>(facts, number));
}

// A row after a step along its gradient, with the bits of a step of gradient descent over all rows.
template <class M>
RONDO_INLINE M descended(M row, M gradient, f64 scale, f64 rate) {
  using C = Register<M>;
  StepNumbers<C> numbers = {};
  numbers.gradient = static_cast<C>(scale);
  numbers.shrink = 1;
  numbers.step = static_cast<C>(rate);
  C p = from_memory(row), g = from_memory(gradient), none = 0;
  step_element<StepRule::descent, C>(numbers, 1, p, g, none, none, none);
  return to_memory<M>(p);
}

#if defined(__CUDACC_RTC__)
template <class M, int n>
RONDO_INLINE void store_elements(M* to, const M (&from)[n]) {
  if constexpr (n == 1) {
    *to = from[0];
  } else {
    Pack<M, n> pack;
#pragma unroll
    for (int v = 0; v < n; ++v) pack.v[v] = from[v];
    store_pack(to, pack);
  }
}

// The launch's table that has a row: the last whose first row is not beyond it.
template <class Arguments>
RONDO_INLINE int table_of_row(const Arguments& args, i64 row) {
  int low = 0, high = static_cast<int>(args.facts.here) - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (args.tables[middle].first <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// Lane i has some neighbouring columns of a bag's sum.
template <class M, class In, class Index, int vector, class Arguments>
RONDO_INLINE void sum_bag(const Arguments& args, Index i) {
  const BagFacts& facts = args.facts;
  const Index packs = static_cast<Index>(facts.width / vector), here = static_cast<Index>(facts.here);
  const Index rest = i / packs, column = (i - rest * packs) * vector;
  const Index bag = rest / here, t = rest - bag * here;
  const BagTable& table = args.tables[t];
  const i64 number = facts.first_table + t;
  i64 count;
  const In* indices = bag_indices<In>(facts, number, bag, count);
  Register<M> sum[vector];
#pragma unroll
  for (int v = 0; v < vector; ++v) sum[v] = 0;
#pragma unroll 4
  for (i64 j = 0; j < count; ++j) {
    const i64 row = row_of(static_cast<i64>(indices[j * facts.index_stride[2]]), table.count);
    if (row < 0) continue;
    Register<M> part[vector];
    load_some<M, vector>(static_cast<const M*>(table.rows) + row * table.stride + column * table.step, part);
#pragma unroll
    for (int v = 0; v < vector; ++v) sum[v] = sum[v] + part[v];
  }
  if (facts.mean && count > 0)
#pragma unroll
    for (int v = 0; v < vector; ++v) sum[v] = sum[v] / static_cast<Register<M>>(count);
  M* to = static_cast<M*>(facts.sums) + bag * facts.sum_stride[0] + number * facts.sum_stride[1] +
          column * facts.sum_stride[2];
  if constexpr (vector == 1)
    put(to, sum[0], facts.adds != 0);
  else
    store_some<M, vector>(to, sum);
}

// Lane i has a place: the number of the row that its index names, that of no row where there is none. With offsets each
// launch has all places, and writes those of its tables; the first one those of no bag too.
template <class In, class Number, class Arguments>
RONDO_INLINE void number_place(const Arguments& args, i64 i) {
  const BagFacts& facts = args.facts;
  i64 place = i, table, at;
  if (facts.offsets) {
    const i64 bag = bag_at<In>(facts, place);
    table = bag < 0 ? -1 : bag / facts.batch;
    if (bag < 0 ? facts.first_table > 0 : table < facts.first_table || table >= facts.first_table + facts.here) return;
    facts.bags[place] = static_cast<u32>(bag < 0 ? 0 : bag);
    at = place * facts.index_stride[2];
  } else {
    place += facts.first_table * facts.line;
    table = place / facts.line;
    const i64 rest = place - table * facts.line, bag = rest / facts.length;
    at = table * facts.index_stride[0] + bag * facts.index_stride[1] +
         (rest - bag * facts.length) * facts.index_stride[2];
  }
  i64 number = facts.rows;
  if (table >= 0) {
    const BagTable& own = args.tables[table - facts.first_table];
    const i64 row = row_of(static_cast<i64>(static_cast<const In*>(facts.indices)[at]), own.count);
    if (row >= 0) number = own.first + row;
  }
  static_cast<Number*>(facts.numbers)[place] = static_cast<Number>(number);
}

// The gradient of a row: those of the bags at the sorted places from `at` on, as long as they have its key, added in
// their order and rounded once.
template <class M, class In, class Key, int vector>
RONDO_INLINE void add_run(const BagFacts& facts, i64 table, i64 line, i64 at, i64 column, M (&to)[vector]) {
  const Key* keys = static_cast<const Key*>(facts.keys) + line;
  const u32* places = facts.places + line;
  const Key key = keys[at];
  Register<M> sum[vector];
#pragma unroll
  for (int v = 0; v < vector; ++v) sum[v] = 0;
  for (; at < facts.line && keys[at] == key; ++at) {
    const i64 place = static_cast<i64>(places[at]);
    const i64 bag = facts.offsets ? static_cast<i64>(facts.bags[place]) - table * facts.batch : place / facts.length;
    const M* from = static_cast<const M*>(facts.sums) + bag * facts.sum_stride[0] + table * facts.sum_stride[1] +
                    column * facts.sum_stride[2];
    Register<M> part[vector];
    load_some<M, vector>(from, part);
    const Register<M> share = bag_share<M, In>(facts, table, bag);
#pragma unroll
    for (int v = 0; v < vector; ++v) sum[v] = sum[v] + (facts.mean ? part[v] / share : part[v]);
  }
#pragma unroll
  for (int v = 0; v < vector; ++v) to[v] = to_memory<M>(sum[v]);
}

// Lane i has some columns of a row's gradient, of any row of the launch's tables.
template <class M, class In, class Key, class Index, int vector, class Arguments>
RONDO_INLINE void gradient_of_row(const Arguments& args, Index i) {
  const BagFacts& facts = args.facts;
  const Index packs = static_cast<Index>(facts.width / vector);
  const i64 row = args.tables[0].first + i / packs, column = (i % packs) * vector;
  const int t = table_of_row(args, row);
  const BagTable& table = args.tables[t];
  if (!table.rows) return;
  const i64 line = facts.offsets ? 0 : (facts.first_table + t) * facts.line;
  const Key* keys = static_cast<const Key*>(facts.keys) + line;
  const Key key = static_cast<Key>(row);
  i64 low = 0, high = facts.line;
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  M sum[vector];
#pragma unroll
  for (int v = 0; v < vector; ++v) sum[v] = to_memory<M>(0);
  if (low < facts.line && keys[low] == key)
    add_run<M, In, Key, vector>(facts, facts.first_table + t, line, low, column, sum);
  M* to = static_cast<M*>(table.rows) + (row - table.first) * table.stride + column * table.step;
  store_elements<M, vector>(to, sum);
}

// Lane i has some columns of the row at a sorted place, if that is the first one of its key: the row makes a step.
template <class M, class In, class Key, class Rate, class Index, int vector, class Arguments>
RONDO_INLINE void descend_row(const Arguments& args, Index i) {
  const BagFacts& facts = args.facts;
  if (facts.finite && !from_memory(*facts.finite)) return;
  const Index packs = static_cast<Index>(facts.width / vector);
  const i64 rest = i / packs, column = (i % packs) * vector;
  const i64 line = facts.offsets ? 0 : facts.first_table * facts.line + rest / facts.line * facts.line;
  const i64 at = facts.offsets ? rest : rest % facts.line;
  const Key* keys = static_cast<const Key*>(facts.keys) + line;
  const Key key = keys[at];
  if (key == kLastKey<Key> || (at > 0 && keys[at - 1] == key)) return;
  const i64 row = static_cast<i64>(key);
  const BagTable& last = args.tables[facts.here - 1];
  if (row < args.tables[0].first || row >= last.first + last.count) return;  // another launch's
  const int t = table_of_row(args, row);
  const BagTable& table = args.tables[t];
  M sum[vector];
  add_run<M, In, Key, vector>(facts, facts.first_table + t, line, at, column, sum);
  M* to = static_cast<M*>(table.rows) + (row - table.first) * table.stride + column * table.step;
  const f64 rate = static_cast<f64>(*static_cast<const Rate*>(facts.rate));
  const f64 scale = facts.scale ? static_cast<f64>(*facts.scale) : 1.0;
  if constexpr (vector == 1) {
    *to = descended<M>(*to, sum[0], scale, rate);
  } else {
    Pack<M, vector> pack = load_pack<M, vector>(to);
#pragma unroll
    for (int v = 0; v < vector; ++v) pack.v[v] = descended<M>(pack.v[v], sum[v], scale, rate);
    store_pack(to, pack);
  }
}
#endif

}  // namespace rondo::device
