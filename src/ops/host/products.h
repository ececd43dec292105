// Multiplies rows by a matrix on the host, in f32, by loops of our own: the matrix is read in panels of 16 columns, as
// it lies, or from a copy in that order that was made before (task/packed_weights.h). Products of whole numbers have
// tiles of their own, over the same panels (matmul/integer_rows.h).
//
// Each element is one sum over k, from 0 on and in order, whatever holds the matrix and however the product is cut. So
// all ways give the same bits. Its steps are fused multiply-adds where the processor has them; otherwise, which is on
// x86-64 without AVX2, products are rounded first.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/machine/instructions.h"

namespace rondo::ops {

// Columns of a panel, in which those of one k are neighbours; the last one is filled up with zeros.
inline constexpr int64_t kPanelColumns = 16;
// Columns that are multiplied together, at most: parts of a product are multiples of it.
inline constexpr int64_t kGroupColumns = 64;

// Depths that tiles go through before the next tile does: what they read of both sides then stays in the caches.
inline constexpr int64_t kDepthAtOnce = 512;
// Depths of a sum that is made in order, a multiple of that. One that is deeper is made of such sums.
inline constexpr int64_t kDepthOfSum = 1 << 14;

// Sums of a depthwise convolution, of its lines in a plane. Elements past a line's end are read and written as well, up
// to a vector, and so are lines past the last one, up to kMostLines.
struct LinesToSum {
  const float* from;
  const int64_t* taps;  // where each is from the element of the first
  const float* weights;
  int64_t count;
  // Taps have rows of so many columns, and those of row r + stride lie a step further on than those of r; or 0.
  int64_t columns, stride;
  int64_t step;      // from a line to the next one
  int64_t lines, n;  // of so many elements
  float* to;         // lines one after the other
};
inline constexpr int kMostLines = 8;

// The loops of one instruction set.
struct ProductTiles {
  int rows;       // of a tile, at most
  int wide_rows;  // of a tile that takes several panels at once, at most
  int in_place;   // rows of a product up to which b is read as it lies, if its columns are neighbours
  // out = a b for one tile. a: [k][rows]. b: so many panels, `panel` apart, each of which has the next k `step` further
  // on. more: it goes on from the sums that are in `out`.
  void (*multiply)(int rows, int panels, int64_t k, const float* a, const float* b, int64_t step, int64_t panel,
                   bool more, float* out, int64_t out_step);
  // Lines of n numbers, each so far from the last one.
  void (*copy_lines)(const float* from, int64_t apart, int64_t lines, int64_t n, float* to, int64_t to_apart);
  void (*sum_lines)(const LinesToSum& of);
};
const ProductTiles& product_tiles(Instructions instructions);

// The same for whole numbers of 8 bits, so many of which along k are a unit of 32 bits. Sums are modulo 2^32.
struct IntegerTiles {
  int rows;       // of a tile, at most
  int depth;      // of a unit: two numbers of 16 bits, or four of 8
  int64_t along;  // units of a row that are neighbours; k is a multiple of it
  bool any_sign;  // units of four have numbers as they are; else those of a have no sign and those of b have one
  // out = a b for one tile. a: [k / along][rows][along], b: so many panels, `panel` apart; k counts units. signs: who
  // has one, of units that have any.
  void (*multiply)(int rows, int panels, int64_t k, const uint32_t* a, const uint32_t* b, int64_t panel, int signs,
                   uint32_t* out, int64_t out_step);
};
enum IntegerSigns : int { kSignOfA = 1, kSignOfB = 2 };
// Those that are used, by AMX or by the instruction set; then those of a set, without AMX.
const IntegerTiles& integer_tiles();
const IntegerTiles& integer_tiles(Instructions instructions);

// How m rows are cut into tiles: each has as many as the others, or one less.
struct RowTiles {
  int64_t m, count;
  explicit RowTiles(int64_t m);
  int64_t begin(int64_t tile) const { return m * tile / count; }
};
// Tiles [first, last) of m x k, to the place of all of them: [k][rows] of each.
void pack_row_tiles(const float* a, const int64_t (&step)[2], const RowTiles& tiles, int64_t k, int64_t first,
                    int64_t last, float* to);
// Lines of k neighbours, `apart` from each other, to columns: to[l * width + c] = from[c * apart + l].
void turn_lines(const float* from, int64_t apart, int64_t columns, int64_t k, float* to, int64_t width);

// A part of a product, of m rows. Each thread has a `memory` of its own.
struct RowsProduct {
  int64_t m, k;
  int64_t a_step[2], b_step[2];
  const float* panels = nullptr;  // b in panels, all of it; null: b as it lies is given

  static int64_t panels_of(int64_t n) { return (n + kPanelColumns - 1) / kPanelColumns; }
  // Elements of b in panels, and of memory.
  static int64_t packed_elements(int64_t n, int64_t k) { return panels_of(n) * kPanelColumns * k; }
  static int64_t memory_elements(int64_t m, int64_t k) {
    return m * k + kGroupColumns * std::min(k, kDepthAtOnce) + (k > kDepthOfSum ? 2 : 1) * m * kGroupColumns;
  }

  // Reads a, for what multiply() is asked after it with the same memory.
  void take_rows(const float* a, float* memory) const;
  // Columns [first, first + columns), where first is a multiple of kGroupColumns; `out` is where they begin.
  void multiply(const float* b, int64_t first, int64_t columns, float* memory, float* out, int64_t out_step) const;
};

// Adds lines of n numbers to others, or is the first to write there.
void add_lines(const float* from, int64_t from_step, int64_t lines, int64_t n, bool is_first, float* to,
               int64_t to_step);

// Panels [first, last) of k x n, to the copy of all of them.
void pack_panels(const float* b, const int64_t (&step)[2], int64_t k, int64_t n, int64_t first, int64_t last,
                 float* panels);

}  // namespace rondo::ops
