// Holds a safetensors file open for reading, or bytes of one, and loads its tensors.
//
// The data of a file are read with pread, not mapped. A mapping of a file that another process can cut raises SIGBUS in
// a thread that touches the missing pages, which a library may not catch for a whole process; a read is short. Nor
// would a mapping save a copy: the data go from the system's cache of files to where the tensor lies, or to pinned
// memory, once either way.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/machine/sha256.h"
#include "base/ref.h"
#include "models/header.h"
#include "ops/task/output.h"

namespace rondo::models {

// Does not change. Held by its handle and by the loads in flight; any thread.
class ModelFile final : public RefCounted {
 public:
  // external: it may be sealed, and is no link. bytes: null, or what the file would have, and is moved from; `path`
  // stands for it in messages.
  static Status open(const char* path, Ref<ModelFile>* file, bool external = false, std::string* bytes = nullptr);

  const Header& header() const { return header_; }
  uint64_t data_bytes() const { return data_bytes_; }
  uint64_t file_bytes() const { return bytes_; }
  // The digest of the whole file, which is read the first time. Bytes that are read from then on are those that the
  // digest is of, or there is an error. For external files, before their first read.
  Status seal(Digest* digest);
  // RONDO_NOT_FOUND if there is no tensor of this name.
  Status find(const char* name, const TensorEntry** entry) const;
  // Bytes of the data. An error if the file is no longer the one that was opened.
  Status read(uint64_t at, char* to, size_t bytes) const;
  // The same error with the file's name.
  Status about(const Status& status) const;

 private:
  explicit ModelFile(const char* path) : path_(path) {}
  Status open(bool external, std::string* bytes);
  Status hash();
  Status read_at(uint64_t at, char* to, size_t bytes) const;
  Status read_sealed(uint64_t at, char* to, size_t bytes) const;
  Status check_unchanged() const;

  std::string path_;
  File file_;
  std::string contents_;   // in place of the file, without one
  uint64_t bytes_ = 0;     // of the file
  timespec changed_ = {};  // when it was last written
  uint64_t data_at_ = 0, data_bytes_ = 0;
  Header header_;
  std::mutex sealing_;
  std::string head_;                   // of one that may be sealed: its bytes before the data, until it is
  std::vector<Sha256::State> pieces_;  // of a sealed one: the digest's state before each piece of the file
  Digest digest_ = {};
};

// `out`, new or given, = the tensor. Asynchronous.
Status load(const Ref<ModelFile>& file, const char* name, Engine& engine, Device& device, ops::Output& out);

}  // namespace rondo::models
