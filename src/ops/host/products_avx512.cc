// Compiles the tiles of products for processors that have AVX-512: 12 rows of two vectors, or six of four.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>
#define RONDO_TILE_SET avx512
#define RONDO_TILE [[gnu::target("avx512f")]]
#define RONDO_TILE_LANES 16
#define RONDO_TILE_ELEMENT float
#define RONDO_TILE_LINES
#define RONDO_TILE_BROADCAST(from) _mm512_set1_ps(*(from))
#define RONDO_TILE_ADD_PRODUCT(a, b, sum) _mm512_fmadd_ps(a, b, sum)
#include "ops/host/product_tiles.h"

namespace rondo::ops::avx512 {

extern const ProductTiles kProductTiles = {
    12, 6, 24, multiply<Shape<6, 4>, Shape<12, 2>, Shape<12, 1>>, copy_lines<kLanes>, sum_lines<4>};

}  // namespace rondo::ops::avx512
#endif
