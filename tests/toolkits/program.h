// Runs programs that say what came of it in lines `key<tab>value`.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace toolkits {

using Environment = std::map<std::string, std::string>;

struct Outcome {
  int code = -1;  // 128 and more: killed by a signal
  std::string text;
  // Value of a line `key<tab>value`; "" if there is none.
  std::string operator[](const std::string& key) const;
};

// Runs a program without settings of Rondo, the simulated driver or GoogleTest other than these. Its text is what it
// wrote to both outputs.
Outcome run(const std::vector<std::string>& command, const Environment& environment);

// Where fetch.py puts what it fetches.
std::filesystem::path fetched_root();

}  // namespace toolkits
