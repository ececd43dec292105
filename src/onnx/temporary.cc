// Makes a folder below the system's one for temporary files, which TMPDIR names.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/temporary.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace rondo_onnx {

TemporaryFolder::TemporaryFolder() {
  std::error_code problem;
  const std::filesystem::path place = std::filesystem::temp_directory_path(problem);
  if (problem) throw Failure(RONDO_IO_ERROR, "there is no folder for temporary files (TMPDIR): " + problem.message());
  path_ = (place / "rondo-onnx-XXXXXX").string();
  if (!mkdtemp(path_.data()))
    throw Failure(RONDO_IO_ERROR, "no folder can be made in " + excerpt(place.string()) +
                                      " (TMPDIR): " + std::generic_category().message(errno));
}

}  // namespace rondo_onnx
