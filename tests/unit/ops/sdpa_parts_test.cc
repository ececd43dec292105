// Parts of a gradient of attention that a library makes one after the other.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/attention/sdpa_problem.h"

namespace rondo::ops::dnn {
namespace {

// Batch and heads of a part whose slopes take at most so many bytes; logarithms are packed.
std::pair<int64_t, int64_t> part_of(int64_t batch, int64_t heads, int64_t places, size_t bytes) {
  Sdpa whole;
  whole.gradient = whole.composed = 1;
  whole.batch = batch;
  whole.heads = whole.key_heads = heads;
  whole.queries = whole.keys = places;
  whole.size = 64;
  whole.stride[kSdpaStats][0] = heads * places;
  whole.stride[kSdpaStats][1] = places;
  whole.stride[kSdpaStats][2] = 1;
  const Sdpa part = part_within(whole, bytes);
  EXPECT_EQ(part.heads, part.key_heads);
  EXPECT_EQ(part.places(kSdpaQ), places);
  EXPECT_EQ(part.stride[kSdpaStats][0], heads * places) << "steps stay those of the whole";
  return {part.batch, part.heads};
}
using Part = std::pair<int64_t, int64_t>;
constexpr size_t kOf100 = 100 * 100 * 2;  // of a head's slopes

TEST(SdpaParts, WhatFitsIsWhole) {
  EXPECT_EQ(part_of(4, 6, 100, 24 * kOf100), Part(4, 6));
  EXPECT_EQ(part_of(1, 1, 100, kOf100), Part(1, 1));
}

TEST(SdpaParts, BatchEntriesKeepTheirHeadsTogether) {
  EXPECT_EQ(part_of(4, 6, 100, 24 * kOf100 - 1), Part(2, 6));
  EXPECT_EQ(part_of(4, 6, 100, 6 * kOf100), Part(1, 6));
}

TEST(SdpaParts, HeadsOfOneBatchEntryAreDivided) {
  EXPECT_EQ(part_of(4, 6, 100, 5 * kOf100), Part(1, 3));
  EXPECT_EQ(part_of(4, 6, 100, kOf100), Part(1, 1));
}

TEST(SdpaParts, NoPartLeavesHalfOfTheRoomUnused) {
  EXPECT_EQ(part_of(1, 13, 100, 7 * kOf100), Part(1, 13));
  EXPECT_EQ(part_of(1, 25, 100, 8 * kOf100), Part(1, 5));
}

TEST(SdpaParts, WhatIsTooLargeForOneHeadIsWhole) {
  EXPECT_EQ(part_of(4, 6, 100, kOf100 - 1), Part(4, 6));
  EXPECT_EQ(part_of(4, 6, 100, 0), Part(4, 6));
}

TEST(SdpaParts, NoneBeginsBesideAMultipleOf16Bytes) {
  const size_t of_102 = 102 * 102 * 2, of_101 = 101 * 101 * 2;
  EXPECT_EQ(part_of(1, 6, 102, 3 * of_102), Part(1, 2)) << "three heads have 306 logarithms";
  EXPECT_EQ(part_of(2, 6, 101, 3 * of_101), Part(2, 6));
}

// Of 4 batch entries of 16 heads, where a query sees so many keys before it.
bool pays(int64_t places, int64_t size, int64_t before) {
  Sdpa p;
  p.gradient = p.composed = 1;
  p.batch = 4;
  p.heads = p.key_heads = 16;
  p.queries = p.keys = places;
  p.size = size;
  p.after = 0;
  p.before = before;
  return composed_pays(p);
}

TEST(SdpaParts, NarrowBandsAreNotTakenThroughMemory) {
  EXPECT_TRUE(pays(4096, 64, -1));
  EXPECT_TRUE(pays(4096, 128, -1));
  EXPECT_TRUE(pays(4096, 128, 512));
  EXPECT_FALSE(pays(4096, 64, 512));
  EXPECT_FALSE(pays(4096, 128, 100));
}

}  // namespace
}  // namespace rondo::ops::dnn
