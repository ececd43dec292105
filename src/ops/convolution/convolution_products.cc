// Brings a convolution to the form of products: which axes are rows, columns and depth.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_products.h"

#include <cstdlib>
#include <numeric>

namespace rondo::ops {

namespace {

using device::ProductArguments;
using device::ProductAxis;

// The numbers of a product for an axis that the problem lacks: places, taps, extent, step, tap_step, start, divide,
// strides.
constexpr ProductAxis kNoAxis = {1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0};

int64_t stride(const View& view, int axis) {
  return view.layout.strides[axis];
}
int64_t size(const View& view, int axis) {
  return view.layout.shape[axis];
}

// Axes that are walked as one: all of the image, in order, by places or by taps, and all strides continue.
bool joins(const ProductAxis& outer, const ProductAxis& inner) {
  const auto by_places = [](const ProductAxis& axis) {
    return axis.taps == 1 && axis.step == 1 && axis.start == 0 && axis.places == axis.extent && axis.divide == 1;
  };
  const auto by_taps = [](const ProductAxis& axis) {
    return axis.places == 1 && axis.tap_step == 1 && axis.start == 0 && axis.taps == axis.extent;
  };
  if (outer.b_step != inner.extent * inner.b_step) return false;
  if (by_places(outer) && by_places(inner))
    return outer.out_step == inner.places * inner.out_step && outer.residual_step == inner.places * inner.residual_step;
  return by_taps(outer) && by_taps(inner) && outer.a_tap == inner.taps * inner.a_tap;
}

void join_axes(ProductArguments& p) {
  ProductAxis kept[device::kProductAxes];
  int n = 0;
  for (int d = device::kProductAxes - 1; d >= 0; --d) {
    const ProductAxis& axis = p.axis[d];
    if (axis.places == 1 && axis.taps == 1 && axis.extent == 1 && axis.start == 0) continue;
    if (n > 0 && joins(axis, kept[n - 1])) {
      kept[n - 1].places *= axis.places;
      kept[n - 1].taps *= axis.taps;
      kept[n - 1].extent *= axis.extent;
    } else {
      kept[n++] = axis;
    }
  }
  for (int i = 0; i < device::kProductAxes; ++i) p.axis[device::kProductAxes - 1 - i] = i < n ? kept[i] : kNoAxis;
}

void count(ProductArguments& p) {
  p.places = p.taps = 1;
  for (const ProductAxis& axis : p.axis) {
    p.places *= axis.places;
    p.taps *= axis.taps;
  }
  p.columns = p.batch * p.places;
  p.depth = p.channels * p.taps;
  p.parts = 1;
  p.part_depth = p.depth;
}

ProductArguments common(const Convolution& problem) {
  ProductArguments p{};
  for (ProductAxis& axis : p.axis) axis = kNoAxis;
  p.groups = problem.groups;
  if (problem.scale.storage) p.scale_step = stride(problem.scale, 0);
  if (problem.bias.storage) p.bias_step = stride(problem.bias, 0);
  p.activation = problem.activation;
  p.accumulate = problem.out().accumulate;
  return p;
}

// How the output, and what is added to it, are walked: by m, batch and group.
void walk_output(const Convolution& problem, int64_t per_group, ProductArguments& p) {
  const auto walk = [&](const View& view, device::i64& group, device::i64& m, device::i64& batch) {
    if (!view.storage) return;
    m = stride(view, 1);
    group = per_group * m;
    batch = stride(view, 0);
  };
  walk(problem.out(), p.out_group, p.out_m, p.out_batch);
  walk(problem.residual, p.residual_group, p.residual_m, p.residual_batch);
}

// Spatial axes of the problem are the last of a product's.
int place_of(const Convolution& problem, int d) {
  return d + device::kProductAxes - problem.spatial;
}
int64_t residual_step(const Convolution& problem, int d) {
  return problem.residual.storage ? stride(problem.residual, 2 + d) : 0;
}

ConvolutionProduct forward(const Convolution& problem) {
  const View &x = problem.image, &w = problem.filter, &y = problem.result;
  ConvolutionProduct product{common(problem)};
  ProductArguments& p = product.arguments;
  p.m = size(w, 0) / problem.groups;
  p.batch = size(x, 0);
  p.channels = size(w, 1);
  p.a_group = p.m * stride(w, 0);
  p.a_m = stride(w, 0);
  p.a_channel = stride(w, 1);
  p.b_group = p.channels * stride(x, 1);
  p.b_batch = stride(x, 0);
  p.b_channel = stride(x, 1);
  walk_output(problem, p.m, p);
  for (int d = 0; d < problem.spatial; ++d)
    p.axis[place_of(problem, d)] = {size(y, 2 + d),
                                    size(w, 2 + d),
                                    size(x, 2 + d),
                                    problem.stride[d],
                                    problem.dilation[d],
                                    -problem.before[d],
                                    1,
                                    stride(w, 2 + d),
                                    stride(x, 2 + d),
                                    stride(y, 2 + d),
                                    residual_step(problem, d)};
  join_axes(p);
  count(p);
  return product;
}

ConvolutionProduct filter(const Convolution& problem) {
  const View &x = problem.image, &w = problem.filter, &y = problem.result;
  ConvolutionProduct product{common(problem)};
  ProductArguments& p = product.arguments;
  p.m = size(w, 0) / problem.groups;
  p.batch = size(w, 1);
  p.channels = size(x, 0);
  p.a_group = p.m * stride(y, 1);
  p.a_m = stride(y, 1);
  p.a_channel = stride(y, 0);
  p.b_group = p.batch * stride(x, 1);
  p.b_batch = stride(x, 1);
  p.b_channel = stride(x, 0);
  p.out_group = p.m * stride(w, 0);
  p.out_m = stride(w, 0);
  p.out_batch = stride(w, 1);
  for (int d = 0; d < problem.spatial; ++d)
    p.axis[place_of(problem, d)] = {size(w, 2 + d),
                                    size(y, 2 + d),
                                    size(x, 2 + d),
                                    problem.dilation[d],
                                    problem.stride[d],
                                    -problem.before[d],
                                    1,
                                    stride(y, 2 + d),
                                    stride(x, 2 + d),
                                    stride(w, 2 + d),
                                    0};
  join_axes(p);
  count(p);
  return product;
}

// The elements that reach the places of one residue on one axis: elements first, first + every, ... of the kernel, the
// later by one the earlier in the result.
struct Phase {
  int64_t places = 0, taps = 0, first = 0, every = 0, tap_step = 0, start = 0;
};
Phase phase_of(int64_t residue, int64_t image, int64_t kernel, int64_t stride, int64_t before, int64_t dilation) {
  Phase phase;
  phase.places = (image - residue + stride - 1) / stride;
  const int64_t common = std::gcd(stride, dilation);
  phase.every = stride / common;
  phase.tap_step = -(dilation / common);
  const int64_t at = residue + before;
  for (int64_t r = 0; r < std::min(kernel, phase.every); ++r) {
    if ((at - r * dilation) % stride != 0) continue;
    phase.first = r;
    phase.taps = (kernel - r + phase.every - 1) / phase.every;
    phase.start = (at - r * dilation) / stride;
    break;
  }
  return phase;
}

void data(const Convolution& problem, int64_t most, std::vector<ConvolutionProduct>* products) {
  const View &x = problem.image, &w = problem.filter, &y = problem.result;
  ConvolutionProduct base{common(problem)};
  ProductArguments& p = base.arguments;
  p.m = size(w, 1);
  p.batch = size(y, 0);
  p.channels = size(w, 0) / problem.groups;
  p.a_group = p.channels * stride(w, 0);
  p.a_m = stride(w, 1);
  p.a_channel = stride(w, 0);
  p.b_group = p.channels * stride(y, 1);
  p.b_batch = stride(y, 0);
  p.b_channel = stride(y, 1);
  walk_output(problem, p.m, p);
  int64_t residues[kMaxSpatial] = {1, 1, 1}, combinations = 1;
  for (int d = 0; d < problem.spatial; ++d) combinations *= residues[d] = std::min(problem.stride[d], size(x, 2 + d));
  if (combinations > most) {
    for (int d = 0; d < problem.spatial; ++d)
      p.axis[place_of(problem, d)] = {
          size(x, 2 + d),       size(w, 2 + d),    size(y, 2 + d),           1,
          -problem.dilation[d], problem.before[d], problem.stride[d],        stride(w, 2 + d),
          stride(y, 2 + d),     stride(x, 2 + d),  residual_step(problem, d)};
    count(p);
    products->push_back(base);
    return;
  }
  for (int64_t i = 0; i < combinations; ++i) {
    ConvolutionProduct product = base;
    int64_t rest = i;
    for (int d = problem.spatial - 1; d >= 0; --d) {
      const int64_t residue = rest % residues[d], s = problem.stride[d];
      rest /= residues[d];
      const Phase phase = phase_of(residue, size(x, 2 + d), size(w, 2 + d), s, problem.before[d], problem.dilation[d]);
      product.arguments.axis[place_of(problem, d)] = {phase.places,
                                                      phase.taps,
                                                      size(y, 2 + d),
                                                      1,
                                                      phase.tap_step,
                                                      phase.start,
                                                      1,
                                                      phase.every * stride(w, 2 + d),
                                                      stride(y, 2 + d),
                                                      s * stride(x, 2 + d),
                                                      s * residual_step(problem, d)};
      product.a_offset += phase.first * stride(w, 2 + d);
      product.out_offset += residue * stride(x, 2 + d);
      product.residual_offset += residue * residual_step(problem, d);
    }
    join_axes(product.arguments);
    count(product.arguments);
    products->push_back(product);
  }
}

}  // namespace

int64_t ConvolutionProduct::reach() const {
  const ProductArguments& p = arguments;
  const auto span = [](int64_t count, int64_t step) { return count * std::abs(step); };
  int64_t a = span(p.groups, p.a_group) + span(p.m, p.a_m) + span(p.channels, p.a_channel);
  int64_t b = span(p.groups, p.b_group) + span(p.batch, p.b_batch) + span(p.channels, p.b_channel);
  int64_t out = span(p.groups, p.out_group) + span(p.m, p.out_m) + span(p.batch, p.out_batch);
  int64_t residual = span(p.groups, p.residual_group) + span(p.m, p.residual_m) + span(p.batch, p.residual_batch);
  int64_t coordinate = 0;
  for (const ProductAxis& axis : p.axis) {
    const int64_t here =
        span(axis.places, axis.step) + span(axis.taps, axis.tap_step) + std::abs(axis.start) + axis.extent;
    coordinate = std::max(coordinate, here);
    a += span(axis.taps, axis.a_tap);
    b += span(here, axis.b_step);
    out += span(axis.places, axis.out_step);
    residual += span(axis.places, axis.residual_step);
  }
  const int64_t channels = p.groups * p.m;
  return std::max<int64_t>(
      {a, b, out, residual, coordinate, p.columns, p.depth, span(channels, p.scale_step), span(channels, p.bias_step)});
}

std::vector<ConvolutionProduct> convolution_products(const Convolution& problem, int64_t most) {
  if (problem.way == ConvolutionWay::forward) return {forward(problem)};
  if (problem.way == ConvolutionWay::filter) return {filter(problem)};
  std::vector<ConvolutionProduct> products;
  data(problem, most, &products);
  return products;
}

}  // namespace rondo::ops
