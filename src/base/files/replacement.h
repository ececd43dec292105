// Writes a file that takes the place of another one, or of none, once it is complete: readers see the whole of the old
// one or the whole of the new one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/status.h"

namespace rondo {

// One thread at a time. An object that is never completed leaves no file. Failures are RONDO_IO_ERROR; the caller adds
// which file it is.
class Replacement {
 public:
  explicit Replacement(const std::string& path);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  Status create();
  Status write(std::string_view text);
  // Puts what was written on the disk, without its name. Files that go together are all flushed before the first is
  // completed: a failure to write leaves all as they were.
  Status flush();
  // On return the new file is on the disk, even if the machine stops now.
  Status complete();

 private:
  std::string path_, folder_, name_;
  File file_;
};

}  // namespace rondo
