// Reads and writes the texts and numbers of JSON, with their escapes, and rejects what is not UTF-8.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "models/json.h"

#include <algorithm>

#include "base/json_text.h"
#include "base/text.h"

namespace rondo::models {

namespace {

void append_utf8(uint32_t code, std::string* text) {
  const auto put = [text](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  const auto rest = [&](int shift) { put(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    rest(6);
    rest(0);
  } else {
    put(0xf0 | code >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

// Bytes of the character at the start of the text, 0 if it is none. The shortest form only, no surrogates.
size_t utf8_length(std::string_view text) {
  const auto byte = [text](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

}  // namespace

size_t first_not_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string_view without_space(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

std::string excerpt(std::string_view text) {
  constexpr size_t kMost = 80;
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text.substr(at));
    if (at + length > kMost) return result + "...";
    if (length == 0 || control_bytes(text.substr(at)) > 0)
      result += '?';
    else
      result += text.substr(at, length);
    at += length ? length : 1;
  }
  return result;
}

Status JsonReader::wrong(const std::string& what) const {
  return error(RONDO_IO_ERROR, "at byte %zu of %s: %s", at_, subject_, what.c_str());
}

Status JsonReader::wrong(const char* what) const {
  return wrong(std::string(what));
}

void JsonReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

bool JsonReader::take(char wanted) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

Status JsonReader::expect(char wanted) {
  if (take(wanted)) return {};
  if (at_ == text_.size()) return wrong(format("it ends where '%c' is expected", wanted));
  return wrong(format("'%s' where '%c' is expected", excerpt(text_.substr(at_, utf8_length(text_.substr(at_)))).c_str(),
                      wanted));
}

Status JsonReader::list(char open, char close, Status (*item)(const void*), const void* function) {
  RONDO_TRY(expect(open));
  if (take(close)) return {};
  do RONDO_TRY(item(function));
  while (take(','));
  return expect(close);
}

Status JsonReader::members(Status (*member)(const void*, const std::string&), const void* function) {
  const auto one = [&]() -> Status {
    std::string key;
    RONDO_TRY(text(&key));
    RONDO_TRY(expect(':'));
    return member(function, key);
  };
  return list(
      '{', '}', [](const void* each) -> Status { return (*static_cast<const decltype(one)*>(each))(); }, &one);
}

Status JsonReader::end() {
  skip_space();
  return at_ == text_.size() ? Status() : wrong("more text behind its end");
}

Status JsonReader::number(uint64_t* value) {
  skip_space();
  const size_t start = at_;
  const auto digit = [this] { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; };
  uint64_t result = 0;
  for (; digit(); ++at_)
    if (__builtin_mul_overflow(result, uint64_t{10}, &result) ||
        __builtin_add_overflow(result, static_cast<uint64_t>(text_[at_] - '0'), &result))
      return wrong("a number beyond 64 bits");
  if (at_ == start) return wrong("a number is expected, 0 or more");
  if (text_[start] == '0' && at_ > start + 1) return wrong("a number with a zero in front");
  if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E'))
    return wrong("a whole number is expected");
  *value = result;
  return {};
}

Status JsonReader::integer(int64_t* value) {
  if (texts_ && next() == '"') {
    std::string given;
    RONDO_TRY(text(&given));
    const Status status = texts_->read(given, value);
    return status.ok() ? status : wrong(status.message());
  }
  skip_space();
  const bool negative = at_ < text_.size() && text_[at_] == '-';
  if (negative) ++at_;
  uint64_t size = 0;
  RONDO_TRY(number(&size));
  if (size > static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0)) return wrong("a number beyond 63 bits");
  if (negative && size == 0) return wrong("a zero with a sign");
  *value = static_cast<int64_t>(negative ? 0 - size : size);
  return {};
}

Status JsonReader::boolean(bool* value) {
  *value = word("true");
  return *value || word("false") ? Status() : wrong("true or false is expected");
}

Status JsonReader::raw(std::string_view* value) {
  skip_space();
  const size_t start = at_;
  RONDO_TRY(skip());
  *value = text_.substr(start, at_ - start);
  return {};
}

std::string_view JsonReader::rest() {
  skip_space();
  const size_t start = at_, last = text_.find_last_not_of(" \n\r\t");
  at_ = last == std::string_view::npos ? start : std::max(start, last);
  return text_.substr(start, at_ - start);
}

char JsonReader::next() {
  skip_space();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::word(std::string_view wanted) {
  skip_space();
  if (text_.substr(at_, wanted.size()) != wanted) return false;
  at_ += wanted.size();
  return true;
}

bool JsonReader::null() {
  return word("null");
}

Status JsonReader::skip(int depth) {
  constexpr int kDeepest = 100;
  if (depth > kDeepest) return wrong("lists and objects more than 100 deep");
  skip_space();
  const char first = at_ < text_.size() ? text_[at_] : '\0';
  if (first == '{') return object([&](const std::string&) { return skip(depth + 1); });
  if (first == '[') return array([&] { return skip(depth + 1); });
  if (first == '"') {
    std::string value;
    return text(&value);
  }
  if (word("true") || word("false") || word("null")) return {};
  return skip_number();
}

// -1.5e+10: as JSON has it, without a zero in front.
Status JsonReader::skip_number() {
  const auto digits = [this] {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ - start;
  };
  const auto one_of = [this](std::string_view letters) {
    const bool there = at_ < text_.size() && letters.find(text_[at_]) != std::string_view::npos;
    at_ += there;
    return there;
  };
  one_of("-");
  const size_t start = at_;
  const size_t whole = digits();
  if (whole == 0) return wrong("a value is expected");
  if (whole > 1 && text_[start] == '0') return wrong("a number with a zero in front");
  if (one_of(".") && digits() == 0) return wrong("a number without digits after its point");
  if (one_of("eE")) {
    one_of("+-");
    if (digits() == 0) return wrong("a number without digits in its exponent");
  }
  return {};
}

Status JsonReader::text(std::string* value) {
  RONDO_TRY(expect('"'));
  value->clear();
  for (;;) {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20)
      ++at_;
    *value += text_.substr(start, at_ - start);
    if (at_ == text_.size()) return wrong("it ends inside a text");
    if (text_[at_] == '"') {
      ++at_;
      return {};
    }
    if (text_[at_] != '\\') return wrong("a control character in a text");
    RONDO_TRY(escape(value));
  }
}

Status JsonReader::escape(std::string* value) {
  ++at_;
  constexpr std::string_view letters = "\"\\/bfnrt";
  const size_t which = at_ < text_.size() ? letters.find(text_[at_]) : std::string_view::npos;
  if (which != std::string_view::npos) {
    *value += "\"\\/\b\f\n\r\t"[which];
    ++at_;
    return {};
  }
  uint32_t code = 0;
  RONDO_TRY(code_unit(&code));
  if (code >= 0xdc00 && code <= 0xdfff) return wrong("the second half of a surrogate pair without the first");
  if (code >= 0xd800 && code <= 0xdbff) {
    uint32_t low = 0;
    if (at_ == text_.size() || text_[at_] != '\\') return wrong("half a surrogate pair");
    ++at_;
    RONDO_TRY(code_unit(&low));
    if (low < 0xdc00 || low > 0xdfff) return wrong("half a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  if (code == 0)
    return error(RONDO_UNSUPPORTED, "at byte %zu of %s: a zero character, which ends a text in C", at_, subject_);
  append_utf8(code, value);
  return {};
}

// The letter u and its four digits, after the backslash.
Status JsonReader::code_unit(uint32_t* unit) {
  if (at_ + 5 > text_.size() || text_[at_] != 'u') return wrong("an escape that JSON does not have");
  uint32_t code = 0;
  for (size_t i = at_ + 1; i < at_ + 5; ++i) {
    const char c = text_[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return wrong("an escape that JSON does not have");
    code = code << 4 | static_cast<uint32_t>(digit);
  }
  at_ += 5;
  *unit = code;
  return {};
}

}  // namespace rondo::models
