// Brings the operands of a product into the order in which tiles read them, and walks the tiles.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/host/products.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace rondo::ops {

namespace baseline {
extern const ProductTiles kProductTiles;
}
namespace avx2 {
extern const ProductTiles kProductTiles;
}
namespace avx512 {
extern const ProductTiles kProductTiles;
}
namespace baseline_integers {
extern const IntegerTiles kIntegerTiles;
}
namespace avx2_integers {
extern const IntegerTiles kIntegerTiles;
}
namespace vnni {
extern const IntegerTiles kIntegerTiles;
}
namespace amx {
extern const IntegerTiles kIntegerTiles;
}

namespace {

constexpr int64_t kAhead = 16;   // rows of b that are asked for before they are copied
constexpr int64_t kTurned = 64;  // of k, at once
// Rows of b that narrow tiles read as they lie: the lines of more push each other out of the cache, by their step, and
// the next tile would fetch them again.
constexpr int64_t kInPlaceDepth = 512;

// Rows of k to columns of k, to[l * width + c] = from[c * apart + l], for c below `columns`.
void turn_block(const float* from, int64_t apart, int64_t columns, int64_t k, float* to, int64_t width) {
  int64_t c = 0;
#if defined(__SSE__)
  for (; c + 4 <= columns; c += 4) {
    const float* const line = from + c * apart;
    int64_t l = 0;
    for (; l + 4 <= k; l += 4) {
      __m128 x[4];
      for (int i = 0; i < 4; ++i) x[i] = _mm_loadu_ps(line + i * apart + l);
      _MM_TRANSPOSE4_PS(x[0], x[1], x[2], x[3]);
      for (int i = 0; i < 4; ++i) _mm_storeu_ps(to + (l + i) * width + c, x[i]);
    }
    for (; l < k; ++l)
      for (int i = 0; i < 4; ++i) to[l * width + c + i] = line[i * apart + l];
  }
#endif
  for (; c < columns; ++c)
    for (int64_t l = 0; l < k; ++l) to[l * width + c] = from[c * apart + l];
}

// Columns of b to panels, `panel` apart.
void pack(const float* b, const int64_t (&step)[2], int64_t k, int64_t columns, int64_t panel, float* to) {
  if (const int64_t left = columns % kPanelColumns; left != 0) {
    float* const last = to + columns / kPanelColumns * panel;
    std::fill(last, last + k * kPanelColumns, 0.0F);
    if (step[0] != 1)
      for (int64_t l = 0; l < k; ++l)
        for (int64_t c = 0; c < left; ++c)
          last[l * kPanelColumns + c] = b[l * step[0] + (columns - left + c) * step[1]];
  }
  if (step[0] == 1) {
    for (int64_t c = 0; c < columns; c += kPanelColumns, to += panel)
      turn_lines(b + c * step[1], step[1], std::min(kPanelColumns, columns - c), k, to, kPanelColumns);
    return;
  }
  const int64_t whole = columns / kPanelColumns;
  for (int64_t l = 0; l < k; ++l, b += step[0], to += kPanelColumns)
    for (int64_t p = 0; p < whole; ++p) {
      const float* const from = b + p * kPanelColumns * step[1];
      if (step[1] == 1) {
        if (l + kAhead < k) __builtin_prefetch(from + kAhead * step[0]);
        std::memcpy(to + p * panel, from, kPanelColumns * sizeof *b);
      } else {
        for (int64_t c = 0; c < kPanelColumns; ++c) to[p * panel + c] = from[c * step[1]];
      }
    }
}

}  // namespace

const ProductTiles& product_tiles(Instructions instructions) {
#if defined(__x86_64__)
  if (instructions == Instructions::avx512) return avx512::kProductTiles;
  if (instructions == Instructions::avx2) return avx2::kProductTiles;
#else
  (void)instructions;
#endif
  return baseline::kProductTiles;
}

const IntegerTiles& integer_tiles(Instructions instructions) {
#if defined(__x86_64__)
  if (instructions == Instructions::avx512 && possible_vnni()) return vnni::kIntegerTiles;
  if (instructions != Instructions::baseline) return avx2_integers::kIntegerTiles;
#else
  (void)instructions;
#endif
  return baseline_integers::kIntegerTiles;
}

const IntegerTiles& integer_tiles() {
#if defined(__x86_64__)
  if (uses_amx()) return amx::kIntegerTiles;
#endif
  return integer_tiles(instructions());
}

RowTiles::RowTiles(int64_t m) : m(m) {
  const int64_t most = product_tiles(instructions()).rows;
  count = (m + most - 1) / most;
}

// In blocks of k, so that what is written a few columns at a time stays in the first cache until its lines are whole.
void turn_lines(const float* from, int64_t apart, int64_t columns, int64_t k, float* to, int64_t width) {
  for (int64_t l = 0; l < k; l += kTurned)
    turn_block(from + l, apart, columns, std::min(kTurned, k - l), to + l * width, width);
}

void pack_row_tiles(const float* a, const int64_t (&step)[2], const RowTiles& tiles, int64_t k, int64_t first,
                    int64_t last, float* to) {
  for (int64_t t = first; t < last; ++t) {
    const int64_t begin = tiles.begin(t), rows = tiles.begin(t + 1) - begin;
    float* const own = to + begin * k;
    const float* const from = a + begin * step[0];
    if (step[1] == 1) {
      turn_lines(from, step[0], rows, k, own, rows);
      continue;
    }
    for (int64_t l = 0; l < k; ++l)
      for (int64_t i = 0; i < rows; ++i) own[l * rows + i] = from[i * step[0] + l * step[1]];
  }
}

void RowsProduct::take_rows(const float* a, float* memory) const {
  const RowTiles tiles(m);
  pack_row_tiles(a, a_step, tiles, k, 0, tiles.count, memory);
}

void add_lines(const float* from, int64_t from_step, int64_t lines, int64_t n, bool is_first, float* to,
               int64_t to_step) {
  for (int64_t i = 0; i < lines; ++i, from += from_step, to += to_step)
    for (int64_t j = 0; j < n; ++j) to[j] = is_first ? from[j] : to[j] + from[j];
}

void RowsProduct::multiply(const float* b, int64_t first, int64_t columns, float* memory, float* out,
                           int64_t out_step) const {
  const ProductTiles& set = product_tiles(instructions());
  const RowTiles tiles(m);
  const float* const rows = memory;
  float* const group = memory + m * k;                                      // of b
  float* const narrow = group + kGroupColumns * std::min(k, kDepthAtOnce);  // of the result, where columns of a panel
                                                                            // are missing
  float* const deep = narrow + m * kGroupColumns;                           // sums of parts of the depth
  for (int64_t j = first; j < first + columns; j += kGroupColumns) {
    const int64_t wide = std::min(kGroupColumns, first + columns - j), count = panels_of(wide);
    const bool whole = wide % kPanelColumns == 0;
    const bool in_place =
        !panels && whole && b_step[1] == 1 && m <= (k <= kInPlaceDepth ? set.in_place : set.wide_rows);
    float* const to = whole ? out + (j - first) : narrow;
    const int64_t to_step = whole ? out_step : kGroupColumns;
    // A matrix that no second tile reads is gone through in one way.
    const int64_t at_once = tiles.count == 1 && (panels || in_place) ? std::min(k, kDepthOfSum) : kDepthAtOnce;
    for (int64_t l = 0; l < k; l += at_once) {
      const int64_t depth = std::min(at_once, k - l);
      const float* from = group;
      int64_t step = kPanelColumns, panel = kPanelColumns * k;
      if (panels) {
        from = panels + j * k + l * kPanelColumns;
      } else if (in_place) {
        from = b + j + l * b_step[0];
        step = b_step[0];
        panel = kPanelColumns;
      } else {
        panel = kPanelColumns * depth;
        pack(b + l * b_step[0] + j * b_step[1], b_step, depth, wide, panel, group);
      }
      for (int64_t t = 0; t < tiles.count; ++t) {
        const int64_t begin = tiles.begin(t), size = tiles.begin(t + 1) - begin;
        set.multiply(static_cast<int>(size), static_cast<int>(count), depth, rows + begin * k + l * size, from, step,
                     panel, l % kDepthOfSum != 0, to + begin * to_step, to_step);
      }
      const bool last = l + depth == k;
      if (k > kDepthOfSum && (last || (l + depth) % kDepthOfSum == 0))
        add_lines(to, to_step, m, whole ? wide : count * kPanelColumns, l < kDepthOfSum, deep, kGroupColumns);
      if (k > kDepthOfSum && last)
        for (int64_t i = 0; i < m; ++i)
          std::copy_n(deep + i * kGroupColumns, whole ? wide : count * kPanelColumns, to + i * to_step);
    }
    if (whole) continue;
    for (int64_t i = 0; i < m; ++i)
      std::memcpy(out + i * out_step + (j - first), narrow + i * kGroupColumns,
                  static_cast<size_t>(wide) * sizeof(float));
  }
}

void pack_panels(const float* b, const int64_t (&step)[2], int64_t k, int64_t n, int64_t first, int64_t last,
                 float* panels) {
  const int64_t column = first * kPanelColumns;
  pack(b + column * step[1], step, k, std::min(last * kPanelColumns, n) - column, k * kPanelColumns,
       panels + column * k);
}

}  // namespace rondo::ops
