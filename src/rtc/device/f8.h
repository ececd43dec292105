// Converts the 8-bit floats of the OCP 8-bit Floating Point Specification (OFP8, revision 1.0): how elements become f32
// and back. Both are stored and moved, not computed with, so only kernels that cast from or to them have this text.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/prelude.h"

namespace rondo::device {

// In memory only; registers hold float.
struct f8e4m3 {
  u8 bits;
};
struct f8e5m2 {
  u8 bits;
};

// The numbers that tell the formats apart; `largest` has the bits of an f32, `special` and those above it are no
// numbers.
template <class M>
struct F8Format;
// 4 bits of exponent, 3 of mantissa; no infinity, and one NaN for each sign: all bits set.
template <>
struct F8Format<f8e4m3> {
  static constexpr u32 mantissa = 3, bias = 7, largest = 0x43e00000u, special = 0x7fu;  // largest: 448
};
// 5 bits of exponent, 2 of mantissa; infinities and NaN as IEEE 754 has them.
template <>
struct F8Format<f8e5m2> {
  static constexpr u32 mantissa = 2, bias = 15, largest = 0x47600000u, special = 0x7cu;  // largest: 57344
};

// Exact. Without branches, so that the host's compiler makes vectors of it.
template <class M>
RONDO_INLINE f32 f8_to_float(M element) {
  using Format = F8Format<M>;
  constexpr u32 shift = 23 - Format::mantissa;
  constexpr u32 least = (127 + 1 - Format::bias - Format::mantissa) << 23;  // bits of the smallest subnormal
  const u32 code = element.bits & 0x7fu;
  const u32 normal = (code << shift) + ((127 - Format::bias) << 23);
  const u32 subnormal = bits_as<u32>(static_cast<f32>(static_cast<i32>(code)) * bits_as<f32>(least));
  const u32 special = code == 0x7cu && Format::special == 0x7cu ? 0x7f800000u : 0x7fc00000u;
  const u32 number = code < (1u << Format::mantissa) ? subnormal : normal;
  return bits_as<f32>((static_cast<u32>(element.bits & 0x80u) << 24) | (code >= Format::special ? special : number));
}

// Rounded once, to nearest, ties to even; what is larger than the largest number, infinities too, becomes that, and NaN
// a NaN without sign.
template <class M>
RONDO_INLINE M f8_of(f32 value) {
  using Format = F8Format<M>;
  constexpr u32 shift = 23 - Format::mantissa;
  constexpr u32 largest = Format::largest;
  constexpr u32 least_normal = (127 + 1 - Format::bias) << 23;
  // A float whose last bit is worth the smallest subnormal: adding it rounds there.
  constexpr u32 rounder = (127 + 1 - Format::bias + shift) << 23;
  const u32 bits = bits_as<u32>(value);
  const u32 magnitude = bits & 0x7fffffffu;
  const u32 kept = magnitude < largest ? magnitude : largest;
  const u32 normal = ((kept + ((1u << (shift - 1)) - 1) + ((kept >> shift) & 1u)) >> shift) -
                     ((127 - Format::bias) << Format::mantissa);
  const u32 subnormal = bits_as<u32>(bits_as<f32>(kept) + bits_as<f32>(rounder)) - rounder;
  const u32 number = ((bits >> 24) & 0x80u) | (kept < least_normal ? subnormal : normal);
  return M{static_cast<u8>(magnitude > 0x7f800000u ? 0x7fu : number)};
}

template <>
struct RegisterOf<f8e4m3> {
  using type = f32;
};
template <>
struct RegisterOf<f8e5m2> {
  using type = f32;
};
RONDO_INLINE f32 from_memory(f8e4m3 element) {
  return f8_to_float(element);
}
RONDO_INLINE f32 from_memory(f8e5m2 element) {
  return f8_to_float(element);
}
template <>
struct ToMemory<f8e4m3> {
  RONDO_INLINE static f8e4m3 of(f32 value) { return f8_of<f8e4m3>(value); }
};
template <>
struct ToMemory<f8e5m2> {
  RONDO_INLINE static f8e5m2 of(f32 value) { return f8_of<f8e5m2>(value); }
};

}  // namespace rondo::device
