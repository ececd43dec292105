// put, put_along_axis, arange and linspace. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance::put {
namespace {

class Put : public OnEngine {
 protected:
  std::vector<rondo_dtype> kinds() const {
    return sparing() ? std::vector{RONDO_I32} : std::vector{RONDO_I32, RONDO_I64};
  }
};
CONFORMANCE_SUITE(Put);

using Index = std::vector<int64_t>;
size_t place(const Shape& shape, const Index& index) {
  int64_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + (shape[d] == 1 ? 0 : index[d]);
  return static_cast<size_t>(at);
}
void each_index(const Shape& shape, const std::function<void(const Index&)>& visit) {
  Index index(shape.size(), 0);
  for (size_t i = 0, n = count(shape); i < n; ++i) {
    visit(index);
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
}

// values has the shape of what is put; `named` are the dimensions of it that number the indices, in place of the axis.
Expected expect_put(const Array& target, const Array& indices, const Array& values, size_t axis, size_t named,
                    bool adds) {
  Expected out(target);
  std::vector<Real> sums(target.size(), 0);
  each_index(values.shape, [&](const Index& index) {
    const auto at = index.begin() + static_cast<int64_t>(axis);
    Index to(index.begin(), at), at_index = index;
    if (named != indices.shape.size() || values.shape.size() != indices.shape.size())
      at_index = Index(at, at + static_cast<int64_t>(named));
    if (values.shape.size() == indices.shape.size() && named == 1) at_index = index;
    int64_t c = indices.integer(place(indices.shape, at_index));
    if (c < 0) c += target.shape[axis];
    if (c < 0 || c >= target.shape[axis]) return;
    to.push_back(c);
    to.insert(to.end(), at + static_cast<int64_t>(named), index.end());
    const size_t where = place(target.shape, to);
    const Real value = values[place(values.shape, index)];
    if (adds) {
      // Summed in the register's type, as many as there are, then added with one rounding.
      const rondo_dtype inner = is_half(target.dtype) ? RONDO_F32 : target.dtype;
      sums[where] = is_floating(inner) ? rounded(inner, sums[where] + value) : sums[where] + value;
      out.values[where] = target[where] + sums[where];
    } else {
      out.values[where] = value;
    }
  });
  return out;
}

TEST_P(Put, AlongAxis) {
  for (const rondo_dtype kind : kinds())
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 0)) {
      const Array x = random_array(dtype, {3, 4, 5}, 1, 0, 9), wide = random_array(kind, {3, 4, 7}, 2, -6, 6),
                  y = random_array(dtype, {3, 4, 7}, 3, 0, 9), shared = random_array(kind, {1, 9, 1}, 4, -5, 4),
                  z = random_array(dtype, {3, 9, 5}, 5, 0, 9);
      const Tensor a = up(x), i = up(wide), b = up(y), j = up(shared), c = up(z);
      run([&](Results& results) {
        for (const bool adds : {false, true}) {
          if (adds && dtype == RONDO_BOOL) continue;
          const auto put = [&](const char* label, rondo_tensor* indices, rondo_tensor* values, int32_t axis,
                               std::function<Expected()> expected) {
            Tensor target = make(rondo_copy, a);
            const Tensor sum = adds ? make(rondo_tensor_accumulator, target) : Tensor();
            must(rondo_put_along_axis(adds ? sum : target, indices, values, axis));
            results.keep(std::string(rondo_dtype_name(dtype)) + label, std::move(target), std::move(expected));
          };
          put(" last", i, b, -1, [=] { return expect_put(x, wide, y, 2, 1, adds); });
          put(" middle, shared indices", j, c, 1, [=] { return expect_put(x, shared, z, 1, 1, adds); });
          put(" broadcast values", i, slice(slice(b, 0, 0, 1), 2, 0, 1), 2, [=] {
            return expect_put(x, wide, host_broadcast(host_slice(host_slice(y, 0, 0, 1, 1), 2, 0, 1, 1), {3, 4, 7}), 2,
                              1, adds);
          });
        }
      });
    }
}

TEST_P(Put, InverseOfTake) {
  for (const rondo_dtype kind : kinds())
    for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_I64, RONDO_U16}, 1)) {
      const Array x = random_array(dtype, {6, 4}, 1, 0, 9), flat = array_of(kind, {7}, {0, 5, 0, -1, 9, 0, -7}),
                  y = random_array(dtype, {7, 4}, 2, 0, 9), square = random_array(kind, {3, 2}, 3, -5, 4),
                  z = random_array(dtype, {6, 2, 3}, 4, 0, 9);
      const Tensor a = up(x), i = up(flat), b = up(y), j = up(square), c = up(z);
      run([&](Results& results) {
        for (const bool adds : {false, true}) {
          Tensor rows = make(rondo_copy, a), columns = make(rondo_copy, a);
          const Tensor to_rows = adds ? make(rondo_tensor_accumulator, rows) : slice(rows, 0, 0, 6);
          const Tensor to_columns = adds ? make(rondo_tensor_accumulator, columns) : slice(columns, 0, 0, 6);
          must(rondo_put(to_rows, i, b, 0));
          results.keep("rows", std::move(rows), [=] { return expect_put(x, flat, y, 0, 1, adds); });
          must(rondo_put(to_columns, transpose(j, {1, 0}), c, -1));
          results.keep("columns", std::move(columns), [=] {
            return expect_put(x, host_transpose(square, {1, 0}), z, 1, 2, adds);
          });
        }
      });
    }
}

// More indices than a block sorts at once, most of them several times.
TEST_P(Put, ManyIndices) {
  const Array flat = random_array(RONDO_I32, {5000}, 1, 0, 300), y = random_array(RONDO_I64, {5000, 3}, 2, -9, 9),
              x = full(RONDO_I64, {301, 3}, 1);
  const Tensor i = up(flat), b = up(y), a = up(x);
  run([&](Results& results) {
    Tensor sum = make(rondo_copy, a), last = make(rondo_copy, a);
    must(rondo_put(make(rondo_tensor_accumulator, sum), i, b, 0));
    must(rondo_put(last, i, b, 0));
    results.keep("sum", std::move(sum), [=] { return expect_put(x, flat, y, 0, 1, true); });
    results.keep("last", std::move(last), [=] { return expect_put(x, flat, y, 0, 1, false); });
  });
}

TEST_P(Put, Nothing) {
  const Tensor a = up(range(RONDO_F32, {3, 2})), i = empty(RONDO_I32, {0}), b = empty(RONDO_F32, {0, 2}),
               none = empty(RONDO_F32, {0, 2}), j = up(range(RONDO_I32, {1})), c = up(range(RONDO_F32, {1, 2}));
  must(rondo_put(a, i, b, 0));
  must(rondo_put(none, j, c, 0));
  expect_same_bits(download(a), range(RONDO_F32, {3, 2}), "untouched");
}

TEST_P(Put, Arange) {
  run([&](Results& results) {
    const auto d = device();
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes) + 1, std::end(kAllDtypes)}, 0)) {
      results.keep("up", make(rondo_arange, engine(), d, dtype, 3.0, 70.0, 2.0), [=] {
        Expected out(dtype, {34});
        for (size_t i = 0; i < 34; ++i) out.values[i] = 3 + 2 * Real(i);
        return out;
      });
      results.keep("down", make(rondo_arange_i64, engine(), d, dtype, 9, -1, -3), [=] {
        return Expected(array_of(dtype, {4}, {9, 6, 3, 0}));
      });
      results.keep("none", make(rondo_arange, engine(), d, dtype, 3.0, 3.0, 1.0), [=] { return Expected(dtype, {0}); });
    }
    results.keep("fractions", make(rondo_arange, engine(), d, RONDO_F32, 0.0, 1.0, 0.1), [] {
      Expected out(RONDO_F32, {10});
      for (size_t i = 0; i < 10; ++i) out.values[i] = Real(double(i) * 0.1);
      return out;
    });
    results.keep("beyond 2^53", make(rondo_arange_i64, engine(), d, RONDO_I64, INT64_MIN, INT64_MAX, INT64_MAX), [] {
      return Expected(array_of(RONDO_I64, {3}, {Real(INT64_MIN), -1, Real(INT64_MAX) - 1}));
    });
    Tensor given = empty(RONDO_I32, {8});
    must(rondo_fill(given, 7));
    into(slice(given, 0, INT64_MAX, INT64_MIN, -2), rondo_arange, engine(), d, RONDO_F64, 0.0, 4.0, 1.0);
    results.keep("given", std::move(given), [] {
      return Expected(array_of(RONDO_I32, {8}, {7, 3, 7, 2, 7, 1, 7, 0}));
    });
  });
}

TEST_P(Put, Linspace) {
  run([&](Results& results) {
    for (const rondo_dtype dtype : covering({RONDO_I32, RONDO_F16, RONDO_F32, RONDO_F64}, 0))
      for (const int64_t n : {0, 1, 2, 7, 300})
        for (const bool endpoint : {false, true})
          results.keep(rondo_dtype_name(dtype), make(rondo_linspace, engine(), device(), dtype, -2.5, 9.1, n, endpoint),
                       [=] {
                         Expected out(dtype, {n});
                         const int64_t gaps = endpoint ? n - 1 : n;
                         const double step = gaps > 0 ? (9.1 - -2.5) / double(gaps) : 0;
                         for (int64_t i = 0; i < n; ++i) {
                           const double x = endpoint && n > 1 && i == n - 1 ? 9.1 : -2.5 + double(i) * step;
                           out.values[static_cast<size_t>(i)] = dtype == RONDO_I32 ? std::floor(x) : x;
                         }
                         return out;
                       });
  });
}

TEST_P(Put, Nodes) {
  if (!GetParam().graph) return;
  const Tensor a = up(range(RONDO_F32, {4, 2})), i = up(range(RONDO_I64, {3})), b = up(range(RONDO_F32, {3, 2}));
  Tensor line;
  const Graph graph = record(engine(), [&] {
    must(rondo_put(a, i, b, 0));
    line = make(rondo_arange, engine(), device(), RONDO_F32, 0.0, 9.0, 1.0);
  });
  EXPECT_EQ(graph_info(graph.get()).tasks, 2);
  if (!on_cuda()) return;
  EXPECT_EQ(graph_info(graph.get()).nodes, 3) << graph_report(graph.get());  // sorted, put; numbered
}

TEST_P(Put, Misuse) {
  if (GetParam().graph) return;
  const Tensor a = up(range(RONDO_F32, {3, 2})), i = up(range(RONDO_I32, {3})), j = up(full(RONDO_I32, {3, 2}, 0)),
               b = up(range(RONDO_F32, {3, 2})), h = up(range(RONDO_F16, {3, 2})), row = up(range(RONDO_F32, {5})),
               f = up(range(RONDO_F32, {3})), never = empty(RONDO_F32, {3, 2}), wide = broadcast(f, {3, 3}),
               deep = up(full(RONDO_I32, {1, 1, 1, 1, 1, 1, 1, 1}, 0));
  const auto invalid = RONDO_INVALID_ARGUMENT;
  struct Function {
    const char* name;
    rondo_status (*put)(rondo_tensor*, rondo_tensor*, rondo_tensor*, int32_t);
    rondo_tensor* indices;
  };
  for (const auto& [name, put, indices] :
       {Function{"rondo_put", rondo_put, i}, Function{"rondo_put_along_axis", rondo_put_along_axis, j}}) {
    expect_refused(put(nullptr, indices, b, 0), invalid, name, "tensor");
    expect_refused(put(a, nullptr, b, 0), invalid, name, "indices");
    expect_refused(put(a, indices, nullptr, 0), invalid, name, "values");
    expect_refused(put(a, indices, b, 2), invalid, name, "axis");
    expect_refused(put(a, f, b, 0), invalid, name, "indices");
    expect_refused(put(a, indices, h, 0), invalid, name, "values");
    expect_refused(put(a, indices, row, 0), invalid, name, "values");
    expect_refused(put(a, indices, a, 0), invalid, name, "tensor");
    expect_refused(put(wide, indices, b, 0), invalid, name, "tensor");
    expect_refused(put(never, indices, b, 0), RONDO_INVALID_STATE, name, "tensor");
  }
  expect_refused(rondo_put_along_axis(a, i, b, 0), invalid, "rondo_put_along_axis", "indices");
  expect_refused(rondo_put(a, deep, b, 0), invalid, "rondo_put", "indices");
  rondo_tensor* out = nullptr;
  const auto d = device();
  expect_refused(rondo_arange(nullptr, d, RONDO_F32, 0, 1, 1, &out), invalid, "rondo_arange", "engine");
  expect_refused(rondo_arange(engine(), d, RONDO_F32, 0, 1, 1, nullptr), invalid, "rondo_arange", "out");
  expect_refused(rondo_arange(engine(), d, RONDO_F32, 0, 1, 0, &out), invalid, "rondo_arange", "step");
  expect_refused(rondo_arange(engine(), d, RONDO_F32, 0, INFINITY, 1, &out), invalid, "rondo_arange", "stop");
  expect_refused(rondo_arange(engine(), d, RONDO_I32, 0, 1, 0.5, &out), invalid, "rondo_arange", "step");
  expect_refused(rondo_arange(engine(), d, RONDO_U8, 0, 300, 1, &out), invalid, "rondo_arange", "stop");
  expect_refused(rondo_arange(engine(), d, RONDO_U8, -1, 3, 1, &out), invalid, "rondo_arange", "start");
  expect_refused(rondo_arange(engine(), d, static_cast<rondo_dtype>(99), 0, 3, 1, &out), invalid, "rondo_arange",
                 "dtype");
  expect_refused(rondo_arange_i64(nullptr, d, RONDO_I64, 0, 3, 1, &out), invalid, "rondo_arange_i64", "engine");
  expect_refused(rondo_arange_i64(engine(), d, RONDO_I64, 0, 3, 0, &out), invalid, "rondo_arange_i64", "step");
  expect_refused(rondo_arange_i64(engine(), d, RONDO_I64, 0, 3, 1, nullptr), invalid, "rondo_arange_i64", "out");
  expect_refused(rondo_linspace(nullptr, d, RONDO_F32, 0, 3, 1, 1, &out), invalid, "rondo_linspace", "engine");
  expect_refused(rondo_linspace(engine(), d, RONDO_F32, 0, 3, -1, 1, &out), invalid, "rondo_linspace", "count");
  expect_refused(rondo_linspace(engine(), d, RONDO_I32, 0, INFINITY, 3, 1, &out), invalid, "rondo_linspace", "stop");
  expect_refused(rondo_linspace(engine(), d, RONDO_F32, 0, 3, 1, 1, nullptr), invalid, "rondo_linspace", "out");
  rondo_tensor* given = row;
  expect_refused(rondo_arange(engine(), d, RONDO_F32, 0, 3, 1, &given), invalid, "rondo_arange", "out");
  EXPECT_EQ(out, nullptr);
}

}  // namespace
}  // namespace conformance::put
