// Reads elements of any dtype as values of a few types, and writes them back, a block at a time: a loop over values is
// compiled once for each of those types, and the code that reads and writes memory once for each dtype, instead of
// every loop for every dtype.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "ops/host/elementwise_loops.h"
#include "ops/operators/element.h"

namespace rondo::ops {

inline constexpr int64_t kMostValues = 256;  // of a block

// The dtype of values, each a register type.
template <class V>
constexpr rondo_dtype value_dtype() {
  if constexpr (std::is_same_v<V, bool>) return RONDO_BOOL;
  if constexpr (std::is_same_v<V, device::i32>) return RONDO_I32;
  if constexpr (std::is_same_v<V, device::i64>) return RONDO_I64;
  if constexpr (std::is_same_v<V, device::u32>) return RONDO_U32;
  if constexpr (std::is_same_v<V, device::u64>) return RONDO_U64;
  if constexpr (std::is_same_v<V, device::f32>) return RONDO_F32;
  static_assert(std::is_same_v<V, bool> || std::is_same_v<V, device::i32> || std::is_same_v<V, device::i64> ||
                std::is_same_v<V, device::u32> || std::is_same_v<V, device::u64> || std::is_same_v<V, device::f32> ||
                std::is_same_v<V, device::f64>);
  return RONDO_F64;
}

// Up to kMostValues on the stack, of whatever type.
struct ValueBlock {
  alignas(64) char bytes[kMostValues * sizeof(uint64_t)];
};

class ValueReader {
 public:
  ValueReader(rondo_dtype memory, rondo_dtype values, Instructions which = instructions());
  // The address of the n elements, `stride` apart, as values: in `room`, unless they are values in memory.
  const void* read(const char* from, int64_t stride, int64_t n, ValueBlock* room) const {
    return as_it_lies(stride) ? from : bring(from, stride, n, room);
  }
  // True if elements so far apart are values in memory.
  bool as_it_lies(int64_t stride) const { return plain_ && stride == 1 && !convert_; }

 private:
  const void* bring(const char* from, int64_t stride, int64_t n, ValueBlock* room) const;
  LoadRow load_;
  Loop convert_ = nullptr;  // null where the values are of the register type
  bool plain_;              // registers hold what memory holds
};

class ValueWriter {
 public:
  ValueWriter(rondo_dtype values, rondo_dtype memory, bool accumulate, Instructions which = instructions());
  void write(char* to, int64_t stride, const void* values, int64_t n) const;

 private:
  StoreRow store_;
  Loop convert_ = nullptr;
};

}  // namespace rondo::ops
