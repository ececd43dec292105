// Prints findings as paragraphs that fit a terminal, each with its mark and its command.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/report.h"

#include <cstdio>
#include <string_view>

#include "base/json_text.h"
#include "base/text.h"

namespace rondo::tools {

namespace {

constexpr size_t kWidth = 100;
constexpr char kMargin[] = "      ";

}  // namespace

void report(Mark mark, const std::string& sentence, const std::string& command) {
  std::string line = mark == Mark::fine ? "ok    " : mark == Mark::note ? "note  " : "mend  ";
  std::string text = plain(sentence);
  while (!text.empty() && (text.back() == '.' || text.back() == ' ' || text.back() == '\n')) text.pop_back();
  text += ".";
  for (char& each : text)
    if (each == '\n') each = ' ';
  std::string_view rest = text;
  bool first = true;
  for (std::string_view word; take_word(&rest, &word); first = false) {
    if (!first && line.size() + 1 + word.size() > kWidth) {
      std::printf("%s\n", line.c_str());
      line = kMargin;
      first = true;
    }
    line.append(first ? "" : " ").append(word);
  }
  std::printf("%s\n", line.c_str());
  if (!command.empty()) std::printf("%s$ %s\n", kMargin, plain(command, false).c_str());
}

}  // namespace rondo::tools
