// Finds out from the outside what the system's loader would do with a library's name or file: where it would look, and
// whether one of the files it would map is a danger. Every step is glibc's, as ld.so(8) tells it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "dynlib/loading/elf_check.h"

namespace rondo {

bool is_folder(const std::string& path);

// Files of that name, or that call themselves so, which are in the process. dlopen with RTLD_NOLOAD would search the
// folders, and open what it finds there, to answer this.
std::vector<std::string> loaded_files(const std::string& name);

// The files of that name that the loader would come to, in its order; relative ones lead to the current folder. Without
// those in folders for a certain processor (glibc-hwcaps).
std::vector<std::string> system_files(const std::string& name);

// Why the loader cannot be asked for the name; empty if it can. Every file it could choose is judged, and those they
// need.
std::string name_objection(const std::string& name);

// check_elf for a file and for all that the loader would map for its sake.
ElfProblem check_library(const std::string& file);

// The files that a cache of ldconfig has for a name, in its order. `variants`: also those for a certain processor.
std::vector<std::string> cached_files(const std::string& cache, const std::string& name, bool variants);

}  // namespace rondo
