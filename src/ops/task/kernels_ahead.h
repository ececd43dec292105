// Announces tasks that are about to ask for their kernels, for reports about long times of compiling; tells whether
// these are only counted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/kernel_census.h"
#include "rtc/progress.h"

namespace rondo::ops {

// True if tasks that this thread prepares are given no kernels (rtc/kernel_census.h).
inline bool kernels_are_counted() {
  return rtc::KernelCensus::here() != nullptr;
}

class KernelsAhead {
 public:
  explicit KernelsAhead(size_t tasks) : ahead_(rtc::Progress::instance(), static_cast<int64_t>(tasks)) {}
  void one_is_ready() { ahead_.one_is_ready(); }

 private:
  rtc::Progress::Ahead ahead_;
};

}  // namespace rondo::ops
