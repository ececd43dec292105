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

size_t control_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const unsigned char first = byte(0), second = byte(1), third = byte(2);
  if (!text.empty() && (first < 0x20 || first == 0x7f)) return 1;
  // U+0080 to U+009F and U+00AD; U+034F; U+061C; tags and selectors of variants, U+E0000 to U+E0FFF.
  if (first == 0xc2 && ((second >= 0x80 && second < 0xa0) || second == 0xad)) return 2;
  if ((first == 0xcd && second == 0x8f) || (first == 0xd8 && second == 0x9c)) return 2;
  if (first == 0xf3 && second == 0xa0 && third >= 0x80 && byte(3) >= 0x80) return 4;
  // U+FE00 to U+FE0F, U+FEFF, U+FFA0, U+FFF9 to U+FFFB.
  if (first == 0xef)
    return (second == 0xb8 && third >= 0x80 && third <= 0x8f) || (second == 0xbb && third == 0xbf) ||
                   (second == 0xbe && third == 0xa0) || (second == 0xbf && third >= 0xb9 && third <= 0xbb)
               ? 3
               : 0;
  // U+115F and U+1160, U+180B to U+180F, U+3164: fillers and separators that have no width.
  if (first == 0xe1 &&
      ((second == 0x85 && (third == 0x9f || third == 0xa0)) || (second == 0xa0 && third >= 0x8b && third <= 0x8f)))
    return 3;
  if (first == 0xe3) return second == 0x85 && third == 0xa4 ? 3 : 0;
  // U+200B to U+200F, U+2028 to U+202E and U+2060 to U+206F.
  if (first != 0xe2) return 0;
  const bool general = second == 0x80 && ((third >= 0x8b && third <= 0x8f) || (third >= 0xa8 && third <= 0xae));
  return general || (second == 0x81 && third >= 0xa0 && third <= 0xaf) ? 3 : 0;
}

std::string plain(std::string text, bool lines) {
  for (size_t i = 0; i < text.size();) {
    const size_t bytes = control_bytes(std::string_view(text).substr(i));
    if (bytes && !(lines && (text[i] == '\n' || text[i] == '\t'))) text.replace(i, bytes, bytes, '?');
    i += bytes ? bytes : 1;
  }
  return text;
}

}  // namespace rondo
