// Collects the convolutions that Rondo asks cuDNN for: in the conformance suite, and in the networks of the examples.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace toolkits {

struct Asked {
  std::string suite, networks;  // files of problems, see cudnn_problems.h
  std::string failure;          // empty if all went well
};

// Made by the first call, anew in each process.
const Asked& asked();

}  // namespace toolkits
