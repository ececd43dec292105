// Pooling and resizing of images that are drawn: lines longer than a vector and than a block of the host, windows at
// edges, halves, views, and gradients. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "layers/pooling.h"

namespace conformance {
namespace {

class PoolingByChance : public Pooling {};
CONFORMANCE_SUITE(PoolingByChance);

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

TEST_P(PoolingByChance, MatchesTheReferences) {
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

// Windows that move by one element or two, of planes that the host copies with a border around them.
TEST_P(PoolingByChance, PlanesMatchTheReferences) {
  std::mt19937 random(32);
  const auto chance = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int turn = 0; turn < (on_cuda() ? 4 : 40); ++turn) {
    const bool means = turn % 2 != 0;
    PoolCase c;
    c.shape = {chance(1, 2), chance(2, 5)};
    c.ceil = chance(0, 1);
    c.counts = chance(0, 1);
    const int64_t stride = chance(1, 2);
    Sizes out;
    std::vector<Axis> axes;
    for (size_t d = 0; d < 2; ++d) {
      c.shape.push_back(chance(4, 40));
      c.kernel.push_back(chance(2, 4));
      c.dilation.push_back(1);
      c.stride.push_back(turn % 5 == 0 ? 3 - stride : stride);
      c.padding.push_back(chance(0, c.kernel[d] / 2));
      c.end.push_back(-1);
      out.push_back(results(c, d));
      axes.push_back(window(c, d, means));
    }
    Array x(RONDO_F32, c.shape);
    for (size_t i = 0; i < x.size(); ++i) x.set(i, chance(0, 200) == 0 && !means ? NAN : Real(chance(-99, 99)));
    run([&](Results& results_of) {
      const rondo_pool_options options = options_of(c);
      results_of.keep("turn " + std::to_string(turn),
                      make(means ? rondo_avg_pool : rondo_max_pool, image(x, false), 2, c.kernel.data(), &options),
                      [=] {
                        const Array exact = spatial(x, out, axes, means ? weighted : largest);
                        Expected expected(RONDO_F32, exact.shape, 16);
                        for (size_t i = 0; i < exact.size(); ++i) {
                          expected.values[i] = exact[i];
                          expected.absolute.push_back(99 * unit(RONDO_F32));
                        }
                        return expected;
                      });
    });
  }
}

}  // namespace
}  // namespace conformance
