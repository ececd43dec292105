// Files that the environment asks for (a setting that names a folder): written beside what the program does, which
// never fails for them. What goes wrong is a line in the log.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/status.h"

namespace rondo {

enum class Setting;  // base/settings.h

// If the setting names a folder, calls `write` with the path of a new file there and gives that, once it is complete,
// the name rondo-<process>-<number>-<name><suffix>, in which every character of `name` that may mean something to
// somebody is an underscore. A file of that name is replaced.
void write_asked(Setting folder, uint64_t number, const std::string& name, const char* suffix,
                 const std::function<Status(const char* path)>& write) noexcept;

}  // namespace rondo
