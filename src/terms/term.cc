// Reads terms from their texts, which are the tables of those who look for groups of nodes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "terms/term.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace rondo {

namespace {

// Takes a text apart, from the left.
class TermReader {
 public:
  TermReader(std::string_view text, std::string_view inner) : text_(text), inner_(inner) {}
  Term read() {
    const Term term = read_one();
    if (!done()) std::abort();
    return term;
  }

 private:
  bool done() {
    while (!text_.empty() && text_[0] == ' ') text_.remove_prefix(1);
    return text_.empty();
  }
  bool take(std::string_view word) {
    if (done() || text_.substr(0, word.size()) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::string_view word() {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    if (done()) std::abort();
    const size_t length = std::min(text_.find_first_not_of(kLetters), text_.size());
    if (length == 0) std::abort();
    const std::string_view word = text_.substr(0, length);
    text_.remove_prefix(length);
    return word;
  }
  // Digits with a point or none, which no locale changes.
  double number() {
    double value = 0, place = 0;
    for (; !text_.empty() && ((text_[0] >= '0' && text_[0] <= '9') || text_[0] == '.'); text_.remove_prefix(1)) {
      if (text_[0] == '.') {
        place = 1;
        continue;
      }
      value = value * 10 + (text_[0] - '0');
      place *= 10;
    }
    return place > 0 ? value / place : value;
  }
  Term read_one() {
    Term term;
    if (take("^")) return TermReader(inner_, {}).read();
    if (take("[")) {
      term.kind = Term::kChoice;
      do {
        term.parts.push_back(read_one());
      } while (take("|"));
      if (!take("]")) std::abort();
      return term;
    }
    if (take("#")) {
      term.constant = true;
      term.name = word();
      return term;
    }
    if (!done() && text_[0] >= '0' && text_[0] <= '9') {
      term.kind = Term::kNumber;
      term.number = number();
      return term;
    }
    term.name = word();
    if (term.name[0] >= 'a') return term;
    term.kind = Term::kNode;
    if (take(":")) term.label = word();
    if (!take("(")) std::abort();
    do {
      term.parts.push_back(read_one());
      term.rest = take("...");
    } while (!term.rest && take(","));
    if (!take(")")) std::abort();
    return term;
  }

  std::string_view text_;
  const std::string_view inner_;
};

// The nearest number with a significand of so many bits.
double rounded(double number, int bits) {
  int exponent = 0;
  const double significand = std::frexp(number, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits);
}

}  // namespace

Term read_term(std::string_view text, std::string_view inner) {
  return TermReader(text, inner).read();
}

bool is_number(const Term& term, double constant, int bits) {
  const double expected = bits > 0 ? rounded(term.number, bits) : term.number;
  // Numbers such as 0.5 and 2 are meant as they stand; of others a text has the first digits.
  if (std::rint(term.number * 2) == term.number * 2) return constant == expected;
  return std::abs(constant - expected) <= 1e-6 * std::abs(expected);
}

}  // namespace rondo
