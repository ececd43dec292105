// Writes words and blocks of data into other devices' memory, waits for them, and reads the clock: on a GPU, on a
// simulated one, and as the host twin, where a thread is a block of one thread.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/functions.h"

#if !defined(__CUDACC_RTC__) && !defined(RONDO_SIMULATED)
#include <chrono>
#include <thread>
#endif

namespace rondo::device {

// Two words of data, each with a flag of its own; or four of data.
struct alignas(16) PeerQuad {
  u32 v[4];
};

#if defined(__CUDACC_RTC__) && !defined(RONDO_SIMULATED)
RONDO_INLINE void peer_send(PeerQuad* to, const PeerQuad& quad) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(quad.v[0]), "r"(quad.v[1]),
               "r"(quad.v[2]), "r"(quad.v[3])
               : "memory");
}
// Whole in its halves of 8 bytes.
RONDO_INLINE PeerQuad peer_look(const PeerQuad* from) {
  PeerQuad quad;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(quad.v[0]), "=r"(quad.v[1]), "=r"(quad.v[2]), "=r"(quad.v[3])
               : "l"(from)
               : "memory");
  return quad;
}
// Memory that others write, from where it is and not from a cache of this device's.
RONDO_INLINE PeerQuad peer_read(const PeerQuad* from) {
  PeerQuad quad;
  asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(quad.v[0]), "=r"(quad.v[1]), "=r"(quad.v[2]), "=r"(quad.v[3])
               : "l"(from)
               : "memory");
  return quad;
}
RONDO_INLINE void peer_write(PeerQuad* to, const PeerQuad& quad) {
  *to = quad;
}
RONDO_INLINE void peer_release(u32* to, u32 value) {
  asm volatile("fence.acq_rel.sys; st.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
RONDO_INLINE u32 peer_acquire(const u32* from) {
  u32 value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
// The same for quads: what was written before is there for who has seen it.
RONDO_INLINE void peer_publish(PeerQuad* to, const PeerQuad& quad) {
  asm volatile("fence.acq_rel.sys;" ::: "memory");
  peer_send(to, quad);
}
RONDO_INLINE void peer_seen(const PeerQuad*) {
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}
RONDO_INLINE u32 peer_word(const u32* from) {
  return *reinterpret_cast<const volatile u32*>(from);
}
RONDO_INLINE void peer_set_word(u32* to, u32 value) {
  *reinterpret_cast<volatile u32*>(to) = value;
}
RONDO_INLINE u64 peer_clock() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
RONDO_INLINE void peer_rest() {}
RONDO_INLINE void peer_barrier() {
  __syncthreads();
}
RONDO_INLINE bool peer_all(bool good) {
  return __syncthreads_and(good) != 0;
}
constexpr u32 kPeerPolls = 8192;  // between looks at the clock
#elif defined(RONDO_SIMULATED)
extern "C" int sched_yield() noexcept;
struct PeerTime {
  long seconds, nanoseconds;
};
extern "C" int clock_gettime(int, PeerTime*) noexcept;
RONDO_INLINE void peer_send(PeerQuad* to, const PeerQuad& quad) {
  auto* halves = reinterpret_cast<volatile u64*>(to);
  for (int i = 0; i < 2; ++i) halves[i] = quad.v[2 * i] | static_cast<u64>(quad.v[2 * i + 1]) << 32;
}
RONDO_INLINE PeerQuad peer_look(const PeerQuad* from) {
  auto* halves = reinterpret_cast<const volatile u64*>(from);
  PeerQuad quad;
  for (int i = 0; i < 2; ++i) {
    const u64 half = halves[i];
    quad.v[2 * i] = static_cast<u32>(half);
    quad.v[2 * i + 1] = static_cast<u32>(half >> 32);
  }
  return quad;
}
RONDO_INLINE PeerQuad peer_read(const PeerQuad* from) {
  return peer_look(from);
}
RONDO_INLINE void peer_write(PeerQuad* to, const PeerQuad& quad) {
  peer_send(to, quad);
}
RONDO_INLINE void peer_release(u32* to, u32 value) {
  __threadfence_system();
  *reinterpret_cast<volatile u32*>(to) = value;
}
RONDO_INLINE u32 peer_word(const u32* from) {
  return *reinterpret_cast<const volatile u32*>(from);
}
RONDO_INLINE void peer_set_word(u32* to, u32 value) {
  *reinterpret_cast<volatile u32*>(to) = value;
}
RONDO_INLINE u32 peer_acquire(const u32* from) {
  const u32 value = peer_word(from);
  __threadfence_system();
  return value;
}
RONDO_INLINE void peer_publish(PeerQuad* to, const PeerQuad& quad) {
  __threadfence_system();
  peer_send(to, quad);
}
RONDO_INLINE void peer_seen(const PeerQuad*) {
  __threadfence_system();
}
RONDO_INLINE u64 peer_clock() {
  PeerTime now;
  clock_gettime(1, &now);
  return static_cast<u64>(now.seconds) * 1000000000ull + static_cast<u64>(now.nanoseconds);
}
RONDO_INLINE void peer_rest() {
  sched_yield();
}
RONDO_INLINE void peer_barrier() {
  __syncthreads();
}
RONDO_INLINE bool peer_all(bool good) {
  return __syncthreads_and(good) != 0;
}
constexpr u32 kPeerPolls = 64;
#else
inline void peer_send(PeerQuad* to, const PeerQuad& quad) {
  auto* halves = reinterpret_cast<u64*>(to);
  for (int i = 0; i < 2; ++i)
    __atomic_store_n(halves + i, quad.v[2 * i] | static_cast<u64>(quad.v[2 * i + 1]) << 32, __ATOMIC_RELEASE);
}
inline PeerQuad peer_look(const PeerQuad* from) {
  auto* halves = reinterpret_cast<const u64*>(from);
  PeerQuad quad;
  for (int i = 0; i < 2; ++i) {
    const u64 half = __atomic_load_n(halves + i, __ATOMIC_ACQUIRE);
    quad.v[2 * i] = static_cast<u32>(half);
    quad.v[2 * i + 1] = static_cast<u32>(half >> 32);
  }
  return quad;
}
inline PeerQuad peer_read(const PeerQuad* from) {
  return *from;
}
inline void peer_write(PeerQuad* to, const PeerQuad& quad) {
  *to = quad;
}
inline void peer_release(u32* to, u32 value) {
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
}
inline u32 peer_acquire(const u32* from) {
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
inline void peer_publish(PeerQuad* to, const PeerQuad& quad) {
  auto* halves = reinterpret_cast<u64*>(to);
  for (int i = 0; i < 2; ++i)
    __atomic_store_n(halves + i, quad.v[2 * i] | static_cast<u64>(quad.v[2 * i + 1]) << 32, __ATOMIC_RELEASE);
}
inline void peer_seen(const PeerQuad* quad) {
  (void)__atomic_load_n(reinterpret_cast<const u64*>(quad), __ATOMIC_ACQUIRE);
}
inline u32 peer_word(const u32* from) {
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}
inline void peer_set_word(u32* to, u32 value) {
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
}
inline u64 peer_clock() {
  return static_cast<u64>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}
inline void peer_rest() {
  std::this_thread::yield();
}
inline void peer_barrier() {}
inline bool peer_all(bool good) {
  return good;
}
constexpr u32 kPeerPolls = 64;
#endif

}  // namespace rondo::device
