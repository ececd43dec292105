// Random numbers: distribution, reproducibility across modes, devices, eager and graph; dropout.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

Tensor uniform(rondo_engine* engine, rondo_device device, rondo_dtype dtype, const Shape& shape, double low = 0,
               double high = 1) {
  return make(rondo_random_uniform, engine, device, dtype, static_cast<int32_t>(shape.size()), shape.data(), low, high);
}
Tensor normal(rondo_engine* engine, rondo_device device, rondo_dtype dtype, const Shape& shape, double mean = 0,
              double deviation = 1) {
  return make(rondo_random_normal, engine, device, dtype, static_cast<int32_t>(shape.size()), shape.data(), mean,
              deviation);
}

struct Moments {
  Real mean = 0, variance = 0, least = INFINITY, most = -INFINITY, neighbours = 0;  // neighbours: correlation at lag 1
};
Moments moments(const Array& a) {
  Moments out;
  const Real n = Real(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    out.mean += a[i] / n, out.least = std::min(out.least, a[i]), out.most = std::max(out.most, a[i]);
  }
  for (size_t i = 0; i < a.size(); ++i) out.variance += (a[i] - out.mean) * (a[i] - out.mean) / n;
  for (size_t i = 1; i < a.size(); ++i) out.neighbours += (a[i] - out.mean) * (a[i - 1] - out.mean) / n / out.variance;
  return out;
}

class Random : public OnEngine {};
CONFORMANCE_SUITE(Random);

constexpr int64_t kMany = 50000;

TEST_P(Random, UniformStatistics) {
  if (GetParam().graph) GTEST_SKIP() << "GraphContinuesTheSequence compares graph and eager bit for bit";
  for (const rondo_dtype dtype : covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, 0)) {
    SCOPED_TRACE(rondo_dtype_name(dtype));
    const Array x = download(uniform(engine(), device(), dtype, {kMany}, -2, 6));
    const Moments m = moments(x);
    EXPECT_GE(m.least, -2);
    EXPECT_LT(m.most, 6);
    EXPECT_LT(m.least, -1.9);
    EXPECT_GT(m.most, 5.9);
    EXPECT_NEAR(double(m.mean), 2, 5 * std::sqrt(64 / 12.0 / kMany) + (is_half(dtype) ? 0.02 : 0));
    EXPECT_NEAR(double(m.variance), 64 / 12.0, 0.1);
    EXPECT_NEAR(double(m.neighbours), 0, 5 / std::sqrt(double(kMany)));
    int bins[16] = {};
    for (size_t i = 0; i < x.size(); ++i) ++bins[std::clamp(static_cast<int>(std::floor((x[i] + 2) * 2)), 0, 15)];
    double chi = 0;
    for (const int n : bins) chi += (n - kMany / 16.0) * (n - kMany / 16.0) / (kMany / 16.0);
    // 15 degrees of freedom: 50 has a chance of 1e-5. Rounding to 16 bits moves values over the edges of the bins.
    EXPECT_LT(chi, is_half(dtype) ? 400 : 50);
  }
}

TEST_P(Random, NormalStatistics) {
  if (GetParam().graph) GTEST_SKIP() << "GraphContinuesTheSequence compares graph and eager bit for bit";
  for (const rondo_dtype dtype : covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, 1)) {
    SCOPED_TRACE(rondo_dtype_name(dtype));
    const Array x = download(normal(engine(), device(), dtype, {kMany}, 3, 0.5));
    const Moments m = moments(x);
    EXPECT_NEAR(double(m.mean), 3, 5 * 0.5 / std::sqrt(double(kMany)) + (is_half(dtype) ? 0.01 : 0));
    EXPECT_NEAR(double(m.variance), 0.25, 0.01);
    EXPECT_NEAR(double(m.neighbours), 0, 5 / std::sqrt(double(kMany)));
    Real third = 0, fourth = 0, beyond = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const Real z = (x[i] - 3) * 2;
      third += z * z * z / kMany, fourth += z * z * z * z / kMany, beyond += std::fabs(z) > 1.959964L;
    }
    EXPECT_NEAR(double(third), 0, 0.08);
    EXPECT_NEAR(double(fourth), 3, 0.25);
    EXPECT_NEAR(double(beyond / kMany), 0.05, 0.006);
    EXPECT_TRUE(std::isfinite(m.least) && std::isfinite(m.most));
  }
}

TEST_P(Random, EqualBoundsGiveThatNumber) {
  run([&](Results& results) {
    for (const rondo_dtype dtype : covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, 3))
      for (const double bound : {-3.25, 0.0})
        results.keep(rondo_dtype_name(dtype), uniform(engine(), device(), dtype, {300}, bound, bound),
                     [=] { return Expected(full(dtype, {300}, bound)); });
  });
}

TEST_P(Random, SeedRestartsTheSequence) {
  if (GetParam().graph) GTEST_SKIP() << "seeding is not recorded";
  const auto draw = [&] { return download(uniform(engine(), device(), RONDO_F32, {1001})); };
  must(rondo_engine_seed(engine(), 99));
  const Array first = draw(), second = draw();
  EXPECT_NE(first.bytes, second.bytes);
  must(rondo_engine_seed(engine(), 100));
  EXPECT_NE(draw().bytes, first.bytes);
  must(rondo_engine_seed(engine(), 99));
  expect_same_bits(draw(), first, "first");
  expect_same_bits(draw(), second, "second");
  rondo_engine_options seeded = options();
  seeded.seed = 99;
  restart(seeded);
  expect_same_bits(draw(), first, "seed of the options");
}

// No two parts of a sequence are the same numbers again, whatever the sizes of the draws.
TEST_P(Random, DrawsDoNotOverlap) {
  if (GetParam().graph) GTEST_SKIP() << "eager draws only";
  std::vector<double> all;
  for (const int64_t n : {1, 3, 4, 5, 1000, 257, 7}) {
    const Array x = download(uniform(engine(), device(), RONDO_F64, {n}));
    for (size_t i = 0; i < x.size(); ++i) all.push_back(x.raw<double>(i));
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "the same 53-bit number came twice";
}

TEST_P(Random, SameInEveryModeAndOnEveryDevice) {
  if (GetParam().graph) GTEST_SKIP() << "GraphContinuesTheSequence covers graphs";
  rondo_engine_options reference_options = options();
  reference_options.mode = RONDO_ENGINE_NAIVE;
  const Engine reference = create_engine(reference_options);
  for (const rondo_dtype dtype : covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, 2)) {
    for (const int64_t n : {1, 6, 4099}) {
      const Array here = download(uniform(engine(), device(), dtype, {n}, -1, 3));
      expect_same_bits(here, download(uniform(reference.get(), kCpu, dtype, {n}, -1, 3)), "uniform");
      const Array gauss = download(normal(engine(), device(), dtype, {n}));
      const Array expected = download(normal(reference.get(), kCpu, dtype, {n}));
      if (!on_cuda()) {
        expect_same_bits(gauss, expected, "normal");
      } else {
        Expected near(expected);
        near.ulps = is_half(dtype) ? 1 : 32;
        // The cpu rounds the angle, by 4e-7 at most, and the radius is up to 6.7.
        near.absolute.assign(near.values.size(), dtype == RONDO_F64 ? 1e-14L : 3e-6L);
        expect_as(gauss, near, "normal");
      }
    }
  }
}

// eager, graph, graph, eager gives the numbers that all-eager gives.
TEST_P(Random, GraphContinuesTheSequence) {
  if (!GetParam().graph) GTEST_SKIP() << "this is about graphs";
  const Array x = full(RONDO_F32, {333}, 1);
  const Tensor a = up(x);
  struct Draw {
    Tensor first, second, out, mask;
  };
  const auto draw = [&] {
    Draw d;
    d.first = uniform(engine(), device(), RONDO_F32, {1001});
    d.second = normal(engine(), device(), RONDO_F32, {77});
    must(rondo_dropout(a, 0.5, d.out.slot(), d.mask.slot()));
    return d;
  };
  for (const uint64_t seed : {1, 12345}) {
    must(rondo_engine_seed(engine(), seed));
    std::vector<Draw> eager;
    for (int i = 0; i < 5; ++i) eager.push_back(draw());

    must(rondo_engine_seed(engine(), seed));
    std::vector<Draw> mixed;
    mixed.push_back(draw());
    Draw recorded;
    const Graph graph = record(engine(), [&] { recorded = draw(); });
    EXPECT_EQ(graph_info(graph.get()).captured, on_cuda() ? 1 : 0) << graph_report(graph.get());
    const auto snapshot = [&] {
      must(rondo_graph_launch(graph.get()));
      Draw copy;
      copy.first = make(rondo_copy, recorded.first);
      copy.second = make(rondo_copy, recorded.second);
      copy.out = make(rondo_copy, recorded.out);
      copy.mask = make(rondo_copy, recorded.mask);
      mixed.push_back(std::move(copy));
    };
    snapshot();
    snapshot();
    mixed.push_back(draw());
    snapshot();
    for (size_t i = 0; i < 5; ++i) {
      const std::string label = "draw " + std::to_string(i);
      expect_same_bits(download(mixed[i].first), download(eager[i].first), label + " uniform");
      expect_same_bits(download(mixed[i].second), download(eager[i].second), label + " normal");
      expect_same_bits(download(mixed[i].out), download(eager[i].out), label + " dropout");
      expect_same_bits(download(mixed[i].mask), download(eager[i].mask), label + " mask");
    }
  }
}

// A graph launched by another graph draws where that one is in the sequence.
TEST_P(Random, NestedLaunchesContinueTheSequence) {
  if (!GetParam().graph) GTEST_SKIP() << "this is about graphs";
  must(rondo_engine_seed(engine(), 5));
  std::vector<Array> eager;
  for (int i = 0; i < 6; ++i) eager.push_back(download(uniform(engine(), device(), RONDO_F32, {99})));

  Tensor outside, inside;
  const Graph inner = record(engine(), [&] { inside = uniform(engine(), device(), RONDO_F32, {99}); });
  const Graph outer = record(engine(), [&] {
    outside = uniform(engine(), device(), RONDO_F32, {99});
    must(rondo_graph_launch(inner.get()));
  });
  must(rondo_engine_seed(engine(), 5));
  for (size_t i = 0; i < 6; i += 2) {
    must(rondo_graph_launch(outer.get()));
    expect_same_bits(download(outside), eager[i], "outside, launch " + std::to_string(i / 2));
    expect_same_bits(download(inside), eager[i + 1], "inside, launch " + std::to_string(i / 2));
  }
}

// A given output decides shape and dtype; a view of it is filled in place.
TEST_P(Random, GivenOutput) {
  if (GetParam().graph) GTEST_SKIP() << "GraphContinuesTheSequence covers graphs";
  const Tensor out = empty(RONDO_F32, {10, 10});
  must(rondo_fill(out, -1));
  const Tensor half = slice(out, 1, 0, 10, 2);
  into(half, rondo_random_uniform, engine(), device(), RONDO_F64, 0, nullptr, 2.0, 3.0);
  const Array x = download(out);
  for (size_t i = 0; i < 100; ++i) EXPECT_TRUE(i % 2 ? x[i] == -1 : x[i] >= 2 && x[i] < 3) << i << ": " << x[i];
}

class Dropout : public OnEngine {};
CONFORMANCE_SUITE(Dropout);

TEST_P(Dropout, MaskAndScale) {
  if (GetParam().graph) GTEST_SKIP() << "Random.GraphContinuesTheSequence covers graphs";
  for (const rondo_dtype dtype : covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, 3)) {
    SCOPED_TRACE(rondo_dtype_name(dtype));
    const Array x = random_array(dtype, {200, 101}, 1, 1, 2), change = random_array(dtype, {200, 101}, 2, 1, 2);
    const Tensor a = up(x), dy = up(change);
    for (const double p : {0.0, 0.25, 0.9}) {
      Tensor out, mask;
      must(rondo_dropout(a, p, out.slot(), mask.slot()));
      const Array kept = download(mask);
      ASSERT_EQ(kept.dtype, RONDO_U8);
      ASSERT_EQ(kept.shape, x.shape);
      size_t ones = 0, others = 0;
      Expected forward(dtype, x.shape, 1), backward(dtype, x.shape, 1);
      for (size_t i = 0; i < x.size(); ++i) {
        ones += kept[i] == 1;
        others += kept[i] > 1;
        forward.values[i] = kept[i] * x[i] / (1 - Real(p));
        backward.values[i] = kept[i] * change[i] / (1 - Real(p));
      }
      EXPECT_EQ(others, 0u);
      const double n = double(x.size());
      EXPECT_NEAR(double(ones) / n, 1 - p, 5 * std::sqrt(p * (1 - p) / n)) << "p = " << p;
      expect_as(download(out), forward, "out");
      expect_as(download(make(rondo_dropout_grad, dy, mask, p)), backward, "gradient");
    }
  }
}

TEST_P(Dropout, GivenOutputsAndViews) {
  if (GetParam().graph) GTEST_SKIP() << "Random.GraphContinuesTheSequence covers graphs";
  const Array x = random_array(RONDO_F32, {30, 20}, 3, 1, 2);
  const Tensor a = up(x), mask = empty(RONDO_U8, {20, 30}), out = empty(RONDO_F32, {20, 30});
  rondo_tensor *out_slot = out, *mask_slot = mask;
  must(rondo_dropout(transpose(a, {1, 0}), 0.5, &out_slot, &mask_slot));
  EXPECT_EQ(out_slot, static_cast<rondo_tensor*>(out));
  EXPECT_EQ(mask_slot, static_cast<rondo_tensor*>(mask));
  const Array kept = download(mask), turned = host_transpose(x, {1, 0});
  Expected expected(RONDO_F32, {20, 30}, 1);
  for (size_t i = 0; i < kept.size(); ++i) expected.values[i] = 2 * kept[i] * turned[i];
  expect_as(download(out), expected, "out");
}

}  // namespace
}  // namespace conformance
