// Says which products of the host are made by loops of our own (host/products.h), and how they are cut.
//
// The shape alone decides, whether weights were packed before or not. So an eager product and one of a graph have the
// same bits. A BLAS library takes longer to pack the matrix than to multiply few rows by it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/host/products.h"
#include "ops/matmul/product_parts.h"

namespace rondo::ops {

namespace own_product {
constexpr int64_t kMostRows = 256;
constexpr int64_t kLeastWeights = int64_t{1} << 16;   // elements of the matrix
constexpr int64_t kShortest = 32;                     // rows of the matrix, and columns
constexpr int64_t kMostDepth = 1 << 14;               // where there is a BLAS library
constexpr int64_t kMostDepthAlone = 1 << 15;          // a thread's memory has a line of it for each row
constexpr int64_t kBlockRows = 192, kLeastRows = 24;  // of a part
constexpr int64_t kBlock = int64_t{1} << 18;          // elements of its rows, whose copy stays in the cache
constexpr double kPart = 1 << 18;                     // multiplications
constexpr int64_t kMostParts = 16;
}  // namespace own_product

// Panels that a thread packs at once.
constexpr int64_t kPanelsOfAPart = 16;

// Tells whether our own loops make an f32 product of m x n x k though there is a BLAS library.
inline bool is_own_product(int64_t m, int64_t n, int64_t k) {
  namespace p = own_product;
  return m >= 2 && m <= p::kMostRows && n >= p::kShortest && k >= p::kShortest && k <= p::kMostDepth &&
         n >= p::kLeastWeights / k;
}

// The parts of such a product. No bit depends on them.
inline ProductPart part_of_own_product(int64_t m, int64_t n, int64_t k, int64_t most_rows = own_product::kBlockRows) {
  namespace p = own_product;
  const int64_t most = std::clamp(p::kBlock / std::max<int64_t>(k, 1), p::kLeastRows, most_rows);
  const int64_t blocks = std::max<int64_t>((m + most - 1) / most, 1);
  const int64_t rows = (m + blocks - 1) / blocks;
  const double work = static_cast<double>(rows) * static_cast<double>(n) * static_cast<double>(k);
  const auto wanted = static_cast<int64_t>(std::clamp(work / p::kPart, 1.0, static_cast<double>(p::kMostParts)));
  const int64_t groups = (n + kGroupColumns - 1) / kGroupColumns;
  return {rows, std::max<int64_t>((groups + wanted - 1) / wanted, 1) * kGroupColumns};
}

}  // namespace rondo::ops
