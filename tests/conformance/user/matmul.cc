// Matrix products in the text of an expression: what stands behind one is computed where it is stored, and gives what
// operators give one after the other. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "tape/tape.h"
#include "user/matmul.h"

namespace conformance {
namespace {

class UserMatmul : public OnEngine {
 protected:
  // Where cuBLASLt computes the product, a kernel of ours follows it.
  void expect_one_task(const std::function<void()>& body) const {
    const Graph graph = record(engine(), body);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.tasks, 1) << graph_report(graph.get());
    int32_t library = 0;
    must(rondo_feature("cublaslt", &library, nullptr));
    if (on_cuda() && !library) {
      EXPECT_EQ(info.nodes, 1) << graph_report(graph.get());
    }
  }
  std::vector<rondo_dtype> dtypes(int turn) const {
    return covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, turn);
  }
};
CONFORMANCE_SUITE(UserMatmul);

struct Problem {
  Shape a, b, bias, x;                    // as they are in memory
  std::vector<int32_t> order_a, order_b;  // of their axes in the views that are multiplied; empty: as they are
  const char* words = "";
};

Array swap_last(const Array& a) {
  std::vector<int32_t> axes(a.shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int32_t>(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return host_transpose(a, axes);
}

Real gelu(Real x) {
  return x / 2 * std::erfc(-x / std::sqrt(Real(2)));
}

// gelu(matmul(a, b) * s + bias) + x of matrices as they are multiplied.
Expected by_hand(const Array& a, const Array& b, const Array& bias, const Array& x, Real s, rondo_dtype result) {
  const Products product = products(a, b);
  const Array c = host_broadcast(bias, product.shape), residual = host_broadcast(x, product.shape);
  Expected out(result, product.shape, 1);
  out.absolute.resize(out.values.size());
  for (size_t at = 0; at < product.sums.size(); ++at) {
    const Real value = gelu(product.sums[at] * s + c[at]);
    out.values[at] = value + residual[at];
    out.absolute[at] = product.epsilon *
                       (product.slack(at, s) + std::fabs(c[at]) * 2 + std::fabs(value) * 8 + std::fabs(residual[at]));
  }
  return out;
}

TEST_P(UserMatmul, WithAnExpressionBehind) {
  const std::vector<Problem> problems = {
      {{7, 5}, {5, 9}, {9}, {7, 9}, {}, {}},
      {{70, 33}, {33, 66}, {66}, {70, 1}, {}, {}},
      {{65, 40}, {40, 3}, {65, 1}, {}, {}, {}},
      {{5, 7}, {9, 5}, {9}, {7, 9}, {1, 0}, {1, 0}},
      {{5, 7}, {9, 5}, {1, 9}, {7, 9}, {}, {}, ", transpose_a, transpose_b"},
      {{4, 6, 3}, {4, 3, 8}, {4, 1, 8}, {6, 8}, {}, {}},
      {{4, 6, 3}, {3, 8}, {8}, {4, 6, 8}, {}, {}},                   // one b for all
      {{6, 3}, {4, 8, 3}, {4, 6, 1}, {8}, {}, {}, ", transpose_b"},  // one a for all
      {{6, 2, 3, 4}, {3, 4, 5}, {2, 1, 1, 5}, {3, 6, 1}, {1, 2, 0, 3}, {}},
      {{2, 2, 2, 2, 2, 2, 3, 4}, {2, 1, 2, 1, 2, 1, 4, 2}, {2}, {2, 1, 2, 1, 1, 3, 1}, {}, {}},
      {{1, 300}, {300, 1}, {}, {1, 1}, {}, {}},
      {{3, 0}, {0, 4}, {4}, {3, 4}, {}, {}},
      {{0, 5}, {5, 3}, {3}, {}, {}, {}},
      {{2, 5}, {5, 0}, {}, {2, 1}, {}, {}}};
  int turn = 0;
  for (const rondo_dtype dtype : dtypes(turn)) {
    for (const Problem& each : dealt(problems)) {
      ++turn;
      const Expression text((std::string("y = gelu(matmul(a, b") + each.words + ") * s + bias) + x").c_str());
      const Array left = random_array(dtype, each.a, 1, -2, 2), right = random_array(dtype, each.b, 2, -2, 2);
      const Array row = random_array(dtype, each.bias, 3, -2, 2), more = random_array(dtype, each.x, 4, -2, 2);
      const Tensor stored_a = up(left), stored_b = up(right), bias = up(row), x = up(more);
      const Tensor a = each.order_a.empty() ? slice(stored_a, 0, 0, each.a[0]) : transpose(stored_a, each.order_a);
      const Tensor b = each.order_b.empty() ? slice(stored_b, 0, 0, each.b[0]) : transpose(stored_b, each.order_b);
      const std::string words = each.words;
      const Array as = each.order_a.empty() ? left : host_transpose(left, each.order_a);
      const Array bs = each.order_b.empty() ? right : host_transpose(right, each.order_b);
      const Array first = words.find("_a") != std::string::npos ? swap_last(as) : as;
      const Array second = words.find("_b") != std::string::npos ? swap_last(bs) : bs;
      run(
          [&](Results& results) {
            results.keep(std::string(rondo_dtype_name(dtype)) + " problem " + std::to_string(turn),
                         text({tensor("a", a), tensor("b", b), tensor("bias", bias), tensor("x", x), scalar("s", 0.5)}),
                         [=] { return by_hand(first, second, row, more, 0.5L, dtype); });
          },
          GraphShape{each.a[0] == 0 || each.b.back() == 0 ? 0 : 1});
    }
  }
}

// Outputs that are given: of other strides and dtypes, and added to.
TEST_P(UserMatmul, IntoGivenOutputs) {
  for (const rondo_dtype dtype : dtypes(1)) {
    const Array left = random_array(dtype, {20, 12}, 5, -2, 2), right = random_array(dtype, {12, 30}, 6, -2, 2);
    const Array row = random_array(dtype, {30}, 7, -2, 2), more = random_array(dtype, {20, 1}, 8, -2, 2);
    const Tensor a = up(left), b = up(right), bias = up(row), x = up(more);
    const std::vector<rondo_argument> arguments = {tensor("a", a), tensor("b", b), tensor("bias", bias), tensor("x", x),
                                                   scalar("s", -0.25)};
    const Expression text("y = gelu(matmul(a, b) * s + bias) + x");
    const Expression wide("y = gelu(f32(matmul(a, b)) * s + bias) + x"),
        whole("y = f32(gelu(matmul(a, b) * s + bias) + x)");
    run([&](Results& results) {
      const std::string name = rondo_dtype_name(dtype);
      Tensor column = empty(dtype, {30, 20});
      const Tensor turned = transpose(column, {1, 0});
      ASSERT_EQ(text.run(arguments, {turned}), RONDO_OK) << rondo_last_error();
      results.keep(name + " transposed", std::move(column), [=] {
        const Expected straight = by_hand(left, right, row, more, -0.25L, dtype);
        Expected out(dtype, {30, 20}, straight.ulps);
        out.absolute.resize(out.values.size());
        for (size_t i = 0; i < 20; ++i)
          for (size_t j = 0; j < 30; ++j) {
            out.values[j * 20 + i] = straight.values[i * 30 + j];
            out.absolute[j * 20 + i] = straight.absolute[i * 30 + j];
          }
        return out;
      });
      Tensor sum = empty(dtype, {20, 30});
      must(rondo_fill(sum, 1));
      const Tensor adds = make(rondo_tensor_accumulator, sum);
      ASSERT_EQ(text.run(arguments, {adds}), RONDO_OK) << rondo_last_error();
      results.keep(name + " added", std::move(sum), [=] {
        Expected out = by_hand(left, right, row, more, -0.25L, dtype);
        for (size_t i = 0; i < out.values.size(); ++i) out.values[i] += 1, out.absolute[i] *= 2;
        return out;
      });
      // Nothing on the way is rounded to 16 bits.
      if (is_half(dtype)) {
        rondo_tensor* made = nullptr;
        ASSERT_EQ(rondo_expression_run(whole, 5, arguments.data(), 1, &made), RONDO_OK) << rondo_last_error();
        results.keep(name + " as f32", Tensor(made),
                     [=] { return by_hand(left, right, row, more, -0.25L, RONDO_F32); });
      }
      if (dtype != RONDO_F64) {
        rondo_tensor* made = nullptr;
        ASSERT_EQ(rondo_expression_run(wide, 5, arguments.data(), 1, &made), RONDO_OK) << rondo_last_error();
        results.keep(name + " of f32", Tensor(made),
                     [=] { return by_hand(left, right, row, more, -0.25L, RONDO_F32); });
      }
    });
  }
}

TEST_P(UserMatmul, IsOneKernel) {
  const Tensor a = up(random_array(RONDO_F32, {6, 10}, 9, -3, 3)), b = up(random_array(RONDO_F32, {10, 6}, 10, -3, 3));
  const Tensor c = up(random_array(RONDO_F32, {6}, 11, -3, 3));
  for (const char* source : {"y = matmul(a, b) * s + c", "let p = matmul(a, b); y = p * sigmoid(p) - s",
                             "let p = matmul(a, b); y = p > 0 ? p + c : s * p"}) {
    const Expression text(source);
    std::vector<rondo_argument> arguments = {tensor("a", a), tensor("b", b), scalar("s", 0.5)};
    if (std::string(source).find('c') != std::string::npos) arguments.push_back(tensor("c", c));
    expect_one_task([&] {
      rondo_tensor* made = nullptr;
      must(rondo_expression_run(text, static_cast<int32_t>(arguments.size()), arguments.data(), 1, &made));
      const Tensor owner(made);
    });
  }
  // A plain one is the operator, bit for bit.
  const Expression plain("y = matmul(a, b)"), turned("y = matmul(a, b, transpose_b, transpose_a)");
  expect_same_bits(download(plain({tensor("a", a), tensor("b", b)})), download(make(rondo_matmul, a, b, nullptr)),
                   "matmul");
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  options.transpose_a = options.transpose_b = 1;
  expect_same_bits(download(turned({tensor("a", a), tensor("b", b)})), download(make(rondo_matmul, a, b, &options)),
                   "transposed");
}

// An operand that is multiplied may stand elsewhere too; other results have the product's shape.
TEST_P(UserMatmul, BesideOtherResults) {
  const Array given = random_array(RONDO_F32, {8, 6}, 12, -1, 1), weights = random_array(RONDO_F32, {6, 6}, 13, -1, 1);
  const Tensor x = up(given), w = up(weights), row = up(random_array(RONDO_F32, {6}, 14, -1, 1));
  const Expression text(
      "let p = matmul(x, w); y = p + x; z = relu(p) * row; r = row * 2; n = sum(x * row, -1); x = x + 1");
  rondo_tensor* made[5] = {nullptr, nullptr, nullptr, nullptr, x};
  const rondo_argument arguments[] = {tensor("x", x), tensor("w", w), tensor("row", row)};
  ASSERT_EQ(rondo_expression_run(text, 3, arguments, 5, made), RONDO_OK) << rondo_last_error();
  const Tensor y(made[0]), z(made[1]), r(made[2]), n(made[3]);
  const Tensor before = up(given), p = make(rondo_matmul, before, w, nullptr);
  const Array ps = download(p), ys = download(y), zs = download(z), rs = download(r), ns = download(n),
              xs = download(x), rows = download(row);
  EXPECT_EQ(rs.shape, (Shape{8, 6}));
  EXPECT_EQ(ns.shape, (Shape{8}));
  for (size_t i = 0; i < ps.size(); ++i) {
    EXPECT_NEAR(double(ys[i]), double(ps[i] + given[i]), 1e-5) << i;
    EXPECT_NEAR(double(zs[i]), double(std::max<Real>(ps[i], 0) * rows[i % 6]), 1e-5) << i;
    EXPECT_EQ(double(rs[i]), double(rows[i % 6] * 2)) << i;
    EXPECT_NEAR(double(xs[i]), double(given[i]) + 1, 1e-6) << i;
  }
  Real first = 0;
  for (size_t i = 0; i < 6; ++i) first += given[i] * rows[i];
  EXPECT_NEAR(double(ns[0]), double(first), 1e-5);
}

TEST_P(UserMatmul, SetsAreEachTheirOwn) {
  const Expression text("y = matmul(a, b) * s + 1");
  const Tensor a = up(random_array(RONDO_F32, {4, 9}, 15, -3, 3)), b = up(random_array(RONDO_F32, {9, 2}, 16, -3, 3));
  const Tensor turned = transpose(b, {1, 0});
  const rondo_argument arguments[] = {tensor("a", a), tensor("b", b),      scalar("s", 1),
                                      tensor("a", b), tensor("b", turned), scalar("s", 0.5)};
  rondo_tensor* made[2] = {};
  must(rondo_expression_run_each(text, 2, 3, arguments, 1, made));
  const Tensor first(made[0]), second(made[1]);
  expect_same_bits(download(first), download(text({arguments[0], arguments[1], arguments[2]})), "first");
  expect_same_bits(download(second), download(text({arguments[3], arguments[4], arguments[5]})), "second");
}

// Of a plain one a tape knows the gradient; what has more behind it is named.
TEST_P(UserMatmul, OnATape) {
  const Tensor a = up(random_array(RONDO_F64, {3, 5}, 17, -2, 2)), b = up(random_array(RONDO_F64, {5, 4}, 18, -2, 2));
  const Tensor dy = up(random_array(RONDO_F64, {3, 4}, 19, -2, 2));
  const Expression plain("y = matmul(a, b)"), behind("y = matmul(a, b) * 2");
  const Tape tape(engine());
  tape.watch(a);
  const Tensor y = plain({tensor("a", a), tensor("b", b)});
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  options.transpose_b = 1;
  const Array gradient = download(tape.gradient(y, a, dy)), exact = download(make(rondo_matmul, dy, b, &options));
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(double(gradient[i]), double(exact[i]), 1e-12) << i;
  const Tape other(engine());
  other.watch(a);
  rondo_tensor *z = behind({tensor("a", a), tensor("b", b)}).release(), *source = a, *incoming = dy, *none = nullptr;
  const Tensor owner(z);
  expect_refused(rondo_tape_gradients(other, 1, &z, &incoming, 1, &source, &none), RONDO_UNSUPPORTED,
                 "rondo_tape_gradients", "matmul");
}

TEST_P(UserMatmul, RefusesWhatIsNotRight) {
  expect_text_refused("y = matmul(softmax(a), b)", "1:5", "what a softmax gives");
  expect_text_refused("n = sum(a);\ny = matmul(b, n * 2)", "2:5", "what a reduction gives");
  expect_text_refused("y = matmul(a, b) + matmul(c, d)", "1:20", "a second product");
  expect_text_refused("y = matmul(a, b); z = matmul(a, b)", "1:23", "a second product");
  expect_text_refused("y = sum(matmul(a, b) * 2)", "1:5", "another expression");
  expect_text_refused("y = softmax(matmul(a, b))", "1:5", "what a product gives");
  expect_text_refused("y = softmax(x) * matmul(a, b)", "1:16", "two of these meet here");
  expect_text_refused("y = matmul(a)", "1:13", "second of the two operands");
  expect_text_refused("y = matmul(a, b, c)", "1:18", "transpose_a");
  expect_text_refused("y = matmul(a, b, transpose_a, transpose_a)", "1:31", "each once");
  expect_text_refused("y = matmul(a, b", "1:16", "')'");
  const Tensor a = up(Array(RONDO_F32, {3, 4})), b = up(Array(RONDO_F32, {4, 5})), i = up(Array(RONDO_I32, {4, 5}));
  const Tensor h = up(Array(RONDO_F16, {4, 5})), row = up(Array(RONDO_F32, {5})), big = up(Array(RONDO_F32, {2, 3, 5}));
  const auto refuse = [&](const char* source, std::vector<rondo_argument> arguments, rondo_tensor* out,
                          const char* word) {
    const Expression text(source);
    expect_refused(text.run(arguments, {out}), RONDO_INVALID_ARGUMENT, "rondo_expression_run", word);
  };
  const Tensor square = up(Array(RONDO_F32, {3, 5}));
  refuse("y = matmul(p, q) + 1", {tensor("p", a), tensor("q", a)}, nullptr, "p [3, 4] has 4 columns but q");
  refuse("y = 2 * matmul(p, q)", {tensor("p", a), tensor("q", a)}, nullptr, "1:9");
  refuse("y = matmul(a, b)", {tensor("a", a), tensor("b", i)}, nullptr, "float dtype");
  refuse("y = matmul(a, b)", {tensor("a", a), tensor("b", h)}, nullptr, "cast one");
  refuse("y = matmul(a, b)", {tensor("a", a), tensor("b", row)}, nullptr, "at least 2");
  refuse("y = matmul(a, b) + 1", {tensor("a", a), scalar("b", 2)}, nullptr, "this is a number");
  refuse("y = matmul(a, b) + c", {tensor("a", a), tensor("b", b), tensor("c", big)}, nullptr, "shape of the product");
  refuse("y = matmul(a, b) + c", {tensor("a", a), tensor("b", b), tensor("c", a)}, nullptr, "shape of the product");
  refuse("y = matmul(a, b) + a", {tensor("a", a), tensor("b", b)}, nullptr, "shape of the product");
  refuse("y = matmul(a, b) > 0", {tensor("a", a), tensor("b", b)}, nullptr, "bool");
  refuse("y = matmul(a, b) + c", {tensor("a", a), tensor("b", b), tensor("c", square)}, square, "made of a product");
}

}  // namespace
}  // namespace conformance
