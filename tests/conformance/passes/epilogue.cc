// Recordings that want fewer roundings: products and convolutions take in what follows them, with the bits of calls
// that are given it, and fused operators hand on what they computed.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "passes/passes.h"

namespace conformance {
namespace {

class Epilogue : public WithFewerRoundings {};
CONFORMANCE_ENGINE_SUITE(Epilogue);

struct Activation {
  rondo_activation number;
  Tensor (*made)(rondo_tensor* x);
};
const Activation kActivations[] = {
    {RONDO_ACTIVATION_NONE, nullptr},
    {RONDO_ACTIVATION_RELU, [](rondo_tensor* x) { return make(rondo_unary, RONDO_RELU, x); }},
    {RONDO_ACTIVATION_GELU, [](rondo_tensor* x) { return make(rondo_unary, RONDO_GELU_TANH, x); }},
    {RONDO_ACTIVATION_RELU6,
     [](rondo_tensor* x) {
       const double limits[] = {0, 6};
       return make(rondo_unary_with, RONDO_HARD_TANH, x, 2, limits);
     }},
    {RONDO_ACTIVATION_SILU, [](rondo_tensor* x) { return make(rondo_unary, RONDO_SILU, x); }},
    {RONDO_ACTIVATION_HARD_SWISH, [](rondo_tensor* x) { return make(rondo_unary, RONDO_HARD_SWISH, x); }},
    {RONDO_ACTIVATION_GELU_ERF, [](rondo_tensor* x) { return make(rondo_unary, RONDO_GELU, x); }},
};

TEST_P(Epilogue, ProductsTakeInBiasAndActivation) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64})
    for (const Activation& activation : kActivations)
      for (const bool batched : {false, true}) {
        if (quick() && batched && dtype != RONDO_F16) continue;
        const std::vector<Array> arrays = {random_array(dtype, batched ? Shape{3, 19, 24} : Shape{19, 24}, 3, -2, 2),
                                           random_array(dtype, batched ? Shape{3, 24, 40} : Shape{24, 40}, 4, -2, 2),
                                           random_array(dtype, {40}, 5, -9, 9)};
        const Graph graph = compare_with(
            arrays,
            [&](const auto& x) {
              const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
              Tensor y = make(rondo_binary, RONDO_ADD, make(rondo_matmul, x[0], x[1], &plain), x[2]);
              return activation.made ? list(activation.made(y)) : list(std::move(y));
            },
            [&](const auto& x) {
              rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
              options.bias = x[2];
              options.activation = activation.number;
              return list(make(rondo_matmul, x[0], x[1], &options));
            },
            rondo_dtype_name(dtype), 1);
        const std::string report = graph_report(graph.get());
        EXPECT_TRUE(has_word(report, "one of 0 'matmul', 1 'add'")) << report;
        const int saved = is_half(dtype) ? (activation.made ? 2 : 1) : 0;
        EXPECT_TRUE(has_word(report, "(roundings saved: " + std::to_string(saved) + ")")) << report;
      }
}

TEST_P(Epilogue, ConvolutionsTakeInWhatFollows) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64})
    for (int parts = 1; parts < 16; ++parts) {
      const bool scale = parts & 1, bias = parts & 2, residual = parts & 4, relu = parts & 8;
      if (quick() && dtype != RONDO_F16 && parts != 15) continue;
      // A convolution that the library could not end so stays as it is; of one channel a group it is Rondo's own.
      const bool own = on_cuda() && ((scale && dtype == RONDO_F16) || dtype == RONDO_F64);
      const std::vector<Array> arrays = {random_array(dtype, {2, own ? 6 : 5, 9, 7}, 3, -2, 2),
                                         random_array(dtype, {6, own ? 1 : 5, 3, 3}, 4, -2, 2),
                                         random_array(dtype, {6}, 5, -3, 3), random_array(dtype, {6}, 6, -9, 9),
                                         random_array(dtype, {2, 6, 7, 5}, 7, -9, 9)};
      compare_with(
          arrays,
          [&](const auto& x) {
            rondo_convolution_options plain = RONDO_CONVOLUTION_OPTIONS_INIT;
            plain.groups = own ? 6 : 1;
            const auto by_channel = [](rondo_tensor* of) { return reshape(of, {6, 1, 1}); };
            Tensor y = make(rondo_convolution, x[0], x[1], &plain);
            if (scale) y = make(rondo_binary, RONDO_MUL, y, by_channel(x[2]));
            if (bias) y = make(rondo_binary, RONDO_ADD, by_channel(x[3]), y);
            if (residual) y = make(rondo_binary, RONDO_ADD, y, x[4]);
            if (relu) y = make(rondo_unary, RONDO_RELU, y);
            return list(std::move(y));
          },
          [&](const auto& x) {
            rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
            options.groups = own ? 6 : 1;
            if (scale) options.scale = x[2];
            if (bias) options.bias = x[3];
            if (residual) options.residual = x[4];
            if (relu) options.activation = RONDO_ACTIVATION_RELU;
            return list(make(rondo_convolution, x[0], x[1], &options));
          },
          std::string(rondo_dtype_name(dtype)) + " parts " + std::to_string(parts), 1);
    }
}

// Of 16 bits with a scale or an activation that does more than limit, and of f64 with anything, a convolution of a GPU
// would no longer be the library's.
TEST_P(Epilogue, ConvolutionsStayTheLibrarysOnAGpu) {
  if (!on_cuda()) GTEST_SKIP() << "of a GPU";
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64})
    for (const Activation& activation : kActivations)
      for (const bool scale : {false, true}) {
        const std::vector<Array> arrays = {random_array(dtype, {1, 4, 5, 5}, 3, -2, 2),
                                           random_array(dtype, {6, 4, 3, 3}, 4, -2, 2),
                                           random_array(dtype, {6, 1, 1}, 5, -3, 3)};
        const Graph graph = compare_nearly(
            arrays,
            [&](const std::vector<Tensor>& x) {
              const rondo_convolution_options plain = RONDO_CONVOLUTION_OPTIONS_INIT;
              const Tensor sum = make(rondo_convolution, x[0], x[1], &plain);
              Tensor y = make(rondo_binary, scale ? RONDO_MUL : RONDO_ADD, sum, x[2]);
              return activation.made ? list(activation.made(y)) : list(std::move(y));
            },
            dtype == RONDO_F16 ? 0.02L : 1e-5L, rondo_dtype_name(dtype));
        const bool limits = activation.number == RONDO_ACTIVATION_NONE || activation.number == RONDO_ACTIVATION_RELU ||
                            activation.number == RONDO_ACTIVATION_RELU6;
        const bool all = dtype == RONDO_F32 || (dtype == RONDO_F16 && limits && !scale);
        EXPECT_EQ(graph_info(graph.get()).tasks, all ? 1 : 2)
            << rondo_dtype_name(dtype) << ", activation " << activation.number << "\n"
            << graph_report(graph.get());
      }
}

// What comes in another order than a call has it, is looked at by somebody, or is written over.
TEST_P(Epilogue, WhatACallCannotHaveStaysBehindIt) {
  const std::vector<Array> arrays = {random_array(RONDO_F32, {8, 8}, 3, -2, 2),
                                     random_array(RONDO_F32, {8, 8}, 4, -2, 2), random_array(RONDO_F32, {8}, 5, -2, 2),
                                     random_array(RONDO_F32, {8, 1}, 6, -2, 2)};
  const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
  rondo_matmul_options limited = plain;
  limited.activation = RONDO_ACTIVATION_RELU;
  struct Case {
    const char* label;
    int32_t tasks;
    Program body, eager = body;  // what the calls are that it becomes
  };
  const Case cases[] = {
      {"activation before bias", 2,
       [&](const auto& x) {
         const Tensor soft = make(rondo_unary, RONDO_RELU, make(rondo_matmul, x[0], x[1], &plain));
         return list(make(rondo_binary, RONDO_ADD, soft, x[2]));
       },
       [&](const auto& x) {
         return list(make(rondo_binary, RONDO_ADD, make(rondo_matmul, x[0], x[1], &limited), x[2]));
       }},
      {"a number for each row", 2,
       [&](const auto& x) {
         return list(make(rondo_binary, RONDO_ADD, make(rondo_matmul, x[0], x[1], &plain), x[3]));
       }},
      {"a scale", 2,
       [&](const auto& x) {
         return list(make(rondo_binary, RONDO_MUL, make(rondo_matmul, x[0], x[1], &plain), x[2]));
       }},
      {"the product is an output too", 2,
       [&](const auto& x) {
         Tensor product = make(rondo_matmul, x[0], x[1], &plain);
         Tensor sum = make(rondo_binary, RONDO_ADD, product, x[2]);
         return list(std::move(product), std::move(sum));
       }},
      {"the product twice", 2,
       [&](const auto& x) {
         const Tensor product = make(rondo_matmul, x[0], x[1], &plain);
         return list(make(rondo_binary, RONDO_ADD, product, product));
       }},
      {"over its own operand", 3,
       [&](const auto& x) {
         const Tensor product = make(rondo_matmul, x[0], x[1], &plain);
         into(x[0], rondo_binary, RONDO_ADD, product, x[2]);
         return list(make(rondo_cumulative, RONDO_SUM, x[1], 0, 0), slice(x[0], 0, 0, 8));
       }},
  };
  for (const Case& each : cases) compare_with(arrays, each.body, each.eager, each.label, each.tasks);
}

// Without the option each result has its bits.
TEST_P(Epilogue, RoundingsStayUnlessFewerAreWanted) {
  const Graph graph = compare(
      {random_array(RONDO_F16, {19, 24}, 3, -2, 2), random_array(RONDO_F16, {24, 40}, 4, -2, 2),
       random_array(RONDO_F16, {40}, 5, -9, 9)},
      [&](const auto& x) {
        const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
        return list(
            make(rondo_unary, RONDO_RELU, make(rondo_binary, RONDO_ADD, make(rondo_matmul, x[0], x[1], &plain), x[2])));
      },
      "as eager calls");
  const std::string report = graph_report(graph.get());
  EXPECT_FALSE(has_word(report, "one of 0 'matmul'")) << report;
  EXPECT_FALSE(has_word(report, "roundings saved")) << report;
}

// What follows a sum goes through the same loops on the host as operators do, so that nobody has to ask.
TEST_P(Epilogue, OnTheHostTheBitsAreThoseOfOperatorsApart) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64})
    for (const Activation& activation : kActivations) {
      const Graph graph = compare(
          {random_array(dtype, {19, 24}, 3, -2, 2), random_array(dtype, {24, 40}, 4, -2, 2),
           random_array(dtype, {40}, 5, -9, 9), random_array(dtype, {2, 5, 9, 7}, 6, -2, 2),
           random_array(dtype, {6, 5, 3, 3}, 7, -2, 2), random_array(dtype, {6, 1, 1}, 8, -9, 9),
           random_array(dtype, {2, 6, 7, 5}, 9, -9, 9)},
          [&](const auto& x) {
            const rondo_matmul_options product = RONDO_MATMUL_OPTIONS_INIT;
            const rondo_convolution_options convolution = RONDO_CONVOLUTION_OPTIONS_INIT;
            Tensor y = make(rondo_binary, RONDO_ADD, make(rondo_matmul, x[0], x[1], &product), x[2]);
            Tensor z = make(rondo_binary, RONDO_MUL, make(rondo_convolution, x[3], x[4], &convolution), x[5]);
            z = make(rondo_binary, RONDO_ADD, make(rondo_binary, RONDO_ADD, z, x[5]), x[6]);
            if (activation.made) y = activation.made(y), z = activation.made(z);
            return list(std::move(y), std::move(z));
          },
          rondo_dtype_name(dtype));
      EXPECT_EQ(graph_info(graph.get()).tasks, on_cuda() ? 4 : 2) << graph_report(graph.get());
    }
}

// A call that has a bias, or more, still takes in what it may have besides.
TEST_P(Epilogue, WhatACallHasAlreadyStaysBeforeTheRest) {
  const std::vector<Array> arrays = {random_array(RONDO_F32, {2, 5, 9, 17}, 3, -2, 2),
                                     random_array(RONDO_F32, {6, 5, 3, 3}, 4, -2, 2),
                                     random_array(RONDO_F32, {6}, 5, -3, 3),
                                     random_array(RONDO_F32, {6}, 6, -9, 9),
                                     random_array(RONDO_F32, {2, 6, 7, 15}, 7, -9, 9),
                                     random_array(RONDO_F32, {15, 8}, 8, -2, 2),
                                     random_array(RONDO_F32, {8}, 9, -9, 9)};
  for (int parts = 0; parts < 8; ++parts)
    for (const Activation& activation : kActivations) {
      const bool scale = parts & 1, residual = parts & 2, first = parts & 4;  // first: in the call
      if (!activation.made || (quick() && parts % 3 != 0)) continue;
      const auto body = [&](const auto& x, bool all) {
        rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
        if (scale) options.scale = x[2];
        options.bias = x[3];
        if (residual && (all || first)) options.residual = x[4];
        if (all) options.activation = activation.number;
        Tensor y = make(rondo_convolution, x[0], x[1], &options);
        if (residual && !all && !first) y = make(rondo_binary, RONDO_ADD, x[4], y);
        rondo_matmul_options product = RONDO_MATMUL_OPTIONS_INIT;
        product.bias = x[6];
        if (all) product.activation = activation.number;
        Tensor z = make(rondo_matmul, x[4], x[5], &product);
        if (!all) y = activation.made(y), z = activation.made(z);
        return list(std::move(y), std::move(z));
      };
      compare_with(
          arrays, [&](const auto& x) { return body(x, false); }, [&](const auto& x) { return body(x, true); },
          "parts " + std::to_string(parts), 2);
    }
}

// A library of the host may not take a residual that lies otherwise than the result.
TEST_P(Epilogue, RepeatedResidualsStayApartOnTheHost) {
  if (on_cuda()) GTEST_SKIP() << "of a cpu";
  const Graph graph = compare(
      {random_array(RONDO_F32, {2, 5, 9, 7}, 3, -2, 2), random_array(RONDO_F32, {6, 5, 3, 3}, 4, -2, 2),
       random_array(RONDO_F32, {6}, 5, -9, 9), random_array(RONDO_F32, {7, 1}, 6, -9, 9)},
      [&](const auto& x) {
        rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
        options.bias = x[2];
        const auto last = [](rondo_tensor* of) {
          return transpose(make(rondo_copy, transpose(of, {0, 2, 3, 1})), {0, 3, 1, 2});
        };
        const Tensor y = make(rondo_convolution, last(x[0]), x[1], &options);
        return list(make(rondo_binary, RONDO_ADD, y, x[3]));
      },
      "a number for each line");
  EXPECT_EQ(graph_info(graph.get()).tasks, 3) << graph_report(graph.get());
}

// A chain of 16-bit operators is computed in f32, and rounded at its end.
TEST_P(Epilogue, ChainsAreRoundedOnce) {
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16}) {
    const auto chain = [](rondo_tensor* a, rondo_tensor* b) {
      const Tensor square = make(rondo_binary, RONDO_MUL, a, a);
      const Tensor sum = make(rondo_binary, RONDO_ADD, square, b);
      return make(rondo_binary, RONDO_SUB, make(rondo_unary, RONDO_TANH, sum), square);
    };
    const Graph graph = compare_with(
        {random_array(dtype, {1003}, 3, -2, 2), random_array(dtype, {1003}, 4, -2, 2)},
        [&](const auto& x) { return list(chain(x[0], x[1])); },
        [&](const auto& x) {
          const Tensor a = make(rondo_cast, x[0], RONDO_F32), b = make(rondo_cast, x[1], RONDO_F32);
          return list(make(rondo_cast, chain(a, b), dtype));
        },
        rondo_dtype_name(dtype), 1);
    EXPECT_TRUE(has_word(graph_report(graph.get()), "(roundings saved: 4)")) << graph_report(graph.get());
  }
}

// Programs by chance: a rounding less is never further from the exact result than the bound of all roundings.
TEST_P(Epilogue, ProgramsByChanceStayCloseToEagerOnes) {
  for (int seed = 0; seed < (quick() ? 10 : 200); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto chance = [&](int of) { return static_cast<int>(random() % static_cast<unsigned>(of)); };
    const Shape shape = {1 + chance(20), 1 + chance(30)};
    const int64_t inner = 1 + chance(20);
    std::vector<int> steps(static_cast<size_t>(1 + chance(5)));
    for (int& step : steps) step = chance(6);
    const std::vector<Array> arrays = {
        random_array(RONDO_F32, {shape[0], inner}, static_cast<unsigned>(seed), -1, 1),
        random_array(RONDO_F32, {inner, shape[1]}, static_cast<unsigned>(seed) + 1, -1, 1),
        random_array(RONDO_F32, {shape[1]}, static_cast<unsigned>(seed) + 2, -1, 1),
        random_array(RONDO_F32, shape, static_cast<unsigned>(seed) + 3, -1, 1)};
    const auto body = [&](const std::vector<Tensor>& x) {
      const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
      std::vector<Tensor> kept;
      Tensor y = make(rondo_matmul, x[0], x[1], &plain);
      for (const int step : steps) {
        if (step == 0) y = make(rondo_binary, RONDO_ADD, y, x[2]);
        if (step == 1) y = make(rondo_unary, RONDO_RELU, y);
        if (step == 2) y = make(rondo_binary, RONDO_ADD, x[3], y);
        if (step == 3) y = make(rondo_unary, RONDO_SILU, y);
        if (step == 4) y = make(rondo_binary, RONDO_MUL, y, x[2]);
        if (step == 5) kept.push_back(make(rondo_unary, RONDO_TANH, y));
      }
      kept.push_back(std::move(y));
      return kept;
    };
    compare_nearly(arrays, body, 1e-5L, "seed " + std::to_string(seed));
  }
}

TEST_P(Epilogue, AsWrittenExcludesFewerRoundings) {
  rondo_record_options options = fewer_roundings();
  options.flags |= RONDO_RECORD_AS_WRITTEN;
  expect_refused(rondo_record_begin(engine(), &options), RONDO_INVALID_ARGUMENT, "rondo_record_begin",
                 "options->flags");
  EXPECT_TRUE(has_word(rondo_last_error(), "RONDO_RECORD_AS_WRITTEN and RONDO_RECORD_FEWER_ROUNDINGS"))
      << rondo_last_error();
  rondo_callable_options callable = RONDO_CALLABLE_OPTIONS_INIT;
  callable.flags = RONDO_CALLABLE_AS_WRITTEN | RONDO_CALLABLE_FEWER_ROUNDINGS;
  rondo_callable* made = nullptr;
  const rondo_callable_fn function = [](void*, int32_t, rondo_tensor* const*, int32_t, rondo_tensor**) {
    return RONDO_OK;
  };
  expect_refused(rondo_callable_create(engine(), 1, &callable, function, nullptr, nullptr, &made),
                 RONDO_INVALID_ARGUMENT, "rondo_callable_create", "options->flags");
  EXPECT_TRUE(has_word(rondo_last_error(), "RONDO_CALLABLE_AS_WRITTEN and RONDO_CALLABLE_FEWER_ROUNDINGS"))
      << rondo_last_error();
}

}  // namespace
}  // namespace conformance
