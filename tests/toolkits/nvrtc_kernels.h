// Kernels that Rondo generated, in a folder: one file each, named by a hash of its text and never changed. The recorder
// writes them, the probe reads them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace toolkits {

struct Kernel {
  std::string id;    // its file without folder and suffix: hexadecimal digits
  std::string name;  // the operator
  std::string text;  // as rtc::compile() wants it
};

// What rtc::compile() puts between the prelude and the text.
inline constexpr char kBeforeText[] = "using namespace rondo::device;\n";

// Of compute capabilities times ten: what has its own test.
inline constexpr int kArchitectures[] = {75, 80, 90, 100, 120};

// Writes the file unless it is there; false if that fails. Threads and processes may write the same kernel at once.
bool write_kernel(const std::string& folder, const std::string& name, const std::string& text);
// Without a text if there is none with this id.
Kernel read_kernel(const std::string& folder, const std::string& id);
// All of a folder, in the order of their ids.
std::vector<Kernel> read_kernels(const std::string& folder);

// The device headers that stand in a kernel, and its own text, before them and behind them.
std::string headers_of(const Kernel& kernel);
std::string body_of(const Kernel& kernel);

}  // namespace toolkits
