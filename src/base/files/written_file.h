// Writes a file anew through the C library's streams and reports the first failure.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/file.h"
#include "base/status.h"

namespace rondo {

// Writes in place of the C library, which would go beyond the size that the system allows: that ends the process by a
// signal.
struct WrittenFile {
  File file;
  int problem = 0;  // the first write's that failed

  static ssize_t put(void* cookie, const char* data, size_t bytes) {
    auto& self = *static_cast<WrittenFile*>(cookie);
    if (self.problem == 0 && write_all(self.file.get(), {data, bytes})) return static_cast<ssize_t>(bytes);
    if (self.problem == 0) self.problem = errno;
    errno = self.problem;
    return 0;
  }
  static int end(void* cookie) {
    auto& self = *static_cast<WrittenFile*>(cookie);
    if (self.file.close()) return 0;
    if (self.problem == 0) self.problem = errno;
    return -1;
  }
};

// Calls write(std::FILE*), which need not look at what its calls return. what: "the file", for messages.
template <class F>
Status write_file(const char* what, const char* path, const F& write) {
  WrittenFile written{File(::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666))};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(nullptr, std::fclose);
  if (written.file) file.reset(::fopencookie(&written, "w", {nullptr, WrittenFile::put, nullptr, WrittenFile::end}));
  if (!file) return error(file_error(), "%s '%s' cannot be opened for writing: %m", what, path);
  write(file.get());
  const bool failed = std::ferror(file.get()) != 0;
  if (std::fclose(file.release()) == 0 && !failed && written.problem == 0) return {};
  if (written.problem != 0) errno = written.problem;
  return error(file_error(), "writing %s '%s' failed: %m", what, path);
}

}  // namespace rondo
