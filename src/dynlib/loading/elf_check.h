// Decides whether a file can be given to dlopen, by reading the file. The system's loader trusts a library's header: it
// maps what is written there, and a file that is shorter kills the process (SIGBUS) while it is being loaded; a named
// pipe makes it wait for ever.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rondo {

struct ElfProblem {
  std::string text;      // follows the file's name in a message; empty: none was found
  bool missing = false;  // there is no such file
  bool skipped = false;  // the loader, searching for a name, would go on as if the file were not there
};

// A folder of a run path, with $ORIGIN, $LIB and $PLATFORM expanded; empty is the current one.
struct RunFolder {
  std::string path;
  bool certain = true;  // the loader looks there; else it may: what $LIB and $PLATFORM are, only it knows
};

// The names that a library asks the system's loader for.
struct ElfNeeds {
  std::vector<std::string> libraries;  // names, as they are written there
  std::vector<RunFolder> rpath, runpath;
  bool no_default_folders = false;
};

// `needs` (may be null) is filled as far as the file is sound.
ElfProblem check_elf(const std::string& path, ElfNeeds* needs = nullptr);

}  // namespace rondo
