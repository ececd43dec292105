// Multiplies rows of whole numbers of 8 bits by a matrix of such on the host, exactly and modulo 2^32: both are brought
// to the units that tiles multiply (host/products.h), the matrix in panels of 16 columns.
//
// Units hold a + s and b + t, where s and t are 0, or 128 or -128 where a tile wants another sign than the operand has.
// With zero points, what is asked for is the sum of (a + s - x) (b + t - y), x and y those plus s and t. So the sum of
// the units' products is corrected by their own sums: of a row, and of a column, which ends the column's panel.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/host/products.h"

namespace rondo::ops {

// Numbers of 8 bits in memory, with a sign or without.
struct Bytes {
  const uint8_t* first = nullptr;  // null: all are 0
  int64_t step[2] = {};
  bool has_sign = false;

  int32_t at(int64_t i, int64_t j) const {
    if (!first) return 0;
    const uint8_t byte = first[i * step[0] + j * step[1]];
    return has_sign ? static_cast<int8_t>(byte) : byte;
  }
  Bytes from(int64_t i, int64_t j) const {
    return {first ? first + i * step[0] + j * step[1] : nullptr, {step[0], step[1]}, has_sign};
  }
};

// Sizes in units, for each of which panels and memory have 32 bits.
struct IntegerDepth {
  int64_t k, units;
  IntegerDepth(const IntegerTiles& tiles, int64_t k)
      : k(k), units((k + tiles.depth * tiles.along - 1) / (tiles.depth * tiles.along) * tiles.along) {}
  int64_t panel() const { return (units + 1) * kPanelColumns; }  // its last line has the sums of the columns
  int64_t panels(int64_t n) const { return RowsProduct::panels_of(n) * panel(); }
  int64_t packed(int64_t n) const { return panels(n) + units; }  // with the line that columns are summed up by
  int64_t memory(int64_t m) const {
    return m * units + lines(m) + units + kGroupColumns / kPanelColumns * panel() + (m + 1) * kGroupColumns;
  }
  // Numbers that m of them take, up to the next multiple of 64 bytes.
  static int64_t lines(int64_t m) { return RowsProduct::panels_of(m) * kPanelColumns; }
};

// A part of a product, of m rows. Each thread has a `memory` of its own.
struct IntegerRows {
  const IntegerTiles& tiles;
  const IntegerDepth depth;
  int64_t m;
  Bytes a, b;                        // m x k, and k x n from the first column of the matrix on
  Bytes a_zero, b_zero;              // of a row: at(row, 0); of a column: at(0, column)
  const uint32_t* panels = nullptr;  // of all of b; null: it is read as it lies

  // Reads a, for what multiply() is asked after it with the same memory.
  void take_rows(uint32_t* memory) const;
  // Columns [first, first + columns), where first is a multiple of kGroupColumns, to `out`, which is where they begin;
  // adds: to what is there.
  void multiply(int64_t first, int64_t columns, uint32_t* memory, int32_t* out, const int64_t (&out_step)[2],
                bool adds) const;

 private:
  void finish(int64_t first, int64_t columns, const uint32_t* panels, uint32_t* memory, int32_t* out,
              const int64_t (&out_step)[2], bool adds) const;
};

// The line of ones, as many as depth.units, whose product with columns are their sums.
void fill_ones(const IntegerTiles& tiles, const IntegerDepth& depth, uint32_t* ones);
// Panels [first, last) of k x n, to the copy of all of them.
void pack_integer_panels(const IntegerTiles& tiles, const IntegerDepth& depth, const Bytes& b, int64_t n, int64_t first,
                         int64_t last, const uint32_t* ones, uint32_t* panels);

}  // namespace rondo::ops
