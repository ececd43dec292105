// Lets all ranks of a group find out whether all of them have succeeded, before any of them goes on.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/rendezvous/session.h"

namespace rondo::comm {

// Each rank gives how it went and, if well, a text; every rank calls it, also those that failed. All get the same
// outcome: RONDO_OK and every rank's text, or the first failure by rank, which is named. `all` may be null. Blocks
// until all have come.
Status agree(Session& session, const char* label, const Status& outcome, std::string_view mine = {},
             std::vector<std::string>* all = nullptr);

}  // namespace rondo::comm
