// Products are cut into few parts, by their sizes alone, and the parts cover them; convolutions into so many that one
// more or less is little.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_parts.h"

#include <gtest/gtest.h>

#include "ops/convolution/convolution_tiles.h"

namespace rondo::ops {
namespace {

int64_t parts(int64_t m, int64_t n, int64_t k, bool in_place = false) {
  const ProductPart part = part_of_product(m, n, k, in_place);
  EXPECT_GT(part.rows, 0);
  EXPECT_GT(part.columns, 0);
  EXPECT_LE(part.rows, m);
  EXPECT_LE(part.columns, n);
  return ((m + part.rows - 1) / part.rows) * ((n + part.columns - 1) / part.columns);
}

TEST(ProductParts, SmallProductsStayWhole) {
  EXPECT_EQ(parts(1, 1, 1), 1);
  EXPECT_EQ(parts(100, 100, 100), 1);
  EXPECT_EQ(parts(128, 128, 100), 1);
  EXPECT_EQ(parts(1, 496, 4096), 1);
  EXPECT_EQ(parts(1, 512, 1000), 1);
}

TEST(ProductParts, MiddlingProductsHaveAtMostFour) {
  EXPECT_EQ(parts(16, 384, 384), 2);
  EXPECT_EQ(parts(1, 1000, 544), 2);
  EXPECT_EQ(parts(128, 384, 384), 2);
  EXPECT_EQ(parts(128, 1536, 384), 4);
  EXPECT_EQ(parts(512, 256, 1000), 4);
  EXPECT_EQ(parts(1, 4096, 4096), 4);
  EXPECT_EQ(parts(25088, 1, 4096), 4);
}

TEST(ProductParts, LargeProductsHaveEightToSixtyFour) {
  EXPECT_EQ(parts(1024, 1536, 384), 8);
  EXPECT_EQ(parts(1024, 384, 1536), 8);
  EXPECT_EQ(parts(512, 512, 512), 8);
  EXPECT_EQ(parts(2048, 2048, 2048), 16);
  EXPECT_EQ(parts(4096, 4096, 4096), 64);
  EXPECT_EQ(parts(16384, 16384, 16384), 64);
}

TEST(ProductParts, FewRowsAreReadInPlaceWhereThatPays) {
  EXPECT_EQ(part_of_product(16, 1536, 384, true).columns, 160);
  EXPECT_EQ(part_of_product(16, 1536, 384, false).columns, 384);
  EXPECT_EQ(part_of_product(16, 384, 1536, true).columns, part_of_product(16, 384, 1536, false).columns);
  EXPECT_EQ(part_of_product(8, 4096, 4096, true).columns, part_of_product(8, 4096, 4096, false).columns);
  EXPECT_EQ(part_of_product(17, 1536, 384, true).columns, part_of_product(17, 1536, 384, false).columns);
  EXPECT_EQ(part_of_product(16, 100, 384, true).columns, 100);
}

TEST(ProductParts, EmptyProductsHaveAPart) {
  const ProductPart part = part_of_product(16, 1536, 0, true);
  EXPECT_EQ(part.rows, 16);
  EXPECT_EQ(part.columns, 1536);
}

TEST(ConvolutionParts, FewBlocksAreCutIntoManyParts) {
  constexpr double kWork = 320.0 * 1440 * 169;
  for (const int64_t blocks : {1, 2, 3, 4, 5, 7}) {
    const int64_t parts = blocks * cuts_of_kernels(kWork, blocks, 54, false);
    EXPECT_GE(parts, 20) << blocks << " blocks";
    EXPECT_LE(parts, 24) << blocks << " blocks";
  }
  EXPECT_EQ(cuts_of_kernels(kWork, 49, 54, false), 1);
  EXPECT_EQ(cuts_of_kernels(kWork, 3, 5, false), 5);
}

// 28x28 places are 49 panels, 14x14 are 13.
TEST(ConvolutionParts, FewColumnsAreAsManyForEachThread) {
  EXPECT_EQ(blocks_of_columns(49, 5, 1, 2), 6);
  EXPECT_EQ(blocks_of_columns(13, 4, 1, 2), 4);
  EXPECT_EQ(blocks_of_columns(13, 4, 1, 3), 6);
  EXPECT_EQ(blocks_of_columns(13, 4, 1, 8), 4) << "not enough columns";
  EXPECT_EQ(blocks_of_columns(49, 5, 1, 1), 5);
  EXPECT_EQ(blocks_of_columns(49, 5, 6, 2), 5) << "groups are even";
  EXPECT_EQ(blocks_of_columns(200, 17, 1, 2), 17) << "many";
}

TEST(ConvolutionParts, SmallOnesStayWhole) {
  EXPECT_EQ(cuts_of_kernels(1 << 17, 1, 54, false), 1);
  EXPECT_EQ(cuts_of_kernels(1 << 19, 1, 54, false), 4);
  EXPECT_EQ(cuts_of_kernels(1 << 19, 3, 54, false), 1);
}

TEST(ConvolutionParts, WhatIsGatheredAgainHasFew) {
  EXPECT_EQ(cuts_of_kernels(1 << 30, 1, 54, true), 4);
  EXPECT_EQ(cuts_of_kernels(1 << 30, 3, 54, true), 1);
  EXPECT_EQ(cuts_of_kernels(1 << 17, 1, 54, true), 1);
}

}  // namespace
}  // namespace rondo::ops
