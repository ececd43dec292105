// Parts are taken once each, whoever takes them, and threads begin far from each other. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/part_ranges.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace rondo {
namespace {

std::vector<int64_t> all_of(int64_t parts) {
  std::vector<int64_t> all(static_cast<size_t>(parts));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(PartRanges, OneThreadTakesAllPartsOnceEach) {
  for (const int64_t parts : {0, 1, 2, 7, 31, 32, 33, 1000})
    for (const int64_t threads : {1, 2, 3, 32, 33, 100}) {
      PartRanges ranges(parts, threads);
      std::multiset<int64_t> taken;
      for (int64_t part; (part = ranges.take(threads - 1)) >= 0;) taken.insert(part);
      EXPECT_EQ(std::vector<int64_t>(taken.begin(), taken.end()), all_of(parts)) << threads << " threads";
      EXPECT_EQ(ranges.take(0), -1);
    }
}

TEST(PartRanges, ThreadsStartWithNeighboursOfTheirOwn) {
  PartRanges ranges(10, 2);
  const int64_t expected[][2] = {{0, 0}, {1, 5}, {0, 1}, {1, 6}, {1, 7}, {1, 8}, {1, 9}, {1, 4}, {0, 2}, {1, 3}};
  for (const auto& [thread, part] : expected) EXPECT_EQ(ranges.take(thread), part);
  EXPECT_EQ(ranges.take(0), -1);
  EXPECT_EQ(ranges.take(1), -1);
}

TEST(PartRanges, RangesDifferByAtMostOnePart) {
  for (const int64_t threads : {3, 7, 8}) {
    PartRanges ranges(23, threads);
    std::vector<int64_t> begins;
    for (int64_t thread = 0; thread < threads; ++thread) begins.push_back(ranges.take(thread));
    begins.push_back(23);
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
      EXPECT_GE(begins[i + 1] - begins[i], 23 / threads);
      EXPECT_LE(begins[i + 1] - begins[i], 23 / threads + 1);
    }
  }
}

TEST(PartRanges, ManyThreadsTakeEachPartOnce) {
  constexpr int64_t kParts = 20000, kThreads = 4;
  for (int round = 0; round < 5; ++round) {
    PartRanges ranges(kParts, kThreads);
    std::vector<std::vector<int64_t>> taken(kThreads);
    std::vector<std::thread> threads;
    for (int64_t thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        for (int64_t part; (part = ranges.take(thread)) >= 0;) taken[static_cast<size_t>(thread)].push_back(part);
      });
    for (std::thread& each : threads) each.join();
    std::multiset<int64_t> all;
    for (const std::vector<int64_t>& each : taken) all.insert(each.begin(), each.end());
    EXPECT_EQ(std::vector<int64_t>(all.begin(), all.end()), all_of(kParts));
  }
}

}  // namespace
}  // namespace rondo
