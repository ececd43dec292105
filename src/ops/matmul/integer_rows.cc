// Brings whole numbers into units and panels, and corrects sums of products by zero points.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/integer_rows.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rondo::ops {

namespace {

constexpr int64_t kUnitsAtOnce = 8;  // of a panel
constexpr uint32_t kFlip = 0x80;     // exchanges bytes with a sign and without, 128 apart

// Makes units of one operand's numbers. Those that a unit lacks at the end of k are 0.
struct UnitMaker {
  int depth;
  bool has_sign;
  uint32_t flip;  // of each byte; units of two need none

  // of_rows: of the operand whose bytes have no sign in units of four.
  UnitMaker(const IntegerTiles& tiles, const Bytes& bytes, bool of_rows)
      : depth(tiles.depth),
        has_sign(bytes.has_sign),
        flip(depth == 4 && !tiles.any_sign && bytes.has_sign == of_rows ? kFlip : 0) {}
  // The summand of each number.
  int32_t shift() const { return flip == 0 ? 0 : has_sign ? 128 : -128; }

  uint32_t of_two(uint8_t low, uint8_t high) const {
    return has_sign ? static_cast<uint16_t>(static_cast<int8_t>(low)) | static_cast<uint32_t>(static_cast<int8_t>(high))
                                                                            << 16
                    : low | static_cast<uint32_t>(high) << 16;
  }
  uint32_t operator()(const uint8_t* from, int64_t step, int64_t count) const {
    if (depth == 2) return of_two(from[0], count > 1 ? from[step] : 0);
    uint32_t unit = 0;
    for (int64_t i = 0; i < std::min<int64_t>(count, 4); ++i)
      unit |= (from[i * step] ^ flip) << (8 * static_cast<unsigned>(i));
    return unit;
  }
  // All units of k numbers, `apart` from each other.
  void line(const uint8_t* from, int64_t step, int64_t k, uint32_t* to, int64_t apart) const {
    if (step == 1 && depth == 4) {
      for (; k >= 4; k -= 4, from += 4, to += apart) {
        uint32_t four;
        std::memcpy(&four, from, sizeof four);
        *to = four ^ (flip * 0x01010101);
      }
    } else if (depth == 2) {
      for (; k >= 2; k -= 2, from += 2 * step, to += apart) *to = of_two(from[0], from[step]);
    }
    for (; k > 0; k -= depth, from += depth * step, to += apart) *to = (*this)(from, step, k);
  }
  // The same in pieces of so many neighbours, of units of four that are as they are. The rest of the last piece stays
  // as it was, since panels have zeros for it.
  void pieces(const uint8_t* from, int64_t step, int64_t k, uint32_t* to, int64_t along, int64_t apart) const {
    for (const int64_t most = 4 * along; k > 0; k -= most, from += most * step, to += apart) {
      int64_t done = 0;
      for (; step == 1 && done + 16 <= std::min(k, most); done += 16) std::memcpy(to + done / 4, from + done, 16);
      line(from + done * step, step, std::min(k, most) - done, to + done / 4, 1);
    }
  }
};

#if defined(__SSE2__)
// 16 columns of whole units, whose bytes are neighbours.
void pack_neighbours(const UnitMaker& maker, const uint8_t* from, int64_t step, int64_t units, uint32_t* to) {
  const auto row = [&](int64_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * step)); };
  const auto store = [&](int i, __m128i x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 4 * i), x); };
  if (maker.depth == 4) {
    const __m128i flip = _mm_set1_epi8(static_cast<char>(maker.flip));
    for (int64_t u = 0; u < units; ++u, from += 4 * step, to += kPanelColumns) {
      const __m128i x[] = {row(0), row(1), row(2), row(3)};
      const __m128i low[] = {_mm_unpacklo_epi8(x[0], x[1]), _mm_unpacklo_epi8(x[2], x[3])},
                    high[] = {_mm_unpackhi_epi8(x[0], x[1]), _mm_unpackhi_epi8(x[2], x[3])};
      store(0, _mm_xor_si128(_mm_unpacklo_epi16(low[0], low[1]), flip));
      store(1, _mm_xor_si128(_mm_unpackhi_epi16(low[0], low[1]), flip));
      store(2, _mm_xor_si128(_mm_unpacklo_epi16(high[0], high[1]), flip));
      store(3, _mm_xor_si128(_mm_unpackhi_epi16(high[0], high[1]), flip));
    }
    return;
  }
  const __m128i sign = _mm_set1_epi8(maker.has_sign ? -1 : 0);
  for (int64_t u = 0; u < units; ++u, from += 2 * step, to += kPanelColumns) {
    const __m128i x[] = {row(0), row(1)};
    const __m128i pairs[] = {_mm_unpacklo_epi8(x[0], x[1]), _mm_unpackhi_epi8(x[0], x[1])};
    for (int i = 0; i < 2; ++i) {
      const __m128i above = _mm_and_si128(_mm_cmpgt_epi8(_mm_setzero_si128(), pairs[i]), sign);
      store(2 * i, _mm_unpacklo_epi8(pairs[i], above));
      store(2 * i + 1, _mm_unpackhi_epi8(pairs[i], above));
    }
  }
}
#endif

// Columns of b to panels, but for their sums.
void pack(const IntegerTiles& tiles, const IntegerDepth& depth, const Bytes& b, int64_t columns, uint32_t* to) {
  const UnitMaker maker(tiles, b, false);
  const int64_t whole = depth.k / tiles.depth;  // units
  bool in_vectors = false;
#if defined(__SSE2__)
  in_vectors = b.step[1] == 1;
  // A line of memory has columns of several panels: it is read for all of them before the cache is full of others.
  for (int64_t u = 0; u < whole && in_vectors; u += kUnitsAtOnce)
    for (int64_t j = 0; j + kPanelColumns <= columns; j += kPanelColumns)
      pack_neighbours(maker, b.from(u * tiles.depth, j).first, b.step[0], std::min(kUnitsAtOnce, whole - u),
                      to + j / kPanelColumns * depth.panel() + u * kPanelColumns);
#endif
  for (int64_t j = 0; j < columns; j += kPanelColumns, to += depth.panel()) {
    const int64_t wide = std::min(kPanelColumns, columns - j), done = in_vectors && wide == kPanelColumns ? whole : 0;
    // Units that columns lack, and what a last unit of some does.
    std::fill(to + (wide < kPanelColumns ? 0 : whole * kPanelColumns), to + depth.panel(), 0U);
    const int64_t left = depth.k - done * tiles.depth;
    for (int64_t c = 0; c < wide && left > 0; ++c)
      maker.line(b.from(done * tiles.depth, j + c).first, b.step[0], left, to + done * kPanelColumns + c,
                 kPanelColumns);
  }
}

// The sums of columns: their product with a row of ones.
void add_up(const IntegerTiles& tiles, const IntegerDepth& depth, const Bytes& b, int64_t count, const uint32_t* ones,
            uint32_t* panels) {
  const int signs = b.has_sign ? kSignOfB : 0;
  for (int64_t p = 0; p < count; ++p, panels += depth.panel())
    tiles.multiply(1, 1, depth.units, ones, panels, depth.panel(), signs, panels + depth.units * kPanelColumns,
                   kPanelColumns);
}

template <class Byte>
int32_t sum_of(const Byte* from, int64_t step, int64_t n) {
  int32_t sum = 0;
  if (step == 1)
    for (int64_t i = 0; i < n; ++i) sum += from[i];
  else
    for (int64_t i = 0; i < n; ++i) sum += from[i * step];
  return sum;
}
// The same of n numbers of a row.
int32_t sum_of(const Bytes& row, int64_t n) {
  return row.has_sign ? sum_of(reinterpret_cast<const int8_t*>(row.first), row.step[1], n)
                      : sum_of(row.first, row.step[1], n);
}

// The parts of a thread's memory.
struct Parts {
  uint32_t *rows, *row_sums, *ones, *group, *sums, *line;
  Parts(const IntegerRows& product, uint32_t* memory)
      : rows(memory),
        row_sums(rows + product.m * product.depth.units),
        ones(row_sums + IntegerDepth::lines(product.m)),
        group(ones + product.depth.units),
        sums(group + kGroupColumns / kPanelColumns * product.depth.panel()),
        line(sums + product.m * kGroupColumns) {}
};

// The rows of a tile: as many as those of the other tiles, or one less.
int64_t begin_of_tile(int64_t m, int64_t tile, int64_t tiles) {
  return m * tile / tiles;
}

int64_t count_tiles(int64_t m, int64_t most) {
  return (m + most - 1) / most;
}

}  // namespace

void IntegerRows::take_rows(uint32_t* memory) const {
  const UnitMaker maker(tiles, a, true);
  const Parts parts(*this, memory);
  const int64_t count = count_tiles(m, tiles.rows);
  const bool sums = b_zero.first || UnitMaker(tiles, b, false).flip != 0;
  for (int64_t t = 0; t < count; ++t) {
    const int64_t begin = begin_of_tile(m, t, count), rows = begin_of_tile(m, t + 1, count) - begin;
    for (int64_t i = 0; i < rows; ++i) {
      const Bytes row = a.from(begin + i, 0);
      uint32_t* const to = parts.rows + begin * depth.units + i * tiles.along;
      if (tiles.along == 1)
        maker.line(row.first, row.step[1], depth.k, to, rows);
      else
        maker.pieces(row.first, row.step[1], depth.k, to, tiles.along, rows * tiles.along);
      if (!sums) continue;
      const int32_t shifts = static_cast<int32_t>(depth.k) * maker.shift();
      parts.row_sums[begin + i] = static_cast<uint32_t>(sum_of(row, depth.k) + shifts);
    }
  }
}

void IntegerRows::multiply(int64_t first, int64_t columns, uint32_t* memory, int32_t* out, const int64_t (&out_step)[2],
                           bool adds) const {
  const Parts parts(*this, memory);
  const int64_t count = count_tiles(m, tiles.rows);
  const bool flips = UnitMaker(tiles, b, false).flip != 0, sums = a_zero.first || UnitMaker(tiles, a, true).flip != 0;
  const bool finished = !sums && !flips && !b_zero.first && !adds && out_step[1] == 1;
  const int signs = (a.has_sign ? kSignOfA : 0) | (b.has_sign ? kSignOfB : 0);
  if (sums && !panels) fill_ones(tiles, depth, parts.ones);
  for (int64_t j = first; j < first + columns; j += kGroupColumns) {
    const int64_t wide = std::min(kGroupColumns, first + columns - j), across = RowsProduct::panels_of(wide);
    const uint32_t* from = panels ? panels + j / kPanelColumns * depth.panel() : parts.group;
    if (!panels) {
      pack(tiles, depth, b.from(0, j), wide, parts.group);
      if (sums) add_up(tiles, depth, b, across, parts.ones, parts.group);
    }
    // Sums that nothing is left to be done to are made where they belong, if that takes whole panels.
    int32_t* const results = out + (j - first) * out_step[1];
    const bool in_place = finished && wide % kPanelColumns == 0;
    uint32_t* const to = in_place ? reinterpret_cast<uint32_t*>(results) : parts.sums;
    const int64_t to_step = in_place ? out_step[0] : kGroupColumns;
    for (int64_t t = 0; t < count; ++t) {
      const int64_t begin = begin_of_tile(m, t, count);
      tiles.multiply(static_cast<int>(begin_of_tile(m, t + 1, count) - begin), static_cast<int>(across), depth.units,
                     parts.rows + begin * depth.units, from, depth.panel(), signs, to + begin * to_step, to_step);
    }
    if (!in_place) finish(j, wide, from, memory, results, out_step, adds);
  }
}

// All arithmetic is modulo 2^32, which numbers without a sign have.
void IntegerRows::finish(int64_t first, int64_t columns, const uint32_t* from, uint32_t* memory, int32_t* out,
                         const int64_t (&out_step)[2], bool adds) const {
  const Parts parts(*this, memory);
  const int32_t a_shift = UnitMaker(tiles, a, true).shift(), b_shift = UnitMaker(tiles, b, false).shift();
  const bool by_rows = b_zero.first || b_shift != 0;
  uint32_t of_line = 0;  // the row's zero point that `line` is for: it times the sums of columns
  std::fill(parts.line, parts.line + kGroupColumns, 0U);
  const bool one_zero = !b_zero.first || b_zero.step[1] == 0;  // for all columns
  uint32_t zeros[kGroupColumns];
  for (int64_t j = 0; j < columns && by_rows; ++j) zeros[j] = static_cast<uint32_t>(b_zero.at(0, first + j) + b_shift);
  for (int64_t i = 0; i < m; ++i) {
    uint32_t* const sums = parts.sums + i * kGroupColumns;
    const auto zero = static_cast<uint32_t>(a_zero.at(i, 0) + a_shift);
    if (zero != of_line)
      for (int64_t j = 0; j < columns; ++j)
        parts.line[j] =
            zero * from[j / kPanelColumns * depth.panel() + depth.units * kPanelColumns + j % kPanelColumns];
    of_line = zero;
    const uint32_t of_row = by_rows ? parts.row_sums[i] - static_cast<uint32_t>(depth.k) * zero : 0;
    const uint32_t rest = by_rows && one_zero ? zeros[0] * of_row : 0;
    if (by_rows && !one_zero)
      for (int64_t j = 0; j < columns; ++j) sums[j] -= zeros[j] * of_row;
    int32_t* const to = out + i * out_step[0];
    const uint32_t* const line = parts.line;
    if (adds)
      for (int64_t j = 0; j < columns; ++j) {
        int32_t& sum = to[j * out_step[1]];
        sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + sums[j] - line[j] - rest);
      }
    else if (out_step[1] == 1)
      for (int64_t j = 0; j < columns; ++j) to[j] = static_cast<int32_t>(sums[j] - line[j] - rest);
    else
      for (int64_t j = 0; j < columns; ++j) to[j * out_step[1]] = static_cast<int32_t>(sums[j] - line[j] - rest);
  }
}

void fill_ones(const IntegerTiles& tiles, const IntegerDepth& depth, uint32_t* ones) {
  std::fill(ones, ones + depth.units, tiles.depth == 2 ? 0x00010001U : 0x01010101U);
}

void pack_integer_panels(const IntegerTiles& tiles, const IntegerDepth& depth, const Bytes& b, int64_t n, int64_t first,
                         int64_t last, const uint32_t* ones, uint32_t* panels) {
  const int64_t column = first * kPanelColumns;
  panels += first * depth.panel();
  pack(tiles, depth, b.from(0, column), std::min(last * kPanelColumns, n) - column, panels);
  add_up(tiles, depth, b, last - first, ones, panels);
}

}  // namespace rondo::ops
