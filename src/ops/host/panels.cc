// Multiplies packed panels, by a BLAS library or by loops of our own.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/host/panels.h"

#include <algorithm>
#include <cstring>

#include "base/machine/instructions.h"
#include "dynlib/blas.h"

namespace rondo::ops {

namespace {

constexpr int kRowMajor = 101, kNoTranspose = 111;
constexpr int64_t kBlock = 128;  // of depth: what it needs of b stays in the cache

// out[rows x vectors] += a b for one register tile, of vectors of so many lanes.
template <class C, int rows, int lanes, int vectors>
[[gnu::always_inline]] inline void tile(int64_t k, const C* a, int64_t lda, const C* b, int64_t ldb, C* out,
                                        int64_t ldo) {
  typedef C Vector __attribute__((vector_size(lanes * sizeof(C))));
  Vector sum[rows][vectors] = {};
  for (int64_t l = 0; l < k; ++l) {
    Vector right[vectors];
    for (int v = 0; v < vectors; ++v) std::memcpy(&right[v], b + l * ldb + v * lanes, sizeof(Vector));
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < vectors; ++v) sum[i][v] += a[i * lda + l] * right[v];
  }
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < vectors; ++v) {
      Vector held;
      std::memcpy(&held, out + i * ldo + v * lanes, sizeof held);
      held += sum[i][v];
      std::memcpy(out + i * ldo + v * lanes, &held, sizeof held);
    }
}

// So many columns of at most that many rows: in tiles of those vectors, then of narrower ones for the columns left.
template <class C, int rows, int lanes, int vectors>
[[gnu::always_inline]] inline void by_columns(int64_t these, int64_t depth, const C* a, int64_t lda, const C* b,
                                              int64_t ldb, C* out, int64_t columns) {
  constexpr int64_t kColumns = int64_t{lanes} * vectors;
  for (; columns >= kColumns; columns -= kColumns, b += kColumns, out += kColumns) {
    if (these == rows) {
      tile<C, rows, lanes, vectors>(depth, a, lda, b, ldb, out, ldb);
      continue;
    }
    for (int64_t x = 0; x < these; ++x) tile<C, 1, lanes, vectors>(depth, a + x * lda, lda, b, ldb, out + x * ldb, ldb);
  }
  if constexpr (vectors > 1)
    by_columns<C, rows, lanes, 1>(these, depth, a, lda, b, ldb, out, columns);
  else if constexpr (lanes * sizeof(C) > 16)
    by_columns<C, rows, lanes / 2, 1>(these, depth, a, lda, b, ldb, out, columns);
  else if constexpr (lanes > 1)
    by_columns<C, rows, 1, 1>(these, depth, a, lda, b, ldb, out, columns);
}

// Each element is the same sum in the same order, whatever the tile.
template <class C, int rows, int lanes, int vectors>
[[gnu::always_inline]] inline void by_tiles(int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* out) {
  for (int64_t l = 0; l < k; l += kBlock)
    for (int64_t i = 0; i < m; i += rows)
      by_columns<C, rows, lanes, vectors>(std::min<int64_t>(rows, m - i), std::min(kBlock, k - l), a + i * k + l, k,
                                          b + l * n, n, out + i * n, n);
}

template <class C>
void by_own_loops(int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* out) {
  by_tiles<C, 4, 16 / sizeof(C), 2>(m, n, k, a, b, out);
}

#if defined(__x86_64__)
template <class C>
[[gnu::target("avx2")]] void by_avx2(int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* out) {
  by_tiles<C, 4, 32 / sizeof(C), 2>(m, n, k, a, b, out);
}
template <class C>
[[gnu::target("avx512f")]] void by_avx512(int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* out) {
  by_tiles<C, 8, 64 / sizeof(C), 2>(m, n, k, a, b, out);
}
#endif

template <class C>
void by_loops(int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* out) {
#if defined(__x86_64__)
  const Instructions set = instructions();
  if (set == Instructions::avx512) return by_avx512(m, n, k, a, b, out);
  if (set == Instructions::avx2) return by_avx2(m, n, k, a, b, out);
#endif
  by_own_loops(m, n, k, a, b, out);
}

}  // namespace

bool have_blas() {
  static const bool found = blas().open().ok();
  return found;
}

void multiply_panels(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* out) {
  if (!have_blas()) return by_loops(m, n, k, a, b, out);
  blas().cblas_sgemm(kRowMajor, kNoTranspose, kNoTranspose, static_cast<int>(m), static_cast<int>(n),
                     static_cast<int>(k), 1.0f, a, static_cast<int>(k), b, static_cast<int>(n), 1.0f, out,
                     static_cast<int>(n));
}
void multiply_panels(int64_t m, int64_t n, int64_t k, const double* a, const double* b, double* out) {
  if (!have_blas()) return by_loops(m, n, k, a, b, out);
  blas().cblas_dgemm(kRowMajor, kNoTranspose, kNoTranspose, static_cast<int>(m), static_cast<int>(n),
                     static_cast<int>(k), 1.0, a, static_cast<int>(k), b, static_cast<int>(n), 1.0, out,
                     static_cast<int>(n));
}

}  // namespace rondo::ops
