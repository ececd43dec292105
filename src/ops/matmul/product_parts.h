// Cuts a product into parts that workers share, each one call of a BLAS library.
//
// The cut is by the sizes alone, so that the number of workers changes no bit. A library packs the rows and columns
// that a part needs, so parts are few and long: a product of 1024 x 1536 x 384 takes a quarter more of the processors'
// time in 64 parts than whole, and a tenth more in eight.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace rondo::ops {

// Rows and columns of a part; the last ones may have fewer.
struct ProductPart {
  int64_t rows, columns;
};

namespace product_parts {
constexpr double kLeast = 1 << 20;  // multiplications that are worth a thread
constexpr double kMany = 1 << 27;   // from so many on there are more parts than four
constexpr double kLarge = 1 << 29;  // multiplications of each part, where there are more than eight
constexpr int64_t kShortest = 128, kMultiple = 16;
constexpr double kLeastOfVector = 1 << 18;  // of a matrix times a vector, which waits for memory
constexpr int64_t kShortestOfVector = 256;  // of a row times a matrix, whose rows are walked in pieces
constexpr int64_t kInPlaceRows = 16, kInPlaceMost = 1000000;
}  // namespace product_parts

// True for a matrix times a vector, or a row times a matrix.
inline bool is_of_vector(int64_t m, int64_t n) {
  return m == 1 || n == 1;
}

// The parts of m x n x k. `read_in_place`: the right side has its columns next to each other, as OpenBLAS reads it
// without packing where a call has at most a million multiplications.
inline ProductPart part_of_product(int64_t m, int64_t n, int64_t k, bool read_in_place) {
  namespace p = product_parts;
  const double all = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (read_in_place && m > 1 && m <= p::kInPlaceRows && k > 0 && all > p::kInPlaceMost) {
    const int64_t columns = p::kInPlaceMost / (m * k) / p::kMultiple * p::kMultiple;
    if (columns >= p::kShortest) return {m, columns};
  }
  const bool of_vector = is_of_vector(m, n);
  const double least = of_vector ? p::kLeastOfVector : p::kLeast;
  const double wanted = all < p::kMany ? std::min(all / least, 4.0) : std::clamp(all / p::kLarge, 8.0, 64.0);
  const int64_t shortest = of_vector ? p::kShortestOfVector : p::kShortest;
  ProductPart part = {m, n};
  for (int64_t parts = 1; 2.0 * static_cast<double>(parts) <= wanted; parts *= 2) {
    int64_t& longer = part.columns >= part.rows ? part.columns : part.rows;
    if (longer < 2 * shortest) break;
    longer = ((longer + 1) / 2 + p::kMultiple - 1) / p::kMultiple * p::kMultiple;
  }
  return part;
}

}  // namespace rondo::ops
