// Host arrays of every dtype and reference arithmetic for the conformance suite, independent of the library's own code.
// Values travel as long double, which holds every dtype exactly (i64 included on x86-64 and wider formats).
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

static_assert(std::numeric_limits<long double>::digits >= 64,
              "the references need a long double that holds an int64_t");

using Real = long double;
using Shape = std::vector<int64_t>;

inline constexpr rondo_dtype kAllDtypes[] = {RONDO_BOOL, RONDO_U8,   RONDO_I8,  RONDO_I32, RONDO_I64,
                                             RONDO_F16,  RONDO_BF16, RONDO_F32, RONDO_F64, RONDO_I16,
                                             RONDO_U16,  RONDO_U32,  RONDO_U64};
// What is stored, moved and cast: those, which operators compute with, and the 8-bit floats.
inline constexpr rondo_dtype kStoredDtypes[] = {RONDO_BOOL, RONDO_U8,   RONDO_I8,  RONDO_I32,     RONDO_I64,
                                                RONDO_F16,  RONDO_BF16, RONDO_F32, RONDO_F64,     RONDO_I16,
                                                RONDO_U16,  RONDO_U32,  RONDO_U64, RONDO_F8_E4M3, RONDO_F8_E5M2};
inline constexpr rondo_dtype kFloatDtypes[] = {RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64};

inline bool is_floating(rondo_dtype dtype) {
  return dtype >= RONDO_F16 && dtype <= RONDO_F64;
}
inline bool is_half(rondo_dtype dtype) {
  return dtype == RONDO_F16 || dtype == RONDO_BF16;
}
inline bool is_f8(rondo_dtype dtype) {
  return dtype == RONDO_F8_E4M3 || dtype == RONDO_F8_E5M2;
}

inline bool is_unsigned(rondo_dtype dtype) {
  return dtype == RONDO_U8 || dtype == RONDO_U16 || dtype == RONDO_U32 || dtype == RONDO_U64;
}
inline bool is_integer(rondo_dtype dtype) {
  return dtype != RONDO_BOOL && !is_floating(dtype) && !is_f8(dtype);
}
// Of an integer dtype.
inline Real highest(rondo_dtype dtype) {
  const int bits = static_cast<int>(rondo_dtype_size(dtype)) * 8 - (is_unsigned(dtype) ? 0 : 1);
  return std::ldexp(Real(1), bits) - 1;
}
inline Real lowest(rondo_dtype dtype) {
  return is_unsigned(dtype) ? 0 : -highest(dtype) - 1;
}

inline size_t count(const Shape& shape) {
  return static_cast<size_t>(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()));
}

// --- 16-bit floats, from their definition: sign, exponent with bias, mantissa of `digits` bits
// ------------------------
inline int mantissa_bits(rondo_dtype dtype) {
  return dtype == RONDO_F16 ? 10 : dtype == RONDO_BF16 ? 7 : dtype == RONDO_F32 ? 23 : 52;
}
inline int least_exponent(rondo_dtype dtype) {
  return dtype == RONDO_F16 ? -14 : dtype == RONDO_F64 ? -1022 : -126;
}

inline Real number16(uint16_t bits, int digits) {
  const int exponent_mask = (1 << (15 - digits)) - 1;
  const int bias = exponent_mask >> 1;
  const int exponent = (bits >> digits) & exponent_mask;
  const int mantissa = bits & ((1 << digits) - 1);
  const Real sign = bits & 0x8000 ? -1 : 1;
  if (exponent == exponent_mask) return mantissa ? std::numeric_limits<Real>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(Real(mantissa), 1 - bias - digits);
  return sign * std::ldexp(Real(mantissa | (1 << digits)), exponent - bias - digits);
}
// All numbers of a format are computed once: scaling a long double takes longer than most of what is compared.
inline Real decode16(uint16_t bits, int digits) {
  const auto numbers = [](int of) {
    std::vector<Real> all(65536);
    for (size_t i = 0; i < all.size(); ++i) all[i] = number16(static_cast<uint16_t>(i), of);
    return all;
  };
  static const std::vector<Real> half = numbers(10), brain = numbers(7);
  return digits == 10 ? half[bits] : brain[bits];
}

// 2 to the power of an exponent that a 16-bit float, or what it is scaled by, can have.
inline Real power_of_two(int exponent) {
  static const std::vector<Real> powers = [] {
    std::vector<Real> all;
    for (int i = -160; i <= 160; ++i) all.push_back(std::ldexp(Real(1), i));
    return all;
  }();
  return powers.at(static_cast<size_t>(exponent + 160));
}

inline uint16_t encode16(Real value, int digits) {
  const int exponent_mask = (1 << (15 - digits)) - 1;
  const int infinity = exponent_mask << digits;
  if (std::isnan(value)) return static_cast<uint16_t>(infinity | (1 << (digits - 1)));
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const Real magnitude = std::fabs(value);
  if (std::isinf(value)) return static_cast<uint16_t>(sign | infinity);
  const int least = 1 - (exponent_mask >> 1);
  const int exponent = magnitude == 0 ? least : std::max(std::ilogb(magnitude), least);
  if (exponent > (exponent_mask >> 1)) return static_cast<uint16_t>(sign | infinity);
  // The implicit one carries into the exponent field, so subnormals, normals and rounding up are one formula.
  const int bits =
      ((exponent - least) << digits) + static_cast<int>(std::lrint(magnitude * power_of_two(digits - exponent)));
  return static_cast<uint16_t>(sign | std::min(bits, infinity));
}

// --- 8-bit floats, from tables 1 and 2 of the OCP 8-bit Floating Point Specification (OFP8, revision 1.0)
inline Real decode8(uint8_t bits, rondo_dtype dtype) {
  const int digits = dtype == RONDO_F8_E4M3 ? 3 : 2, bias = dtype == RONDO_F8_E4M3 ? 7 : 15;
  const int exponent = (bits & 0x7f) >> digits, mantissa = bits & ((1 << digits) - 1);
  const Real sign = bits & 0x80 ? -1 : 1;
  if (dtype == RONDO_F8_E4M3 && (bits & 0x7f) == 0x7f) return std::numeric_limits<Real>::quiet_NaN();
  if (dtype == RONDO_F8_E5M2 && exponent == 31)
    return mantissa ? std::numeric_limits<Real>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(Real(mantissa), 1 - bias - digits);
  return sign * std::ldexp(Real(mantissa | (1 << digits)), exponent - bias - digits);
}
inline uint8_t largest8(rondo_dtype dtype) {
  return dtype == RONDO_F8_E4M3 ? 0x7e : 0x7b;
}
// The nearest number, found among all of them; of two as near the one whose code is even. NaN has no sign.
inline uint8_t encode8(Real value, rondo_dtype dtype) {
  if (std::isnan(value)) return 0x7f;
  const uint8_t largest = largest8(dtype), sign = std::signbit(value) ? 0x80 : 0;
  const Real magnitude = std::fabs(value);
  uint8_t above = 0, beyond = largest;  // the first number that is not below it, by halving
  while (above < beyond) {
    const auto middle = static_cast<uint8_t>((above + beyond) / 2);
    if (decode8(middle, dtype) < magnitude)
      above = static_cast<uint8_t>(middle + 1);
    else
      beyond = middle;
  }
  if (above > 0) {
    const auto below = static_cast<uint8_t>(above - 1);
    const Real down = magnitude - decode8(below, dtype), up = decode8(above, dtype) - magnitude;
    if (down < up || (down == up && below % 2 == 0)) above = below;
  }
  return static_cast<uint8_t>(sign | above);
}

// --- arrays
// ---------------------------------------------------------------------------------------------------------------
// The 64 bits of a whole number between INT64_MIN and UINT64_MAX.
inline uint64_t bits_of(Real value) {
  return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
}
// What the dtype makes of them: it keeps as many as it has.
inline Real wrap(rondo_dtype dtype, uint64_t bits) {
  switch (dtype) {
    case RONDO_BOOL: return bits != 0;
    case RONDO_U8: return static_cast<uint8_t>(bits);
    case RONDO_I8: return static_cast<int8_t>(bits);
    case RONDO_I16: return static_cast<int16_t>(bits);
    case RONDO_U16: return static_cast<uint16_t>(bits);
    case RONDO_I32: return static_cast<int32_t>(bits);
    case RONDO_U32: return static_cast<uint32_t>(bits);
    case RONDO_U64: return Real(bits);
    default: return Real(static_cast<int64_t>(bits));
  }
}

struct Array {
  rondo_dtype dtype = RONDO_F32;
  Shape shape;
  std::vector<unsigned char> bytes;

  Array() = default;
  Array(rondo_dtype dtype, Shape shape)
      : dtype(dtype), shape(std::move(shape)), bytes(count(this->shape) * rondo_dtype_size(dtype)) {}

  size_t size() const { return count(shape); }
  template <class T>
  T raw(size_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void set_raw(size_t i, T value) {
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  Real operator[](size_t i) const {
    switch (dtype) {
      case RONDO_BOOL:
      case RONDO_U8: return raw<uint8_t>(i);
      case RONDO_I8: return raw<int8_t>(i);
      case RONDO_I32: return raw<int32_t>(i);
      case RONDO_I64: return raw<int64_t>(i);
      case RONDO_I16: return raw<int16_t>(i);
      case RONDO_U16: return raw<uint16_t>(i);
      case RONDO_U32: return raw<uint32_t>(i);
      case RONDO_U64: return raw<uint64_t>(i);
      case RONDO_F16:
      case RONDO_BF16: return decode16(raw<uint16_t>(i), mantissa_bits(dtype));
      case RONDO_F32: return raw<float>(i);
      case RONDO_F64: return raw<double>(i);
      case RONDO_F8_E4M3:
      case RONDO_F8_E5M2: return decode8(raw<uint8_t>(i), dtype);
    }
    throw std::logic_error("unknown dtype");
  }
  int64_t integer(size_t i) const { return static_cast<int64_t>(bits_of((*this)[i])); }
  // Stores the nearest value of the dtype, of an 8-bit float the nearest finite one; integers must be between INT64_MIN
  // and UINT64_MAX, and wrap around.
  void set(size_t i, Real value) {
    switch (dtype) {
      case RONDO_BOOL: return set_raw(i, static_cast<uint8_t>(bits_of(value) != 0));
      case RONDO_U8:
      case RONDO_I8: return set_raw(i, static_cast<uint8_t>(bits_of(value)));
      case RONDO_I16:
      case RONDO_U16: return set_raw(i, static_cast<uint16_t>(bits_of(value)));
      case RONDO_I32:
      case RONDO_U32: return set_raw(i, static_cast<uint32_t>(bits_of(value)));
      case RONDO_I64:
      case RONDO_U64: return set_raw(i, bits_of(value));
      case RONDO_F16:
      case RONDO_BF16: return set_raw(i, encode16(value, mantissa_bits(dtype)));
      case RONDO_F32: return set_raw(i, static_cast<float>(value));
      case RONDO_F64: return set_raw(i, static_cast<double>(value));
      case RONDO_F8_E4M3:
      case RONDO_F8_E5M2: return set_raw(i, encode8(value, dtype));
    }
  }
};

// The nearest value that the dtype holds.
inline Real rounded(rondo_dtype dtype, Real value) {
  Array cell(dtype, {});
  cell.set(0, value);
  return cell[0];
}

inline Array array_of(rondo_dtype dtype, Shape shape, const std::vector<Real>& values) {
  Array array(dtype, std::move(shape));
  if (values.size() != array.size()) throw std::logic_error("as many values as the shape has");
  for (size_t i = 0; i < values.size(); ++i) array.set(i, values[i]);
  return array;
}
inline Array full(rondo_dtype dtype, Shape shape, Real value) {
  Array array(dtype, std::move(shape));
  for (size_t i = 0; i < array.size(); ++i) array.set(i, value);
  return array;
}
// Values 0, 1, 2 ... (times step), wrapping in small integers.
inline Array range(rondo_dtype dtype, Shape shape, Real step = 1) {
  Array array(dtype, std::move(shape));
  for (size_t i = 0; i < array.size(); ++i) array.set(i, Real(i) * step);
  return array;
}
// Uniform in [low, high]; whole numbers for integer dtypes, 0 or 1 for bool.
inline Array random_array(rondo_dtype dtype, Shape shape, uint32_t seed, double low, double high) {
  Array array(dtype, std::move(shape));
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> real(low, high);
  for (size_t i = 0; i < array.size(); ++i) {
    const double value = real(bits);
    if (dtype == RONDO_BOOL) {
      array.set(i, bits() & 1);
    } else {
      array.set(i, is_floating(dtype) ? Real(value) : std::nearbyint(Real(value)));
    }
  }
  return array;
}

// --- views, by copying: each takes the array that the library's view of the same name must show
// ------------------------
inline Shape row_major(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

inline Array gathered(const Array& source, const Shape& shape, const Shape& strides, int64_t offset) {
  Array out(source.dtype, shape);
  const size_t item = rondo_dtype_size(source.dtype);
  Shape index(shape.size(), 0);
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t at = offset;
    for (size_t d = 0; d < shape.size(); ++d) at += index[d] * strides[d];
    std::memcpy(out.bytes.data() + i * item, source.bytes.data() + static_cast<size_t>(at) * item, item);
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return out;
}

inline Array host_transpose(const Array& a, const std::vector<int32_t>& axes) {
  const Shape strides = row_major(a.shape);
  Shape shape, moved;
  for (const int32_t axis : axes) {
    shape.push_back(a.shape[static_cast<size_t>(axis)]);
    moved.push_back(strides[static_cast<size_t>(axis)]);
  }
  return gathered(a, shape, moved, 0);
}

// `first` and `size` are plain: the caller has resolved negative starts and stops.
inline Array host_slice(const Array& a, size_t axis, int64_t first, int64_t size, int64_t step) {
  Shape strides = row_major(a.shape), shape = a.shape;
  const int64_t offset = size > 0 ? first * strides[axis] : 0;
  shape[axis] = size;
  strides[axis] *= step;
  return gathered(a, shape, strides, offset);
}

inline Array host_broadcast(const Array& a, const Shape& shape) {
  const Shape own = row_major(a.shape);
  Shape strides(shape.size(), 0);
  const size_t lead = shape.size() - a.shape.size();
  for (size_t d = 0; d < a.shape.size(); ++d) strides[lead + d] = a.shape[d] == 1 ? 0 : own[d];
  return gathered(a, shape, strides, 0);
}

inline Array host_reshape(Array a, Shape shape) {
  a.shape = std::move(shape);
  return a;
}

inline Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t d = 0; d < out.size(); ++d) {
    const int64_t x = d < a.size() ? a[a.size() - 1 - d] : 1;
    const int64_t y = d < b.size() ? b[b.size() - 1 - d] : 1;
    out[out.size() - 1 - d] = x == 1 ? y : x;
  }
  return out;
}

// --- expectations
// --------------------------------------------------------------------------------------------------------- Size of the
// last place of a float dtype near `value`.
inline Real last_place(rondo_dtype dtype, Real value) {
  const int least = least_exponent(dtype);
  const int exponent = value == 0 || !std::isfinite(value) ? least : std::max(std::ilogb(value), least);
  return std::ldexp(Real(1), exponent - mantissa_bits(dtype));
}

// What an operator should give: exact values, of a dtype, with an error bound. ulps 0: the correctly rounded value.
struct Expected {
  rondo_dtype dtype = RONDO_F32;
  Shape shape;
  std::vector<Real> values;
  double ulps = 0;
  std::vector<Real> absolute;  // per element, empty: none. Within either bound is enough.

  Expected() = default;
  Expected(rondo_dtype dtype, Shape shape, double ulps = 0)
      : dtype(dtype), shape(std::move(shape)), values(count(this->shape)), ulps(ulps) {}
  explicit Expected(const Array& array) : Expected(array.dtype, array.shape) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = array[i];
  }
};

// "" if actual is as expected, else the first difference in words.
inline std::string difference(const Array& actual, const Expected& expected) {
  if (actual.dtype != expected.dtype) {
    return std::string("dtype is ") + rondo_dtype_name(actual.dtype) + ", expected " + rondo_dtype_name(expected.dtype);
  }
  if (actual.shape != expected.shape) return "the shape differs";
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const Real got = actual[i], want = expected.values[i], nearest = rounded(expected.dtype, want);
    if (got == nearest || (std::isnan(got) && std::isnan(want))) continue;
    const Real error = std::fabs(got - want);
    if (is_floating(expected.dtype) && std::isfinite(got) && std::isfinite(nearest)) {
      if (error <= Real(expected.ulps) * last_place(expected.dtype, want)) continue;
      if (!expected.absolute.empty() && error <= expected.absolute[i]) continue;
    }
    char text[200];
    std::snprintf(text, sizeof text, "element %zu is %.17Lg, expected %.17Lg (%.3Lg ulp off, bound %g)", i, got, want,
                  is_floating(expected.dtype) ? error / last_place(expected.dtype, want) : error, expected.ulps);
    return text;
  }
  return "";
}

}  // namespace conformance
