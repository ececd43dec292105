// Runs collectives of GPUs by NCCL, whose library is opened at run time.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "comm/rendezvous/session.h"
#include "comm/transport/options.h"
#include "comm/transport/transport.h"
#include "device/device.h"

namespace rondo::comm {

// Blocks until all ranks of the session are connected, at most the time limit, and not when `lost` says why one will
// not come.
Status make_nccl_transport(StreamDevice& device, Session& session, const Options& options,
                           const std::function<Status()>& lost, std::unique_ptr<Transport>* made);

}  // namespace rondo::comm
