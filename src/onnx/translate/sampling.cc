// Translates the sampling of images at places that the program computes, and grids of such places.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

enum class Outside { zeros, border, reflection };

// One axis of the image: where its first and last elements end, and what stands for places outside.
struct SampledAxis {
  int64_t size = 1;
  double low = 0, high = 0;
  Outside outside = Outside::zeros;
};

Tensor reflected(const Tensor& x, const SampledAxis& a) {
  const double range = a.high - a.low;
  if (range <= 0) return x * 0.0;
  const Tensor t = rondo::binary(RONDO_MOD, x - a.low, rondo::Number(2 * range));
  return rondo::binary(RONDO_MINIMUM, t, rondo::Number(2 * range) - t) + a.low;
}

Tensor limited(const Tensor& x, const SampledAxis& a) {
  return rondo::clip(x, 0, static_cast<double>(a.size - 1));
}

// One element of a window along an axis: its index, as f32 within the axis, and its weight.
struct Tap {
  Tensor place, weight;
};

Tap tap_of(const Tensor& floor, double step, const Tensor& weight, const SampledAxis& a) {
  const Tensor at = floor + step;
  if (a.outside == Outside::border) return {limited(at, a), weight};
  if (a.outside == Outside::reflection) return {limited(rondo::trunc(reflected(at, a)), a), weight};
  const Tensor inside = rondo::binary(RONDO_LOGICAL_AND, rondo::binary(RONDO_GE, at, rondo::Number(0.0)),
                                      rondo::binary(RONDO_LT, at, rondo::Number(static_cast<double>(a.size))));
  const Tensor counts = inside.to(RONDO_F32);
  return {limited(at, a), weight ? weight * counts : counts};
}

// The four weights of cubic interpolation, by the way from the second element to the third.
std::vector<Tensor> cubic_weights(const Tensor& r) {
  constexpr double a = -0.75;
  const auto outer = [&](const Tensor& x) { return ((x * a - 5 * a) * x + 8 * a) * x - 4 * a; };
  const auto inner = [&](const Tensor& x) { return (x * (a + 2) - (a + 3)) * x * x + 1.0; };
  const Tensor back = rondo::Number(1.0) - r;
  return {outer(r + 1.0), inner(r), inner(back), outer(back + 1.0)};
}

std::vector<Tap> taps_along(const Tensor& coordinate, const std::string& mode, bool align, const SampledAxis& a) {
  const auto size = static_cast<double>(a.size);
  Tensor x = align ? (coordinate + 1.0) * ((size - 1) / 2) : ((coordinate + 1.0) * size - 1.0) * 0.5;
  if (mode == "nearest") x = rondo::round(x);
  if (a.outside == Outside::reflection) x = reflected(x, a);
  if (a.outside == Outside::border) {
    const auto beyond = [&](rondo_binary_op op, double end) { return rondo::binary(op, x, rondo::Number(end)); };
    const Tensor ends = limited(x, a);
    x = choose(rondo::binary(RONDO_LOGICAL_OR, beyond(RONDO_LT, a.low), beyond(RONDO_GT, a.high)), ends, x);
  }
  if (mode == "nearest") return {tap_of(a.outside == Outside::reflection ? rondo::trunc(x) : x, 0, Tensor(), a)};
  const Tensor floor = rondo::floor(x), r = x - floor;
  if (mode == "linear") return {tap_of(floor, 0, rondo::Number(1.0) - r, a), tap_of(floor, 1, r, a)};
  const std::vector<Tensor> weights = cubic_weights(r);
  std::vector<Tap> taps;
  for (size_t i = 0; i < weights.size(); ++i) taps.push_back(tap_of(floor, static_cast<double>(i) - 1, weights[i], a));
  return taps;
}

}  // namespace

void grid_sample(Call& call) {
  const Shape s = call.shape(0), gs = call.shape(1);
  const size_t n = s.size() < 3 ? 0 : s.size() - 2;
  if (n < 1 || gs.size() != n + 2 || gs[0] != s[0] || gs.back() != static_cast<int64_t>(n))
    malformed("its grid does not go with its input");
  for (size_t i = 2; i < s.size(); ++i)
    if (s[i] < 1 || s[i] > (int64_t{1} << 23)) refuse("an axis of its input has the size " + std::to_string(s[i]));
  std::string mode = call.text("mode", call.opset() < 20 ? "bilinear" : "linear");
  if (mode == "bilinear") mode = "linear";
  if (mode == "bicubic") mode = "cubic";
  if (mode != "linear" && mode != "nearest" && mode != "cubic") malformed("its mode is " + excerpt(mode));
  const std::string padding = call.text("padding_mode", "zeros");
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    malformed("its padding_mode is " + excerpt(padding));
  const bool align = call.integer("align_corners", 0) != 0;
  const int64_t places = product(gs, 1, gs.size() - 1);
  const Tensor grid = call.in(1).to(RONDO_F32).reshape({s[0], 1, places, gs.back()});
  const Tensor image = call.in(0).reshape({s[0], s[1], product(s, 2, s.size())});
  // Windows are put together axis by axis: the index of an element among all, and its weight.
  std::vector<Tap> all;
  for (size_t i = 0; i < n; ++i) {
    SampledAxis axis;
    axis.size = s[i + 2];
    axis.low = align ? 0 : -0.5;
    axis.high = static_cast<double>(axis.size) - (align ? 1 : 0.5);
    axis.outside = padding == "zeros" ? Outside::zeros : padding == "border" ? Outside::border : Outside::reflection;
    const auto component = static_cast<int64_t>(n - 1 - i);  // the last axis comes first
    const Tensor coordinate = grid.slice(3, component, component + 1).reshape({s[0], 1, places});
    std::vector<Tap> wider;
    for (const Tap& along : taps_along(coordinate, mode, align, axis)) {
      const Tensor place = along.place.to(RONDO_I64);
      if (i == 0) {
        wider.push_back({place, along.weight});
        continue;
      }
      for (const Tap& before : all)
        wider.push_back({before.place * axis.size + place, !before.weight  ? along.weight
                                                           : !along.weight ? before.weight
                                                                           : before.weight * along.weight});
    }
    all = std::move(wider);
  }
  Tensor result;
  for (const Tap& each : all) {
    Tensor part = rondo::take_along_axis(image, each.place, 2);
    if (each.weight) part = part * each.weight.to(call.dtype(0));
    result = result ? result + part : part;
  }
  Shape target = {s[0], s[1]};
  target.insert(target.end(), gs.begin() + 1, gs.end() - 1);
  call.out(0, result.reshape(target));
}

void affine_grid(Call& call) {
  const std::vector<int64_t> size = call.whole_numbers(1, "its sizes");
  const Shape ts = call.shape(0);
  const size_t n = size.size() < 4 ? 0 : size.size() - 2;
  if ((n != 2 && n != 3) || ts.size() != 3 || ts[0] != size[0] || ts[1] != static_cast<int64_t>(n) ||
      ts[2] != static_cast<int64_t>(n) + 1)
    malformed("its matrices do not go with its sizes");
  const bool align = call.integer("align_corners", 0) != 0;
  count_elements(size, sizeof(double), "its grid");
  const Shape spatial(size.begin() + 2, size.end());
  const int64_t places = product(spatial);
  if (places > (int64_t{1} << 26)) refuse("its grid is too large");
  call.may_take<double>(places * ts[2]);
  std::vector<double> base;
  base.reserve(static_cast<size_t>(places * ts[2]));
  for (int64_t place = 0; place < places; ++place) {
    int64_t left = place;
    for (size_t i = n; i-- > 0;) {  // the last axis comes first
      const auto at = static_cast<double>(left % spatial[i]), count = static_cast<double>(spatial[i]);
      left /= spatial[i];
      base.push_back(align ? (count == 1 ? -1 : 2 * at / (count - 1) - 1) : (2 * at + 1) / count - 1);
    }
    base.push_back(1);
  }
  rondo_matmul_options options = rondo::matmul_defaults();
  options.transpose_b = 1;
  const Tensor points = call.constant_reals(call.dtype(0), {places, ts[2]}, base);
  Shape target = {size[0]};
  target.insert(target.end(), spatial.begin(), spatial.end());
  target.push_back(static_cast<int64_t>(n));
  call.out(0, rondo::matmul(points, call.in(0), options).reshape(target));
}

}  // namespace rondo_onnx
