// Announces tasks that are about to ask for their kernels, for reports about long times of compiling.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/progress.h"

namespace rondo::ops {

class KernelsAhead {
 public:
  explicit KernelsAhead(size_t tasks) : ahead_(rtc::Progress::instance(), static_cast<int64_t>(tasks)) {}
  void one_is_ready() { ahead_.one_is_ready(); }

 private:
  rtc::Progress::Ahead ahead_;
};

}  // namespace rondo::ops
