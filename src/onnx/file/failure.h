// The exception that ends a conversion, and texts of a model as messages may show them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rondo_onnx {

// Ends a conversion with a status; the converter catches it at its entry.
class Failure : public std::runtime_error {
 public:
  Failure(rondo_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  rondo_status status() const noexcept { return status_; }

 private:
  rondo_status status_;
};

// The file is not what ONNX defines.
[[noreturn]] inline void malformed(const std::string& what) {
  throw Failure(RONDO_IO_ERROR, what);
}

// Ends a conversion that would take more bytes at once than it may; `most` 0: there is no limit.
inline void check_memory(uint64_t bytes, int64_t most, const std::string& whose) {
  if (most > 0 && bytes > static_cast<uint64_t>(most))
    throw Failure(RONDO_OUT_OF_MEMORY, whose + " takes " + std::to_string(bytes) + " bytes; at most " +
                                           std::to_string(most) + " may be taken");
}

// How many bytes the character of UTF-8 has that the text begins with; 0 if it is none, or a control character.
inline size_t printable_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty() || byte(0) < 0x20 || byte(0) == 0x7f) return 0;
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >= 0xc2 && byte(0) < 0xe0   ? 2
                        : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                        : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  uint32_t code = byte(0) & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool longer = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);  // than it needs to be
  const bool none = code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || code < 0xa0;
  return longer || none ? 0 : length;
}

// A text of the model as a message may have it: without control characters and what is not UTF-8, and cut if it is
// long.
inline std::string plain(std::string_view text) {
  constexpr size_t kMost = 80;
  std::string clean;
  for (size_t i = 0; i < text.size();) {
    const size_t length = printable_character(text.substr(i));
    if (i + (length == 0 ? 1 : length) > kMost) return clean + "...";
    clean += length == 0 ? std::string_view("?") : text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return clean;
}

// The same in quotes.
inline std::string excerpt(std::string_view text) {
  return "'" + plain(text) + "'";
}

}  // namespace rondo_onnx
