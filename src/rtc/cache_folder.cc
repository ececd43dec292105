// Judging and opening. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/cache_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace rondo::rtc {

namespace {

// Empty: it belongs to this user, and nobody else can write it.
std::string objection(const struct stat& status) {
  if (status.st_uid != geteuid()) return "it belongs to another user";
  if (status.st_mode & 022) return "others can write to it";
  return {};
}

}  // namespace

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

bool make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (slash == std::string::npos) return true;
  }
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

Opened open_entry(int shard, const char* name, File* file, uint64_t* bytes, std::string* why) {
  // Without O_NONBLOCK a pipe of that name would hold the program. Looking at a file is no use of it: the system is
  // asked not to note the time, which it refuses for files of others.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  *file = File(openat(shard, name, kFlags | O_NOATIME));
  if (!*file && errno == EPERM) *file = File(openat(shard, name, kFlags));
  if (!*file) {
    if (errno == ENOENT) return Opened::absent;
    *why = errno == ELOOP ? "it is a link" : std::strerror(errno);
    return Opened::refused;
  }
  struct stat status = {};
  if (fstat(file->get(), &status) != 0)
    *why = std::strerror(errno);
  else
    *why = S_ISREG(status.st_mode) ? objection(status) : "it is not a regular file";
  *bytes = static_cast<uint64_t>(status.st_size);
  return why->empty() ? Opened::yes : Opened::refused;
}

bool read_exactly(int file, uint64_t bytes, std::string* text) {
  text->resize(bytes);
  size_t done = 0;
  while (done < text->size()) {
    const ssize_t got = ::read(file, text->data() + done, text->size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace rondo::rtc
