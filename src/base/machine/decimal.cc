// Writes and reads numbers in texts in the locale "C", whichever locale the process has.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/machine/decimal.h"

#include <locale.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace rondo {

namespace {

// While in scope the calling thread has the locale "C". Made once and not destroyed: threads may write while the
// process exits.
class PlainLocale {
 public:
  PlainLocale() : before_(uselocale(plain())) {}
  ~PlainLocale() { uselocale(before_); }
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  static locale_t plain() {
    static const locale_t made = newlocale(LC_ALL_MASK, "C", nullptr);
    return made;
  }
  const locale_t before_;
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string print(const char* format, va_list arguments) {
  const PlainLocale plain;
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length <= 0) return {};
  std::string text(static_cast<size_t>(length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, arguments);
  return text;
}

int scan(const char* text, const char* format, ...) {
  const PlainLocale plain;
  va_list arguments;
  va_start(arguments, format);
  const int count = std::vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

double read_decimal(const char* text, const char** end) {
  const PlainLocale plain;
  char* behind = nullptr;
  const double value = std::strtod(text, &behind);
  if (end) *end = behind;
  return value;
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace rondo
