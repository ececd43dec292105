// Barriers, shuffles, votes, atomics and memory intrinsics. Part of the text put in front of a kernel.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks.h"

// --- block ----------------------------------------------------------------------------------------------------------
inline void __syncthreads() {
  int all;
  simcuda_lane()->runtime.barrier(simcuda_lane(), 0, &all);
}
inline int __syncthreads_count(int predicate) {
  int all;
  return simcuda_lane()->runtime.barrier(simcuda_lane(), predicate, &all);
}
inline int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate) != 0;
}
inline int __syncthreads_and(int predicate) {
  int all;
  simcuda_lane()->runtime.barrier(simcuda_lane(), predicate, &all);
  return all;
}

// --- warp -----------------------------------------------------------------------------------------------------------
inline unsigned simcuda_lane_index() {
  const SimcudaLane* lane = simcuda_lane();
  return ((lane->thread.z * lane->block_dim.y + lane->thread.y) * lane->block_dim.x + lane->thread.x) % 32u;
}
SIMCUDA_UNCHECKED inline unsigned simcuda_exchange(unsigned mask, unsigned long long mine, unsigned long long* all) {
  return simcuda_lane()->runtime.exchange(simcuda_lane(), mask, mine, all);
}
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  unsigned long long all[32];
  simcuda_exchange(mask, 0, all);
}

// The value of lane `from`; outside the segment of `width` lanes a lane keeps its own.
template <class T>
SIMCUDA_UNCHECKED inline T simcuda_shuffle(unsigned mask, T value, unsigned from, bool inside) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
  unsigned long long mine = 0, all[32];
  __builtin_memcpy(&mine, &value, sizeof value);
  simcuda_exchange(mask, mine, all);
  if (inside) __builtin_memcpy(&value, &all[from % 32u], sizeof value);
  return value;
}
template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  unsigned base = simcuda_lane_index() & ~static_cast<unsigned>(width - 1);
  return simcuda_shuffle(mask, value, base + (static_cast<unsigned>(source) & static_cast<unsigned>(width - 1)), true);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  unsigned lane = simcuda_lane_index(), in = lane & static_cast<unsigned>(width - 1);
  return simcuda_shuffle(mask, value, lane + delta, in + delta < static_cast<unsigned>(width));
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  unsigned lane = simcuda_lane_index(), in = lane & static_cast<unsigned>(width - 1);
  return simcuda_shuffle(mask, value, lane - delta, in >= delta);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  unsigned lane = simcuda_lane_index(), from = lane ^ static_cast<unsigned>(lanes);
  return simcuda_shuffle(mask, value, from, (from & ~static_cast<unsigned>(width - 1)) <= lane);
}

// --- tensor cores ---------------------------------------------------------------------------------------------------
// c += a b, of 16 x 16 and 16 x 8 elements of 16 bits, spread over the warp as the instruction m16n8k16 has them.
template <class Value>
SIMCUDA_UNCHECKED inline void simcuda_multiply_add(float* c, const unsigned* a, unsigned b0, unsigned b1, Value value) {
  unsigned long long left[32], right[32], columns[32];
  simcuda_exchange(~0u, a[0] | static_cast<unsigned long long>(a[1]) << 32, left);
  simcuda_exchange(~0u, a[2] | static_cast<unsigned long long>(a[3]) << 32, right);
  simcuda_exchange(~0u, b0 | static_cast<unsigned long long>(b1) << 32, columns);
  const unsigned lane = simcuda_lane_index(), g = lane / 4, t = lane % 4;
  for (unsigned e = 0; e < 4; ++e) {
    float sum = 0;
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned from = k % 8 / 2, half = k % 2 * 16;
      const unsigned long long row = (k < 8 ? left : right)[g * 4 + from] >> (e / 2 * 32);
      const unsigned long long column = columns[(2 * t + e % 2) * 4 + from] >> (k / 8 * 32);
      sum += value(static_cast<unsigned short>(row >> half)) * value(static_cast<unsigned short>(column >> half));
    }
    c[e] += sum;
  }
}
// Four matrices of 8 x 8 elements of 16 bits, each lane with the address of a row, as the instruction ldmatrix.
SIMCUDA_UNCHECKED inline void simcuda_load_matrices(unsigned* to, const void* row, bool turned) {
  unsigned long long rows[32];
  simcuda_exchange(~0u, reinterpret_cast<unsigned long long>(row), rows);
  const unsigned lane = simcuda_lane_index(), g = lane / 4, t = lane % 4;
  for (unsigned i = 0; i < 4; ++i) {
    const auto element = [&](unsigned r, unsigned column) -> unsigned {
      return reinterpret_cast<const unsigned short*>(rows[8 * i + r])[column];
    };
    to[i] = turned ? element(2 * t, g) | element(2 * t + 1, g) << 16 : element(g, 2 * t) | element(g, 2 * t + 1) << 16;
  }
}

SIMCUDA_UNCHECKED inline unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned long long all[32];
  unsigned present = simcuda_exchange(mask, predicate != 0, all), votes = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((present >> i & 1u) && all[i]) votes |= 1u << i;
  return votes;
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
SIMCUDA_UNCHECKED inline unsigned simcuda_match(unsigned mask, unsigned long long value) {
  unsigned long long all[32];
  unsigned present = simcuda_exchange(mask, value, all), same = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((present >> i & 1u) && all[i] == value) same |= 1u << i;
  return same;
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return simcuda_match(mask, word);
}
template <class T, class Join>
SIMCUDA_UNCHECKED inline T simcuda_reduce(unsigned mask, T value, Join join) {
  unsigned long long all[32];
  unsigned present = simcuda_exchange(mask, static_cast<unsigned long long>(value), all);
  bool first = true;
  for (unsigned i = 0; i < 32; ++i) {
    if (!(present >> i & 1u)) continue;
    value = first ? static_cast<T>(all[i]) : join(value, static_cast<T>(all[i]));
    first = false;
  }
  return value;
}
// clang-format off
template <class T> inline T __reduce_add_sync(unsigned mask, T v) { return simcuda_reduce(mask, v, [](T a, T b) { return a + b; }); }
template <class T> inline T __reduce_min_sync(unsigned mask, T v) { return simcuda_reduce(mask, v, [](T a, T b) { return b < a ? b : a; }); }
template <class T> inline T __reduce_max_sync(unsigned mask, T v) { return simcuda_reduce(mask, v, [](T a, T b) { return a < b ? b : a; }); }
template <class T> inline T __reduce_and_sync(unsigned mask, T v) { return simcuda_reduce(mask, v, [](T a, T b) { return a & b; }); }
template <class T> inline T __reduce_or_sync(unsigned mask, T v) { return simcuda_reduce(mask, v, [](T a, T b) { return a | b; }); }
template <class T> inline T __reduce_xor_sync(unsigned mask, T v) { return simcuda_reduce(mask, v, [](T a, T b) { return a ^ b; }); }
// clang-format on

// --- memory ---------------------------------------------------------------------------------------------------------
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
// clang-format off
template <class T> inline T __ldg(const T* p) { return *p; }
template <class T> inline T __ldcs(const T* p) { return *p; }
template <class T> inline T __ldcg(const T* p) { return *p; }
template <class T> inline T __ldca(const T* p) { return *p; }
template <class T> inline T __ldlu(const T* p) { return *p; }
template <class T> inline T __ldcv(const T* p) { return *p; }
template <class T> inline void __stcs(T* p, T v) { *p = v; }
template <class T> inline void __stcg(T* p, T v) { *p = v; }
template <class T> inline void __stwb(T* p, T v) { *p = v; }
template <class T> inline void __stwt(T* p, T v) { *p = v; }
// clang-format on

// --- atomics --------------------------------------------------------------------------------------------------------
// One compare-and-swap loop serves every type and operation; the check sees a read and a write.
template <class T>
struct SimcudaBits;
template <>
struct SimcudaBits<char[2]> {
  using type = unsigned short;
};
template <>
struct SimcudaBits<char[4]> {
  using type = unsigned;
};
template <>
struct SimcudaBits<char[8]> {
  using type = unsigned long long;
};
template <class T, class Change>
SIMCUDA_UNCHECKED inline T simcuda_atomic(T* address, Change change) {
  using Bits = typename SimcudaBits<char[sizeof(T)]>::type;
  simcuda_check<sizeof(T), SIMCUDA_UPDATE>(reinterpret_cast<unsigned long long>(address));
  Bits* bits = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    __builtin_memcpy(&old, &seen, sizeof old);
    T wanted = change(old);
    Bits next;
    __builtin_memcpy(&next, &wanted, sizeof next);
    if (__atomic_compare_exchange_n(bits, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}
// clang-format off
#define SIMCUDA_ATOMIC(T, name, expression)                                                               \
  inline T name(T* address, T v) { return simcuda_atomic(address, [=](T old) -> T { return expression; }); }   \
  inline T name##_block(T* address, T v) { return name(address, v); }                                     \
  inline T name##_system(T* address, T v) { return name(address, v); }
#define SIMCUDA_ATOMICS(T)                                                                                \
  SIMCUDA_ATOMIC(T, atomicAdd, static_cast<T>(old + v))                                                   \
  SIMCUDA_ATOMIC(T, atomicExch, (static_cast<void>(old), v))
#define SIMCUDA_INTEGER_ATOMICS(T)                                                                        \
  SIMCUDA_ATOMIC(T, atomicMin, v < old ? v : old)                                                         \
  SIMCUDA_ATOMIC(T, atomicMax, old < v ? v : old)                                                         \
  SIMCUDA_ATOMIC(T, atomicAnd, old & v)                                                                   \
  SIMCUDA_ATOMIC(T, atomicOr, old | v)                                                                    \
  SIMCUDA_ATOMIC(T, atomicXor, old ^ v)                                                                   \
  inline T atomicCAS(T* address, T compare, T v) { return simcuda_atomic(address, [=](T old) { return old == compare ? v : old; }); }
SIMCUDA_ATOMICS(int)
SIMCUDA_ATOMICS(unsigned)
SIMCUDA_ATOMICS(unsigned long long)
SIMCUDA_ATOMICS(float)
SIMCUDA_ATOMIC(double, atomicAdd, old + v)
SIMCUDA_ATOMIC(int, atomicSub, old - v)
SIMCUDA_ATOMIC(unsigned, atomicSub, old - v)
SIMCUDA_ATOMIC(unsigned, atomicInc, old >= v ? 0u : old + 1u)
SIMCUDA_ATOMIC(unsigned, atomicDec, old == 0u || old > v ? v : old - 1u)
SIMCUDA_INTEGER_ATOMICS(int)
SIMCUDA_INTEGER_ATOMICS(unsigned)
SIMCUDA_INTEGER_ATOMICS(unsigned long long)
SIMCUDA_ATOMIC(long long, atomicMin, v < old ? v : old)
SIMCUDA_ATOMIC(long long, atomicMax, old < v ? v : old)
inline unsigned short atomicCAS(unsigned short* address, unsigned short compare, unsigned short v) {
  return simcuda_atomic(address, [=](unsigned short old) { return old == compare ? v : old; });
}
#undef SIMCUDA_INTEGER_ATOMICS
#undef SIMCUDA_ATOMICS
#undef SIMCUDA_ATOMIC
// clang-format on

// --- control --------------------------------------------------------------------------------------------------------
inline void __trap() {
  simcuda_lane()->runtime.trap(simcuda_lane(), 719, "__trap()");
}
inline void __nanosleep(unsigned) {}
inline long long clock64() {
  return static_cast<long long>(__builtin_ia32_rdtsc());
}
inline clock_t clock() {
  return static_cast<clock_t>(clock64());
}
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : simcuda_lane()->runtime.trap(simcuda_lane(), 710, "assert(" #condition ")"))
extern "C" int printf(const char*, ...);

inline void simcuda_grid_dependency_wait() {
  simcuda_lane()->runtime.grid_wait(simcuda_lane());
}
inline void simcuda_grid_launch_dependents() {
  simcuda_lane()->runtime.grid_launch(simcuda_lane());
}
using cudaGraphConditionalHandle = unsigned long long;
extern "C" __attribute__((visibility("hidden"))) inline void cudaGraphSetConditional(unsigned long long handle,
                                                                                     unsigned value) {
  simcuda_lane()->runtime.set_conditional(simcuda_lane(), handle, value);
}
