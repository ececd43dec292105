// Numbers in texts, in the locale "C" whatever the process's is: with a decimal point, in digits of ASCII. Nothing else
// in the library writes or reads numbers in a way that a locale changes; tests/abi/decimals.py sees to it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <string>
#include <string_view>

namespace rondo {

// As printf; format() of base/text.h calls it.
std::string print(const char* format, va_list arguments);
// As sscanf.
[[gnu::format(scanf, 2, 3)]] int scan(const char* text, const char* format, ...);
// The number that the text begins with, as strtod reads it. `end`: null, or where it ends; at `text` if there is none.
double read_decimal(const char* text, const char** end = nullptr);
// True if the texts differ in the case of ASCII's letters at most.
bool same_but_for_case(std::string_view a, std::string_view b);

}  // namespace rondo
