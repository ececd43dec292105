// What the host compiler's kernel-address instrumentation calls instead of touching a shadow of its own, and what it
// calls for large structs. The same for every kernel, so it is compiled once and linked to each. Copyright 2026 the
// Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks.h"

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

// Volatile keeps the loops from becoming calls to themselves.
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
