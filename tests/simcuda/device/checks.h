// Every load and store of a kernel passes here: the host compiler's kernel-address instrumentation calls these
// functions instead of touching a shadow of its own. The fast path clears what lies on the lane's stack or in valid,
// written device memory; the rest goes to the driver, which knows allocations, shared memory and names. Part of the
// text put in front of a kernel. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

SIMCUDA_UNCHECKED inline __attribute__((always_inline)) bool simcuda_within(const SimcudaRange& range,
                                                                            unsigned long long address,
                                                                            unsigned long long bytes) {
  return address - range.begin < range.bytes && address - range.begin + bytes <= range.bytes;
}

template <unsigned bytes, int kind>
SIMCUDA_UNCHECKED inline __attribute__((always_inline)) void simcuda_check(unsigned long long address) {
  SimcudaLane* lane = simcuda_lane();
  if ((address ^ reinterpret_cast<unsigned long long>(lane)) < SIMCUDA_STACK_BYTES) return;
  unsigned long long offset = address - lane->heap;
  if (offset < lane->heap_bytes && address % bytes == 0) {
    constexpr unsigned low = bytes >= 8 ? 0xffu : (1u << bytes) - 1u;
    unsigned mask = bytes >= 8 ? low : low << (offset & 7);
    unsigned char* valid = lane->valid + (offset >> 3);
    unsigned char* written = lane->written + (offset >> 3);
    bool good = (*valid & mask) == mask;
    if (bytes == 16) good = good && valid[1] == 0xffu;
    if (kind == SIMCUDA_STORE) {
      if (good) {
        if ((*written & mask) != mask) __atomic_fetch_or(written, static_cast<unsigned char>(mask), __ATOMIC_RELAXED);
        if (bytes == 16) __atomic_store_n(written + 1, static_cast<unsigned char>(0xffu), __ATOMIC_RELAXED);
        return;
      }
    } else {
      good = good && (*written & mask) == mask;
      if (bytes == 16) good = good && written[1] == 0xffu;
      if (good) return;
    }
  } else if (address % bytes == 0 &&
             (simcuda_within(lane->shared_dynamic, address, bytes) ||
              simcuda_within(lane->shared_static, address, bytes) || simcuda_within(lane->image, address, bytes))) {
    return;
  }
  lane->runtime.access(lane, address, bytes, kind);
}

// Accesses of odd sizes: whole structs, which the device code moves member by member.
SIMCUDA_UNCHECKED inline void simcuda_check_bytes(unsigned long long address, unsigned long long bytes, int kind) {
  SimcudaLane* lane = simcuda_lane();
  if ((address ^ reinterpret_cast<unsigned long long>(lane)) < SIMCUDA_STACK_BYTES) return;
  if (simcuda_within(lane->shared_dynamic, address, bytes) || simcuda_within(lane->shared_static, address, bytes) ||
      simcuda_within(lane->image, address, bytes))
    return;
  lane->runtime.access(lane, address, bytes, kind);
}

// clang-format off
extern "C" {
#define SIMCUDA_HOOK SIMCUDA_UNCHECKED __attribute__((visibility("hidden"))) void
#define SIMCUDA_HOOKS(n)                                                                                  \
  SIMCUDA_HOOK __asan_load##n##_noabort(unsigned long address) { simcuda_check<n, SIMCUDA_LOAD>(address); } \
  SIMCUDA_HOOK __asan_store##n##_noabort(unsigned long address) { simcuda_check<n, SIMCUDA_STORE>(address); }
SIMCUDA_HOOKS(1)
SIMCUDA_HOOKS(2)
SIMCUDA_HOOKS(4)
SIMCUDA_HOOKS(8)
SIMCUDA_HOOKS(16)
SIMCUDA_HOOK __asan_loadN_noabort(unsigned long address, unsigned long bytes) { simcuda_check_bytes(address, bytes, SIMCUDA_LOAD); }
SIMCUDA_HOOK __asan_storeN_noabort(unsigned long address, unsigned long bytes) { simcuda_check_bytes(address, bytes, SIMCUDA_STORE); }
SIMCUDA_HOOK __asan_handle_no_return() {}
#undef SIMCUDA_HOOKS
#undef SIMCUDA_HOOK
}
// clang-format on

// Called by kernels, and by the compiler for large structs. Volatile keeps the loops from becoming calls to themselves.
extern "C" {
#define SIMCUDA_BYTES SIMCUDA_UNCHECKED __attribute__((visibility("hidden"), noinline))
SIMCUDA_BYTES void* memmove(void* to, const void* from, size_t bytes) noexcept {
  if (bytes == 0) return to;
  simcuda_check_bytes(reinterpret_cast<unsigned long long>(from), bytes, SIMCUDA_LOAD);
  simcuda_check_bytes(reinterpret_cast<unsigned long long>(to), bytes, SIMCUDA_STORE);
  auto* target = static_cast<volatile char*>(to);
  auto* source = static_cast<const volatile char*>(from);
  if (target < source)
    for (size_t i = 0; i < bytes; ++i) target[i] = source[i];
  else
    for (size_t i = bytes; i-- > 0;) target[i] = source[i];
  return to;
}
SIMCUDA_BYTES void* memcpy(void* to, const void* from, size_t bytes) noexcept {
  return memmove(to, from, bytes);
}
SIMCUDA_BYTES void* memset(void* to, int value, size_t bytes) noexcept {
  if (bytes == 0) return to;
  simcuda_check_bytes(reinterpret_cast<unsigned long long>(to), bytes, SIMCUDA_STORE);
  auto* target = static_cast<volatile char*>(to);
  for (size_t i = 0; i < bytes; ++i) target[i] = static_cast<char>(value);
  return to;
}
#undef SIMCUDA_BYTES
}
