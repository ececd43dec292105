// Makes a program of recorded graphs, and writes it with its weights as one safetensors file, or as JSON apart from
// them. Functions whose sizes vary are recorded at several sizes, by which the numbers that differ become expressions.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/run/graph.h"
#include "models/external_weights.h"
#include "program_files/sizes.h"
#include "program_files/version.h"

namespace rondo::program_files {

struct SavedFunction {
  std::string name;
  Ref<Graph> graph;                          // null if it is recorded at several sizes
  std::vector<std::string> inputs, outputs;  // names; empty: "input0" and so on
};

struct SaveOptions {
  std::vector<models::NamedTensor> weights;  // names of tensors from outside; the others are "weight0" and so on
  models::Metadata metadata;                 // of the author
  std::optional<Version> reader;             // that shall read it; none: this version
  models::ExternalWeights external;          // files that the weights go into, if not the program's
};

// Writes a program, by its text, with its weights in either form.
Status save_text(const char* path, const models::ExternalWeights& external, std::vector<models::NamedTensor> weights,
                 const models::Metadata& metadata, std::string text);

// Waits for the weights. Names all operators that cannot be saved at once, and writes nothing then.
Status save_program(const char* path, const std::vector<SavedFunction>& functions, const SaveOptions& options);

// Records a function, by its number, at sizes; it uses the same tensors from outside each time.
using RecordAt = std::function<Status(size_t function, const std::vector<int64_t>& sizes, SavedFunction* saved)>;
// The same of functions whose sizes vary, between the bounds of dims. Names all that is no expression of the sizes.
Status save_with_sizes(const char* path, std::vector<SavedFunction> functions, const std::vector<Dim>& dims,
                       const RecordAt& record, const SaveOptions& options);

}  // namespace rondo::program_files
