// Checks that all ranks of a group do the same in the same order (RONDO_COMM_CHECK=on): each tells the others what it
// does, without waiting for them; a rank that sees a difference reports it.
//
// Not thread-safe: its communicator's lock guards it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"

namespace rondo::comm {

class OrderCheck {
 public:
  OrderCheck(int rank, int size) : rank_(rank), next_(static_cast<size_t>(size), 0) {}

  // Notes this rank's next step. Returns the difference to the step of another rank in its place, if there is one.
  Status own(const std::string& what) { return note(rank_, what); }
  // The same of another rank, whose texts come in its order.
  Status note(int rank, const std::string& what);

 private:
  struct Step {
    int first;  // the rank that came first
    std::string what;
    int seen;
  };
  const int rank_;
  std::vector<uint64_t> next_;  // by rank: the number of its next step
  std::map<uint64_t, Step> open_;
};

}  // namespace rondo::comm
