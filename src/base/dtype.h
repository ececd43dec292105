// Tells size, name and class of dtypes, promotes them, and converts the 16-bit floats on the host.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include <cstdint>

#include "base/bit_cast.h"

namespace rondo {

inline constexpr int kDtypes = 15;
inline constexpr uint8_t kDtypeSize[kDtypes] = {1, 1, 1, 4, 8, 2, 2, 4, 8, 2, 2, 4, 8, 1, 1};

constexpr bool is_dtype(int dtype) {
  return dtype >= 0 && dtype < kDtypes;
}
constexpr size_t dtype_size(rondo_dtype dtype) {
  return kDtypeSize[dtype];
}
// True for dtypes that arithmetic happens in, which the 8-bit floats are not.
constexpr bool is_float(rondo_dtype dtype) {
  return dtype >= RONDO_F16 && dtype <= RONDO_F64;
}
constexpr bool is_half(rondo_dtype dtype) {
  return dtype == RONDO_F16 || dtype == RONDO_BF16;
}
constexpr bool is_unsigned(rondo_dtype dtype) {
  return dtype == RONDO_U8 || (dtype >= RONDO_U16 && dtype <= RONDO_U64);
}
// The 8-bit floats: stored, moved and cast, not computed with.
constexpr bool is_f8(rondo_dtype dtype) {
  return dtype >= RONDO_F8_E4M3;
}
// True if every 16-bit float can represent each value of the dtype.
constexpr bool exact_in_half(rondo_dtype dtype) {
  return dtype == RONDO_BOOL || dtype == RONDO_U8 || dtype == RONDO_I8;
}
const char* dtype_name(rondo_dtype dtype);

// The dtype of an element in a register: float for the 16-bit and 8-bit floats, itself otherwise.
constexpr rondo_dtype compute_dtype(rondo_dtype dtype) {
  return is_half(dtype) || is_f8(dtype) ? RONDO_F32 : dtype;
}
// The dtype that elements are moved as, so that a kernel that only moves 8-bit floats needs no arithmetic for them.
constexpr rondo_dtype moved_dtype(rondo_dtype dtype) {
  return is_f8(dtype) ? RONDO_U8 : dtype;
}
// The common dtype of two operands (rondo/ops.h). An 8-bit float has one with itself only.
constexpr bool promotes(rondo_dtype a, rondo_dtype b) {
  return a == b || !(is_f8(a) || is_f8(b));
}
// Returns the common dtype of two that have one.
rondo_dtype promote(rondo_dtype a, rondo_dtype b);

inline float bf16_to_float(uint16_t bits) {
  return bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
inline uint16_t float_to_bf16(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);  // keep NaN quiet
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);                  // round to nearest even
}
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);

}  // namespace rondo
