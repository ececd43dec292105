// Lists what the `rondo` command understands: one table, from which its help and the completion scripts of shells are
// made.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rondo::tools {

std::string help();
// Says on stderr what is wrong with the arguments of a command. Returns the status to end with: 2.
int bad_usage(const char* command, const std::string& what);

// The script for a shell, with a name in `completion_shells`; empty for any other.
std::string completion(const std::string& shell);
// "bash, zsh or fish"
std::string completion_shells();

}  // namespace rondo::tools
