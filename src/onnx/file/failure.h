// The exception that ends a conversion, and texts of a model as messages may show them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

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

// A name of the model in quotes, without control characters, and cut if it is long.
inline std::string shown(std::string_view text) {
  constexpr size_t kMost = 80;
  std::string quoted = "'";
  for (const char each : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(each);
    quoted += byte < 0x20 || byte == 0x7f ? '?' : each;
  }
  return quoted + (text.size() > kMost ? "...'" : "'");
}

}  // namespace rondo_onnx
