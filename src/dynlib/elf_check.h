// Whether a file can be given to dlopen. The system's loader trusts a library's header: it maps what is written there,
// and a file that is shorter kills the process (SIGBUS) while it is being loaded; a named pipe makes it wait for ever.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rondo {

struct ElfProblem {
  std::string text;      // follows the file's name in a message; empty: none was found
  bool missing = false;  // there is no such file
  bool harmful = false;  // the loader would not just refuse the file, but hang or die
};

ElfProblem check_elf(const std::string& path);

}  // namespace rondo
