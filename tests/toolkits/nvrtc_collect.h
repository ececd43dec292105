// Collects the kernels of the conformance suite for a build of it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace toolkits {

struct Collection {
  std::string folder;   // of the kernels, see nvrtc_kernels.h
  std::string failure;  // empty if all went well
};

// The first failure in GoogleTest's output that ended its case; empty if none did.
std::string early_end(const std::string& text);
// Made by the first call, or found as an earlier process made it from the same programs.
const Collection& collection();

}  // namespace toolkits
