// Pooling, resizing and local response normalisation against references in higher precision: layouts, dtypes, padding,
// dilation, ceil mode, origins, special values, and gradients against finite differences, of first and second order.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "layers/pooling.h"

namespace conformance::pooling {
namespace {

CONFORMANCE_SUITE(Pooling);

const std::vector<PoolCase> kPools = {
    {{2, 5, 7, 9}, {3, 3}, {1, 1}, {1, 1}, {-1, -1}, {1, 1}, false, false, false},  // planes that the host sums as a
                                                                                    // whole
    {{2, 3, 7, 9}, {3, 2}, {2, 2}, {1, 0}, {-1, -1}, {1, 1}, false, true, false},
    {{2, 3, 7, 9}, {3, 3}, {2, 2}, {1, 1}, {-1, -1}, {1, 1}, false, false, true},
    {{3, 2, 8}, {3}, {2}, {1}, {0}, {1}, true, true, false},
    {{1, 5, 4, 5, 6}, {2, 3, 2}, {0, 1, 2}, {0, 1, 1}, {-1, 2, 0}, {1, 1, 1}, true, false, true},
    {{3, 4, 6, 5}, {2, 4}, {1, 1}, {1, 2}, {0, 1}, {1, 1}, false, true, false},
    {{2, 4, 10, 7}, {3, 2}, {1, 2}, {2, 1}, {-1, -1}, {2, 3}, false, true, true},
    {{1, 2, 20, 3}, {17, 1}, {1, 1}, {3, 0}, {-1, -1}, {1, 1}, false, true, false},  // more places than a byte names
    {{1, 1, 400}, {300}, {50}, {0}, {-1}, {1}, false, true, false},
};

TEST_P(Pooling, MaxAndMean) {
  int turn = 0;
  for (const PoolCase& c : some(kPools, 2)) {
    const rondo_dtype dtype = covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn++)[0];
    run([&](Results& results_of) {
      const Array x = random_array(dtype, c.shape, 1, -2, 2);
      const Tensor a = image(x, c.last);
      const auto n = static_cast<int32_t>(c.kernel.size());
      rondo_pool_options options = options_of(c);
      Sizes out;
      std::vector<Axis> plain, means;
      for (size_t d = 0; d < c.kernel.size(); ++d) {
        out.push_back(results(c, d));
        plain.push_back(window(c, d, false)), means.push_back(window(c, d, true));
      }
      results_of.keep("max", make(rondo_max_pool, a, n, c.kernel.data(), &options),
                      [=] { return close(dtype, spatial(x, out, plain, largest)); });
      if (std::any_of(c.dilation.begin(), c.dilation.end(), [](int64_t each) { return each > 1; })) return;
      results_of.keep("mean", make(rondo_avg_pool, a, n, c.kernel.data(), &options),
                      [=] { return close(dtype, spatial(x, out, means, weighted)); });
    });
  }
}

TEST_P(Pooling, Adaptive) {
  const std::vector<std::pair<Shape, Sizes>> cases = {
      {{2, 3, 7, 9}, {3, 4}}, {{2, 3, 7, 9}, {1, 1}}, {{1, 2, 5}, {8}}, {{1, 2, 3, 4, 5}, {2, 2, 2}}};
  int turn = 0;
  for (const auto& [shape, out] : some(cases, 2)) {
    const rondo_dtype dtype = covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn++)[0];
    run([&, shape = shape, out = out](Results& results_of) {
      for (const bool last : {false, true}) {
        const Array x = random_array(dtype, shape, 1, -2, 2);
        const Tensor a = image(x, last);
        std::vector<Axis> axes;
        for (size_t d = 0; d < out.size(); ++d)
          axes.push_back([in = shape[2 + d], k = out[d]](int64_t o) {
            const int64_t begin = o * in / k, end = ((o + 1) * in + k - 1) / k;
            std::vector<Tap> taps;
            for (int64_t at = begin; at < end; ++at) taps.push_back({at, 1 / Real(end - begin)});
            return taps;
          });
        const auto n = static_cast<int32_t>(out.size());
        results_of.keep("max", make(rondo_adaptive_max_pool, a, n, out.data()),
                        [=] { return close(dtype, spatial(x, out, axes, largest)); });
        results_of.keep("mean", make(rondo_adaptive_avg_pool, a, n, out.data()),
                        [=] { return close(dtype, spatial(x, out, axes, weighted)); });
      }
    });
  }
}

struct ResizeCase {
  Shape shape;
  Sizes out;
};
const std::vector<ResizeCase> kResizes = {{{2, 3, 5, 4}, {8, 9}},
                                          {{2, 3, 9, 8}, {4, 3}},
                                          {{1, 2, 5}, {13}},
                                          {{1, 2, 3, 4, 2}, {5, 2, 7}},
                                          {{2, 2, 6, 1}, {1, 4}}};

TEST_P(Pooling, Resized) {
  int turn = 0;
  for (const ResizeCase& c : some(kResizes, 2)) {
    const rondo_dtype dtype = covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn)[0];
    run([&](Results& results_of) {
      for (const auto mode : {RONDO_RESIZE_NEAREST, RONDO_RESIZE_LINEAR, RONDO_RESIZE_NEAREST_EXACT}) {
        for (const auto origin : {RONDO_RESIZE_HALF_PIXEL, RONDO_RESIZE_ALIGN_CORNERS, RONDO_RESIZE_ASYMMETRIC}) {
          const Array x = random_array(dtype, c.shape, 1, -2, 2);
          const Tensor a = image(x, turn % 2);
          std::vector<Axis> axes;
          for (size_t d = 0; d < c.out.size(); ++d) axes.push_back(resized(c.shape[2 + d], c.out[d], mode, origin));
          results_of.keep("mode " + std::to_string(mode) + " origin " + std::to_string(origin),
                          make(rondo_resize, a, static_cast<int32_t>(c.out.size()), c.out.data(), mode, origin),
                          [=, out = c.out] { return close(dtype, spatial(x, out, axes, weighted)); });
        }
      }
    });
    ++turn;
  }
}

// Every pair of sizes up to 39, and the gradient: how often each element was the nearest. Where the way to the kernel
// is what differs, a few sizes.
TEST_P(Pooling, NearestElementsOfAllSizesAreExact) {
  constexpr int64_t kMost = 39;
  Sizes sizes = {1, 2, 5, 8, 39};
  if (GetParam().mode == RONDO_ENGINE_ASYNC && !GetParam().graph) {
    sizes.resize(kMost);
    std::iota(sizes.begin(), sizes.end(), 1);
  }
  for (const int64_t in : dealt(sizes)) {
    run([&](Results& results_of) {
      const Tensor a = up(range(RONDO_F32, {1, 1, in}));
      for (const auto mode : {RONDO_RESIZE_NEAREST, RONDO_RESIZE_NEAREST_EXACT}) {
        for (const auto origin : {RONDO_RESIZE_HALF_PIXEL, RONDO_RESIZE_ALIGN_CORNERS, RONDO_RESIZE_ASYMMETRIC}) {
          for (int64_t out = 1; out <= kMost; ++out) {
            const Tape tape(engine());
            tape.watch(a);
            Tensor y = make(rondo_resize, a, 1, &out, mode, origin);
            Array forward(RONDO_F32, {1, 1, out}), backward(RONDO_F32, {1, 1, in});
            for (int64_t o = 0; o < out; ++o) {
              const int64_t at = nearest_element(resize_place(in, out, origin, o), in, mode, origin);
              forward.set(static_cast<size_t>(o), Real(at));
              backward.set(static_cast<size_t>(at), backward[static_cast<size_t>(at)] + 1);
            }
            const std::string label = std::to_string(in) + " to " + std::to_string(out) + ", mode " +
                                      std::to_string(mode) + ", origin " + std::to_string(origin);
            Tensor dx = tape.gradient(y, a, up(full(RONDO_F32, {1, 1, out}, 1)));
            results_of.keep(label, std::move(y), [=] { return Expected(forward); });
            results_of.keep(label + ", gradient", std::move(dx), [=] { return Expected(backward); });
          }
        }
      }
    });
  }
}

TEST_P(Pooling, LocalResponse) {
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, 1)) {
    run([&](Results& results_of) {
      for (const int64_t size : {1, 4, 5, 9}) {
        const Shape shape = {2, 8, 3};
        const Array x = random_array(dtype, shape, 1, -300, 300);  // squares do not fit into 16 bits
        // The last ones are no factors that f32 has.
        const double alpha = size == 9 ? 1e-60 : 1e-2, beta = size == 9 ? 0.01 : size == 5 ? 0.6 : 0.75;
        const double k = size == 9 ? 0 : 2;
        results_of.keep("size " + std::to_string(size),
                        make(rondo_local_response_norm, image(x, size > 1), size, alpha, beta, k), [=] {
                          Array exact(RONDO_F64, shape);
                          for (int64_t i = 0; i < 48; ++i) {
                            const int64_t c = i / 3 % 8;
                            Real sum = 0;
                            for (int64_t k = c - size / 2; k < c - size / 2 + size; ++k) {
                              const Real v = k < 0 || k >= 8 ? 0 : x[static_cast<size_t>(i + (k - c) * 3)];
                              sum += v * v;
                            }
                            const auto at = static_cast<size_t>(i);
                            exact.set(at, x[at] / std::pow(Real(k) + Real(alpha) / size * sum, Real(beta)));
                          }
                          Expected expected = close(dtype, exact);
                          expected.ulps = is_half(dtype) ? 1 : 64;
                          return expected;
                        });
      }
    });
  }
}

// Windows that move by one element along memory, whose sums may be beyond the dtype.
TEST_P(Pooling, MeansOfNeighboursOfLargeNumbers) {
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, 2)) {
    const Shape shape = {3, 2, 32};
    Array x = random_array(dtype, shape, 3, -4, 4);
    const Real most = dtype == RONDO_F16 ? 65504 : dtype == RONDO_F64 ? 1.5e308L : 3e38L;
    for (size_t i = 40; i < 72; ++i) x.set(i, i % 5 == 0 ? 1 : most);
    const Tensor a = up(x);
    run([&](Results& results) {
      for (const int64_t size : {2, 3, 16, 17})
        for (const int counted : {0, 1}) {
          rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
          options.padding[0] = size / 2, options.padding_end[0] = size - 1 - size / 2;
          options.stride[0] = 1, options.count_include_pad = counted;
          const int64_t kernel[] = {size};
          Tensor y;
          must(rondo_avg_pool(a, 1, kernel, &options, y.slot()));
          results.keep("size " + std::to_string(size), std::move(y), [=] {
            Array exact(RONDO_F64, shape);
            for (int64_t i = 0; i < 192; ++i) {
              Real sum = 0;
              int64_t inside = 0;
              for (int64_t k = i % 32 - size / 2; k < i % 32 - size / 2 + size; ++k)
                if (k >= 0 && k < 32) sum += x[static_cast<size_t>(i - i % 32 + k)], ++inside;
              exact.set(static_cast<size_t>(i), sum / Real(counted ? size : inside));
            }
            return close(dtype, exact);
          });
        }
    });
  }
}

// NaN is the largest, infinity stays in its windows, views are read where they are, and results are added.
TEST_P(Pooling, SpecialValuesAndViews) {
  const Array x = array_of(RONDO_F32, {1, 1, 8}, {-1, NAN, 3, INFINITY, -INFINITY, -INFINITY, 2, 2});
  const Array ramp = array_of(RONDO_F32, {1, 2, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  run([&](Results& results_of) {
    const Tensor a = up(x), steps = up(ramp);
    const Sizes two = {2};
    const auto exactly = [](const Shape& shape, const std::vector<Real>& values) {
      return [=] { return Expected(array_of(RONDO_F32, shape, values)); };
    };
    results_of.keep("max", make(rondo_max_pool, a, 1, two.data(), nullptr),
                    exactly({1, 1, 4}, {NAN, INFINITY, -INFINITY, 2}));
    results_of.keep("mean", make(rondo_avg_pool, a, 1, two.data(), nullptr),
                    exactly({1, 1, 4}, {NAN, INFINITY, -INFINITY, 2}));
    const Tensor part = slice(steps, 2, 1, 8, 2), back = make(rondo_tensor_flip, steps, 0, nullptr);
    results_of.keep("every second", make(rondo_avg_pool, part, 1, two.data(), nullptr),
                    exactly({1, 2, 2}, {2, 6, 10, 14}));
    results_of.keep("flipped", make(rondo_max_pool, back, 1, two.data(), nullptr),
                    exactly({1, 2, 4}, {15, 13, 11, 9, 7, 5, 3, 1}));
    Tensor sum = make(rondo_copy, slice(steps, 2, 0, 4));
    into(make(rondo_tensor_accumulator, sum), rondo_max_pool, steps, 1, two.data(), nullptr);
    results_of.keep("added", std::move(sum), exactly({1, 2, 4}, {1, 4, 7, 10, 17, 20, 23, 26}));
    // Means of a plane of which some are not finite, and of one whose sums are not.
    const Tensor planes = up(array_of(RONDO_F32, {1, 2, 3, 4},
                                      {1,    2,    INFINITY, 4,    5,    6,    7,    8,    1,    1,    1,    NAN,  //
                                       3e38, 3e38, 3e38,     3e38, 3e38, 3e38, 3e38, 3e38, 3e38, 3e38, 3e38, 3e38}));
    const Sizes square = {2, 2};
    rondo_pool_options close_by = RONDO_POOL_OPTIONS_INIT;
    close_by.stride[0] = close_by.stride[1] = 1;
    results_of.keep("planes", make(rondo_avg_pool, planes, 2, square.data(), &close_by),
                    exactly({1, 2, 2, 3}, {3.5, INFINITY, INFINITY, 3.25, 3.75, NAN, static_cast<float>(3e38),
                                           static_cast<float>(3e38), static_cast<float>(3e38), static_cast<float>(3e38),
                                           static_cast<float>(3e38), static_cast<float>(3e38)}));
    rondo_pool_options wide = RONDO_POOL_OPTIONS_INIT;
    wide.dilation[0] = 9, wide.stride[0] = 1, wide.padding[0] = 4, wide.padding_end[0] = 4;
    const Tensor one = up(array_of(RONDO_F32, {1, 1, 3}, {1, 2, 3}));
    results_of.keep("nothing in the window", make(rondo_max_pool, one, 1, two.data(), &wide),
                    exactly({1, 1, 2}, {-INFINITY, -INFINITY}));
  });
}

// --- gradients ---

struct Differentiated {
  std::string name;
  Shape shape;
  std::function<Tensor(rondo_tensor*)> f;
};

std::vector<Differentiated> differentiated() {
  std::vector<Differentiated> all;
  for (const PoolCase& c : kPools) {
    if (c.shape.back() > 100) continue;
    const auto n = static_cast<int32_t>(c.kernel.size());
    const std::string label = " case " + std::to_string(&c - &kPools[0]);
    all.push_back({"max" + label, c.shape, [=](rondo_tensor* a) {
                     const rondo_pool_options options = options_of(c);
                     return make(rondo_max_pool, a, n, c.kernel.data(), &options);
                   }});
    if (c.dilation[0] == 1)
      all.push_back({"mean" + label, c.shape, [=](rondo_tensor* a) {
                       const rondo_pool_options options = options_of(c);
                       return make(rondo_avg_pool, a, n, c.kernel.data(), &options);
                     }});
  }
  const Sizes parts = {3, 2};
  all.push_back({"adaptive max", {1, 2, 7, 5}, [=](rondo_tensor* a) {
                   return make(rondo_adaptive_max_pool, a, 2, parts.data());
                 }});
  all.push_back({"adaptive mean", {1, 2, 7, 5}, [=](rondo_tensor* a) {
                   return make(rondo_adaptive_avg_pool, a, 2, parts.data());
                 }});
  for (const ResizeCase& c : kResizes)
    for (const auto mode : {RONDO_RESIZE_NEAREST, RONDO_RESIZE_LINEAR, RONDO_RESIZE_NEAREST_EXACT})
      for (const auto origin : {RONDO_RESIZE_HALF_PIXEL, RONDO_RESIZE_ALIGN_CORNERS, RONDO_RESIZE_ASYMMETRIC})
        all.push_back({"resize " + std::to_string(mode) + std::to_string(origin), c.shape, [=](rondo_tensor* a) {
                         return make(rondo_resize, a, static_cast<int32_t>(c.out.size()), c.out.data(), mode, origin);
                       }});
  all.push_back({"local response", {2, 6, 2}, [](rondo_tensor* a) {
                   return make(rondo_local_response_norm, a, 4, 0.5, 0.75, 1.0);
                 }});
  all.push_back({"channels last", {1, 5, 3}, [](rondo_tensor* a) {
                   const Sizes two = {2};
                   return make(rondo_max_pool, transpose(a, {0, 2, 1}), 1, two.data(), nullptr);
                 }});
  return all;
}

TEST_P(Pooling, Gradients) {
  run([&](Results& results_of) {
    for (const Differentiated& each : some(differentiated(), 9))
      keep_gradients(results_of, each.name, {random_array(RONDO_F64, each.shape, 7, -2, 2)},
                     [f = each.f](const Inputs& in) { return f(in[0]); });
  });
}

TEST_P(Pooling, GradientsOfGradients) {
  run(
      [&](Results& results_of) {
        for (const Differentiated& each : some(differentiated(), 9)) {
          if (count(each.shape) > 60) continue;
          keep_gradients(
              results_of, each.name, {random_array(RONDO_F64, each.shape, 7, -2, 2)},
              [this, f = each.f](const Inputs& in) {
                const Tape inner(engine());
                inner.watch(in[0]);
                const Tensor y = make(rondo_unary, RONDO_SQUARE, f(in[0]));
                return inner.gradient(reduce(RONDO_SUM, y, {}), in[0]);
              },
              of_gradients());
        }
      },
      {.nodes = 0});
}

// To the first of equals.
TEST_P(Pooling, EqualElements) {
  run([&](Results& results_of) {
    const Array x = array_of(RONDO_F32, {1, 1, 6}, {1, 1, 2, 2, NAN, NAN});
    const Tensor a = up(x);
    const Tape tape(engine());
    tape.watch(a);
    const Sizes two = {2};
    const Tensor y = make(rondo_max_pool, a, 1, two.data(), nullptr);
    results_of.keep("gradient", tape.gradient(y, a, up(array_of(RONDO_F32, {1, 1, 3}, {3, 5, 7}))), [=] {
      return Expected(array_of(RONDO_F32, {1, 1, 6}, {3, 0, 5, 0, 7, 0}));
    });
  });
}

TEST_P(Pooling, Misuse) {
  if (GetParam().graph) return;
  const Tensor a = up(full(RONDO_F32, {1, 2, 4, 4}, 1)), integers = up(full(RONDO_I32, {1, 2, 4, 4}, 1)),
               nothing = up(full(RONDO_F32, {1, 2, 0, 4}, 1)), none = up(full(RONDO_F32, {0, 2, 4, 4}, 1));
  rondo_tensor* out = nullptr;
  const auto refused = [&](const char* function, const char* argument, rondo_status status) {
    expect_refused(status, RONDO_INVALID_ARGUMENT, function, argument);
    EXPECT_EQ(out, nullptr);
  };
  const Sizes two = {2, 2}, zero = {2, 0}, five = {5, 5};
  const auto pool = [&](const char* argument, rondo_tensor* x, int32_t n, const int64_t* kernel,
                        const rondo_pool_options* options = nullptr) {
    refused("rondo_max_pool", argument, rondo_max_pool(x, n, kernel, options, &out));
    refused("rondo_avg_pool", argument, rondo_avg_pool(x, n, kernel, options, &out));
  };
  pool("a", nullptr, 2, two.data());
  pool("a", integers, 2, two.data());
  pool("a", nothing, 2, two.data());
  pool("n", a, 1, two.data());
  pool("n", a, 0, two.data());
  pool("kernel", a, 2, nullptr);
  pool("kernel", a, 2, zero.data());
  pool("kernel", a, 2, five.data());
  for (const auto& [name, set] : std::vector<std::pair<const char*, std::function<void(rondo_pool_options&)>>>{
           {"stride", [](rondo_pool_options& o) { o.stride[1] = -1; }},
           {"padding", [](rondo_pool_options& o) { o.padding[0] = 2; }},
           {"padding", [](rondo_pool_options& o) { o.padding[0] = -1; }},
           {"padding_end", [](rondo_pool_options& o) { o.padding_end[1] = -2; }},
           {"dilation", [](rondo_pool_options& o) { o.dilation[0] = 0; }},
           {"size", [](rondo_pool_options& o) { o.size = 8; }}}) {
    rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
    set(options);
    pool(name, a, 2, two.data(), &options);
  }
  rondo_pool_options dilated = RONDO_POOL_OPTIONS_INIT;
  dilated.dilation[0] = 2;
  refused("rondo_avg_pool", "dilation", rondo_avg_pool(a, 2, two.data(), &dilated, &out));
  refused("rondo_max_pool", "out", rondo_max_pool(a, 2, two.data(), nullptr, nullptr));
  refused("rondo_adaptive_max_pool", "sizes", rondo_adaptive_max_pool(a, 2, zero.data(), &out));
  refused("rondo_adaptive_avg_pool", "sizes", rondo_adaptive_avg_pool(a, 2, nullptr, &out));
  refused("rondo_adaptive_avg_pool", "a", rondo_adaptive_avg_pool(nothing, 2, two.data(), &out));
  const auto resize = [&](const char* argument, rondo_tensor* x, const int64_t* sizes, int mode, int origin) {
    refused("rondo_resize", argument,
            rondo_resize(x, 2, sizes, static_cast<rondo_resize_mode>(mode), static_cast<rondo_resize_origin>(origin),
                         &out));
  };
  resize("sizes", a, zero.data(), 0, 0);
  resize("sizes", a, nullptr, 0, 0);
  resize("a", integers, two.data(), 0, 0);
  resize("mode", a, two.data(), 3, 0);
  resize("mode", a, two.data(), -1, 0);
  resize("origin", a, two.data(), 1, 3);
  refused("rondo_local_response_norm", "a", rondo_local_response_norm(integers, 3, 1, 1, 1, &out));
  refused("rondo_local_response_norm", "size", rondo_local_response_norm(a, 0, 1, 1, 1, &out));
  refused("rondo_local_response_norm", "beta", rondo_local_response_norm(a, 3, 1, NAN, 1, &out));
  EXPECT_EQ(download(make(rondo_max_pool, none, 2, two.data(), nullptr)).shape, (Shape{0, 2, 2, 2}));
  EXPECT_EQ(download(make(rondo_local_response_norm, none, 3, 1.0, 1.0, 1.0)).shape, (Shape{0, 2, 4, 4}));
}

}  // namespace
}  // namespace conformance::pooling
