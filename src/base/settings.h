// Declares every setting of Rondo that comes from the environment, from one table (settings.def). Set-uid programs
// ignore them all.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rondo {

enum class Setting {
#define RONDO_SETTING(id, name, fallback, values, doc) id,
#include "base/settings.def"
#undef RONDO_SETTING
};

struct SettingInfo {
  const char* name;
  const char* fallback;
  const char* values;
  const char* doc;
};

const std::vector<SettingInfo>& settings();
// The value in force: the environment's if it is set and not empty, else the default.
std::string setting(Setting which);
bool setting_is_set(Setting which);
// True if it names a folder that files are written to.
bool setting_is_folder(Setting which);
// Says what is wrong with the value in force if it is none of the table's: "none of a, b" or "not a number from 0 to
// 9". Else empty. A folder may be missing where it can be made; nothing is made here.
std::string setting_problem(Setting which);
// The index of the value among the table's names, from 0; -1 if it is none of them.
int setting_choice(Setting which);
// The value as a number; what is none of the table's is logged and replaced by the default.
long long setting_number(Setting which);

}  // namespace rondo
