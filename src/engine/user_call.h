// Tracks a call of a function of the user's, which may call Rondo again: how deep such calls nest on a thread, and
// which tensors the function borrows, which it cannot destroy meanwhile.
//
// Lives on the stack of the thread that calls. All threads know which tensors are borrowed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"

struct rondo_tensor;

namespace rondo {

// The largest number of calls that may be nested on a thread's stack (RONDO_MAX_NESTED).
extern const int kMostNested;

class UserCall {
 public:
  explicit UserCall(std::span<rondo_tensor* const> borrowed = {});
  ~UserCall();
  UserCall(const UserCall&) = delete;
  UserCall& operator=(const UserCall&) = delete;

  // Succeeds if there is room for one more. Asked before the function is called.
  // which: "the function of callable 'step'", for people.
  Status check(const char* which) const;
  // The index of a borrowed tensor that was to be destroyed; -1: none.
  std::ptrdiff_t destroyed() const { return destroyed_; }

  // Returns whether a function borrows the handle. That it was to be destroyed is noted.
  static bool keeps(const rondo_tensor* tensor);

 private:
  const std::span<rondo_tensor* const> borrowed_;
  std::ptrdiff_t destroyed_ = -1;
  UserCall *before_ = nullptr, *behind_ = nullptr;  // in the list of those that borrow
};

}  // namespace rondo
