// Declares the interface of a task that needs tasks of other ranks, which other graphs hold.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/status.h"

namespace rondo {

// Implemented by such tasks in addition to Task; asked only of those that want launches. Thread-safe.
class Party {
 public:
  // Which rank of which group it is of. The ends of one group that are in this process have the same number; 0: it is
  // not known which they are.
  struct Seat {
    uint64_t group = 0;
    int rank = 0;
    const void* end = nullptr;  // the rank's end of the group
  };
  virtual Seat seat() const = 0;
  // Why it can take place no more.
  virtual Status possible() const = 0;

 protected:
  ~Party() = default;
};

}  // namespace rondo
