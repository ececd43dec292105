// Writes named tensors and metadata to a safetensors file, which appears once it is complete.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/files/replacement.h"
#include "base/machine/sha256.h"
#include "engine/tensor.h"
#include "models/header.h"

namespace rondo::models {

struct NamedTensor {
  std::string name;
  View view;
};

// An error if no file can have these names and texts.
Status check(const std::vector<NamedTensor>& tensors, const Metadata& metadata);
// Describes a file whose name is yet to come.
struct Written {
  uint64_t bytes = 0;
  Digest digest = {};
};
// Creates the file and writes what was checked; who calls completes it. Waits for the tensors. written may be null.
Status write(Replacement& file, std::vector<NamedTensor> tensors, const Metadata& metadata, Written* written);
// The file has these tensors, or is as it was. Waits for them.
Status save(const char* path, std::vector<NamedTensor> tensors, const Metadata& metadata);

}  // namespace rondo::models
