// Looks whether the time is over that making graphs of a program may take.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/making_limit.h"

#include "base/text.h"

namespace rondo {

constinit thread_local const MakingLimit* MakingLimit::current_ = nullptr;

MakingLimit::~MakingLimit() = default;

bool MakingLimit::over() const {
  return limit_.over();
}

Status MakingLimit::look() const {
  if (!over()) return {};  // mutation: making_without_an_end
  return error(RONDO_TIMED_OUT, "making it has had %lld ms, and is given up (rondo_program_limit_making)",
               printable(milliseconds_));
}

}  // namespace rondo
