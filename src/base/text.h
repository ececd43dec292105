// Helps with texts: it makes a std::string as printf does, takes parts of a text, and writes sizes of memory for
// people. The library does without the streams of the C++ library, which bring all of its locales along where it is
// linked statically.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <cstdint>
#include <string>
#include <string_view>

namespace rondo {

std::string vformat(const char* format, va_list arguments);
[[gnu::format(printf, 1, 2)]] std::string format(const char* format, ...);
// For %lld.
inline long long printable(int64_t n) {
  return static_cast<long long>(n);
}
// Takes the next part of `rest`, up to `end`, which is taken too; false where nothing is left. After the last `end`
// there is no empty part.
bool take_part(std::string_view* rest, char end, std::string_view* part);
// The same for the next word: spaces before it are left out.
bool take_word(std::string_view* rest, std::string_view* word);
// "640 bytes", "1536 bytes (1.5 KiB)"; beyond what 63 bits count only "32.0 EiB".
std::string bytes_text(double bytes);

}  // namespace rondo
