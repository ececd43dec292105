// Translates Fourier transforms, as products with matrices of cosines and sines, and the windows before them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/translate/signals.h"

#include <algorithm>
#include <cmath>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"

namespace rondo_onnx {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int64_t kMostElements = int64_t{1} << 26;  // of a matrix

// Holds what is transformed: real and imaginary parts, of which the last may be missing, with samples along the last
// axis.
struct Complex {
  Tensor real, imaginary;
};

struct Transform {
  int64_t length = 1;  // of the transform, which takes no more samples
  bool inverse = false, onesided = false;
};

int64_t one_number(const Call& call, size_t i, const char* what) {
  const std::vector<int64_t> all = call.whole_numbers(i, what);
  if (all.size() != 1) malformed(std::string(what) + " are " + std::to_string(all.size()) + " numbers, not one");
  return all[0];
}

// Cosines or sines of 2 pi j k / length, [samples, results], each times a factor by its sample.
Tensor table(const Call& call, const Transform& t, int64_t samples, int64_t results, bool sines,
             const std::function<double(int64_t)>& factor) {
  call.may_take<double>(samples * results);
  std::vector<double> numbers;
  numbers.reserve(static_cast<size_t>(samples * results));
  for (int64_t j = 0; j < samples; ++j)
    for (int64_t k = 0; k < results; ++k) {
      const double angle = 2 * kPi * static_cast<double>(j * k % t.length) / static_cast<double>(t.length);
      numbers.push_back((sines ? std::sin(angle) : std::cos(angle)) * factor(j));
    }
  return call.constant_reals(RONDO_F64, {samples, results}, numbers);
}

// The transform of x, with a last axis of real and imaginary parts, or of real parts alone. It is computed in f64: a
// sum of as many products would lose more in f32 than a fast transform does.
Tensor transformed(const Call& call, const Complex& given, const Transform& t) {
  constexpr rondo_dtype dtype = RONDO_F64;
  const Complex x = {given.real.to(dtype), given.imaginary ? given.imaginary.to(dtype) : Tensor()};
  const bool to_real = t.inverse && t.onesided;
  const int64_t half = t.length / 2 + 1, results = t.onesided && !t.inverse ? half : t.length;
  const int64_t samples = std::min(x.real.size(-1), to_real ? half : t.length);
  if (t.length < 1 || t.length > kMostElements || samples < 1) malformed("its length is " + std::to_string(t.length));
  if (results > kMostElements / samples)
    refuse("its transform of " + std::to_string(t.length) + " samples is too long");
  const double scale = t.inverse ? 1 / static_cast<double>(t.length) : 1;
  const auto factor = [&](int64_t j) {
    const bool twice = to_real && j > 0 && 2 * j != t.length;  // the half that is not there has the same
    return twice ? 2 * scale : scale;
  };
  const auto product = [&](const Tensor& part, bool sines) {
    const Tensor used = part.size(-1) == samples ? part : part.slice(-1, 0, samples);
    return rondo::matmul(used, table(call, t, samples, results, sines, factor));
  };
  const double sign = t.inverse ? 1 : -1;  // of the sines
  Tensor real = product(x.real, false);
  if (x.imaginary) real = real - product(x.imaginary, true) * sign;
  if (to_real) return real.unsqueeze(real.dim()).to(given.real.dtype());
  Tensor imaginary = product(x.real, true) * sign;
  if (x.imaginary) imaginary = imaginary + product(x.imaginary, false);
  return rondo::stack({real, imaginary}, real.dim()).to(given.real.dtype());
}

// The parts of a tensor whose last axis has one or two of them.
Complex parts_of(const Tensor& x) {
  const int64_t parts = x.size(-1);
  if (parts != 1 && parts != 2) malformed("its last axis has " + std::to_string(parts) + " parts, not 1 or 2");
  Shape shape = x.shape();
  shape.pop_back();
  const auto part = [&](int64_t i) { return x.slice(-1, i, i + 1).reshape(shape); };
  return {part(0), parts == 2 ? part(1) : Tensor()};
}

// A product of matrices takes two axes or more.
Tensor as_rows(const Tensor& x) {
  return x.dim() == 1 ? x.unsqueeze(0) : x;
}

}  // namespace

void signal_window(Call& call, WindowKind kind) {
  const int64_t size = one_number(call, 0, "its size");
  if (size < 0 || size > kMostElements) malformed("its size is " + std::to_string(size));
  rondo_dtype dtype = RONDO_F32;
  if (!find_dtype(call.integer("output_datatype", 1), &dtype))
    refuse("it gives " + type_name(call.integer("output_datatype", 1)));
  const double length = static_cast<double>(call.integer("periodic", 1) != 0 ? size : size - 1);
  call.may_take<double>(size);
  std::vector<double> numbers;
  numbers.reserve(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    const double angle = length == 0 ? 0 : 2 * kPi * static_cast<double>(i) / length;
    switch (kind) {
      case WindowKind::hann: numbers.push_back(0.5 - 0.5 * std::cos(angle)); break;
      case WindowKind::hamming: numbers.push_back(25.0 / 46.0 - (1 - 25.0 / 46.0) * std::cos(angle)); break;
      case WindowKind::blackman: numbers.push_back(0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle)); break;
    }
  }
  call.out(0, call.constant_reals(dtype, {size}, numbers));
}

void fourier_transform(Call& call) {
  const int64_t ndim = call.ndim(0);
  if (ndim < 2) malformed("its input has " + std::to_string(ndim) + " dimensions; it needs 2 or more");
  const bool input = call.opset() >= 20;  // the axis is an input from there on
  const int64_t axis =
      axis_of(input ? (call.has(2) ? one_number(call, 2, "its axis") : -2) : call.integer("axis", 1), ndim);
  if (axis == ndim - 1) malformed("its axis is that of real and imaginary parts");
  Transform t;
  t.inverse = call.integer("inverse", 0) != 0;
  t.onesided = call.integer("onesided", 0) != 0;
  const int64_t size = call.shape(0)[static_cast<size_t>(axis)];
  t.length = call.has(1) ? one_number(call, 1, "its length") : t.inverse && t.onesided ? 2 * (size - 1) : size;
  Complex x = parts_of(call.in(0));
  const int64_t last = ndim - 2;
  const auto move = [&](Tensor& part) {
    if (part && axis != last) part = part.transpose(axis, last);
    if (part) part = as_rows(part);
  };
  move(x.real);
  move(x.imaginary);
  Tensor y = transformed(call, x, t);
  if (ndim == 2) y = y.reshape({y.size(1), y.size(2)});
  call.out(0, axis == last ? y : y.transpose(axis, last));
}

void short_time_fourier(Call& call) {
  const Shape s = call.shape(0);
  if (s.size() != 2 && s.size() != 3)
    malformed("its signal has " + std::to_string(s.size()) + " dimensions, not 2 or 3");
  const int64_t step = one_number(call, 1, "its step");
  Transform t;
  t.onesided = call.integer("onesided", 1) != 0;
  t.length = call.has(3) ? one_number(call, 3, "its length") : call.has(2) ? product(call.shape(2)) : 0;
  if (step < 1 || t.length < 1 || t.length > s[1]) malformed("its step or its length is none");
  const int64_t frames = 1 + (s[1] - t.length) / step;
  if (frames > kMostElements / t.length) refuse("it has too many frames");
  call.may_take<int64_t>(frames * t.length);
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(frames * t.length));
  for (int64_t i = 0; i < frames; ++i)
    for (int64_t j = 0; j < t.length; ++j) places.push_back(i * step + j);
  const Tensor index = call.precomputed([&] {
    return call.constant_tensor(RONDO_I64, {frames, t.length}, places.data());
  });
  const Tensor signal = s.size() == 3 ? call.in(0) : call.in(0).unsqueeze(2);
  Complex x = parts_of(signal);
  const auto framed = [&](Tensor& part) {
    if (!part) return;
    part = rondo::take(part, index, 1);
    if (call.has(2)) part = part * call.in(2);
  };
  framed(x.real);
  framed(x.imaginary);
  call.out(0, transformed(call, x, t));
}

}  // namespace rondo_onnx
