// Every setting of Rondo that comes from the environment, in one table (settings.def). Set-uid programs ignore them
// all.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rondo {

enum class Setting {
#define RONDO_SETTING(id, name, fallback, doc) id,
#include "base/settings.def"
#undef RONDO_SETTING
};

struct SettingInfo {
  const char* name;
  const char* fallback;
  const char* doc;
};

const std::vector<SettingInfo>& settings();
// The value in force: the environment's if it is set and not empty, else the default.
std::string setting(Setting which);
bool setting_is_set(Setting which);
// An integer setting; a value that is no number in [low, high] is logged and replaced by the default.
long long setting_int(Setting which, long long low, long long high);

}  // namespace rondo
