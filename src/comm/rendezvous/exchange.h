// Declares how data of collectives move between hosts: one step at a time, each of any number of messages to and from
// any ranks. Every collective on cpu devices is made of such steps (host_transport.cc).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "comm/rendezvous/net.h"

namespace rondo::comm {

// Between two ranks, messages arrive in the order in which they were sent.
struct Message {
  int rank;    // whom to, whom from; may be this one
  void* data;  // of a message that is sent, only read
  size_t bytes;
};

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  // Sends and receives all of it; returns when the memory of both is the caller's again. `what` is what the step is a
  // part of: where both ends' differ, or their sizes, that is an error which names the other rank. One thread at a
  // time. RONDO_TIMED_OUT names the ranks that are waited for; RONDO_RANK_LOST one that has gone: a rank whose exchange
  // is destroyed has left, and what it has not sent by then will not come.
  virtual Status run(std::span<const Message> sends, std::span<const Message> receives, uint64_t what,
                     const Deadline& deadline) = 0;
  // Makes run() fail with the cause, now and ever; from any thread. The first cause stays.
  virtual void abort(const Status& cause) = 0;
};

// A step is a number, of the collectives so far, times 256, and the kind of collective. The error where two ranks'
// differ.
Status another_step(int rank, uint64_t theirs, int own_rank, uint64_t ours);

}  // namespace rondo::comm
