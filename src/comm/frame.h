// Messages between rank 0 and the others, and what texts are put together of.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::comm {

// Numbers and texts, one after the other.
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
  Writer& numbers(const std::vector<int>& values) {
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

// The same back. What is not there reads as 0 or nothing, and then good() is false.
class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}
  bool good() const { return good_; }
  uint64_t number() {
    uint64_t value = 0;
    if (!has(sizeof value)) return 0;
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const uint64_t length = number();
    if (!has(length)) return {};
    std::string value(left_.substr(0, length));
    left_.remove_prefix(length);
    return value;
  }
  std::vector<int> numbers() {
    std::vector<int> values;
    for (uint64_t n = number(); good_ && values.size() < n;) values.push_back(static_cast<int>(number()));
    return values;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values;
    for (uint64_t n = number(); good_ && values.size() < n;) values.push_back(text());
    return values;
  }

 private:
  bool has(uint64_t bytes) { return good_ = good_ && bytes <= left_.size(); }

  std::string_view left_;
  bool good_ = true;
};

enum class Verb : uint32_t {
  alive,     // nothing but that
  gather,    // to rank 0: group, members, sequence, label, text, limit
  gathered,  // from it: group, sequence, status, message, texts
  tell,      // to rank 0, and from it to all members: group, members, who, text
  reform,    // to rank 0: group, members, sequence, limit; answered as a gather, with the ranks that are left
  leave,     // a member has left the group: group, members, who
  lost,      // from rank 0: who, message
  bye        // the process has left
};

// What stands before a message on the wire.
struct FrameHead {
  uint32_t verb;
  uint32_t reserved;
  uint64_t bytes;
};
inline constexpr uint64_t kMaxFrame = uint64_t{1} << 30;

}  // namespace rondo::comm
