// A file that is written anew by the C library. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdio>
#include <memory>

#include "base/file.h"
#include "base/status.h"

namespace rondo {

// Calls write(std::FILE*), which need not look at what its calls return. what: "the file", for messages.
template <class F>
Status write_file(const char* what, const char* path, const F& write) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "w"), std::fclose);
  if (!file) return error(file_error(), "%s '%s' cannot be opened for writing: %m", what, path);
  write(file.get());
  const bool failed = std::ferror(file.get()) != 0;
  if (std::fclose(file.release()) != 0 || failed) return error(file_error(), "writing %s '%s' failed: %m", what, path);
  return {};
}

}  // namespace rondo
