// A version of the library as files name it: "0.1". A file says which one reads all that it uses.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include <charconv>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace rondo::program_files {

struct Version {
  uint32_t major = 0, minor = 1;  // the first that has program files
  auto operator<=>(const Version&) const = default;
  std::string text() const { return format("%u.%u", major, minor); }
};

#define RONDO_DIGITS_OF(number) #number
#define RONDO_DIGITS(number) RONDO_DIGITS_OF(number)
#define RONDO_VERSION_STRING RONDO_DIGITS(RONDO_VERSION_MAJOR) "." RONDO_DIGITS(RONDO_VERSION_MINOR)

inline constexpr Version kThisVersion = {RONDO_VERSION_MAJOR, RONDO_VERSION_MINOR};

// Nothing if the text is no version.
inline std::optional<Version> read_version(std::string_view text) {
  Version version;
  const char* const end = text.data() + text.size();
  const auto [dot, failed] = std::from_chars(text.data(), end, version.major);
  if (failed != std::errc() || dot == end || *dot != '.') return {};
  const auto [last, failed_too] = std::from_chars(dot + 1, end, version.minor);
  if (failed_too != std::errc() || last != end || version.text() != text) return {};
  return version;
}

}  // namespace rondo::program_files
