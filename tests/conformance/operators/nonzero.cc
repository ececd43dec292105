// What contents choose: the places of elements that are not 0, parts chosen by a mask, with a limit and with a wait;
// and random orders. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tape/tape.h"

namespace conformance {
namespace {

class Chosen : public OnTape {
 protected:
  // A recording cannot wait.
  bool graph() const { return GetParam().graph; }
  static Array mask_of(const Shape& shape, unsigned seed) { return random_array(RONDO_BOOL, shape, seed, 0, 1); }
  // The gradient of what was chosen goes where it came from, with either filling, and past a limit nothing does.
  void expect_gradients_go_back();
};
CONFORMANCE_SUITE(Chosen);

// On an engine that checks indices.
class CheckedChosen : public Chosen {
 protected:
  void SetUp() override {
    Chosen::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    rondo_engine_options with = options();
    with.check_indices = 1;
    restart(with);
  }
};
CONFORMANCE_SUITE(CheckedChosen);

// The numbers of the elements that are not 0.
std::vector<int64_t> numbers(const Array& a) {
  std::vector<int64_t> found;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == 0)) found.push_back(static_cast<int64_t>(i));
  return found;
}

Array places(const Array& a, int64_t limit, Real fill) {
  const std::vector<int64_t> found = numbers(a);
  const size_t columns = a.shape.size();
  Array out(RONDO_I64, {limit, static_cast<int64_t>(columns)});
  for (size_t row = 0; row < static_cast<size_t>(limit); ++row) {
    int64_t rest = row < found.size() ? found[row] : 0;
    for (size_t c = columns; c-- > 0;) {
      const int64_t size = std::max<int64_t>(a.shape[c], 1);
      out.set(row * columns + c, row < found.size() ? Real(rest % size) : fill);
      rest /= size;
    }
  }
  return out;
}

// Parts of so many elements of a, chosen by a mask of its first dimensions.
Array parts(const Array& a, const Array& mask, int64_t limit, Real fill) {
  const std::vector<int64_t> found = numbers(mask);
  Shape shape(a.shape.begin() + static_cast<std::ptrdiff_t>(mask.shape.size()), a.shape.end());
  const size_t width = count(shape);
  shape.insert(shape.begin(), limit);
  Array out = full(a.dtype, shape, fill);
  for (size_t row = 0; row < std::min(found.size(), static_cast<size_t>(limit)); ++row)
    for (size_t i = 0; i < width; ++i) out.set(row * width + i, a[static_cast<size_t>(found[row]) * width + i]);
  return out;
}

Array number(size_t count) {
  return full(RONDO_I64, {}, Real(count));
}

TEST_P(Chosen, PlacesAreInOrder) {
  int turn = 0;
  for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 1)) {
    // One element, less and more than a block of a GPU takes at once, several of its parts, more dimensions.
    const std::vector<Shape> shapes = {{}, {7}, {3, 100}, {9000}, {2, 3, 5}, {0}, {4, 0}, {33, 130}};
    for (const Shape& shape : dealt(shapes)) {
      Array a = random_array(dtype, shape, static_cast<unsigned>(++turn), is_unsigned(dtype) ? 0 : -2, 2);
      if (is_floating(dtype))
        for (size_t i = 0; i < a.size(); ++i) a.set(i, i % 5 == 0 ? NAN : i % 3 == 0 ? -0.0L : a[i]);
      const Tensor x = up(a);
      const int64_t all = static_cast<int64_t>(numbers(a).size());
      run([&](Results& results) {
        for (const int64_t limit : {all + 3, all / 2, int64_t{0}}) {
          const std::string label = std::string(rondo_dtype_name(dtype)) + " " + std::to_string(a.size()) + " of " +
                                    std::to_string(all) + ", limit " + std::to_string(limit);
          Tensor out, found;
          must(rondo_nonzero_limit(x, limit, -1, out.slot(), found.slot()));
          results.keep(label, std::move(out), [=] { return Expected(places(a, limit, -1)); });
          results.keep(label + ", number", std::move(found), [=] { return Expected(number(numbers(a).size())); });
        }
      });
    }
  }
}

TEST_P(Chosen, PlacesOfViewsAndInGivenTensors) {
  const Array a = random_array(RONDO_I32, {6, 8}, 3, -1, 1);
  const Tensor x = up(a), turned = transpose(x, {1, 0});
  const Array b = download(turned);
  const int64_t all = static_cast<int64_t>(numbers(b).size());
  const Tensor given = up(full(RONDO_I64, {2, all}, 5)), to = transpose(given, {1, 0}),
               found = up(full(RONDO_I64, {}, 7));
  const Tensor adds = make(rondo_tensor_accumulator, found);
  run([&](Results& results) {
    must(rondo_fill(found, 100));
    rondo_tensor *slot = to, *counts = adds;
    must(rondo_nonzero_limit(turned, all, 0, &slot, &counts));
    results.keep("into columns", make(rondo_copy, to), [=] { return Expected(places(b, all, 0)); });
    results.keep("added", make(rondo_copy, found), [=] { return Expected(number(numbers(b).size() + 100)); });
  });
}

TEST_P(Chosen, AsManyPlacesAsThereAre) {
  const Array a = random_array(RONDO_F32, {5, 7}, 4, -1, 1), none = full(RONDO_F32, {3}, 0);
  Array some = a;
  for (size_t i = 0; i < some.size(); i += 2) some.set(i, 0);
  const Tensor x = up(some), y = up(none);
  if (graph()) {
    const Graph recorded = record(engine(), [&] {
      rondo_tensor* out = nullptr;
      expect_refused(rondo_nonzero(x, &out), RONDO_INVALID_STATE, "rondo_nonzero", "rondo_nonzero_limit");
      expect_refused(rondo_select(x, x, &out), RONDO_INVALID_STATE, "rondo_select", "rondo_select_limit");
      EXPECT_EQ(out, nullptr);
    });
    return;
  }
  // Not by must(): what a device that computes nothing counts may be too many for its memory.
  const auto expect = [](const char* label, rondo_status status, rondo_tensor* made, const Array& expected) {
    const Tensor out(made);
    EXPECT_EQ(status, RONDO_OK) << label << ": " << rondo_last_error();
    if (out) expect_same_bits(download(out), expected, label);
  };
  const Tensor mask = make(rondo_binary_scalar, RONDO_GT, x, 0.0);
  const Array m = download(mask);
  rondo_tensor* out = nullptr;
  rondo_status status = rondo_nonzero(x, &out);
  expect("some", status, out, places(some, static_cast<int64_t>(numbers(some).size()), 0));
  status = rondo_nonzero(y, &(out = nullptr));
  expect("none", status, out, places(none, 0, 0));
  status = rondo_select(x, mask, &(out = nullptr));
  expect("chosen", status, out, parts(some, m, static_cast<int64_t>(numbers(m).size()), 0));
  rondo_status inside = RONDO_OK;
  must(push_tensors(engine(),
                    [&](rondo_task_context*) {
                      rondo_tensor* no = nullptr;
                      inside = rondo_nonzero(x, &no);
                      return RONDO_OK;
                    },
                    {x}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(inside, RONDO_INVALID_STATE);
}

TEST_P(Chosen, PartsByAMask) {
  struct Case {
    Shape shape;
    size_t dims;  // of the mask
  };
  const std::vector<Case> cases = {{{40}, 1}, {{6, 5}, 1}, {{6, 5}, 2}, {{4, 3, 5}, 2}, {{0, 3}, 1}, {{9000}, 1}};
  int turn = 0;
  for (const rondo_dtype dtype : covering({std::begin(kStoredDtypes), std::end(kStoredDtypes)}, 2)) {
    for (const Case& each : dealt(cases)) {
      Array a(dtype, each.shape);
      for (size_t i = 0; i < a.size(); ++i) a.set(i, Real(1 + i % 7));
      const Array m = mask_of({each.shape.begin(), each.shape.begin() + static_cast<std::ptrdiff_t>(each.dims)},
                              static_cast<unsigned>(++turn));
      const Tensor x = up(a), mask = up(m);
      const int64_t all = static_cast<int64_t>(numbers(m).size());
      run([&](Results& results) {
        for (const double fill : {0.0, 1.0}) {
          for (const int64_t limit : {all + 2, all / 2}) {
            const std::string label = std::string(rondo_dtype_name(dtype)) + " " + std::to_string(a.size()) +
                                      ", limit " + std::to_string(limit) + ", fill " + std::to_string(fill);
            Tensor out, found;
            must(rondo_select_limit(x, mask, limit, fill, out.slot(), found.slot()));
            results.keep(label, std::move(out), [=] { return Expected(parts(a, m, limit, Real(fill))); });
            results.keep(label + ", number", std::move(found), [=] { return Expected(number(numbers(m).size())); });
          }
        }
      });
    }
  }
}

TEST_P(Chosen, PartsOfATurnedTensor) {
  const Array a = random_array(RONDO_F32, {5, 4, 3}, 8, -1, 1);
  const Tensor turned = transpose(up(a), {2, 0, 1}), mask = up(mask_of({3, 5}, 9));
  const Array b = download(turned), m = download(mask);
  run([&](Results& results) {
    Tensor out, found;
    must(rondo_select_limit(turned, mask, 9, -2, out.slot(), found.slot()));
    results.keep("turned", std::move(out), [=] { return Expected(parts(b, m, 9, -2)); });
  });
}

void Chosen::expect_gradients_go_back() {
  const Array x = random_array(RONDO_F64, {4, 5}, 11, -1, 1);
  const Array rows = array_of(RONDO_BOOL, {4}, {1, 0, 1, 1}), elements = mask_of({4, 5}, 12);
  run([&](Results& results) {
    for (const double fill : {0.0, 0.5}) {
      for (const int64_t limit : {2, 5}) {
        const std::string label = "limit " + std::to_string(limit) + ", fill " + std::to_string(fill);
        const auto chosen = [limit, fill](const std::vector<Tensor>& in) {
          Tensor out, found;
          must(rondo_select_limit(in[0], in[1], limit, fill, out.slot(), found.slot()));
          return out;
        };
        keep_gradients(results, "rows, " + label, {x, rows}, chosen);
        keep_gradients(results, "elements, " + label, {x, elements}, chosen);
      }
    }
  });
}

TEST_P(Chosen, GradientsGoBack) {
  expect_gradients_go_back();
}

// The places past the last one that was found are nobody's mistake.
TEST_P(CheckedChosen, GradientsGoBack) {
  expect_gradients_go_back();
}

TEST_P(Chosen, WhatDoesNotFitIsRefused) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1)), mask = up(full(RONDO_BOOL, {3}, 1)),
               other = up(full(RONDO_BOOL, {4}, 1));
  const Tensor f8 = up(full(RONDO_F8_E4M3, {3}, 1)), whole = up(full(RONDO_I32, {3}, 1)),
               point = up(full(RONDO_BOOL, {}, 1));
  rondo_tensor *out = nullptr, *found = nullptr, *given = a;
  const auto invalid = RONDO_INVALID_ARGUMENT;
  expect_refused(rondo_nonzero_limit(nullptr, 1, 0, &out, &found), invalid, "rondo_nonzero_limit", "a");
  expect_refused(rondo_nonzero_limit(a, 1, 0, nullptr, &found), invalid, "rondo_nonzero_limit", "out");
  expect_refused(rondo_nonzero_limit(a, 1, 0, &out, nullptr), invalid, "rondo_nonzero_limit", "count");
  expect_refused(rondo_nonzero_limit(a, 1, 0, &out, &out), invalid, "rondo_nonzero_limit", "count");
  expect_refused(rondo_nonzero_limit(a, -1, 0, &out, &found), invalid, "rondo_nonzero_limit", "limit");
  expect_refused(rondo_nonzero_limit(a, INT64_MAX, 0, &out, &found), invalid, "rondo_nonzero_limit", "shape");
  expect_refused(rondo_nonzero_limit(f8, 1, 0, &out, &found), invalid, "rondo_nonzero_limit", "a");
  expect_refused(rondo_nonzero_limit(a, 1, 0, &given, &found), invalid, "rondo_nonzero_limit", "out");
  expect_refused(rondo_nonzero_limit(a, 1, 0, &out, &given), invalid, "rondo_nonzero_limit", "count");
  expect_refused(rondo_nonzero(nullptr, &out), invalid, "rondo_nonzero", "a");
  expect_refused(rondo_nonzero(a, nullptr), invalid, "rondo_nonzero", "out");
  expect_refused(rondo_select_limit(nullptr, mask, 1, 0, &out, &found), invalid, "rondo_select_limit", "a");
  expect_refused(rondo_select_limit(a, nullptr, 1, 0, &out, &found), invalid, "rondo_select_limit", "mask");
  expect_refused(rondo_select_limit(a, mask, 1, 0, nullptr, &found), invalid, "rondo_select_limit", "out");
  expect_refused(rondo_select_limit(a, mask, 1, 0, &out, nullptr), invalid, "rondo_select_limit", "count");
  expect_refused(rondo_select_limit(a, mask, -1, 0, &out, &found), invalid, "rondo_select_limit", "limit");
  expect_refused(rondo_select_limit(a, other, 1, 0, &out, &found), invalid, "rondo_select_limit", "mask");
  expect_refused(rondo_select_limit(a, point, 1, 0, &out, &found), invalid, "rondo_select_limit", "mask");
  expect_refused(rondo_select_limit(a, whole, 1, 0, &out, &found), invalid, "rondo_select_limit", "mask");
  expect_refused(rondo_select_limit(whole, mask, 1, 0.5, &out, &found), invalid, "rondo_select_limit", "fill");
  expect_refused(rondo_select(a, nullptr, &out), invalid, "rondo_select", "mask");
  expect_refused(rondo_select(nullptr, mask, &out), invalid, "rondo_select", "a");
  expect_refused(rondo_select(a, mask, nullptr), invalid, "rondo_select", "out");
  EXPECT_TRUE(!out && !found && given == a);
}

// --- random orders ---

class RandomOrder : public OnEngine {};
CONFORMANCE_SUITE(RandomOrder);

TEST_P(RandomOrder, HasEachNumberOnce) {
  for (const rondo_dtype dtype : {RONDO_I64, RONDO_I32}) {
    for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{1000}, int64_t{5000}}) {
      Tensor order;
      const auto draw = [&] { order = make(rondo_random_permutation, engine(), device(), dtype, n); };
      if (GetParam().graph) {
        const Graph graph = record(engine(), draw);
        must(rondo_graph_launch(graph.get()));
      } else {
        draw();
      }
      const Array drawn = download(order);
      EXPECT_EQ(drawn.dtype, dtype);
      ASSERT_EQ(drawn.shape, (Shape{n}));
      std::set<int64_t> all;
      for (size_t i = 0; i < drawn.size(); ++i) all.insert(drawn.integer(i));
      EXPECT_EQ(all.size(), static_cast<size_t>(n));
      if (n > 0) {
        EXPECT_TRUE(*all.begin() == 0 && *all.rbegin() == n - 1);
      }
      if (n > 1) {
        Array in_order = range(dtype, {n});
        EXPECT_NE(drawn.bytes, in_order.bytes);
      }
    }
  }
}

// Each launch of a graph draws anew, as separate calls do, and a seed repeats them on every device.
TEST_P(RandomOrder, IsThatOfTheSeed) {
  const auto three = [&](rondo_engine* engine, rondo_device device, bool recorded) {
    must(rondo_engine_seed(engine, 77));
    const Tensor order = make(rondo_tensor_create, engine, device, RONDO_I64, 1, std::vector<int64_t>{200}.data());
    const auto draw = [&] { into(order, rondo_random_permutation, engine, device, RONDO_I64, int64_t{200}); };
    const Graph graph = recorded ? record(engine, draw) : nullptr;
    std::vector<Array> drawn;
    for (int i = 0; i < 3; ++i) {
      recorded ? must(rondo_graph_launch(graph.get())) : draw();
      drawn.push_back(download(order));
    }
    return drawn;
  };
  const Engine other = create_engine(options());
  const std::vector<Array> here = three(engine(), device(), GetParam().graph), there = three(other.get(), kCpu, false);
  for (size_t i = 0; i < 3; ++i) expect_same_bits(here[i], there[i], std::to_string(i));
  EXPECT_NE(here[0].bytes, here[1].bytes);
  EXPECT_NE(here[1].bytes, here[2].bytes);
}

// Each of the six orders of three about as often.
TEST_P(RandomOrder, FavoursNone) {
  if (GetParam().graph || sparing()) GTEST_SKIP() << "the orders are those of eager calls on the cpu";
  std::vector<int> seen(27);
  constexpr int kTimes = 3000;
  for (int i = 0; i < kTimes; ++i) {
    const Array order = download(make(rondo_random_permutation, engine(), device(), RONDO_I64, int64_t{3}));
    const int64_t which = order.integer(0) * 9 + order.integer(1) * 3 + order.integer(2);
    if (which >= 0 && which < 27) ++seen[static_cast<size_t>(which)];
  }
  double chi = 0;
  int orders = 0;
  for (const int times : seen)
    if (times) ++orders, chi += (times - kTimes / 6.0) * (times - kTimes / 6.0) / (kTimes / 6.0);
  EXPECT_EQ(orders, 6);
  EXPECT_LT(chi, 30);  // 5 degrees of freedom: a chance of 1e-5
}

TEST_P(RandomOrder, WhatDoesNotFitIsRefused) {
  rondo_tensor* out = nullptr;
  const auto refused = [&](const char* argument, rondo_dtype dtype, int64_t n) {
    expect_refused(rondo_random_permutation(engine(), device(), dtype, n, &out), RONDO_INVALID_ARGUMENT,
                   "rondo_random_permutation", argument);
  };
  refused("dtype", RONDO_F32, 3);
  refused("dtype", RONDO_U8, 3);
  refused("n", RONDO_I64, -1);
  refused("n", RONDO_I64, INT64_MAX);
  refused("n", RONDO_I32, (INT64_C(1) << 31) + 1);
  expect_refused(rondo_random_permutation(nullptr, device(), RONDO_I64, 3, &out), RONDO_INVALID_ARGUMENT,
                 "rondo_random_permutation", "engine");
  expect_refused(rondo_random_permutation(engine(), device(), RONDO_I64, 3, nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_random_permutation", "out");
  const Tensor wrong = empty(RONDO_I64, {4});
  rondo_tensor* given = wrong;
  expect_refused(rondo_random_permutation(engine(), device(), RONDO_I64, 3, &given), RONDO_INVALID_ARGUMENT,
                 "rondo_random_permutation", "out");
}

}  // namespace
}  // namespace conformance
