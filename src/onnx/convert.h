// Converts a model: reads it, records what it computes on the cpu device, and saves that as a program file.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rondo_onnx {

struct ConvertOptions {
  std::map<std::string, int64_t> sizes;  // of dimensions by name
  struct Dim {
    std::vector<std::string> names;  // of dimensions that have the same size
    int64_t least = 1, most = 1;     // multiples of the step
    int64_t step = 1;
  };
  std::vector<Dim> dims;                             // whose sizes vary
  std::map<std::string, int64_t> limits;             // of results whose size the program computes
  std::map<std::string, std::vector<double>> fixed;  // inputs that are constants of these numbers
  std::string function = "main";
  int64_t memory_limit = 0;
  bool fewer_roundings = false;
  bool patterns = true;  // nodes that are one operator become that
};

// Writes the program file `out_path`, and gives a line for each pattern that was found. Failure, or an error of Rondo,
// with nothing written.
std::string convert(const std::string& path, const std::string& out_path, const ConvertOptions& options);

}  // namespace rondo_onnx
