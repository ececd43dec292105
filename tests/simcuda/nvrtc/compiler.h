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
  std::string standard;                  // "c++17"
  std::vector<std::string> expressions;  // kernels by C++ expressions
  int arch = 0;
  int nvrtc_version = 0;  // 12080
};

struct CompileResult {
  bool good = false;
  bool internal = false;  // the compiler itself could not be run
  std::string log;
  std::vector<unsigned char> image;
};

// What a kernel named by an expression is called in the image.
std::string lowered_name(const std::string& expression);
CompileResult compile(const CompileRequest& request);

}  // namespace simcuda
