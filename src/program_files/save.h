// Makes a program of recorded graphs, and writes it with its weights as one safetensors file.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/run/graph.h"
#include "models/save.h"
#include "program_files/version.h"

namespace rondo::program_files {

struct SavedFunction {
  std::string name;
  Ref<Graph> graph;
  std::vector<std::string> inputs, outputs;  // names; empty: "input0" and so on
};

struct SaveOptions {
  std::vector<models::NamedTensor> weights;  // names of tensors from outside; the others are "weight0" and so on
  models::Metadata metadata;                 // of the author
  std::optional<Version> reader;             // that shall read it; none: this version
};

// Waits for the weights. Names all operators that cannot be saved at once, and writes nothing then.
Status save_program(const char* path, const std::vector<SavedFunction>& functions, const SaveOptions& options);

}  // namespace rondo::program_files
