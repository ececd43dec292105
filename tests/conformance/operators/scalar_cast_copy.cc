// Scalar forms, where, cast, fill, copy. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"
#include "operators/elementwise_reference.h"

namespace conformance {
namespace {

Expected expect_scalar(rondo_binary_op op, const Array& a, Real scalar, bool left) {
  const Array s = full(a.dtype, {}, scalar);
  return left ? expect_binary(op, s, a) : expect_binary(op, a, s);
}

class Scalar : public OnEngine {};
CONFORMANCE_SUITE(Scalar);

TEST_P(Scalar, BothSides) {
  for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 4)) {
    if (dtype == RONDO_BOOL) continue;
    const Array x = random_array(dtype, {257}, 1, is_unsigned(dtype) ? 0 : -11, 11);
    const Tensor a = up(x);
    run([&](Results& results) {
      for (const rondo_binary_op op : {RONDO_SUB, RONDO_DIV, RONDO_MAXIMUM, RONDO_MOD, RONDO_POW, RONDO_LT, RONDO_EQ}) {
        if (sparing() && op > RONDO_DIV && op != RONDO_LT) continue;
        const std::string label = std::string(rondo_dtype_name(dtype)) + " operator " + std::to_string(op);
        results.keep(label + ", scalar right", make(rondo_binary_scalar, op, a, 3.0),
                     [=] { return expect_scalar(op, x, 3, false); });
        results.keep(label + ", scalar left", make(rondo_scalar_binary, op, 3.0, a),
                     [=] { return expect_scalar(op, x, 3, true); });
      }
    });
  }
}

TEST_P(Scalar, TakesTheDtypeOfTheTensor) {
  const Array x = random_array(RONDO_F32, {100}, 2, -3, 3), y = random_array(RONDO_F64, {100}, 3, -3, 3);
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    results.keep("f32", make(rondo_binary_scalar, RONDO_MUL, a, 0.1),
                 [=] { return expect_scalar(RONDO_MUL, x, 0.1, false); });
    results.keep("f64", make(rondo_binary_scalar, RONDO_MUL, b, 0.1),
                 [=] { return expect_scalar(RONDO_MUL, y, 0.1, false); });
    results.keep("nan", make(rondo_binary_scalar, RONDO_MAXIMUM, a, std::nan("")),
                 [=] { return expect_scalar(RONDO_MAXIMUM, x, NAN, false); });
    results.keep("infinity", make(rondo_scalar_binary, RONDO_DIV, -INFINITY, b),
                 [=] { return expect_scalar(RONDO_DIV, y, -INFINITY, true); });
  });
}

TEST_P(Scalar, WideIntegers) {
  const int64_t wide = (int64_t{1} << 53) + 1;
  const Array x = array_of(RONDO_I64, {3}, {Real(wide), 7, Real(INT64_MAX)});
  const Tensor a = up(x);
  run([&](Results& results) {
    for (const rondo_binary_op op : {RONDO_ADD, RONDO_SUB, RONDO_EQ, RONDO_MOD}) {
      results.keep("right", make(rondo_binary_scalar_i64, op, a, wide),
                   [=] { return expect_scalar(op, x, Real(wide), false); });
      results.keep("left", make(rondo_scalar_binary_i64, op, wide, a),
                   [=] { return expect_scalar(op, x, Real(wide), true); });
    }
  });
}

TEST_P(Scalar, MustFitTheDtype) {
  const Tensor bytes = up(range(RONDO_U8, {4})), words = up(range(RONDO_I32, {4})), bits = up(range(RONDO_BOOL, {2}));
  Tensor out;
  const auto refused = [&](rondo_status status, const char* function, const char* argument) {
    expect_refused(status, RONDO_INVALID_ARGUMENT, function, argument);
    EXPECT_EQ(static_cast<rondo_tensor*>(out), nullptr);
  };
  refused(rondo_binary_scalar(RONDO_ADD, bytes, 256, out.slot()), "rondo_binary_scalar", "scalar");
  refused(rondo_binary_scalar(RONDO_ADD, bytes, -1, out.slot()), "rondo_binary_scalar", "scalar");
  refused(rondo_binary_scalar(RONDO_ADD, words, 0.5, out.slot()), "rondo_binary_scalar", "scalar");
  refused(rondo_binary_scalar(RONDO_ADD, words, std::nan(""), out.slot()), "rondo_binary_scalar", "scalar");
  refused(rondo_binary_scalar(RONDO_LOGICAL_AND, bits, 2, out.slot()), "rondo_binary_scalar", "scalar");
  refused(rondo_scalar_binary(RONDO_SUB, 3e10, words, out.slot()), "rondo_scalar_binary", "scalar");
  refused(rondo_binary_scalar_i64(RONDO_ADD, words, int64_t{1} << 40, out.slot()), "rondo_binary_scalar_i64", "scalar");
  refused(rondo_scalar_binary_i64(RONDO_ADD, -1, bytes, out.slot()), "rondo_scalar_binary_i64", "scalar");
  expect_refused(rondo_fill(bytes, 1.5), RONDO_INVALID_ARGUMENT, "rondo_fill", "value");
  expect_refused(rondo_fill(words, 1e12), RONDO_INVALID_ARGUMENT, "rondo_fill", "value");
  expect_refused(rondo_fill_i64(words, int64_t{1} << 40), RONDO_INVALID_ARGUMENT, "rondo_fill_i64", "value");
  expect_refused(rondo_fill_i64(bytes, -1), RONDO_INVALID_ARGUMENT, "rondo_fill_i64", "value");
}

class Where : public OnEngine {};
CONFORMANCE_SUITE(Where);

TEST_P(Where, Broadcast) {
  for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 2)) {
    const Array c = random_array(RONDO_BOOL, {9, 1, 7}, 1, 0, 1), x = random_array(dtype, {5, 7}, 2, 0, 9),
                y = random_array(dtype, {}, 3, 0, 9);
    const Tensor condition = up(c), a = up(x), b = up(y);
    run([&](Results& results) {
      const Shape shape = {9, 5, 7};
      const auto expected = [=](const Array& yes, const Array& no) {
        const Array cs = host_broadcast(c, shape), xs = host_broadcast(yes, shape), ys = host_broadcast(no, shape);
        Expected out(dtype, shape);
        for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = cs[i] != 0 ? xs[i] : ys[i];
        return out;
      };
      results.keep(rondo_dtype_name(dtype), make(rondo_where, condition, a, b), [=] { return expected(x, y); });
      results.keep(rondo_dtype_name(dtype), make(rondo_where, condition, b, a), [=] { return expected(y, x); });
    });
  }
}

TEST_P(Where, PromotesAndKeepsNan) {
  const Array c = array_of(RONDO_BOOL, {4}, {1, 0, 1, 0}), x = array_of(RONDO_F32, {4}, {NAN, NAN, INFINITY, 4}),
              y = array_of(RONDO_I32, {4}, {1, 2, 3, 4});
  const Tensor condition = up(c), a = up(x), b = up(y);
  run([&](Results& results) {
    results.keep("f32 or i32", make(rondo_where, condition, a, b), [] {
      return Expected(array_of(RONDO_F32, {4}, {NAN, 2, INFINITY, 4}));
    });
  });
}

class Cast : public OnEngine {};
CONFORMANCE_SUITE(Cast);

TEST_P(Cast, Matrix) {
  const std::vector<rondo_dtype> all(std::begin(kAllDtypes), std::end(kAllDtypes));
  const std::vector<rondo_dtype> some = {RONDO_BOOL, integer_of_share(), RONDO_F16, RONDO_F32};
  for (const rondo_dtype from : sparing() ? some : all) {
    Array x = random_array(from, {100}, 5, is_unsigned(from) ? 0 : -100, 100);
    if (is_floating(from)) {
      const Real special[] = {NAN,  INFINITY, -INFINITY, -0.0L, 0.5L,  -0.9L,  1.5L,  255,  256,
                              -129, 40000,    1e-3L,     3e9L,  1e19L, -1e19L, 70000, 5e9L, 3e19L};
      for (size_t i = 0; i < std::size(special); ++i) x.set(i, special[i]);
    } else if (rondo_dtype_size(from) > 1) {
      const Real special[] = {
          lowest(from), highest(from), Real(INT32_MIN), Real(INT32_MAX),      256, 255, -129, 16777217, 65519,
          32769,        65535,         0x1p53L + 1,     0x1p63L + 0x1p39L + 1};
      for (size_t i = 0; i < std::size(special); ++i) x.set(i, special[i]);
    }
    const Tensor a = up(x);
    run([&](Results& results) {
      for (const rondo_dtype to : sparing() ? some : all) {
        results.keep(std::string(rondo_dtype_name(from)) + " to " + rondo_dtype_name(to), make(rondo_cast, a, to), [=] {
          Expected out(to, x.shape);
          for (size_t i = 0; i < x.size(); ++i) out.values[i] = converted(from, to, x[i]);
          return out;
        });
      }
    });
  }
}

// Every 16-bit pattern to float and back is itself (NaN stays NaN).
TEST_P(Cast, EveryHalf) {
  for (const rondo_dtype dtype : dealt(std::vector{RONDO_F16, RONDO_BF16})) {
    Array x(dtype, {65536});
    for (size_t i = 0; i < 65536; ++i) x.set_raw(i, static_cast<uint16_t>(i));
    const Tensor a = up(x);
    run([&](Results& results) {
      Tensor wide = make(rondo_cast, a, RONDO_F32);
      results.keep("and back", make(rondo_cast, wide, dtype), [=] { return Expected(x); });
      results.keep("to f32", std::move(wide), [=] {
        Expected out(RONDO_F32, x.shape);
        for (size_t i = 0; i < x.size(); ++i) out.values[i] = x[i];
        return out;
      });
    });
  }
}

// Ties round to even: halfway points between neighbouring 16-bit values, and the points one float beside them.
TEST_P(Cast, RoundsToEven) {
  // A dtype and how many bits of f32's significand it lacks.
  for (const auto& row : {std::pair{RONDO_F16, 13}, std::pair{RONDO_BF16, 16}}) {
    const rondo_dtype dtype = row.first;
    const int drop = row.second;
    std::vector<Real> values;
    for (uint32_t i = 0; i < 64; ++i) {
      const uint32_t tie = 0x3f800000u + (i << drop) + (1u << (drop - 1));
      for (const uint32_t bits : {tie - 1, tie, tie + 1}) values.push_back(std::bit_cast<float>(bits));
    }
    for (const Real large : {65504.0L, 65519.0L, 65520.0L, 1e-8L, 2.9802322e-8L, 2.9802326e-8L, 5.9604645e-8L})
      values.push_back(large);
    const Array x = array_of(RONDO_F32, {static_cast<int64_t>(values.size())}, values);
    const Tensor a = up(x);
    run([&](Results& results) {
      results.keep(rondo_dtype_name(dtype), make(rondo_cast, a, dtype), [=] {
        Expected out(dtype, x.shape);
        for (size_t i = 0; i < x.size(); ++i) out.values[i] = x[i];
        return out;
      });
    });
  }
}

// From a wider dtype too: a rounding to f32 on the way would move what lies beside a tie onto it. Besides the ties of
// normal values: of subnormal ones, of the highest and of the least.
TEST_P(Cast, RoundsOnce) {
  for (const auto& row : {std::pair{RONDO_F16, 10}, std::pair{RONDO_BF16, 7}}) {
    const rondo_dtype to = row.first;
    const int digits = row.second;
    std::vector<Real> floats, wholes, words, shorts;
    const Real highest = std::ldexp(2 - std::ldexp(1.0L, -digits), to == RONDO_F16 ? 15 : 127);
    const Real least = std::ldexp(1.0L, to == RONDO_F16 ? -24 : -133);
    for (int i = 0; i < 8; ++i) {
      const Real tie = 1 + (i + 0.5L) * std::ldexp(1.0L, -digits);
      for (const int exponent : {0, 3, -9})
        for (const int beside : {-1, 0, 1})
          for (const int far : {30, 40, 52 - 1})
            floats.push_back(std::ldexp(tie + beside * std::ldexp(1.0L, -far), exponent) * (i % 2 ? -1 : 1));
      for (const int beside : {-1, 0, 1}) {
        floats.push_back((i + 0.5L) * least * (1 + beside * std::ldexp(1.0L, -45)));
        for (const int exponent : {40, 56, 61})
          wholes.push_back((std::ldexp(tie, exponent) + beside) * (i % 2 ? -1 : 1));
        words.push_back((std::ldexp(tie, 29) + beside) * (i % 2 ? -1 : 1));
        shorts.push_back((std::ldexp(tie, 14) + beside) * (i % 2 ? -1 : 1));
      }
    }
    const Real limit = highest * (1 + std::ldexp(1.0L, -digits - 2));  // half a place above: a tie with infinity
    for (const Real each : {limit, limit * (1 - std::ldexp(1.0L, -45)), highest * 4, 1e300L, 1e-300L, -1e-300L, 0.0L,
                            -0.0L, Real(INFINITY), Real(-INFINITY), Real(NAN)})
      floats.push_back(each);
    wholes.push_back(Real(INT64_MAX)), wholes.push_back(Real(INT64_MIN)), wholes.push_back(65519),
        wholes.push_back(65520);
    std::vector<std::pair<rondo_dtype, std::vector<Real>*>> sources = {
        {RONDO_F64, &floats}, {RONDO_I64, &wholes}, {RONDO_U64, &wholes}, {RONDO_I32, &words},
        {RONDO_U32, &words},  {RONDO_I16, &shorts}, {RONDO_U16, &shorts}};
    if (sparing())
      std::erase_if(sources,
                    [](const auto& each) { return is_integer(each.first) && each.first != integer_of_share(); });
    for (const auto& [from, values] : sources) {
      const Array x = array_of(from, {static_cast<int64_t>(values->size())}, *values);
      const Tensor a = up(x), one = up(full(to, {}, 1));
      run([&](Results& results) {
        const auto expected = [=] {
          Expected out(to, x.shape);
          for (size_t i = 0; i < x.size(); ++i) out.values[i] = x[i];
          return out;
        };
        const std::string label = std::string(rondo_dtype_name(from)) + " to " + rondo_dtype_name(to);
        results.keep(label, make(rondo_cast, a, to), expected);
        // An operand that is promoted is rounded alike.
        if (from != RONDO_F64) results.keep(label + ", promoted", make(rondo_binary, RONDO_MUL, a, one), expected);
      });
    }
    // Scalars and fills are rounded once as well.
    const Real beside = 1 + std::ldexp(1.0L, -digits - 1) + std::ldexp(1.0L, -40);
    const int64_t wide = (int64_t{1} << 60) + (int64_t{1} << (59 - digits)) + 1;
    const Tensor zeros = up(full(to, {3}, 0));
    run([&](Results& results) {
      const auto expected = [=](Real value) { return Expected(full(to, {3}, value)); };
      results.keep("scalar", make(rondo_binary_scalar, RONDO_ADD, zeros, double(beside)),
                   [=] { return expected(beside); });
      Tensor filled = empty(to, {3}), filled_i64 = empty(to, {3});
      must(rondo_fill(filled, double(beside)));
      must(rondo_fill_i64(filled_i64, wide));
      results.keep("fill", std::move(filled), [=] { return expected(beside); });
      results.keep("fill_i64", std::move(filled_i64), [=] { return expected(Real(wide)); });
    });
  }
}

class Copy : public OnEngine {};
CONFORMANCE_SUITE(Copy);

TEST_P(Copy, Fill) {
  for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 6)) {
    run([&](Results& results) {
      for (const int64_t n : {0, 1, 257, 4099}) {
        Tensor out = empty(dtype, {n});
        must(rondo_fill(out, 1));
        if (n > 2) must(rondo_fill(slice(out, 0, 1, n, 2), 0));
        results.keep(rondo_dtype_name(dtype) + std::to_string(n), std::move(out), [=] {
          Expected expected(dtype, {n});
          for (size_t i = 0; i < expected.values.size(); ++i) expected.values[i] = n <= 2 || i % 2 == 0;
          return expected;
        });
      }
    });
  }
}

TEST_P(Copy, FillWideIntegers) {
  run([&](Results& results) {
    for (const int64_t value : {(int64_t{1} << 53) + 1, INT64_MAX, INT64_MIN, int64_t{-7}}) {
      Tensor out = empty(RONDO_I64, {5});
      must(rondo_fill_i64(out, value));
      results.keep(std::to_string(value), std::move(out), [=] { return Expected(full(RONDO_I64, {5}, Real(value))); });
    }
  });
}

TEST_P(Copy, SameDevice) {
  for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, 7)) {
    const Array x = random_array(dtype, {13, 31}, 4, 0, 90);
    const Tensor a = up(x);
    run([&](Results& results) {
      results.keep("contiguous", make(rondo_copy, a), [=] { return Expected(x); });
      Tensor dense = make(rondo_copy, transpose(a, {1, 0}));
      EXPECT_EQ(query(dense).contiguous, 1);
      results.keep("transposed", std::move(dense), [=] { return Expected(host_transpose(x, {1, 0})); });
      results.keep("offset", make(rondo_copy, slice(a, 1, 1, 31)),
                   [=] { return Expected(host_slice(x, 1, 1, 30, 1)); });
      Tensor rows = empty(dtype, {4, 31});
      into(rows, rondo_copy, slice(a, 0, 5, 6));
      results.keep("a row, broadcast", std::move(rows), [=] {
        return Expected(host_broadcast(host_slice(x, 0, 5, 1, 1), {4, 31}));
      });
      results.keep("copy_to the same device", make(rondo_copy_to, a, device()), [=] { return Expected(x); });
    });
  }
}

TEST_P(Copy, BetweenDevices) {
  const Array x = random_array(RONDO_F32, {65, 33}, 5, -9, 9);
  const Tensor here = up(x), home = upload(engine(), kCpu, x);
  const bool split = on_cuda() && GetParam().graph;  // host side of a graph is not captured: run() asserts one segment
  const auto body = [&](Results& results) {
    Tensor there = make(rondo_copy_to, home, device());
    EXPECT_EQ(query(there).device.kind, device().kind);
    results.keep("to the device", std::move(there), [=] { return Expected(x); });
    Tensor strided = empty(RONDO_F32, {33, 65});
    into(transpose(strided, {1, 0}), rondo_copy, home);
    results.keep("into a transposed view", std::move(strided), [=] { return Expected(host_transpose(x, {1, 0})); });
    Tensor back = make(rondo_copy_to, here, kCpu);
    EXPECT_EQ(query(back).device.kind, RONDO_CPU);
    results.keep("back", std::move(back), [=] { return Expected(x); });
    results.keep("a view back", make(rondo_copy_to, slice(transpose(here, {1, 0}), 0, 1, 33, 2), kCpu), [=] {
      return Expected(host_slice(host_transpose(x, {1, 0}), 0, 1, 16, 2));
    });
  };
  run(body, {.nodes = split ? 0 : 1});
}

// A round trip in one chain, with no wait in between: every hand-over between devices must be ordered.
TEST_P(Copy, ChainAcrossDevices) {
  if (GetParam().graph) GTEST_SKIP() << "a chain over two devices is recorded by BetweenDevices";
  Tensor value = up(full(RONDO_F32, {10000}, 0));
  for (int i = 0; i < 20; ++i) {
    Tensor more = make(rondo_binary_scalar, RONDO_ADD, value, 1.0);
    Tensor home = make(rondo_copy_to, more, kCpu);
    into(home, rondo_binary_scalar, RONDO_ADD, home, 1.0);
    value = make(rondo_copy_to, home, device());
  }
  expect_as(download(value), Expected(full(RONDO_F32, {10000}, 40)), "40 additions");
}

}  // namespace
}  // namespace conformance
