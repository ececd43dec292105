// Judges and opens the folder of kept kernels as the file system has it. Code that will run is only read from folders
// and files that belong to this user and that no other user can write; links are not followed below the folder itself.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <string>

#include "base/files/trusted_file.h"

namespace rondo::rtc {

enum class Folder { absent, trusted, refused };

// Judges a folder; if it is refused, *why says why. One that is not there is refused when it could not be made.
Folder judge_folder(const std::string& folder, std::string* why);
// The folder, or where it is not there the nearest above it that is.
std::string nearest_folder(std::string folder);
// The default folder of kernels; empty if there is no home.
std::string default_cache_folder();

// A folder directly below that of the kernels.
Opened open_shard(const std::string& path, File* shard, std::string* why);

// Names in a folder, without those that begin with a dot.
template <class Visit>
void each_name(const std::string& folder, const Visit& visit) {
  DIR* dir = opendir(folder.c_str());
  if (!dir) return;
  while (const dirent* entry = readdir(dir))
    if (entry->d_name[0] != '.') visit(std::string(entry->d_name));
  closedir(dir);
}

}  // namespace rondo::rtc
