// Lists what this process can use, by name, each with the reason why or why not (rondo_feature).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/status.h"

namespace rondo {

struct Feature {
  bool available = false;
  const char* reason = "";  // lives as long as the process
};

std::vector<const char*> feature_names();
// RONDO_INVALID_ARGUMENT for an unknown name. May load a library.
Status find_feature(const char* name, Feature* feature);

}  // namespace rondo
