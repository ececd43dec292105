// Writes texts as JSON strings, with quotes and escapes, and replaces characters that control a terminal.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
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

std::string plain(std::string text, bool lines) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto before = static_cast<unsigned char>(i > 0 ? text[i - 1] : 0);
    // The second half of the controls, U+0080 to U+009F, in UTF-8.
    const bool second = before == 0xc2 && byte >= 0x80 && byte < 0xa0;
    if (second) text[i - 1] = '?';
    if (second || byte == 0x7f || (byte < 0x20 && !(lines && (byte == '\n' || byte == '\t')))) text[i] = '?';
  }
  return text;
}

}  // namespace rondo
