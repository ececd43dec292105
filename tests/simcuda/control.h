// What tests ask of the simulated driver beside the CUDA API: faults, seeds, stalls, counters, reports. Found with
// dlsym. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simcuda {

struct Driver;

// "entry:call:code,entry:call:code": the call-th call from now of that entry point fails. False when it does not parse.
bool parse_faults(Driver& driver, const std::string& text);
int entry_by_name(const std::string& name);  // -1: none
const char* entry_name(unsigned entry);

}  // namespace simcuda
