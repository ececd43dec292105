// Runs a function that may not return, and waits for it no longer than a limit.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/threads/thread.h"

namespace rondo {

// Runs `what` on a thread of its own and waits that long for its result. Empty if there is none by then: it goes on
// alone, so it must own what it uses. The objects that it holds are released before its result is there. Also empty
// where there is no memory or no thread for it, or where it has thrown.
template <class Result, class What>
std::optional<Result> within(std::chrono::milliseconds limit, What&& what) noexcept {
  struct Outcome {
    std::mutex mutex;
    std::condition_variable changed;
    bool over = false;
    std::optional<Result> result;
  };
  try {
    const auto outcome = std::make_shared<Outcome>();
    start_thread([outcome, held = std::make_unique<std::function<Result()>>(std::forward<What>(what))]() mutable {
      std::optional<Result> result;
      try {
        result = (*held)();
      } catch (const std::exception&) {
      }
      held = nullptr;
      const std::lock_guard lock(outcome->mutex);
      outcome->result = std::move(result);
      outcome->over = true;
      outcome->changed.notify_all();
    }).detach();
    std::unique_lock lock(outcome->mutex);
    outcome->changed.wait_for(lock, limit, [&outcome] { return outcome->over; });
    return std::move(outcome->result);
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace rondo
