// Pooling and resizing as references in higher precision have them: which elements each result is made of, and with
// which weights.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include "tape/tape.h"

namespace conformance {

using Inputs = std::vector<Tensor>;
using Sizes = std::vector<int64_t>;

class Pooling : public OnTape {};

// One axis of a reference: the elements of result o, each with a weight.
struct Tap {
  int64_t at;
  Real weight;
};
using Axis = std::function<std::vector<Tap>(int64_t o)>;

// The combination over all spatial axes of what `join` does with (value, weight).
inline Array spatial(const Array& x, const Sizes& out, const std::vector<Axis>& axes,
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

inline Real largest(const std::vector<std::pair<Real, Real>>& values) {
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
inline Real weighted(const std::vector<std::pair<Real, Real>>& values) {
  Real sum = 0;
  for (const auto& [value, weight] : values) sum += value * weight;
  return sum;
}

inline Expected close(rondo_dtype dtype, const Array& exact) {
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

inline int64_t results(const PoolCase& c, size_t d) {
  const int64_t stride = c.stride[d] ? c.stride[d] : c.kernel[d], end = c.end[d] < 0 ? c.padding[d] : c.end[d];
  const int64_t room = c.shape[2 + d] + c.padding[d] + end - c.dilation[d] * (c.kernel[d] - 1) - 1;
  int64_t out = (room + (c.ceil ? stride - 1 : 0)) / stride + 1;
  if (c.ceil && (out - 1) * stride >= c.shape[2 + d] + c.padding[d]) --out;
  return out;
}

inline Axis window(const PoolCase& c, size_t d, bool mean) {
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

inline rondo_pool_options options_of(const PoolCase& c) {
  rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
  for (size_t d = 0; d < c.kernel.size(); ++d) {
    options.stride[d] = c.stride[d], options.padding[d] = c.padding[d];
    options.padding_end[d] = c.end[d], options.dilation[d] = c.dilation[d];
  }
  options.ceil_mode = c.ceil, options.count_include_pad = c.counts;
  return options;
}

// Exact: where result o lies, and which element is the nearest to it. The distances to all are compared.
struct Ratio {
  int64_t over, under;  // under > 0
};
inline Ratio resize_place(int64_t in, int64_t out, rondo_resize_origin origin, int64_t o) {
  switch (origin) {
    case RONDO_RESIZE_HALF_PIXEL: return {(2 * o + 1) * in - out, 2 * out};
    case RONDO_RESIZE_ASYMMETRIC: return {o * in, out};
    default: return out > 1 ? Ratio{o * (in - 1), out - 1} : Ratio{0, 1};
  }
}
inline int64_t nearest_element(Ratio place, int64_t in, rondo_resize_mode mode, rondo_resize_origin origin) {
  if (mode == RONDO_RESIZE_NEAREST && origin == RONDO_RESIZE_ASYMMETRIC) return place.over / place.under;
  const bool behind = mode == RONDO_RESIZE_NEAREST_EXACT || origin == RONDO_RESIZE_ALIGN_CORNERS;
  int64_t best = 0;
  for (int64_t at = 1; at < in; ++at) {
    const int64_t distance = std::abs(at * place.under - place.over), least = std::abs(best * place.under - place.over);
    if (distance < least || (behind && distance == least)) best = at;
  }
  return best;
}

inline Axis resized(int64_t in, int64_t out, rondo_resize_mode mode, rondo_resize_origin origin) {
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

}  // namespace conformance
