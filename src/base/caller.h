// Where in the program the library was called from, for people.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rondo {

// "step in train+0x1a2b": the first function on the calling thread's stack that is not the library's, if its name is
// exported, its file, and where in it the call is (addr2line -e train 0x1a2b). Empty where nobody can say, as in a
// program that the library is a part of.
std::string caller();

}  // namespace rondo
