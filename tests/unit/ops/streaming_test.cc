// Operators that go through more than the caches hold, whose results are written past them, give the same bits as in
// pieces that the caches do hold. (On a processor with a cache of more than 48 MB both are written alike.)
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <cstring>
#include <functional>
#include <vector>

namespace {

constexpr rondo_device kCpu = {RONDO_CPU, 0};

class Streaming : public ::testing::Test {
 protected:
  // From each column of a matrix on, `make` writes from rows of a and b to rows of out: of all rows at once, and of few
  // at a time. Rows of an odd length, and results that do not begin where a vector or a cache's line does.
  void expect_same(const std::function<void(const rondo::Tensor& a, const rondo::Tensor& b, rondo_tensor* out)>& make,
                   int64_t columns, rondo_dtype dtype = RONDO_F32) {
    constexpr int64_t kRows = 2304, kPiece = 128;
    const rondo::Tensor a = engine_.normal(kCpu, dtype, {kRows, columns});
    const rondo::Tensor b = engine_.normal(kCpu, dtype, {kRows, columns});
    const size_t size = dtype == RONDO_F32 ? 4 : 2, before = 3 * size;
    std::vector<char> results[2];
    for (const bool whole : {true, false}) {
      const rondo::Tensor memory = sevens(dtype, kRows * columns + 3);
      const rondo::Tensor out = memory.slice(0, 3, kRows * columns + 3).reshape({kRows, columns});
      const int64_t step = whole ? kRows : kPiece;
      for (int64_t row = 0; row < kRows; row += step)
        make(a.slice(0, row, row + step), b.slice(0, row, row + step), out.slice(0, row, row + step).get());
      std::vector<char>& result = results[whole ? 0 : 1];
      result.resize(static_cast<size_t>(kRows * columns) * size + before);
      memory.read(result.data(), result.size());
    }
    EXPECT_EQ(std::memcmp(results[0].data() + before, results[1].data() + before, results[0].size() - before), 0);
    char untouched[12];
    sevens(dtype, 3).read(untouched, before);
    EXPECT_EQ(std::memcmp(results[0].data(), untouched, before), 0) << "what lies before";
  }
  rondo::Tensor sevens(rondo_dtype dtype, int64_t n) const {
    rondo::Tensor made = engine_.uniform(kCpu, dtype, {n});
    rondo::throw_on_failure(rondo_fill(made.get(), 7));
    return made;
  }
  rondo::Engine engine_;
};

TEST_F(Streaming, OfOneOperator) {
  expect_same([](const auto& a, const auto& b,
                 rondo_tensor* out) { rondo::throw_on_failure(rondo_binary(RONDO_ADD, a.get(), b.get(), &out)); },
              2051);
}

// Twice as long, since what is streamed is told by its bytes.
TEST_F(Streaming, OfOneOperatorOfHalves) {
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16})
    expect_same([](const auto& a, const auto& b,
                   rondo_tensor* out) { rondo::throw_on_failure(rondo_binary(RONDO_ADD, a.get(), b.get(), &out)); },
                4099, dtype);
}

// With what is between in registers of another width.
TEST_F(Streaming, OfAnExpression) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16})
    expect_same(
        [](const auto& a, const auto& b, rondo_tensor* out) {
          static const rondo::Expression text("y = a * b + a");
          const rondo_argument arguments[] = {RONDO_TENSOR("a", a.get()), RONDO_TENSOR("b", b.get())};
          rondo::throw_on_failure(rondo_expression_run(text.get(), 2, arguments, 1, &out));
        },
        4099, dtype);
}

TEST_F(Streaming, OfACopy) {
  expect_same([](const auto& a, const auto&, rondo_tensor* out) { rondo::throw_on_failure(rondo_copy(a.get(), &out)); },
              2051);
}

TEST_F(Streaming, OfRows) {
  expect_same(
      [](const auto& a, const auto&, rondo_tensor* out) { rondo::throw_on_failure(rondo_softmax(a.get(), 1, &out)); },
      2051);
}

// What reads its own results elsewhere than it writes them is refused or goes through the caches: in place nothing is
// lost.
TEST_F(Streaming, InPlace) {
  const rondo::Tensor a = engine_.uniform(kCpu, RONDO_F32, {2304, 4099}, 1, 2);
  std::vector<float> before(2304 * 4099), after(before.size());
  a.read(before.data(), before.size() * sizeof(float));
  rondo_tensor* out = a.get();
  for (int i = 0; i < 3; ++i) rondo::throw_on_failure(rondo_binary(RONDO_ADD, a.get(), a.get(), &out));
  a.read(after.data(), after.size() * sizeof(float));
  size_t wrong = 0;
  for (size_t i = 0; i < before.size(); ++i) wrong += after[i] != 8 * before[i];
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
