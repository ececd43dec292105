// Keeps a program apart from its weights: a file of JSON has its text, and names the model files with the weights, by
// name, size and SHA-256. They lie in the folder of the JSON, and are opened there.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/model_file.h"
#include "models/save.h"

namespace rondo::models {

struct ExternalFile {
  std::string name;
  uint64_t bytes = 0;
  std::string digest;  // SHA-256 in hexadecimal digits
  Ref<ModelFile> file;
};

struct ProgramJson {
  Metadata metadata;  // of the author
  std::vector<ExternalFile> files;
  std::string text;  // as it stands in the JSON, not checked
};

// If the file `path` is such JSON, reads it and opens the files that it names, whose sizes are then as it says: *is.
// Nothing of their data is read. bytes: null, or what the file would have: they have no folder, and may name no files.
Status open_program_json(const char* path, std::string* bytes, bool* is, ProgramJson* read);
// Reads the whole of such a file the first time. An error if its digest is another one. Before its first read.
Status check_digest(const ExternalFile& named);

// Names the files, in the folder of a program, that its weights go into.
struct ExternalWeights {
  std::string into;               // is written; empty: none is
  std::vector<std::string> from;  // are there, and stay as they are
  bool any() const { return !into.empty() || !from.empty(); }
};
// Writes the JSON to `path`. A tensor of a name that a file of `from` has must have its bytes; the others are written
// into the file `into`, if there are some. Both files have their names when both are written, or are as they were.
// Waits for the tensors.
Status save_external(const char* path, const ExternalWeights& external, std::vector<NamedTensor> tensors,
                     ProgramJson json);

}  // namespace rondo::models
