// Sets of fences. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "memory/fence.h"

#include <gtest/gtest.h>

#include "fences.h"

namespace rondo {
namespace {

// What stands for all streams takes in every other fence, and stays.
TEST(FenceSetTest, EveryStreamTakesInTheRest) {
  FenceSet set = fences({{1, 5}, {2, 7}, {3, 9}});
  set.add(Fence{kEveryStream, 0});
  set.add(Fence{4, 1});
  set.add(fences({{5, 1}, {6, 2}, {7, 3}}));
  ASSERT_EQ(set.end() - set.begin(), 1);
  EXPECT_EQ(set.begin()->stream, kEveryStream);
  EXPECT_FALSE(set.only(1));
  FenceSet other = fences({{1, 5}});
  other.add(set);
  const FenceSet copy = other;
  ASSERT_EQ(copy.end() - copy.begin(), 1);
  EXPECT_EQ(copy.begin()->stream, kEveryStream);
}

TEST(FenceSetTest, SameStreamsAreThoseAndNoOthers) {
  EXPECT_TRUE(fences({}).same_streams(fences({})));
  EXPECT_TRUE(fences({{1, 5}, {2, 6}}).same_streams(fences({{2, 1}, {1, 9}})));
  EXPECT_FALSE(fences({{1, 5}}).same_streams(fences({})));
  EXPECT_FALSE(fences({{1, 5}}).same_streams(fences({{2, 5}})));
  EXPECT_FALSE(fences({{1, 5}, {2, 6}}).same_streams(fences({{1, 5}, {3, 6}})));
}

}  // namespace
}  // namespace rondo
