// Reading the environment. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <sys/auxv.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/log.h"

namespace rondo {

const std::vector<SettingInfo>& settings() {
  static const auto* table = new std::vector<SettingInfo>{
#define RONDO_SETTING(id, name, fallback, values, doc) {name, fallback, values, doc},
#include "base/settings.def"
#undef RONDO_SETTING
  };
  return *table;
}

static const SettingInfo& info(Setting which) {
  return settings()[static_cast<size_t>(which)];
}

static const char* environment(Setting which) {
  // In a set-uid program the environment belongs to somebody with fewer rights than the process.
  if (getauxval(AT_SECURE)) return nullptr;
  const char* value = std::getenv(info(which).name);
  return value && *value ? value : nullptr;
}

bool setting_is_set(Setting which) {
  return environment(which) != nullptr;
}

std::string setting(Setting which) {
  const char* value = environment(which);
  return value ? value : info(which).fallback;
}

namespace {

// "0 to 9" as numbers; false for names.
bool is_range(const char* values, long long* low, long long* high) {
  return std::sscanf(values, "%lld to %lld", low, high) == 2;
}

bool number_in(const std::string& text, long long low, long long high, long long* number) {
  char* end = nullptr;
  *number = std::strtoll(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0' && *number >= low && *number <= high;
}

}  // namespace

int setting_choice(Setting which) {
  const std::string value = setting(which);
  std::istringstream names(info(which).values);
  std::string name;
  for (int i = 0; std::getline(names >> std::ws, name, ','); ++i)
    if (name == value) return i;
  return -1;
}

std::string setting_problem(Setting which) {
  const std::string values = info(which).values;
  long long low = 0, high = 0, number = 0;
  if (values.empty()) return {};
  if (is_range(values.c_str(), &low, &high))
    return number_in(setting(which), low, high, &number) ? "" : "not a number from " + values;
  return setting_choice(which) >= 0 ? "" : "none of " + values;
}

long long setting_number(Setting which) {
  const SettingInfo& about = info(which);
  long long low = 0, high = 0, number = 0;
  is_range(about.values, &low, &high);
  if (number_in(setting(which), low, high, &number)) return number;
  log(RONDO_LOG_WARNING, "setting %s=%s is %s; using %s", about.name, setting(which).c_str(),
      setting_problem(which).c_str(), about.fallback);
  return std::strtoll(about.fallback, nullptr, 10);
}

}  // namespace rondo
