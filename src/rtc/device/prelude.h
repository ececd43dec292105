// Defines the types of kernels, in the subset of C++17 that NVRTC and the host compiler share. It precedes every
// generated kernel, and the cpu's evaluators include it, so that elements and their conversions are defined once. No
// header is used on a device; the 16-bit floats are our own.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC_RTC__) || defined(RONDO_SIMULATED)
#define RONDO_INLINE __device__ __forceinline__
#else
#include <cmath>
#include <cstring>
#define RONDO_INLINE inline
#endif

namespace rondo::device {

using u8 = unsigned char;
using i8 = signed char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;

// In memory only; registers hold bool and float.
struct b8 {
  u8 bits;  // anything but 0 is true; 0 or 1 is written
};
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};

#if !defined(__CUDACC_RTC__) && !defined(RONDO_SIMULATED)
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::ceil;
using std::copysign;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::floor;
using std::fma;
using std::fmod;
using std::hypot;
using std::ldexp;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::pow;
using std::rint;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::tgamma;
using std::trunc;
// The plain one writes the sign into a variable that all threads of the process share.
inline double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
inline float lgamma(float x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}
#endif

// --- the beginning of a kernel ---
#if defined(__CUDACC_RTC__) || defined(RONDO_SIMULATED)
// The first statement of every kernel (with_beginning puts it there) that does not call it itself: from here on the
// kernels before this one have ended, and what they wrote can be read. So one that is launched by a programmatic edge
// may start before that, and may read what no task before it writes (ops/task/early_reads.h). Then the next one may
// start: not earlier, so that no more than two of a chain take up the device.
RONDO_INLINE void begin_kernel() {
#if __CUDA_ARCH__ >= 900
#if defined(RONDO_SIMULATED)
  simcuda_grid_dependency_wait();
  simcuda_grid_launch_dependents();
#else
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
#endif
}
#endif

// --- bits ---
template <class To, class From>
RONDO_INLINE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
#if defined(__CUDACC_RTC__) || defined(RONDO_SIMULATED)
  union {
    From from;
    To to;
  } both;
  both.from = from;
  return both.to;
#else
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
#endif
}

#if defined(__CUDACC_RTC__) && !defined(RONDO_SIMULATED)
RONDO_INLINE f32 to_float(f16 half) {
  f32 value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half.bits));
  return value;
}
RONDO_INLINE f16 to_f16(f32 value) {
  f16 half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(value));
  return half;
}
#else
RONDO_INLINE f32 to_float(f16 half) {
  const u32 sign = static_cast<u32>(half.bits & 0x8000u) << 16;
  const u32 exponent = (half.bits >> 10) & 0x1fu;
  const u32 mantissa = half.bits & 0x3ffu;
  if (exponent == 0) return bits_as<f32>(sign | bits_as<u32>(static_cast<f32>(mantissa) * 5.9604644775390625e-8f));
  return bits_as<f32>(sign | ((exponent == 31 ? 255u : exponent + 112u) << 23) | (mantissa << 13));
}
RONDO_INLINE f16 to_f16(f32 value) {
  const u32 bits = bits_as<u32>(value);
  const u32 sign = (bits >> 16) & 0x8000u;
  const u32 magnitude = bits & 0x7fffffffu;
  u32 half;
  if (magnitude > 0x7f800000u) {
    half = 0x7fffu;
    return f16{static_cast<u16>(half)};
  }
  if (magnitude >= 0x477ff000u) {  // 65520 and up round to infinity
    half = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 rounds at 2^-24
    half = bits_as<u32>(bits_as<f32>(magnitude) + 0.5f) - 0x3f000000u;
  } else {
    half = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  }
  return f16{static_cast<u16>(sign | half)};
}
#endif

RONDO_INLINE f32 to_float(bf16 half) {
  return bits_as<f32>(static_cast<u32>(half.bits) << 16);
}
RONDO_INLINE bf16 to_bf16(f32 value) {
#if defined(__CUDACC_RTC__) && !defined(RONDO_SIMULATED) && __CUDA_ARCH__ >= 800
  bf16 half;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(half.bits) : "f"(value));
  return half;
#else
  const u32 bits = bits_as<u32>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return bf16{static_cast<u16>(0x7fffu)};  // as the instruction does
  return bf16{static_cast<u16>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};     // to nearest, ties to even
#endif
}

// --- memory and registers ---
// What an element of memory type M is in a register.
template <class M>
struct RegisterOf {
  using type = M;
};
template <>
struct RegisterOf<b8> {
  using type = bool;
};
template <>
struct RegisterOf<f16> {
  using type = f32;
};
template <>
struct RegisterOf<bf16> {
  using type = f32;
};
template <class M>
using Register = typename RegisterOf<M>::type;

// The same value, of which the compiler knows nothing. NVRTC (11.8 to 13.5) takes elements of 8 bits out of packs by
// halves of words, and then leaves out a sign extension: relu(abs(x)) of -1 was 0. So what is loaded, and what an
// operator has made, goes through a register of 32 bits.
#if defined(__CUDACC_RTC__) && !defined(RONDO_SIMULATED)
template <class T>
RONDO_INLINE T settled(T value) {
  i32 wide = value;
  asm("" : "+r"(wide));
  return static_cast<T>(wide);
}
#else
template <class T>
RONDO_INLINE T settled(T value) {
  return value;
}
#endif

template <class M>
RONDO_INLINE M from_memory(M value) {
  return value;
}
RONDO_INLINE i8 from_memory(i8 value) {
  return settled(value);
}
RONDO_INLINE u8 from_memory(u8 value) {
  return settled(value);
}
RONDO_INLINE bool from_memory(b8 value) {
  return value.bits != 0;
}
RONDO_INLINE f32 from_memory(f16 value) {
  return to_float(value);
}
RONDO_INLINE f32 from_memory(bf16 value) {
  return to_float(value);
}

template <class M>
struct ToMemory {
  RONDO_INLINE static M of(M value) { return value; }
};
template <>
struct ToMemory<b8> {
  RONDO_INLINE static b8 of(bool value) { return b8{static_cast<u8>(value ? 1 : 0)}; }
};
template <>
struct ToMemory<f16> {
  RONDO_INLINE static f16 of(f32 value) { return to_f16(value); }
};
template <>
struct ToMemory<bf16> {
  RONDO_INLINE static bf16 of(f32 value) { return to_bf16(value); }
};
template <class M>
RONDO_INLINE M to_memory(Register<M> value) {
  return ToMemory<M>::of(value);
}

// N neighbours, moved at once.
template <class M, int N>
struct alignas(sizeof(M) * N) Pack {
  M v[N];
};
template <class M, int N>
RONDO_INLINE Pack<M, N> load_pack(const M* from) {
  return *reinterpret_cast<const Pack<M, N>*>(from);
}
template <class M, int N>
RONDO_INLINE void store_pack(M* to, const Pack<M, N>& pack) {
  *reinterpret_cast<Pack<M, N>*>(to) = pack;
}

// --- index arithmetic
// ---------------------------------------------------------------------------------------------------
RONDO_INLINE u32 high_product(u32 a, u32 b) {
  return static_cast<u32>((static_cast<u64>(a) * b) >> 32);
}
// x / d for x < 2^31 as a multiplication; the host makes the divider (make_divider).
struct Divider {
  u32 magic, shift;
};
RONDO_INLINE u32 quotient(u32 x, Divider by) {
  return (high_product(x, by.magic) + x) >> by.shift;
}
RONDO_INLINE Divider make_divider(u32 d) {
  u32 shift = 0;
  while ((1ull << shift) < d) ++shift;
  return Divider{static_cast<u32>((((1ull << shift) - d) << 32) / d + 1), shift};
}

// --- kinds of types ---
template <class A, class B>
constexpr bool same_type = false;
template <class A>
constexpr bool same_type<A, A> = true;
template <class T>
constexpr bool is_floating = same_type<T, f32> || same_type<T, f64>;

// The type in which integers are added: unsigned, so that they wrap around, and wide enough not to be promoted to int.
template <class T>
struct WrappingOf {
  using type = u32;
};
template <>
struct WrappingOf<i64> {
  using type = u64;
};
template <>
struct WrappingOf<u64> {
  using type = u64;
};
template <class T>
using Wrapping = typename WrappingOf<T>::type;

template <class T>
inline constexpr T kLowest = 0;
template <>
inline constexpr i8 kLowest<i8> = -128;
template <>
inline constexpr i16 kLowest<i16> = -32768;
template <>
inline constexpr i32 kLowest<i32> = -2147483647 - 1;
template <>
inline constexpr i64 kLowest<i64> = -9223372036854775807ll - 1;
template <class T>
inline constexpr T kHighest = 1;
template <>
inline constexpr u8 kHighest<u8> = 255;
template <>
inline constexpr i8 kHighest<i8> = 127;
template <>
inline constexpr i16 kHighest<i16> = 32767;
template <>
inline constexpr u16 kHighest<u16> = 65535;
template <>
inline constexpr u32 kHighest<u32> = 4294967295u;
template <>
inline constexpr u64 kHighest<u64> = 18446744073709551615ull;
template <>
inline constexpr i32 kHighest<i32> = 2147483647;
template <>
inline constexpr i64 kHighest<i64> = 9223372036854775807ll;

}  // namespace rondo::device
