// Mathematical functions, conversions and integer intrinsics, mapped to libm and compiler built-ins. Part of the text
// put in front of a kernel. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

// clang-format off
// --- libm: name(double), namef(float), and the float overload of the plain name ---------------------------------------
#define SIMCUDA_MATH1(name)                                        \
  extern "C" double name(double) noexcept;                         \
  extern "C" float name##f(float) noexcept;                        \
  inline float name(float x) { return name##f(x); }
#define SIMCUDA_MATH2(name)                                        \
  extern "C" double name(double, double) noexcept;                 \
  extern "C" float name##f(float, float) noexcept;                 \
  inline float name(float x, float y) { return name##f(x, y); }
SIMCUDA_MATH1(exp) SIMCUDA_MATH1(exp2) SIMCUDA_MATH1(expm1) SIMCUDA_MATH1(log) SIMCUDA_MATH1(log2) SIMCUDA_MATH1(log10)
SIMCUDA_MATH1(log1p) SIMCUDA_MATH1(logb) SIMCUDA_MATH1(sqrt) SIMCUDA_MATH1(cbrt) SIMCUDA_MATH1(sin) SIMCUDA_MATH1(cos)
SIMCUDA_MATH1(tan) SIMCUDA_MATH1(asin) SIMCUDA_MATH1(acos) SIMCUDA_MATH1(atan) SIMCUDA_MATH1(sinh) SIMCUDA_MATH1(cosh)
SIMCUDA_MATH1(tanh) SIMCUDA_MATH1(asinh) SIMCUDA_MATH1(acosh) SIMCUDA_MATH1(atanh) SIMCUDA_MATH1(erf) SIMCUDA_MATH1(erfc)
SIMCUDA_MATH1(tgamma) SIMCUDA_MATH1(floor) SIMCUDA_MATH1(ceil) SIMCUDA_MATH1(trunc) SIMCUDA_MATH1(round)
SIMCUDA_MATH1(rint) SIMCUDA_MATH1(nearbyint) SIMCUDA_MATH1(fabs) SIMCUDA_MATH1(j0) SIMCUDA_MATH1(j1) SIMCUDA_MATH1(y0) SIMCUDA_MATH1(y1)
SIMCUDA_MATH2(pow) SIMCUDA_MATH2(fmod) SIMCUDA_MATH2(remainder) SIMCUDA_MATH2(atan2) SIMCUDA_MATH2(hypot) SIMCUDA_MATH2(fmax)
SIMCUDA_MATH2(fmin) SIMCUDA_MATH2(fdim) SIMCUDA_MATH2(copysign) SIMCUDA_MATH2(nextafter)
#undef SIMCUDA_MATH1
#undef SIMCUDA_MATH2
// The plain lgamma writes the sign into a variable that all threads share.
extern "C" double lgamma_r(double, int*) noexcept;
extern "C" float lgammaf_r(float, int*) noexcept;
inline double lgamma(double x) { int sign; return lgamma_r(x, &sign); }
inline float lgamma(float x) { int sign; return lgammaf_r(x, &sign); }
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
inline float ldexp(float x, int e) { return ldexpf(x, e); }
extern "C" double scalbn(double, int) noexcept;
extern "C" float scalbnf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
inline float frexp(float x, int* e) { return frexpf(x, e); }
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
inline float modf(float x, float* i) { return modff(x, i); }
extern "C" int ilogb(double) noexcept;
extern "C" int ilogbf(float) noexcept;
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
extern "C" long lround(double) noexcept;
extern "C" long lroundf(float) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
extern "C" long long llround(double) noexcept;
extern "C" long long llroundf(float) noexcept;

inline double exp10(double x) { return pow(10.0, x); }
inline float exp10f(float x) { return powf(10.0f, x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double sinpi(double x) { return sin(3.14159265358979323846 * remainder(x, 2.0)); }
inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline double cospi(double x) { return cos(3.14159265358979323846 * remainder(x, 2.0)); }
inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline void sincos(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
inline void sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
// The inverse error function: a rational start and two Newton steps, which reach the last bits of a double.
inline double erfinv(double y) {
  if (!(y > -1.0 && y < 1.0)) return y == 1.0 ? __builtin_inf() : y == -1.0 ? -__builtin_inf() : __builtin_nan("");
  double w = log((1.0 - y) * (1.0 + y)), t = 2.0 / (3.14159265358979323846 * 0.147) + w / 2.0;
  double x = copysign(sqrt(sqrt(t * t - w / 0.147) - t), y);
  for (int i = 0; i < 3; ++i) x -= (erf(x) - y) / (1.12837916709551257390 * exp(-x * x));
  return x;
}
inline float erfinvf(float y) { return static_cast<float>(erfinv(static_cast<double>(y))); }

inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline bool signbit(float x) { return __builtin_signbit(x); }
inline bool signbit(double x) { return __builtin_signbit(x); }
extern "C" int abs(int) noexcept;
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;

#define SIMCUDA_MINMAX(T)                                   \
  inline T min(T a, T b) { return b < a ? b : a; }          \
  inline T max(T a, T b) { return a < b ? b : a; }
SIMCUDA_MINMAX(int) SIMCUDA_MINMAX(unsigned) SIMCUDA_MINMAX(long) SIMCUDA_MINMAX(unsigned long) SIMCUDA_MINMAX(long long)
SIMCUDA_MINMAX(unsigned long long)
#undef SIMCUDA_MINMAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

// --- arithmetic with a named rounding. Only round-to-nearest exists here: the others are left undefined on purpose -----
#define SIMCUDA_ROUNDED(prefix, T, suffix)                                        \
  inline T __##prefix##add_rn(T a, T b) { return a + b; }                         \
  inline T __##prefix##sub_rn(T a, T b) { return a - b; }                         \
  inline T __##prefix##mul_rn(T a, T b) { return a * b; }                         \
  inline T __##prefix##div_rn(T a, T b) { return a / b; }                         \
  inline T __##prefix##sqrt_rn(T a) { return sqrt##suffix(a); }                   \
  inline T __##prefix##rcp_rn(T a) { return T(1) / a; }
SIMCUDA_ROUNDED(f, float, f)
SIMCUDA_ROUNDED(d, double, )
#undef SIMCUDA_ROUNDED
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __frsqrt_rn(float a) { return 1.0f / sqrtf(a); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// --- conversions: float to integer saturates and maps NaN to 0, as the device's cvt does --------------------------------
template <class To, class From> inline To simcuda_saturate(From x, To low, To high) {
  if (x != x) return 0;
  if (x <= static_cast<From>(low)) return low;
  if (x >= static_cast<From>(high)) return high;
  return static_cast<To>(x);
}
#define SIMCUDA_TO_INT(From, from, To, to, low, high, nearest, down, up)                               \
  inline To __##from##2##to##_rz(From x) { return simcuda_saturate<To, From>(x, low, high); }            \
  inline To __##from##2##to##_rn(From x) { return simcuda_saturate<To, From>(nearest(x), low, high); }   \
  inline To __##from##2##to##_rd(From x) { return simcuda_saturate<To, From>(down(x), low, high); }      \
  inline To __##from##2##to##_ru(From x) { return simcuda_saturate<To, From>(up(x), low, high); }
SIMCUDA_TO_INT(float, float, int, int, -2147483647 - 1, 2147483647, rintf, floorf, ceilf)
SIMCUDA_TO_INT(float, float, unsigned, uint, 0u, 4294967295u, rintf, floorf, ceilf)
SIMCUDA_TO_INT(float, float, long long, ll, -9223372036854775807ll - 1, 9223372036854775807ll, rintf, floorf, ceilf)
SIMCUDA_TO_INT(float, float, unsigned long long, ull, 0ull, 18446744073709551615ull, rintf, floorf, ceilf)
SIMCUDA_TO_INT(double, double, int, int, -2147483647 - 1, 2147483647, rint, floor, ceil)
SIMCUDA_TO_INT(double, double, unsigned, uint, 0u, 4294967295u, rint, floor, ceil)
SIMCUDA_TO_INT(double, double, long long, ll, -9223372036854775807ll - 1, 9223372036854775807ll, rint, floor, ceil)
SIMCUDA_TO_INT(double, double, unsigned long long, ull, 0ull, 18446744073709551615ull, rint, floor, ceil)
#undef SIMCUDA_TO_INT
#define SIMCUDA_CONVERT(name, From, To) inline To name(From x) { return static_cast<To>(x); }
SIMCUDA_CONVERT(__int2float_rn, int, float) SIMCUDA_CONVERT(__uint2float_rn, unsigned, float)
SIMCUDA_CONVERT(__ll2float_rn, long long, float) SIMCUDA_CONVERT(__ull2float_rn, unsigned long long, float)
SIMCUDA_CONVERT(__int2double_rn, int, double) SIMCUDA_CONVERT(__uint2double_rn, unsigned, double)
SIMCUDA_CONVERT(__ll2double_rn, long long, double) SIMCUDA_CONVERT(__ull2double_rn, unsigned long long, double)
SIMCUDA_CONVERT(__double2float_rn, double, float)
#undef SIMCUDA_CONVERT
#define SIMCUDA_BITS(name, From, To)                                                      \
  inline To name(From x) { To y; static_assert(sizeof x == sizeof y); __builtin_memcpy(&y, &x, sizeof y); return y; }
SIMCUDA_BITS(__float_as_uint, float, unsigned) SIMCUDA_BITS(__uint_as_float, unsigned, float)
SIMCUDA_BITS(__float_as_int, float, int) SIMCUDA_BITS(__int_as_float, int, float)
SIMCUDA_BITS(__double_as_longlong, double, long long) SIMCUDA_BITS(__longlong_as_double, long long, double)
#undef SIMCUDA_BITS
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int hi, int lo) {
  return __longlong_as_double(static_cast<long long>(static_cast<unsigned long long>(static_cast<unsigned>(hi)) << 32 | static_cast<unsigned>(lo)));
}

// --- integers ---------------------------------------------------------------------------------------------------------
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32); }
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) { return static_cast<long long>(static_cast<__int128>(a) * b >> 64); }
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long y = 0;
  for (int i = 0; i < 64; ++i) y |= (x >> i & 1ull) << (63 - i);
  return y;
}
inline unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned s = selector >> (4 * i) & 15u, byte = static_cast<unsigned>(both >> (8 * (s & 7u)) & 0xffu);
    if (s & 8u) byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { n &= 31u; return n ? hi << n | lo >> (32 - n) : hi; }
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { n &= 31u; return n ? lo >> n | hi << (32 - n) : lo; }
inline int __sad(int a, int b, unsigned c) { return static_cast<int>(static_cast<unsigned>(a < b ? b - a : a - b) + c); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1); }
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += static_cast<signed char>(a >> (8 * i)) * static_cast<signed char>(b >> (8 * i));
  return c;
}
// clang-format on
