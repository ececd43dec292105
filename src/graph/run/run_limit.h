// The time that a call may take, from its submission on. When it is over, nothing of the call begins any more: not the
// call itself, no further task of what runs one by one, no further turn of a loop that the host decides. All that
// has begun goes on to its end, for no device can be made to stop.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text.h"
#include "engine/tasks/thread_own.h"
#include "engine/tasks/time_limit.h"

namespace rondo {

class RunLimit {
 public:
  RunLimit() = default;  // none
  explicit RunLimit(int64_t milliseconds) : milliseconds_(milliseconds), limit_(milliseconds) {}

  bool none() const { return limit_.none(); }
  const TimeLimit& time() const { return limit_; }
  // An error if it is over.
  Status check() const {
    if (!limit_.over()) [[likely]]
      return {};
    return error(RONDO_TIMED_OUT, "the call has had %lld ms, and was not begun or not finished within them",
                 printable(milliseconds_));
  }

  // The limit of the call that the calling thread runs a part of; null: there is none.
  static const RunLimit* current() { return ThreadOwn<const RunLimit>::now(); }
  using Scope = ThreadOwn<const RunLimit>::Scope;
  static const RunLimit* stricter(const RunLimit* outer, const RunLimit* inner) {
    return inner->limit_.earlier_than(outer->limit_) ? inner : outer;
  }

 private:
  int64_t milliseconds_ = -1;
  TimeLimit limit_;
};

}  // namespace rondo
