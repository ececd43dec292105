// A text as JSON has it, for whoever writes JSON: traces, headers of models.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rondo {

// In quotes. UTF-8 goes through as it is.
std::string json_text(std::string_view text);

}  // namespace rondo
