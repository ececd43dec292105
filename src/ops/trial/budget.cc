// Counts the time that this process has spent on trials, and gives each problem its share.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/trial/budget.h"

#include <atomic>

#include "base/log.h"
#include "base/settings.h"

namespace rondo::ops {

namespace {

std::atomic<long long> g_spent_us{0};

}  // namespace

TimingBudget TimingBudget::of_one(long long one) {
  const long long all = setting_number(Setting::trial_total_ms) * 1000;
  // A problem that begins in time has its whole share, so that each process is advanced by one convolution at least.
  if (g_spent_us.load(std::memory_order_relaxed) < all) return {one, false};
  static std::atomic<bool> said{false};
  if (!said.exchange(true))
    log(RONDO_LOG_INFO,
        "the time for trying engines and kernels is spent (RONDO_TRIAL_TOTAL_MS); the next process goes on where "
        "this one stops");
  return {0, true};
}

TimingBudget::Spender::~Spender() {
  const auto spent = std::chrono::steady_clock::now() - start_;
  g_spent_us.fetch_add(std::chrono::duration_cast<std::chrono::microseconds>(spent).count(), std::memory_order_relaxed);
}

}  // namespace rondo::ops
