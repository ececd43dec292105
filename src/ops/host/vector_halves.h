// Converts 16-bit floats in vectors, for the .cc file of each instruction set, as the loops of vector_loops.h: rows
// between memory and registers, and operators from memory to memory.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(RONDO_VECTOR_F16C)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ops/host/elementwise_loops.h"
#include "ops/operators/element.h"

namespace rondo::ops::RONDO_VECTOR_SET {

namespace {

// kHalves at a time. f16 by the processor's own conversion, which treats a NaN its own way: bits are returned for
// those. bf16 as device::from_memory and device::to_bf16 do, and nothing is left to do.
#if defined(RONDO_VECTOR_AVX512)
constexpr int64_t kHalves = 16;
RONDO_VECTOR inline uint32_t convert(float* to, const device::f16* from) {
  const __m512 values = _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  _mm512_storeu_ps(to, values);
  return _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
}
RONDO_VECTOR inline uint32_t convert(device::f16* to, const float* from) {
  const __m512 values = _mm512_loadu_ps(from);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtps_ph(0xffff, values, _MM_FROUND_TO_NEAREST_INT));
  return _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
}
RONDO_VECTOR inline uint32_t convert(float* to, const device::bf16* from) {
  const __m512i wide = _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  _mm512_storeu_si512(to, _mm512_maskz_slli_epi32(0xffff, wide, 16));
  return 0;
}
RONDO_VECTOR inline uint32_t convert(device::bf16* to, const float* from) {
  const __m512 values = _mm512_loadu_ps(from);
  const __m512i bits = _mm512_castps_si512(values);
  const __m512i odd = _mm512_and_si512(_mm512_maskz_srli_epi32(0xffff, bits, 16), _mm512_set1_epi32(1));
  const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __mmask16 numbers = _mm512_cmp_ps_mask(values, values, _CMP_ORD_Q);
  const __m512i rounded = _mm512_mask_srli_epi32(_mm512_set1_epi32(0x7fff), numbers, up, 16);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtepi32_epi16(0xffff, rounded));
  return 0;
}
#elif defined(RONDO_VECTOR_F16C)
constexpr int64_t kHalves = 8;
RONDO_VECTOR inline uint32_t convert(float* to, const device::f16* from) {
  const __m256 values = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  _mm256_storeu_ps(to, values);
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(values, values, _CMP_UNORD_Q)));
}
RONDO_VECTOR inline uint32_t convert(device::f16* to, const float* from) {
  const __m256 values = _mm256_loadu_ps(from);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(values, values, _CMP_UNORD_Q)));
}
RONDO_VECTOR inline uint32_t convert(float* to, const device::bf16* from) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_slli_epi32(wide, 16));
  return 0;
}
RONDO_VECTOR inline uint32_t convert(device::bf16* to, const float* from) {
  const __m256 values = _mm256_loadu_ps(from);
  const __m256i bits = _mm256_castps_si256(values);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i up = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(values, values, _CMP_UNORD_Q));
  const __m256i rounded = _mm256_blendv_epi8(_mm256_srli_epi32(up, 16), _mm256_set1_epi32(0x7fff), nan);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded, rounded), 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
  return 0;
}
#endif
template <class Half>
inline void convert_one(float* to, Half from) {
  *to = device::from_memory(from);
}
template <class Half>
inline void convert_one(Half* to, float from) {
  *to = device::to_memory<Half>(from);
}
// Converts one by one where some are unusual.
template <class To, class From>
[[gnu::noinline]] void convert_each(To* to, const From* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) convert_one(to + i, from[i]);
}
#if defined(RONDO_VECTOR_F16C)
// So many vectors at once; returns bits for the unusual ones, which are left to the caller: an array stays in registers
// as long as its address is not taken.
template <class To, class From, int... v>
RONDO_VECTOR inline uint32_t convert(To* to, const From* from, std::integer_sequence<int, v...>) {
  return (convert(to + v * kHalves, from + v * kHalves) | ...);
}
#endif
template <class To, class From>
RONDO_VECTOR inline void convert_row(To* to, const From* from, int64_t n) {
  int64_t i = 0;
#if defined(RONDO_VECTOR_F16C)
  constexpr int64_t kGroup = 4 * kHalves;
  for (; i + kGroup <= n; i += kGroup) {
    uint32_t unusual = convert(to + i, from + i);
    unusual |= convert(to + i + kHalves, from + i + kHalves);
    unusual |= convert(to + i + 2 * kHalves, from + i + 2 * kHalves);
    unusual |= convert(to + i + 3 * kHalves, from + i + 3 * kHalves);
    if (unusual) convert_each(to + i, from + i, kGroup);
  }
  // The last few together with some that were converted already.
  for (; i < n && n >= kHalves; i += kHalves) {
    const int64_t begin = std::min(i, n - kHalves);
    if (convert(to + begin, from + begin)) convert_each(to + begin, from + begin, kHalves);
  }
#endif
  RONDO_APART
  for (; i < n; ++i) convert_one(to + i, from[i]);
}

// From memory to memory by one operator, computed in float: what is between stays in registers.
template <auto f, class Half, class F = decltype(f)>
struct HalvesOf {
  static constexpr Loop loop = nullptr;
};
#if defined(RONDO_VECTOR_F16C)
template <auto f, class Half, class... More>
requires(std::is_same_v<float, More>&&...) struct HalvesOf<f, Half, float (*)(float, More...)> {
  static constexpr int64_t kGroup = 2 * kHalves;
  using Vectors = std::integer_sequence<int, 0, 1>;
  static constexpr int kArity = 1 + static_cast<int>(sizeof...(More));

  static inline void compute(float* r, const float (&x)[3][kGroup]) {
    for (int64_t i = 0; i < kGroup; ++i) {
      if constexpr (kArity == 1)
        r[i] = f(x[0][i]);
      else if constexpr (kArity == 2)
        r[i] = f(x[0][i], x[1][i]);
      else
        r[i] = f(x[0][i], x[1][i], x[2][i]);
    }
  }
  [[gnu::noinline]] static void slowly(Half* to, const Half* a, const Half* b, const Half* c) {
    float x[3][kGroup], r[kGroup];
    convert_each(x[0], a, kGroup);
    if constexpr (kArity > 1) convert_each(x[1], b, kGroup);
    if constexpr (kArity > 2) convert_each(x[2], c, kGroup);
    compute(r, x);
    convert_each(to, r, kGroup);
  }
  RONDO_VECTOR static inline void group(Half* to, const Half* a, const Half* b, const Half* c) {
    float x[3][kGroup], r[kGroup];
    Half made[kGroup];
    uint32_t unusual = convert(x[0], a, Vectors());
    if constexpr (kArity > 1) unusual |= convert(x[1], b, Vectors());
    if constexpr (kArity > 2) unusual |= convert(x[2], c, Vectors());
    compute(r, x);
    unusual |= convert(made, r, Vectors());
    if (unusual) return slowly(to, a, b, c);
    for (int64_t i = 0; i < kGroup; i += kHalves) std::memcpy(to + i, made + i, kHalves * sizeof(Half));
  }
  RONDO_VECTOR static void run(void* to, const void* a, const void* b, const void* c, int64_t n) {
    Half* r = static_cast<Half*>(to);
    const Half *x = static_cast<const Half*>(a), *y = static_cast<const Half*>(b), *z = static_cast<const Half*>(c);
    int64_t i = 0;
    for (; i + kGroup <= n; i += kGroup) group(r + i, x + i, y + i, z + i);
    if (i == n) return;
    Half few[3][kGroup] = {}, made[kGroup];
    const size_t rest = static_cast<size_t>(n - i) * sizeof(Half);
    std::memcpy(few[0], x + i, rest);
    if constexpr (kArity > 1) std::memcpy(few[1], y + i, rest);
    if constexpr (kArity > 2) std::memcpy(few[2], z + i, rest);
    group(made, few[0], few[1], few[2]);
    std::memcpy(r + i, made, rest);
  }
  static constexpr Loop loop = run;
};
#endif

}  // namespace

}  // namespace rondo::ops::RONDO_VECTOR_SET
