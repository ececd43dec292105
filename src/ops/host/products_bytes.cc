// Compiles the tiles of products of whole numbers for processors that have AVX-512 VNNI, which multiplies and adds up
// four numbers at once: 12 rows of two vectors, or six of four. Then those for AMX, whose tile registers have 16 rows
// of 64 numbers, each with a sign or without. Assembly for these is what every compiler takes: registers have numbers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>

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

namespace rondo::ops::amx {

namespace {

constexpr int kRows = 16;                // of a register
constexpr int64_t kAlong = 16;           // units of one of its rows
constexpr int64_t kBytes = 64;           // of the same
constexpr int64_t kBlock = 16 * kAlong;  // units of a register of b

// The operand of ldtilecfg.
struct alignas(64) RegisterShapes {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t bytes[16] = {};
  uint8_t rows[16] = {};
};

// Registers 0 to 3 have sums and 4 has rows of a; so has 5 where there are two of them; the others have b.
#define RONDO_AMX_ZERO(to) asm volatile("tilezero %%tmm" #to ::)
#define RONDO_AMX_LOAD(to, from) asm volatile("tileloadd (%0,%1), %%tmm" #to ::"r"(from), "r"(kBytes) : "memory")
// The same of what is not needed again soon.
#define RONDO_AMX_LOAD_ONCE(to, from) asm volatile("tileloaddt1 (%0,%1), %%tmm" #to ::"r"(from), "r"(kBytes) : "memory")
#define RONDO_AMX_STORE(from, to, step) \
  asm volatile("tilestored %%tmm" #from ", (%0,%1)" ::"r"(to), "r"(step) : "memory")
#define RONDO_AMX_ADD_PRODUCT(signs, sum, a, b) asm volatile("tdpb" signs "d %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::)
// The products of one step, by the signs of a and of b.
#define RONDO_AMX_BY_SIGNS(all)      \
  switch (signs) {                   \
    case 0: all("uu"); break;        \
    case kSignOfA: all("su"); break; \
    case kSignOfB: all("us"); break; \
    default: all("ss");              \
  }

void clear_sums() {
  RONDO_AMX_ZERO(0);
  RONDO_AMX_ZERO(1);
  RONDO_AMX_ZERO(2);
  RONDO_AMX_ZERO(3);
}

struct Step {
  int64_t count;
  int64_t a;  // units to the next one
};

// Two registers of rows, the second of which begins so many rows further on, by two panels; the second panel may be the
// first again.
void two_by_two(Step step, const uint32_t* a, int64_t other_rows, const uint32_t* b, int64_t panel, int signs,
                uint32_t* out, int64_t out_step) {
  clear_sums();
  const uint32_t* const end = b + step.count * kBlock;
  for (; b != end; a += step.a, b += kBlock) {
    RONDO_AMX_LOAD(6, b);
    RONDO_AMX_LOAD(4, a);
    RONDO_AMX_LOAD(7, b + panel);
    RONDO_AMX_LOAD(5, a + other_rows * kAlong);
#define RONDO_AMX_ALL(signs)             \
  RONDO_AMX_ADD_PRODUCT(signs, 0, 4, 6); \
  RONDO_AMX_ADD_PRODUCT(signs, 1, 4, 7); \
  RONDO_AMX_ADD_PRODUCT(signs, 2, 5, 6); \
  RONDO_AMX_ADD_PRODUCT(signs, 3, 5, 7)
    RONDO_AMX_BY_SIGNS(RONDO_AMX_ALL)
#undef RONDO_AMX_ALL
  }
  const int64_t bytes = out_step * 4;
  uint32_t* const other = out + other_rows * out_step;
  RONDO_AMX_STORE(0, out, bytes);
  RONDO_AMX_STORE(2, other, bytes);
  if (panel == 0) return;
  RONDO_AMX_STORE(1, out + kPanelColumns, bytes);
  RONDO_AMX_STORE(3, other + kPanelColumns, bytes);
}

// One register of rows by up to four panels; those that there are not are the first again.
void one_by_four(Step step, const uint32_t* a, const uint32_t* b, int64_t panel, int panels, int signs, uint32_t* out,
                 int64_t out_step) {
  clear_sums();
  const uint32_t* const end = b + step.count * kBlock;
  const int64_t second = panels > 1 ? panel : 0, third = panels > 2 ? 2 * panel : 0, last = panels > 3 ? 3 * panel : 0;
  for (; b != end; a += step.a, b += kBlock) {
    RONDO_AMX_LOAD(4, a);
#define RONDO_AMX_ALL(signs)             \
  RONDO_AMX_LOAD_ONCE(5, b);             \
  RONDO_AMX_ADD_PRODUCT(signs, 0, 4, 5); \
  RONDO_AMX_LOAD_ONCE(6, b + second);    \
  RONDO_AMX_ADD_PRODUCT(signs, 1, 4, 6); \
  RONDO_AMX_LOAD_ONCE(7, b + third);     \
  RONDO_AMX_ADD_PRODUCT(signs, 2, 4, 7); \
  RONDO_AMX_LOAD_ONCE(5, b + last);      \
  RONDO_AMX_ADD_PRODUCT(signs, 3, 4, 5)
    RONDO_AMX_BY_SIGNS(RONDO_AMX_ALL)
#undef RONDO_AMX_ALL
  }
  const int64_t bytes = out_step * 4;
  RONDO_AMX_STORE(0, out, bytes);
  if (panels > 1) RONDO_AMX_STORE(1, out + kPanelColumns, bytes);
  if (panels > 2) RONDO_AMX_STORE(2, out + 2 * kPanelColumns, bytes);
  if (panels > 3) RONDO_AMX_STORE(3, out + 3 * kPanelColumns, bytes);
}

// All registers of a have as many rows, so the last ones may go over some again. None is left in use: the system would
// save them whenever the thread gives its processor away.
void multiply_tiles(int rows, int panels, int64_t k, const uint32_t* a, const uint32_t* b, int64_t panel, int signs,
                    uint32_t* out, int64_t out_step) {
  // A single row waits for the panels, which vectors read more quickly.
  if (rows == 1 && signs == kSignOfB)
    return vnni::kIntegerTiles.multiply(rows, panels, k, a, b, panel, signs, out, out_step);
  const int high = std::min(rows, kRows);
  RegisterShapes shapes;
  for (int i = 0; i < 8; ++i) {
    shapes.bytes[i] = kBytes;
    shapes.rows[i] = static_cast<uint8_t>(i < 5 ? high : kRows);
  }
  const Step step = {k / kAlong, rows * kAlong};
  asm volatile("ldtilecfg %0" ::"m"(shapes));
  for (int i = 0; i < rows; i += 2 * high) {
    const int64_t first = std::min(i, rows - high), second = std::min(i + high, rows - high) - first;
    uint32_t* const to = out + first * out_step;
    const uint32_t* const from = a + first * kAlong;
    if (second > 0)
      for (int p = 0; p < panels; p += 2)
        two_by_two(step, from, second, b + p * panel, p + 1 < panels ? panel : 0, signs, to + p * kPanelColumns,
                   out_step);
    else
      for (int p = 0; p < panels; p += 4)
        one_by_four(step, from, b + p * panel, panel, panels - p, signs, to + p * kPanelColumns, out_step);
  }
  asm volatile("tilerelease" ::);
}

}  // namespace

extern const IntegerTiles kIntegerTiles = {256, 4, kAlong, true, multiply_tiles};

}  // namespace rondo::ops::amx
#endif
