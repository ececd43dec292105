// Numbers in memory. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tensor.h"

namespace simcudnn {
namespace {

float from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const float sign = bits >> 15 ? -1.f : 1.f;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                               : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25));
}

std::uint16_t to_half(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7e00;
  const float size = std::fabs(value);
  if (size == 0) return sign;
  if (size >= 65520.f) return sign | 0x7c00;
  int exponent = 0;
  std::frexp(size, &exponent);  // size = m * 2^exponent, m from 0.5
  exponent = std::max(exponent, -13);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, 11 - exponent)));  // in units of the last place
  return sign | static_cast<std::uint16_t>(steps + ((exponent + 13) << 10));
}

float from_bf16(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

std::uint16_t to_bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

double load(const void* base, std::int64_t at, int dtype) {
  switch (dtype) {
    case CUDNN_DATA_DOUBLE: return static_cast<const double*>(base)[at];
    case CUDNN_DATA_INT32: return static_cast<const std::int32_t*>(base)[at];
    case CUDNN_DATA_HALF: return from_half(static_cast<const std::uint16_t*>(base)[at]);
    case CUDNN_DATA_BFLOAT16: return from_bf16(static_cast<const std::uint16_t*>(base)[at]);
    default: return static_cast<const float*>(base)[at];
  }
}

void store(void* base, std::int64_t at, int dtype, double value) {
  switch (dtype) {
    case CUDNN_DATA_DOUBLE: static_cast<double*>(base)[at] = value; break;
    case CUDNN_DATA_HALF: static_cast<std::uint16_t*>(base)[at] = to_half(static_cast<float>(value)); break;
    case CUDNN_DATA_BFLOAT16: static_cast<std::uint16_t*>(base)[at] = to_bf16(static_cast<float>(value)); break;
    default: static_cast<float*>(base)[at] = static_cast<float>(value);
  }
}

double rounded(double value, int dtype) {
  double kept = 0;  // room for every type
  store(&kept, 0, dtype, value);
  return load(&kept, 0, dtype);
}

}  // namespace simcudnn
