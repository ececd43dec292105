// Judges whether the folder of kept kernels can be trusted, and opens its subfolders.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/cache_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace rondo::rtc {

Folder judge_folder(const std::string& folder, std::string* why) {
  struct stat status;
  if (folder[0] != '/') {
    *why = "it is not an absolute path";
  } else if (stat(folder.c_str(), &status) == 0) {
    *why = S_ISDIR(status.st_mode) ? objection(status) : "it is not a folder";
    if (why->empty()) return Folder::trusted;
  } else if (faccessat(AT_FDCWD, nearest_folder(folder).c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    *why = format("it cannot be made: %s", std::strerror(errno));
  } else {
    return Folder::absent;
  }
  return Folder::refused;
}

std::string nearest_folder(std::string folder) {
  while (access(folder.c_str(), F_OK) != 0 && errno == ENOENT && folder != "/")
    folder.resize(std::max<size_t>(folder.rfind('/'), 1));
  return folder;
}

std::string default_cache_folder() {
  if (const char* base = secure_getenv("XDG_CACHE_HOME"); base && base[0] == '/') return std::string(base) + "/rondo";
  if (const char* home = secure_getenv("HOME"); home && home[0] == '/') return std::string(home) + "/.cache/rondo";
  return {};
}

Opened open_shard(const std::string& path, File* shard, std::string* why) {
  *shard = File(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!*shard) {
    if (errno == ENOENT) return Opened::absent;
    // With O_DIRECTORY the system calls a link no folder.
    *why = errno == ENOTDIR || errno == ELOOP ? "it is a link or not a folder" : std::strerror(errno);
    return Opened::refused;
  }
  struct stat status;
  if (fstat(shard->get(), &status) != 0)
    *why = std::strerror(errno);
  else
    *why = objection(status);
  return why->empty() ? Opened::yes : Opened::refused;
}

}  // namespace rondo::rtc
