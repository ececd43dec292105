// Text helpers: printf-style std::string.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <string>

namespace rondo {

std::string vformat(const char* format, va_list arguments);
[[gnu::format(printf, 1, 2)]] std::string format(const char* format, ...);

}  // namespace rondo
