// What the suites about bags of rows share: tables of many sizes, bags of one length and by offsets, indices from the
// end and outside, and the reference in higher precision. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include "tape/tape.h"
#include "training/optimizer.h"

namespace conformance {

using Inputs = std::vector<Tensor>;

struct Problem {
  std::vector<int64_t> rows = {5, 3, 9};
  int64_t batch = 4, width = 3, length = 2;
  bool offsets = false, mean = false, gaps = false;
  rondo_dtype places = RONDO_I32;

  int64_t tables() const { return static_cast<int64_t>(rows.size()); }
  Shape of_sums() const { return {batch, tables(), width}; }
  rondo_bag_mode mode() const { return mean ? RONDO_BAG_MEAN : RONDO_BAG_SUM; }
};

// Where bags begin; with offsets, of lengths from 0 to 2 * length, two places before the first and one behind the last.
inline std::vector<int64_t> begins(const Problem& p) {
  std::vector<int64_t> at = {p.offsets ? 2 : 0};
  for (int64_t i = 0; i < p.tables() * p.batch; ++i)
    at.push_back(at.back() + (p.offsets ? (i * 7 + i / 3) % (2 * p.length + 1) : p.length));
  return at;
}
inline int64_t places(const Problem& p) {
  return begins(p).back() + (p.offsets ? 1 : 0);
}

inline std::vector<Array> tables_of(rondo_dtype dtype, const Problem& p, uint32_t seed) {
  std::vector<Array> all;
  for (const int64_t rows : p.rows) all.push_back(random_array(dtype, {rows, p.width}, ++seed, -1, 1));
  return all;
}

// Many of each row, some from the end, some outside.
inline Array indices_of(const Problem& p, uint32_t seed, bool inside = false) {
  const std::vector<int64_t> at = begins(p);
  Array indices(p.places, p.offsets ? Shape{places(p)} : Shape{p.tables(), p.batch, p.length});
  std::mt19937 random(seed);
  for (size_t i = 0; i < indices.size(); ++i) indices.set(i, 0);
  for (size_t bag = 0; bag + 1 < at.size(); ++bag) {
    const int64_t rows = p.rows[bag / static_cast<size_t>(p.batch)];
    for (int64_t i = at[bag]; i < at[bag + 1]; ++i) {
      const auto chance = static_cast<int64_t>(random() % 1000);
      const int64_t row = rows == 0 ? 0 : chance % rows;
      const bool out = !inside && chance > 900;
      indices.set(static_cast<size_t>(i), out                    ? (chance % 2 ? rows : -rows - 1)
                                          : chance > 600 && rows ? row - rows
                                                                 : row);
    }
  }
  return indices;
}
inline Array offsets_of(const Problem& p) {
  const std::vector<int64_t> at = begins(p);
  Array offsets(p.places, {static_cast<int64_t>(at.size())});
  for (size_t i = 0; i < at.size(); ++i) offsets.set(i, static_cast<Real>(at[i]));
  return offsets;
}

// each(bag, table, row or -1, length of the bag), in the order of the places.
inline void each_place(const Problem& p, const Array& indices,
                       const std::function<void(size_t bag, size_t table, int64_t row, Real length)>& each) {
  const std::vector<int64_t> at = begins(p);
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    const size_t table = i / static_cast<size_t>(p.batch), bag = i % static_cast<size_t>(p.batch);
    for (int64_t j = at[i]; j < at[i + 1]; ++j) {
      int64_t row = indices.integer(static_cast<size_t>(j));
      if (row < 0) row += p.rows[table];
      each(bag, table, row < 0 || row >= p.rows[table] ? -1 : row, static_cast<Real>(at[i + 1] - at[i]));
    }
  }
}

// The error of sums in f32 or f64 of up to so many numbers below 1.
inline Real bound(rondo_dtype dtype, int64_t numbers) {
  return static_cast<Real>(numbers * numbers + 4) * unit(dtype);
}

inline Expected sums_of(const Problem& p, const std::vector<Array>& tables, const Array& indices) {
  const rondo_dtype dtype = tables[0].dtype;
  Expected out(dtype, p.of_sums(), is_half(dtype) ? 1 : 0);
  each_place(p, indices, [&](size_t bag, size_t table, int64_t row, Real length) {
    for (size_t c = 0; row >= 0 && c < static_cast<size_t>(p.width); ++c)
      out.values[(bag * tables.size() + table) * static_cast<size_t>(p.width) + c] +=
          tables[table][static_cast<size_t>(row * p.width) + c] / (p.mean ? length : 1);
  });
  if (!is_half(dtype)) out.absolute.assign(out.values.size(), bound(dtype, 2 * p.length));
  return out;
}

inline Expected gradient_of(const Problem& p, const Array& dy, const Array& indices, size_t which) {
  Expected out(dy.dtype, {p.rows[which], p.width}, is_half(dy.dtype) ? 1 : 0);
  each_place(p, indices, [&](size_t bag, size_t table, int64_t row, Real length) {
    if (table != which || row < 0) return;
    for (size_t c = 0; c < static_cast<size_t>(p.width); ++c)
      out.values[static_cast<size_t>(row * p.width) + c] +=
          dy[(bag * p.rows.size() + table) * static_cast<size_t>(p.width) + c] / (p.mean ? length : 1);
  });
  out.absolute.assign(out.values.size(), bound(dy.dtype, 2 * p.length * p.batch));
  return out;
}

class OnBags : public OnTape {
 protected:
  static Tensor call(const Problem& p, const std::vector<rondo_tensor*>& tables, rondo_tensor* indices,
                     rondo_tensor* offsets) {
    return make(rondo_embedding_bag, static_cast<int32_t>(tables.size()), tables.data(), indices, offsets, p.mode());
  }
  static void descend(const Problem& p, const std::vector<rondo_tensor*>& tables, rondo_tensor* indices,
                      rondo_tensor* offsets, rondo_tensor* gradient, rondo_tensor* rate,
                      const rondo_descend_options* options = nullptr) {
    must(rondo_embedding_bag_descend(static_cast<int32_t>(tables.size()), tables.data(), indices, offsets, p.mode(),
                                     gradient, rate, options));
  }
  // With gaps every other element of memory is another's.
  Tensor placed(const Array& a, bool gaps) const {
    if (!gaps) return up(a);
    Shape shape = a.shape;
    shape.back() *= 2;
    Array wide(a.dtype, shape);
    for (size_t i = 0; i < a.size(); ++i) wide.set(2 * i, 7), wide.set(2 * i + 1, a[i]);
    return slice(up(wide), static_cast<int32_t>(shape.size()) - 1, 1, shape.back(), 2);
  }
  // Tables, indices, and offsets if there are any.
  struct Given {
    Inputs tables;
    Tensor indices, offsets;
    std::vector<rondo_tensor*> list() const { return {tables.begin(), tables.end()}; }
  };
  Given give(const Problem& p, const std::vector<Array>& tables, const Array& indices) const {
    Given given;
    for (const Array& each : tables) given.tables.push_back(placed(each, p.gaps));
    given.indices = placed(indices, p.gaps);
    if (p.offsets) given.offsets = placed(offsets_of(p), p.gaps);
    return given;
  }
  std::vector<Problem> problems() const {
    std::vector<int64_t> many(70, 4);
    many[5] = 0, many[64] = 11;
    return {{},
            {.width = 8, .length = 1, .places = RONDO_I64},
            {.offsets = true},
            {.offsets = true, .mean = true, .places = RONDO_I64},
            {.mean = true, .gaps = true},
            {.rows = {1}, .batch = 1, .width = 1, .length = 1},
            {.rows = {300}, .batch = 700, .width = 4, .length = 4},
            {.rows = {30, 2}, .batch = 900, .width = 16, .length = 3, .offsets = true},
            {.rows = many, .batch = 3, .width = 4},
            {.rows = many, .batch = 2, .width = 5, .offsets = true},
            {.offsets = true, .gaps = true},
            {.rows = {0, 4, 2}, .width = 4},
            {.length = 0},
            {.width = 300}};
  }
};

}  // namespace conformance
