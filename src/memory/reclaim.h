// Asks the program for memory that it holds and does not need, before a request of a pool fails: one function of the
// user for the process. Any thread may call anything.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/reclaim.h>

namespace rondo {

// The former function's argument is destroyed when no call of it runs any more.
void set_reclaim(rondo_reclaim_fn fn, void* arg, void (*destroy)(void*), int64_t host_limit);
// Returns whether the request should be tried again. Runs code of the user: the caller holds no lock that destroying a
// handle needs.
bool reclaim(size_t bytes, int attempt);
// The limit of a pool of the cpu that has none of its own; 0: none.
int64_t reclaim_host_limit();

}  // namespace rondo
