// Runs `rondo program` and `rondo run`: what is in a program file, whether it is whole, and a call of one of its
// functions.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rondo::tools {

// arguments: what follows `program`. Prints signatures, weights and texts of a file, or its program with --text;
// `verify` makes an instance on cpu:0, which checks each node; `add-check` writes the file anew with a self-check. 1
// where a file cannot be read or is not valid, 2 where the arguments are wrong.
int program(int count, char** arguments);
// action: `bind`, which writes the program at sizes of its dimensions, or `copy`, which does as it is: with --weights
// as JSON apart from them. arguments: what follows it.
int write_program(const std::string& action, int count, char** arguments);
// arguments: what follows `program diff`. Prints how two programs differ; 1 if they do.
int diff_programs(int count, char** arguments);
// arguments: what follows `program compile`. Compiles the kernels that a program uses on a described device, which are
// kept as those of a GPU that is there.
int compile_program(int count, char** arguments);
// Makes the kernels of a program at hand, those that are missing: for the GPU that a file describes, or with "" for
// cuda:0. sizes: one text for each choice of sizes. A status as of a command, after its message.
int find_kernels(const std::string& file, const std::string& device, const std::vector<std::string>& sizes);
// Prints how many kernels a program needs there, how many are kept and which are missing; makes none. Otherwise as
// find_kernels.
int print_kernels(const std::string& file, const std::string& device, const std::vector<std::string>& sizes);
// Prints the description of a GPU for these.
int describe_device(const std::string& device);
// arguments: what follows `run`. Calls a function with tensors of one safetensors file, and writes another one. 1 where
// that fails, 2 where the arguments are wrong.
int run_program(int count, char** arguments);

}  // namespace rondo::tools
