// Holds the options that a communicator and its transport are made with.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace rondo::comm {

struct Options {
  int64_t time_limit_ms = 600000;  // below 0: none
  std::string name = "comm";
  int max_blocks = 0;
};

}  // namespace rondo::comm
