// Reductions made of comparisons and tests: the extremes, where the first of them is, any and all. Their loops are
// compiled for each instruction set (vector_folds.h). Few serve all dtypes, since which bits of an element are turned
// round, or count, is said at run time.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/operators/reductions.h"

namespace rondo::ops {

// The facts of a reduction on the host in addition to those of its elements.
struct HostFacts : device::ReduceFacts {
  uint64_t bits = 0;  // of extremes, what is turned round in an element; of tests, what counts
  double scale = 1;   // of reductions that may scale their elements
};

enum class Fold : uint8_t { largest, first_largest, any, all };

// Elements of `values` become keys, of which the largest is looked for: signed integers or floats of the same size
// whose bits in HostFacts::bits are turned round. So are negative zero and positive zero equal, and a NaN is above all.
struct FoldLoops {
  // To one accumulator, n neighbours in the range from `index` on; to n accumulators, a value each of so many rows,
  // which lie `step` apart, the first of them at `index`. Indices only grow.
  void (*along)(void* to, const void* values, int64_t n, int64_t index, const HostFacts& facts);
  void (*across)(void* to, const void* values, int64_t n, int64_t rows, int64_t step, int64_t index,
                 const HostFacts& facts);
};

// Accumulators: of `largest` a key, of `first_largest` this, of a test bits of the value's size, not 0 once one was met
// that decides.
template <class K>
struct Found {
  int64_t index;  // -1: nothing yet
  K key;
};

template <class K>
using BitsOf = typename device::Choose<
    sizeof(K) == 1, device::u8,
    typename device::Choose<sizeof(K) == 2, device::u16,
                            typename device::Choose<sizeof(K) == 4, device::u32, device::u64>::type>::type>::type;
// An element as a key, and back.
template <class K>
inline K flipped(K value, uint64_t bits) {
  return device::bits_as<K>(static_cast<BitsOf<K>>(device::bits_as<BitsOf<K>>(value) ^ static_cast<BitsOf<K>>(bits)));
}

// Calls f with a null pointer of the type of keys of values of this dtype, a register type other than bool.
template <class F>
auto with_key(rondo_dtype values, F&& f) {
  switch (values) {
    case RONDO_I8:
    case RONDO_U8: return f(static_cast<device::i8*>(nullptr));
    case RONDO_I16:
    case RONDO_U16: return f(static_cast<device::i16*>(nullptr));
    case RONDO_I32:
    case RONDO_U32: return f(static_cast<device::i32*>(nullptr));
    case RONDO_I64:
    case RONDO_U64: return f(static_cast<device::i64*>(nullptr));
    case RONDO_F32: return f(static_cast<device::f32*>(nullptr));
    default: return f(static_cast<device::f64*>(nullptr));
  }
}

}  // namespace rondo::ops
