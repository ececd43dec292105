// Reading the environment. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <sys/auxv.h>

#include <cstdlib>

#include "base/log.h"

namespace rondo {

const std::vector<SettingInfo>& settings() {
  static const auto* table = new std::vector<SettingInfo>{
#define RONDO_SETTING(id, name, fallback, doc) {name, fallback, doc},
#include "base/settings.def"
#undef RONDO_SETTING
  };
  return *table;
}

static const char* environment(Setting which) {
  // In a set-uid program the environment belongs to somebody with fewer rights than the process.
  if (getauxval(AT_SECURE)) return nullptr;
  const char* value = std::getenv(settings()[static_cast<size_t>(which)].name);
  return value && *value ? value : nullptr;
}

bool setting_is_set(Setting which) {
  return environment(which) != nullptr;
}

std::string setting(Setting which) {
  const char* value = environment(which);
  return value ? value : settings()[static_cast<size_t>(which)].fallback;
}

long long setting_int(Setting which, long long low, long long high) {
  const SettingInfo& info = settings()[static_cast<size_t>(which)];
  const std::string text = setting(which);
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (!text.empty() && *end == '\0' && value >= low && value <= high) return value;
  log(RONDO_LOG_WARNING, "setting %s=%s is not a number from %lld to %lld; using %s", info.name, text.c_str(), low,
      high, info.fallback);
  return std::strtoll(info.fallback, nullptr, 10);
}

}  // namespace rondo
