// Multiplies small matrices of 16 bits by a warp, adding up in f32, and moves their parts into its lanes. A result of
// 16 x 8 is spread over the lanes: lane 4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/prelude.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// Two neighbours in a word, the first in its lower half.
template <class M>
RONDO_INLINE u32 pair_of(f32 first, f32 second) {
#if defined(RONDO_SIMULATED)
  return to_memory<M>(first).bits | static_cast<u32>(to_memory<M>(second).bits) << 16;
#else
  u32 pair;
  if constexpr (same_type<M, f16>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
#endif
}
template <class M>
RONDO_INLINE f32 first_of(u32 pair) {
  return from_memory(M{static_cast<u16>(pair)});
}
template <class M>
RONDO_INLINE f32 second_of(u32 pair) {
  return from_memory(M{static_cast<u16>(pair >> 16)});
}

// c += a b: a is 16 x 16, b 16 x 8. a: rows g and g + 8 of columns 2 t, then of columns 2 t + 8; b: column g, rows 2 t,
// then 2 t + 8; of each two neighbours.
template <class M>
RONDO_INLINE void multiply_add(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#if defined(RONDO_SIMULATED)
  simcuda_multiply_add(c, a, b0, b1, [](u16 bits) { return from_memory(M{bits}); });
#else
  if constexpr (same_type<M, f16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
        "%2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// Four matrices of 8 x 8 from shared memory: lane 8 i + r says where row r of the i-th begins, aligned to 16 bytes.
// Each lane gets of each the elements 2 t and 2 t + 1 of row g, or, `turned`, those of column g.
template <bool turned, class M>
RONDO_INLINE void load_matrices(u32 (&to)[4], const M* row) {
#if defined(RONDO_SIMULATED)
  simcuda_load_matrices(to, row, turned);
#else
  const u32 at = static_cast<u32>(__cvta_generic_to_shared(row));
  if constexpr (turned)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
#endif
}

// Begins a copy of 16 bytes to shared memory, or of zeros where there is nothing.
RONDO_INLINE void begin_copy(void* to, const void* from, bool there) {
#if defined(RONDO_SIMULATED)
  struct Words {
    u32 v[4];
  };
  *static_cast<Words*>(to) = there ? *static_cast<const Words*>(from) : Words{};
#else
  const u32 bytes = there ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes)
               : "memory");
#endif
}
// The copies begun since the last call belong together.
RONDO_INLINE void end_copies() {
#if !defined(RONDO_SIMULATED)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until no more than the last `later` groups of this thread's copies are under way.
template <int later>
RONDO_INLINE void wait_for_copies() {
#if !defined(RONDO_SIMULATED)
  asm volatile("cp.async.wait_group %0;" ::"n"(later) : "memory");
#endif
}

// The larger one, or the one that is a number.
RONDO_INLINE f32 larger(f32 a, f32 b) {
#if defined(RONDO_SIMULATED)
  return b > a || a != a ? b : a;
#else
  return fmaxf(a, b);
#endif
}
#endif

}  // namespace rondo::device
