// Results of elements times a power of two: those of the elements, times the power that the operator's degree says, for
// all normalisations, pools and reductions with sums of elements or squares, and their gradients, in f32 and f64 nearly
// as far as the dtype goes. Sums overflow or vanish there though results do not. Then elements that differ little.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {
namespace {

class Scale : public OnTape {
 protected:
  using Results_ = std::vector<Tensor>;
  struct Row {
    std::string name;
    std::function<Results_(const Tensor& x)> of;
    std::vector<int> degrees;  // of each result
  };

  static Results_ one(Tensor tensor) {
    Results_ list;
    list.push_back(std::move(tensor));
    return list;
  }
  static rondo_norm_options without_epsilon(rondo_tensor* weight = nullptr) {
    rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
    options.epsilon = 0;
    options.weight = weight;
    return options;
  }
  Tensor numbers(rondo_dtype dtype, const Shape& shape, int seed) const {
    return up(random_array(dtype, shape, static_cast<unsigned>(seed), -1, 1));
  }
  static std::vector<Row> rows() {
    std::vector<Row> all;
    const auto forward = [&](const char* name, int degree, const std::function<Tensor(rondo_tensor*)>& of) {
      all.push_back({name, [of](const Tensor& x) { return one(of(x)); }, {degree}});
    };
    forward("layer_norm", 0, [](rondo_tensor* x) { return make(rondo_layer_norm, x, -1, nullptr, nullptr, 0.0); });
    forward("layer_norm beside", 0,
            [](rondo_tensor* x) { return make(rondo_layer_norm, x, 1, nullptr, nullptr, 0.0); });
    forward("rms_norm", 0, [](rondo_tensor* x) { return make(rondo_rms_norm, x, -1, nullptr, 0.0); });
    forward("rms_norm beside", 0, [](rondo_tensor* x) { return make(rondo_rms_norm, x, 1, nullptr, 0.0); });
    forward("group_norm", 0, [](rondo_tensor* x) {
      const rondo_norm_options options = without_epsilon();
      return make(rondo_group_norm, x, 2, &options);
    });
    forward("instance_norm", 0, [](rondo_tensor* x) {
      const rondo_norm_options options = without_epsilon();
      return make(rondo_instance_norm, x, &options);
    });
    forward("local_response_norm", 0,
            [](rondo_tensor* x) { return make(rondo_local_response_norm, x, 3, 0.5, 0.5, 0.0); });
    forward("avg_pool", 1, [](rondo_tensor* x) {
      const int64_t kernel = 3;
      rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
      options.stride[0] = 2, options.padding[0] = 1;
      return make(rondo_avg_pool, x, 1, &kernel, &options);
    });
    forward("adaptive_avg_pool", 1, [](rondo_tensor* x) {
      const int64_t size = 4;
      return make(rondo_adaptive_avg_pool, x, 1, &size);
    });
    const std::pair<const char*, rondo_reduce_op> reductions[] = {{"mean", RONDO_MEAN},
                                                                  {"var", RONDO_VAR},
                                                                  {"std", RONDO_STD},
                                                                  {"l1_norm", RONDO_L1_NORM},
                                                                  {"l2_norm", RONDO_L2_NORM}};
    for (const auto& [name, op] : reductions)
      for (const bool along : {true, false})
        forward((std::string(name) + (along ? " of rows" : " of columns")).c_str(), op == RONDO_VAR ? 2 : 1,
                [op = op, along](rondo_tensor* x) { return reduce(op, x, {along ? 2 : 0}); });
    for (const double p : {0.75, 3.0, 40.0})
      for (const int32_t axis : {0, 2})
        forward(("lp_norm over axis " + std::to_string(axis) + ", p " + std::to_string(p)).c_str(), 1,
                [p, axis](rondo_tensor* x) { return make(rondo_reduce_with, RONDO_LP_NORM, x, 1, &axis, 0, 1, &p); });
    return all;
  }
  Row batch_norm() const {
    return {"batch_norm_training",
            [this](const Tensor& x) {
              const rondo_dtype dtype = query(x).dtype;
              const rondo_norm_options options = without_epsilon();
              Results_ made(3);
              const Tensor none = up(full(dtype, {4}, 0));
              Tensor running = make(rondo_copy, none), variance = make(rondo_copy, none);  // anew in each launch
              must(rondo_batch_norm_training(x, running, variance, 0.5, &options, made[0].slot(), made[1].slot(),
                                             made[2].slot()));
              made.push_back(std::move(running));
              made.push_back(std::move(variance));
              return made;
            },
            {0, 1, -1, 1, 2}};
  }
  // With respect to x, and to a weight of the channels or of a row.
  std::vector<Row> gradients() const {
    std::vector<Row> all;
    const auto gradient = [&](const char* name, int64_t weights,
                              const std::function<Tensor(rondo_tensor * x, rondo_tensor * weight)>& of) {
      all.push_back({name,
                     [this, of, weights](const Tensor& x) {
                       const rondo_dtype dtype = query(x).dtype;
                       const Tensor weight = weights ? numbers(dtype, {weights}, 7) : Tensor();
                       const Tape tape(engine());
                       tape.watch(x);
                       if (weight) tape.watch(weight);
                       const Tensor y = of(x, weight);
                       const rondo_tensor_info info = query(y);
                       const Tensor dy = numbers(dtype, Shape(info.shape, info.shape + info.ndim), 8);
                       std::vector<rondo_tensor*> sources = {x};
                       if (weight) sources.push_back(weight);
                       return tape.gradients(y, sources, dy);
                     },
                     weights ? std::vector<int>{-1, 0} : std::vector<int>{-1}});
    };
    gradient("layer_norm, gradient", 6,
             [](rondo_tensor* x, rondo_tensor* weight) { return make(rondo_layer_norm, x, -1, weight, nullptr, 0.0); });
    gradient("rms_norm, gradient", 6,
             [](rondo_tensor* x, rondo_tensor* weight) { return make(rondo_rms_norm, x, -1, weight, 0.0); });
    gradient("group_norm, gradient", 4, [](rondo_tensor* x, rondo_tensor* weight) {
      const rondo_norm_options options = without_epsilon(weight);
      return make(rondo_group_norm, x, 2, &options);
    });
    gradient("batch_norm, gradient", 4, [](rondo_tensor* x, rondo_tensor* weight) {
      const rondo_norm_options options = without_epsilon(weight);
      Tensor y;
      must(rondo_batch_norm_training(x, nullptr, nullptr, 0, &options, y.slot(), nullptr, nullptr));
      return y;
    });
    for (const rondo_reduce_op op : {RONDO_STD, RONDO_L2_NORM}) {
      gradient(op == RONDO_STD ? "std, gradient" : "l2_norm, gradient", 0,
               [op](rondo_tensor* x, rondo_tensor*) { return reduce(op, x, {2}); });
      all.back().degrees = {0};
    }
    return all;
  }

  static Array times(const Array& x, int exponent) {
    Array scaled(x.dtype, x.shape);
    for (size_t i = 0; i < x.size(); ++i) scaled.set(i, std::ldexp(x[i], exponent));
    return scaled;
  }
  void check(const std::vector<Row>& rows) {
    for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64}) {
      const Array x = random_array(dtype, {3, 4, 6}, 1, -4, 8);
      const std::vector<int> exponents = dtype == RONDO_F32 ? std::vector<int>{-110, -66, -40, 40, 66, 120}
                                                            : std::vector<int>{-1000, -600, -300, 300, 600, 1000};
      for (const Row& row : dealt(rows)) {
        std::vector<Array> plain;
        for (const Tensor& each : row.of(up(x))) plain.push_back(download(each));
        run([&](Results& results) {
          for (const int k : exponents) {
            Results_ made = row.of(up(times(x, k)));
            ASSERT_EQ(made.size(), row.degrees.size());
            for (size_t i = 0; i < made.size(); ++i)
              results.keep(row.name + " times 2^" + std::to_string(k) + ", result " + std::to_string(i),
                           std::move(made[i]), [=, degree = row.degrees[i], of = plain[i]] {
                             Expected expected(of.dtype, of.shape);
                             for (size_t e = 0; e < of.size(); ++e) expected.values[e] = std::ldexp(of[e], degree * k);
                             // What is not normal lacks digits.
                             expected.absolute.assign(of.size(), std::ldexp(Real(1), least_exponent(of.dtype)));
                             return expected;
                           });
          }
        });
      }
    }
  }
};
CONFORMANCE_SUITE(Scale);

TEST_P(Scale, ResultsFollowTheirElements) {
  check(rows());
}
TEST_P(Scale, StatisticsFollowTheirElements) {
  check({batch_norm()});
}
TEST_P(Scale, GradientsFollowTheirElements) {
  check(gradients());
}

// Of [1, 2, 3, 4] times 1e20 or 1e-30, and of 1e7 + [0, 1, 2, 3], the same comes out as of [1, 2, 3, 4].
TEST_P(Scale, LargeSmallAndFarFromZero) {
  const std::vector<Real> normal = {-1.3416407864998738L, -0.4472135954999579L, 0.4472135954999579L,
                                    1.3416407864998738L};
  const std::vector<Real> by_root = {0.3651483716701107L, 0.7302967433402214L, 1.0954451150103321L,
                                     1.4605934866804428L};
  struct Case {
    rondo_dtype dtype;
    Real first, step;
    double epsilon;
    bool roots;  // rms_norm too
  };
  const std::vector<Case> cases = {{RONDO_F32, 1e20L, 1e20L, 1e-5, true},   {RONDO_F32, 1e-30L, 1e-30L, 0, true},
                                   {RONDO_F32, 1e7L, 1, 0, false},          {RONDO_F32, 100, 0x1p-10L, 0, false},
                                   {RONDO_F64, 1e200L, 1e200L, 1e-5, true}, {RONDO_F64, 1e-200L, 1e-200L, 0, true},
                                   {RONDO_F64, 0x1p51L, 1, 0, false}};
  for (const Case& each : cases)
    run([&](Results& results) {
      Array x(each.dtype, {1, 4});
      for (size_t i = 0; i < 4; ++i) x.set(i, each.first + Real(i) * each.step);
      const auto keep = [&](const char* name, Tensor result, const std::vector<Real>& values) {
        const Shape shape = [&] {
          const rondo_tensor_info info = query(result);
          return Shape(info.shape, info.shape + info.ndim);
        }();
        results.keep(std::string(name) + " of " + std::to_string(static_cast<double>(each.first)), std::move(result),
                     [=, dtype = each.dtype] {
                       Expected expected(dtype, shape, 8);
                       expected.values = values;
                       return expected;
                     });
      };
      rondo_norm_options options = without_epsilon();
      options.epsilon = each.epsilon;
      const Tensor row = up(x), image = reshape(row, {1, 1, 4}), batch = reshape(row, {4, 1});
      keep("layer_norm", make(rondo_layer_norm, row, -1, nullptr, nullptr, each.epsilon), normal);
      keep("group_norm", make(rondo_group_norm, image, 1, &options), normal);
      keep("instance_norm", make(rondo_instance_norm, image, &options), normal);
      Tensor out;
      must(rondo_batch_norm_training(batch, nullptr, nullptr, 0, &options, out.slot(), nullptr, nullptr));
      keep("batch_norm", std::move(out), normal);
      if (each.roots) keep("rms_norm", make(rondo_rms_norm, row, -1, nullptr, each.epsilon), by_root);
    });
}

// Sums of two overflow where their means do not.
TEST_P(Scale, MeansOfTheLargestElements) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64, RONDO_BF16})
    run([&](Results& results) {
      const double most = dtype == RONDO_F64 ? 1.5e308 : 3e38;
      const Array x = full(dtype, {1, 1, 2}, most);
      const Tensor a = up(x);
      const int64_t kernel = 2;
      const auto exact = [=] {
        Expected expected(dtype, {1, 1, 1});
        expected.values = {x[0]};
        return expected;
      };
      results.keep("mean", reduce(RONDO_MEAN, a, {2}, true), exact);
      results.keep("avg_pool", make(rondo_avg_pool, a, 1, &kernel, nullptr), exact);
    });
}

}  // namespace
}  // namespace conformance
