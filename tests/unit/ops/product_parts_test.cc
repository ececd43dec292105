// Products are cut into few parts, by their sizes alone, and the parts cover them. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_parts.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rondo::ops
