// Defines the tiles that products consist of, for the .cc file of each instruction set: it says the set's
// name (RONDO_TILE_SET), a function's attributes (RONDO_TILE), lanes of a vector (RONDO_TILE_LANES), what is in them
// (RONDO_TILE_ELEMENT), and how vectors multiply and add. It is included once for each kind of element; with
// RONDO_TILE_LINES it has the sums of depthwise convolutions too.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ops/host/products.h"

namespace rondo::ops::RONDO_TILE_SET {

namespace {

// Sums that a loop indexes would be in memory.
#undef RONDO_UNROLLED
#if defined(__clang__)
#define RONDO_UNROLLED _Pragma("unroll")
#else
#define RONDO_UNROLLED _Pragma("GCC unroll 16")
#endif

constexpr int64_t kAhead = 12;         // steps
constexpr int64_t kAheadOfRows = 512;  // elements
constexpr int kLanes = RONDO_TILE_LANES;
typedef RONDO_TILE_ELEMENT TileElement;
typedef TileElement TileVector __attribute__((vector_size(kLanes * sizeof(TileElement))));
typedef TileElement TileMemory __attribute__((vector_size(kLanes * sizeof(TileElement)), aligned(4), may_alias));

// A new sum begins with one of these.
alignas(64) constexpr TileElement kNothing[kGroupColumns] = {};

// A tile's sums go on from what is in memory, or from nothing, and go to memory.
struct Sums {
  const TileElement* from;
  int64_t from_step;
  TileElement* to;
  int64_t to_step;
};

// Sums stay in registers from the first k to the last.
template <int rows, int vectors>
RONDO_TILE void tile(int64_t k, const TileElement* a, const TileElement* b, int64_t step, int64_t panel,
                     const Sums& sums) {
  TileVector sum[rows][vectors];
  const TileElement* from = sums.from;
  RONDO_UNROLLED
  for (int i = 0; i < rows; ++i, from += sums.from_step) {
    RONDO_UNROLLED
    for (int v = 0; v < vectors; ++v) sum[i][v] = *reinterpret_cast<const TileMemory*>(from + v * kLanes);
  }
  for (; k > 0; --k, a += rows, b += step) {
    // The rows of a matrix that is read as it lies are on pages of their own, which the processor does not foresee. A
    // small tile is done too soon for this to gain anything.
    if constexpr (rows * vectors >= 12)
      for (int v = 0; v < vectors * kLanes; v += kPanelColumns)
        __builtin_prefetch(b + v / kPanelColumns * panel + kAhead * step);
    if constexpr (rows >= 4) __builtin_prefetch(a + kAheadOfRows);
    TileVector right[vectors];
    RONDO_UNROLLED
    for (int v = 0; v < vectors; ++v)
      right[v] =
          *reinterpret_cast<const TileMemory*>(b + v * kLanes / kPanelColumns * panel + v * kLanes % kPanelColumns);
    RONDO_UNROLLED
    for (int i = 0; i < rows; ++i) {
      const TileVector left = RONDO_TILE_BROADCAST(a + i);
      RONDO_UNROLLED
      for (int v = 0; v < vectors; ++v) sum[i][v] = RONDO_TILE_ADD_PRODUCT(left, right[v], sum[i][v]);
    }
  }
  TileElement* to = sums.to;
  const int64_t to_step = sums.to_step;
  RONDO_UNROLLED
  for (int i = 0; i < rows; ++i, to += to_step) {
    RONDO_UNROLLED
    for (int v = 0; v < vectors; ++v) *reinterpret_cast<TileMemory*>(to + v * kLanes) = sum[i][v];
  }
}

// In vectors, the last of which goes over again what is done; a line shorter than a vector by shorter ones.
template <int lanes>
RONDO_TILE void copy_lines(const TileElement* from, int64_t apart, int64_t lines, int64_t n, TileElement* to,
                           int64_t to_apart) {
  if constexpr (lanes > 1) {
    if (n < lanes) return copy_lines<lanes / 2>(from, apart, lines, n, to, to_apart);
  }
  for (; lines > 0; --lines, from += apart, to += to_apart) {
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) std::memcpy(to + i, from + i, lanes * sizeof *to);
    if (i < n) std::memcpy(to + n - lanes, from + n - lanes, lanes * sizeof *to);
  }
}

#if defined(RONDO_TILE_LINES)
// A vector of so many lines of a depthwise convolution, whose window has so many rows and columns: what is read serves
// all lines.
template <int lines, int stride, int rows, int columns>
struct Window {
  RONDO_TILE static void sum(const LinesToSum& of, const TileElement* from, TileElement* to) {
    TileVector weight[rows][columns], made[lines] = {};
    RONDO_UNROLLED
    for (int r = 0; r < rows; ++r) {
      RONDO_UNROLLED
      for (int c = 0; c < columns; ++c) weight[r][c] = RONDO_TILE_BROADCAST(of.weights + r * columns + c);
    }
    RONDO_UNROLLED
    for (int read = 0; read < (lines - 1) * stride + rows; ++read) {
      RONDO_UNROLLED
      for (int c = 0; c < columns; ++c) {
        const TileVector x = *reinterpret_cast<const TileMemory*>(from + of.taps[read % stride * columns + c]);
        RONDO_UNROLLED
        for (int l = 0; l < lines; ++l)
          if (const int r = read - l * stride; r >= 0 && r < rows)
            made[l] = RONDO_TILE_ADD_PRODUCT(weight[r][c], x, made[l]);
      }
      if (read % stride == stride - 1) from += of.step;
    }
    RONDO_UNROLLED
    for (int l = 0; l < lines; ++l, to += of.n) *reinterpret_cast<TileMemory*>(to) = made[l];
  }
};
// The same for any window: what is read serves one sum.
template <int lines>
struct AnyWindow {
  RONDO_TILE static void sum(const LinesToSum& of, const TileElement* from, TileElement* to) {
    TileVector made[lines] = {};
    for (int64_t t = 0; t < of.count; ++t) {
      const TileElement* at = from + of.taps[t];
      const TileVector weight = RONDO_TILE_BROADCAST(of.weights + t);
      RONDO_UNROLLED
      for (int l = 0; l < lines; ++l, at += of.step)
        made[l] = RONDO_TILE_ADD_PRODUCT(weight, *reinterpret_cast<const TileMemory*>(at), made[l]);
    }
    RONDO_UNROLLED
    for (int l = 0; l < lines; ++l, to += of.n) *reinterpret_cast<TileMemory*>(to) = made[l];
  }
};
// The last vector of lines, which reaches into the next ones, comes first.
template <int lines, class Sums>
RONDO_TILE void sum_by(const LinesToSum& of) {
  for (int64_t line = 0; line < of.lines; line += lines)
    for (int64_t v = (of.n - 1) / kLanes * kLanes; v >= 0; v -= kLanes)
      Sums::sum(of, of.from + line * of.step + v, of.to + line * of.n + v);
}
template <int lines>
RONDO_TILE void sum_lines(const LinesToSum& of) {
  if (of.count == 9 && of.columns == 3)
    return of.stride == 1 ? sum_by<lines, Window<lines, 1, 3, 3>>(of) : sum_by<lines, Window<lines, 2, 3, 3>>(of);
  if (of.count == 25 && of.columns == 5 && of.stride == 1) return sum_by<lines, Window<lines, 1, 5, 5>>(of);
  sum_by<kMostLines, AnyWindow<kMostLines>>(of);
}
#endif

// The tile of so many rows, or of fewer.
template <int rows, int vectors>
RONDO_TILE void tile_of(int most, int64_t k, const TileElement* a, const TileElement* b, int64_t step, int64_t panel,
                        const Sums& sums) {
  if constexpr (rows > 1) {
    if (most < rows) return tile_of<rows - 1, vectors>(most, k, a, b, step, panel, sums);
  }
  tile<rows, vectors>(k, a, b, step, panel, sums);
}

// So many rows of so many vectors at most.
template <int most_rows, int most_vectors>
struct Shape {
  static constexpr int rows = most_rows, vectors = most_vectors;
};

// Tiles of the first shape as far as its rows suffice and columns are left, then of the others; the last one has rows
// for all, and vectors that divide a panel.
template <class First, class... Others>
RONDO_TILE void tiles_of(int rows, int64_t column, int64_t columns, int64_t k, const TileElement* a,
                         const TileElement* b, int64_t step, int64_t panel, bool more, TileElement* out,
                         int64_t out_step) {
  constexpr int64_t wide = First::vectors * kLanes;
  if (rows <= First::rows)
    for (; column + wide <= columns; column += wide) {
      TileElement* const to = out + column;
      tile_of<First::rows, First::vectors>(rows, k, a, b + column / kPanelColumns * panel + column % kPanelColumns,
                                           step, panel, {more ? to : kNothing, more ? out_step : 0, to, out_step});
    }
  if constexpr (sizeof...(Others) > 0)
    tiles_of<Others...>(rows, column, columns, k, a, b, step, panel, more, out, out_step);
}

// The loops that ProductTiles and IntegerTiles ask for.
template <class... Shapes>
RONDO_TILE void multiply(int rows, int panels, int64_t k, const TileElement* a, const TileElement* b, int64_t step,
                         int64_t panel, bool more, TileElement* out, int64_t out_step) {
  tiles_of<Shapes...>(rows, 0, panels * kPanelColumns, k, a, b, step, panel, more, out, out_step);
}
template <class... Shapes>
RONDO_TILE void multiply_packed(int rows, int panels, int64_t k, const TileElement* a, const TileElement* b,
                                int64_t panel, int /*signs*/, TileElement* out, int64_t out_step) {
  tiles_of<Shapes...>(rows, 0, panels * kPanelColumns, k, a, b, kPanelColumns, panel, false, out, out_step);
}

}  // namespace

}  // namespace rondo::ops::RONDO_TILE_SET
