// Sort, argsort and top-k against std::stable_sort. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

class Sort : public OnEngine {};
CONFORMANCE_SUITE(Sort);

// Places of a line's elements in order.
std::vector<int64_t> order(const Array& a, const std::vector<size_t>& line, bool descending) {
  std::vector<int64_t> places(line.size());
  std::iota(places.begin(), places.end(), 0);
  const auto less = [&](int64_t i, int64_t j) {
    const Real x = a[line[static_cast<size_t>(i)]], y = a[line[static_cast<size_t>(j)]];
    return std::isnan(x) || std::isnan(y) ? !std::isnan(x) && std::isnan(y) : x < y;
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](int64_t i, int64_t j) { return descending ? less(j, i) : less(i, j); });
  return places;
}

struct Sorted {
  Array values, places;
};
Sorted sorted(const Array& a, size_t axis, bool descending, int64_t keep) {
  Shape shape = a.shape;
  shape[axis] = keep;
  Sorted out = {Array(a.dtype, shape), Array(RONDO_I64, shape)};
  const size_t inner = count({a.shape.begin() + static_cast<int64_t>(axis) + 1, a.shape.end()});
  const size_t length = static_cast<size_t>(a.shape[axis]), kept = static_cast<size_t>(keep);
  const size_t item = rondo_dtype_size(a.dtype), lines = length == 0 ? 0 : a.size() / length;
  for (size_t l = 0; l < lines; ++l) {
    std::vector<size_t> line;
    for (size_t i = 0; i < length; ++i) line.push_back((l / inner * length + i) * inner + l % inner);
    const std::vector<int64_t> places = order(a, line, descending);
    for (size_t rank = 0; rank < kept; ++rank) {
      const size_t to = (l / inner * kept + rank) * inner + l % inner;
      const size_t from = line[static_cast<size_t>(places[rank])];
      std::memcpy(&out.values.bytes[to * item], &a.bytes[from * item], item);
      out.places.set(to, places[rank]);
    }
  }
  return out;
}

void keep_all(Results& results, const std::string& label, const Array& x, rondo_tensor* a, int32_t axis) {
  const size_t along = static_cast<size_t>(axis < 0 ? axis + static_cast<int32_t>(x.shape.size()) : axis);
  const int64_t length = x.shape[along];
  for (const bool down : {false, true}) {
    results.keep(label, make(rondo_sort, a, axis, down),
                 [=] { return Expected(sorted(x, along, down, length).values); });
    results.keep(label + ", places", make(rondo_argsort, a, axis, down),
                 [=] { return Expected(sorted(x, along, down, length).places); });
    const int64_t k = (length + 2) / 3;
    Tensor values, places;
    must(rondo_topk(a, k, axis, down, values.slot(), places.slot()));
    results.keep(label + ", first", std::move(values), [=] { return Expected(sorted(x, along, down, k).values); });
    results.keep(label + ", places of the first", std::move(places),
                 [=] { return Expected(sorted(x, along, down, k).places); });
  }
}

// Many equal elements, so that the order among them shows.
TEST_P(Sort, EveryDtypeAndAxis) {
  for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 0)) {
    Array x = random_array(dtype, {3, 40, 7}, 1, 0, 9);
    for (size_t i = 0; i < x.size(); ++i)
      x.set(i, std::floor(x[i]) - (is_unsigned(dtype) || dtype == RONDO_BOOL ? 0 : 4));
    const Tensor a = up(x);
    run([&](Results& results) {
      for (const int32_t axis : {0, 1, -1}) keep_all(results, rondo_dtype_name(dtype), x, a, axis);
      keep_all(results, "view", host_transpose(x, {2, 0, 1}), transpose(a, {2, 0, 1}), 1);
      keep_all(results, "backwards", host_slice(x, 1, 39, 20, -2), slice(a, 1, INT64_MAX, INT64_MIN, -2), 1);
    });
  }
}

TEST_P(Sort, Lengths) {
  for (const int64_t length : dealt<int64_t>({1, 2, 3, 31, 32, 33, 1000, 2047, 2048, 2049, 5000, 9000}))
    for (const rondo_dtype dtype : {RONDO_F32, RONDO_I64}) {
      if (sparing() && dtype == RONDO_I64 && length < 5000) continue;
      const Array x = random_array(dtype, {2, length}, static_cast<uint32_t>(length), -300, 300);
      const Tensor a = up(x);
      run([&](Results& results) { keep_all(results, std::to_string(length), x, a, 1); });
    }
}

TEST_P(Sort, FewOfMany) {
  const Array x = random_array(RONDO_F32, {2, 70001}, 3, -1e6, 1e6);
  const Tensor a = up(x);
  run([&](Results& results) {
    for (const int64_t k : {0, 1, 7, 1024, 1025}) {
      Tensor values, places;
      must(rondo_topk(a, k, -1, 1, values.slot(), places.slot()));
      results.keep("values", std::move(values), [=] { return Expected(sorted(x, 1, true, k).values); });
      results.keep("places", std::move(places), [=] { return Expected(sorted(x, 1, true, k).places); });
    }
  });
}

TEST_P(Sort, SpecialValues) {
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64}) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN(), infinite = INFINITY;
    const Array x = array_of(dtype, {10}, {1, nan, -0.0L, infinite, 0, -1, -infinite, nan, 0, -0.0L});
    const Tensor a = up(x);
    run([&](Results& results) { keep_all(results, rondo_dtype_name(dtype), x, a, 0); });
    if (!GetParam().graph)
      expect_same_bits(download(make(rondo_sort, a, 0, 0)), sorted(x, 0, false, 10).values, "bits");
  }
  const Array extremes = array_of(RONDO_I64, {5}, {Real(INT64_MAX), Real(INT64_MIN), 0, -1, Real(INT64_MIN)});
  const Tensor a = up(extremes);
  run([&](Results& results) { keep_all(results, "i64", extremes, a, 0); });
  const Array wide = array_of(RONDO_U64, {5}, {Real(UINT64_MAX), 0, Real(INT64_MAX), 0x1p63L, Real(UINT64_MAX) - 1});
  const Tensor b = up(wide);
  run([&](Results& results) { keep_all(results, "u64", wide, b, 0); });
}

TEST_P(Sort, NothingAndOutputs) {
  const Tensor none = empty(RONDO_F32, {3, 0}), a = up(array_of(RONDO_F32, {2, 3}, {3, 1, 2, 4, 6, 5}));
  run([&](Results& results) {
    results.keep("nothing", make(rondo_sort, none, 1, 0), [] { return Expected(RONDO_F32, {3, 0}); });
    results.keep("no lines", make(rondo_argsort, none, 0, 0), [] { return Expected(RONDO_I64, {3, 0}); });
    Tensor wide = empty(RONDO_F32, {2, 6}), sum = make(rondo_copy, a), count = make(rondo_argsort, a, 1, 0);
    must(rondo_fill(wide, 9));
    into(slice(wide, 1, 5, INT64_MIN, -2), rondo_sort, a, 1, 0);
    results.keep("strided", std::move(wide), [] {
      return Expected(array_of(RONDO_F32, {2, 6}, {9, 3, 9, 2, 9, 1, 9, 6, 9, 5, 9, 4}));
    });
    into(make(rondo_tensor_accumulator, sum), rondo_sort, a, 1, 0);
    results.keep("added", std::move(sum), [] { return Expected(array_of(RONDO_F32, {2, 3}, {4, 3, 5, 8, 11, 11})); });
    into(make(rondo_tensor_accumulator, count), rondo_argsort, a, 1, 0);
    results.keep("places added", std::move(count), [] {
      return Expected(array_of(RONDO_I64, {2, 3}, {2, 4, 0, 0, 4, 2}));
    });
  });
}

TEST_P(Sort, Nodes) {
  if (!GetParam().graph) return;
  const Tensor small = up(range(RONDO_F32, {4, 2048})), large = up(range(RONDO_F32, {8192}));
  std::vector<Tensor> kept;
  const Graph one = record(engine(), [&] { kept.push_back(make(rondo_sort, small, 1, 1)); });
  const Graph three = record(engine(), [&] { kept.push_back(make(rondo_argsort, large, 0, 1)); });
  EXPECT_EQ(graph_info(three.get()).tasks, 1);
  if (!on_cuda()) return;
  EXPECT_EQ(graph_info(one.get()).nodes, 1) << graph_report(one.get());
  EXPECT_EQ(graph_info(three.get()).nodes, 3) << graph_report(three.get());  // tiles, and two times merged
}

TEST_P(Sort, Misuse) {
  if (GetParam().graph) return;
  const Tensor a = up(range(RONDO_F32, {2, 3})), scalar = up(full(RONDO_F32, {}, 1)), i = up(range(RONDO_I64, {2, 3}));
  rondo_tensor *out = nullptr, *places = nullptr, *same = a;
  const auto invalid = RONDO_INVALID_ARGUMENT;
  expect_refused(rondo_sort(nullptr, 0, 0, &out), invalid, "rondo_sort", "a");
  expect_refused(rondo_sort(a, 0, 0, nullptr), invalid, "rondo_sort", "out");
  expect_refused(rondo_sort(a, 2, 0, &out), invalid, "rondo_sort", "axis");
  expect_refused(rondo_sort(scalar, 0, 0, &out), invalid, "rondo_sort", "axis");
  expect_refused(rondo_sort(a, 0, 0, &same), invalid, "rondo_sort", "out");
  expect_refused(rondo_argsort(nullptr, 0, 0, &out), invalid, "rondo_argsort", "a");
  expect_refused(rondo_argsort(a, 0, 0, nullptr), invalid, "rondo_argsort", "out");
  expect_refused(rondo_argsort(a, 0, 0, &same), invalid, "rondo_argsort", "out");
  expect_refused(rondo_topk(nullptr, 1, 0, 1, &out, &places), invalid, "rondo_topk", "a");
  expect_refused(rondo_topk(a, 1, 0, 1, nullptr, &places), invalid, "rondo_topk", "out");
  expect_refused(rondo_topk(a, 1, 0, 1, &out, nullptr), invalid, "rondo_topk", "indices");
  expect_refused(rondo_topk(a, 1, 0, 1, &out, &out), invalid, "rondo_topk", "indices");
  expect_refused(rondo_topk(a, -1, 0, 1, &out, &places), invalid, "rondo_topk", "k");
  expect_refused(rondo_topk(a, 3, 0, 1, &out, &places), invalid, "rondo_topk", "k");
  expect_refused(rondo_topk(a, 1, 5, 1, &out, &places), invalid, "rondo_topk", "axis");
  rondo_tensor *value = i, *index = i;
  expect_refused(rondo_topk(i, 2, 0, 1, &out, &index), invalid, "rondo_topk", "indices");
  const Tensor b = make(rondo_copy, i);
  value = index = b;
  expect_refused(rondo_topk(i, 2, 0, 1, &value, &index), invalid, "rondo_topk", "indices");
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(places, nullptr);
}

}  // namespace
}  // namespace conformance
