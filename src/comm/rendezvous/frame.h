// Numbers and texts one after the other, of which messages between ranks consist.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::comm {

class Writer {
 public:
  Writer& number(uint64_t value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Writer& text(std::string_view value) {
    number(value.size());
    text_.append(value);
    return *this;
  }
  Writer& ranks(const std::vector<int>& values) {
    number(values.size());
    for (const int each : values) number(static_cast<uint64_t>(each));
    return *this;
  }
  Writer& texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& each : values) text(each);
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// The same back. Every number says how large it may be: what is larger, or not there, reads as 0 or nothing, and then
// good() is false for good.
class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}
  bool good() const { return good_; }
  // True if all was good, and nothing is left.
  bool done() const { return good_ && left_.empty(); }

  uint64_t number(uint64_t most) {
    uint64_t value = 0;
    if (!has(sizeof value)) return 0;
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    good_ = value <= most;
    return good_ ? value : 0;
  }
  std::string text(size_t most) {
    const uint64_t length = number(most);
    if (!has(length)) return {};
    std::string value(left_.substr(0, length));
    left_.remove_prefix(length);
    return value;
  }
  // Below `size`.
  int rank(int size) {
    if (size < 1) good_ = false;
    return static_cast<int>(number(static_cast<uint64_t>(std::max(size, 1) - 1)));
  }
  // Ranks below `size`, each once.
  std::vector<int> ranks(int size) {
    std::vector<int> values;
    std::vector<bool> here(static_cast<size_t>(std::max(size, 0)));
    for (uint64_t n = number(here.size()); good_ && values.size() < n;) {
      const int each = rank(size);
      if (!good_ || here[static_cast<size_t>(each)]) {
        good_ = false;
        return {};
      }
      here[static_cast<size_t>(each)] = true;
      values.push_back(each);
    }
    return values;
  }
  std::vector<std::string> texts(size_t most, size_t most_each) {
    std::vector<std::string> values;
    for (uint64_t n = number(most); good_ && values.size() < n;) values.push_back(text(most_each));
    return values;
  }

 private:
  bool has(uint64_t bytes) { return good_ = good_ && bytes <= left_.size(); }

  std::string_view left_;
  bool good_ = true;
};

}  // namespace rondo::comm
