// Compiles the tiles of products for processors that have AVX2 and FMA: six rows of two vectors, or three of four.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>
#define RONDO_TILE_SET avx2
#define RONDO_TILE [[gnu::target("avx2,fma")]]
#define RONDO_TILE_LANES 8
#define RONDO_TILE_ELEMENT float
#define RONDO_TILE_LINES
#define RONDO_TILE_BROADCAST(from) _mm256_broadcast_ss(from)
#define RONDO_TILE_ADD_PRODUCT(a, b, sum) _mm256_fmadd_ps(a, b, sum)
#include "ops/host/product_tiles.h"

namespace rondo::ops::avx2 {

extern const ProductTiles kProductTiles = {6,           3, 12, multiply<Shape<3, 4>, Shape<6, 2>>, copy_lines<kLanes>,
                                           sum_lines<4>};

}  // namespace rondo::ops::avx2

// Pairs of numbers of 16 bits: their products have no more than 17.
#undef RONDO_TILE_SET
#undef RONDO_TILE_LINES
#undef RONDO_TILE_ELEMENT
#undef RONDO_TILE_BROADCAST
#undef RONDO_TILE_ADD_PRODUCT
#define RONDO_TILE_SET avx2_integers
#define RONDO_TILE_ELEMENT uint32_t
#define RONDO_TILE_BROADCAST(from) (TileVector{} + *(from))
#define RONDO_TILE_ADD_PRODUCT(a, b, sum) \
  ((sum) + reinterpret_cast<TileVector>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b))))
#include "ops/host/product_tiles.h"

namespace rondo::ops::avx2_integers {

extern const IntegerTiles kIntegerTiles = {6, 2, 1, false, multiply_packed<Shape<3, 4>, Shape<6, 2>>};

}  // namespace rondo::ops::avx2_integers
#endif
