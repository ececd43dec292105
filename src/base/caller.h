// Tells people where in their program the library was called from, for messages and traces.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rondo {

// "step in train+0x1a2b": the first function on the calling thread's stack that is not the library's, if its name is
// exported, its file, and where in it the call is (addr2line -e train 0x1a2b). Empty if it cannot be told, as in a
// program that is linked with the library statically.
std::string caller();

}  // namespace rondo
