// printf into std::string. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <cstdio>

namespace rondo {

std::string vformat(const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length <= 0) return {};
  std::string text(static_cast<size_t>(length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, arguments);
  return text;
}

std::string format(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = vformat(format, arguments);
  va_end(arguments);
  return text;
}

}  // namespace rondo
