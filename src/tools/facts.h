// Collects what `rondo info` and `rondo doctor` know of this machine: one JSON value, collected once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "dynlib/loading/library.h"

namespace rondo::tools {

// Those that are opened at run time.
const std::vector<Library*>& libraries();

// Keys: version, build, settings[], libraries[], devices[], features[], cache. Never fails: what cannot be found out is
// said in the value. Loads every library there is.
nlohmann::ordered_json collect_facts();

}  // namespace rondo::tools
