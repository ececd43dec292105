// Names the dtypes, promotes two of them to one, and converts floats to binary16 and back on the host.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

namespace rondo {

const char* dtype_name(rondo_dtype dtype) {
  static const char* const names[kDtypes] = {"bool", "u8",  "i8",  "i32", "i64", "f16",     "bf16",   "f32",
                                             "f64",  "i16", "u16", "u32", "u64", "f8_e4m3", "f8_e5m2"};
  return is_dtype(dtype) ? names[dtype] : "unknown";
}

namespace {

constexpr rondo_dtype b8 = RONDO_BOOL, u8 = RONDO_U8, i8 = RONDO_I8, i32 = RONDO_I32, i64 = RONDO_I64, f16 = RONDO_F16,
                      bf16 = RONDO_BF16, f32 = RONDO_F32, f64 = RONDO_F64, i16 = RONDO_I16, u16 = RONDO_U16,
                      u32 = RONDO_U32, u64 = RONDO_U64;

// NumPy's rules, but: a float is as wide as the float operands say, and u8 with i8 gives i32.
constexpr rondo_dtype kPromoted[][RONDO_U64 + 1] = {
    {b8, u8, i8, i32, i64, f16, bf16, f32, f64, i16, u16, u32, u64},              // bool
    {u8, u8, i32, i32, i64, f16, bf16, f32, f64, i16, u16, u32, u64},             // u8
    {i8, i32, i8, i32, i64, f16, bf16, f32, f64, i16, i32, i64, f64},             // i8
    {i32, i32, i32, i32, i64, f16, bf16, f32, f64, i32, i32, i64, f64},           // i32
    {i64, i64, i64, i64, i64, f16, bf16, f32, f64, i64, i64, i64, f64},           // i64
    {f16, f16, f16, f16, f16, f16, f32, f32, f64, f16, f16, f16, f16},            // f16
    {bf16, bf16, bf16, bf16, bf16, f32, bf16, f32, f64, bf16, bf16, bf16, bf16},  // bf16
    {f32, f32, f32, f32, f32, f32, f32, f32, f64, f32, f32, f32, f32},            // f32
    {f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64},            // f64
    {i16, i16, i16, i32, i64, f16, bf16, f32, f64, i16, i32, i64, f64},           // i16
    {u16, u16, i32, i32, i64, f16, bf16, f32, f64, i32, u16, u32, u64},           // u16
    {u32, u32, i64, i64, i64, f16, bf16, f32, f64, i64, u32, u32, u64},           // u32
    {u64, u64, f64, f64, f64, f16, bf16, f32, f64, f64, u64, u64, u64},           // u64
};

}  // namespace

rondo_dtype promote(rondo_dtype a, rondo_dtype b) {
  return a == b || !promotes(a, b) ? a : kPromoted[a][b];
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
