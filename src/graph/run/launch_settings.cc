// Sets the sections and parameters of a graph, and tells a launch which values hold.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/launch_settings.h"

#include "base/text.h"

namespace rondo {

namespace {

const char* text(LaunchSettings::Kind kind) {
  return kind == LaunchSettings::Kind::parameter ? "parameter" : "section";
}

}  // namespace

uint32_t LaunchSettings::add(Kind kind, const char* name, rondo_dtype dtype, uint64_t word) {
  const auto number = static_cast<uint32_t>(list_.size());
  list_.push_back({kind, name, dtype});
  words_.push_back(word);
  (kind == Kind::parameter ? parameters_ : sections_).emplace(name, number);
  return number;
}

bool LaunchSettings::find(Kind kind, const char* name, uint32_t* number) const {
  const std::unordered_map<std::string, uint32_t>& numbers = kind == Kind::parameter ? parameters_ : sections_;
  const auto found = numbers.find(name);
  if (found == numbers.end()) return false;
  *number = found->second;
  return true;
}

Status LaunchSettings::find_or_tell(Kind kind, const char* graph, const char* name, uint32_t* number) const {
  if (find(kind, name, number)) return {};
  std::string names;
  for (const Setting& each : list_)
    if (each.kind == kind) names += (names.empty() ? "it has '" : ", '") + each.name + "'";
  return error(RONDO_NOT_FOUND, "graph '%s' has no %s '%s'; %s", graph, text(kind), name,
               names.empty() ? "it has none" : names.c_str());
}

LaunchSettings::Words LaunchSettings::words() const {
  const std::lock_guard lock(mutex_);
  return words_;
}

uint64_t LaunchSettings::word(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return words_[number];
}

Status LaunchSettings::set_parameter(const char* graph, const char* name, ops::Scalar value) {
  uint32_t number = 0;
  RONDO_TRY(find_or_tell(Kind::parameter, graph, name, &number));
  uint64_t word = 0;
  RONDO_TRY(ops::scalar_word("value", value, list_[number].dtype, &word));
  const std::lock_guard lock(mutex_);
  words_[number] = word;
  return {};
}

Status LaunchSettings::set_section(const char* graph, const char* name, bool on) {
  uint32_t number = 0;
  RONDO_TRY(find_or_tell(Kind::section, graph, name, &number));
  const std::lock_guard lock(mutex_);
  words_[number] = on;
  return {};
}

std::string LaunchSettings::report() const {
  const Words now = words();
  std::string text;
  for (uint32_t i = 0; i < list_.size(); ++i)
    text += list_[i].kind == Kind::parameter
                ? format("  parameter '%s': %s\n", list_[i].name.c_str(), dtype_name(list_[i].dtype))
                : format("  section '%s': %s\n", list_[i].name.c_str(), now[i] ? "on" : "off");
  return text;
}

}  // namespace rondo
