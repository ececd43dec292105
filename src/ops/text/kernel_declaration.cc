// Reads declarations of kernels that a user writes, and tells which arguments fit them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/kernel_declaration.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/dtype.h"
#include "base/text.h"
#include "ops/text/expression_lexer.h"

namespace rondo::ops {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct KnownType {
  const char* name;
  KernelParameter::Kind kind;
  uint8_t size;
};
constexpr KnownType kKnown[] = {
    {"float", KernelParameter::floating, 4},    {"double", KernelParameter::floating, 8},
    {"bool", KernelParameter::truth, 1},        {"char", KernelParameter::integer, 1},
    {"int8_t", KernelParameter::integer, 1},    {"uint8_t", KernelParameter::natural, 1},
    {"short", KernelParameter::integer, 2},     {"int16_t", KernelParameter::integer, 2},
    {"uint16_t", KernelParameter::natural, 2},  {"int", KernelParameter::integer, 4},
    {"signed", KernelParameter::integer, 4},    {"unsigned", KernelParameter::natural, 4},
    {"int32_t", KernelParameter::integer, 4},   {"uint32_t", KernelParameter::natural, 4},
    {"long", KernelParameter::integer, 8},      {"int64_t", KernelParameter::integer, 8},
    {"uint64_t", KernelParameter::natural, 8},  {"size_t", KernelParameter::natural, 8},
    {"ptrdiff_t", KernelParameter::integer, 8},
};
const KnownType* find_known(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kKnown), std::end(kKnown), [name](const KnownType& each) { return each.name == name; });
  return found == std::end(kKnown) ? nullptr : found;
}
// A word that alone, or among others of its kind, is a type of C.
bool is_builtin(std::string_view word) {
  for (const char* each : {"float", "double", "bool", "char", "short", "int", "signed", "unsigned", "long", "void"})
    if (word == each) return true;
  return false;
}
bool is_qualifier(std::string_view word) {
  for (const char* each : {"const", "volatile", "__restrict__", "__restrict", "restrict", "struct"})
    if (word == each) return true;
  return false;
}

// The type that "unsigned", "long", "int" and their like come to together, or that one name says.
void classify(const std::vector<std::string_view>& words, KernelParameter* parameter) {
  if (words.size() == 1) {
    if (const KnownType* known = find_known(words[0])) parameter->kind = known->kind, parameter->size = known->size;
    return;
  }
  const auto has = [&words](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (!std::all_of(words.begin(), words.end(), is_builtin) || has("float") || has("double") || has("bool") ||
      has("void"))
    return;
  parameter->kind = has("unsigned") ? KernelParameter::natural : KernelParameter::integer;
  parameter->size = has("char") ? 1 : has("short") ? 2 : has("long") ? 8 : 4;
}

class DeclarationParser {
 public:
  DeclarationParser(std::string_view text, std::vector<KernelDeclaration>& to) : text_(text), to_(to) {}

  Status parse() {
    for (size_t begin = 0; begin <= text_.size();) {
      const size_t end = std::min(text_.find(';', begin), text_.size());
      Range range{begin, end};
      trim(range);
      if (range.begin < range.end) RONDO_TRY(declaration(range));
      begin = end + 1;
    }
    if (to_.empty())
      return refused(text_.size(), "no kernel is declared; write one such as scale<float>(const float* x, float* y)");
    return {};
  }

 private:
  struct Range {
    size_t begin, end;
  };
  std::string_view of(Range range) const { return text_.substr(range.begin, range.end - range.begin); }
  void trim(Range& range) const {
    while (range.begin < range.end && is_space(text_[range.begin])) ++range.begin;
    while (range.begin < range.end && is_space(text_[range.end - 1])) --range.end;
  }
  Status refused(size_t at, const std::string& why) const {
    const TextPosition place = place_of(text_, static_cast<uint32_t>(at));
    return error(RONDO_INVALID_ARGUMENT, "kernels %u:%u: %s\n%s", place.line, place.column, why.c_str(),
                 caret_lines(text_, static_cast<uint32_t>(at)).c_str());
  }

  Status declaration(Range range) {
    if (text_[range.end - 1] != ')')
      return refused(range.end - 1, "a declaration ends with its parameters: name(type name, ...)");
    int depth = 0;
    size_t open = range.end;
    while (open > range.begin) {
      const char c = text_[--open];
      depth += (c == ')') - (c == '(');
      if (depth == 0) break;
    }
    if (depth != 0) return refused(range.end - 1, "this parenthesis is not opened");
    Range name{range.begin, open};
    trim(name);
    for (const std::string_view prefix : {"extern \"C\"", "__global__", "void"})
      if (of(name).substr(0, prefix.size()) == prefix &&
          (name.begin + prefix.size() == name.end || !is_word(text_[name.begin + prefix.size()]))) {
        name.begin += prefix.size();
        trim(name);
      }
    if (name.begin == name.end) return refused(open, "a declaration begins with the kernel's name");
    KernelDeclaration made;
    made.name = of(name);
    made.parameters_text = of({open + 1, range.end - 1});
    for (const KernelDeclaration& each : to_)
      if (each.name == made.name) return refused(name.begin, "'" + made.name + "' is declared already");
    RONDO_TRY(parameters({open + 1, range.end - 1}, &made));
    to_.push_back(std::move(made));
    return {};
  }

  Status parameters(Range all, KernelDeclaration* made) {
    trim(all);
    if (all.begin == all.end || of(all) == "void") return {};
    int depth = 0;
    Range one{all.begin, all.begin};
    for (size_t at = all.begin; at <= all.end; ++at) {
      const char c = at < all.end ? text_[at] : ',';
      depth += (c == '<' || c == '(' || c == '[') - (c == '>' || c == ')' || c == ']');
      if (c != ',' || (depth > 0 && at < all.end)) continue;
      one.end = at;
      trim(one);
      KernelParameter parameter;
      RONDO_TRY(read(one, &parameter));
      made->parameters.push_back(std::move(parameter));
      one.begin = at + 1;
    }
    return {};
  }

  // const float* __restrict__ x
  Status read(Range range, KernelParameter* parameter) {
    std::vector<std::string_view> type;
    bool constant = false;
    size_t type_end = range.begin;
    if (range.begin >= range.end) return refused(std::min(range.begin, text_.size()), "a parameter is missing");
    for (size_t at = range.begin; at < range.end;) {
      const char c = text_[at];
      if (is_space(c)) {
        ++at;
      } else if (c == '*') {
        if (parameter->pointer) return refused(at, "a pointer to a pointer is not a tensor");
        parameter->pointer = true;
        type_end = ++at;
      } else if (is_word(c) || c == ':') {
        const Range word = whole_word(at, range.end);
        at = word.end;
        if (is_qualifier(of(word))) {
          constant |= of(word) == "const" && !parameter->pointer;
          if (type.empty() || parameter->pointer) type_end = word.end;
        } else if (parameter->pointer || names_parameter(type, of(word))) {
          if (!parameter->name.empty()) return refused(word.begin, "a parameter has one name");
          parameter->name = of(word);
        } else {
          type.push_back(of(word));
          type_end = word.end;
        }
      } else {
        return refused(at, "a parameter is a number, or a pointer to a tensor's elements");
      }
    }
    if (type.empty()) return refused(range.begin, "a parameter begins with its type");
    parameter->type = of({range.begin, type_end});
    parameter->written = parameter->pointer && !constant;
    classify(type, parameter);
    if (!parameter->pointer && parameter->kind == KernelParameter::other)
      return refused(range.begin, "'" + parameter->type +
                                      "' is not a number that can be given: possible are bool, float, double and "
                                      "integers; a tensor is a pointer");
    return {};
  }
  // A name with its qualification and template arguments: ns::vec<float, 4>.
  Range whole_word(size_t at, size_t end) const {
    Range word{at, at};
    int depth = 0;
    while (word.end < end &&
           (depth > 0 || is_word(text_[word.end]) || text_[word.end] == ':' || text_[word.end] == '<')) {
      depth += (text_[word.end] == '<') - (text_[word.end] == '>');
      ++word.end;
    }
    return word;
  }
  // True if a word after a number's type is its name.
  static bool names_parameter(const std::vector<std::string_view>& type, std::string_view word) {
    return !type.empty() && !(is_builtin(type.back()) && is_builtin(word));
  }

  const std::string_view text_;
  std::vector<KernelDeclaration>& to_;
};

template <class T>
bool fits(const Scalar& number, uint64_t* word) {
  int64_t whole = number.i;
  if (!number.integer) {
    if (!(number.f >= -0x1p63 && number.f < 0x1p63) || number.f != std::trunc(number.f)) return false;
    whole = static_cast<int64_t>(number.f);
  }
  const auto value = static_cast<T>(whole);
  if (static_cast<int64_t>(value) != whole || (value > 0) != (whole > 0)) return false;
  *word = 0;
  std::memcpy(word, &value, sizeof value);
  return true;
}

}  // namespace

Status parse_declarations(std::string_view text, std::vector<KernelDeclaration>* declarations) {
  std::vector<KernelDeclaration> parsed;
  RONDO_TRY(DeclarationParser(text, parsed).parse());
  *declarations = std::move(parsed);
  return {};
}

bool accepts(const KernelParameter& parameter, rondo_dtype dtype) {
  if (parameter.kind == KernelParameter::other) return true;
  const bool wide_float = is_float(dtype) && !is_half(dtype);
  return dtype_size(dtype) == parameter.size && wide_float == (parameter.kind == KernelParameter::floating) &&
         (!(is_half(dtype) || is_f8(dtype)) || parameter.kind == KernelParameter::natural);
}

bool argument_word(const KernelParameter& parameter, const Scalar& number, uint64_t* word) {
  const bool natural = parameter.kind == KernelParameter::natural;
  switch (parameter.kind) {
    case KernelParameter::floating: {
      const double value = number.integer ? static_cast<double>(number.i) : number.f;
      const float single = number.integer ? static_cast<float>(number.i) : static_cast<float>(number.f);
      *word = 0;
      if (parameter.size == 8)
        std::memcpy(word, &value, sizeof value);
      else
        std::memcpy(word, &single, sizeof single);
      return true;
    }
    case KernelParameter::truth: *word = number.integer ? number.i != 0 : number.f != 0; return true;
    case KernelParameter::integer:
    case KernelParameter::natural:
      switch (parameter.size) {
        case 1: return natural ? fits<uint8_t>(number, word) : fits<int8_t>(number, word);
        case 2: return natural ? fits<uint16_t>(number, word) : fits<int16_t>(number, word);
        case 4: return natural ? fits<uint32_t>(number, word) : fits<int32_t>(number, word);
        default: return natural ? fits<uint64_t>(number, word) : fits<int64_t>(number, word);
      }
    case KernelParameter::other: break;
  }
  return false;
}

}  // namespace rondo::ops
