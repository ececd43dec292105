// Compiles the tiles of products for processors that have AVX-512: 12 rows of two vectors, or six of four.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>
#define RONDO_TILE_SET avx512
#define RONDO_TILE [[gnu::target("avx512f")]]
#define RONDO_TILE_LANES 16
#define RONDO_TILE_ELEMENT float
#define RONDO_TILE_BROADCAST(from) _mm512_set1_ps(*(from))
#define RONDO_TILE_ADD_PRODUCT(a, b, sum) _mm512_fmadd_ps(a, b, sum)
#include "ops/host/product_tiles.h"

namespace rondo::ops::avx512 {

namespace {

// A group has few sums where the rows are few: more columns at once keep the processor's adders busy.
RONDO_TILE void multiply(int rows, int panels, int64_t k, const float* a, const float* b, int64_t step, int64_t panel,
                         float* out, int64_t out_step) {
  if (panels >= 4 && rows <= 6) {
    tile_of<6, 4>(rows, k, a, b, step, panel, out, out_step);
    if (panels > 4) multiply(rows, panels - 4, k, a, b + 4 * panel, step, panel, out + 4 * kPanelColumns, out_step);
    return;
  }
  for (; panels >= 2; panels -= 2, b += 2 * panel, out += 2 * kPanelColumns)
    tile_of<12, 2>(rows, k, a, b, step, panel, out, out_step);
  if (panels > 0) tile_of<12, 1>(rows, k, a, b, step, panel, out, out_step);
}

}  // namespace

extern const ProductTiles kProductTiles = {12, 6, 24, multiply, copy_lines<kLanes>};

}  // namespace rondo::ops::avx512
#endif
