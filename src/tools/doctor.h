// Runs `rondo doctor`: it says what keeps the GPU from being used here, and what to install or set.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace rondo::tools {

// Prints for each finding and remark a sentence and the command that is next (tools/report.h). `facts` is what
// collect_facts() gave. Compiles a kernel for each device and loads it, and writes into the folder of kernels. 1 if
// something that is there, or was set, cannot be used; else 0.
int doctor(const nlohmann::ordered_json& facts);

}  // namespace rondo::tools
