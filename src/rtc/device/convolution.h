// Computes the product that all three ways of a convolution are (ops/convolution/convolution_products.h), and finishes
// its sums.
//
// In each group, out[m, column] = sum over depth of a[m, depth] b[depth, column]. A column is a batch entry and a place
// on each axis, a depth is a channel and a tap on each axis; b is the image that place and tap together name a
// coordinate of, 0 outside.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/activations.h"
#include "rtc/device/strided.h"

namespace rondo::device {

struct ProductAxis {
  i64 places, taps, extent;           // extent: of the image
  i64 step, tap_step, start, divide;  // coordinate = (place step + tap tap_step + start) / divide, if that is whole
  i64 a_tap, b_step, out_step;        // strides: of a by tap, of b by coordinate, of the output by place
  i64 residual_step;
};

constexpr int kProductAxes = 3;

struct ProductArguments {
  const void* a;
  const void* b;
  const void* scale;
  const void* bias;
  const void* residual;
  void* out;
  void* staged;  // sums by part of the depth, group, m and column, in the register type; null: there is one part
  ProductAxis axis[kProductAxes];
  i64 groups, m, batch, channels;  // per group
  i64 places, taps, columns, depth;
  i64 a_group, a_m, a_channel;
  i64 b_group, b_batch, b_channel;
  i64 out_group, out_m, out_batch;
  i64 residual_group, residual_m, residual_batch;
  i64 scale_step, bias_step;  // from one m to the next, groups behind each other
  i64 parts, part_depth;      // of the depth
  i32 activation, accumulate;
};

// activation(sum * scale + bias + residual), channel: m, counted after those of earlier groups.
template <class M, int activation, class Index>
RONDO_INLINE Register<M> finished(const ProductArguments& args, Register<M> sum, Index channel, Index residual) {
  if (args.scale)
    sum = sum * from_memory(static_cast<const M*>(args.scale)[channel * static_cast<Index>(args.scale_step)]);
  if (args.bias)
    sum = sum + from_memory(static_cast<const M*>(args.bias)[channel * static_cast<Index>(args.bias_step)]);
  if (args.residual) sum = sum + from_memory(static_cast<const M*>(args.residual)[residual]);
  return activated(activation, sum);
}

#if defined(__CUDACC_RTC__)

RONDO_INLINE f32 multiply_add(f32 a, f32 b, f32 c) {
  return __fmaf_rn(a, b, c);
}
RONDO_INLINE f64 multiply_add(f64 a, f64 b, f64 c) {
  return __fma_rn(a, b, c);
}

// Splits a number into places or taps of the axes, innermost first; what is left is returned.
template <class Index, class Sizes>
RONDO_INLINE Index split_axes(Index number, Index (&parts)[kProductAxes], const Sizes& size_of) {
#pragma unroll
  for (int d = kProductAxes - 1; d >= 0; --d) {
    const Index size = size_of(d), rest = number / size;
    parts[d] = number - rest * size;
    number = rest;
  }
  return number;
}

// A column as b sees it: where its batch entry begins, and the coordinates of tap 0, not divided.
template <class Index>
struct ProductColumn {
  Index base;
  Index coordinate[kProductAxes];
  bool used;
};
template <class Index>
RONDO_INLINE ProductColumn<Index> column_at(const ProductArguments& args, Index column) {
  ProductColumn<Index> at;
  at.used = column < static_cast<Index>(args.columns);
  const Index entry = split_axes(column, at.coordinate, [&](int d) { return static_cast<Index>(args.axis[d].places); });
  at.base = entry * static_cast<Index>(args.b_batch);
#pragma unroll
  for (int d = 0; d < kProductAxes; ++d)
    at.coordinate[d] =
        at.coordinate[d] * static_cast<Index>(args.axis[d].step) + static_cast<Index>(args.axis[d].start);
  return at;
}

// A depth: where it is in a, its channel in b, and how far its taps move the coordinates.
template <class Index>
struct ProductDepth {
  Index a, b;
  Index move[kProductAxes];
  bool used;
};
template <bool channels_inner, class Index>
RONDO_INLINE ProductDepth<Index> depth_at(const ProductArguments& args, Index depth, Index end) {
  ProductDepth<Index> at;
  at.used = depth < end;
  const Index inner = static_cast<Index>(channels_inner ? args.channels : args.taps);
  const Index rest = depth / inner, own = depth - rest * inner;
  const Index channel = channels_inner ? own : rest;
  split_axes(channels_inner ? rest : own, at.move, [&](int d) { return static_cast<Index>(args.axis[d].taps); });
  at.a = channel * static_cast<Index>(args.a_channel);
  at.b = channel * static_cast<Index>(args.b_channel);
#pragma unroll
  for (int d = 0; d < kProductAxes; ++d) {
    at.a += at.move[d] * static_cast<Index>(args.axis[d].a_tap);
    at.move[d] *= static_cast<Index>(args.axis[d].tap_step);
  }
  return at;
}

// b[depth, column].
template <class M, bool divides, class Index>
RONDO_INLINE Register<M> gathered(const ProductArguments& args, const M* b, const ProductColumn<Index>& column,
                                  const ProductDepth<Index>& depth) {
  bool inside = column.used && depth.used;
  Index at = column.base + depth.b;
#pragma unroll
  for (int d = 0; d < kProductAxes; ++d) {
    Index coordinate = column.coordinate[d] + depth.move[d];
    if (divides) {
      const Index whole = coordinate / static_cast<Index>(args.axis[d].divide);
      inside = inside && whole * static_cast<Index>(args.axis[d].divide) == coordinate;
      coordinate = whole;
    }
    inside = inside && coordinate >= 0 && coordinate < static_cast<Index>(args.axis[d].extent);
    at += coordinate * static_cast<Index>(args.axis[d].b_step);
  }
  return inside ? from_memory(b[at]) : Register<M>(0);
}

// Writes the sum of one element.
template <class M, int activation, class Index>
RONDO_INLINE void put_sum(const ProductArguments& args, Register<M> sum, Index group, Index m, Index column) {
  Index place[kProductAxes];
  const Index entry = split_axes(column, place, [&](int d) { return static_cast<Index>(args.axis[d].places); });
  Index out = group * static_cast<Index>(args.out_group) + m * static_cast<Index>(args.out_m) +
              entry * static_cast<Index>(args.out_batch);
  Index residual = group * static_cast<Index>(args.residual_group) + m * static_cast<Index>(args.residual_m) +
                   entry * static_cast<Index>(args.residual_batch);
#pragma unroll
  for (int d = 0; d < kProductAxes; ++d) {
    out += place[d] * static_cast<Index>(args.axis[d].out_step);
    residual += place[d] * static_cast<Index>(args.axis[d].residual_step);
  }
  const Index channel = group * static_cast<Index>(args.m) + m;
  put(static_cast<M*>(args.out) + out, finished<M, activation>(args, sum, channel, residual), args.accumulate);
}

// The place where a part of a sum waits for the others.
template <class C>
RONDO_INLINE C* staged_at(const ProductArguments& args, i64 part, i64 group, i64 m, i64 column) {
  return static_cast<C*>(args.staged) + (((part * args.groups + group) * args.m + m) * args.columns + column);
}

#endif

}  // namespace rondo::device
