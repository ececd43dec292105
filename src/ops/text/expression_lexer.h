// Declares the tokens of an expression's text, and the places that messages name.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "ops/ops.h"

namespace rondo::ops {

inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Token {
  enum Kind : uint8_t { end, name, number, symbol, wrong } kind = end;
  uint32_t at = 0;        // first byte
  std::string_view text;  // of a wrong one: what is said about it
  Scalar value;
  bool is(std::string_view what) const { return kind == symbol && text == what; }
};

// The token at or after byte `*at`, which moves past it. Spaces, lines and comments (to the end of the line after `//`,
// or between `/*` and `*/`) separate tokens and mean nothing.
Token next_token(std::string_view text, uint32_t* at);

// The position of a byte, for people: line and column from 1, columns counted in characters.
struct TextPosition {
  uint32_t line = 1, column = 1;
};
TextPosition place_of(std::string_view text, uint32_t at);

// The line that a byte stands in, or a window of it, and below it a caret under that byte. Two lines without the last
// newline; bytes that are not UTF-8, and controls, become '?'.
std::string caret_lines(std::string_view text, uint32_t at);

}  // namespace rondo::ops
