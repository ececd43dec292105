// Writes named tensors and metadata to a safetensors file, which appears once it is complete.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/tensor.h"
#include "models/header.h"

namespace rondo::models {

struct NamedTensor {
  std::string name;
  View view;
};

// The file has these tensors, or is as it was. Waits for them.
Status save(const char* path, std::vector<NamedTensor> tensors, const Metadata& metadata);

}  // namespace rondo::models
