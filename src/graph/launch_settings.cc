// Records the settings of a graph's launches, parameters and sections, and sets them for launches to come.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/launch_settings.h"

#include "base/text.h"
#include "engine/tensor.h"
#include "graph/recording.h"
#include "ops/elementwise/parameter.h"
#include "ops/task/output.h"

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

Status record_parameter(Engine& engine, const char* name, Device& device, rondo_dtype dtype, ops::Scalar value,
                        rondo_tensor** parameter) {
  Recording* recording = nullptr;
  RONDO_TRY(find_recording(engine, "record parameters", &recording));
  LaunchSettings& settings = *recording->settings;
  uint32_t number = 0;
  if (settings.find(LaunchSettings::Kind::parameter, name, &number))
    return error(RONDO_INVALID_ARGUMENT, "recording '%s' has a parameter '%s' already; give this one another name",
                 recording->name, name);
  uint64_t word = 0;
  RONDO_TRY(ops::scalar_word("value", value, dtype, &word));
  ops::Handle made(make_tensor(engine, device, dtype, Layout::row_major(0, nullptr)));
  number = settings.add(LaunchSettings::Kind::parameter, name, dtype, word);
  RONDO_TRY(ops::write_parameter(made.tensor->view, number, word));
  *parameter = std::exchange(made.tensor, nullptr);
  return {};
}

Status begin_section(Engine& engine, const char* name, bool on) {
  Recording* recording = nullptr;
  RONDO_TRY(find_recording(engine, "begin sections", &recording));
  if (const char* open = recording->open_section())
    return error(RONDO_INVALID_STATE, "section '%s' of recording '%s' is open; end it first (rondo_record_section_end)",
                 open, recording->name);
  LaunchSettings& settings = *recording->settings;
  uint32_t number = 0;
  if (settings.find(LaunchSettings::Kind::section, name, &number)) {
    if ((settings.word(number) != 0) != on)
      return error(RONDO_INVALID_ARGUMENT,
                   "on is %d; section '%s' of recording '%s' is %s already, and this is a part of it", on, name,
                   recording->name, on ? "off" : "on");
  } else {
    number = settings.add(LaunchSettings::Kind::section, name, RONDO_BOOL, on);
  }
  recording->begin_section(number);
  return {};
}

Status end_section(Engine& engine) {
  Recording* recording = nullptr;
  RONDO_TRY(find_recording(engine, "end sections", &recording));
  if (!recording->open_section())
    return error(RONDO_INVALID_STATE, "no section of recording '%s' is open; call rondo_record_section_begin first",
                 recording->name);
  recording->end_section();
  return {};
}

}  // namespace rondo
