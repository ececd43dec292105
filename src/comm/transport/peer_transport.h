// Runs all-reduce between GPUs of one host by kernels of Rondo's own, over each other's memory. It stands before
// another transport, which gets everything else, and the sizes at which it is faster.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "comm/rendezvous/session.h"
#include "comm/transport/transport.h"
#include "device/device.h"

namespace rondo::comm {

struct PeerOptions {
  int64_t time_limit_ms = 0;  // kernels wait for their peers that long, and a little more; below 0: until abort()
  int max_blocks = 0;         // of a kernel; 0: as measured
};

// `next`: the transport that this one precedes; null where the library is missing, as `missing` says. *made: this one
// before `next`, or `next` alone where the devices do not reach each other's memory, or the setting says so; with
// neither, an error. Every rank of the session calls it, and all get the same. Blocks until all have come.
Status make_peer_transport(StreamDevice& device, Session& session, const PeerOptions& options,
                           std::unique_ptr<Transport> next, const Status& missing, std::unique_ptr<Transport>* made);

}  // namespace rondo::comm
