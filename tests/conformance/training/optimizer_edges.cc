// Optimizers and clipping where numbers are infinite or NaN, or their squares overflow.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "training/optimizer.h"

namespace conformance {
namespace {

class OptimizerEdges : public OnOptimizer {};
CONFORMANCE_SUITE(OptimizerEdges);

std::vector<rondo_dtype> computed() {
  return {RONDO_F32, RONDO_F64};
}

TEST_P(OptimizerEdges, AdamWMomentsIgnoreAnInfiniteWeight) {
  for (const rondo_dtype dtype : computed()) {
    const Tensors weights = up_all({array_of(dtype, {3}, {INFINITY, NAN, 1})});
    const Tensors gradients = up_all({full(dtype, {3}, 0.5)});
    rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_ADAMW, 0.1);
    options.weight_decay = 0.01;
    const Optimizer of = optimizer(weights, options);
    repeated([&] { step(of, gradients); }).run();
    for (const char* name : {"optimizer.0.exp_avg", "optimizer.0.exp_avg_sq"}) {
      const Array moments = state(of, name);
      EXPECT_TRUE(std::isfinite(moments[0]) && moments[0] == moments[2] && moments[1] == moments[2]) << name;
    }
  }
}

TEST_P(OptimizerEdges, NanSpreadsOverATensorOfLamb) {
  for (const rondo_dtype dtype : computed()) {
    const Tensors weights = up_all({full(dtype, {3}, 1), full(dtype, {3}, 1)});
    const Tensors gradients = up_all({array_of(dtype, {3}, {NAN, 0.5, 0.5}), full(dtype, {3}, 0.5)});
    const Optimizer of = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_LAMB, 0.1));
    repeated([&] { step(of, gradients); }).run();
    const Array with = download(weights[0]), without = download(weights[1]);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(std::isnan(with[i])) << i;
      EXPECT_TRUE(std::isfinite(without[i])) << i;
    }
  }
}

TEST_P(OptimizerEdges, LambKeepsItsRatioAtOverflow) {
  const double large = 1e200;
  const Tensors weights = up_all({full(RONDO_F64, {3}, large)}), gradients = up_all({full(RONDO_F64, {3}, 1)});
  const Optimizer of = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_LAMB, 0.25));
  step(of, gradients);
  // The direction is 1 in each element, but for epsilon; so the ratio is the weight.
  const Array got = download(weights[0]);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(static_cast<double>(got[i] / large), 0.75, 1e-5);
}

TEST_P(OptimizerEdges, NanNormMakesAllElementsNan) {
  for (const rondo_dtype dtype : computed()) {
    const Tensors tensors = up_all({array_of(dtype, {2}, {1, NAN}), full(dtype, {2}, 0.25)});
    std::vector<rondo_tensor*> list = handles(tensors);
    Tensor norm = up(full(RONDO_F32, {}, 0));
    repeated([&] {
      rondo_tensor* slot = norm;
      must(rondo_clip_global_norm(2, list.data(), 1e3, &slot));
    }).run();
    EXPECT_TRUE(std::isnan(download(norm)[0]));
    for (const Tensor& each : tensors) {
      const Array got = download(each);
      for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(std::isnan(got[i]));
    }
  }
}

TEST_P(OptimizerEdges, ClippingWhereSquaresOverflow) {
  struct Case {
    rondo_dtype dtype;
    double element, norm;  // of both tensors' elements; as f32 has it
  };
  for (const Case& each : {Case{RONDO_F64, 1e200, INFINITY}, {RONDO_F32, 2e38, 2.8284271247461903e38}}) {
    const Tensors tensors = up_all({full(each.dtype, {1}, each.element), full(each.dtype, {1}, -each.element)});
    std::vector<rondo_tensor*> list = handles(tensors);
    const Tensor norm = make(rondo_clip_global_norm, 2, list.data(), 1.0);
    expect_as(download(norm), Expected(full(RONDO_F32, {}, each.norm)), "norm");
    for (size_t i = 0; i < 2; ++i) {
      Expected expected(full(each.dtype, {1}, i ? -0.70710678118654752440L : 0.70710678118654752440L));
      expected.ulps = 4;
      expect_as(download(tensors[i]), expected, "clipped");
    }
  }
}

}  // namespace
}  // namespace conformance
