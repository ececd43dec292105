// Writes a new file next to the old one and renames it to take the old one's place.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/files/replacement.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/text.h"

namespace rondo {

namespace {

Status failed() {
  return error(file_error(), "it cannot be written: %s", std::strerror(errno));
}

}  // namespace

Replacement::Replacement(const std::string& path) : path_(path) {
  const size_t slash = path.rfind('/');
  folder_ = slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

Replacement::~Replacement() {
  if (!name_.empty()) unlink(name_.c_str());
}

Status Replacement::create() {
  struct stat former;
  const bool replaces = stat(path_.c_str(), &former) == 0;
  if (replaces && !S_ISREG(former.st_mode)) return error(RONDO_IO_ERROR, "it is there, and not a regular file");
  static std::atomic<uint32_t> number{0};
  do {
    name_ = folder_ + format(".rondo.%d.%u.tmp", static_cast<int>(getpid()), number.fetch_add(1));
    file_ = File(open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  } while (!file_ && errno == EEXIST);
  if (!file_) {
    name_.clear();
    return failed();
  }
  if (replaces) (void)fchmod(file_.get(), former.st_mode & 0777);  // where that is not possible, the usual ones
  return {};
}

Status Replacement::write(std::string_view text) {
  return write_all(file_.get(), text) ? Status() : failed();
}

Status Replacement::flush() {
  return !file_ || (fsync(file_.get()) == 0 && file_.close()) ? Status() : failed();
}

Status Replacement::complete() {
  // Otherwise a crash of the machine could leave the new name and not the new data.
  RONDO_TRY(flush());
  if (rename(name_.c_str(), path_.c_str()) != 0) return failed();
  name_.clear();
  // Not every file system lets folders be synchronised; the file is then there as soon as any other.
  const File folder(open(folder_.empty() ? "." : folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) (void)fsync(folder.get());
  return {};
}

}  // namespace rondo
