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
// How much of the suite its kernels come from: all cases with all their sizes, or the quick selection.
enum class Suite { whole, quick };
// Made by the first call, or found as an earlier process made it from the same programs. All calls want the same.
const Collection& collection(Suite suite);

}  // namespace toolkits
