// The names of operands, as the rows of kinds.def give them: "q k v [mask] [draw:dropped] weights... -> out".
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/kinds.h"

namespace rondo::ops {

namespace {

// A word of a row, for one call: a name, and how many operands have it. `rest`: as many as are left.
struct Named {
  std::string_view name;
  size_t count = 1;
  bool rest = false;
};

std::string_view next_word(std::string_view* text) {
  while (!text->empty() && text->front() == ' ') text->remove_prefix(1);
  const std::string_view word = text->substr(0, text->find(' '));
  text->remove_prefix(word.size());
  return word;
}

Named named(std::string_view word, const Attribute& attribute) {
  const auto value = [&](std::string_view name) { return attribute.find(attribute.attributes, name).value_or(0); };
  if (word.front() == '[') {
    word = word.substr(1, word.size() - 2);
    const size_t colon = word.find(':');
    std::string_view condition = colon == std::string_view::npos ? word : word.substr(colon + 1);
    const bool negated = condition.front() == '!';
    if (negated) condition.remove_prefix(1);
    return {word.substr(0, colon), (value(condition) != 0) != negated ? size_t{1} : size_t{0}};
  }
  if (word.size() > 3 && word.substr(word.size() - 3) == "...") return {word.substr(0, word.size() - 3), 0, true};
  if (const size_t star = word.find('*'); star != std::string_view::npos)
    return {word.substr(0, star), static_cast<size_t>(value(word.substr(star + 1)))};
  return {word};
}

// Calls visit(named) for each word of the inputs, then of the outputs, until it returns false.
template <class Visit>
void each_named(std::string_view text, bool outputs, const Attribute& attribute, const Visit& visit) {
  bool after = false;
  for (std::string_view word = next_word(&text); !word.empty(); word = next_word(&text)) {
    if (word == "->")
      after = true;
    else if (after == outputs && !visit(named(word, attribute)))
      return;
  }
}

// Appends the names of one side, unless none are asked for; false if there cannot be so many operands.
bool name_side(const char* operands, bool outputs, const Attribute& attribute, size_t count,
               std::vector<std::string_view>* names) {
  size_t known = 0;
  bool has_rest = false;
  each_named(operands, outputs, attribute, [&](const Named& each) {
    if (each.count > count - known) return known = count + 1, false;  // an attribute may say any number
    known += each.count;
    has_rest |= each.rest;
    return true;
  });
  if (count < known || (count > known && !has_rest)) return false;
  if (!names) return true;
  each_named(operands, outputs, attribute, [&](const Named& each) {
    names->insert(names->end(), each.rest ? count - known : each.count, each.name);
    return true;
  });
  return true;
}

// Finds what find_attribute finds, in the kinds of all rows: little code for each, so one function compares the names.
struct Sought {
  std::string_view name;
  std::optional<int64_t> found;
  [[gnu::noinline]] void offer(const char* member, int64_t value) {
    if (name == member) found = value;
  }
};
template <class Attributes>
void seek(const Attributes& attributes, Sought* sought) {
  if constexpr (HasMembers<const Attributes>)
    Attributes::each_member(attributes, [sought](const char* member, const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (HasMembers<const Value>)
        seek(value, sought);
      else if constexpr (std::is_floating_point_v<Value>)
        sought->offer(member, value != 0);
      else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>)
        sought->offer(member, static_cast<int64_t>(value));
    });
}

}  // namespace

std::optional<size_t> find_input(const char* operands, const Attribute& attribute, std::string_view name) {
  std::optional<size_t> found;
  size_t at = 0;
  each_named(operands, false, attribute, [&](const Named& each) {
    if (each.name == name && (each.count > 0 || each.rest)) found = at;
    at += each.count;
    return !found && !each.rest;
  });
  return found;
}

bool name_operands(const Call& call, size_t inputs, size_t outputs, std::vector<std::string_view>* names) {
  const Attribute attribute = {&call, [](const void* of, std::string_view name) {
                                 Sought sought = {name, {}};
                                 std::visit([&sought](const auto& attributes) { seek(attributes, &sought); },
                                            static_cast<const Call*>(of)->of);
                                 return sought.found;
                               }};
  const char* const operands = row_of(call).operands;
  return name_side(operands, false, attribute, inputs, names) && name_side(operands, true, attribute, outputs, names);
}

}  // namespace rondo::ops
