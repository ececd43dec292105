// Compiles the tiles of products with the instructions that every processor has: four rows of two short vectors.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#define RONDO_TILE_SET baseline
#define RONDO_TILE
#define RONDO_TILE_LANES 4
#define RONDO_TILE_ELEMENT float
#define RONDO_TILE_LINES
#define RONDO_TILE_BROADCAST(from) (TileVector{*(from), *(from), *(from), *(from)})
#define RONDO_TILE_ADD_PRODUCT(a, b, sum) ((a) * (b) + (sum))
#include "ops/host/product_tiles.h"

namespace rondo::ops::baseline {

extern const ProductTiles kProductTiles = {
    4, 0, 8, multiply<Shape<4, 2>>, copy_lines<kLanes>, sum_by<kMostLines, AnyWindow<kMostLines>>};

}  // namespace rondo::ops::baseline

// Pairs of numbers of 16 bits.
#undef RONDO_TILE_SET
#undef RONDO_TILE_LINES
#undef RONDO_TILE_ELEMENT
#undef RONDO_TILE_BROADCAST
#undef RONDO_TILE_ADD_PRODUCT
#define RONDO_TILE_SET baseline_integers
#define RONDO_TILE_ELEMENT uint32_t
#define RONDO_TILE_BROADCAST(from) (TileVector{} + *(from))
#if defined(__SSE2__)
#define RONDO_TILE_ADD_PRODUCT(a, b, sum) \
  ((sum) + reinterpret_cast<TileVector>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b))))
#else
// The low half of a lane and the high one, as numbers with a sign, times those of another.
#define RONDO_TILE_SIGNED(x) reinterpret_cast<int32_t __attribute__((vector_size(16)))>(x)
#define RONDO_TILE_ADD_PRODUCT(a, b, sum)                                                                             \
  ((sum) + reinterpret_cast<TileVector>((RONDO_TILE_SIGNED((a) << 16) >> 16) * (RONDO_TILE_SIGNED((b) << 16) >> 16) + \
                                        (RONDO_TILE_SIGNED(a) >> 16) * (RONDO_TILE_SIGNED(b) >> 16)))
#endif
#include "ops/host/product_tiles.h"

namespace rondo::ops::baseline_integers {

extern const IntegerTiles kIntegerTiles = {4, 2, 1, false, multiply_packed<Shape<4, 2>>};

}  // namespace rondo::ops::baseline_integers
