// Translates Resize and Upsample. Each axis is resized by itself: every new element is a sum of elements of its line,
// whose places and weights depend on sizes alone and are computed while the model is converted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

struct Rules {
  std::string mode = "nearest", origin = "half_pixel", nearest = "round_prefer_floor";
  bool by_direction = false;  // as before version 11, nearest elements are those below where an axis grows, else above
  bool exclude_outside = false, antialias = false;
  double cubic = -0.75, extrapolation = 0;
};

struct AxisResize {
  int64_t from = 0, to = 0;
  double scale = 1, roi_start = 0, roi_end = 1;
};

// Place of a new element among the old ones. Nearest elements are found by floats, as others find them: a quotient that
// comes out whole there is less than that in doubles, and the element another one.
template <class Real>
Real origin_of(int64_t x, const AxisResize& a, const std::string& origin) {
  const auto at = static_cast<Real>(x), from = static_cast<Real>(a.from), scale = static_cast<Real>(a.scale);
  const auto to = static_cast<Real>(a.scale * static_cast<double>(a.from));  // before it was rounded down
  const auto half = static_cast<Real>(0.5);
  if (origin == "align_corners") return to == 1 ? 0 : at * (from - 1) / (to - 1);
  if (origin == "asymmetric") return at / scale;
  if (origin == "half_pixel") return (at + half) / scale - half;
  if (origin == "pytorch_half_pixel") return to == 1 ? -half : (at + half) / scale - half;
  if (origin == "half_pixel_symmetric")
    return from / 2 * (1 - static_cast<Real>(a.to) / to) + (at + half) / scale - half;
  if (origin == "tf_crop_and_resize") {
    const auto start = static_cast<Real>(a.roi_start), end = static_cast<Real>(a.roi_end),
               part = (end - start) * (from - 1);
    return (to == 1 ? part / 2 : at * part / (to - 1)) + start * (from - 1);
  }
  malformed("its coordinate_transformation_mode is " + excerpt(origin));
}

double cubic_weight(double distance, double a) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// Weights of the elements from `first` (relative to the one at or before the place) on, by the part of the way to the
// next element.
std::vector<double> weights_of(double ratio, double scale, const Rules& rules, int64_t* first) {
  if (rules.mode == "nearest") {
    *first = 0;
    if (ratio == 0) return {1, 0};
    const bool low = rules.by_direction                      ? scale >= 1
                     : rules.nearest == "round_prefer_floor" ? ratio <= 0.5
                     : rules.nearest == "round_prefer_ceil"  ? ratio < 0.5
                     : rules.nearest == "floor"              ? true
                     : rules.nearest == "ceil"
                         ? false
                         : throw Failure(RONDO_IO_ERROR, "its nearest_mode is " + excerpt(rules.nearest));
    return low ? std::vector<double>{1, 0} : std::vector<double>{0, 1};
  }
  const bool linear = rules.mode == "linear";
  if (!linear && rules.mode != "cubic") malformed("its mode is " + excerpt(rules.mode));
  const double shrink = rules.antialias ? std::min(scale, 1.0) : 1;
  const double reach = linear ? 1 : 2;
  if (!(shrink > 1e-4)) refuse("it shrinks an axis to less than a ten thousandth");
  *first = static_cast<int64_t>(std::floor(-reach / shrink)) + 1;
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = *first; i <= 1 - *first; ++i) {
    const double distance = (static_cast<double>(i) - ratio) * shrink;
    weights.push_back(linear ? std::clamp(1 - std::fabs(distance), 0.0, 1.0) : cubic_weight(distance, rules.cubic));
    sum += weights.back();
  }
  if (rules.antialias)
    for (double& each : weights) each /= sum;
  return weights;
}

constexpr size_t kMostAdded = 8;  // more elements than these are added up by a matrix product

struct Taps {
  std::vector<std::vector<int64_t>> places;  // by tap, then by new element
  std::vector<std::vector<double>> weights;
  std::vector<uint8_t> outside;  // by new element: the value for what lies outside stands here
  bool any_outside = false;
};

Taps taps_of(const Call& call, const AxisResize& a, const Rules& rules) {
  Taps taps;
  const auto count = static_cast<size_t>(a.to);
  call.may_take<uint8_t>(a.to);
  taps.outside.assign(count, 0);
  constexpr int64_t kWholeFloats = 1 << 24;  // beyond, floats skip whole numbers
  const bool by_floats = rules.mode == "nearest" && std::max(a.from, a.to) <= kWholeFloats;
  for (size_t x = 0; x < count; ++x) {
    const auto place_of_x = static_cast<int64_t>(x);
    const double origin =
        by_floats ? origin_of<float>(place_of_x, a, rules.origin) : origin_of<double>(place_of_x, a, rules.origin);
    if (!std::isfinite(origin) || std::fabs(origin) > 1e12) malformed("a scale is out of all bounds");
    if (rules.origin == "tf_crop_and_resize" && (origin < 0 || origin > static_cast<double>(a.from - 1))) {
      taps.outside[x] = 1;
      taps.any_outside = true;
    }
    const double floor = std::floor(origin);
    int64_t first = 0;
    std::vector<double> weights = weights_of(origin - floor, a.scale, rules, &first);
    double sum = 0;
    for (size_t t = 0; t < weights.size(); ++t) {
      const int64_t place = static_cast<int64_t>(floor) + first + static_cast<int64_t>(t);
      if (rules.exclude_outside && (place < 0 || place >= a.from)) weights[t] = 0;
      sum += weights[t];
      if (count * weights.size() > (size_t{1} << 26)) refuse("it adds up too many elements");
      if (taps.places.size() <= t) call.may_take<int64_t>(2 * a.to * static_cast<int64_t>(weights.size()));
      if (taps.places.size() <= t) {
        taps.places.emplace_back(count, 0);
        taps.weights.emplace_back(count, 0.0);
      }
      taps.places[t][x] = std::clamp<int64_t>(place, 0, a.from - 1);
    }
    for (size_t t = 0; t < weights.size(); ++t)
      taps.weights[t][x] = rules.exclude_outside ? weights[t] / sum : weights[t];
  }
  return taps;
}

// One axis of nearest elements: a choice of places, whatever the dtype is. Each place as often as the others needs no
// table, which a size that varies would not have.
Tensor nearest_places(const Call& call, const Tensor& x, int32_t axis, const AxisResize& a, const Taps& taps) {
  call.may_take<int64_t>(a.to);
  const int64_t times = a.to / a.from;
  bool repeats = times * a.from == a.to;
  std::vector<int64_t> places(taps.outside.size());
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = taps.places[taps.weights[0][i] != 0 ? 0 : 1][i];
    repeats = repeats && places[i] == static_cast<int64_t>(i) / times;
  }
  if (repeats) return rondo::repeat(x, times, axis);
  return rondo::take(x, call.precomputed([&] { return call.constant_integers(places); }), axis);
}

Tensor add_up(const Call& call, const Tensor& x, int32_t axis, const AxisResize& a, const Taps& taps) {
  Shape along(static_cast<size_t>(x.dim()), 1);
  along[static_cast<size_t>(axis)] = a.to;
  if (taps.places.size() > kMostAdded) {
    const uint64_t elements = static_cast<uint64_t>(a.from) * static_cast<uint64_t>(a.to);
    if (elements > (uint64_t{1} << 26)) refuse("it adds up too many elements");
    call.may_take<double>(static_cast<int64_t>(elements));
    std::vector<double> matrix(static_cast<size_t>(elements), 0);
    for (size_t t = 0; t < taps.places.size(); ++t)
      for (size_t i = 0; i < taps.places[t].size(); ++i)
        matrix[static_cast<size_t>(taps.places[t][i]) * taps.places[t].size() + i] += taps.weights[t][i];
    const int64_t last = x.dim() - 1;
    const Tensor lines = axis == last ? x : x.transpose(axis, last);
    const Tensor sums = rondo::matmul(lines, call.constant_reals(x.dtype(), {a.from, a.to}, matrix));
    return axis == last ? sums : sums.transpose(axis, last);
  }
  Tensor sum;
  for (size_t t = 0; t < taps.places.size(); ++t) {
    if (std::all_of(taps.weights[t].begin(), taps.weights[t].end(), [](double w) { return w == 0; })) continue;
    const Tensor places = call.precomputed([&] { return call.constant_integers(taps.places[t]); });
    const Tensor part = rondo::take(x, places, axis) * call.constant_reals(x.dtype(), along, taps.weights[t]);
    sum = sum ? sum + part : part;
  }
  return sum;
}

void resize(Call& call, const std::vector<AxisResize>& axes, const Rules& rules) {
  Tensor x = call.in(0);
  Shape target;
  for (const AxisResize& each : axes) target.push_back(each.to);
  count_elements(target, rondo_dtype_size(call.dtype(0)), "its result");
  const bool nearest = rules.mode == "nearest";
  if (!nearest && !is_float(call.dtype(0))) x = x.to(RONDO_F32);
  bool changed = false;
  for (size_t i = axes.size(); i-- > 0;) {
    const AxisResize& a = axes[i];
    const bool same = a.from == a.to && a.scale == 1 &&
                      (rules.origin != "tf_crop_and_resize" || (a.roi_start == 0 && a.roi_end == 1));
    if (same) continue;
    if (a.from == 0 || a.to == 0) refuse("it resizes an empty axis");
    if (a.to > (int64_t{1} << 26)) refuse("its result is too large");
    const Taps taps = taps_of(call, a, rules);
    const auto axis = static_cast<int32_t>(i);
    x = nearest ? nearest_places(call, x, axis, a, taps) : add_up(call, x, axis, a, taps);
    changed = true;
    if (!taps.any_outside) continue;
    Shape along(axes.size(), 1);
    along[i] = a.to;
    const Tensor outside =
        call.precomputed([&] { return call.constant_tensor(RONDO_BOOL, along, taps.outside.data()); });
    x = choose(outside, call.constant_reals(x.dtype(), {}, {rules.extrapolation}), x);
  }
  if (!changed) return call.forward(0, 0);
  call.out(0, x.to(call.dtype(0)));
}

// A size times a scale: down to a whole number as ONNX has it for scales, to the nearest, halves up, for a common one.
int64_t scaled(int64_t size, double scale, bool nearest = false) {
  const double to = std::floor(static_cast<double>(size) * scale + (nearest ? 0.5 : 0));
  if (!(scale >= 0) || (scale == 0 && !nearest) || !(to >= 0 && to < 1e15))
    malformed("a scale is " + std::to_string(scale));
  return static_cast<int64_t>(to);
}

}  // namespace

void upsample(Call& call) {
  const Shape s = call.shape(0);
  const std::vector<double> scales = call.opset() < 9 ? call.reals("scales") : call.numbers(1, "its scales");
  if (scales.size() != s.size()) malformed("its scales are not of the number of its axes");
  Rules rules;
  rules.mode = call.text("mode", "nearest");
  rules.origin = "asymmetric";
  rules.by_direction = true;
  std::vector<AxisResize> axes;
  for (size_t i = 0; i < s.size(); ++i) axes.push_back({s[i], scaled(s[i], scales[i]), scales[i], 0, 1});
  resize(call, axes, rules);
}

void resize_node(Call& call) {
  if (call.opset() < 11) return upsample(call);
  const Shape s = call.shape(0);
  const size_t ndim = s.size();
  Rules rules;
  rules.mode = call.text("mode", "nearest");
  rules.origin = call.text("coordinate_transformation_mode", "half_pixel");
  rules.nearest = call.text("nearest_mode", "round_prefer_floor");
  rules.exclude_outside = call.integer("exclude_outside", 0) != 0;
  rules.antialias = call.integer("antialias", 0) != 0;
  rules.cubic = call.real("cubic_coeff_a", -0.75);
  rules.extrapolation = call.real("extrapolation_value", 0);
  std::vector<int64_t> named = call.integers("axes");
  if (named.empty())
    for (size_t i = 0; i < ndim; ++i) named.push_back(static_cast<int64_t>(i));
  std::vector<AxisResize> axes(ndim);
  for (size_t i = 0; i < ndim; ++i) axes[i].from = axes[i].to = s[i];
  const bool has_scales = call.has(2) && product(call.shape(2)) > 0;
  const std::vector<double> scales = has_scales ? call.numbers(2, "its scales") : std::vector<double>();
  const std::vector<int64_t> sizes =
      !has_scales && call.has(3) ? call.whole_numbers(3, "its sizes") : std::vector<int64_t>();
  if ((has_scales ? scales.size() : sizes.size()) != named.size())
    malformed("its scales or sizes are not of the number of its axes");
  std::vector<double> roi;
  if (rules.origin == "tf_crop_and_resize") roi = call.numbers(1, "its part of the input");
  if (!roi.empty() && roi.size() != 2 * named.size())
    malformed("its part of the input is not of the number of its axes");
  const std::string policy = call.text("keep_aspect_ratio_policy", "stretch");
  double common = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto axis = static_cast<size_t>(axis_of(named[i], static_cast<int64_t>(ndim)));
    if (sizes[i] < 0 || s[axis] == 0) malformed("it resizes to or from nothing");
    const double scale = static_cast<double>(sizes[i]) / static_cast<double>(s[axis]);
    common = i == 0 ? scale : policy == "not_larger" ? std::min(common, scale) : std::max(common, scale);
  }
  for (size_t i = 0; i < named.size(); ++i) {
    AxisResize& a = axes[static_cast<size_t>(axis_of(named[i], static_cast<int64_t>(ndim)))];
    if (has_scales) {
      a.scale = scales[i];
      a.to = scaled(a.from, scales[i]);
    } else if (policy == "stretch") {
      a.to = sizes[i];
      a.scale = static_cast<double>(a.to) / static_cast<double>(a.from);
    } else {
      a.scale = common;
      a.to = scaled(a.from, common, true);
    }
    if (!roi.empty()) {
      a.roi_start = roi[i];
      a.roi_end = roi[i + named.size()];
    }
  }
  resize(call, axes, rules);
}

}  // namespace rondo_onnx
