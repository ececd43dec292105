// Doing something that may not come back, for a while.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>

namespace rondo {

// Runs `what` on a thread of its own and waits that long for its result. Empty if there is none by then: it goes on
// alone, so it must own what it uses. What it holds is given up before its result is there.
template <class Result>
std::optional<Result> within(std::chrono::milliseconds limit, std::function<Result()> what) {
  auto promise = std::make_shared<std::promise<Result>>();
  std::future<Result> result = promise->get_future();
  try {
    std::thread([promise, what = std::move(what)]() mutable {
      Result made = what();
      what = nullptr;
      promise->set_value(std::move(made));
    }).detach();
  } catch (const std::exception&) {
    return {};
  }
  if (result.wait_for(limit) != std::future_status::ready) return {};
  return result.get();
}

}  // namespace rondo
