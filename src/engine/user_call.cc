// Counts the calls of users' functions that are nested on a thread, and lists the tensors that they borrow.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/user_call.h"

#include <rondo/control.h>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace rondo {

const int kMostNested = RONDO_MAX_NESTED;

namespace {

constinit thread_local int depth = 0;

// Those that borrow. A list through the objects themselves takes no memory.
constinit std::mutex mutex;
constinit UserCall* first = nullptr;
constinit std::atomic<int> count{0};

}  // namespace

UserCall::UserCall(std::span<rondo_tensor* const> borrowed) : borrowed_(borrowed) {
  ++depth;
  if (borrowed_.empty()) return;
  const std::lock_guard lock(mutex);
  behind_ = first;
  if (first) first->before_ = this;
  first = this;
  ++count;
}

UserCall::~UserCall() {
  --depth;
  if (borrowed_.empty()) return;
  const std::lock_guard lock(mutex);
  (before_ ? before_->behind_ : first) = behind_;
  if (behind_) behind_->before_ = before_;
  --count;
}

Status UserCall::check(const char* which) const {
  if (depth <= RONDO_MAX_NESTED) return {};
  return error(RONDO_INVALID_STATE,
               "%s would be called inside of %d functions of control flow, callables and gradients on this thread; "
               "RONDO_MAX_NESTED (%d) is the most: see that it does not call itself without end",
               which, depth - 1, RONDO_MAX_NESTED);
}

bool UserCall::keeps(const rondo_tensor* tensor) {
  if (!count.load(std::memory_order_acquire)) [[likely]]
    return false;
  const std::lock_guard lock(mutex);
  bool found = false;
  for (UserCall* each = first; each; each = each->behind_) {
    const auto place = std::find(each->borrowed_.begin(), each->borrowed_.end(), tensor);
    if (place == each->borrowed_.end()) continue;
    each->destroyed_ = place - each->borrowed_.begin();
    found = true;
  }
  return found;
}

}  // namespace rondo
