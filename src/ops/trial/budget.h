// Limits how long this process may try and time what can do a work: for one problem, and for all of them together.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace rondo::ops {

struct TimingBudget {
  long long microseconds = 0;  // 0: nothing is timed
  bool cut = false;            // 0 because the others took all there is

  // The budget of the next problem, which by itself would have so many microseconds.
  static TimingBudget of_one(long long microseconds);

  // Counts the time that it lives.
  class Spender {
   public:
    Spender() = default;
    Spender(const Spender&) = delete;
    Spender& operator=(const Spender&) = delete;
    ~Spender();

   private:
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };
};

}  // namespace rondo::ops
