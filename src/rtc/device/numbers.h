// Finds elements that are NaN or infinite, for every device: the first of each in a tensor, by a clock that counts the
// turns of loops.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

// A find has the turn in its upper bits and the element in the lower ones, so that the smallest number is the first.
inline constexpr int kElementBits = 40;
inline constexpr u64 kLastTurn = (u64{1} << (64 - kElementBits)) - 2;
inline constexpr u64 kNotFound = ~u64{0};

// A tensor that is looked at.
struct NumberItem {
  const void* from;
  u64* found;  // NaN, then infinity
  Dims<1> dims;
  i64 count;
  u64 special;   // the bits that all are 1 in a NaN and an infinity
  u64 fraction;  // of those, what one bit of is 1 in a NaN; 0: there are no infinities
};
inline constexpr int kMostItems = 8;
struct NumberArguments {
  NumberItem items[kMostItems];
  u64* turn;
  u64* words;  // that begin, so many, with a value
  i64 count;
  u64 value;
};

// Finds the first NaN and infinity among every so many elements from one on.
template <class W, int dims>
RONDO_INLINE void find_numbers(const NumberItem& args, i64 first, i64 step, u64* found) {
  const W special = static_cast<W>(args.special), fraction = static_cast<W>(args.fraction);
  found[0] = found[1] = kNotFound;
  for (i64 i = first; i < args.count; i += step) {
    const W bits = static_cast<const W*>(args.from)[offset<dims>(args.dims, 0, i)];
    if ((bits & special) != special) continue;
    u64& at = found[fraction != 0 && (bits & fraction) == 0];
    if (at == kNotFound) at = static_cast<u64>(i);
  }
}
RONDO_INLINE u64 at_turn(u64 turn, u64 element) {
  return (turn < kLastTurn ? turn : kLastTurn) << kElementBits | element;
}

}  // namespace rondo::device
