// Products of whole numbers by the library's own loops: exact on every instruction set, whatever a unit holds, wherever
// operands lie and however a product is cut.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "ops/matmul/integer_rows.h"

namespace rondo::ops {
namespace {

// As VNNI multiplies, on any processor.
void multiply_fours(int rows, int panels, int64_t k, const uint32_t* a, const uint32_t* b, int64_t panel, int /*signs*/,
                    uint32_t* out, int64_t out_step) {
  for (int i = 0; i < rows; ++i)
    for (int64_t j = 0; j < panels * kPanelColumns; ++j) {
      uint32_t sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        const uint32_t left = a[l * rows + i],
                       right = b[j / kPanelColumns * panel + l * kPanelColumns + j % kPanelColumns];
        for (unsigned byte = 0; byte < 32; byte += 8)
          sum += static_cast<uint32_t>(static_cast<uint8_t>(left >> byte) * static_cast<int8_t>(right >> byte));
      }
      out[i * out_step + j] = sum;
    }
}

std::vector<IntegerTiles> integer_sets() {
  std::vector<IntegerTiles> there = {{5, 4, 1, false, multiply_fours}};
  for (const Instructions each : {Instructions::baseline, Instructions::avx2, Instructions::avx512})
    if (each <= possible_instructions()) there.push_back(integer_tiles(each));
  if (uses_amx()) there.push_back(integer_tiles());
  return there;
}

class IntegerRowsOf : public ::testing::TestWithParam<IntegerTiles> {
 protected:
  std::vector<uint8_t> bytes(int64_t count) {
    std::vector<uint8_t> made(static_cast<size_t>(count) + 1);
    for (uint8_t& each : made) {
      each = static_cast<uint8_t>(random_());
      if (random_() % 4 == 0) each = random_() % 2 ? 255 : 128;
    }
    return made;
  }
  std::mt19937 random_{1};
};
INSTANTIATE_TEST_SUITE_P(Each, IntegerRowsOf, ::testing::ValuesIn(integer_sets()));

TEST_P(IntegerRowsOf, ProductsAreExact) {
  const IntegerTiles& tiles = GetParam();
  enum Order { plain, turned, apart };
  for (const Order order : {plain, turned, apart})
    for (const int64_t m : {1, 2, 3, 13, 49})
      for (const int64_t n : {1, 16, 33, 100})
        for (const int64_t k : {0, 1, 2, 3, 4, 5, 63, 66, 133}) {
          const int64_t step = order == apart ? 3 : 1;
          const std::vector<uint8_t> a = bytes(m * k * step), b = bytes(k * n * step), row_zeros = bytes(m),
                                     column_zeros = bytes(n);
          for (int signs = 0; signs < 4; ++signs)
            for (int options = 0; options < 8; ++options) {
              const bool a_signed = signs & 1, b_signed = signs & 2, packs = options & 4;
              const Bytes left = {a.data(), {order == turned ? 1 : k * step, order == turned ? m : step}, a_signed},
                          right = {b.data(), {order == turned ? 1 : n * step, order == turned ? k : step}, b_signed},
                          a_zero = {options & 1 ? row_zeros.data() : nullptr, {1, 0}, a_signed},
                          b_zero = {
                              options & 2 ? column_zeros.data() : nullptr, {0, n % 2}, b_signed};  // by column, or one
              const IntegerDepth depth(tiles, k);
              constexpr uint32_t kLeft = 0x5aa55aa5;  // by whoever had the memory before
              std::vector<uint32_t> memory(static_cast<size_t>(depth.memory(m)), kLeft),
                  panels(static_cast<size_t>(depth.packed(n)), kLeft), ones(static_cast<size_t>(depth.units));
              const int64_t count = RowsProduct::panels_of(n);
              if (packs) {
                fill_ones(tiles, depth, ones.data());
                pack_integer_panels(tiles, depth, right, n, 0, count / 2, ones.data(), panels.data());
                pack_integer_panels(tiles, depth, right, n, count / 2, count, ones.data(), panels.data());
              }
              const IntegerRows rows = {tiles, depth, m, left, right, a_zero, b_zero, packs ? panels.data() : nullptr};
              const bool adds = order == turned;
              std::vector<int32_t> out(static_cast<size_t>(m * n), 2147483600);
              const int64_t out_step[] = {adds ? 1 : n, adds ? m : 1};
              rows.take_rows(memory.data());
              for (int64_t j = 0; j < n; j += kGroupColumns)
                rows.multiply(j, std::min(kGroupColumns, n - j), memory.data(), out.data() + j * out_step[1], out_step,
                              adds);
              for (int64_t i = 0; i < m; ++i)
                for (int64_t j = 0; j < n; ++j) {
                  int64_t sum = adds ? 2147483600 : 0;
                  for (int64_t l = 0; l < k; ++l)
                    sum += (left.at(i, l) - a_zero.at(i, 0)) * (right.at(l, j) - b_zero.at(0, j));
                  ASSERT_EQ(out[static_cast<size_t>(i * out_step[0] + j * out_step[1])],
                            static_cast<int32_t>(static_cast<uint32_t>(sum)))
                      << m << " x " << k << " x " << n << ", order " << order << ", signs " << signs << ", options "
                      << options << ", element " << i << ", " << j;
                }
            }
        }
}

// Of every height and width, next to results that stay.
TEST_P(IntegerRowsOf, TilesWriteTheirResultsAlone) {
  const IntegerTiles& tiles = GetParam();
  const int64_t depth = 2 * tiles.along + (tiles.along == 1 ? 7 : 0);
  constexpr int kMostRows = 50, kPanels = 7;
  constexpr int64_t kWide = kPanels * kPanelColumns;
  std::vector<uint32_t> a(static_cast<size_t>(depth * kMostRows)), b(static_cast<size_t>(depth * kWide));
  for (uint32_t& each : a) each = tiles.depth == 2 ? random_() & 0x00ff00ff : random_();
  for (uint32_t& each : b) each = tiles.depth == 2 ? random_() & 0x00ff00ff : random_();
  const auto number = [](uint32_t unit, unsigned at, bool has_sign) {
    return static_cast<uint32_t>(has_sign ? static_cast<int8_t>(unit >> at) : static_cast<uint8_t>(unit >> at));
  };
  for (int signs = 0; signs < 4; ++signs) {
    if (!tiles.any_sign && signs != kSignOfB) continue;
    for (int rows = 1; rows <= std::min(tiles.rows, kMostRows); ++rows)
      for (int panels = 1; panels <= kPanels; ++panels) {
        std::vector<uint32_t> out(static_cast<size_t>(rows * kWide), 7);
        tiles.multiply(rows, panels, depth, a.data(), b.data(), depth * kPanelColumns, signs, out.data(), kWide);
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < kWide; ++j) {
            uint32_t expected = j < panels * kPanelColumns ? 0 : 7;
            for (int64_t l = 0; l < depth && j < panels * kPanelColumns; ++l) {
              const uint32_t
                  left = a[static_cast<size_t>((l / tiles.along * rows + i) * tiles.along + l % tiles.along)],
                  right = b[static_cast<size_t>((j / kPanelColumns * depth + l) * kPanelColumns + j % kPanelColumns)];
              for (unsigned at = 0; at < 32; at += 32 / static_cast<unsigned>(tiles.depth))
                expected += tiles.depth == 2 ? static_cast<uint16_t>(left >> at) *
                                                   static_cast<uint32_t>(static_cast<uint16_t>(right >> at))
                                             : number(left, at, signs & kSignOfA) * number(right, at, signs & kSignOfB);
            }
            ASSERT_EQ(out[static_cast<size_t>(i * kWide + j)], expected)
                << rows << ", " << panels << ", " << i << ", " << j << ", signs " << signs;
          }
      }
  }
}

}  // namespace
}  // namespace rondo::ops
