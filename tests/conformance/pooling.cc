// Pooling, resizing and local response normalisation against references in higher precision: layouts, dtypes, padding,
// dilation, ceil mode, origins, special values, and gradients against finite differences, of first and second order.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "tape.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;
using Sizes = std::vector<int64_t>;

class Pooling : public OnTape {
 protected:
  Tensor image(const Array& a, bool last) const {
    if (!last) return up(a);
    std::vector<int32_t> to = {0}, back = {0, static_cast<int32_t>(a.shape.size()) - 1};
    for (int32_t d = 2; d < static_cast<int32_t>(a.shape.size()); ++d) to.push_back(d), back.push_back(d - 1);
    to.push_back(1);
    return transpose(up(host_transpose(a, to)), back);
  }
};
CONFORMANCE_SUITE(Pooling);

// One axis of a reference: the elements of result o, each with a weight.
struct Tap {
  int64_t at;
  Real weight;
};
using Axis = std::function<std::vector<Tap>(int64_t o)>;

// The combination over all spatial axes of what `join` does with (value, weight).
Array spatial(const Array& x, const Sizes& out, const std::vector<Axis>& axes,
              const std::function<Real(const std::vector<std::pair<Real, Real>>&)>& join) {
  Shape shape = {x.shape[0], x.shape[1]};
  shape.insert(shape.end(), out.begin(), out.end());
  Array y(RONDO_F64, shape);
  const size_t n = axes.size(), outs = count(Shape(out)), ins = x.size() / static_cast<size_t>(x.shape[0] * x.shape[1]);
  for (size_t i = 0; i < y.size(); ++i) {
    std::vector<std::pair<size_t, Real>> elements = {{0, 1}};
    std::vector<int64_t> at(n);
    for (size_t d = n, rest = i % outs; d-- > 0; rest /= out[d]) at[d] = static_cast<int64_t>(rest) % out[d];
    for (size_t d = 0; d < n; ++d) {
      std::vector<std::pair<size_t, Real>> next;
      for (const auto& [place, weight] : elements)
        for (const Tap& tap : axes[d](at[d]))
          next.push_back(
              {place * static_cast<size_t>(x.shape[2 + d]) + static_cast<size_t>(tap.at), weight * tap.weight});
      elements = std::move(next);
    }
    std::vector<std::pair<Real, Real>> values;
    for (const auto& [place, weight] : elements) values.push_back({x[i / outs * ins + place], weight});
    y.set(i, join(values));
  }
  return y;
}

Real largest(const std::vector<std::pair<Real, Real>>& values) {
  Real top = -INFINITY;
  for (const auto& [value, weight] : values)
    if (std::isnan(value) || value > top)
      top = value;
    else if (std::isnan(top))
      break;
  for (const auto& [value, weight] : values)
    if (std::isnan(value)) return NAN;
  return top;
}
Real weighted(const std::vector<std::pair<Real, Real>>& values) {
  Real sum = 0;
  for (const auto& [value, weight] : values) sum += value * weight;
  return sum;
}

Expected close(rondo_dtype dtype, const Array& exact) {
  Expected expected(dtype, exact.shape, is_half(dtype) ? 1 : 8);
  for (size_t i = 0; i < exact.size(); ++i) {
    expected.values[i] = exact[i];
    expected.absolute.push_back(8 * unit(dtype));
  }
  return expected;
}

struct PoolCase {
  Shape shape;
  Sizes kernel, stride, padding, end, dilation;
  bool ceil, counts, last;
};

int64_t results(const PoolCase& c, size_t d) {
  const int64_t stride = c.stride[d] ? c.stride[d] : c.kernel[d], end = c.end[d] < 0 ? c.padding[d] : c.end[d];
  const int64_t room = c.shape[2 + d] + c.padding[d] + end - c.dilation[d] * (c.kernel[d] - 1) - 1;
  int64_t out = (room + (c.ceil ? stride - 1 : 0)) / stride + 1;
  if (c.ceil && (out - 1) * stride >= c.shape[2 + d] + c.padding[d]) --out;
  return out;
}

Axis window(const PoolCase& c, size_t d, bool mean) {
  return [=](int64_t o) {
    const int64_t stride = c.stride[d] ? c.stride[d] : c.kernel[d], end = c.end[d] < 0 ? c.padding[d] : c.end[d];
    const int64_t start = o * stride - c.padding[d], size = c.shape[2 + d];
    std::vector<Tap> taps;
    int64_t counted = 0;
    for (int64_t k = 0; k < c.kernel[d]; ++k) {
      const int64_t at = start + k * c.dilation[d];
      counted += at < size + end;
      if (at >= 0 && at < size) taps.push_back({at, 1});
    }
    if (mean)
      for (Tap& tap : taps) tap.weight = 1 / Real(c.counts ? counted : static_cast<int64_t>(taps.size()));
    return taps;
  };
}

rondo_pool_options options_of(const PoolCase& c) {
  rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
  for (size_t d = 0; d < c.kernel.size(); ++d) {
    options.stride[d] = c.stride[d], options.padding[d] = c.padding[d];
    options.padding_end[d] = c.end[d], options.dilation[d] = c.dilation[d];
  }
  options.ceil_mode = c.ceil, options.count_include_pad = c.counts;
  return options;
}

const std::vector<PoolCase> kPools = {
    {{2, 3, 7, 9}, {3, 2}, {2, 2}, {1, 0}, {-1, -1}, {1, 1}, false, true, false},
    {{2, 3, 7, 9}, {3, 3}, {2, 2}, {1, 1}, {-1, -1}, {1, 1}, false, false, true},
    {{3, 2, 8}, {3}, {2}, {1}, {0}, {1}, true, true, false},
    {{1, 5, 4, 5, 6}, {2, 3, 2}, {0, 1, 2}, {0, 1, 1}, {-1, 2, 0}, {1, 1, 1}, true, false, true},
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

// Exact: where result o lies, and which element is the nearest to it. The distances to all are compared.
struct Ratio {
  int64_t over, under;  // under > 0
};
Ratio resize_place(int64_t in, int64_t out, rondo_resize_origin origin, int64_t o) {
  switch (origin) {
    case RONDO_RESIZE_HALF_PIXEL: return {(2 * o + 1) * in - out, 2 * out};
    case RONDO_RESIZE_ASYMMETRIC: return {o * in, out};
    default: return out > 1 ? Ratio{o * (in - 1), out - 1} : Ratio{0, 1};
  }
}
int64_t nearest_element(Ratio place, int64_t in, rondo_resize_mode mode, rondo_resize_origin origin) {
  if (mode == RONDO_RESIZE_NEAREST && origin == RONDO_RESIZE_ASYMMETRIC) return place.over / place.under;
  const bool behind = mode == RONDO_RESIZE_NEAREST_EXACT || origin == RONDO_RESIZE_ALIGN_CORNERS;
  int64_t best = 0;
  for (int64_t at = 1; at < in; ++at) {
    const int64_t distance = std::abs(at * place.under - place.over), least = std::abs(best * place.under - place.over);
    if (distance < least || (behind && distance == least)) best = at;
  }
  return best;
}

Axis resized(int64_t in, int64_t out, rondo_resize_mode mode, rondo_resize_origin origin) {
  return [=](int64_t o) -> std::vector<Tap> {
    const Ratio place = resize_place(in, out, origin, o);
    if (mode != RONDO_RESIZE_LINEAR) return {{nearest_element(place, in, mode, origin), 1}};
    const Real source = std::clamp<Real>(Real(place.over) / Real(place.under), 0, Real(in - 1));
    const int64_t low = static_cast<int64_t>(std::floor(source));
    const Real upper = source - Real(low);
    if (low + 1 >= in) return {{low, 1}};
    return {{low, 1 - upper}, {low + 1, upper}};
  };
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
        const Shape shape = {2, 6, 3};
        const Array x = random_array(dtype, shape, 1, -300, 300);  // squares do not fit into 16 bits
        results_of.keep("size " + std::to_string(size),
                        make(rondo_local_response_norm, image(x, size == 4), size, 1e-2, 0.75, 2.0), [=] {
                          Array exact(RONDO_F64, shape);
                          for (int64_t i = 0; i < 36; ++i) {
                            const int64_t c = i / 3 % 6;
                            Real sum = 0;
                            for (int64_t k = c - size / 2; k < c - size / 2 + size; ++k) {
                              const Real v = k < 0 || k >= 6 ? 0 : x[static_cast<size_t>(i + (k - c) * 3)];
                              sum += v * v;
                            }
                            const auto at = static_cast<size_t>(i);
                            exact.set(at, x[at] / std::pow(2 + 1e-2L / size * sum, 0.75L));
                          }
                          Expected expected = close(dtype, exact);
                          expected.ulps = is_half(dtype) ? 1 : 64;
                          return expected;
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
          keep_gradients(results_of, each.name, {random_array(RONDO_F64, each.shape, 7, -2, 2)},
                         [this, f = each.f](const Inputs& in) {
                           const Tape inner(engine());
                           inner.watch(in[0]);
                           const Tensor y = make(rondo_unary, RONDO_SQUARE, f(in[0]));
                           return inner.gradient(reduce(RONDO_SUM, y, {}), in[0]);
                         });
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

// --- by chance: lines longer than a vector and than a block of the host, windows at edges, halves, views, gradients
// ---

// What each element of an image gets of a gradient: its share, or all where it is the largest of a window.
Array spread(const Array& x, const Array& dy, const Sizes& out, const std::vector<Axis>& axes, bool to_largest) {
  Array dx(RONDO_F64, x.shape);
  const size_t outs = count(Shape(out));
  for (size_t i = 0; i < dy.size(); ++i) {
    std::vector<std::pair<size_t, Real>> elements = {{i / outs, 1}};
    std::vector<int64_t> at(axes.size());
    for (size_t d = axes.size(), rest = i % outs; d-- > 0; rest /= out[d]) at[d] = static_cast<int64_t>(rest) % out[d];
    for (size_t d = 0; d < axes.size(); ++d) {
      std::vector<std::pair<size_t, Real>> next;
      for (const auto& [place, weight] : elements)
        for (const Tap& tap : axes[d](at[d]))
          next.push_back(
              {place * static_cast<size_t>(x.shape[2 + d]) + static_cast<size_t>(tap.at), weight * tap.weight});
      elements = std::move(next);
    }
    if (to_largest) {
      const std::pair<size_t, Real>* best = nullptr;
      for (const auto& each : elements)
        if (!best || (!std::isnan(x[best->first]) && !(x[each.first] <= x[best->first]))) best = &each;
      if (best) dx.set(best->first, dx[best->first] + dy[i]);
      continue;
    }
    for (const auto& [place, weight] : elements) dx.set(place, dx[place] + dy[i] * weight);
  }
  return dx;
}

TEST_P(Pooling, ByChance) {
  std::mt19937 random(31);
  const auto chance = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  enum { kMax, kMean, kAdaptiveMax, kAdaptiveMean, kNearest, kLinear };
  for (int turn = 0; turn < (on_cuda() ? 6 : quick() ? 24 : 72); ++turn) {
    const rondo_dtype dtype = kFloatDtypes[turn / 6 % 4];
    const int what = turn % 6;
    const auto n = static_cast<size_t>(chance(1, 3));
    const int64_t longest = n == 1 ? 1100 : n == 2 ? 45 : 9;
    PoolCase c;
    c.shape = {chance(1, 2), chance(0, 1) ? chance(1, 3) : chance(30, 50)};
    if (n == 1 || on_cuda()) c.shape[1] = chance(1, 4);
    c.last = chance(0, 1);
    c.ceil = chance(0, 1);
    c.counts = chance(0, 1);
    Sizes out;
    std::vector<Axis> axes;
    const bool means = what == kMean || what == kAdaptiveMean;
    const auto origin = static_cast<rondo_resize_origin>(chance(0, 2));
    for (size_t d = 0; d < n; ++d) {
      c.shape.push_back(chance(1, longest));
      const int64_t in = c.shape.back();
      c.dilation.push_back(what == kMax ? chance(1, 2) : 1);
      c.kernel.push_back(chance(1, std::min<int64_t>(in, chance(0, 5) ? 4 : 20)));
      while ((c.kernel[d] - 1) * c.dilation[d] >= in) --c.kernel[d];
      c.stride.push_back(chance(0, 3));
      c.padding.push_back(chance(0, c.kernel[d] / 2));
      c.end.push_back(-1);
      if (what == kMax || what == kMean) {
        out.push_back(results(c, d));
        axes.push_back(window(c, d, means));
      } else {
        out.push_back(chance(0, 2) ? chance(1, 2 * in) : 2 * in);
        if (what == kNearest || what == kLinear)
          axes.push_back(resized(in, out[d], what == kLinear ? RONDO_RESIZE_LINEAR : RONDO_RESIZE_NEAREST, origin));
        else
          axes.push_back([in, k = out[d], means](int64_t o) {
            const int64_t begin = o * in / k, end = ((o + 1) * in + k - 1) / k;
            std::vector<Tap> taps;
            for (int64_t at = begin; at < end; ++at) taps.push_back({at, means ? 1 / Real(end - begin) : 1});
            return taps;
          });
      }
    }
    // Whole numbers; of what is compared, some that are special.
    const bool spaced = chance(0, 2) == 0, compares = what == kMax || what == kAdaptiveMax;
    const auto whole = [&](const Shape& shape, bool special) {
      Array array(dtype, shape);
      const Real rarities[] = {NAN, INFINITY, -INFINITY};
      for (size_t i = 0; i < array.size(); ++i)
        array.set(i, special && chance(0, 40) == 0 ? rarities[chance(0, 2)] : Real(chance(-4, 4)));
      return array;
    };
    Shape made = {c.shape[0], c.shape[1]};
    made.insert(made.end(), out.begin(), out.end());
    const Array x = whole(c.shape, compares && turn % 4 < 2), dy = whole(made, false);
    const auto near = [dtype](const Array& exact) {
      Expected expected(dtype, exact.shape, is_half(dtype) ? 1 : 16);
      for (size_t i = 0; i < exact.size(); ++i) {
        expected.values[i] = exact[i];
        expected.absolute.push_back(64 * unit(dtype) +
                                    64 * 1100 * unit(RONDO_F64));  // a place among 1100 has f64's error
      }
      return expected;
    };
    run([&](Results& results_of) {
      Tensor a = image(x, c.last);
      if (spaced) {  // every second element of something larger
        Shape wide = c.shape;
        wide.back() = 2 * wide.back() + 1;
        const Tensor around = empty(dtype, wide);
        must(rondo_fill(around, 9));
        Tensor view = slice(around, static_cast<int32_t>(wide.size()) - 1, 1, INT64_MAX, 2);
        into(view, rondo_copy, up(x));
        a = std::move(view);
      }
      const Tape tape(engine());
      tape.watch(a);
      const auto axes_given = static_cast<int32_t>(n);
      const rondo_pool_options options = options_of(c);
      Tensor y;
      switch (what) {
        case kMax: y = make(rondo_max_pool, a, axes_given, c.kernel.data(), &options); break;
        case kMean: y = make(rondo_avg_pool, a, axes_given, c.kernel.data(), &options); break;
        case kAdaptiveMax: y = make(rondo_adaptive_max_pool, a, axes_given, out.data()); break;
        case kAdaptiveMean: y = make(rondo_adaptive_avg_pool, a, axes_given, out.data()); break;
        default:
          y = make(rondo_resize, a, axes_given, out.data(),
                   what == kLinear ? RONDO_RESIZE_LINEAR : RONDO_RESIZE_NEAREST, origin);
      }
      const std::string label = "turn " + std::to_string(turn) + " what " + std::to_string(what);
      results_of.keep(label + " gradient", tape.gradient(y, a, image(dy, c.last)),
                      [=] { return near(spread(x, dy, out, axes, compares)); });
      results_of.keep(label, std::move(y), [=] { return near(spatial(x, out, axes, compares ? largest : weighted)); });
    });
  }
}

}  // namespace
}  // namespace conformance
