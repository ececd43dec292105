// Finds a part for a thread, in its own range first.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/part_ranges.h"

namespace rondo {

int64_t PartRanges::take(int64_t thread) {
  int64_t number = thread < count_ ? thread : thread % count_;
  for (int64_t i = 0; i < count_; ++i, number = number + 1 < count_ ? number + 1 : 0) {
    const int64_t begin = begin_of(number), end = begin_of(number + 1);
    Range& range = ranges_[number];
    if (range.taken.load(std::memory_order_relaxed) >= end - begin) continue;
    // Those that go on are no more than there are parts, so the ends never cross.
    if (range.taken.fetch_add(1, std::memory_order_relaxed) >= end - begin) continue;
    if (i == 0) return begin + range.front.fetch_add(1, std::memory_order_relaxed);
    return end - 1 - range.back.fetch_add(1, std::memory_order_relaxed);
  }
  return -1;
}

}  // namespace rondo
