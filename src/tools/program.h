// Runs `rondo program` and `rondo run`: what is in a program file, whether it is whole, and a call of one of its
// functions.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rondo::tools {

// arguments: what follows `program`. Prints signatures, weights and texts of a file, or its program with --text;
// `verify` makes an instance on cpu:0, which checks each node. 1 where a file cannot be read or is not valid, 2 where
// the arguments are wrong.
int program(int count, char** arguments);
// arguments: what follows `run`. Calls a function with tensors of one safetensors file, and writes another one. 1 where
// that fails, 2 where the arguments are wrong.
int run_program(int count, char** arguments);

}  // namespace rondo::tools
