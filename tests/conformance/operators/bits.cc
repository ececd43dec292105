// Bits of NaN: what only moves elements keeps all of them, in every dtype; what computes makes one NaN, whatever the
// number of elements and the width of vectors. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <set>

#include "odd_bits.h"

namespace conformance {
namespace {

class Bits : public OnEngine {
 protected:
  static Array picked(const Array& a, const std::vector<size_t>& from) {
    Array made(a.dtype, {static_cast<int64_t>(from.size())});
    const size_t size = rondo_dtype_size(a.dtype);
    for (size_t i = 0; i < from.size(); ++i)
      std::memcpy(made.bytes.data() + i * size, a.bytes.data() + from[i] * size, size);
    return made;
  }
};
CONFORMANCE_ENGINE_SUITE(Bits);

TEST_P(Bits, WhatMovesElementsKeepsThem) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  constexpr int64_t n = 40;
  for (const rondo_dtype dtype : covering({std::begin(kStoredDtypes), std::end(kStoredDtypes)}, 0)) {
    const Array x = odd(dtype, n, 0), y = odd(dtype, n, 3);
    const Tensor a = up(x), b = up(y);
    expect_bits(make(rondo_copy, a), x, "copy");
    Array chooses(RONDO_BOOL, {n}), indices(RONDO_I64, {n});
    Array both = picked(x, std::vector<size_t>(n, 0));
    std::vector<size_t> backwards, kept;
    const size_t size = rondo_dtype_size(dtype);
    for (size_t i = 0; i < n; ++i) {
      chooses.set(i, i % 3 == 0);
      indices.set(i, Real(n - 1 - static_cast<int64_t>(i)));
      backwards.push_back(n - 1 - i);
      if (i % 3 == 0) kept.push_back(i);
      std::memcpy(both.bytes.data() + i * size, (i % 3 == 0 ? x : y).bytes.data() + i * size, size);
    }
    const Tensor mask = up(chooses), places = up(indices);
    const Tensor chosen = make(rondo_where, mask, a, b);
    expect_bits(chosen, both, "where");
    const Graph graph = record(engine(), [&] { into(chosen, rondo_where, mask, b, a); });
    must(rondo_graph_launch(graph.get()));
    Array other = both;
    for (size_t i = 0; i < n; ++i)
      std::memcpy(other.bytes.data() + i * size, (i % 3 == 0 ? y : x).bytes.data() + i * size, size);
    expect_bits(chosen, other, "where in a graph");
    expect_bits(make(rondo_take, a, places, 0), picked(x, backwards), "take");
    expect_bits(make(rondo_take_along_axis, a, places, 0), picked(x, backwards), "take_along_axis");
    expect_bits(make(rondo_select, a, mask), picked(x, kept), "select");
    rondo_tensor* const list[] = {a, b};
    Array joined(dtype, {2 * n});
    std::copy(y.bytes.begin(), y.bytes.end(), std::copy(x.bytes.begin(), x.bytes.end(), joined.bytes.begin()));
    expect_bits(make(rondo_concat, 2, list, 0), joined, "concat");
    expect_bits(make(rondo_stack, 2, list, 0), joined, "stack");
    const int64_t widths[] = {0, 0};
    expect_bits(make(rondo_pad, a, RONDO_PAD_CONSTANT, 2, widths, 0.0), x, "pad");
    expect_bits(make(rondo_repeat, a, int64_t{1}, 0), x, "repeat");
    expect_bits(slice(a, 0, 1, n),
                picked(x,
                       [] {
                         std::vector<size_t> all;
                         for (size_t i = 1; i < n; ++i) all.push_back(i);
                         return all;
                       }()),
                "slice");
  }
}

// Whatever a graph joins it with: what chooses elements of a result, and what is made of chosen ones.
TEST_P(Bits, ChoicesBesideOtherOperatorsKeepThem) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  constexpr int64_t rows = 8, columns = 5;
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64}) {
    const auto matrix = [&](uint64_t seed) { return reshape(up(odd(dtype, rows * columns, seed)), {rows, columns}); };
    const auto column = [&](uint64_t seed) { return reshape(up(odd(dtype, rows, seed)), {rows, 1}); };
    const Tensor a = matrix(0), b = matrix(3), line = column(1), other = column(2);
    Array chooses(RONDO_BOOL, {rows, columns}), few(RONDO_BOOL, {rows, 1});
    for (size_t i = 0; i < rows * columns; ++i) chooses.set(i, i % 3 == 0);
    for (size_t i = 0; i < rows; ++i) few.set(i, i % 2 == 0);
    const Tensor mask = up(chooses), half = up(few),
                 square = reshape(up(full(dtype, {columns * columns}, 1)), {columns, columns});
    std::vector<std::pair<std::string, std::function<Tensor()>>> programs;
    for (const auto op : {RONDO_MAX, RONDO_MIN, RONDO_SUM, RONDO_PROD, RONDO_LOGSUMEXP}) {
      const std::string name = rondo_reduce_op_name(op);
      programs.emplace_back(name + " of chosen", [&, op] { return reduce(op, make(rondo_where, mask, a, b), {1}); });
      programs.emplace_back("chosen " + name,
                            [&, op] { return make(rondo_where, half, reduce(op, a, {1}, true), other); });
      programs.emplace_back("chosen " + name + " of one",
                            [&, op] { return make(rondo_where, half, reduce(op, line, {1}, true), other); });
      programs.emplace_back("chosen by " + name, [&, op] {
        const Tensor y = reduce(op, a, {1}, true);
        return make(rondo_where, make(rondo_unary, RONDO_ISNAN, y), y, y);
      });
      programs.emplace_back("chosen beside " + name, [&, op] {
        const Tensor y = reduce(op, a, {1}, true);
        return make(rondo_where, make(rondo_unary, RONDO_ISNAN, y), line, y);
      });
    }
    programs.emplace_back("softmax of chosen", [&] { return make(rondo_softmax, make(rondo_where, mask, a, b), 1); });
    programs.emplace_back("chosen softmax", [&] { return make(rondo_where, mask, make(rondo_softmax, a, 1), b); });
    programs.emplace_back("chosen product",
                          [&] { return make(rondo_where, mask, make(rondo_matmul, a, square, nullptr), b); });
    programs.emplace_back("product of chosen",
                          [&] { return make(rondo_matmul, make(rondo_where, mask, a, b), square, nullptr); });
    programs.emplace_back("chosen of chosen", [&] {
      return make(rondo_where, mask, make(rondo_where, mask, b, a), make(rondo_where, mask, a, b));
    });
    programs.emplace_back("negated", [&] { return make(rondo_unary, RONDO_NEG, make(rondo_where, mask, a, b)); });
    programs.emplace_back("magnitudes", [&] { return make(rondo_unary, RONDO_ABS, make(rondo_where, mask, a, b)); });
    programs.emplace_back("chosen magnitudes",
                          [&] { return make(rondo_where, mask, make(rondo_unary, RONDO_ABS, a), b); });
    programs.emplace_back("with signs",
                          [&] { return make(rondo_binary, RONDO_COPYSIGN, make(rondo_where, mask, a, b), a); });
    for (const auto& [name, program] : programs) {
      const Tensor eager = program();
      Tensor replayed;
      const Graph graph = record(engine(), [&, &issue = program] { replayed = issue(); });
      must(rondo_graph_launch(graph.get()));
      expect_bits(replayed, download(eager), name);
    }
  }
}

TEST_P(Bits, SelectFillsWithMinusZero) {
  const Tensor a = up(array_of(RONDO_F32, {2}, {1, 2})), mask = up(array_of(RONDO_BOOL, {2}, {0, 1}));
  Tensor out, count;
  must(rondo_select_limit(a, mask, 3, -0.0, out.slot(), count.slot()));
  if (collects()) return;
  const Array got = download(out);
  EXPECT_EQ(got[0], 2);
  EXPECT_TRUE(std::signbit(got[1]) && std::signbit(got[2])) << "the sign of the fill";
}

// One NaN, of the operand's sign and payload none, by each row of the tables and each number of elements.
TEST_P(Bits, ArithmeticMakesOneNan) {
  if (on_cuda()) GTEST_SKIP() << "a GPU's instructions make one NaN themselves";
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64}) {
    for (int op = 0; op < 256; ++op) {
      const auto unary = static_cast<rondo_unary_op>(op);
      if (!rondo_unary_op_name(unary) || op == RONDO_NEG || op == RONDO_ABS) continue;
      std::set<uint64_t> made;
      for (const int64_t n : {1, 3, 8, 16, 37}) {
        Array x(dtype, {n});
        for (size_t i = 0; i < x.size(); ++i)
          dtype == RONDO_F32 ? x.set_raw(i, uint32_t{0xffc00007}) : x.set_raw(i, uint64_t{0xfff8000000000007});
        Tensor out;
        const Tensor a = up(x);
        if (rondo_unary(unary, a, out.slot()) != RONDO_OK) continue;  // of integers, or with parameters
        const Array got = download(out);
        if (got.dtype != dtype) continue;
        for (size_t i = 0; i < got.size(); ++i)
          made.insert(dtype == RONDO_F32 ? got.raw<uint32_t>(i) : got.raw<uint64_t>(i));
      }
      const std::set<uint64_t> one = {dtype == RONDO_F32 ? uint64_t{0x7fc00000} : uint64_t{0x7ff8000000000000}};
      if (!made.empty()) {
        EXPECT_EQ(made, one) << rondo_unary_op_name(unary) << " of " << rondo_dtype_name(dtype);
      }
    }
    for (int op = 0; op < 256; ++op) {
      const auto binary = static_cast<rondo_binary_op>(op);
      if (!rondo_binary_op_name(binary) || op == RONDO_COPYSIGN) continue;
      std::set<uint64_t> made;
      for (const int64_t n : {1, 3, 8, 16, 37}) {
        Array x(dtype, {n}), y(dtype, {n});
        for (size_t i = 0; i < x.size(); ++i) {
          dtype == RONDO_F32 ? x.set_raw(i, uint32_t{0xffc00007}) : x.set_raw(i, uint64_t{0xfff8000000000007});
          dtype == RONDO_F32 ? y.set_raw(i, uint32_t{0x7fc00009}) : y.set_raw(i, uint64_t{0x7ff8000000000009});
        }
        Tensor out;
        const Tensor a = up(x), b = up(y);
        if (rondo_binary(binary, a, b, out.slot()) != RONDO_OK) continue;
        const Array got = download(out);
        if (got.dtype != dtype) continue;
        for (size_t i = 0; i < got.size(); ++i)
          made.insert(dtype == RONDO_F32 ? got.raw<uint32_t>(i) : got.raw<uint64_t>(i));
      }
      const std::set<uint64_t> one = {dtype == RONDO_F32 ? uint64_t{0x7fc00000} : uint64_t{0x7ff8000000000000}};
      if (!made.empty()) {
        EXPECT_EQ(made, one) << rondo_binary_op_name(binary) << " of " << rondo_dtype_name(dtype);
      }
    }
  }
}

}  // namespace
}  // namespace conformance
