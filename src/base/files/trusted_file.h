// Opens files that are trusted: those that belong to this user and that no other user can write.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/file.h"

namespace rondo {

enum class Opened { yes, absent, refused };

// Says why a file or folder is not trusted; empty if it belongs to this user and no other user can write it.
std::string objection(const struct stat& status);
// A regular file for reading, without following a link, and without waiting for the other end of a pipe of that name.
// `folder`: a descriptor, or AT_FDCWD. *bytes: how long it is. *why: what it is refused for.
Opened open_trusted(int folder, const char* name, File* file, uint64_t* bytes, std::string* why);
// mkdir -p; folders on the way too are for the user alone. False: errno says why.
bool make_folders(const std::string& path);
// False: it could not be read, or was shorter.
bool read_exactly(int file, uint64_t bytes, std::string* text);

}  // namespace rondo
