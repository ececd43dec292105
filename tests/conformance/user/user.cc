// Expressions written as text: they give the bits of the operators that they name, as one task, whatever the dtypes,
// layouts and arguments; and every misuse is told. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include <string>

#include "user/user.h"

namespace conformance {
namespace {

class UserExpression : public OnEngine {
 protected:
  // Small whole numbers and halves: exact in every dtype.
  Tensor values(rondo_dtype dtype, const Shape& shape, int start = 0) const {
    Array array(dtype, shape);
    for (size_t i = 0; i < array.size(); ++i)
      array.set(i, Real(static_cast<int>((i * 7 + static_cast<size_t>(start)) % 13)) - (is_unsigned(dtype) ? 0 : 5));
    return up(array);
  }
  // One task, and on a GPU one node.
  void expect_one_kernel(const std::function<void()>& body) const {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;  // though nobody reads it
    const Graph graph = record(engine(), body, &options);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.tasks, 1) << graph_report(graph.get());
    if (on_cuda()) {
      EXPECT_EQ(info.nodes, 1) << graph_report(graph.get());
      EXPECT_EQ(info.captured, 1);
    }
  }
};
CONFORMANCE_SUITE(UserExpression);

TEST_P(UserExpression, GivesTheBitsOfOperators) {
  const Expression text("let t = a * x + y; z = t > 0 ? t / 2 : -t", "leaky");
  int turn = 0;
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F64, RONDO_I16, RONDO_I64, RONDO_U32}, turn++)) {
    for (const Shape& shape : dealt<Shape>({{}, {7}, {5, 3}, {0, 4}, {1030}})) {
      const Tensor x = values(dtype, shape), y = values(dtype, shape, 4);
      run([&](Results& results) {
        const Tensor t = make(rondo_binary, RONDO_ADD, make(rondo_binary_scalar, RONDO_MUL, x, 3.0), y);
        const Tensor expected = make(rondo_where, make(rondo_binary_scalar, RONDO_GT, t, 0.0),
                                     make(rondo_binary_scalar, RONDO_DIV, t, 2.0), make(rondo_unary, RONDO_NEG, t));
        const Tensor z = text({scalar("a", 3), tensor("x", x), tensor("y", y)});
        // Both ways in one body: the same bits, eagerly and in a graph.
        Tensor same = make(rondo_binary, RONDO_EQ, z, expected);
        EXPECT_EQ(query(z).dtype, dtype);
        results.keep("same", reduce(RONDO_ALL, same, {}), [] {
          Expected all(RONDO_BOOL, {});
          all.values[0] = 1;
          return all;
        });
        results.keep("kept", make(rondo_copy, z));
      });
    }
  }
}

TEST_P(UserExpression, BroadcastsPromotesAndTakesViews) {
  const Expression text("y = x * w + i32(u)");
  const Tensor x = values(RONDO_F64, {6, 8}), w = values(RONDO_F32, {8, 1}), u = values(RONDO_U8, {});
  const Tensor turned = transpose(x, {1, 0});            // [8, 6]
  const Tensor backwards = slice(turned, 0, 7, -9, -1);  // negative strides
  const auto by_operators = [&] {
    return make(rondo_binary, RONDO_ADD, make(rondo_binary, RONDO_MUL, backwards, w), make(rondo_cast, u, RONDO_I32));
  };
  run([&](Results& results) {
    results.keep("text", text({tensor("x", backwards), tensor("w", w), tensor("u", u)}),
                 [&] { return Expected{download(by_operators())}; });
  });
  expect_one_kernel([&] { text({tensor("u", u), tensor("w", w), tensor("x", backwards)}); });
}

TEST_P(UserExpression, WritesInPlaceAndSwaps) {
  const Tensor x = values(RONDO_F32, {1500}), y = values(RONDO_F32, {1500}, 3);
  const Array was_x = download(x), was_y = download(y);
  const Expression axpy("y = 2 * x + y");
  ASSERT_EQ(axpy.run({tensor("x", x), tensor("y", y)}, {y}), RONDO_OK) << rondo_last_error();
  expect_same_bits(download(y),
                   download(make(rondo_binary, RONDO_ADD, make(rondo_binary_scalar, RONDO_MUL, x, 2.0),
                                 upload(engine(), device(), was_y))),
                   "y");
  into(y, rondo_copy, upload(engine(), device(), was_y));
  const Expression swap("let t = x; x = y; y = t");
  ASSERT_EQ(swap.run({tensor("x", x), tensor("y", y)}, {x, y}), RONDO_OK) << rondo_last_error();
  expect_same_bits(download(x), was_y, "x");
  expect_same_bits(download(y), was_x, "y");
  // An accumulator is added to.
  const Tensor sum = make(rondo_tensor_accumulator, y);
  const Expression twice("z = 2 * x");
  ASSERT_EQ(twice.run({tensor("x", x)}, {sum}), RONDO_OK) << rondo_last_error();
  EXPECT_EQ(download(y)[1], was_x[1] + 2 * was_y[1]);
}

TEST_P(UserExpression, SeveralResultsAreOneTask) {
  const Expression text("let e = exp(-x * x); f = e * s; g = f * -2 * x; positive = x > 0");
  const Tensor x = values(RONDO_F32, {33});
  std::vector<rondo_tensor*> out(3);
  expect_one_kernel([&] {
    std::vector<rondo_argument> arguments = {tensor("x", x), scalar("s", 0.5)};
    must(rondo_expression_run(text, 2, arguments.data(), 3, out.data()));
  });
  for (rondo_tensor* each : out) rondo_tensor_destroy(each);
  run([&](Results& results) {
    rondo_tensor* made[3] = {};
    std::vector<rondo_argument> arguments = {tensor("x", x), scalar("s", 0.5)};
    must(rondo_expression_run(text, 2, arguments.data(), 3, made));
    for (rondo_tensor* each : made) results.keep("result", Tensor(each));
  });
}

TEST_P(UserExpression, ReducesAtTheEnd) {
  const Expression text("s = sum(x * y); m = max(x * y, 0, keep); p = x * y; n = mean(x, -1)");
  const Tensor x = values(RONDO_F32, {9, 5}), y = values(RONDO_F32, {9, 1}, 2);
  run([&](Results& results) {
    rondo_tensor* made[4] = {};
    const rondo_argument arguments[] = {tensor("x", x), tensor("y", y)};
    must(rondo_expression_run(text, 2, arguments, 4, made));
    std::vector<Tensor> result;
    for (rondo_tensor* each : made) result.emplace_back(each);
    const auto product = [&] { return make(rondo_binary, RONDO_MUL, x, y); };
    results.keep("s", std::move(result[0]),
                 [&, product] { return Expected{download(reduce(RONDO_SUM, product(), {}))}; });
    results.keep("m", std::move(result[1]),
                 [&, product] { return Expected{download(reduce(RONDO_MAX, product(), {0}, true))}; });
    results.keep("p", std::move(result[2]), [&, product] { return Expected{download(product())}; });
    results.keep("n", std::move(result[3]), [&] { return Expected{download(reduce(RONDO_MEAN, x, {1}))}; });
  });
  // x * y is a result, so nothing else is computed for what reduces it.
  Tensor held[4];
  const Graph graph = record(engine(), [&] {
    rondo_tensor* made[4] = {};
    const rondo_argument arguments[] = {tensor("x", x), tensor("y", y)};
    must(rondo_expression_run(text, 2, arguments, 4, made));
    for (size_t i = 0; i < 4; ++i) *held[i].slot() = made[i];
  });
  EXPECT_EQ(graph_info(graph.get()).tasks, 4) << graph_report(graph.get());
}

// What is reduced and not kept is never in memory. As operators one after the other give it, within their rounding.
TEST_P(UserExpression, ReducesWhatNobodyKeeps) {
  struct Case {
    rondo_reduce_op op;
    const char* name;
    double ulps;
  };
  const std::vector<Case> all = {{RONDO_SUM, "sum", 1},       {RONDO_MAX, "max", 0},
                                 {RONDO_ARGMAX, "argmax", 0}, {RONDO_MEAN, "mean", 1},
                                 {RONDO_VAR, "var", 32},      {RONDO_LOGSUMEXP, "logsumexp", 8},
                                 {RONDO_PROD, "prod", 64},    {RONDO_L2_NORM, "l2_norm", 4}};
  const auto one = [&](int number) { return std::vector<Case>{all[static_cast<size_t>(number) % all.size()]}; };
  struct Place {
    Shape x, w, y;
    std::vector<int32_t> order;  // of the axes of x; empty: as they are
    std::vector<int32_t> axes;   // empty: all
    bool keep;
  };
  const std::vector<Place> places = {{{6, 40}, {40}, {6, 1}, {}, {1}, false},
                                     {{6, 40}, {40}, {6, 1}, {}, {0}, true},
                                     {{40, 6}, {6, 1}, {}, {1, 0}, {-1}, false},
                                     {{5, 6, 7}, {6, 1}, {5}, {2, 1, 0}, {0, 2}, false},
                                     {{5, 6, 7}, {1, 1, 7}, {6, 1}, {}, {}, true},
                                     {{3, 20000}, {20000}, {3, 1}, {}, {1}, false},
                                     {{9000, 3}, {3}, {9000, 1}, {}, {0}, false},
                                     {{20003}, {20003}, {}, {}, {}, false},
                                     {{300, 64}, {64}, {300, 1}, {}, {0}, false},
                                     {{48, 136}, {48, 1}, {136}, {}, {1}, false},
                                     {{2, 1, 4}, {5, 1}, {1}, {}, {1}, false},
                                     {{1}, {1}, {}, {}, {}, false},
                                     {{0, 4}, {4}, {1}, {}, {1}, false}};
  int turn = 0;
  for (const rondo_dtype dtype : covering(
           {RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64, RONDO_I8, RONDO_I32, RONDO_I64, RONDO_U8, RONDO_U64}, turn++))
    for (const Place& place : dealt(places))
      for (const Case& each : on_cuda() || place.x[0] > 1000 || place.x.back() > 1000 ? one(turn++) : all) {
        std::string axes;
        for (const int32_t axis : place.axes) axes += ", " + std::to_string(axis);
        const Expression text(
            (std::string("r = ") + each.name + "(x * w - y" + axes + (place.keep ? ", keep)" : ")")).c_str());
        const Tensor given = values(dtype, place.x), w = values(dtype, place.w, 3), y = values(dtype, place.y, 5);
        const Tensor x = !place.order.empty() ? transpose(given, place.order) : slice(given, 0, 0, place.x[0]);
        run(
            [&](Results& results) {
              results.keep(std::string(each.name) + axes, text({tensor("x", x), tensor("w", w), tensor("y", y)}), [&] {
                const Tensor made = make(rondo_binary, RONDO_SUB, make(rondo_binary, RONDO_MUL, x, w), y);
                Expected expected{download(reduce(each.op, made, place.axes, place.keep))};
                expected.ulps = each.ulps;
                return expected;
              });
            },
            GraphShape{place.x[0] == 0 ? 0 : 1});
      }
}

// What stands behind a reduction is computed of the value that it has before it is rounded.
TEST_P(UserExpression, FinishesReductions) {
  const Tensor x = values(RONDO_F32, {37, 130}), y = values(RONDO_F16, {130}, 2), n = values(RONDO_I32, {37, 130}, 4);
  const std::vector<rondo_argument> arguments = {tensor("x", x), tensor("y", y), tensor("n", n), scalar("s", 0.25)};
  const auto in_f64 = [](rondo_tensor* tensor) { return make(rondo_cast, tensor, RONDO_F64); };
  const auto number = [](rondo_binary_op op, Tensor a, double b) { return make(rondo_binary_scalar, op, a, b); };
  struct Case {
    const char* text;
    std::function<Tensor()> reference;  // in f64
    rondo_dtype dtype;
    double ulps;
  };
  const Tensor x64 = in_f64(x), y64 = in_f64(y), n64 = in_f64(n);
  const auto squares = [&] { return make(rondo_binary, RONDO_MUL, x64, x64); };
  const std::vector<Case> cases = {
      {"r = sqrt(sum(x * x, 1)) * s",
       [&] { return number(RONDO_MUL, make(rondo_unary, RONDO_SQRT, reduce(RONDO_SUM, squares(), {1})), 0.25); },
       RONDO_F32, 4},
      {"let total = sum(x * x); r = 1 - total / 4810",
       [&] { return number(RONDO_ADD, number(RONDO_MUL, reduce(RONDO_SUM, squares(), {}), -1.0 / 4810), 1); },
       RONDO_F32, 64},
      {"r = f16(max(x, 0, keep) + s)", [&] { return number(RONDO_ADD, reduce(RONDO_MAX, x64, {0}, true), 0.25); },
       RONDO_F16, 1},
      {"r = mean(y) * s", [&] { return number(RONDO_MUL, reduce(RONDO_MEAN, y64, {}), 0.25); }, RONDO_F16, 1},
      {"r = 2 * sum(n, 1) - 1", [&] { return number(RONDO_SUB, number(RONDO_MUL, reduce(RONDO_SUM, n64, {1}), 2), 1); },
       RONDO_I64, 0},
      {"r = !any(x > 1e9, 1)", [&] { return number(RONDO_ADD, number(RONDO_MUL, reduce(RONDO_SUM, n64, {1}), 0), 1); },
       RONDO_BOOL, 0},
      {"r = f32(argmax(x * y, 1)) / 2",
       [&] {
         const Tensor product = make(rondo_binary, RONDO_MUL, x, make(rondo_cast, y, RONDO_F32));
         return number(RONDO_MUL, in_f64(reduce(RONDO_ARGMAX, product, {1})), 0.5);
       },
       RONDO_F32, 0},
      {"r = exp(logsumexp(x, 0) * s)",
       [&] { return make(rondo_unary, RONDO_EXP, number(RONDO_MUL, reduce(RONDO_LOGSUMEXP, x64, {0}), 0.25)); },
       RONDO_F32, 32}};
  for (const Case& each : dealt(cases)) {
    const Expression text(each.text);
    std::vector<rondo_argument> some;
    for (const rondo_argument& argument : arguments)
      if (has_word(each.text, argument.name)) some.push_back(argument);
    EXPECT_EQ(query(text(some)).dtype, each.dtype) << each.text;
    run([&](Results& results) {
      results.keep(each.text, text(some), [&] {
        Expected expected{download(each.reference())};
        expected.dtype = each.dtype;
        expected.ulps = each.ulps;
        return expected;
      });
    });
    expect_one_kernel([&] { text(some); });
  }
}

// Many blocks share a reduction, or none has anything; results are added to what is there.
TEST_P(UserExpression, FinishesSharedAndEmptyReductions) {
  const Tensor x = values(RONDO_F32, {3, 70001}), nothing = empty(RONDO_F32, {0, 5});
  const Expression text("r = sum(x * x, -1) * -2 + 1"), of_nothing("r = sum(x, 0) + 3");
  run([&](Results& results) {
    results.keep("shared", text({tensor("x", x)}), [&] {
      const Tensor wide = make(rondo_cast, x, RONDO_F64);
      const Tensor sum = reduce(RONDO_SUM, make(rondo_binary, RONDO_MUL, wide, wide), {1});
      Expected expected{
          download(make(rondo_binary_scalar, RONDO_ADD, make(rondo_binary_scalar, RONDO_MUL, sum, -2.0), 1.0))};
      expected.dtype = RONDO_F32;
      expected.ulps = 4;
      return expected;
    });
    results.keep("nothing", of_nothing({tensor("x", nothing)}), [] {
      Expected threes(RONDO_F32, {5});
      threes.values.assign(5, 3);
      return threes;
    });
  });
  const Tensor total = empty(RONDO_F32, {5});
  must(rondo_fill(total, 10));
  ASSERT_EQ(of_nothing.run({tensor("x", nothing)}, {make(rondo_tensor_accumulator, total)}), RONDO_OK)
      << rondo_last_error();
  EXPECT_EQ(download(total)[4], 13);
}

TEST_P(UserExpression, ReductionOfAnExpressionIsOneKernel) {
  const Tensor x = values(RONDO_F32, {64, 100}), y = values(RONDO_F32, {100}, 2);
  for (const char* source : {"s = sum(exp(x) * y * a, -1)", "s = max(x > y ? x : a * y, 0)", "s = all(x + y > a)"}) {
    const Expression text(source);
    expect_one_kernel([&] { text({tensor("x", x), tensor("y", y), scalar("a", 0.5)}); });
  }
  // Each makes what it reduces.
  const Expression two("s = sum(x * y, 0); m = max(x * y, 1)");
  Tensor held[2];
  const Graph graph = record(engine(), [&] {
    rondo_tensor* made[2] = {};
    const rondo_argument arguments[] = {tensor("x", x), tensor("y", y)};
    must(rondo_expression_run(two, 2, arguments, 2, made));
    for (size_t i = 0; i < 2; ++i) *held[i].slot() = made[i];
  });
  EXPECT_EQ(graph_info(graph.get()).tasks, 2) << graph_report(graph.get());
}

TEST_P(UserExpression, AReductionOfNothingIsItsIdentity) {
  const Tensor x = values(RONDO_F32, {0, 3}), y = values(RONDO_F32, {3});
  const Expression sums("s = sum(x * y, 0)"), products("p = prod(x + y, 0, keep)");
  run([&](Results& results) {
    results.keep("sum", sums({tensor("x", x), tensor("y", y)}), [] { return Expected(RONDO_F32, {3}); });
    results.keep("prod", products({tensor("x", x), tensor("y", y)}), [] {
      Expected ones(RONDO_F32, {1, 3});
      ones.values.assign(3, 1);
      return ones;
    });
  });
}

TEST_P(UserExpression, AReductionReadsWhatWasThereBefore) {
  const Tensor x = values(RONDO_F32, {30});
  const Array was = download(x);
  double sum = 0;
  for (size_t i = 0; i < was.size(); ++i) sum += static_cast<double>(was[i] * was[i]);
  // y is written over x.
  const Expression text("y = x + 1; s = sum(x * x)");
  const Tensor total = empty(RONDO_F32, {});
  ASSERT_EQ(text.run({tensor("x", x)}, {x, total}), RONDO_OK) << rondo_last_error();
  EXPECT_EQ(static_cast<double>(download(total)[0]), sum);
  EXPECT_EQ(download(x)[0], was[0] + 1);
  // Into an accumulator, of what was written.
  const Expression more("s = sum(x * 1 + 0)");
  const Tensor adds = make(rondo_tensor_accumulator, total);
  ASSERT_EQ(more.run({tensor("x", x)}, {adds}), RONDO_OK) << rondo_last_error();
  for (size_t i = 0; i < was.size(); ++i) sum += static_cast<double>(was[i]) + 1;
  EXPECT_EQ(static_cast<double>(download(total)[0]), sum);
}

TEST_P(UserExpression, HalvesAreRoundedWhereTheyAreStored) {
  const Expression text("y = (x + 1) * x; z = f16(x + 1) * x");
  const Tensor x = values(RONDO_F16, {21});
  run([&](Results& results) {
    rondo_tensor* made[2] = {};
    const rondo_argument argument = tensor("x", x);
    must(rondo_expression_run(text, 1, &argument, 2, made));
    results.keep("y", Tensor(made[0]));
    results.keep("z", Tensor(made[1]), [&] {
      return Expected{download(make(rondo_binary, RONDO_MUL, make(rondo_binary_scalar, RONDO_ADD, x, 1.0), x))};
    });
    EXPECT_EQ(query(made[0]).dtype, RONDO_F16);
  });
}

TEST_P(UserExpression, IntegersAreExact) {
  const Expression text("y = x + n");
  Array big(RONDO_I64, {2});
  big.set_raw<int64_t>(0, (int64_t{1} << 53) + 1);
  big.set_raw<int64_t>(1, INT64_MAX);
  const Array sum = download(text({tensor("x", up(big)), integer("n", (int64_t{1} << 53) + 1)}));
  EXPECT_EQ(sum.raw<int64_t>(0), (int64_t{1} << 54) + 2);
  EXPECT_EQ(sum.raw<int64_t>(1), INT64_MIN + (int64_t{1} << 53));
}

TEST_P(UserExpression, EveryOperatorHasItsName) {
  if (sparing()) GTEST_SKIP() << "each of the 106 operators is a kernel to compile; a GPU and the cpu take them all";
  const Tensor floats = values(RONDO_F32, {17}), more = values(RONDO_F32, {17}, 3), least = values(RONDO_F32, {17}, 8);
  const Tensor ints = values(RONDO_I32, {17}), other_ints = values(RONDO_I32, {17}, 3);
  int seen = 0;
  const auto compare = [&](const char* name, const std::string& call, auto&& by_operator) {
    ++seen;
    for (const bool whole : {false, true}) {
      Tensor expected;
      if (by_operator(whole, expected.slot()) != RONDO_OK) continue;
      const std::string text = "y = " + std::string(name) + call;
      const Expression expression(text.c_str());
      std::vector<rondo_argument> arguments = {tensor("a", whole ? ints : floats)};
      if (call.find('b') != std::string::npos) arguments.push_back(tensor("b", whole ? other_ints : more));
      if (call.find('c') != std::string::npos) arguments.push_back(tensor("c", whole ? ints : least));
      Tensor out;
      must(rondo_expression_run(expression, static_cast<int32_t>(arguments.size()), arguments.data(), 1, out.slot()));
      expect_same_bits(download(out), download(expected), text);
      return;
    }
    ADD_FAILURE() << name << " takes neither floats nor integers";
  };
  for (int op = 0; op < 256; ++op) {
    if (const char* name = rondo_unary_op_name(static_cast<rondo_unary_op>(op))) {
      if (op == RONDO_CLIP) {
        const double bounds[] = {-2, 3};
        compare(name, "(a, -2, 3)", [&](bool whole, rondo_tensor** out) {
          return rondo_unary_with(RONDO_CLIP, whole ? ints : floats, 2, bounds, out);
        });
      } else {
        compare(name, "(a)", [&](bool whole, rondo_tensor** out) {
          return rondo_unary(static_cast<rondo_unary_op>(op), whole ? ints : floats, out);
        });
      }
    }
    if (const char* name = rondo_binary_op_name(static_cast<rondo_binary_op>(op)))
      compare(name, "(a, b)", [&](bool whole, rondo_tensor** out) {
        return rondo_binary(static_cast<rondo_binary_op>(op), whole ? ints : floats, whole ? other_ints : more, out);
      });
    if (const char* name = rondo_ternary_op_name(static_cast<rondo_ternary_op>(op)))
      compare(name, "(a, b, c)", [&](bool whole, rondo_tensor** out) {
        return rondo_ternary(static_cast<rondo_ternary_op>(op), whole ? ints : floats, whole ? other_ints : more,
                             whole ? ints : least, out);
      });
  }
  EXPECT_GE(seen, 106);
}

TEST_P(UserExpression, RefusesWhatIsNotRight) {
  const char* const run = "rondo_expression_run";
  const Tensor x = values(RONDO_F32, {4}), y = values(RONDO_F32, {3}), i = values(RONDO_I32, {4});
  const Expression text("z = x * s + 1", "scaled");
  const Expression two("a = x + 1; b = x - 1"), none("y = 1 + f32(s)"), sums("s = sum(x + 0)");
  const auto refuse = [&](rondo_status status, const char* word) {
    expect_refused(status, RONDO_INVALID_ARGUMENT, run, word);
  };
  rondo_tensor* out = nullptr;
  const rondo_argument good[] = {tensor("x", x), scalar("s", 2)};
  refuse(rondo_expression_run(nullptr, 2, good, 1, &out), "expression");
  refuse(rondo_expression_run(text, 2, nullptr, 1, &out), "arguments");
  refuse(rondo_expression_run(text, -1, good, 1, &out), "n_arguments");
  refuse(rondo_expression_run(text, 2, good, 1, nullptr), "out");
  refuse(rondo_expression_run(text, 2, good, 2, &out), "n_out");
  refuse(text.run({tensor("x", x)}, {nullptr}), "s");
  refuse(text.run({tensor("x", x), scalar("s", 1), scalar("q", 1)}, {nullptr}), "q");
  refuse(text.run({tensor("x", x), scalar("s", 1), scalar("s", 1)}, {nullptr}), "second");
  refuse(text.run({tensor("x", nullptr), scalar("s", 1)}, {nullptr}), "tensor");
  refuse(text.run({tensor("x", x), rondo_argument{nullptr, RONDO_ARGUMENT_SCALAR, nullptr, 1, 0}}, {nullptr}), "name");
  refuse(text.run({tensor("x", x), rondo_argument{"s", static_cast<rondo_argument_kind>(7), nullptr, 1, 0}}, {nullptr}),
         "kind");
  refuse(text.run({tensor("x", i), scalar("s", 0.5)}, {nullptr}), "1:9");
  refuse(text.run({tensor("x", x), tensor("s", y)}, {nullptr}), "broadcast");
  refuse(text.run({tensor("x", x), scalar("s", 1)}, {y}), "z");
  refuse(text.run({tensor("x", x), scalar("s", 1)}, {i}), "dtype");
  refuse(two.run({tensor("x", x)}, {x, x}), "shares");
  refuse(none.run({scalar("s", 1)}, {nullptr}), "shape");
  refuse(sums.run({tensor("x", make(rondo_tensor_accumulator, x))}, {nullptr}), "accumulator");
  const Tensor first = slice(x, 0, 0, 1);
  refuse(sums.run({tensor("x", x)}, {reshape(first, {})}), "reduction");
  const Tensor nothing = empty(RONDO_F32, {0, 3});
  const Expression largest("m = max(x, 0)");
  refuse(largest.run({tensor("x", nothing)}, {nullptr}), "1:5");
  EXPECT_EQ(out, nullptr);
  // What failed in the second step has given nothing to the caller.
  const Expression both("y = x + 1; m = max(x, 0)");
  rondo_tensor* untouched[2] = {};
  const rondo_argument empty_argument = tensor("x", nothing);
  refuse(rondo_expression_run(both, 1, &empty_argument, 2, untouched), "m");
  EXPECT_EQ(untouched[0], nullptr);
  EXPECT_EQ(untouched[1], nullptr);
  // And what is right still works.
  must(rondo_expression_run(text, 2, good, 1, &out));
  rondo_tensor_destroy(out);
}

TEST(UserExpressionText, SaysWhereItIsWrong) {
  rondo_expression* expression = nullptr;
  EXPECT_EQ(rondo_expression_create("y = a +* b", nullptr, &expression), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(expression, nullptr);
  EXPECT_STREQ(rondo_last_error(),
               "rondo_expression_create: 1:8: expected a value, found '*'\n  y = a +* b\n         ^");
  expect_refused(rondo_expression_create(nullptr, nullptr, &expression), RONDO_INVALID_ARGUMENT,
                 "rondo_expression_create", "text");
  expect_refused(rondo_expression_create("y = a", nullptr, nullptr), RONDO_INVALID_ARGUMENT, "rondo_expression_create",
                 "expression");
  must(rondo_expression_create("let t = b * a; y = t; z = -t", nullptr, &expression));
  EXPECT_STREQ(rondo_expression_operand(expression, 0), "b");
  EXPECT_STREQ(rondo_expression_operand(expression, 1), "a");
  EXPECT_EQ(rondo_expression_operand(expression, 2), nullptr);
  EXPECT_EQ(rondo_expression_operand(expression, -1), nullptr);
  EXPECT_STREQ(rondo_expression_result(expression, 1), "z");
  EXPECT_EQ(rondo_expression_result(expression, 2), nullptr);
  rondo_expression_destroy(expression);
  EXPECT_EQ(rondo_expression_operand(expression, 0), nullptr) << "a destroyed handle";
  expect_refused(rondo_expression_run(expression, 0, nullptr, 0, nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_expression_run", "expression");
  rondo_expression_destroy(nullptr);
}

}  // namespace
}  // namespace conformance
