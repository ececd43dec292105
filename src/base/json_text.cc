// Quotes and escapes. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include "base/text.h"

namespace rondo {

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    constexpr std::string_view special = "\"\\\b\f\n\r\t";
    const size_t which = special.find(c);
    if (which != std::string_view::npos)
      quoted += {'\\', "\"\\bfnrt"[which]};
    else if (static_cast<unsigned char>(c) < 0x20)
      quoted += format("\\u%04x", static_cast<unsigned>(c));
    else
      quoted += c;
  }
  return quoted + '"';
}

}  // namespace rondo
