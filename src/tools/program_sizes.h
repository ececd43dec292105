// Reads the sizes that the arguments of a command give for the named dimensions of a program: "B=8,T=128".
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::tools {

// sizes: one for each dimension, in their order. Returns what is wrong with the text; empty if nothing is.
std::string read_sizes(const Program& program, const std::string& text, std::vector<int64_t>* sizes);

}  // namespace rondo::tools
