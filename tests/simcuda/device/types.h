// What NVRTC predeclares without any header: qualifiers, vector types, built-in variables. Part of the text put in
// front of a kernel. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../abi.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __grid_constant__
#define SIMCUDA_UNCHECKED __attribute__((no_sanitize("address"), no_sanitize("kernel-address")))

using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using clock_t = long;

// clang-format off
#define SIMCUDA_VECTORS(type, name, align2, align4)                                                       \
  struct name##1 { type x; };                                                                             \
  struct alignas(align2) name##2 { type x, y; };                                                          \
  struct name##3 { type x, y, z; };                                                                       \
  struct alignas(align4) name##4 { type x, y, z, w; };                                                    \
  inline name##1 make_##name##1(type x) { return {x}; }                                                   \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                        \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                             \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
SIMCUDA_VECTORS(signed char, char, 2, 4)
SIMCUDA_VECTORS(unsigned char, uchar, 2, 4)
SIMCUDA_VECTORS(short, short, 4, 8)
SIMCUDA_VECTORS(unsigned short, ushort, 4, 8)
SIMCUDA_VECTORS(int, int, 8, 16)
SIMCUDA_VECTORS(unsigned, uint, 8, 16)
SIMCUDA_VECTORS(long, long, 16, 16)
SIMCUDA_VECTORS(unsigned long, ulong, 16, 16)
SIMCUDA_VECTORS(long long, longlong, 16, 16)
SIMCUDA_VECTORS(unsigned long long, ulonglong, 16, 16)
SIMCUDA_VECTORS(float, float, 8, 16)
SIMCUDA_VECTORS(double, double, 16, 16)
#undef SIMCUDA_VECTORS
// clang-format on

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

SIMCUDA_UNCHECKED inline __attribute__((always_inline)) SimcudaLane* simcuda_lane() {
  auto here = reinterpret_cast<unsigned long long>(__builtin_frame_address(0));
  return reinterpret_cast<SimcudaLane*>((here | (SIMCUDA_STACK_BYTES - 1)) + 1 - sizeof(SimcudaLane));
}
inline void* simcuda_dynamic_shared() {
  return reinterpret_cast<void*>(simcuda_lane()->shared_dynamic.begin);
}
#define threadIdx (simcuda_lane()->thread)
#define blockIdx (simcuda_lane()->block)
#define blockDim (simcuda_lane()->block_dim)
#define gridDim (simcuda_lane()->grid_dim)
constexpr int warpSize = 32;
