// The texts of tests/program_files, as tests of single parts read them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace rondo::program_files {

// By name, without the last line's end. folder: "golden", "corpus".
inline std::map<std::string, std::string> program_texts(const char* folder) {
  std::map<std::string, std::string> all;
  for (const auto& each :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(RONDO_PROGRAMS) / folder)) {
    if (each.is_directory()) continue;
    std::ifstream file(each.path(), std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    while (!text.empty() && text.back() == '\n') text.pop_back();
    all[each.path().filename().string()] = text;
  }
  return all;
}

}  // namespace rondo::program_files
