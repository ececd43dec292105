// Makes the sessions of ranks that live in one process, one for each rank.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/rendezvous/session.h"

namespace rondo::comm {

// A session for each rank. time_limit_ms below 0: none.
std::vector<std::shared_ptr<Session>> make_local_group(int ranks, int64_t time_limit_ms);

}  // namespace rondo::comm
