// Chooses which of the collected kernels are compiled, with which NVRTC and for which architecture. README.md says what
// a sample has.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nvrtc_kernels.h"

namespace toolkits {

// An NVRTC, by its version, and an architecture that it knows.
struct Pair {
  int major, minor, architecture;
};

struct Wish {
  enum Extent { sample, each, all } extent = sample;
  std::string turn;                  // any text: which kernels a sample has, beyond those that every sample has
  std::vector<std::string> changed;  // device headers that changed, as embed.py puts them into a kernel
};

// True if the kernels of the whole suite are collected for it: a sample takes them every third turn, and else those of
// the quick selection.
bool wants_whole_suite(const Wish& wish);

// A line of a kernel without what differs between kernels of one kind: numbers, also those in names, and, unless they
// count, element types. Where types count, so does the value that a line gives to a constant of the kernel.
std::string pattern_of(std::string_view line, bool types_count);
// A header as embed.py puts it into a kernel: without comments, empty lines and includes.
std::string embedded(const std::string& header);

// For each of the pairs the kernels that are compiled with it, by their places in the list.
std::vector<std::vector<size_t>> choose(const Wish& wish, const std::vector<Kernel>& kernels,
                                        const std::vector<Pair>& pairs);

}  // namespace toolkits
