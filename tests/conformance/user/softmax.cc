// Softmaxes in the text of an expression: what stands before and behind them is computed in their one kernel, and gives
// what operators give one after the other. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <string>
#include <vector>

#include "tape/tape.h"
#include "user/user.h"

namespace conformance {
namespace {

class UserSoftmax : public OnEngine {
 protected:
  void expect_one_task(const std::function<void()>& body) const {
    const Graph graph = record(engine(), body);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.tasks, 1) << graph_report(graph.get());
    if (on_cuda()) {
      EXPECT_EQ(info.nodes, 1) << graph_report(graph.get());
    }
  }
};
CONFORMANCE_SUITE(UserSoftmax);

// One operator after the other, in f64.
Expected by_operators(rondo_softmax_op op, rondo_dtype dtype, const Tensor& x, const Tensor& m, const Tensor& keep,
                      int32_t axis, double scale) {
  const Tensor wide = make(rondo_cast, x, RONDO_F64), mask = make(rondo_cast, m, RONDO_F64);
  const Tensor scaled = make(rondo_binary, RONDO_ADD, make(rondo_binary_scalar, RONDO_MUL, wide, scale), mask);
  const Tensor soft = make(rondo_softmax_with, op, scaled, axis, 1.0, Tensor());
  const Array exact = download(make(rondo_binary, RONDO_MUL, soft, make(rondo_cast, keep, RONDO_F64)));
  Expected out(dtype, exact.shape, is_half(dtype) ? 2 : 64);
  for (size_t i = 0; i < exact.size(); ++i) out.values[i] = exact[i];
  // Logarithms near zero have lost digits.
  if (op == RONDO_LOG_SOFTMAX) out.absolute.assign(exact.size(), std::ldexp(Real(1), dtype == RONDO_F64 ? -44 : -16));
  return out;
}

TEST_P(UserSoftmax, WithExpressionsAround) {
  struct Case {
    Shape x, m, keep;
    std::vector<int32_t> order;  // of the axes of x; empty: as they are
    int32_t axis;
  };
  const std::vector<Case> cases = {{{7, 10}, {10}, {7, 1}, {}, -1},
                                   {{7, 12}, {12}, {7, 12}, {}, 1},
                                   {{9, 6}, {9, 1}, {6}, {}, 0},
                                   {{3, 4, 5}, {3, 1}, {4}, {2, 0, 1}, 1},
                                   {{3, 1000}, {1000}, {3, 1000}, {}, -1},
                                   {{2, 1, 8}, {6, 1}, {}, {}, -2},
                                   {{1, 20004}, {20004}, {}, {}, 1},
                                   {{20003}, {}, {20003}, {}, 0},
                                   {{310, 12}, {310, 1}, {12}, {}, 0},
                                   {{301, 5}, {5}, {301, 5}, {}, 0},
                                   {{0, 5}, {5}, {}, {}, 1}};
  const char* const names[] = {"softmax", "log_softmax", "softmin"};
  int turn = 0;
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64}, turn)) {
    for (const Case& each : dealt(cases)) {
      const int op = turn++ % 3;
      const Expression text(
          (std::string("y = ") + names[op] + "(x * s + m, axis = " + std::to_string(each.axis) + ") * keep").c_str());
      const Tensor given = up(random_array(dtype, each.x, 1, -9, 9)), m = up(random_array(dtype, each.m, 2, -2, 2));
      const Tensor keep = up(random_array(dtype, each.keep, 3, 0.5, 2));
      const Tensor x = !each.order.empty() ? transpose(given, each.order) : slice(given, 0, 0, each.x[0]);
      run(
          [&](Results& results) {
            results.keep(std::string(names[op]) + " " + rondo_dtype_name(dtype) + " of " + std::to_string(each.x[0]),
                         text({tensor("x", x), tensor("m", m), tensor("keep", keep), scalar("s", 0.5)}), [&, op] {
                           return by_operators(static_cast<rondo_softmax_op>(op), dtype, x, m, keep, each.axis, 0.5);
                         });
          },
          GraphShape{each.x[0] == 0 ? 0 : 1});
    }
  }
}

TEST_P(UserSoftmax, IsOneKernel) {
  const Tensor x = up(random_array(RONDO_F32, {6, 40}, 4, -3, 3)), m = up(random_array(RONDO_F32, {40}, 5, -3, 3));
  for (const char* source : {"y = softmax(x * s + m)", "y = softmax(x + m * s) * m",
                             "let p = log_softmax(x * s, 0); y = -p * exp(p) + m", "y = softmin(x) * s - m"}) {
    const Expression text(source);
    expect_one_task([&] { text({tensor("x", x), tensor("m", m), scalar("s", 0.5)}); });
  }
  // A plain one is the operator, bit for bit.
  const Expression plain("y = softmax(x, 0)"), named("y = log_softmax(x)");
  expect_same_bits(download(plain({tensor("x", x)})), download(make(rondo_softmax, x, 0)), "softmax");
  expect_same_bits(download(named({tensor("x", x)})), download(make(rondo_log_softmax, x, -1)), "log_softmax");
}

// Beside other results; dtypes; what is written over an operand is written behind the softmax.
TEST_P(UserSoftmax, BesideOtherResults) {
  const Array given = random_array(RONDO_F16, {5, 12}, 6, -3, 3);
  const Expression text("x = x + 1; p = softmax(x * 2); q = f32(p) + 1; n = sum(x)");
  const Tensor x = up(given);
  rondo_tensor* made[4] = {x, nullptr, nullptr, nullptr};
  const rondo_argument argument = tensor("x", x);
  must(rondo_expression_run(text, 1, &argument, 4, made));
  const Tensor p(made[1]), q(made[2]), n(made[3]);
  EXPECT_EQ(query(p).dtype, RONDO_F16);
  EXPECT_EQ(query(q).dtype, RONDO_F32);
  const Tensor wide = make(rondo_binary_scalar, RONDO_MUL, make(rondo_cast, up(given), RONDO_F32), 2.0);
  const Array exact = download(make(rondo_softmax, wide, -1)), ps = download(p), qs = download(q), after = download(x);
  for (size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(double(ps[i]), double(exact[i]), 2e-3) << i;
    EXPECT_NEAR(double(qs[i]), double(exact[i]) + 1, 2e-3) << i;
    EXPECT_NEAR(double(after[i]), double(given[i]) + 1, 4e-3) << i;
  }
  // An accumulator is added to.
  const Tensor sum = make(rondo_tensor_accumulator, q);
  const Expression more("y = f32(softmax(x * 1)) * 0 + 2");
  ASSERT_EQ(more.run({tensor("x", x)}, {sum}), RONDO_OK) << rondo_last_error();
  EXPECT_NEAR(double(download(q)[3]), double(qs[3]) + 2, 1e-6);
}

// Operands of different sizes of elements, and a result of yet another; where it lies turned.
TEST_P(UserSoftmax, OfMixedDtypes) {
  const Expression text("y = softmax(x * 0.25 + m, 1) * keep");
  for (const Shape& shape : {Shape{6, 64}, Shape{300, 24}}) {
    const Tensor x = up(random_array(RONDO_F16, shape, 11, -3, 3)),
                 m = up(random_array(RONDO_F32, {shape[1]}, 12, -3, 3));
    const Tensor keep = up(random_array(RONDO_F64, {shape[0], 1}, 13, 1, 2));
    const Tensor turned = up(Array(RONDO_F64, {shape[1], shape[0]})), out = transpose(turned, {1, 0});
    ASSERT_EQ(text.run({tensor("x", x), tensor("m", m), tensor("keep", keep)}, {out}), RONDO_OK) << rondo_last_error();
    const Expected wanted = by_operators(RONDO_SOFTMAX, RONDO_F64, x, m, keep, 1, 0.25);
    const Array y = download(out);
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(double(y[i]), double(wanted.values[i]), 1e-6) << i;
    // The same along the other axis of what lies turned.
    const Tensor column = up(random_array(RONDO_F32, {shape[1], 1}, 12, -3, 3));  // m
    const Expression across("y = softmax(x * 0.25 + m, 0) * keep");
    const Tensor z =
        across({tensor("x", transpose(x, {1, 0})), tensor("m", column), tensor("keep", transpose(keep, {1, 0}))});
    const Array zs = download(transpose(z, {1, 0}));
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(double(zs[i]), double(wanted.values[i]), 1e-6) << i;
  }
}

// As many operands as there may be, all of them before the softmax and behind it.
TEST_P(UserSoftmax, OfManyOperands) {
  std::string sum;
  std::vector<Tensor> tensors;
  std::deque<std::string> names;
  std::vector<rondo_argument> arguments;
  for (int k = 0; k < 15; ++k) {
    names.push_back("a" + std::to_string(k));
    sum += (k ? " + " : "") + names.back();
    tensors.push_back(up(random_array(RONDO_F32,
                                      k % 3 == 0   ? Shape{3, 8}
                                      : k % 3 == 1 ? Shape{8}
                                                   : Shape{3, 1},
                                      static_cast<unsigned>(20 + k), -1, 1)));
    arguments.push_back(tensor(names.back().c_str(), tensors.back()));
  }
  const Expression text(("y = softmax(" + sum + ") * (" + sum + ")").c_str());
  rondo_tensor* made = nullptr;
  ASSERT_EQ(rondo_expression_run(text, 15, arguments.data(), 1, &made), RONDO_OK) << rondo_last_error();
  const Tensor y(made);
  Tensor total = make(rondo_binary, RONDO_ADD, tensors[0], tensors[1]);
  for (size_t k = 2; k < 15; ++k) total = make(rondo_binary, RONDO_ADD, total, tensors[k]);
  const Array exact = download(make(rondo_binary, RONDO_MUL, make(rondo_softmax, total, -1), total)), ys = download(y);
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(double(ys[i]), double(exact[i]), 1e-5) << i;
  const Expression more(("y = softmax(" + sum + " + b)").c_str());
  const Tensor b = up(Array(RONDO_F32, {8}));
  arguments.push_back(tensor("b", b));
  rondo_tensor* none = nullptr;
  expect_refused(rondo_expression_run(more, 16, arguments.data(), 1, &none), RONDO_UNSUPPORTED, "rondo_expression_run",
                 "16 tensors");
}

// Of a plain one a tape knows the gradient; what has more around it is named.
TEST_P(UserSoftmax, OnATape) {
  const Array given = random_array(RONDO_F64, {3, 5}, 9, -2, 2), change = random_array(RONDO_F64, {3, 5}, 10, -2, 2);
  const Tensor x = up(given), dy = up(change);
  const Expression plain("y = softmax(x)"), around("y = softmax(x * 2)");
  const Tape tape(engine());
  tape.watch(x);
  const Tensor y = plain({tensor("x", x)});
  expect_same_bits(download(tape.gradient(y, x, dy)), download(make(rondo_softmax_grad, y, dy, -1)), "gradient");
  const Tape other(engine());
  other.watch(x);
  rondo_tensor *z = around({tensor("x", x)}).release(), *source = x, *incoming = dy, *none = nullptr;
  const Tensor owner(z);
  expect_refused(rondo_tape_gradients(other, 1, &z, &incoming, 1, &source, &none), RONDO_UNSUPPORTED,
                 "rondo_tape_gradients", "softmax");
}

TEST_P(UserSoftmax, SetsAreEachTheirOwn) {
  const Expression text("y = softmax(x * s) * 2");
  const Tensor a = up(random_array(RONDO_F32, {4, 9}, 7, -3, 3)), b = up(random_array(RONDO_F32, {30}, 8, -3, 3));
  const rondo_argument arguments[] = {tensor("x", a), scalar("s", 1), tensor("x", b), scalar("s", 0.5)};
  rondo_tensor* made[2] = {};
  must(rondo_expression_run_each(text, 2, 2, arguments, 1, made));
  const Tensor first(made[0]), second(made[1]);
  expect_same_bits(download(first), download(text({tensor("x", a), scalar("s", 1)})), "first");
  expect_same_bits(download(second), download(text({tensor("x", b), scalar("s", 0.5)})), "second");
}

TEST_P(UserSoftmax, RefusesWhatIsNotRight) {
  expect_text_refused("y = softmax(softmax(x))", "1:5", "another expression");
  expect_text_refused("y = 1;\nz = sum(2 * softmax(x))", "2:5", "another expression");
  expect_text_refused("let p = softmax(x); y = log_softmax(p + 1)", "1:25", "another expression");
  expect_text_refused("y = softmax(x) + softmax(x, 0)", "1:16", "another softmax");
  expect_text_refused("y = softmax(sum(x))", "1:5", "reduction");
  expect_text_refused("y = softmax(x, keep)", "1:16", "an axis");
  expect_text_refused("y = softmax(x, axis 1)", "1:21", "'='");
  expect_text_refused("y = softmax(x, 0, 1)", "1:17", "')'");
  expect_text_refused("y = softmax()", "1:13", "a value");
  const Tensor x = up(Array(RONDO_F32, {3, 4})), i = up(Array(RONDO_I32, {3, 4})), one = up(Array(RONDO_F32, {}));
  const auto refuse = [&](const char* source, std::vector<rondo_argument> arguments, rondo_tensor* out,
                          const char* word) {
    const Expression text(source);
    expect_refused(text.run(arguments, {out}), RONDO_INVALID_ARGUMENT, "rondo_expression_run", word);
  };
  refuse("y = softmax(x * 2, 2)", {tensor("x", x)}, nullptr, "1:5");
  refuse("y = softmax(x, -3)", {tensor("x", x)}, nullptr, "axis");
  refuse("y = softmax(x * 2)", {tensor("x", one)}, nullptr, "axis");
  refuse("y = softmax(i + 1)", {tensor("i", i)}, nullptr, "f32(");
  refuse("y = softmax(2 * s) + x", {tensor("x", x), scalar("s", 1)}, nullptr, "numbers");
  refuse("y = softmax(f32(s)) + x", {tensor("x", x), scalar("s", 1)}, nullptr, "no tensor");
  refuse("y = softmax(x * 2) > 0.5", {tensor("x", x)}, nullptr, "bool");
  refuse("y = softmax(x * 2)", {tensor("x", x)}, x, "made of a softmax");
}

}  // namespace
}  // namespace conformance
