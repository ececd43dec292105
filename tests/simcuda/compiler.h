// Runs the host compiler for the NVRTC stand-in.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace simcuda {

struct CompileRequest {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;  // name, text
  std::vector<std::string> defines, include_folders;
  std::string standard;  // "c++17"
  int arch = 0;
  int nvrtc_version = 0;  // 12080
};

struct CompileResult {
  bool good = false;
  bool internal = false;  // the compiler itself could not be run
  std::string log;
  std::vector<unsigned char> image;
};

CompileResult compile(const CompileRequest& request);

}  // namespace simcuda
