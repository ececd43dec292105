// Exchanges data between processes: it keeps a connection between each two ranks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "comm/rendezvous/exchange.h"
#include "comm/rendezvous/session.h"

namespace rondo::comm {

// All ranks of the session call it. `one_host`: all are on this machine. `lost`: as Session::open_exchange has it.
Status open_mesh(Session& session, int64_t time_limit_ms, bool one_host, const std::function<Status()>& lost,
                 std::unique_ptr<Exchange>* made);

}  // namespace rondo::comm
