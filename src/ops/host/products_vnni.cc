// Compiles the tiles of products of whole numbers for processors that have AVX-512 VNNI, which multiplies and adds up
// four numbers at once: 12 rows of two vectors, or six of four.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>
#define RONDO_TILE_SET vnni
#define RONDO_TILE [[gnu::target("avx512f,avx512vnni")]]
#define RONDO_TILE_LANES 16
#define RONDO_TILE_ELEMENT uint32_t
#define RONDO_TILE_BROADCAST(from) (TileVector{} + *(from))
#define RONDO_TILE_ADD_PRODUCT(a, b, sum) \
  reinterpret_cast<TileVector>(           \
      _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)))
#include "ops/host/product_tiles.h"

namespace rondo::ops::vnni {

extern const IntegerTiles kIntegerTiles = {12, 4, 1, false, multiply_packed<Shape<6, 4>, Shape<12, 2>, Shape<12, 1>>};

}  // namespace rondo::ops::vnni
#endif
