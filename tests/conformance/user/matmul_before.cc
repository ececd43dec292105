// Matrix products of what an expression's text computes: it is staged in the dtype that it has, and gives what
// operators give one after the other. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tape/tape.h"
#include "user/matmul.h"

namespace conformance::matmul_before {
namespace {

class UserMatmulBefore : public OnEngine {
 protected:
  // Whether or not somebody reads what they make.
  int32_t tasks_of(const std::function<void()>& body) const {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;
    return graph_info(record(engine(), body, &options).get()).tasks;
  }
  std::vector<rondo_dtype> dtypes(int turn) const {
    return covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, turn);
  }
};
CONFORMANCE_SUITE(UserMatmulBefore);

Real relu(Real x) {
  return x > 0 || std::isnan(x) ? x : 0;
}
// f of the elements of two arrays, as a tensor of the first one's dtype holds it.
template <class F>
Array combined(const Array& a, const Array& b, const F& f) {
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const Array x = host_broadcast(a, shape), y = host_broadcast(b, shape);
  Array out(a.dtype, shape);
  for (size_t i = 0; i < out.size(); ++i) out.set(i, f(x[i], y[i]));
  return out;
}
Array masked(const Array& a, const Array& mask) {
  return combined(a, mask, [](Real x, Real m) { return relu(x) * m; });
}
Array sum_of(const Array& b, const Array& c) {
  return combined(b, c, [](Real x, Real y) { return x + y; });
}
Array swap_last(const Array& a) {
  std::vector<int32_t> axes(a.shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int32_t>(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return host_transpose(a, axes);
}

// a b * s + x of matrices as they are multiplied.
Expected by_hand(const Array& a, const Array& b, Real s, const Array& x, rondo_dtype result) {
  const Products product = products(a, b);
  const Array more = host_broadcast(x, product.shape);
  Expected out(result, product.shape, 1);
  out.absolute.resize(out.values.size());
  for (size_t at = 0; at < product.sums.size(); ++at) {
    out.values[at] = product.sums[at] * s + more[at];
    out.absolute[at] = product.epsilon * (product.slack(at, s) + std::fabs(more[at]) * 2);
  }
  return out;
}

struct Problem {
  Shape a, mask, b, c, x;                 // as they are in memory
  std::vector<int32_t> order_a, order_b;  // of the axes of the views that are read; empty: as they are
  const char* words = "";
};

TEST_P(UserMatmulBefore, OperandsThatAreComputed) {
  const std::vector<Problem> problems = {
      {{7, 5}, {7, 5}, {5, 9}, {9}, {9}, {}, {}},
      {{70, 33}, {33}, {33, 66}, {33, 66}, {70, 1}, {}, {}},
      {{1, 40}, {65, 1}, {40, 1}, {3}, {}, {}, {}},  // neither alone has the shape
      {{5, 7}, {7, 1}, {9, 5}, {9}, {7, 9}, {1, 0}, {1, 0}},
      {{5, 7}, {5, 1}, {9, 5}, {}, {9}, {}, {}, ", transpose_a, transpose_b"},
      {{4, 6, 3}, {6, 3}, {4, 3, 8}, {4, 1, 1}, {8}, {}, {}},
      {{6, 3}, {4, 1, 1}, {3, 8}, {8}, {4, 6, 8}, {}, {}},  // the batch is the mask's
      {{6, 3}, {}, {4, 8, 3}, {2, 1, 8, 1}, {}, {}, {}, ", transpose_b"},
      {{6, 2, 3, 4}, {2, 1, 6, 1}, {3, 4, 5}, {5}, {2, 1, 1, 5}, {1, 2, 0, 3}, {}},
      {{1, 300}, {300}, {300, 1}, {1, 1}, {}, {}, {}},
      {{3, 0}, {3, 1}, {0, 4}, {4}, {4}, {}, {}},
      {{0, 5}, {5}, {5, 3}, {3}, {}, {}, {}},
      {{2, 5}, {2, 1}, {5, 0}, {1}, {2, 1}, {}, {}}};
  int turn = 0;
  for (const rondo_dtype dtype : dtypes(turn)) {
    for (const Problem& each : dealt(problems)) {
      ++turn;
      const Expression text((std::string("y = matmul(relu(a) * mask, b + c") + each.words + ") * s + x").c_str());
      const Array stored_a = random_array(dtype, each.a, 1, -2, 2), stored_b = random_array(dtype, each.b, 2, -2, 2);
      const Array factor = random_array(dtype, each.mask, 3, -2, 2), term = random_array(dtype, each.c, 4, -2, 2);
      const Array more = random_array(dtype, each.x, 5, -2, 2);
      const Tensor whole_a = up(stored_a), whole_b = up(stored_b), mask = up(factor), c = up(term), x = up(more);
      const Tensor a = each.order_a.empty() ? slice(whole_a, 0, 0, each.a[0]) : transpose(whole_a, each.order_a);
      const Tensor b = each.order_b.empty() ? slice(whole_b, 0, 0, each.b[0]) : transpose(whole_b, each.order_b);
      Array left = masked(each.order_a.empty() ? stored_a : host_transpose(stored_a, each.order_a), factor);
      Array right = sum_of(each.order_b.empty() ? stored_b : host_transpose(stored_b, each.order_b), term);
      const std::string words = each.words;
      if (words.find("_a") != std::string::npos) left = swap_last(left);
      if (words.find("_b") != std::string::npos) right = swap_last(right);
      const bool nothing = left.shape[left.shape.size() - 2] == 0 || right.shape.back() == 0;
      run(
          [&](Results& results) {
            results.keep(std::string(rondo_dtype_name(dtype)) + " problem " + std::to_string(turn),
                         text({tensor("a", a), tensor("mask", mask), tensor("b", b), tensor("c", c), tensor("x", x),
                               scalar("s", 0.5)}),
                         [=] { return by_hand(left, right, 0.5L, more, dtype); });
          },
          GraphShape{nothing                  ? 0
                     : left.shape.back() == 0 ? 1
                                              : 2});
    }
  }
}

// Each operand has the dtype that it would have in memory, and is rounded to it once.
TEST_P(UserMatmulBefore, DtypesOfOperands) {
  const Array whole = random_array(RONDO_I32, {6, 10}, 6, -9, 9), half = random_array(RONDO_F16, {10, 4}, 7, -2, 2);
  const Array wide = random_array(RONDO_F32, {6, 10}, 8, -2, 2), bits = random_array(RONDO_BOOL, {6, 10}, 9, 0, 1);
  const Tensor i = up(whole), h = up(half), w = up(wide), t = up(bits);
  const auto cast = [](const Array& from, rondo_dtype to, Real s) {
    Array out(to, from.shape);
    for (size_t k = 0; k < out.size(); ++k) out.set(k, from[k] * s);
    return out;
  };
  const Array none = full(RONDO_F32, {}, 0);
  run([&](Results& results) {
    results.keep("integers as halves",
                 Expression("y = matmul(f16(i) * s, h)")({tensor("i", i), tensor("h", h), scalar("s", 0.5)}),
                 [=] { return by_hand(cast(whole, RONDO_F16, 0.5L), half, 1, none, RONDO_F16); });
    results.keep("halves as floats", Expression("y = matmul(w, f32(h))")({tensor("w", w), tensor("h", h)}),
                 [=] { return by_hand(wide, cast(half, RONDO_F32, 1), 1, none, RONDO_F32); });
    results.keep("floats as halves", Expression("y = matmul(f16(w), h)")({tensor("w", w), tensor("h", h)}),
                 [=] { return by_hand(cast(wide, RONDO_F16, 1), half, 1, none, RONDO_F16); });
    results.keep("chosen",
                 Expression("y = matmul(t ? f64(w) : 0, f64(h))")({tensor("t", t), tensor("w", w), tensor("h", h)}),
                 [=] {
                   const Array chosen = combined(cast(wide, RONDO_F64, 1), bits, [](Real x, Real b) { return x * b; });
                   return by_hand(chosen, cast(half, RONDO_F64, 1), 1, none, RONDO_F64);
                 });
  });
}

TEST_P(UserMatmulBefore, NotNumbersAndInfinities) {
  const Real inf = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  for (const rondo_dtype dtype : dtypes(1)) {
    Array left = random_array(dtype, {5, 6}, 10, 1, 2), right = full(dtype, {6, 3}, 1);
    left.set(7, nan), left.set(14, inf), left.set(20, -inf);  // rows 1, 2 and 3
    Array mask = full(dtype, {5, 6}, 1);
    mask.set(28, inf), left.set(28, 0);  // row 4: zero times infinity
    const Tensor a = up(left), b = up(right), m = up(mask);
    run([&](Results& results) {
      results.keep(rondo_dtype_name(dtype),
                   Expression("y = matmul(relu(a) * m, b + 0)")({tensor("a", a), tensor("m", m), tensor("b", b)}),
                   [=] { return by_hand(masked(left, mask), right, 1, full(dtype, {}, 0), dtype); });
    });
  }
}

// All that is computed before products is one task, and none for what is in memory as it is wanted.
TEST_P(UserMatmulBefore, IsStagedOnce) {
  const Tensor a = up(random_array(RONDO_F32, {6, 10}, 11, -3, 3)), b = up(random_array(RONDO_F32, {10, 6}, 12, -3, 3));
  const struct {
    const char* text;
    int results, tasks;
  } cases[] = {{"y = matmul(relu(a), b)", 1, 2},
               {"y = matmul(relu(a), exp(b))", 1, 2},
               {"let p = matmul(relu(a), exp(b)); y = p + 1; z = p * 2", 2, 3},
               {"let h = tanh(a); y = matmul(h, h, transpose_b) + 0 * sum_of", 1, 2},
               {"let h = +a; y = matmul(f32(h), b)", 1, 1},
               {"let p = matmul(relu(a), b); y = sum_of * 2", 1, 1}};
  const Tensor one = up(full(RONDO_F32, {}, 1));
  for (const auto& each : cases) {
    const Expression text(each.text);
    std::vector<rondo_argument> arguments;
    for (int32_t k = 0; const char* name = rondo_expression_operand(text, k); ++k)
      arguments.push_back(tensor(name, name[0] == 'a' ? a : name[0] == 'b' ? b : one));
    const int32_t tasks = tasks_of([&] {
      rondo_tensor* made[2] = {};
      must(rondo_expression_run(text, static_cast<int32_t>(arguments.size()), arguments.data(), each.results, made));
      const Tensor first(made[0]), second(made[1]);
    });
    EXPECT_EQ(tasks, each.tasks) << each.text;
  }
  // The same operand twice.
  const Tensor h = make(rondo_unary, RONDO_TANH, a);
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  options.transpose_b = 1;
  expect_same_bits(download(Expression("let h = tanh(a); y = matmul(h, h, transpose_b)")({tensor("a", a)})),
                   download(make(rondo_matmul, h, h, &options)), "twice");
}

// What is read before a product may be written by the same call, as a result of its own; what is assigned is computed.
TEST_P(UserMatmulBefore, BesideOtherResults) {
  const Array given = random_array(RONDO_F32, {8, 6}, 13, -1, 1), weights = random_array(RONDO_F32, {6, 6}, 14, -1, 1);
  const Tensor x = up(given), w = up(weights), row = up(random_array(RONDO_F32, {6}, 15, -1, 1));
  const Tensor lone = up(random_array(RONDO_F32, {1, 6}, 16, -1, 1));
  const Expression text("x = x + 1; let p = matmul(relu(x) * lone, w * 2); y = p + row; r = row * relu(x)");
  rondo_tensor* made[3] = {x, nullptr, nullptr};
  const rondo_argument arguments[] = {tensor("x", x), tensor("w", w), tensor("row", row), tensor("lone", lone)};
  ASSERT_EQ(rondo_expression_run(text, 4, arguments, 3, made), RONDO_OK) << rondo_last_error();
  const Tensor y(made[1]), r(made[2]);
  const Array rows = download(row), scale = download(lone), rs = download(r), xs = download(x);
  const Array moved = sum_of(given, full(RONDO_F32, {}, 1));
  expect_as(xs, Expected(moved), "x");
  expect_as(rs, Expected(masked(moved, rows)), "r");
  expect_as(download(y), by_hand(masked(moved, scale), sum_of(weights, weights), 1, rows, RONDO_F32), "y");
}

TEST_P(UserMatmulBefore, SetsAreEachTheirOwn) {
  const Expression text("y = matmul(relu(a) * s, b + 1) - c");
  const Tensor a = up(random_array(RONDO_F32, {4, 9}, 17, -3, 3)), b = up(random_array(RONDO_F32, {9, 2}, 18, -3, 3));
  const Tensor turned = transpose(b, {1, 0}), c = up(random_array(RONDO_F32, {}, 19, -3, 3));
  const rondo_argument arguments[] = {tensor("a", a), tensor("b", b),      scalar("s", 1),   tensor("c", c),
                                      tensor("a", b), tensor("b", turned), scalar("s", 0.5), tensor("c", c)};
  rondo_tensor* made[2] = {};
  const int32_t tasks = tasks_of([&] {
    rondo_tensor* unused[2] = {};
    must(rondo_expression_run_each(text, 2, 4, arguments, 1, unused));
    const Tensor first(unused[0]), second(unused[1]);
  });
  EXPECT_EQ(tasks, 3);
  must(rondo_expression_run_each(text, 2, 4, arguments, 1, made));
  const Tensor first(made[0]), second(made[1]);
  expect_same_bits(download(first), download(text({arguments[0], arguments[1], arguments[2], arguments[3]})), "first");
  expect_same_bits(download(second), download(text({arguments[4], arguments[5], arguments[6], arguments[7]})),
                   "second");
}

// What is staged belongs to a launch: it is of what the operands hold then.
TEST_P(UserMatmulBefore, GraphsReadAnew) {
  const Expression text("y = matmul(relu(a) * 2, b + 1) + c");
  const Tensor a = up(random_array(RONDO_F32, {5, 8}, 23, -2, 2)), b = up(random_array(RONDO_F32, {8, 3}, 24, -2, 2));
  const Tensor c = up(random_array(RONDO_F32, {3}, 25, -2, 2)), out = up(Array(RONDO_F32, {5, 3}));
  const std::vector<rondo_argument> arguments = {tensor("a", a), tensor("b", b), tensor("c", c)};
  const Graph graph = record(engine(), [&] { must(text.run(arguments, {out})); });
  for (const double value : {0.5, -3.0}) {
    must(rondo_fill(b, value));
    must(rondo_graph_launch(graph.get()));
    expect_same_bits(download(out), download(text(arguments)), std::to_string(value));
  }
}

// A tape knows the gradient of the product, as of one of a tensor, but none of what is computed before it.
TEST_P(UserMatmulBefore, OnATape) {
  const Tensor a = up(random_array(RONDO_F64, {3, 5}, 20, -2, 2)), b = up(random_array(RONDO_F64, {5, 4}, 21, -2, 2));
  const Tensor dy = up(random_array(RONDO_F64, {3, 4}, 22, -2, 2));
  const Expression text("y = matmul(relu(a), b)", "staged");
  const Tape tape(engine());
  tape.watch(b);
  const Tensor y = text({tensor("a", a), tensor("b", b)});
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  options.transpose_a = 1;
  const Array gradient = download(tape.gradient(y, b, dy));
  const Array exact = download(make(rondo_matmul, make(rondo_unary, RONDO_RELU, a), dy, &options));
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(double(gradient[i]), double(exact[i]), 1e-12) << i;
  const Tape other(engine());
  other.watch(a);
  rondo_tensor *z = text({tensor("a", a), tensor("b", b)}).release(), *source = a, *incoming = dy, *none = nullptr;
  const Tensor owner(z);
  expect_refused(rondo_tape_gradients(other, 1, &z, &incoming, 1, &source, &none), RONDO_UNSUPPORTED,
                 "rondo_tape_gradients", "staged");
}

TEST_P(UserMatmulBefore, RefusesWhatIsNotRight) {
  const Tensor a = up(Array(RONDO_F32, {3, 4})), b = up(Array(RONDO_F32, {4, 5})), i = up(Array(RONDO_I32, {4, 5}));
  const Tensor h = up(Array(RONDO_F16, {4, 5})), row = up(Array(RONDO_F32, {5})), mask = up(Array(RONDO_F32, {3, 5}));
  const Tensor square = up(Array(RONDO_F32, {3, 3}));
  const auto refuse = [&](const char* source, std::vector<rondo_argument> arguments, rondo_tensor* out,
                          const char* place, const char* word) {
    const Expression text(source);
    expect_refused(text.run(arguments, {out}), RONDO_INVALID_ARGUMENT, "rondo_expression_run", word);
    EXPECT_NE(std::string(rondo_last_error()).find(place), std::string::npos) << rondo_last_error();
  };
  const auto ta = tensor("a", a), tb = tensor("b", b);
  refuse("y = matmul(a * mask, b)", {ta, tb, tensor("mask", mask)}, nullptr, "1:14: ", "does not broadcast");
  refuse("y = matmul(a * 2, b + row)", {ta, tensor("b", a), tensor("row", row)}, nullptr, "1:21: ", "row");
  refuse("y = matmul(a * 2, relu(b))", {ta, tensor("b", a)}, nullptr, "1:5: ", "the first operand");
  refuse("y = matmul(a, relu(b))", {ta, tensor("b", a)}, nullptr, "1:5: ", "the second operand");
  refuse("y = matmul(a, i + 1)", {ta, tensor("i", i)}, nullptr, "1:5: ", "float dtype");
  refuse("y = matmul(a, h * 2)", {ta, tensor("h", h)}, nullptr, "1:5: ", "cast one");
  refuse("y = matmul(a, row + 1)", {ta, tensor("row", row)}, nullptr, "1:19: ", "at least 2");
  refuse("y = matmul(a, f32(2))", {ta}, nullptr, "1:15: ", "at least 2");
  refuse("y = matmul(2 + s, b)", {tb, scalar("s", 2)}, nullptr, "1:14: ", "this is a number");
  refuse("y = matmul(2, b)", {tb}, nullptr, "1:12: ", "this is a number");
  refuse("y = matmul(relu(a), b) + a", {ta, tb}, nullptr, "", "shape of the product");
  refuse("y = matmul(relu(c), c)", {tensor("c", square)}, square, "", "made of a product");
}

}  // namespace
}  // namespace conformance::matmul_before
