// Translates operators that look at regions of an image, or put parts of one together: RoiAlign, Col2Im, MaxUnpool.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

// Places between elements of one axis, for all samples of all regions: two elements and their weights.
struct Between {
  Tensor low, high;                // i64, [regions, places]
  Tensor low_weight, high_weight;  // f32; 0 for places outside
};

Tensor counted(const Call& call, int64_t count, double first, double step) {
  call.may_take<double>(count);
  std::vector<double> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = first + step * static_cast<double>(i);
  return call.constant_reals(RONDO_F32, {1, count}, numbers);
}

// Samples of one axis: `bins` of each region, and `samples` of each bin, at equal distances.
Between between(const Call& call, const Tensor& start, const Tensor& extent, int64_t bins, int64_t samples,
                int64_t size) {
  const int64_t count = bins * samples;
  const double step = 1 / static_cast<double>(samples);
  const Tensor steps = counted(call, count, 0.5 * step, step);
  const Tensor place = start + extent / static_cast<double>(bins) * steps;
  const Tensor outside = rondo::binary(RONDO_LOGICAL_OR, rondo::binary(RONDO_LT, place, rondo::Number(-1.0)),
                                       rondo::binary(RONDO_GT, place, rondo::Number(static_cast<double>(size))));
  const double last = static_cast<double>(size - 1);
  const Tensor inside = rondo::clamp(place, 0.0, last), low = rondo::floor(inside);
  const Tensor rest = inside - low, zero = call.constant_reals(RONDO_F32, {}, {0});
  return {low.to(RONDO_I64), rondo::minimum(low + 1.0, rondo::Number(last)).to(RONDO_I64),
          choose(outside, zero, rondo::Number(1.0) - rest), choose(outside, zero, rest)};
}

}  // namespace

void roi_align(Call& call) {
  const Shape s = call.shape(0), rs = call.shape(1);
  if (s.size() != 4 || rs.size() != 2 || rs[1] != 4 || call.shape(2) != Shape{rs[0]} || product(s) == 0 || rs[0] < 1)
    malformed("its regions do not go with its input");
  const std::string mode = call.text("mode", "avg");
  const std::string origin =
      call.text("coordinate_transformation_mode", call.opset() >= 16 ? "half_pixel" : "output_half_pixel");
  if ((mode != "avg" && mode != "max") || (origin != "half_pixel" && origin != "output_half_pixel"))
    malformed("its mode is " + excerpt(mode) + " of " + excerpt(origin));
  const int64_t height = call.integer("output_height", 1), width = call.integer("output_width", 1),
                samples = call.integer("sampling_ratio", 0);
  constexpr int64_t kMost = 4096;
  if (height < 1 || width < 1 || samples < 0 || height > kMost || width > kMost || samples > kMost)
    malformed("its output is of " + std::to_string(height) + " by " + std::to_string(width) + " elements");
  if (samples == 0) refuse("how many samples a region has depends on its size; a sampling_ratio can be converted");
  call.check_indices(2, s[0]);
  const double offset = origin == "half_pixel" ? 0.5 : 0;
  const Tensor corners = call.in(1).to(RONDO_F32) * call.real("spatial_scale", 1) - offset;
  const auto corner = [&](int64_t i) { return corners.slice(1, i, i + 1); };
  const auto extent = [&](int64_t i) {
    const Tensor whole = corner(i + 2) - corner(i);
    return offset == 0 ? rondo::maximum(whole, rondo::Number(1.0)) : whole;
  };
  const Between y = between(call, corner(1), extent(1), height, samples, s[2]);
  const Between x = between(call, corner(0), extent(0), width, samples, s[3]);
  const int64_t regions = rs[0], rows = height * samples, columns = width * samples;
  const Tensor image = call.in(0).transpose({0, 2, 3, 1}).reshape({s[0] * s[2] * s[3], s[1]});
  const Tensor first = call.in(2).to(RONDO_I64).reshape({regions, 1, 1}) * (s[2] * s[3]);
  const bool largest = mode == "max";
  Tensor all;
  for (const bool down : {false, true})
    for (const bool right : {false, true}) {
      const Tensor place = first + (down ? y.high : y.low).reshape({regions, rows, 1}) * s[3] +
                           (right ? x.high : x.low).reshape({regions, 1, columns});
      const Tensor weight = (down ? y.high_weight : y.low_weight).reshape({regions, rows, 1, 1}) *
                            (right ? x.high_weight : x.low_weight).reshape({regions, 1, columns, 1});
      const Tensor part =
          rondo::take(image, place.reshape({-1}), 0).reshape({regions, rows, columns, s[1]}) * weight.to(call.dtype(0));
      all = !all ? part : largest ? rondo::maximum(all, part) : all + part;
    }
  const Tensor bins = all.reshape({regions, height, samples, width, samples, s[1]});
  const Tensor pooled = rondo::reduce(largest ? RONDO_MAX : RONDO_MEAN, bins, rondo::Axes({2, 4}));
  call.out(0, pooled.transpose({0, 3, 1, 2}));
}

void column_to_image(Call& call) {
  const std::vector<int64_t> size = call.whole_numbers(1, "the size of its image"),
                             block = call.whole_numbers(2, "the size of its blocks");
  const size_t n = size.size();
  const Shape s = call.shape(0);
  if (n < 1 || n > 6 || block.size() != n || s.size() != 3) malformed("its blocks do not go with its image");
  const auto numbers = [&](const char* name, size_t count, int64_t otherwise) {
    std::vector<int64_t> given = call.integers(name);
    if (given.empty()) given.assign(count, otherwise);
    constexpr int64_t kMost = int64_t{1} << 31;
    for (const int64_t each : given)
      if (each < otherwise || each > kMost) malformed(std::string("its ") + name + " has " + std::to_string(each));
    if (given.size() != count) malformed(std::string("its ") + name + " does not go with its image");
    return given;
  };
  const std::vector<int64_t> dilations = numbers("dilations", n, 1), strides = numbers("strides", n, 1),
                             pads = numbers("pads", 2 * n, 0);
  constexpr int64_t kMostSize = int64_t{1} << 31;
  std::vector<int64_t> places(n);
  int64_t blocks = 1, elements = 1, outside = 1;
  Shape padded(n);
  for (size_t i = 0; i < n; ++i) {
    if (size[i] < 1 || block[i] < 1 || size[i] > kMostSize || block[i] > kMostSize)
      malformed("its image or its blocks have a size that is none");
    padded[i] = size[i] + pads[i] + pads[i + n];
    if (padded[i] > kMostSize) malformed("its image has the size " + std::to_string(padded[i]) + " with its padding");
    const int64_t room = padded[i] - dilations[i] * (block[i] - 1) - 1;
    if (room < 0) malformed("its blocks are larger than its image");
    places[i] = room / strides[i] + 1;
    if (places[i] > s[2] || block[i] > s[1]) malformed("its blocks do not go with its input");
    blocks *= places[i];
    elements *= block[i];
    outside *= padded[i];
    if (blocks > s[2] || elements > s[1] || outside > kMostSize) malformed("its blocks do not go with its input");
  }
  if (elements < 1 || s[1] % elements != 0 || s[2] != blocks) malformed("its blocks do not go with its input");
  // The element of the image that each element of each block is, counted over all of it with its padding.
  call.may_take<int64_t>(elements * blocks);
  std::vector<int64_t> numbers_of(static_cast<size_t>(elements * blocks));
  for (int64_t e = 0; e < elements; ++e)
    for (int64_t b = 0; b < blocks; ++b) {
      int64_t left = e, at = b, number = 0, step = 1;
      for (size_t i = n; i-- > 0;) {
        number += step * (at % places[i] * strides[i] + left % block[i] * dilations[i]);
        left /= block[i];
        at /= places[i];
        step *= padded[i];
      }
      numbers_of[static_cast<size_t>(e * blocks + b)] = number;
    }
  const Tensor index =
      call.precomputed([&] { return call.constant_tensor(RONDO_I64, {elements * blocks}, numbers_of.data()); });
  const int64_t channels = s[1] / elements;
  const Tensor sum = rondo::zeros(call.engine(), call.device(), call.dtype(0), {s[0] * channels, outside});
  rondo::put(sum.accumulator(), index, call.in(0).reshape({s[0] * channels, elements * blocks}), 1);
  Shape shape = {s[0], channels};
  shape.insert(shape.end(), padded.begin(), padded.end());
  Tensor image = sum.reshape(shape);
  for (size_t i = 0; i < n; ++i) image = image.slice(static_cast<int32_t>(i + 2), pads[i], pads[i] + size[i]);
  call.out(0, image);
}

void max_unpool(Call& call) {
  const Shape s = call.shape(0);
  const std::vector<int64_t> kernel = call.integers("kernel_shape");
  if (s.size() < 3 || kernel.size() != s.size() - 2 || call.shape(1) != s)
    malformed("its places do not go with its input");
  const size_t n = kernel.size();
  std::vector<int64_t> strides = call.integers("strides"), pads = call.integers("pads");
  if (strides.empty()) strides.assign(n, 1);
  if (pads.empty()) pads.assign(2 * n, 0);
  if (strides.size() != n || pads.size() != 2 * n) malformed("its strides or its pads do not go with its input");
  Shape inner = {s[0], s[1]};
  constexpr int64_t kMost = int64_t{1} << 31;
  for (size_t i = 0; i < n; ++i) {
    if (kernel[i] < 1 || strides[i] < 1 || pads[i] < 0 || pads[i + n] < 0 || pads[i] > kMost || pads[i + n] > kMost ||
        kernel[i] > kMost || strides[i] > kMost || s[i + 2] > kMost || s[i + 2] < 1)
      malformed("its windows have a size that is none");
    inner.push_back((s[i + 2] - 1) * strides[i] - pads[i] - pads[i + n] + kernel[i]);
    if (inner.back() < 1) malformed("its windows are smaller than their padding");
  }
  Shape outer = call.has(2) ? call.whole_numbers(2, "its output's shape") : inner;
  if (outer.size() != s.size() || outer[0] != s[0] || outer[1] != s[1]) malformed("its output has another shape");
  for (size_t i = 2; i < outer.size(); ++i)
    if (outer[i] < inner[i]) malformed("its output is smaller than its windows");
  // Places count over the samples, channels and elements of what was pooled.
  count_elements(outer, rondo_dtype_size(call.dtype(0)), "its output");
  count_elements(inner, rondo_dtype_size(call.dtype(0)), "its output");
  const Tensor flat = rondo::zeros(call.engine(), call.device(), call.dtype(0), {product(inner)});
  rondo::put(flat, call.in(1).to(RONDO_I64).reshape({-1}), call.in(0).reshape({-1}), 0);
  Tensor y = flat.reshape(inner);
  if (outer != inner) {
    std::vector<int64_t> widths(2 * s.size(), 0);
    for (size_t i = 2; i < s.size(); ++i) widths[2 * i + 1] = outer[i] - inner[i];
    y = rondo::pad(y, RONDO_PAD_CONSTANT, widths);
  }
  call.out(0, y);
}

}  // namespace rondo_onnx
