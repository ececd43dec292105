// Runs all-reduce between devices that reach each other's memory. Each rank has a pad, memory that all of them write:
// records of its blocks, slots for data. A block works with the blocks of the same number on the other devices, and
// with no other: it counts its steps in its own pad, as they do in theirs, so a kernel is launched again and again, by
// a graph too, with the same arguments. Every rank adds in the order of ranks and rounds once: all have the same bits.
//
// Why three slots are enough. A word of step k is sent once the sender has received what step k - 1 of the same kernel
// sent to it, or once its previous kernel is over, which had received from every peer. So no rank is more than one step
// ahead of one that has not read yet, within a kernel and from one to the next: two slots would do, and the third is
// what a later kernel with fewer threads may need (tests/unit/peer_test.cc runs them against each other). A word that
// no rank wrote for 2^32 steps of its block could be taken for a new one.
//
// No rank waits without end: one that waits looks now and then at a word of the host's and at the clock, and goes on
// with what is there. The result is wrong then, and the host knows it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/peer/peer_words.h"

namespace rondo::device {

constexpr int kPeerRanks = 8;     // most of a group
constexpr int kPeerBlocks = 128;  // most of a kernel
constexpr int kPeerThreads = 512;
constexpr int kPeerSlots = 3;
constexpr int kStageUnits = 2;  // of 16 bytes that a thread has under way
constexpr int kReachUnits = 4;

enum PeerMethod : i32 {
  kPeerPush,     // each 8 bytes travel with a flag of their own, to a slot: fastest for little
  kPeerStage,    // data travel to a slot, with one flag for a block of them
  kPeerPull,     // each rank reads the others' inputs where they lie; as exchange where somebody works in place
  kPeerExchange  // each rank reads its part of the others' inputs, and writes it to all outputs
};
enum PeerOperation : i32 { kPeerSum, kPeerMean, kPeerProd, kPeerMin, kPeerMax };

// Written by a block of another rank for the block of the same number here.
struct alignas(128) PeerRecord {
  PeerQuad start[2];  // its input and its output: each half of an address with the step; 0 for what nobody may reach
  u32 arrived[kPeerSlots + 1];
  u32 end;  // the step that it has ended with
};

// The pad: steps and tickets of its own rank, records, slots. Zero at first.
struct PeerPad {
  u32 steps[kPeerBlocks];
  u32 tickets;
  u32 aborted;             // nobody waits any longer; written by the host, and by whoever has waited too long
  u32 closed[kPeerRanks];  // written by ranks of other processes when they use it no more
  alignas(128) PeerRecord records[kPeerRanks][kPeerBlocks];
};

// Most blocks that kernels with slots have.
RONDO_INLINE constexpr int peer_slot_blocks(int ranks) {
  return ranks <= 2 ? 64 : ranks <= 4 ? 32 : 16;
}
constexpr u32 kPushBytes = kPeerThreads * 16;                 // of a block's slot
constexpr u32 kStageBytes = kStageUnits * kPeerThreads * 16;  // of a block's slot
// The beginning of the slot of a rank's block, in a pad.
RONDO_INLINE constexpr u32 peer_slot(int ranks, u32 slot, int rank, int block) {
  return (slot * static_cast<u32>(ranks) + static_cast<u32>(rank)) * static_cast<u32>(peer_slot_blocks(ranks)) +
         static_cast<u32>(block);
}
RONDO_INLINE constexpr u32 push_slot(int ranks, u32 slot, int rank, int block) {
  return static_cast<u32>(sizeof(PeerPad)) + peer_slot(ranks, slot, rank, block) * kPushBytes;
}
RONDO_INLINE constexpr u32 stage_slot(int ranks, u32 slot, int rank, int block) {
  return push_slot(ranks, kPeerSlots, 0, 0) + peer_slot(ranks, slot, rank, block) * kStageBytes;
}
RONDO_INLINE constexpr u32 peer_pad_bytes(int ranks) {
  return stage_slot(ranks, kPeerSlots, 0, 0);
}

// Shared with the host, in its memory.
struct PeerControl {
  u32 abort;   // written by the host: as `aborted` in the pad, for the case that no copy gets there
  u32 report;  // written by kernels: 1 + the rank that was waited for too long
};

struct PeerArguments {
  const void* in;
  void* out;
  i64 count;  // of elements
  i32 rank;
  i32 within_reach;  // the others may read `in` and write `out`
  u64 limit;         // of waiting, in nanoseconds; 0: none
  PeerControl* control;
  u8* pads[kPeerRanks];
};

struct PeerLane {
  i32 thread, threads, block, blocks;
};

#if defined(RONDO_SIMULATED)
// Blocks of a simulated device run one after the other, in any order: they are numbered as they come.
RONDO_INLINE PeerLane peer_lane(const PeerArguments& args) {
  __shared__ u32 block;
  auto* pad = reinterpret_cast<PeerPad*>(args.pads[args.rank]);
  if (threadIdx.x == 0) block = atomicAdd(&pad->tickets, 1u) % gridDim.x;
  __syncthreads();
  return {static_cast<i32>(threadIdx.x), static_cast<i32>(blockDim.x), static_cast<i32>(block),
          static_cast<i32>(gridDim.x)};
}
#elif defined(__CUDACC_RTC__)
RONDO_INLINE PeerLane peer_lane(const PeerArguments&) {
  return {static_cast<i32>(threadIdx.x), static_cast<i32>(blockDim.x), static_cast<i32>(blockIdx.x),
          static_cast<i32>(gridDim.x)};
}
#endif

// --- waiting ---
struct PeerWait {
  const PeerArguments& args;
  bool alive = true;  // false: what is waited for does not come
  u32 polls = 0;
  u64 since = 0;

  // After a look in vain; false: no more looks.
  RONDO_INLINE bool again(i32 rank) {
    peer_rest();
    if (++polls % kPeerPolls != 0) return true;
    u32* const aborted = &reinterpret_cast<PeerPad*>(args.pads[args.rank])->aborted;
    if (peer_word(aborted) != 0) return alive = false;
    const u64 now = peer_clock();
    if (since == 0) since = now;
    const bool late = args.limit != 0 && now - since > args.limit;
    if (late) peer_set_word(&args.control->report, static_cast<u32>(rank) + 1);
    // Reads of the host's memory come one after the other, a microsecond each: seldom.
    if (!late && (polls % (kPeerPolls * 64) != 0 || peer_word(&args.control->abort) == 0)) return true;
    peer_set_word(aborted, 1);
    return alive = false;
  }
  // Two words that travelled with their step.
  RONDO_INLINE PeerQuad quad(const PeerQuad* from, u32 step, i32 rank) {
    PeerQuad seen = peer_look(from);
    since = 0;
    while (alive && (seen.v[1] != step || seen.v[3] != step)) {
      if (!again(rank)) break;
      seen = peer_look(from);
    }
    return seen;
  }
  RONDO_INLINE void flag(const u32* from, u32 step, i32 rank) {
    since = 0;
    while (alive && peer_acquire(from) != step)
      if (!again(rank)) break;
  }
};

RONDO_INLINE u32 peer_next(u32 step) {
  return step == 0xffffffffu ? 1u : step + 1u;  // never what a fresh pad holds
}

// --- data ---
// One unit: as many elements as fill 8 or 16 bytes, or what is left at the end.
template <class M, int N>
RONDO_INLINE Pack<M, N> peer_load(const void* from, i64 unit, i64 count, bool aligned) {
  const M* at = static_cast<const M*>(from) + unit * N;
  if (aligned && (unit + 1) * N <= count) return load_pack<M, N>(at);
  Pack<M, N> pack = {};
  for (int i = 0; i < N; ++i)
    if (unit * N + i < count) pack.v[i] = at[i];
  return pack;
}
template <class M, int N>
RONDO_INLINE void peer_store(void* to, i64 unit, i64 count, bool aligned, const Pack<M, N>& pack) {
  M* at = static_cast<M*>(to) + unit * N;
  if (aligned && (unit + 1) * N <= count) return store_pack<M, N>(at, pack);
  for (int i = 0; i < N; ++i)
    if (unit * N + i < count) at[i] = pack.v[i];
}
RONDO_INLINE bool peer_aligned(const void* address, u64 bytes) {
  return reinterpret_cast<u64>(address) % bytes == 0;
}
// The same from another device, whose memory is read past the caches.
template <class M>
RONDO_INLINE Pack<M, 16 / sizeof(M)> peer_fetch(const void* from, i64 unit, i64 count, bool aligned) {
  constexpr int N = 16 / sizeof(M);
  if (aligned && (unit + 1) * N <= count)
    return bits_as<Pack<M, N>>(peer_read(reinterpret_cast<const PeerQuad*>(from) + unit));
  return peer_load<M, N>(from, unit, count, false);
}

template <int kOperation, class T>
RONDO_INLINE T peer_combine(T a, T b) {
  if constexpr (kOperation == kPeerProd)
    return op_mul(a, b);
  else if constexpr (kOperation == kPeerMin)
    return op_minimum(a, b);
  else if constexpr (kOperation == kPeerMax)
    return op_maximum(a, b);
  else
    return op_add(a, b);
}
template <class M, int N, int kOperation, int kRanks>
RONDO_INLINE Pack<M, N> peer_reduce(const Pack<M, N> (&given)[kRanks]) {
  Pack<M, N> result;
  for (int i = 0; i < N; ++i) {
    Register<M> value = from_memory(given[0].v[i]);
    for (int r = 1; r < kRanks; ++r) value = peer_combine<kOperation>(value, from_memory(given[r].v[i]));
    if constexpr (kOperation == kPeerMean && is_floating<Register<M>>) value = value / static_cast<Register<M>>(kRanks);
    result.v[i] = to_memory<M>(value);
  }
  return result;
}

// --- methods; each returns the step that the block has come to ---
template <class M, int kOperation, int kRanks>
RONDO_INLINE u32 peer_push(const PeerArguments& args, const PeerLane& lane, u32 step) {
  constexpr int N = 8 / sizeof(M);
  const i64 units = (args.count + N - 1) / N;
  const i64 row = static_cast<i64>(lane.blocks) * lane.threads;
  const bool in_aligned = peer_aligned(args.in, 8);
  const bool out_aligned = peer_aligned(args.out, 8);
  PeerWait wait{args};
  i64 unit = static_cast<i64>(lane.block) * lane.threads + lane.thread;
  for (i64 begin = 0; begin < units; begin += row, unit += row) {
    Pack<M, N> given[kRanks] = {};
    if (unit < units) given[0] = peer_load<M, N>(args.in, unit, args.count, in_aligned);
    step = peer_next(step);
    const u32 slot = step % kPeerSlots;
    const Pack<M, N> own = given[0];
    if (unit < units) {
      const u64 bits = bits_as<u64>(own);
      const PeerQuad quad = {{static_cast<u32>(bits), step, static_cast<u32>(bits >> 32), step}};
      for (int r = 0; r < kRanks; ++r)
        if (r != args.rank)
          peer_send(
              reinterpret_cast<PeerQuad*>(args.pads[r] + push_slot(kRanks, slot, args.rank, lane.block)) + lane.thread,
              quad);
    }
    peer_barrier();
    if (unit >= units) continue;
    for (int r = 0; r < kRanks; ++r) {
      if (r == args.rank) {
        given[r] = own;
        continue;
      }
      const PeerQuad quad =
          wait.quad(reinterpret_cast<const PeerQuad*>(args.pads[args.rank] + push_slot(kRanks, slot, r, lane.block)) +
                        lane.thread,
                    step, r);
      given[r] = bits_as<Pack<M, N>>(quad.v[0] | static_cast<u64>(quad.v[2]) << 32);
    }
    peer_store<M, N>(args.out, unit, args.count, out_aligned, peer_reduce<M, N, kOperation, kRanks>(given));
  }
  return step;
}

template <class M, int kOperation, int kRanks>
RONDO_INLINE u32 peer_stage(const PeerArguments& args, const PeerLane& lane, u32 step) {
  constexpr int N = 16 / sizeof(M);
  const i64 units = (args.count + N - 1) / N;
  const i64 row = static_cast<i64>(lane.blocks) * lane.threads;
  const bool in_aligned = peer_aligned(args.in, 16);
  const bool out_aligned = peer_aligned(args.out, 16);
  auto* own = reinterpret_cast<PeerPad*>(args.pads[args.rank]);
  PeerWait wait{args};
  for (i64 begin = 0; begin < units; begin += row * kStageUnits) {
    step = peer_next(step);
    const i64 block = begin + static_cast<i64>(lane.block) * lane.threads;
    if (block >= units) continue;  // nothing for this block here, on no rank
    const u32 slot = step % kPeerSlots;
    Pack<M, N> mine[kStageUnits];
    for (int k = 0; k < kStageUnits; ++k) {
      const i64 unit = block + k * row + lane.thread;
      if (unit < units) mine[k] = peer_load<M, N>(args.in, unit, args.count, in_aligned);
    }
    for (int k = 0; k < kStageUnits; ++k) {
      if (block + k * row + lane.thread >= units) break;
      for (int r = 0; r < kRanks; ++r)
        if (r != args.rank)
          peer_write(reinterpret_cast<PeerQuad*>(args.pads[r] + stage_slot(kRanks, slot, args.rank, lane.block)) +
                         k * lane.threads + lane.thread,
                     bits_as<PeerQuad>(mine[k]));
    }
    peer_barrier();
    for (int r = lane.thread; r < kRanks; r += lane.threads)
      if (r != args.rank)
        peer_release(&reinterpret_cast<PeerPad*>(args.pads[r])->records[args.rank][lane.block].arrived[slot], step);
    peer_barrier();
    for (int r = lane.thread; r < kRanks; r += lane.threads)
      if (r != args.rank) wait.flag(&own->records[r][lane.block].arrived[slot], step, r);
    wait.alive = peer_all(wait.alive);
    for (int k = 0; k < kStageUnits; ++k) {
      const i64 unit = block + k * row + lane.thread;
      if (unit >= units) break;
      Pack<M, N> given[kRanks];
      for (int r = 0; r < kRanks; ++r)
        given[r] =
            r == args.rank
                ? mine[k]
                : bits_as<Pack<M, N>>(peer_read(reinterpret_cast<const PeerQuad*>(
                                                    args.pads[args.rank] + stage_slot(kRanks, slot, r, lane.block)) +
                                                k * lane.threads + lane.thread));
      peer_store<M, N>(args.out, unit, args.count, out_aligned, peer_reduce<M, N, kOperation, kRanks>(given));
    }
  }
  return step;
}

// Reads units [begin, end) of all inputs and writes them to this rank's output, or to all.
template <class M, int kOperation, int kRanks, bool kAll>
RONDO_INLINE void peer_move(const PeerArguments& args, const PeerLane& lane, const u8* const (&in)[kRanks],
                            u8* const (&out)[kRanks], i64 begin, i64 end) {
  constexpr int N = 16 / sizeof(M);
  bool aligned = true;
  for (int r = 0; r < kRanks; ++r) aligned = aligned && peer_aligned(in[r], 16) && peer_aligned(out[r], 16);
  const i64 row = static_cast<i64>(lane.blocks) * lane.threads;
  begin += static_cast<i64>(lane.block) * lane.threads + lane.thread;
  for (; begin < end; begin += row * kReachUnits) {
    Pack<M, N> given[kReachUnits][kRanks];
    for (int k = 0; k < kReachUnits; ++k) {
      const i64 unit = begin + k * row;
      if (unit >= end) break;
      for (int r = 0; r < kRanks; ++r) given[k][r] = peer_fetch<M>(in[r], unit, args.count, aligned);
    }
    for (int k = 0; k < kReachUnits; ++k) {
      const i64 unit = begin + k * row;
      if (unit >= end) break;
      const Pack<M, N> result = peer_reduce<M, N, kOperation, kRanks>(given[k]);
      for (int r = 0; r < kRanks; ++r)
        if (kAll || r == args.rank) peer_store<M, N>(out[r], unit, args.count, aligned, result);
    }
  }
}

// Peers read and write tensors where they lie. The addresses travel with the flag that says that the input is there.
template <class M, int kOperation, int kRanks, bool kPull>
RONDO_INLINE u32 peer_reach(const PeerArguments& args, const PeerLane& lane, u32 step) {
  constexpr int N = 16 / sizeof(M);
  const i64 units = (args.count + N - 1) / N;
  auto* own = reinterpret_cast<PeerPad*>(args.pads[args.rank]);
  const u64 addresses[2] = {args.within_reach ? reinterpret_cast<u64>(args.in) : 0,
                            args.within_reach ? reinterpret_cast<u64>(args.out) : 0};
  step = peer_next(step);
  const u32 started = step;
  for (int r = lane.thread; r < kRanks; r += lane.threads)
    if (r != args.rank)
      for (int i = 0; i < 2; ++i)
        peer_publish(&reinterpret_cast<PeerPad*>(args.pads[r])->records[args.rank][lane.block].start[i],
                     PeerQuad{{static_cast<u32>(addresses[i]), step, static_cast<u32>(addresses[i] >> 32), step}});
  peer_barrier();
  // A peer that has given up does not want its memory written; a rank that comes that late has been told.
  const u32 aborted = peer_word(&own->aborted);
  const u8* in[kRanks];
  u8* out[kRanks];
  bool reach = args.within_reach != 0;
  bool in_place = args.in == args.out;
  PeerWait wait{args};
  for (int r = 0; r < kRanks; ++r) {
    u64 address[2] = {addresses[0], addresses[1]};
    if (r != args.rank)
      for (int i = 0; i < 2; ++i) {
        const PeerQuad quad = wait.quad(&own->records[r][lane.block].start[i], step, r);
        address[i] = quad.v[0] | static_cast<u64>(quad.v[2]) << 32;
        if (lane.thread == 0) peer_seen(&own->records[r][lane.block].start[i]);
      }
    in[r] = reinterpret_cast<const u8*>(address[0]);
    out[r] = reinterpret_cast<u8*>(address[1]);
    reach = reach && in[r] && out[r];
    in_place = in_place || in[r] == out[r];
  }
  if (!peer_all(wait.alive && aborted == 0)) return step;
  if (!reach)
    step = peer_stage<M, kOperation, kRanks>(args, lane, step);
  else if (kPull && !in_place)
    peer_move<M, kOperation, kRanks, false>(args, lane, in, out, 0, units);
  else
    peer_move<M, kOperation, kRanks, true>(args, lane, in, out, units * args.rank / kRanks,
                                           units * (args.rank + 1) / kRanks);
  peer_barrier();
  for (int r = lane.thread; r < kRanks; r += lane.threads)
    if (r != args.rank)
      peer_release(&reinterpret_cast<PeerPad*>(args.pads[r])->records[args.rank][lane.block].end, started);
  peer_barrier();
  for (int r = lane.thread; r < kRanks; r += lane.threads)
    if (r != args.rank) wait.flag(&own->records[r][lane.block].end, started, r);
  return step;
}

template <class M, int kMethod, int kOperation, int kRanks>
RONDO_INLINE void peer_all_reduce(const PeerArguments& args, const PeerLane& lane) {
  auto* own = reinterpret_cast<PeerPad*>(args.pads[args.rank]);
  u32 step = own->steps[lane.block];
  if constexpr (kMethod == kPeerPush)
    step = peer_push<M, kOperation, kRanks>(args, lane, step);
  else if constexpr (kMethod == kPeerStage)
    step = peer_stage<M, kOperation, kRanks>(args, lane, step);
  else
    step = peer_reach<M, kOperation, kRanks, kMethod == kPeerPull>(args, lane, step);
  if constexpr (kMethod != kPeerPush) peer_barrier();  // all have read the step; there they have met since
  if (lane.thread == 0) own->steps[lane.block] = step;
}

}  // namespace rondo::device
