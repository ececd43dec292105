// Autocast scopes: which operators compute in 16 bits, what is cast once, and what that does to gradients, recordings
// and threads. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "training/mixed_precision.h"
#include "user/user.h"

namespace conformance {
namespace {

class Autocasts : public OnMixedPrecision {
 protected:
  Tensor matmul(rondo_tensor* a, rondo_tensor* b, const rondo_matmul_options* options = nullptr) const {
    return make(rondo_matmul, a, b, options);
  }
  static rondo_dtype dtype_of(rondo_tensor* tensor) { return query(tensor).dtype; }
  static Tensor cast(rondo_tensor* a, rondo_dtype dtype) { return make(rondo_cast, a, dtype); }
  // Tasks of a recording as it is written.
  int32_t tasks(const std::function<void()>& body) const {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;
    return graph_info(record(engine(), body, &options).get()).tasks;
  }
  const Array x_ = random_array(RONDO_F32, {4, 8}, 1, -1, 1), w_ = random_array(RONDO_F32, {8, 3}, 2, -1, 1);
};
CONFORMANCE_SUITE(Autocasts);

TEST_P(Autocasts, ProductsAreThoseOfCastOperands) {
  for (const rondo_dtype half : {RONDO_F16, RONDO_BF16}) {
    const Tensor x = up(x_), w = up(w_), bias = up(random_array(RONDO_F32, {3}, 3, -1, 1));
    run([&](Results& results) {
      rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
      const Tensor x16 = cast(x, half), w16 = cast(w, half), bias16 = cast(bias, half);
      options.bias = bias16;
      const Tensor by_hand = matmul(x16, w16, &options);
      options.bias = bias;
      Tensor product;
      {
        const Autocast scope(engine(), half);
        product = matmul(x, w, &options);
      }
      EXPECT_EQ(dtype_of(product), half);
      results.keep("difference", make(rondo_binary, RONDO_SUB, product, by_hand), [half] {
        return Expected(full(half, {4, 3}, 0));
      });
      results.keep("product", std::move(product), [&, half] {
        // In high precision of operands as they are; each of 9 terms is below 1 and off by two roundings.
        Array exact(half, {4, 3});
        const Array b = download(bias);
        for (size_t i = 0; i < 4; ++i)
          for (size_t k = 0; k < 3; ++k) {
            Real sum = b[k];
            for (size_t j = 0; j < 8; ++j) sum += x_[i * 8 + j] * w_[j * 3 + k];
            exact.set(i * 3 + k, sum);
          }
        Expected expected(exact);
        expected.absolute = std::vector<Real>(12, 24 * std::ldexp(Real(1), half == RONDO_F16 ? -11 : -8));
        return expected;
      });
    });
  }
}

TEST_P(Autocasts, ConvolutionsAreThoseOfCastOperands) {
  const Tensor x = up(random_array(RONDO_F32, {2, 3, 5, 5}, 1, -1, 1)),
               w = up(random_array(RONDO_F32, {4, 3, 3, 3}, 2, -1, 1));
  const Tensor bias = up(random_array(RONDO_F32, {4}, 3, -1, 1));
  run([&](Results& results) {
    rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
    const Tensor x16 = cast(x, RONDO_F16), w16 = cast(w, RONDO_F16), bias16 = cast(bias, RONDO_F16);
    options.bias = bias16;
    const Tensor by_hand = make(rondo_convolution, x16, w16, &options);
    options.bias = bias;
    const Autocast scope(engine(), RONDO_F16);
    const Tensor image = make(rondo_convolution, x, w, &options);
    EXPECT_EQ(dtype_of(image), RONDO_F16);
    results.keep("difference", make(rondo_binary, RONDO_SUB, image, by_hand), [] {
      return Expected(full(RONDO_F16, {2, 4, 3, 3}, 0));
    });
  });
}

TEST_P(Autocasts, OperatorsComputeAsTheTableSays) {
  const Tensor half = up(full(RONDO_F16, {2, 4}, 0.5L)), single = up(full(RONDO_F32, {2, 4}, 0.5L)),
               wide = up(full(RONDO_F64, {2, 4}, 0.5L)), labels = up(full(RONDO_I32, {2}, 1)),
               weight = up(full(RONDO_F32, {4}, 1)), square = up(full(RONDO_F16, {2, 2}, 1)),
               scales = up(full(RONDO_F32, {2, 2}, 1));
  const Autocast scope(engine(), RONDO_F16);
  // In f32: what loses too much in 16 bits.
  EXPECT_EQ(dtype_of(make(rondo_unary, RONDO_EXP, half)), RONDO_F32);
  EXPECT_EQ(dtype_of(make(rondo_binary, RONDO_POW, half, half)), RONDO_F32);
  EXPECT_EQ(dtype_of(make(rondo_binary_scalar, RONDO_POW, half, 2.0)), RONDO_F32);
  EXPECT_EQ(dtype_of(reduce(RONDO_SUM, half, {})), RONDO_F32);
  EXPECT_EQ(dtype_of(make(rondo_cumulative, RONDO_SUM, half, 1, 0)), RONDO_F32);
  EXPECT_EQ(dtype_of(make(rondo_softmax, half, 1)), RONDO_F32);
  EXPECT_EQ(dtype_of(make(rondo_softmax_with, RONDO_SOFTMIN, half, 1, 1.0, nullptr)), RONDO_F32);
  EXPECT_EQ(dtype_of(make(rondo_layer_norm, half, 1, weight, nullptr, 1e-5)), RONDO_F32);
  EXPECT_EQ(dtype_of(make(rondo_cross_entropy, half, labels)), RONDO_F32);
  // The widest.
  EXPECT_EQ(dtype_of(make(rondo_binary, RONDO_ADD, half, single)), RONDO_F32);
  EXPECT_EQ(dtype_of(make(rondo_binary, RONDO_ADD, half, half)), RONDO_F16);
  EXPECT_EQ(dtype_of(make(rondo_unary, RONDO_RELU, half)), RONDO_F16);
  EXPECT_EQ(dtype_of(reduce(RONDO_MAX, half, {})), RONDO_F16);
  // f64 and integers are nobody's to cast.
  EXPECT_EQ(dtype_of(make(rondo_unary, RONDO_EXP, wide)), RONDO_F64);
  EXPECT_EQ(dtype_of(matmul(transpose(wide, {1, 0}), wide)), RONDO_F64);
  EXPECT_EQ(dtype_of(reduce(RONDO_SUM, labels, {})), RONDO_I64);
  // Other 16 bits than the scope's.
  const Tensor other = cast(scales, RONDO_BF16);
  EXPECT_EQ(dtype_of(matmul(square, other)), RONDO_F16);
}

TEST_P(Autocasts, InnermostScopeCounts) {
  const Tensor x = up(x_), w = up(w_), half = up(full(RONDO_F16, {3}, 1));
  EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_F32);
  {
    const Autocast outer(engine(), RONDO_F16);
    outer.set("exp", RONDO_PRECISION_WIDEST);
    {
      const Autocast inner(engine(), RONDO_BF16);
      EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_BF16);
      EXPECT_EQ(dtype_of(make(rondo_unary, RONDO_EXP, half)), RONDO_F16);
      inner.set("exp", RONDO_PRECISION_SINGLE);
      EXPECT_EQ(dtype_of(make(rondo_unary, RONDO_EXP, half)), RONDO_F32);
      const Autocast off(engine(), RONDO_F32);
      EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_F32);
      EXPECT_EQ(dtype_of(reduce(RONDO_SUM, half, {})), RONDO_F16);
    }
    EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_F16);
    EXPECT_EQ(dtype_of(make(rondo_unary, RONDO_EXP, half)), RONDO_F16);
  }
  EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_F32);
}

TEST_P(Autocasts, OperatorsAreOverriddenByName) {
  const Tensor x = up(x_), w = up(w_), half = cast(w, RONDO_F16);
  const Autocast scope(engine(), RONDO_F16);
  scope.set("matmul", RONDO_PRECISION_WIDEST);
  EXPECT_EQ(dtype_of(matmul(x, half)), RONDO_F32);
  scope.set("matmul", RONDO_PRECISION_SINGLE);
  EXPECT_EQ(dtype_of(matmul(cast(x, RONDO_F16), half)), RONDO_F32);
  scope.set("add", RONDO_PRECISION_HALF);
  EXPECT_EQ(dtype_of(make(rondo_binary, RONDO_ADD, w, w)), RONDO_F16);
  scope.set("max", RONDO_PRECISION_SINGLE);
  EXPECT_EQ(dtype_of(reduce(RONDO_MAX, half, {})), RONDO_F32);
}

TEST_P(Autocasts, ListsAreOverriddenByName) {
  const Tensor single = up(w_), half = cast(single, RONDO_F16), wide = cast(single, RONDO_F64);
  rondo_tensor* const mixed[] = {single, half};
  rondo_tensor* const wider[] = {half, wide};
  const auto all = [&](rondo_tensor* const* list, rondo_dtype expected) {
    EXPECT_EQ(dtype_of(make(rondo_add_n, 2, list)), expected);
    EXPECT_EQ(dtype_of(make(rondo_concat, 2, list, 0)), expected);
    EXPECT_EQ(dtype_of(make(rondo_stack, 2, list, 0)), expected);
  };
  const Autocast scope(engine(), RONDO_F16);
  all(mixed, RONDO_F32);
  for (const char* name : {"add_n", "concat", "stack"}) scope.set(name, RONDO_PRECISION_HALF);
  all(mixed, RONDO_F16);
  all(wider, RONDO_F64);
  run([&](Results& results) {
    results.keep("joined", make(rondo_concat, 2, mixed, 0), [&] {
      const Array rounded = download(half);
      Array both(RONDO_F16, {16, 3});
      for (size_t i = 0; i < both.size(); ++i) both.set(i, rounded[i % rounded.size()]);
      return Expected(both);
    });
  });
  const Tensor out = empty(RONDO_F32, {8, 3}), plain = make(rondo_binary, RONDO_ADD, single, half);
  into(out, rondo_add_n, 2, mixed);
  expect_same_bits(download(out), download(plain), "a given output says what is wanted");
  for (const char* name : {"add_n", "concat", "stack"}) scope.set(name, RONDO_PRECISION_SINGLE);
  rondo_tensor* const halves[] = {half, half};
  all(halves, RONDO_F32);
  for (const char* name : {"add_n", "concat", "stack"}) scope.set(name, RONDO_PRECISION_WIDEST);
  all(halves, RONDO_F16);
}

TEST_P(Autocasts, TextsAreOverriddenByName) {
  const Expression text("y = 3 * x + z", "thrice"), of_an_operator("y = 3 * x", "exp");
  const Tensor x = up(w_), half = cast(x, RONDO_F16);
  const auto thrice = [&](rondo_tensor* a, rondo_tensor* b) { return text({tensor("x", a), tensor("z", b)}); };
  const Tensor by_hand = thrice(half, half), plain = thrice(x, x), out = empty(RONDO_F32, {8, 3});
  const Autocast scope(engine(), RONDO_F16);
  EXPECT_EQ(dtype_of(thrice(x, x)), RONDO_F32);
  EXPECT_EQ(dtype_of(of_an_operator({tensor("x", half)})), RONDO_F16) << "the table is of operators";
  scope.set("thrice", RONDO_PRECISION_HALF);
  const Tensor cast_first = thrice(x, half);
  EXPECT_EQ(dtype_of(cast_first), RONDO_F16);
  expect_same_bits(download(cast_first), download(by_hand), "of casts");
  must(text.run({tensor("x", x), tensor("z", x)}, {out}));
  expect_same_bits(download(out), download(plain), "a given output says what is wanted");
  // Each run of several by itself.
  const rondo_argument runs[] = {RONDO_TENSOR("x", x), RONDO_TENSOR("z", x), RONDO_TENSOR("x", x),
                                 RONDO_TENSOR("z", x)};
  rondo_tensor* made[] = {nullptr, out};
  must(rondo_expression_run_each(text, 2, 2, runs, 1, made));
  const Tensor first(made[0]);
  EXPECT_EQ(dtype_of(first), RONDO_F16);
  expect_same_bits(download(first), download(by_hand), "the first of two");
  expect_same_bits(download(out), download(plain), "the second of two");
  scope.set("thrice", RONDO_PRECISION_SINGLE);
  EXPECT_EQ(dtype_of(thrice(half, half)), RONDO_F32);
  scope.set("thrice", RONDO_PRECISION_WIDEST);
  EXPECT_EQ(dtype_of(thrice(half, half)), RONDO_F16);
}

TEST_P(Autocasts, GivenOutputSaysWhatIsWanted) {
  const Tensor x = up(x_), w = up(w_);
  const Tensor plain = matmul(x, w), out = empty(RONDO_F32, {4, 3});
  const Autocast scope(engine(), RONDO_BF16);
  into(out, rondo_matmul, x, w, nullptr);
  expect_same_bits(download(out), download(plain), "as without a scope");
}

TEST_P(Autocasts, WeightIsCastOnceWhileNobodyWritesIt) {
  const Tensor x = up(x_), w = up(w_), part = slice(w, 1, 0, 2);
  // Casts of x and of w, then products.
  EXPECT_EQ(tasks([&] {
              const Autocast scope(engine(), RONDO_F16);
              for (int i = 0; i < 3; ++i) matmul(x, w);
            }),
            5);
  // Another view is another cast; a scope within keeps them, one behind does not.
  EXPECT_EQ(tasks([&] {
              {
                const Autocast scope(engine(), RONDO_F16);
                matmul(x, w);
                const Autocast inner(engine(), RONDO_F16);
                matmul(x, part);
                matmul(x, w);
              }
              const Autocast scope(engine(), RONDO_F16);
              matmul(x, w);
            }),
            9);
  // A write in between.
  EXPECT_EQ(tasks([&] {
              const Autocast scope(engine(), RONDO_F16);
              matmul(x, w);
              must(rondo_fill(part, 1));
              matmul(x, w);
            }),
            6);
}

TEST_P(Autocasts, WhatWasWrittenIsCastAgain) {
  const Tensor x = up(full(RONDO_F32, {2, 2}, 1)), w = up(full(RONDO_F32, {2, 2}, 1)),
               more = up(full(RONDO_F32, {2, 2}, 3));
  const Graph adds = record(engine(), [&] { into(w, rondo_binary_scalar, RONDO_ADD, w, 1.0); });
  const Autocast scope(engine(), RONDO_F16);
  const auto product = [&] { return download(matmul(x, w))[0]; };
  EXPECT_EQ(product(), 2);
  must(rondo_fill(w, 2));
  EXPECT_EQ(product(), 4);
  into(w, rondo_copy, more);
  EXPECT_EQ(product(), 6);
  must(rondo_graph_launch(adds.get()));
  EXPECT_EQ(product(), 8);
  write(w, full(RONDO_F32, {2, 2}, 5));
  EXPECT_EQ(product(), 10);
  std::thread([&] { must(rondo_fill(w, 6)); }).join();
  EXPECT_EQ(product(), 12);
  must(push_tensors(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {w}));
  EXPECT_EQ(product(), 12);
}

TEST_P(Autocasts, WritesInARecordingCount) {
  const Tensor x = up(full(RONDO_F32, {2, 2}, 1)), w = up(full(RONDO_F32, {2, 2}, 0));
  run([&](Results& results) {
    must(rondo_fill(w, 1));
    const Autocast scope(engine(), RONDO_F16);
    results.keep("before", matmul(x, w), [] { return Expected(full(RONDO_F16, {2, 2}, 2)); });
    must(rondo_fill(w, 3));
    results.keep("after", matmul(x, w), [] { return Expected(full(RONDO_F16, {2, 2}, 6)); });
  });
}

TEST_P(Autocasts, RecordingInsideAScopeMakesItsOwnCasts) {
  const Tensor x = up(full(RONDO_F32, {2, 2}, 1)), w = up(full(RONDO_F32, {2, 2}, 1)),
               out = up(full(RONDO_F16, {2, 2}, 0));
  const Autocast scope(engine(), RONDO_F16);
  matmul(x, w);
  const Graph graph = record(engine(), [&] { into(out, rondo_copy, matmul(x, w)); });
  EXPECT_EQ(download(matmul(x, w))[0], 2);
  must(rondo_fill(w, 4));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(download(out)[0], 8);
}

TEST_P(Autocasts, SectionThatIsOffMakesNoCast) {
  const Tensor x = up(full(RONDO_F32, {2, 2}, 1)), w = up(full(RONDO_F32, {2, 2}, 1));
  const Tensor out = up(full(RONDO_F16, {2, 2}, 0)), seldom = up(full(RONDO_F16, {2, 2}, 0));
  const Graph graph = record(engine(), [&] {
    const Autocast scope(engine(), RONDO_F16);
    must(rondo_record_section_begin(engine(), "seldom", 0));
    into(seldom, rondo_copy, matmul(x, w));
    must(rondo_record_section_end(engine()));
    into(out, rondo_copy, matmul(x, w));
  });
  must(rondo_fill(w, 5));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(download(out)[0], 10);
  EXPECT_EQ(download(seldom)[0], 0);
}

TEST_P(Autocasts, GradientsComeToTheWeightsInF32) {
  const Tensor x = up(x_), w = up(w_);
  const auto gradient_of = [&](bool in_scope) {
    const Tape tape(engine());
    tape.watch(w);
    Tensor loss;
    {
      const Autocast scope(engine(), in_scope ? RONDO_BF16 : RONDO_F32);
      // w is cast once and its gradients are added up.
      const Tensor once = make(rondo_unary, RONDO_TANH, matmul(x, w)), twice = matmul(x, w);
      loss = reduce(RONDO_SUM, make(rondo_binary, RONDO_MUL, once, twice), {});
    }
    return tape.gradient(loss, w);
  };
  const Array exact = download(gradient_of(false));
  run([&](Results& results) {
    results.keep("gradient", gradient_of(true), [&] {
      Expected expected(exact);
      expected.absolute =
          std::vector<Real>(exact.size(), 0.15L);  // sums of 4 terms of about 1, roundings of 2 to the -8
      return expected;
    });
  });
}

TEST_P(Autocasts, TapeSeesCastsOfWhatWasCastBefore) {
  const Tensor x = up(full(RONDO_F32, {2, 2}, 1)), w = up(full(RONDO_F32, {2, 2}, 1));
  run([&](Results& results) {
    const Autocast scope(engine(), RONDO_F16);
    matmul(x, w);
    const Tape tape(engine());
    matmul(x, w);
    tape.watch(w);
    must(rondo_tape_pause());
    matmul(x, w);
    must(rondo_tape_resume());
    const Tensor loss = reduce(RONDO_SUM, matmul(x, w), {});
    results.keep("gradient", tape.gradient(loss, w), [] { return Expected(full(RONDO_F32, {2, 2}, 2)); });
  });
}

TEST_P(Autocasts, OtherThreadsAndTasksAreOutside) {
  const Tensor x = up(x_), w = up(w_);
  const Autocast scope(engine(), RONDO_F16);
  std::thread([&] { EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_F32); }).join();
  std::thread([&] {
    const Autocast own(engine(), RONDO_BF16);
    EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_BF16);
  }).join();
  rondo_dtype inside = RONDO_BOOL;
  must(push(engine(),
            [&](rondo_task_context*) {
              inside = dtype_of(matmul(x, w));
              return RONDO_OK;
            },
            {}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(inside, RONDO_F32);
  EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_F16);
}

// Ends with its thread, and with its engine: nothing is left (OnEngine looks).
TEST_P(Autocasts, ScopeLeftOpenEndsWithItsThread) {
  const Tensor x = up(x_), w = up(w_);
  std::thread([&] {
    must(rondo_autocast_begin(engine(), RONDO_F16));
    matmul(x, w);
  }).join();
  EXPECT_EQ(dtype_of(matmul(x, w)), RONDO_F32);
}

// Weights, f32, trained in 16 bits beside weights trained in f32.
TEST_P(Autocasts, TrainingInHalfEndsAsTrainingInF32) {
  const Array x = random_array(RONDO_F32, {16, 8}, 3, -1, 1), start = random_array(RONDO_F32, {8, 4}, 4, -1, 1);
  const Tensor images = up(x), goal = matmul(images, up(random_array(RONDO_F32, {8, 4}, 5, -1, 1)));
  const auto train = [&](rondo_dtype dtype, Real* first, Real* last) {
    const Tensors weights = up_all({start});
    const Optimizer made = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_SGD, 0.5));
    const LossScaler scales = scaler(scaler_options(0x1p20, 4));  // gradients of f16 overflow at first
    Tensor seen = up(full(RONDO_F32, {}, 0));
    Repeated round = repeated([&] {
      const Tape tape(engine());
      tape.watch(weights[0]);
      Tensor loss;
      {
        const Autocast scope(engine(), dtype);
        loss = reduce(RONDO_MEAN, make(rondo_binary, RONDO_SQUARED_DIFFERENCE, matmul(images, weights[0]), goal), {});
      }
      into(seen, rondo_copy, loss);
      const Tensor scaled = make(rondo_loss_scaler_scale, scales.get(), loss);
      step(scales, made, tape.gradients(scaled, {weights[0]}));
      must(rondo_loss_scaler_update(scales.get()));
    });
    round.run();
    *first = download(seen)[0];
    for (int i = 0; i < 40; ++i) round.run();
    *last = download(seen)[0];
    EXPECT_EQ(download(weights[0]).dtype, RONDO_F32);
    return figures(scales)[2];
  };
  Real first = 0, single = 0, half = 0;
  EXPECT_EQ(train(RONDO_F32, &first, &single), 0);
  EXPECT_GT(train(RONDO_F16, &first, &half), 0) << "no step was skipped, so nothing was shown";
  EXPECT_LT(half, first / 4);
  EXPECT_NEAR(static_cast<double>(half), static_cast<double>(single), static_cast<double>(first) / 8);
}

}  // namespace
}  // namespace conformance
