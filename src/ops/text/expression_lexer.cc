// Splits an expression's text into tokens, and tells line and column of a place for messages.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/expression_lexer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "base/machine/decimal.h"

namespace rondo::ops {

namespace {

// True for digits of ASCII, whatever the locale.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

Token wrong(uint32_t at, std::string_view why) {
  Token token;
  token.kind = Token::wrong;
  token.at = at;
  token.text = why;
  return token;
}

double decimal(std::string_view text) {
  return read_decimal(std::string(text).c_str());
}

Token number_token(std::string_view text, uint32_t* at) {
  const uint32_t first = *at;
  uint32_t i = first;
  const auto peek = [&](uint32_t k) { return k < text.size() ? text[k] : '\0'; };
  bool whole = true;
  const bool hex = peek(i) == '0' && (peek(i + 1) == 'x' || peek(i + 1) == 'X');
  if (hex) {
    i += 2;
    while (is_hex(peek(i))) ++i;
  } else {
    while (is_digit(peek(i))) ++i;
    if (peek(i) == '.') {
      whole = false;
      ++i;
      while (is_digit(peek(i))) ++i;
    }
    if (peek(i) == 'e' || peek(i) == 'E') {
      uint32_t k = i + 1;
      if (peek(k) == '+' || peek(k) == '-') ++k;
      if (is_digit(peek(k))) {
        whole = false;
        i = k;
        while (is_digit(peek(i))) ++i;
      }
    }
  }
  *at = i;
  if (begins_name(peek(i)) || is_digit(peek(i)) || peek(i) == '.')
    return wrong(i,
                 "a number goes on with what cannot be part of it; numbers have no suffix, a cast such as f32(...) "
                 "gives a dtype");
  Token token;
  token.kind = Token::number;
  token.at = first;
  token.text = text.substr(first, i - first);
  const char* begin = text.data() + first + (hex ? 2 : 0);
  const char* end = text.data() + i;
  if (whole) {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (error != std::errc() || stop != end)
      return wrong(first, begin == end ? "a hexadecimal number without digits"
                                       : "a whole number beyond 64 bits; with a decimal point it is a float");
    token.value = Scalar::of_i64(value);
  } else {
    const double value = decimal(token.text);
    if (std::isinf(value)) return wrong(first, "a number beyond the range of a double; inf is infinity");
    token.value = Scalar::of(value);
  }
  return token;
}

// Bytes of the UTF-8 character at `at`; 0 if there is none.
uint32_t character(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const uint32_t bytes = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : 4;
  if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) return 0;
  if (at + bytes > text.size()) return 0;
  for (uint32_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) return 0;
  return bytes;
}

size_t line_begin(std::string_view text, size_t at) {
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

}  // namespace

Token next_token(std::string_view text, uint32_t* at) {
  uint32_t i = *at;
  for (;;) {
    while (i < text.size() && is_space(text[i])) ++i;
    if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (text.substr(i, 2) == "/*") {
      const size_t close = text.find("*/", i + 2);
      if (close == std::string_view::npos) return wrong(i, "a comment that is not closed: */ is missing");
      i = static_cast<uint32_t>(close) + 2;
    } else {
      break;
    }
  }
  Token token;
  token.at = *at = i;
  if (i == text.size()) return token;
  const char c = text[i];
  if (begins_name(c)) {
    while (*at < text.size() && (begins_name(text[*at]) || is_digit(text[*at]))) ++*at;
    token.kind = Token::name;
    token.text = text.substr(i, *at - i);
    return token;
  }
  if (is_digit(c) || (c == '.' && i + 1 < text.size() && is_digit(text[i + 1]))) return number_token(text, at);
  static constexpr std::string_view kSymbols[] = {
      "**", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "+", "-", "*",
      "/",  "%",  "<",  ">",  "=",  "!",  "~",  "&",  "|",  "^",  "?",  ":",  "(",  ")", ",", ";"};
  for (const std::string_view symbol : kSymbols)
    if (text.substr(i, symbol.size()) == symbol) {
      token.kind = Token::symbol;
      token.text = text.substr(i, symbol.size());
      *at = i + static_cast<uint32_t>(symbol.size());
      return token;
    }
  return wrong(i, "a character that has no meaning here");
}

TextPosition place_of(std::string_view text, uint32_t at) {
  TextPosition place;
  const size_t begin = line_begin(text, at);
  for (size_t i = 0; i < begin; ++i) place.line += text[i] == '\n';
  for (size_t i = begin; i < at;) {
    const uint32_t bytes = character(text, i);
    i += bytes ? bytes : 1;
    ++place.column;
  }
  return place;
}

std::string caret_lines(std::string_view text, uint32_t at) {
  constexpr size_t kBefore = 70, kBehind = 40;
  size_t begin = line_begin(text, at);
  size_t end = std::min(text.find('\n', at), text.size());
  std::string line = "  ", caret = "  ";
  if (at - begin > kBefore) {
    begin = at - kBefore;
    while (begin < at && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) ++begin;
    line += "...", caret += "   ";
  }
  const bool cut = end - at > kBehind;
  if (cut) end = at + kBehind;
  for (size_t i = begin; i < end;) {
    const uint32_t bytes = character(text, i);
    const bool printed = bytes > 1 || (bytes == 1 && (text[i] == '\t' || (text[i] >= ' ' && text[i] != 0x7f)));
    if (i + bytes > end && bytes > 1) break;
    line += printed ? std::string(text.substr(i, bytes)) : "?";
    if (i < at) caret += text[i] == '\t' ? '\t' : ' ';
    i += bytes ? bytes : 1;
  }
  if (cut) line += "...";
  return line + "\n" + caret + "^";
}

}  // namespace rondo::ops
