// Text helpers: printf-style std::string, sizes of memory for people.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <string>

namespace rondo {

std::string vformat(const char* format, va_list arguments);
[[gnu::format(printf, 1, 2)]] std::string format(const char* format, ...);
// "640 bytes", "1536 bytes (1.5 KiB)"; beyond what 63 bits count only "32.0 EiB".
std::string bytes_text(double bytes);

}  // namespace rondo
