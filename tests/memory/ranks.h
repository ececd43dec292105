// Two ranks of a group, each a thread of this process, that run out of memory together: they meet in the process or by
// sockets, compute, split the group and leave it. A rank to which a call fails says so to the other one, as a program
// must, and ends.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.h"

namespace memory {

enum class Meet { in_process, by_sockets };

// On an engine of its own, on the cpu. No wait may need a limit of time; but ranks that meet by sockets have one, for
// one that was never met cannot tell the other that it will not come. It comes again: `relent` gives the memory back.
Outcome run_ranks(Meet meet, const At& at, const std::function<void()>& relent);

}  // namespace memory
