// Writes a program with the weights of its file as a new one. No function is made, so that no device but the host is
// needed, and no memory but that of the weights.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/programs.h>

#include <string>

#include "base/status.h"

namespace rondo::tools {

// weights: the name of a file for them, and the program is JSON then; empty: they are in the program's file.
Status write_with_weights(const rondo_program& program, const rondo_engine& engine, const std::string& path,
                          const std::string& weights);

}  // namespace rondo::tools
