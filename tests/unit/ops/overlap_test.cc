// Whether views share memory, against a count of every byte.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/overlap.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <set>

namespace rondo::ops {
namespace {

std::set<int64_t> bytes_of(const View& view) {
  const auto size = static_cast<int64_t>(dtype_size(view.dtype));
  std::set<int64_t> bytes;
  for (int64_t i = 0; i < view.elements(); ++i) {
    int64_t at = view.offset, rest = i;
    for (int d = view.layout.ndim - 1; d >= 0; --d) {
      at += rest % view.layout.shape[d] * view.layout.strides[d] * size;
      rest /= view.layout.shape[d];
    }
    for (int64_t b = 0; b < size; ++b) bytes.insert(at + b);
  }
  return bytes;
}

bool share(const View& a, const View& b) {
  const std::set<int64_t> theirs = bytes_of(b);
  for (const int64_t byte : bytes_of(a))
    if (theirs.count(byte)) return true;
  return false;
}

View view_of(rondo_dtype dtype, int64_t offset, std::initializer_list<int64_t> shape,
             std::initializer_list<int64_t> strides) {
  View view;
  view.dtype = dtype;
  view.offset = offset * static_cast<int64_t>(dtype_size(dtype));
  view.layout.ndim = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), view.layout.shape);
  std::copy(strides.begin(), strides.end(), view.layout.strides);
  return view;
}

TEST(Overlap, AgreesWithEveryByte) {
  std::mt19937 random(3);
  const auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  constexpr rondo_dtype kDtypesOfEachSize[] = {RONDO_U8, RONDO_F16, RONDO_F32, RONDO_F64};
  int shared = 0, apart = 0;
  for (int round = 0; round < 20000; ++round) {
    View views[2];
    for (View& view : views) {
      view.dtype = kDtypesOfEachSize[number(0, 3)];
      view.layout.ndim = static_cast<int>(number(0, 3));
      for (int d = 0; d < view.layout.ndim; ++d) {
        view.layout.shape[d] = number(round % 10 ? 1 : 0, 4);
        view.layout.strides[d] = number(-9, 9);
      }
      view.offset = number(0, 30) * static_cast<int64_t>(dtype_size(view.dtype)) * 3;
    }
    const bool expected = share(views[0], views[1]);
    ++(expected ? shared : apart);
    ASSERT_EQ(overlap(views[0], views[1]), expected) << "round " << round;
    ASSERT_EQ(overlap(views[1], views[0]), expected) << "round " << round << ", the other way round";
  }
  EXPECT_GT(shared, 2000);
  EXPECT_GT(apart, 2000);
}

// As slices of large tensors are: exact without a search through their elements.
TEST(Overlap, LargeViews) {
  constexpr int64_t kRows = int64_t{1} << 20, kWidth = 4096;
  const View left = view_of(RONDO_F32, 0, {kRows, kWidth / 2}, {kWidth, 1}),
             right = view_of(RONDO_F32, kWidth / 2, {kRows, kWidth / 2}, {kWidth, 1}),
             middle = view_of(RONDO_F32, kWidth / 2 - 1, {kRows, 2}, {kWidth, 1}),
             even = view_of(RONDO_F32, 0, {kRows, kWidth / 2}, {kWidth, 2}),
             odd = view_of(RONDO_F32, 1, {kRows, kWidth / 2}, {kWidth, 2}),
             backward = view_of(RONDO_F32, kRows * kWidth - 1, {kRows, kWidth / 2}, {-kWidth, -2}),
             turned = view_of(RONDO_F32, 0, {kWidth / 2, kRows}, {2, kWidth});
  EXPECT_FALSE(overlap(left, right));
  EXPECT_TRUE(overlap(left, middle));
  EXPECT_TRUE(overlap(right, middle));
  EXPECT_FALSE(overlap(even, odd));
  EXPECT_FALSE(overlap(even, backward));
  EXPECT_TRUE(overlap(odd, backward));
  EXPECT_FALSE(overlap(odd, turned));
  EXPECT_TRUE(overlap(even, turned));
}

// Strides from elsewhere may be anything: an answer comes soon, and is never a wrong "no".
TEST(Overlap, TangledStrides) {
  const View a = view_of(RONDO_U8, 0, {1000, 1000, 1000, 1000}, {100003, 100019, 100043, 100049}),
             b = view_of(RONDO_U8, 99999, {1000, 1000, 1000, 1000}, {100057, 100069, 100103, 100109});
  (void)overlap(a, b);
  EXPECT_TRUE(overlap(a, a));
  constexpr int64_t kFar = INT64_MAX / 4;
  EXPECT_TRUE(overlap(view_of(RONDO_U8, 0, {3, 3}, {kFar / 2, 1}), view_of(RONDO_U8, 1, {3, 3}, {kFar / 2, 1})));
  EXPECT_FALSE(overlap(view_of(RONDO_F32, 0, {1, 2}, {INT64_MAX, 2}), view_of(RONDO_F32, 1, {1, 2}, {INT64_MAX, 2})));
}

}  // namespace
}  // namespace rondo::ops
