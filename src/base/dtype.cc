// dtype names, promotion and binary16 conversions.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

#include <algorithm>

namespace rondo {

const char* dtype_name(rondo_dtype dtype) {
  static const char* const names[kDtypes] = {"bool", "u8", "i8", "i32", "i64", "f16", "bf16", "f32", "f64"};
  return is_dtype(dtype) ? names[dtype] : "unknown";
}

rondo_dtype promote(rondo_dtype a, rondo_dtype b) {
  if (a == b) return a;
  const rondo_dtype low = std::min(a, b);
  const rondo_dtype high = std::max(a, b);
  if (low == RONDO_U8 && high == RONDO_I8) return RONDO_I32;     // no common 8-bit type
  if (low == RONDO_F16 && high == RONDO_BF16) return RONDO_F32;  // no common 16-bit type
  return high;
}

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 31) return bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // subnormal: exact in float
  return bit_cast<float>(sign | bit_cast<uint32_t>(magnitude));
}

uint16_t float_to_half(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and up round to infinity
  if (magnitude < 0x38800000u) {                        // subnormal: let the FPU round at 2^-24
    const float scaled = bit_cast<float>(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(bit_cast<uint32_t>(scaled) - 0x3f000000u);
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return sign | static_cast<uint16_t>((rounded - 0x38000000u) >> 13);
}

}  // namespace rondo
