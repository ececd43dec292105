// Reads the settings from the environment and judges their values; set-uid programs ignore the environment.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/log.h"
#include "base/machine/decimal.h"
#include "base/text.h"

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
  // In a set-uid program the environment was set by a user with fewer rights than the process.
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

static int place_among(std::string_view names, std::string_view value) {
  std::string_view name;
  for (int i = 0; take_part(&names, ',', &name); ++i)
    if (name.substr(std::min(name.find_first_not_of(' '), name.size())) == value) return i;
  return -1;
}

int setting_choice(Setting which) {
  const std::string value = setting(which);
  const char* const names = info(which).values;
  const int place = place_among(names, value);
  // Most programs take these for a switch.
  return value == "1" && place < 0   ? place_among(names, "on")
         : value == "0" && place < 0 ? place_among(names, "off")
                                     : place;
}

static constexpr char kFolder[] = "a folder";

bool setting_is_folder(Setting which) {
  return std::strcmp(info(which).values, kFolder) == 0;
}

// Gives the path of the folder that contains the last part of a path.
static std::string parent_of(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

static std::string folder_problem(const std::string& folder) {
  struct stat found = {};
  if (lstat(folder.c_str(), &found) != 0)
    return errno == ENOENT && access(parent_of(folder).c_str(), W_OK | X_OK) == 0
               ? ""
               : format("no folder, and none can be made there: %m");
  if (stat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return "a file; a folder is needed";
  return access(folder.c_str(), W_OK | X_OK) == 0 ? "" : format("a folder that cannot be written to: %m");
}

std::string setting_problem(Setting which) {
  const std::string values = info(which).values;
  if (values.empty()) return {};
  if (values == kFolder) return setting_is_set(which) ? folder_problem(setting(which)) : "";
  long long low = 0, high = 0;
  if (scan(values.c_str(), "%lld to %lld", &low, &high) != 2)
    return setting_choice(which) >= 0 ? "" : "none of " + values;
  const std::string text = setting(which);
  char* end = nullptr;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0' && number >= low && number <= high ? "" : "not a number from " + values;
}

long long setting_number(Setting which) {
  std::string text = setting(which);
  if (const std::string problem = setting_problem(which); !problem.empty()) {
    const SettingInfo& about = info(which);
    log(RONDO_LOG_WARNING, "setting %s=%s is %s; using %s", about.name, text.c_str(), problem.c_str(), about.fallback);
    text = about.fallback;
  }
  return std::strtoll(text.c_str(), nullptr, 10);
}

}  // namespace rondo
