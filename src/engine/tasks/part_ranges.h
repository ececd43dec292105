// Parts that threads share are taken from ranges of neighbours, so that threads that work at the same time have little
// memory in common. A thread that comes late leaves its range to those that are there.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace rondo {

// A range for each thread: it takes from the front of its own, and from the backs of others' when that is empty.
class PartRanges {
 public:
  // threads: how many there may be, each with a number of its own.
  PartRanges(int64_t parts, int64_t threads)
      : count_(std::clamp<int64_t>(std::min(threads, parts), 1, kMost)), each_(parts / count_), more_(parts % count_) {}
  PartRanges(const PartRanges&) = delete;
  PartRanges& operator=(const PartRanges&) = delete;

  // A part that no other call has; -1: there is none left.
  int64_t take(int64_t thread);

 private:
  static constexpr int64_t kMost = 32;
  struct alignas(64) Range {
    std::atomic<int64_t> taken{0}, front{0}, back{0};
  };
  int64_t begin_of(int64_t range) const { return each_ * range + std::min(range, more_); }

  const int64_t count_, each_, more_;  // the first ranges have one part more
  Range ranges_[kMost];
};

}  // namespace rondo
