// The 8-bit floats: every code to every dtype, every dtype to them rounded once, what moves them, and what refuses
// them. The reference is written from the specification's tables (reference.h). Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "harness.h"
#include "operators/elementwise_reference.h"

namespace conformance {
namespace {

constexpr rondo_dtype kF8[] = {RONDO_F8_E4M3, RONDO_F8_E5M2};

class F8 : public OnEngine {
 protected:
  // Keeps a result whose every bit is known, signs of zeros and NaN among them.
  void keep_bits(Results& results, const std::string& label, Tensor tensor, const Array& expected) const {
    if (!GetParam().graph) expect_same_bits(download(tensor), expected, label);
    results.keep(label, std::move(tensor));
  }
};
CONFORMANCE_SUITE(F8);

Array every_code(rondo_dtype dtype, const Shape& shape = {256}) {
  Array codes(dtype, shape);
  for (size_t i = 0; i < 256; ++i) codes.set_raw(i, static_cast<uint8_t>(i));
  return codes;
}
Array rounded_to(rondo_dtype dtype, const Array& from) {
  Array to(dtype, from.shape);
  for (size_t i = 0; i < from.size(); ++i) to.set(i, from[i]);
  return to;
}
std::string label_of(rondo_dtype from, rondo_dtype to) {
  return std::string(rondo_dtype_name(from)) + " to " + rondo_dtype_name(to);
}

// The tables of the specification, in its words: the largest and smallest numbers, and what is none.
TEST(F8Reference, IsTheSpecifications) {
  const auto number = [](int code, rondo_dtype dtype) { return decode8(static_cast<uint8_t>(code), dtype); };
  EXPECT_EQ(number(0x7e, RONDO_F8_E4M3), 448);
  EXPECT_EQ(number(0x08, RONDO_F8_E4M3), std::ldexp(1.0L, -6));
  EXPECT_EQ(number(0x07, RONDO_F8_E4M3), 0.875L * std::ldexp(1.0L, -6));
  EXPECT_EQ(number(0x01, RONDO_F8_E4M3), std::ldexp(1.0L, -9));
  EXPECT_TRUE(std::isnan(number(0x7f, RONDO_F8_E4M3)) && std::isnan(number(0xff, RONDO_F8_E4M3)));
  EXPECT_EQ(number(0x7b, RONDO_F8_E5M2), 57344);
  EXPECT_EQ(number(0x04, RONDO_F8_E5M2), std::ldexp(1.0L, -14));
  EXPECT_EQ(number(0x03, RONDO_F8_E5M2), 0.75L * std::ldexp(1.0L, -14));
  EXPECT_EQ(number(0x01, RONDO_F8_E5M2), std::ldexp(1.0L, -16));
  EXPECT_EQ(number(0xfc, RONDO_F8_E5M2), -INFINITY);
  for (const int nan : {0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff}) EXPECT_TRUE(std::isnan(number(nan, RONDO_F8_E5M2)));
  for (const rondo_dtype dtype : kF8) {
    for (int code = 0; code <= largest8(dtype); ++code) EXPECT_EQ(encode8(number(code, dtype), dtype), code);
    EXPECT_EQ(encode8(INFINITY, dtype), largest8(dtype));
    EXPECT_EQ(encode8(-0.0L, dtype), 0x80);
  }
}

TEST_P(F8, EveryCodeToEveryDtype) {
  for (const rondo_dtype from : kF8) {
    const Array x = every_code(from);
    const Tensor a = up(x);
    std::vector<rondo_dtype> targets(std::begin(kStoredDtypes), std::end(kStoredDtypes));
    if (sparing()) targets = {RONDO_F8_E4M3, RONDO_F8_E5M2, RONDO_F32, dealt(targets)[0]};
    run([&](Results& results) {
      for (const rondo_dtype to : targets) {
        Tensor out = make(rondo_cast, a, to);
        if (to == from)
          keep_bits(results, label_of(from, to), std::move(out), x);  // moved: infinities stay, and each NaN
        else if (is_f8(to))
          keep_bits(results, label_of(from, to), std::move(out), rounded_to(to, x));
        else
          results.keep(label_of(from, to), std::move(out), [=] {
            Expected expected(to, x.shape);
            for (size_t i = 0; i < x.size(); ++i) expected.values[i] = converted(from, to, x[i]);
            return expected;
          });
      }
      // And back: what is finite is itself.
      keep_bits(results, "and back", make(rondo_cast, make(rondo_cast, a, RONDO_F32), from), rounded_to(from, x));
    });
  }
}

// Every number, every halfway point between two, and what lies as near beside those as the source can say; saturation
// and what is no number.
std::vector<Real> points(rondo_dtype to, Real beside) {
  std::vector<Real> values = {0.0L,  -0.0L,  INFINITY, -INFINITY, NAN,    464,     480,   464.5L, 1e5L, 61440,
                              65536, -61440, 1e30L,    -1e30L,    1e-30L, -1e-30L, 57344, 57345,  -449, 3e38L};
  for (int code = 0; code <= largest8(to); ++code) {
    const Real number = decode8(static_cast<uint8_t>(code), to);
    const Real step =
        decode8(static_cast<uint8_t>(std::max(code, 1)), to) - decode8(static_cast<uint8_t>(std::max(code, 1) - 1), to);
    const Real next = code < largest8(to) ? decode8(static_cast<uint8_t>(code + 1), to) : number + step;
    const Real middle = (number + next) / 2;
    for (const Real value : {number, number * (1 + beside), middle, middle * (1 - beside), middle * (1 + beside)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

TEST_P(F8, RoundsOnceFromEveryDtype) {
  std::vector<rondo_dtype> sources(std::begin(kAllDtypes), std::end(kAllDtypes));
  if (sparing()) sources = {RONDO_F32, RONDO_F64, dealt(sources)[0]};
  for (const rondo_dtype to : kF8)
    for (const rondo_dtype from : sources) {
      Array x(from, {65536});
      if (is_half(from)) {
        for (size_t i = 0; i < x.size(); ++i) x.set_raw(i, static_cast<uint16_t>(i));
      } else if (is_floating(from)) {
        const std::vector<Real> values = points(to, std::ldexp(1.0L, from == RONDO_F32 ? -23 : -52));
        x = array_of(from, {static_cast<int64_t>(values.size())}, values);
      } else if (rondo_dtype_size(from) == 1) {
        x = Array(from, {256});
        for (size_t i = 0; i < 256; ++i) x.set_raw(i, static_cast<uint8_t>(from == RONDO_BOOL ? i % 2 : i));
      } else if (rondo_dtype_size(from) == 2) {
        for (size_t i = 0; i < x.size(); ++i) x.set(i, Real(i) - (is_unsigned(from) ? 0 : 32768));
      } else {  // what a float of 53 bits holds, and what it does not
        std::vector<Real> values = {lowest(from), highest(from), highest(from) - 1, highest(from) / 2 + 1};
        for (const Real point : points(to, 0))
          for (const Real beside : {-1, 0, 1})
            if (const Real whole = std::nearbyint(point) + beside; whole >= lowest(from) && whole <= highest(from))
              values.push_back(whole);
        x = array_of(from, {static_cast<int64_t>(values.size())}, values);
      }
      const Tensor a = up(x);
      const Array expected = GetParam().graph ? Array() : rounded_to(to, x);
      run([&](Results& results) { keep_bits(results, label_of(from, to), make(rondo_cast, a, to), expected); });
    }
}

TEST_P(F8, CastsViews) {
  const Array x = random_array(RONDO_F32, {37, 70}, 3, -500, 500);
  const Tensor a = up(x);
  run([&](Results& results) {
    for (const rondo_dtype to : kF8) {
      keep_bits(results, "every third row", make(rondo_cast, slice(a, 0, 1, 37, 3), to),
                rounded_to(to, host_slice(x, 0, 1, 12, 3)));
      keep_bits(results, "from a transposed view", make(rondo_cast, transpose(a, {1, 0}), to),
                rounded_to(to, host_transpose(x, {1, 0})));
      Tensor turned = empty(to, {70, 37});
      into(transpose(turned, {1, 0}), rondo_cast, a, to);
      keep_bits(results, "into a transposed view", std::move(turned), rounded_to(to, host_transpose(x, {1, 0})));
      const Tensor narrow = make(rondo_cast, a, to);
      Tensor odd = make(rondo_cast, slice(narrow, 1, 3, 70, 2), RONDO_F32);
      keep_bits(results, "from every second column", std::move(odd),
                rounded_to(RONDO_F32, rounded_to(to, host_slice(x, 1, 3, 34, 2))));
      Tensor sums = make(rondo_copy, a);
      into(make(rondo_tensor_accumulator, sums), rondo_cast, narrow, RONDO_F32);
      results.keep("added to a tensor of f32", std::move(sums), [=] {
        Expected expected(RONDO_F32, x.shape);
        for (size_t i = 0; i < x.size(); ++i) expected.values[i] = x[i] + rounded(to, x[i]);
        return expected;
      });
    }
  });
}

TEST_P(F8, FillsRoundOnce) {
  for (const rondo_dtype dtype : kF8) {
    const double tie = dtype == RONDO_F8_E4M3 ? 1 + 0x1p-4 : 1 + 0x1p-3;
    run(
        [&](Results& results) {
          for (const double value :
               {0.1, -0.0, tie, tie + 0x1p-50, 1e9, -1e300, double(INFINITY), double(NAN), 0x1p-17}) {
            Tensor out = empty(dtype, {33});
            must(rondo_fill(out, value));
            keep_bits(results, "fill " + std::to_string(value), std::move(out), full(dtype, {33}, value));
          }
          for (const int64_t value : {int64_t{17}, int64_t{-19}, INT64_MAX, INT64_MIN}) {
            Tensor out = empty(dtype, {3, 5});
            must(rondo_fill_i64(transpose(out, {1, 0}), value));
            keep_bits(results, "fill_i64", std::move(out), full(dtype, {3, 5}, Real(value)));
          }
          const int64_t widths[] = {1, 2};
          Array padded = full(dtype, {259}, 1000);
          std::copy_n(every_code(dtype).bytes.begin(), 256, padded.bytes.begin() + 1);
          keep_bits(results, "pad", make(rondo_pad, up(every_code(dtype)), RONDO_PAD_CONSTANT, 2, widths, 1000.0),
                    padded);
          Array unit = full(dtype, {3, 4}, 0);
          for (const size_t i : {0, 5, 10}) unit.set(i, 1);
          keep_bits(results, "eye", make(rondo_eye, engine(), device(), dtype, 3, 4, 0), unit);
        },
        {.nodes = 0});
  }
}

// What moves elements gives the bytes that it gives for u8, of all 256 codes.
TEST_P(F8, MovesKeepEveryBit) {
  const Shape square = {16, 16};
  const Tensor rows = up(array_of(RONDO_I64, {5}, {3, 0, -1, 15, 3})), columns = up(range(RONDO_I32, {16, 3})),
               chosen = up(random_array(RONDO_BOOL, square, 7, 0, 1));
  using Move = std::function<Tensor(rondo_tensor*)>;
  const int64_t widths[] = {1, 0, 2, 3}, counts[] = {2, 3}, shifts[] = {5, -3}, wide[] = {3, 16, 16};
  const auto both = [](auto function, rondo_tensor* a, int32_t axis) {
    rondo_tensor* tensors[] = {a, a};
    return make(function, 2, tensors, axis);
  };
  const std::vector<std::pair<const char*, Move>> moves = {
      {"copy", [&](rondo_tensor* a) { return make(rondo_copy, a); }},
      {"copy of a view",
       [&](rondo_tensor* a) {
         return make(rondo_copy, slice(transpose(a, {1, 0}), 0, 15, 0, -2));
       }},
      {"copy of a broadcast",
       [&](rondo_tensor* a) { return make(rondo_copy, make(rondo_tensor_broadcast, a, 3, wide)); }},
      {"to the host",
       [&](rondo_tensor* a) {
         return make(rondo_copy_to, transpose(a, {1, 0}), device());
       }},
      {"flip", [&](rondo_tensor* a) { return make(rondo_copy, make(rondo_tensor_flip, a, 0, nullptr)); }},
      {"split", [&](rondo_tensor* a) { return make(rondo_copy, make(rondo_tensor_split, a, 1, 3, 1)); }},
      {"concat", [&](rondo_tensor* a) { return both(rondo_concat, a, 1); }},
      {"stack", [&](rondo_tensor* a) { return both(rondo_stack, a, 2); }},
      {"pad", [&](rondo_tensor* a) { return make(rondo_pad, a, RONDO_PAD_REFLECT, 4, widths, 0.0); }},
      {"tile", [&](rondo_tensor* a) { return make(rondo_tile, a, 2, counts); }},
      {"repeat", [&](rondo_tensor* a) { return make(rondo_repeat, a, 3, 1); }},
      {"roll", [&](rondo_tensor* a) { return make(rondo_roll, a, 2, shifts); }},
      {"tril", [&](rondo_tensor* a) { return make(rondo_tril, a, 1); }},
      {"triu", [&](rondo_tensor* a) { return make(rondo_triu, a, -1); }},
      {"gather_rows", [&](rondo_tensor* a) { return make(rondo_gather_rows, a, rows); }},
      {"take", [&](rondo_tensor* a) { return make(rondo_take, a, rows, 1); }},
      {"take_along_axis", [&](rondo_tensor* a) { return make(rondo_take_along_axis, a, columns, 1); }},
      {"where",
       [&](rondo_tensor* a) {
         return make(rondo_where, chosen, a, transpose(a, {1, 0}));
       }},
      {"put",
       [&](rondo_tensor* a) {
         Tensor out = make(rondo_copy, a);
         must(rondo_put(out, rows, slice(a, 0, 0, 5), 0));
         return out;
       }},
      {"put_along_axis",
       [&](rondo_tensor* a) {
         Tensor out = make(rondo_copy, a);
         must(rondo_put_along_axis(out, columns, slice(a, 1, 13, 16), 1));
         return out;
       }},
  };
  const Tensor bytes = up(every_code(RONDO_U8, square));
  for (const rondo_dtype dtype : dealt(std::vector{RONDO_F8_E4M3, RONDO_F8_E5M2})) {
    const Tensor a = up(every_code(dtype, square));
    for (const auto& [name, move] : dealt(moves)) {
      run([&](Results& results) {
        Tensor moved = move(a), expected = move(bytes);
        EXPECT_EQ(query(moved).dtype, dtype);
        if (!GetParam().graph) {
          EXPECT_EQ(download(moved).shape, download(expected).shape) << name;
          EXPECT_EQ(download(moved).bytes, download(expected).bytes) << name;
        }
        results.keep(name, std::move(moved));
        results.keep(name, std::move(expected));
      });
    }
  }
}

class F8Refused : public OnEngine {};
CONFORMANCE_ENGINE_SUITE(F8Refused);

TEST_P(F8Refused, ArithmeticNamesTheCure) {
  for (const rondo_dtype dtype : kF8) {
    const Tensor a = up(full(dtype, {2, 2}, 1)), f = up(full(RONDO_F32, {2, 2}, 1)),
                 yes = up(full(RONDO_BOOL, {2, 2}, 1)), labels = up(full(RONDO_I64, {2}, 1)),
                 four = up(full(dtype, {1, 1, 2, 2}, 1)), image = up(full(RONDO_F32, {1, 1, 2, 2}, 1)),
                 mask = up(full(RONDO_U8, {2, 2}, 1));
    rondo_tensor* out = nullptr;
    rondo_tensor* more = nullptr;
    rondo_tensor* mixed[] = {f, a};
    const int64_t sizes[] = {2, 2};
    const auto refused = [&](rondo_status status, const char* function, const char* argument) {
      expect_refused(status, RONDO_INVALID_ARGUMENT, function, argument);
      EXPECT_TRUE(has_word(rondo_last_error(), rondo_dtype_name(dtype))) << rondo_last_error();
      EXPECT_TRUE(has_word(rondo_last_error(), "rondo_cast")) << rondo_last_error();
      EXPECT_TRUE(!out && !more);
    };
    refused(rondo_unary(RONDO_NEG, a, &out), "rondo_unary(neg)", "a");
    refused(rondo_unary(RONDO_ISNAN, a, &out), "rondo_unary(isnan)", "a");
    refused(rondo_binary(RONDO_ADD, a, a, &out), "rondo_binary(add)", "a");
    refused(rondo_binary(RONDO_EQ, f, a, &out), "rondo_binary(eq)", "b");
    refused(rondo_binary(RONDO_BIT_AND, a, a, &out), "rondo_binary(bit_and)", "a");
    refused(rondo_binary_scalar(RONDO_MUL, a, 2, &out), "rondo_binary_scalar(mul)", "a");
    refused(rondo_scalar_binary_i64(RONDO_MUL, 2, a, &out), "rondo_scalar_binary_i64(mul)", "a");
    refused(rondo_ternary(RONDO_FMA, f, f, a, &out), "rondo_ternary(fma)", "c");
    refused(rondo_add_n(2, mixed, &out), "rondo_add_n", "tensors");
    refused(rondo_where(yes, a, f, &out), "rondo_where", "a");
    refused(rondo_where(yes, f, a, &out), "rondo_where", "b");
    refused(rondo_where(a, f, f, &out), "rondo_where", "condition");
    refused(rondo_concat(2, mixed, 0, &out), "rondo_concat", "tensors");
    refused(rondo_stack(2, mixed, 0, &out), "rondo_stack", "tensors");
    refused(rondo_reduce(RONDO_SUM, a, 0, nullptr, 0, &out), "rondo_reduce(sum)", "a");
    refused(rondo_reduce(RONDO_ANY, a, 0, nullptr, 0, &out), "rondo_reduce(any)", "a");
    refused(rondo_cumulative(RONDO_SUM, a, 0, 0, &out), "rondo_cumulative(sum)", "a");
    refused(rondo_matmul(a, a, nullptr, &out), "rondo_matmul", "a");
    refused(rondo_matmul(f, a, nullptr, &out), "rondo_matmul", "b");
    refused(rondo_softmax(a, 1, &out), "rondo_softmax", "a");
    refused(rondo_softmax_grad(f, a, 1, &out), "rondo_softmax_grad", "dy");
    refused(rondo_cross_entropy(a, labels, &out), "rondo_cross_entropy", "logits");
    refused(rondo_dropout(a, 0.5, &out, &more), "rondo_dropout", "a");
    refused(rondo_dropout_grad(a, mask, 0.5, &out), "rondo_dropout_grad", "dy");
    refused(rondo_convolution(four, image, nullptr, &out), "rondo_convolution", "x");
    refused(rondo_convolution(image, four, nullptr, &out), "rondo_convolution", "w");
    refused(rondo_instance_norm(four, nullptr, &out), "rondo_instance_norm", "a");
    refused(rondo_max_pool(four, 2, sizes, nullptr, &out), "rondo_max_pool", "a");
    refused(rondo_adaptive_avg_pool(four, 2, sizes, &out), "rondo_adaptive_avg_pool", "a");
    refused(rondo_resize(four, 2, sizes, RONDO_RESIZE_NEAREST, RONDO_RESIZE_HALF_PIXEL, &out), "rondo_resize", "a");
    refused(rondo_sort(a, 0, 0, &out), "rondo_sort", "a");
    refused(rondo_argsort(a, 0, 0, &out), "rondo_argsort", "a");
    refused(rondo_topk(a, 1, 0, 1, &out, &more), "rondo_topk", "a");
    refused(rondo_one_hot(labels, 3, dtype, &out), "rondo_one_hot", "result");
    refused(rondo_arange(engine(), device(), dtype, 0, 3, 1, &out), "rondo_arange", "result");
    refused(rondo_arange_i64(engine(), device(), dtype, 0, 3, 1, &out), "rondo_arange_i64", "result");
    refused(rondo_linspace(engine(), device(), dtype, 0, 3, 4, 1, &out), "rondo_linspace", "result");
    refused(rondo_random_uniform(engine(), device(), dtype, 2, sizes, 0, 1, &out), "rondo_random_uniform", "dtype");
    refused(rondo_tensor_accumulator(a, &out), "rondo_tensor_accumulator", "tensor");
    refused(rondo_take(f, a, 0, &out), "rondo_take", "indices");
    refused(rondo_put(f, labels, a, 0), "rondo_put", "values");

    const std::string text = std::string("y = ") + rondo_dtype_name(dtype) + "(x)";
    rondo_expression* expression = nullptr;
    EXPECT_EQ(rondo_expression_create(text.c_str(), nullptr, &expression), RONDO_INVALID_ARGUMENT);
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_cast")) << rondo_last_error();
    must(rondo_expression_create("y = x * 2", nullptr, &expression));
    const rondo_argument x = RONDO_TENSOR("x", a);
    refused(rondo_expression_run(expression, 1, &x, 1, &out), "rondo_expression_run", "x");
    rondo_expression_destroy(expression);
    // An output of the dtype is no cast either.
    rondo_tensor* given = a;
    expect_refused(rondo_binary(RONDO_ADD, f, f, &given), RONDO_INVALID_ARGUMENT, "rondo_binary", "out");
    expect_same_bits(download(a), full(dtype, {2, 2}, 1), "a refused call wrote");
  }
}

}  // namespace
}  // namespace conformance
