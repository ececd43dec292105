// Launches Rondo's own all-reduce: chooses which kernel, and in how many blocks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/transport/symmetric_buffer.h"
#include "comm/transport/transport.h"
#include "rtc/kernel.h"

namespace rondo::comm {

class PeerKernels {
 public:
  // limit_ns: how long a kernel waits for peers; 0: until it is told to stop. max_blocks is the same on every rank.
  PeerKernels(cuda::CudaDevice& device, const SymmetricBuffers& buffers, int max_blocks, uint64_t limit_ns)
      : device_(device), buffers_(buffers), max_blocks_(max_blocks), limit_ns_(limit_ns) {}

  // True if there is a kernel for the operation and its dtype.
  static bool serves(const Operation& operation);
  static size_t bytes_of(const Operation& operation);

  // Compiles and loads; no launch after that does. Any thread.
  Status prepare(const Operation& operation, device::PeerMethod method) const;
  // Enqueues. The method is the same on every rank.
  Status launch(const Operation& operation, device::PeerMethod method, void* stream) const;

 private:
  Status find(const Operation& operation, device::PeerMethod method, const rtc::Kernel** kernel) const;
  // True if kernels of the other ranks may access the tensors' memory.
  bool within_reach(const void* address) const;

  cuda::CudaDevice& device_;
  const SymmetricBuffers& buffers_;
  const int max_blocks_;
  const uint64_t limit_ns_;
};

}  // namespace rondo::comm
