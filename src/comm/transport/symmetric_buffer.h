// Keeps the buffers of a group of GPUs of one host: memory of each that kernels of all of them read and write. In one
// process by peer access, between processes by handles of the driver.
//
// One object is one rank's end. A buffer lives until no kernel can reach it any more: in one process until the last end
// is gone; a buffer that other processes have opened is kept until they have said that they use it no more.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "comm/rendezvous/session.h"
#include "device/cuda/cuda_device.h"
#include "rtc/device/peer/peer.h"

namespace rondo::comm {

// The memory of one rank's buffer.
class SymmetricMemory;

class SymmetricBuffers {
 public:
  // Every rank of the session calls it, and all get the same outcome; RONDO_UNSUPPORTED says what keeps the group from
  // sharing memory. Blocks until all have come.
  static Status make(cuda::CudaDevice& device, Session& session, std::unique_ptr<SymmetricBuffers>* made);
  // When no kernel of this rank uses them any more.
  ~SymmetricBuffers();
  SymmetricBuffers(const SymmetricBuffers&) = delete;
  SymmetricBuffers& operator=(const SymmetricBuffers&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(addresses_.size()); }
  // All ranks are in this process: their tensors can be reached too.
  bool one_process() const { return opened_.empty(); }
  device::PeerControl& control() const { return *control_; }
  // Ends every wait of this rank's kernels. Never blocks; any thread.
  void abort();
  // Fills in what every kernel is given.
  void describe(device::PeerArguments* arguments) const;

 private:
  explicit SymmetricBuffers(cuda::CudaDevice& device) : device_(device) {}
  Status meet(Session& session);
  Status prepare(Session& session);
  Status open_buffers(const std::vector<std::string>& offers);

  cuda::CudaDevice& device_;
  int rank_ = 0;
  void* stream_ = nullptr;
  device::PeerControl* control_ = nullptr;  // pinned
  std::once_flag aborted_;
  std::shared_ptr<SymmetricMemory> own_;
  std::vector<std::shared_ptr<SymmetricMemory>> others_;  // of this process
  std::vector<bool> near_;                                // by rank: in this process
  std::vector<unsigned char*> addresses_;                 // by rank, as this device sees them
  std::vector<unsigned char*> opened_;                    // of other processes
};

}  // namespace rondo::comm
