// Strided dimensions walked together: what joins, what is left out, offsets, and the order by stride.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "ops/operators/element.h"

namespace rondo::ops {
namespace {

// All offsets in array `a`, counted the plain way over the pushed dimensions.
template <int N>
std::vector<int64_t> plain_offsets(const std::vector<std::pair<int64_t, std::array<int64_t, N>>>& pushed, int a) {
  std::vector<int64_t> offsets = {0};
  for (const auto& [size, steps] : pushed) {
    std::vector<int64_t> longer;
    for (const int64_t offset : offsets)
      for (int64_t i = 0; i < size; ++i) longer.push_back(offset + i * steps[static_cast<size_t>(a)]);
    offsets = longer;
  }
  return offsets;
}

TEST(Dims, ContiguousDimensionsJoin) {
  Dims<1> dims;
  dims.push(4, {30});
  dims.push(1, {999});
  dims.push(5, {6});
  dims.push(6, {1});
  EXPECT_EQ(dims.count, 1);
  EXPECT_EQ(dims.size[0], 120);
  EXPECT_EQ(dims.stride[0][0], 1);
}

TEST(Dims, JoinsOnlyWhereEveryArrayDoes) {
  Dims<2> dims;
  dims.push(4, {6, 6});
  dims.push(6, {1, 2});
  EXPECT_EQ(dims.count, 2);
}

TEST(Dims, OffsetsAreThoseOfThePushedDimensions) {
  const std::vector<std::pair<int64_t, std::array<int64_t, 2>>> pushed = {
      {3, {20, -7}}, {2, {10, 0}}, {1, {5, 5}}, {5, {2, 1}}, {2, {1, 100}}};
  Dims<2> dims;
  for (const auto& [size, steps] : pushed) dims.push(size, {steps[0], steps[1]});
  EXPECT_EQ(dims.count, 4);  // all would join in the first array, none does in the second
  for (int a = 0; a < 2; ++a) {
    const std::vector<int64_t> expected = plain_offsets<2>(pushed, a);
    ASSERT_EQ(dims.elements(), static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(dims.offset(a, static_cast<int64_t>(i)), expected[i]) << a << " " << i;
  }
}

TEST(Dims, NoDimensionsAreOneElement) {
  const Dims<1> dims;
  EXPECT_EQ(dims.elements(), 1);
  EXPECT_EQ(dims.offset(0, 0), 0);
  EXPECT_EQ(dims.reach(0), 0);
}

TEST(Dims, ByStridePutsTheWidestOutside) {
  Dims<2> dims;
  dims.push(5, {1, 40});
  dims.push(8, {5, 1});
  const Dims<2> sorted = dims.by_stride();
  ASSERT_EQ(sorted.count, 2);
  EXPECT_EQ(sorted.stride[0][0], 5);
  EXPECT_EQ(sorted.stride[0][1], 1);
  EXPECT_EQ(sorted.stride[1][1], 40);
  EXPECT_EQ(sorted.elements(), 40);
}

TEST(Dims, SortedDimensionsMayJoin) {
  Dims<1> dims;
  dims.push(5, {1});
  dims.push(8, {5});
  EXPECT_EQ(dims.count, 2);
  EXPECT_EQ(dims.by_stride().count, 1);
}

TEST(Dims, ReachCountsNegativeStrides) {
  Dims<1> dims;
  dims.push(3, {-10});
  dims.push(4, {2});
  EXPECT_EQ(dims.reach(0), 26);
}

TEST(Put, AccumulatesInTheRegisterTypeWithOneRounding) {
  device::f16 half = device::to_memory<device::f16>(2048.0f);
  put(&half, 1.0f, true);  // 2049 lies between two halves: to even
  EXPECT_EQ(device::from_memory(half), 2048.0f);
  put(&half, 3.0f, true);
  EXPECT_EQ(device::from_memory(half), 2052.0f);
  device::i8 small = 127;
  put(&small, static_cast<device::i8>(1), true);
  EXPECT_EQ(small, -128);
  device::b8 truth = {1};
  put(&truth, true, true);
  EXPECT_EQ(truth.bits, 1);
}

}  // namespace
}  // namespace rondo::ops
