// Chooses which way an all-reduce goes, by its size: one of Rondo's own kernels, or the library. Measured when a
// communicator is made; rank 0's table counts for all, since all ranks must go the same way.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/transport/peer_kernels.h"

namespace rondo::comm {

// A way: a method of the kernels, or the transport that follows them.
using AllReduceMethod = int;
inline constexpr AllReduceMethod kNextWay = device::kPeerExchange + 1;
const char* way_name(AllReduceMethod way);  // "push", "library"

class PeerChoice {
 public:
  AllReduceMethod operator()(size_t bytes) const;
  // True if any size goes by the kernels.
  bool own() const;
  // "up to 16384 bytes push, beyond exchange"
  std::string text() const;

 private:
  friend class PeerMeasure;
  struct Class {
    size_t up_to;
    AllReduceMethod way;
  };
  std::vector<Class> classes_;
};

// Tries every method, and that its sums are right: RONDO_UNSUPPORTED with what was wrong. Blocks until all ranks have
// tried, each at most ten seconds for each method; all have the same outcome.
Status try_peer_kernels(cuda::CudaDevice& device, Session& session, SymmetricBuffers& buffers, int max_blocks);

// Measures for about 50 ms; `next` may be null. Every rank calls it.
Status measure_peer_kernels(cuda::CudaDevice& device, Session& session, SymmetricBuffers& buffers,
                            const PeerKernels& kernels, Transport* next, PeerChoice* choice);

}  // namespace rondo::comm
