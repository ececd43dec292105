// What follows the sums of products and convolutions on a cpu has the bits that the same operators have one by one: in
// f32, or f64, and rounded once. Operands are small whole numbers, so that every order of addition gives the same sum,
// with NaN and infinity here and there; shapes, layouts and views come by chance.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"

#include "operators/activation_reference.h"

namespace conformance {
namespace {

struct Epilogue {
  rondo_tensor *scale = nullptr, *bias = nullptr, *residual = nullptr, *added_to = nullptr;
  rondo_activation activation = RONDO_ACTIVATION_NONE;
};

class WhatFollows : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    if (on_cuda()) GTEST_SKIP() << "of a cpu: what libraries of CUDA end with has other roundings";
  }
  int64_t chance(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  // Whole numbers of -4 to 4, some special ones where they are asked for.
  Array whole(rondo_dtype dtype, const Shape& shape, bool special = false) {
    Array array(dtype, shape);
    for (size_t i = 0; i < array.size(); ++i) {
      const bool rare = special && chance(0, 30) == 0;
      const Real rarity[] = {NAN, INFINITY, -INFINITY};
      array.set(i, rare ? rarity[chance(0, 2)] : Real(chance(-4, 4)));
    }
    return array;
  }
  // The same elements behind another one, so that no vector is aligned; every second one of a line, sometimes.
  Tensor placed(const Array& array) {
    Shape wide = array.shape;
    const int64_t step = chance(1, 2);
    wide.back() = wide.back() * step + 1;
    const Tensor around = empty(array.dtype, wide);
    must(rondo_fill(around, 0));
    Tensor view = slice(around, static_cast<int32_t>(wide.size()) - 1, 1, INT64_MAX, step);
    into(view, rondo_copy, up(array));
    return view;
  }
  Tensor cast(rondo_tensor* tensor, rondo_dtype dtype) { return make(rondo_cast, tensor, dtype); }
  // The operators of an epilogue one by one, channels on an axis; then rounded.
  Array apart(Tensor sum, const Epilogue& epilogue, int64_t axis, rondo_dtype dtype, rondo_dtype wide) {
    const rondo_tensor_info info = query(sum);
    const auto by_channel = [&](rondo_tensor* tensor) {
      Shape shape(static_cast<size_t>(info.ndim), 1);
      shape[static_cast<size_t>(axis)] = query(tensor).shape[0];
      return reshape(cast(make(rondo_copy, tensor), wide), shape);
    };
    if (epilogue.scale) sum = make(rondo_binary, RONDO_MUL, sum, by_channel(epilogue.scale));
    if (epilogue.bias) sum = make(rondo_binary, RONDO_ADD, sum, by_channel(epilogue.bias));
    if (epilogue.residual) sum = make(rondo_binary, RONDO_ADD, sum, cast(epilogue.residual, wide));
    const double six[] = {0, 6};
    switch (epilogue.activation) {
      case RONDO_ACTIVATION_RELU: sum = make(rondo_unary, RONDO_RELU, sum); break;
      case RONDO_ACTIVATION_GELU: sum = make(rondo_unary, RONDO_GELU_TANH, sum); break;
      case RONDO_ACTIVATION_RELU6: sum = make(rondo_unary_with, RONDO_HARD_TANH, sum, 2, six); break;
      case RONDO_ACTIVATION_SILU: sum = make(rondo_unary, RONDO_SILU, sum); break;
      case RONDO_ACTIVATION_HARD_SWISH: sum = make(rondo_unary, RONDO_HARD_SWISH, sum); break;
      case RONDO_ACTIVATION_GELU_ERF: sum = make(rondo_unary, RONDO_GELU, sum); break;
      default: break;
    }
    if (epilogue.added_to) sum = make(rondo_binary, RONDO_ADD, cast(epilogue.added_to, wide), sum);
    return download(cast(sum, dtype));
  }
  // An operator into a new tensor, or added to a copy of one.
  template <class... P, class... A>
  Tensor fused(const Epilogue& epilogue, bool turned, rondo_status (*function)(P...), A&&... arguments) {
    if (!epilogue.added_to) return make(function, arguments...);
    Tensor sum = make(rondo_copy, epilogue.added_to);
    if (turned) {
      const rondo_tensor_info info = query(sum);
      sum = transpose(empty(info.dtype, {info.shape[1], info.shape[0]}), {1, 0});
      must(rondo_copy(epilogue.added_to, sum.slot()));
    }
    into(make(rondo_tensor_accumulator, sum), function, arguments...);
    return sum;
  }

  std::mt19937 random_{29};
};
CONFORMANCE_SUITE(WhatFollows);

TEST_P(WhatFollows, ProductsHaveTheBitsOfOperatorsApart) {
  for (int turn = 0; turn < (quick() ? 16 : 60); ++turn) {
    const rondo_dtype dtype = kFloatDtypes[turn % 4], wide = dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
    // A few are shared among workers, or go through several panels; some have no more than a column.
    const bool large = turn % 15 == 14;
    const int64_t m = large ? 610 : chance(1, 70),
                  n = large           ? 530
                      : turn % 7 == 0 ? chance(1, 3)
                                      : chance(1, 70),
                  k = chance(1, 40);
    const Array x = whole(dtype, {m, k}, turn % 3 == 0), y = whole(dtype, {k, n});
    const Tensor a = turn % 2 ? up(x) : placed(x), b = turn % 5 < 2 ? up(y) : placed(y);
    const Tensor bias = placed(whole(dtype, {n}, turn % 4 == 1)), before = up(whole(dtype, {m, n}));
    Epilogue epilogue;
    if (chance(0, 3)) epilogue.bias = bias;
    if (chance(0, 3) == 0) epilogue.added_to = before;
    epilogue.activation = kActivations[chance(0, std::size(kActivations) - 1)];
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.bias = epilogue.bias;
    options.activation = epilogue.activation;
    const bool turned = turn % 2;
    const Array expected = apart(make(rondo_matmul, cast(a, wide), cast(b, wide), nullptr), epilogue, 1, dtype, wide);
    run([&](Results& results) {
      results.keep("turn " + std::to_string(turn), fused(epilogue, turned, rondo_matmul, a, b, &options),
                   [=] { return Expected(expected); });
    });
  }
}

TEST_P(WhatFollows, ConvolutionsMatchOperatorsApart) {
  for (int turn = 0; turn < (quick() ? 16 : 60); ++turn) {
    const rondo_dtype dtype = kFloatDtypes[turn % 4], wide = dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
    const bool large = turn % 20 == 18, transposed = chance(0, 3) == 0;
    const int64_t groups = chance(0, 2) ? 1 : chance(2, 12), kernel = chance(1, 3);
    Convolution problem;
    problem.groups = groups;
    problem.image = {chance(1, 2), groups * chance(1, 4), large ? 60 : chance(3, 12), large ? 61 : chance(3, 12)};
    problem.filter = {large ? groups * 40 : groups * chance(1, 11), problem.image[1] / groups, kernel, kernel};
    if (chance(0, 4) == 0) problem.filter[0] = groups;
    problem.stride = {chance(1, 2), 1, 1};
    problem.before = problem.after = {kernel / 2, kernel / 2, 0};
    const Shape made = transposed ? problem.image : problem.result();
    const Array x = whole(dtype, transposed ? problem.result() : problem.image, turn % 3 == 0),
                w = whole(dtype, problem.filter);
    const auto laid = [&](const Array& array) {
      const Tensor tensor = up(array);
      switch (chance(0, 2)) {
        case 0: return with_channels_last(tensor);
        case 1: return placed(array);
        default: return make(rondo_copy, tensor);
      }
    };
    const Tensor a = laid(x), filter = laid(w), residual = laid(whole(dtype, made, turn % 4 == 2));
    const Tensor scale = placed(whole(dtype, {made[1]})), bias = placed(whole(dtype, {made[1]}, turn % 4 == 1));
    const Tensor before = laid(whole(dtype, made));
    Epilogue epilogue;
    if (chance(0, 1)) epilogue.scale = scale;
    if (chance(0, 1)) epilogue.bias = bias;
    if (chance(0, 1)) epilogue.residual = residual;
    if (chance(0, 3) == 0) epilogue.added_to = before;
    epilogue.activation = kActivations[chance(0, std::size(kActivations) - 1)];
    rondo_convolution_options plain = transposed ? problem.transposed_options() : problem.options(), options = plain;
    options.scale = epilogue.scale;
    options.bias = epilogue.bias;
    options.residual = epilogue.residual;
    options.activation = epilogue.activation;
    const Array expected =
        apart(make(rondo_convolution, cast(a, wide), cast(filter, wide), &plain), epilogue, 1, dtype, wide);
    run([&](Results& results) {
      results.keep("turn " + std::to_string(turn) + " " + problem.name(),
                   fused(epilogue, false, rondo_convolution, a, filter, &options), [=] { return Expected(expected); });
    });
  }
}

}  // namespace
}  // namespace conformance
