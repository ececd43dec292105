// A folder for one file, which is removed with the object. Contents stay for those who have opened the file before.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "onnx/file/failure.h"

namespace rondo_onnx {

// Belongs to one thread. Only its user may read the folder.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder() {
    std::error_code ignored;  // what cannot be removed stays
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace rondo_onnx
