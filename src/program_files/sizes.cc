// Reads expressions of sizes: sums of products of numbers, names and expressions in parentheses, with checked
// arithmetic. How deep they nest is limited, as files come from strangers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/sizes.h"

#include "base/text.h"

namespace rondo::program_files {

using models::excerpt;

namespace {

constexpr size_t kLongestDim = 64;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

Status check_dims(const std::vector<Dim>& dims) {
  if (dims.size() > kMostDims)
    return error(RONDO_INVALID_ARGUMENT, "%zu sizes have names; %zu are the most", dims.size(), kMostDims);
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim& each = dims[i];
    bool right = !each.name.empty() && each.name.size() <= kLongestDim && is_letter(each.name[0]);
    for (const char c : each.name) right = right && (is_letter(c) || is_digit(c));
    if (!right)
      return error(RONDO_INVALID_ARGUMENT,
                   "'%s' is no name of a size; letters of ASCII, digits and _ are, 1 to %zu, and no digit first",
                   excerpt(each.name).c_str(), kLongestDim);
    if (each.least < 0 || each.most < each.least || each.most > kLargestSize)
      return error(RONDO_INVALID_ARGUMENT, "the size '%s' is from %lld to %lld; 0 to 2^40 are possible, in order",
                   each.name.c_str(), printable(each.least), printable(each.most));
    for (size_t k = 0; k < i; ++k)
      if (dims[k].name == each.name)
        return error(RONDO_INVALID_ARGUMENT, "two sizes have the name '%s'", each.name.c_str());
  }
  return {};
}

std::string sizes_text(const std::vector<Dim>& dims, const std::vector<int64_t>& sizes) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i)
    text += format("%s%s = %lld", i ? ", " : "", dims[i].name.c_str(), printable(sizes[i]));
  return text;
}

int64_t times_of(std::string_view text, std::string_view name) {
  constexpr size_t kMostDigits = 13;  // 2^40 has as many
  if (text == name) return 1;
  const size_t sign = text.find('*');
  if (sign == text.npos || sign == 0 || sign > kMostDigits || text[0] == '0' || text.substr(sign + 1) != name) return 0;
  int64_t times = 0;
  for (const char each : text.substr(0, sign)) {
    if (!is_digit(each)) return 0;
    times = 10 * times + (each - '0');
  }
  return times;
}

// Reads one expression. Stays false once something is wrong.
class SizeParser {
 public:
  SizeParser(std::string_view text, Sizes* sizes) : text_(text), sizes_(*sizes) {}

  bool read(int64_t* value) { return sum(value, 0) && at_ == text_.size() && named_; }
  const char* why() const { return why_; }

 private:
  bool fail(const char* why) {
    why_ = why;
    return false;
  }
  bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool sum(int64_t* value, int depth) {
    int64_t total = 0;
    bool minus = take('-');
    do {
      int64_t term = 0;
      if (!product(&term, depth)) return false;
      if (minus ? __builtin_sub_overflow(total, term, &total) : __builtin_add_overflow(total, term, &total))
        return fail("it is beyond 64 bits");
      minus = at_ < text_.size() && text_[at_] == '-';
    } while (take('+') || take('-'));
    *value = total;
    return true;
  }
  bool product(int64_t* value, int depth) {
    if (!factor(value, depth)) return false;
    for (;;) {
      const bool divides = at_ < text_.size() && text_[at_] == '/';
      if (!take('*') && !take('/')) return true;
      int64_t other = 0;
      if (divides && (at_ == text_.size() || !is_digit(text_[at_]))) return fail("it divides by no number");
      if (!factor(&other, depth)) return false;
      if (divides) {
        if (other == 0) return fail("it divides by 0");
        const int64_t rounded = *value / other;  // by what is above 0
        *value = rounded - (*value % other < 0 ? 1 : 0);
      } else if (__builtin_mul_overflow(*value, other, value)) {
        return fail("it is beyond 64 bits");
      }
    }
  }
  bool factor(int64_t* value, int depth) {
    constexpr int kDeepest = 8;
    if (take('(')) {
      if (depth == kDeepest) return fail("it nests too deep");
      return sum(value, depth + 1) && (take(')') || fail(kForm));
    }
    const size_t start = at_;
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    if (is_digit(first)) {
      int64_t number = 0;
      for (; at_ < text_.size() && is_digit(text_[at_]); ++at_)
        if (__builtin_mul_overflow(number, int64_t{10}, &number) ||
            __builtin_add_overflow(number, int64_t{text_[at_] - '0'}, &number))
          return fail("it is beyond 64 bits");
      *value = number;
      return (first != '0' || at_ == start + 1) || fail(kForm);
    }
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    for (size_t i = 0; i < sizes_.dims_.size(); ++i)
      if (name == sizes_.dims_[i].name) {
        *value = sizes_.sizes_[i];
        sizes_.used_ |= 1u << i;
        return named_ = true;
      }
    return fail(name.empty() ? kForm : "it has a name that is no size of the program");
  }

  static constexpr const char* kForm = "a sum such as \"2*B*T-4\" or \"(H+3)/4\" is expected";
  const std::string_view text_;
  Sizes& sizes_;
  size_t at_ = 0;
  bool named_ = false;
  const char* why_ = kForm;
};

Status Sizes::read(std::string_view text, int64_t* value) {
  SizeParser parser(text, this);
  if (parser.read(value)) return {};
  return error(RONDO_IO_ERROR, "the size '%s': %s", excerpt(text).c_str(), parser.why());
}

}  // namespace rondo::program_files
