// Keeps calls for which a driver waits until a GPU is idle apart from collectives that one rank of this process has
// given to its GPU and another rank has not.
//
// A driver that frees pinned memory waits for every GPU of the process, and lets no other call in meanwhile. If the
// kernel of one rank waits on its GPU for another rank, whose launch stands before that lock, neither ever goes on. So
// such a call is put off while a collective is begun on some of its ranks here and not on all, and a collective that no
// rank has begun waits while such a call is under way.
//
// Collectives of one engine on one GPU are in one order, the same on all GPUs. For those of several engines in one
// process there is none, so two GPUs could meet two collectives in different orders, each in front of the other in one
// of a GPU's few queues. So a collective is begun by its first rank only when no collective of another engine is half
// begun: then all GPUs are given them in one order.
//
// Only groups with two or more ranks in this process count. All
// functions are thread-safe.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace rondo::cuda {

// One rank's end of a group, from when the rank can begin collectives until it cannot.
class GateMember {
 public:
  // `idle` returns whether all that the rank has begun is known to be done; it is called with the gate's lock held and
  // must not call the gate.
  GateMember(const void* engine, uint64_t group, std::function<bool()> idle);
  // Takes the place of another one, which goes: the rank begins nothing any more, and what it has begun goes on.
  GateMember(GateMember& left, std::function<bool()> idle);
  ~GateMember();
  GateMember(const GateMember&) = delete;
  GateMember& operator=(const GateMember&) = delete;

  // A collective is about to be issued. The first rank of a group waits for frees that are under way, and for ranks of
  // other engines in this process that follow the first of theirs.
  // `messages`: sends and receives alone, which a part of the ranks takes part in. Nothing is known of those but
  // whether the device is done with them.
  void begin(bool messages);
  // It has been issued, or could not be.
  void issued(bool messages);
  // The rank begins nothing any more, and the others will not wait for it.
  void leave() noexcept;

 private:
  friend class Gate;
  const void* const engine_;
  const uint64_t group_;
  const std::function<bool()> idle_;
  uint64_t begun_ = 0;
  uint64_t issued_ = 0;
  bool messages_ = false;  // were begun
};

// Calls `release(device, what)`: at once where no collective waits for a rank of this process; else it is put off until
// none does, and called by a thread of release_late().
void release_apart(void (*release)(void* device, void* what), void* device, void* what);
// Calls what was put off, if it may be called now. May wait for the GPUs. Returns whether there is something left.
bool release_late();
bool frees_are_put_off();

// While it exists, no collective is begun by its first rank, and release_apart() puts calls off: while a library makes
// communicators, for which it allocates, frees and launches. One thread has it at a time. It waits a second at most
// until no collective is half begun, and goes on then, since what it is waiting for may be what its own thread does
// next.
class GateClosed {
 public:
  GateClosed();
  ~GateClosed();
  GateClosed(const GateClosed&) = delete;
  GateClosed& operator=(const GateClosed&) = delete;
};

}  // namespace rondo::cuda
