// Counts the processors that this process may use, which may be fewer than the machine has: a set that it was given
// (sched_setaffinity, cpusets of containers), and a share of their time that it may not exceed (cgroups). Counts
// the memory that it may use, likewise.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace rondo {

// Counts for the calling thread, whose set is inherited by the threads that it starts; asked anew each time. At least
// 1.
int usable_processors();
// The same as when it was first asked, for what is decided with every operator: no file is read again.
int known_processors();
// The number of threads that share the work of one process by default.
int usual_threads();

// Processors' worth of time that a process may use, rounded up; 0: no limit. `memberships` is what the system says of
// its groups (/proc/self/cgroup), which lie below `folder`.
int processors_by_quota(const std::string& memberships, const std::string& folder);

// Bytes that the process may use: those of the machine, or of its group if that may have fewer.
int64_t usable_memory();
// The latter; 0: no limit. The arguments are as above.
int64_t memory_by_group(const std::string& memberships, const std::string& folder);

}  // namespace rondo
