// Operands and outputs of every layout: broadcasting, strides, views; outputs that are given, shared with an input,
// accumulated. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "harness.h"
#include "operators/elementwise_reference.h"

namespace conformance {
namespace {

std::string text(const Shape& shape) {
  std::string out = "[";
  for (const int64_t size : shape) out += std::to_string(size) + " ";
  return out + "]";
}

class Layout : public OnEngine {
 protected:
  // The dtypes worth the kernels: both vector widths and the compute-in-float path.
  std::vector<rondo_dtype> few() const {
    if (sparing()) return {RONDO_F32};
    return {RONDO_F32, RONDO_F16, RONDO_I64, RONDO_U8};
  }
};
CONFORMANCE_SUITE(Layout);

TEST_P(Layout, Broadcast) {
  const std::pair<Shape, Shape> shapes[] = {
      {{7, 33}, {33}},                                       // row
      {{7, 33}, {7, 1}},                                     // column
      {{7, 33}, {}},                                         // scalar
      {{}, {7, 33}},                                         // scalar on the left
      {{1}, {257}},                                          // one element of one dimension
      {{7, 1}, {1, 33}},                                     // both sides
      {{5, 1, 3}, {4, 3}},                                   // missing leading axis
      {{2, 1, 2, 1, 2, 1, 2, 1}, {1, 3, 1, 2, 1, 3, 1, 2}},  // 8 dimensions, both sides
      {{2, 1, 2, 3, 1, 2, 1, 5}, {5}},                       // 8 dimensions that collapse to 2
      {{0, 3}, {3}},                                         // nothing
      {{3, 1}, {1, 0}},                                      // nothing, from something
  };
  for (const rondo_dtype dtype : few()) {
    run([&](Results& results) {
      for (const auto& [left, right] : shapes) {
        const Array x = random_array(dtype, left, 1, 0, 60), y = random_array(dtype, right, 2, 0, 60);
        const Tensor a = up(x), b = up(y);
        results.keep(text(left) + " - " + text(right), make(rondo_binary, RONDO_SUB, a, b),
                     [=] { return expect_binary(RONDO_SUB, x, y); });
      }
    });
  }
}

TEST_P(Layout, Views) {
  for (const rondo_dtype dtype : few()) {
    const Array x = random_array(dtype, {6, 10, 9}, 3, 0, 60), y = random_array(dtype, {9, 10, 6}, 4, 0, 60);
    const Tensor a = up(x), b = up(y);
    run([&](Results& results) {
      const Tensor reversed = transpose(b, {});
      const Array reversed_host = host_transpose(y, {2, 1, 0});
      results.keep("transposed", make(rondo_binary, RONDO_SUB, a, reversed),
                   [=] { return expect_binary(RONDO_SUB, x, reversed_host); });
      results.keep("both transposed", make(rondo_binary, RONDO_SUB, reversed, transpose(b, {2, 1, 0})),
                   [=] { return expect_binary(RONDO_SUB, reversed_host, reversed_host); });
      const Tensor backward = slice(a, 1, INT64_MAX, INT64_MIN, -1);
      results.keep("negative stride", make(rondo_binary, RONDO_SUB, backward, reversed),
                   [=] { return expect_binary(RONDO_SUB, host_slice(x, 1, 9, 10, -1), reversed_host); });
      const Tensor stepped = slice(slice(a, 2, 1, 9, 3), 0, 5, INT64_MIN, -2);
      const Array stepped_host = host_slice(host_slice(x, 2, 1, 3, 3), 0, 5, 3, -2);
      results.keep("two steps", make(rondo_unary, RONDO_SQUARE, stepped),
                   [=] { return expect_unary(RONDO_SQUARE, stepped_host); });
      const Tensor row = slice(a, 0, 2, 3);
      results.keep("row of a view, broadcast", make(rondo_binary, RONDO_SUB, a, row),
                   [=] { return expect_binary(RONDO_SUB, x, host_slice(x, 0, 2, 1, 1)); });
      const Tensor wide = broadcast(slice(a, 1, 4, 5), {6, 10, 9});
      results.keep("explicit broadcast", make(rondo_binary, RONDO_SUB, wide, a), [=] {
        return expect_binary(RONDO_SUB, host_broadcast(host_slice(x, 1, 4, 1, 1), {6, 10, 9}), x);
      });
      results.keep("swapped inner axes", make(rondo_unary, RONDO_SQUARE, transpose(a, {0, 2, 1})), [=] {
        return expect_unary(RONDO_SQUARE, host_transpose(x, {0, 2, 1}));
      });
    });
  }
}

// A large misaligned, a large broadcast and a large transposed operand: more than one block of any implementation.
TEST_P(Layout, Large) {
  const Array x = random_array(RONDO_F32, {130, 517}, 5, -9, 9), y = random_array(RONDO_F32, {517, 130}, 6, -9, 9);
  const Tensor a = up(x), b = up(y);
  const std::vector<Body> all = {
      [&](Results& results) {
        results.keep("transposed", make(rondo_binary, RONDO_ADD, a, transpose(b, {1, 0})), [=] {
          return expect_binary(RONDO_ADD, x, host_transpose(y, {1, 0}));
        });
      },
      [&](Results& results) {
        results.keep("row", make(rondo_binary, RONDO_ADD, a, slice(a, 0, 77, 78)),
                     [=] { return expect_binary(RONDO_ADD, x, host_slice(x, 0, 77, 1, 1)); });
      },
      [&](Results& results) {
        results.keep("column", make(rondo_binary, RONDO_ADD, slice(a, 1, 3, 4), a),
                     [=] { return expect_binary(RONDO_ADD, host_slice(x, 1, 3, 1, 1), x); });
      },
      [&](Results& results) {
        results.keep("offset rows", make(rondo_binary, RONDO_ADD, slice(a, 1, 1, 517), slice(a, 1, 0, 516)), [=] {
          return expect_binary(RONDO_ADD, host_slice(x, 1, 1, 516, 1), host_slice(x, 1, 0, 516, 1));
        });
      },
  };
  run([&](Results& results) {
    for (const Body& each : dealt(all)) each(results);
  });
}

// Operands that are dense along another dimension than the result: whole tiles and odd ends of them, in batches, two at
// once, misaligned, beside broadcast ones and into sums.
TEST_P(Layout, Turned) {
  const struct {
    rondo_dtype dtype;
    int64_t n, rows, columns;
  } cases[] = {{RONDO_F32, 3, 64, 128}, {RONDO_F32, 2, 71, 45}, {RONDO_F16, 1, 34, 260},
               {RONDO_F16, 2, 65, 33},  {RONDO_U8, 2, 36, 132}, {RONDO_F64, 1, 40, 50}};
  for (const auto& [dtype, n, rows, columns] : cases) {
    SCOPED_TRACE(std::string(rondo_dtype_name(dtype)) + " " + std::to_string(rows));
    const Array x = random_array(dtype, {n, rows, columns}, 21, 0, 9),
                y = random_array(dtype, {n, columns, rows}, 22, 0, 9),
                z = random_array(dtype, {rows, n, columns}, 23, 0, 9), c = random_array(dtype, {n, rows, 1}, 24, 0, 9);
    const Tensor a = up(x), b = up(y), m = up(z), column = up(c);
    const Array turned = host_transpose(y, {0, 2, 1});
    run([&](Results& results) {
      const Tensor t = transpose(b, {0, 2, 1});
      results.keep("with a dense one", make(rondo_binary, RONDO_ADD, a, t),
                   [=] { return expect_binary(RONDO_ADD, x, turned); });
      results.keep("alone", make(rondo_unary, RONDO_SQUARE, t), [=] { return expect_unary(RONDO_SQUARE, turned); });
      results.keep("with a column", make(rondo_binary, RONDO_ADD, t, column),
                   [=] { return expect_binary(RONDO_ADD, turned, c); });
      results.keep("two of them", make(rondo_binary, RONDO_MUL, t, t),
                   [=] { return expect_binary(RONDO_MUL, turned, turned); });
      results.keep("with other axes swapped", make(rondo_binary, RONDO_ADD, transpose(m, {1, 0, 2}), t), [=] {
        return expect_binary(RONDO_ADD, host_transpose(z, {1, 0, 2}), turned);
      });
      results.keep("misaligned", make(rondo_unary, RONDO_SQUARE, slice(slice(t, 1, 1, rows), 2, 1, columns)), [=] {
        return expect_unary(RONDO_SQUARE, host_slice(host_slice(turned, 1, 1, rows - 1, 1), 2, 1, columns - 1, 1));
      });
      results.keep("all axes", make(rondo_unary, RONDO_SQUARE, transpose(b, {2, 1, 0})), [=] {
        return expect_unary(RONDO_SQUARE, host_transpose(y, {2, 1, 0}));
      });
      Tensor sum = make(rondo_unary, RONDO_ABS, a);  // nothing is negative
      into(make(rondo_tensor_accumulator, sum), rondo_unary, RONDO_ABS, t);
      results.keep("added", std::move(sum), [=] { return expect_binary(RONDO_ADD, x, turned); });
    });
  }
}

// Networks stay in the layout they begin in: a new result has the order of axes of the first operand of its shape, and
// the same numbers. The second call of each goes by the plan that the first one made.
TEST_P(Layout, ChannelsLastStayLast) {
  const Shape shape = {2, 5, 6, 3};
  const auto image = [&](uint64_t seed) { return up(random_array(RONDO_F32, {2, 6, 3, 5}, seed, -9, 9)); };
  const Tensor channels = up(random_array(RONDO_F32, {5, 1, 1}, 3, -9, 9));
  using Given = std::array<Tensor, 2>;
  using Call = std::function<Tensor(const Given&)>;
  const std::pair<const char*, Call> calls[] = {
      {"relu", [](const Given& x) { return make(rondo_unary, RONDO_RELU, x[0]); }},
      {"sub", [](const Given& x) { return make(rondo_binary, RONDO_SUB, x[0], x[1]); }},
      {"channels - image", [&](const Given& x) { return make(rondo_binary, RONDO_SUB, channels, x[0]); }},
      {"lt", [](const Given& x) { return make(rondo_binary, RONDO_LT, x[0], x[1]); }},
      {"scalar", [](const Given& x) { return make(rondo_binary_scalar, RONDO_MUL, x[0], 0.5); }},
      {"where", [](const Given& x) { return make(rondo_where, make(rondo_unary, RONDO_ISNAN, x[0]), x[0], x[1]); }},
      {"gated", [](const Given& x) { return make(rondo_gated, RONDO_SIGMOID, x[0], x[1]); }},
      {"add_n",
       [](const Given& x) {
         rondo_tensor* const both[] = {x[0], x[1]};
         return make(rondo_add_n, 2, both);
       }},
      {"cast", [](const Given& x) { return make(rondo_cast, x[0], RONDO_F16); }},
      {"dropout_grad",
       [](const Given& x) { return make(rondo_dropout_grad, x[0], make(rondo_cast, x[1], RONDO_U8), 0.5); }},
  };
  const Given plain = {image(1), image(2)},
              last = {transpose(plain[0], {0, 3, 1, 2}), transpose(plain[1], {0, 3, 1, 2})};
  // The same images, row-major as they are to be seen.
  const Given first = {make(rondo_copy, last[0]), make(rondo_copy, last[1])};
  for (const auto& [name, call] : calls)
    for (int i = 0; i < 2; ++i) {
      const Tensor y = call(last), ordinary = call(first);
      EXPECT_EQ(query(ordinary).contiguous, 1) << name;
      EXPECT_EQ(query(transpose(y, {0, 2, 3, 1})).contiguous, 1) << name;
      expect_same_bits(download(y), download(ordinary), name);
    }
  // What is broadcast alone has no order of its own, and one channel that is shown as many is none innermost.
  const Tensor shown = broadcast(channels, shape);
  EXPECT_EQ(query(make(rondo_unary, RONDO_NEG, shown)).contiguous, 1);
}

// By strides alone: channels are innermost where axis 1 has a smaller stride than each later one, whatever axis 0 has.
TEST_P(Layout, ChannelsAreLastByStridesOfLaterAxes) {
  const Tensor source = up(random_array(RONDO_F32, {4, 3, 2}, 8, -9, 9)), a = transpose(source, {2, 1, 0});
  const auto strides = [](rondo_tensor* tensor) {
    const rondo_tensor_info info = query(tensor);
    return Shape(info.strides, info.strides + info.ndim);
  };
  ASSERT_EQ(strides(a), (Shape{1, 2, 6}));
  const Shape last = {12, 1, 3};
  EXPECT_EQ(strides(make(rondo_unary, RONDO_RELU, a)), last);
  EXPECT_EQ(strides(make(rondo_binary, RONDO_ADD, a, a)), last);
  const int64_t kernel[] = {1};
  EXPECT_EQ(strides(make(rondo_max_pool, a, 1, kernel, nullptr)), last);
  EXPECT_EQ(strides(make(rondo_group_norm, a, int64_t{1}, nullptr)), last);
  // The last axis has the smaller stride.
  EXPECT_EQ(strides(make(rondo_unary, RONDO_RELU, transpose(source, {2, 0, 1}))), (Shape{12, 3, 1}));
}

TEST_P(Layout, GivenOutput) {
  const Array x = random_array(RONDO_F32, {12, 9}, 7, -9, 9);
  const Tensor a = up(x);
  run([&](Results& results) {
    Tensor plain = empty(RONDO_F32, {12, 9});
    into(plain, rondo_unary, RONDO_NEG, a);
    results.keep("same layout", std::move(plain), [=] { return expect_unary(RONDO_NEG, x); });

    // Into the odd columns of a filled tensor: the even ones must stay.
    Tensor wide = empty(RONDO_F32, {12, 18});
    must(rondo_fill(wide, 5));
    into(slice(wide, 1, 1, 18, 2), rondo_unary, RONDO_NEG, a);
    results.keep("strided output", std::move(wide), [=] {
      Expected out(RONDO_F32, {12, 18});
      for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = i % 2 ? -x[i / 2] : 5;
      return out;
    });

    Tensor turned = empty(RONDO_F32, {9, 12});
    into(transpose(turned, {1, 0}), rondo_unary, RONDO_NEG, a);
    results.keep("transposed output", std::move(turned), [=] {
      return expect_unary(RONDO_NEG, host_transpose(x, {1, 0}));
    });

    Tensor backward = empty(RONDO_F32, {12, 9});
    into(slice(backward, 0, INT64_MAX, INT64_MIN, -1), rondo_unary, RONDO_NEG, a);
    results.keep("reversed output", std::move(backward),
                 [=] { return expect_unary(RONDO_NEG, host_slice(x, 0, 11, 12, -1)); });
  });
}

TEST_P(Layout, InPlace) {
  const Array x = random_array(RONDO_F32, {4099}, 8, -9, 9), y = random_array(RONDO_F32, {4099}, 9, -9, 9);
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    Tensor value = make(rondo_copy, a);
    into(value, rondo_binary, RONDO_ADD, value, b);
    into(value, rondo_unary, RONDO_NEG, value);
    into(value, rondo_binary, RONDO_MUL, b, value);
    results.keep("in place", std::move(value), [=] {
      Expected out(RONDO_F32, {4099});
      for (size_t i = 0; i < x.size(); ++i) out.values[i] = y[i] * -rounded(RONDO_F32, x[i] + y[i]);
      return out;
    });
    Tensor view_base = make(rondo_copy, a);
    const Tensor view = slice(view_base, 0, 1, 4099, 2);
    into(view, rondo_binary_scalar, RONDO_MUL, view, 2.0);
    results.keep("in place through a view", std::move(view_base), [=] {
      Expected out(x);
      for (size_t i = 1; i < x.size(); i += 2) out.values[i] *= 2;
      return out;
    });
  });
}

TEST_P(Layout, Accumulate) {
  for (const rondo_dtype dtype : covering({RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64, RONDO_I32, RONDO_I64}, 0)) {
    const Array x = random_array(dtype, {9, 33}, 10, -9, 9), y = random_array(dtype, {33}, 11, -9, 9);
    const Tensor a = up(x), b = up(y);
    run([&](Results& results) {
      Tensor sum = make(rondo_copy, a);
      const Tensor target = make(rondo_tensor_accumulator, sum);
      into(target, rondo_binary, RONDO_MUL, a, b);
      into(target, rondo_binary, RONDO_SUB, a, b);
      results.keep(rondo_dtype_name(dtype), std::move(sum), [=] {
        // Half precision stays in float until the one rounding of the accumulation; other floats round the product too.
        const rondo_dtype inner = is_half(dtype) ? RONDO_F32 : dtype;
        Expected out(dtype, x.shape);
        for (size_t i = 0; i < out.values.size(); ++i) {
          const Real other = y[i % 33];
          const Real product = is_floating(dtype) ? rounded(inner, Real(double(x[i]) * double(other))) : x[i] * other;
          const Real first = rounded(dtype, is_floating(dtype) ? Real(double(x[i]) + double(product)) : x[i] + product);
          const Real change = is_floating(dtype) ? rounded(inner, Real(double(x[i]) - double(other))) : x[i] - other;
          out.values[i] = is_floating(dtype) ? Real(double(first) + double(change)) : first + change;
        }
        return out;
      });
    });
  }
}

TEST_P(Layout, AccumulateIntoView) {
  const Array x = random_array(RONDO_F32, {8, 8}, 12, -9, 9);
  const Tensor a = up(x);
  run([&](Results& results) {
    Tensor sum = empty(RONDO_F32, {8, 16});
    must(rondo_fill(sum, 1));
    into(make(rondo_tensor_accumulator, slice(sum, 1, 0, 16, 2)), rondo_unary, RONDO_NEG, transpose(a, {1, 0}));
    results.keep("strided accumulator", std::move(sum), [=] {
      const Array turned = host_transpose(x, {1, 0});
      Expected out(RONDO_F32, {8, 16});
      for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = i % 2 ? 1 : 1 - turned[i / 2];
      return out;
    });
  });
}

// Outputs that lie between the elements of an input, and share none.
TEST_P(Layout, OutputsBetweenTheElementsOfInputs) {
  const Array x = range(RONDO_F32, {12, 10});
  const Tensor whole = up(x);
  const auto negated = [](Array part) {
    for (size_t i = 0; i < part.size(); ++i) part.set(i, -part[i]);
    return part;
  };
  struct Part {
    int64_t rows[3], columns[3];  // start, stop, step
  };
  // Into the first from the second.
  const std::pair<Part, Part> apart[] = {
      {{{0, 12, 1}, {1, 10, 2}}, {{0, 12, 1}, {0, 10, 2}}},  // odd columns from even ones
      {{{0, 12, 1}, {5, 10, 1}}, {{0, 12, 1}, {0, 5, 1}}},   // the right half from the left
      {{{1, 12, 2}, {0, 10, 1}}, {{0, 12, 2}, {0, 10, 1}}},  // odd rows from even ones
      {{{0, 6, 1}, {4, 8, 1}}, {{3, 9, 1}, {0, 4, 1}}},      // blocks whose rows are interleaved
      {{{0, 12, 3}, {0, 9, 3}}, {{1, 12, 3}, {1, 10, 3}}},   // a grid from one beside it
  };
  for (const auto& [to, from] : apart) {
    const auto part = [](rondo_tensor* tensor, const Part& p) {
      return slice(slice(tensor, 0, p.rows[0], p.rows[1], p.rows[2]), 1, p.columns[0], p.columns[1], p.columns[2]);
    };
    const auto host_part = [&](const Part& p) {
      const auto size = [](const int64_t(&s)[3]) { return (s[1] - s[0] + s[2] - 1) / s[2]; };
      return host_slice(host_slice(x, 0, p.rows[0], size(p.rows), p.rows[2]), 1, p.columns[0], size(p.columns),
                        p.columns[2]);
    };
    run([&, to = to, from = from](Results& results) {
      Tensor a = make(rondo_copy, whole);
      into(part(a, to), rondo_unary, RONDO_NEG, part(a, from));
      results.keep("written", make(rondo_copy, part(a, to)), [=] { return Expected(negated(host_part(from))); });
      results.keep("read", make(rondo_copy, part(a, from)), [=] { return Expected(host_part(from)); });
    });
  }
}

}  // namespace
}  // namespace conformance
