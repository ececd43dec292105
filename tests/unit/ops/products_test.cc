// Products by the library's own loops: each element is one chain of multiply-adds over k, for every instruction set,
// size of tile and order in memory.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "instruction_sets.h"
#include "ops/host/products.h"
#include "ops/matmul/own_product.h"

namespace rondo::ops {
namespace {

std::vector<float> random_values(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> made(static_cast<size_t>(count));
  for (float& each : made) each = values(random);
  return made;
}

float add_product(Instructions set, float a, float b, float sum) {
  if (set != Instructions::baseline) return std::fma(a, b, sum);
  const volatile float term = a * b;
  return term + sum;
}

TEST(Products, TilesAreChainsOfMultiplyAddsOnEverySet) {
  constexpr int64_t kDepth = 37, kMost = 9 * kPanelColumns;
  const std::vector<float> a = random_values(kDepth * 12, 1), b = random_values(kDepth * kMost, 2);
  for (const Instructions set : instruction_sets()) {
    const ProductTiles& tiles = product_tiles(set);
    for (int rows = 1; rows <= tiles.rows; ++rows)
      for (int panels = 1; panels <= 9; ++panels)
        for (const bool in_place : {false, true}) {
          const int64_t step = in_place ? kMost : kPanelColumns,
                        panel = in_place ? kPanelColumns : kDepth * kPanelColumns;
          std::vector<float> out(static_cast<size_t>(rows * kMost), 7);
          tiles.multiply(rows, panels, kDepth, a.data(), b.data(), step, panel, false, out.data(), kMost);
          for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < kMost; ++j) {
              float expected = j < panels * kPanelColumns ? 0 : 7;
              for (int64_t l = 0; l < kDepth && j < panels * kPanelColumns; ++l)
                expected = add_product(set, a[static_cast<size_t>(l * rows + i)],
                                       b[static_cast<size_t>(j / kPanelColumns * panel + l * step + j % kPanelColumns)],
                                       expected);
              ASSERT_EQ(out[static_cast<size_t>(i * kMost + j)], expected)
                  << instructions_name(set) << ", " << rows << " rows, " << panels << " panels, element " << i << ", "
                  << j;
            }
        }
  }
}

TEST(Products, TilesGoOnFromSumsThatAreThere) {
  constexpr int64_t kDepth = 37, kFirst = 20, kMost = 9 * kPanelColumns;
  const std::vector<float> a = random_values(kDepth * 12, 1), b = random_values(kDepth * kMost, 2);
  for (const Instructions set : instruction_sets()) {
    const ProductTiles& tiles = product_tiles(set);
    for (int rows = 1; rows <= tiles.rows; ++rows)
      for (int panels = 1; panels <= 9; ++panels) {
        std::vector<float> whole(static_cast<size_t>(rows * kMost), 7), parts = whole;
        const auto multiply = [&](int64_t first, int64_t depth, bool more, std::vector<float>* to) {
          tiles.multiply(rows, panels, depth, a.data() + first * rows, b.data() + first * kPanelColumns, kPanelColumns,
                         kDepth * kPanelColumns, more, to->data(), kMost);
        };
        multiply(0, kDepth, false, &whole);
        multiply(0, kFirst, false, &parts);
        EXPECT_NE(parts, whole);
        multiply(kFirst, kDepth - kFirst, true, &parts);
        ASSERT_EQ(parts, whole) << instructions_name(set) << ", " << rows << " rows, " << panels << " panels";
      }
  }
}

// Few rows read a matrix as it lies, if it is not deep. A deep sum is made of sums of parts of its depth.
TEST(Products, OrdersInMemoryAndCopiesGiveTheSameBits) {
  constexpr int64_t kColumns = 150;
  for (const int64_t depth : {int64_t{67}, int64_t{601}, 2 * kDepthOfSum + 100}) {
    const std::vector<float> b = random_values(depth * kColumns, 3);
    std::vector<float> turned(b.size()), apart(b.size() * 3);
    for (int64_t l = 0; l < depth; ++l)
      for (int64_t j = 0; j < kColumns; ++j) {
        turned[static_cast<size_t>(j * depth + l)] = b[static_cast<size_t>(l * kColumns + j)];
        apart[static_cast<size_t>((l * kColumns + j) * 3)] = b[static_cast<size_t>(l * kColumns + j)];
      }
    for (const int64_t m : {1, 2, 3, 7, 12, 13, 30}) {
      if (depth > kDepthOfSum && m != 2 && m != 13) continue;
      const std::vector<float> a = random_values(m * depth, 4);
      const auto made = [&](const float* from, int64_t b_down, int64_t b_along, bool packs, bool in_parts) {
        RowsProduct product = {m, depth, {depth, 1}, {b_down, b_along}, nullptr};
        std::vector<float> memory(static_cast<size_t>(RowsProduct::memory_elements(m, depth)));
        std::vector<float> panels(static_cast<size_t>(RowsProduct::packed_elements(kColumns, depth)));
        std::vector<float> out(static_cast<size_t>(m * kColumns));
        const int64_t count = RowsProduct::panels_of(kColumns), half = count / 2;
        if (packs) {
          pack_panels(from, product.b_step, depth, kColumns, 0, half, panels.data());
          pack_panels(from, product.b_step, depth, kColumns, half, count, panels.data());
          product.panels = panels.data();
        }
        product.take_rows(a.data(), memory.data());
        for (int64_t j = 0; j < kColumns; j += in_parts ? kGroupColumns : kColumns)
          product.multiply(from, j, std::min(in_parts ? kGroupColumns : kColumns, kColumns - j), memory.data(),
                           out.data() + j, kColumns);
        return out;
      };
      const std::vector<float> first = made(b.data(), kColumns, 1, false, false);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < kColumns; ++j) {
          if (depth > kDepthOfSum && j % 37 != 0) continue;
          float expected = 0, sum = 0;
          for (int64_t l = 0; l < depth; ++l) {
            sum = add_product(instructions(), a[static_cast<size_t>(i * depth + l)],
                              b[static_cast<size_t>(l * kColumns + j)], sum);
            if ((l + 1) % kDepthOfSum != 0 && l + 1 < depth) continue;
            expected = l < kDepthOfSum ? sum : expected + sum;
            sum = 0;
          }
          ASSERT_EQ(first[static_cast<size_t>(i * kColumns + j)], expected) << m << " rows, element " << i << ", " << j;
        }
      for (const bool packs : {false, true})
        for (const bool in_parts : {false, true}) {
          EXPECT_EQ(made(b.data(), kColumns, 1, packs, in_parts), first) << m << packs << in_parts;
          EXPECT_EQ(made(turned.data(), 1, depth, packs, in_parts), first) << m << packs << in_parts;
          EXPECT_EQ(made(apart.data(), kColumns * 3, 3, packs, in_parts), first) << m << packs << in_parts;
        }
    }
  }
}

TEST(Products, ShapeAloneDecidesWhoMultiplies) {
  EXPECT_TRUE(is_own_product(2, 384, 384));
  EXPECT_TRUE(is_own_product(256, 384, 384));
  EXPECT_TRUE(is_own_product(16, 32, 2048));
  EXPECT_FALSE(is_own_product(1, 384, 384));    // a matrix times a vector reads the matrix once
  EXPECT_FALSE(is_own_product(257, 384, 384));  // packing is little then
  EXPECT_FALSE(is_own_product(16, 31, 4096));
  EXPECT_FALSE(is_own_product(16, 4096, 31));
  EXPECT_FALSE(is_own_product(16, 255, 256));
}

TEST(Products, PartsCoverAllOfAProduct) {
  for (const int64_t m : {1, 2, 64, 193, 256, 1000})
    for (const int64_t n : {16, 64, 65, 1000, 5000})
      for (const int64_t k : {1, 32, 4096, 100000}) {
        const ProductPart part = part_of_own_product(m, n, k);
        EXPECT_GE(part.rows, 1);
        EXPECT_LE(part.rows, m);
        EXPECT_EQ(part.columns % kGroupColumns, 0);
        EXPECT_LE((n + part.columns - 1) / part.columns, 16) << m << " x " << n << " x " << k;
      }
}

}  // namespace
}  // namespace rondo::ops
