// Writes results to memory past the caches. A store reads its line first, and evicts lines that the task may still
// want; if a task goes through more than the caches hold, the next task does not find its results there. The stores are
// a loop of the instruction sets (elementwise_loops.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rondo::ops {

// Bytes that are written so at a time, between reading others: many at once would have readers wait.
inline constexpr int64_t kStreamed = 512;

// True if a task that reads and writes so many bytes in all should write its results so.
bool worth_streaming(int64_t bytes);
// Puts what this thread wrote so in order with what it does next, as plain stores are.
void end_streaming();

}  // namespace rondo::ops
