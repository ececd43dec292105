// Every load and store of a kernel passes here, by the hooks that hooks.h defines. The fast path clears what lies on
// the lane's stack or in valid, written device memory; the rest goes to the driver, which knows allocations, shared
// memory and names. Part of the text put in front of a kernel. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
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

// Called by kernels, and by the compiler for large structs; hooks.h has them.
extern "C" {
void* memmove(void* to, const void* from, size_t bytes) noexcept;
void* memcpy(void* to, const void* from, size_t bytes) noexcept;
void* memset(void* to, int value, size_t bytes) noexcept;
}
