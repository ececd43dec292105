// Writes a text as JSON has it, for traces and headers of models; and as a terminal may have it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rondo {

// In quotes. UTF-8 goes through as it is.
std::string json_text(std::string_view text);

// How many bytes at the beginning of `text` are a control character, or one that is invisible, or that turns or breaks
// a line of text where it is shown; 0: none.
size_t control_bytes(std::string_view text);

// A text with parts that others made, for the log, messages and the tools: '?' stands for characters that control a
// terminal, are invisible or turn the direction of a text. Line ends and tabs stay where `lines` are wanted, and so do
// bytes that are no UTF-8.
std::string plain(std::string text, bool lines = true);

}  // namespace rondo
