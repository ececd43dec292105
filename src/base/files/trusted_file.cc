// Judges whether a file or folder is safe to trust, and opens, makes and reads those that are.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/files/trusted_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rondo {

std::string objection(const struct stat& status) {
  if (status.st_uid != geteuid()) return "it belongs to another user";
  if (status.st_mode & 022) return "others can write to it";
  return {};
}

Opened open_trusted(int folder, const char* name, File* file, uint64_t* bytes, std::string* why) {
  // Without O_NONBLOCK a pipe of that name would hold the program. Looking at a file is no use of it: the system is
  // asked not to note the time, which it refuses for files of others.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  *file = File(openat(folder, name, kFlags | O_NOATIME));
  if (!*file && errno == EPERM) *file = File(openat(folder, name, kFlags));
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

bool make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (slash == std::string::npos) return true;
  }
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

}  // namespace rondo
