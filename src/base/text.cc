// Formats texts as printf does, into std::string, splits them, and writes sizes of memory for people.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>

#include "base/machine/decimal.h"

namespace rondo {

std::string vformat(const char* format, va_list arguments) {
  return print(format, arguments);
}

std::string format(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = vformat(format, arguments);
  va_end(arguments);
  return text;
}

bool take_part(std::string_view* rest, char end, std::string_view* part) {
  if (rest->empty()) return false;
  const size_t length = std::min(rest->find(end), rest->size());
  *part = rest->substr(0, length);
  rest->remove_prefix(std::min(length + 1, rest->size()));
  return true;
}

bool take_word(std::string_view* rest, std::string_view* word) {
  while (take_part(rest, ' ', word))
    if (!word->empty()) return true;
  return false;
}

std::string bytes_text(double bytes) {
  static const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::string exact = bytes < 0x1p63 ? format("%lld bytes", static_cast<long long>(bytes)) : std::string();
  if (bytes < 1024) return exact;
  double scaled = bytes / 1024;
  size_t unit = 0;
  for (; scaled >= 1024 && unit + 1 < sizeof units / sizeof units[0]; ++unit) scaled /= 1024;
  const std::string rounded = format(scaled < 1e6 ? "%.1f %s" : "%.3g %s", scaled, units[unit]);
  return exact.empty() ? rounded : exact + " (" + rounded + ")";
}

}  // namespace rondo
