// Runs collectives on cpu devices, by messages through the exchange of a session.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "comm/rendezvous/session.h"
#include "comm/transport/transport.h"

namespace rondo::comm {

// All ranks of the session call it. time_limit_ms: of a group of operations; below 0: none.
Status make_host_transport(std::shared_ptr<Session> session, int64_t time_limit_ms, const std::function<Status()>& lost,
                           std::unique_ptr<Transport>* made);

}  // namespace rondo::comm
