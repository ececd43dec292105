// Unpacks the texts of kernels that embed.py has packed into the library.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/device_text.h"

namespace rondo::rtc {

namespace {

constexpr char kAfterShared = 1;

void unpack(const char* packed, std::string* to) {
  const auto digit = [&] { return static_cast<size_t>(static_cast<unsigned char>(*packed++)); };
  while (*packed) {
    if (static_cast<unsigned char>(*packed) < 128) {
      to->push_back(*packed++);
      continue;
    }
    const size_t first = digit() - 128;
    const bool near = first < 64;
    const size_t count = near ? first % 16 + 3 : first - 64 + 4;
    const size_t high = near ? first / 16 : digit() - 1, back = high * 255 + digit();
    for (size_t i = 0; i < count; ++i) to->push_back((*to)[to->size() - back]);
  }
}

}  // namespace

void append_text(const char* packed, std::string* to) {
  if (*packed != kAfterShared) return unpack(packed, to);
  std::string whole = text_of(kReduceText);
  const size_t shared = whole.size();
  unpack(packed + 1, &whole);
  to->append(whole, shared);
}

std::string text_of(const char* packed) {
  std::string text;
  append_text(packed, &text);
  return text;
}

}  // namespace rondo::rtc
