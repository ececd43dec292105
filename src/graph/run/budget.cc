// Counts what shares take, and refuses what would be too much.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/budget.h"

#include "base/text.h"

namespace rondo {

constinit thread_local Budget::Refusals* Budget::Refusals::innermost_ = nullptr;

void Budget::Share::give_back() {
  const std::lock_guard lock(of_->mutex_);
  const int64_t bytes = std::exchange(bytes_, 0);
  if (!measured_) of_->bytes_ -= bytes;
  of_->steps_ -= std::exchange(steps_, 0);
}

bool Budget::Share::take_steps(int64_t more) {
  const std::lock_guard lock(of_->mutex_);
  if (more > of_->most_steps_ - of_->steps_) {
    of_->note_refusal();
    return false;
  }
  of_->steps_ += more;
  steps_ += more;
  return true;
}

Status Budget::Share::take_bytes(int64_t more, const char* what) {
  const std::lock_guard lock(of_->mutex_);
  if (of_->measures_) {
    if (__builtin_add_overflow(bytes_, more, &bytes_)) bytes_ = INT64_MAX;
    measured_ = true;
    return error(RONDO_INVALID_STATE, "%s is only measured", what);
  }
  // mutation: budget_without_a_limit
  if (of_->most_bytes_ && more > of_->most_bytes_ - of_->bytes_) {
    of_->note_refusal();
    return error(RONDO_OUT_OF_MEMORY, "%s needs %lld bytes, and %lld are in use; options->most_bytes is %lld", what,
                 printable(more), printable(of_->bytes_), printable(of_->most_bytes_));
  }
  of_->bytes_ += more;
  bytes_ += more;
  return {};
}

void Budget::note_refusal() const {
  for (Refusals* each = Refusals::innermost_; each; each = each->before_)
    if (&each->of_ == this) each->any_ = true;
}

}  // namespace rondo
