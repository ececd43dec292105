// Writes files that the environment asks for (a setting that names a folder) while the program does something else: the
// program never fails because of them, and a failure becomes a line in the log.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/status.h"

namespace rondo {

enum class Setting;  // base/settings.h

// Makes the folder that the setting names, if only its last part is missing, for its owner alone. Returns what is
// wrong with it, or empty.
std::string make_asked(Setting folder);

// If the setting names a folder, calls `write` with the path of a new file there and gives that, once it is complete,
// the name rondo-<process>-<number>-<name><suffix>, in which every character of `name` that a shell or a file system
// may treat specially is an underscore. A file of that name is replaced.
void write_asked(Setting folder, uint64_t number, const std::string& name, const char* suffix,
                 const std::function<Status(const char* path)>& write) noexcept;

}  // namespace rondo
