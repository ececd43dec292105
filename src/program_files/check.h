// Checks the operands of nodes that come from a file, where the function of the operator counts on its callers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor.h"
#include "ops/program/kinds.h"

namespace rondo::program_files {

// True if a node of this kind can be in a file: whatever its attributes and operands are, it is refused or does no
// harm.
bool is_checked(const ops::Call& call);
// RONDO_IO_ERROR if attributes, inputs and results do not go together. The operator's function checks the rest.
Status check_operation(const ops::Call& call, std::span<const View> inputs, std::span<const View> results);

}  // namespace rondo::program_files
