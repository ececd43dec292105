// One-hot and gather. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

class Indexing : public OnEngine {
 protected:
  std::vector<rondo_dtype> kinds() const {
    return sparing() ? std::vector{RONDO_I64} : std::vector{RONDO_I32, RONDO_I64};
  }
};
CONFORMANCE_SUITE(Indexing);

Expected expect_one_hot(const Array& indices, int64_t depth, rondo_dtype dtype) {
  Shape shape = indices.shape;
  shape.push_back(depth);
  Expected out(dtype, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t d = static_cast<size_t>(depth);
    out.values[i] = indices.integer(i / d) == static_cast<int64_t>(i % d);
  }
  return out;
}

TEST_P(Indexing, OneHot) {
  for (const rondo_dtype kind : kinds()) {
    const Array flat = array_of(kind, {6}, {0, 3, 9, -1, 10, 3}), square = random_array(kind, {17, 31}, 1, -2, 11);
    const Tensor a = up(flat), b = up(square), scalar = up(full(kind, {}, 2));
    run([&](Results& results) {
      for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 0)) {
        const std::string label = rondo_dtype_name(dtype);
        results.keep(label, make(rondo_one_hot, a, 10, dtype), [=] { return expect_one_hot(flat, 10, dtype); });
        results.keep(label + " 2-d", make(rondo_one_hot, transpose(b, {1, 0}), 10, dtype), [=] {
          return expect_one_hot(host_transpose(square, {1, 0}), 10, dtype);
        });
        results.keep(label + " scalar", make(rondo_one_hot, scalar, 5, dtype),
                     [=] { return expect_one_hot(full(kind, {}, 2), 5, dtype); });
        results.keep(label + " depth 0", make(rondo_one_hot, a, 0, dtype), [=] { return Expected(dtype, {6, 0}); });
      }
    });
  }
}

Expected expect_gather(const Array& table, const Array& indices) {
  Shape shape = indices.shape;
  shape.insert(shape.end(), table.shape.begin() + 1, table.shape.end());
  Expected out(table.dtype, shape);
  const size_t row = count({table.shape.begin() + 1, table.shape.end()});
  for (size_t i = 0; i < out.values.size(); ++i) {
    int64_t at = indices.integer(i / row);
    if (at < 0) at += table.shape[0];
    if (at >= 0 && at < table.shape[0]) out.values[i] = table[static_cast<size_t>(at) * row + i % row];
  }
  return out;
}

TEST_P(Indexing, GatherRows) {
  for (const rondo_dtype kind : kinds()) {
    const Array flat = array_of(kind, {8}, {0, 3, -1, -9, -10, 9, 100, 3}),
                square = random_array(kind, {5, 7}, 2, -11, 11), none(kind, {0});
    const Tensor i = up(flat), j = up(square), k = up(none);
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 1)) {
      const Array x = random_array(dtype, {9, 33}, 3, 0, 90), y = random_array(dtype, {9}, 4, 0, 90),
                  z = random_array(dtype, {3, 9, 5}, 5, 0, 90);
      const Tensor a = up(x), b = up(y), c = up(z);
      run([&](Results& results) {
        const std::string label = rondo_dtype_name(dtype);
        results.keep(label + " rows", make(rondo_gather_rows, a, i), [=] { return expect_gather(x, flat); });
        results.keep(label + " elements", make(rondo_gather_rows, b, j), [=] { return expect_gather(y, square); });
        results.keep(label + " of a view", make(rondo_gather_rows, transpose(c, {1, 2, 0}), transpose(j, {1, 0})), [=] {
          return expect_gather(host_transpose(z, {1, 2, 0}), host_transpose(square, {1, 0}));
        });
        results.keep(label + " nothing", make(rondo_gather_rows, a, k), [=] { return Expected(dtype, {0, 33}); });
      });
    }
  }
}

// An index beyond 2^32 is outside, not wrapped to a small one.
TEST_P(Indexing, WideIndexIsOutside) {
  const Array x = full(RONDO_F32, {4, 2}, 1), at = array_of(RONDO_I64, {2}, {4294967296.0L, -4294967295.0L});
  const Tensor table = up(x), indices = up(at);
  run([&](Results& results) {
    results.keep("gather", make(rondo_gather_rows, table, indices), [] {
      return Expected(full(RONDO_F32, {2, 2}, 0));
    });
    results.keep("one-hot", make(rondo_one_hot, indices, 3, RONDO_F32), [] {
      return Expected(full(RONDO_F32, {2, 3}, 0));
    });
  });
}

}  // namespace
}  // namespace conformance
