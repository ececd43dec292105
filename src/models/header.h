// Describes the header of a safetensors file: which tensors, of which dtype and shape, where their data lie. It is read
// with every check that does not need the data, and written.
//
// A file is 8 bytes with the length of the header, little-endian; the header, a JSON object padded with spaces; the
// data.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/shape.h"
#include "base/status.h"

namespace rondo::models {

inline constexpr uint64_t kLengthBytes = 8;
inline constexpr uint64_t kMostHeader = 100'000'000;  // bytes; the format's own limit
inline constexpr std::string_view kMetadata = "__metadata__";

struct TensorEntry {
  std::string name;
  std::string dtype;     // as the file spells it
  int rondo_dtype = -1;  // -1: Rondo has none like it
  int64_t ndim = 0;
  int64_t shape[kMaxDims] = {};  // of more dimensions the first ones
  uint64_t begin = 0, end = 0;   // in the data
  bool loadable() const { return rondo_dtype >= 0 && ndim <= kMaxDims; }
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct Header {
  std::vector<TensorEntry> entries;                      // in the order of their data, which they fill
  Metadata metadata;                                     // in the file's order
  std::unordered_map<std::string_view, size_t> by_name;  // into the entries' names
};

// `data_bytes`: the number of bytes that follow the header in the file.
Status read_header(std::string_view text, uint64_t data_bytes, Header* header);

// The header of these entries, padded so that the data that follow and their length are aligned to 8 bytes.
std::string write_header(const std::vector<TensorEntry>& entries, const Metadata& metadata);

class JsonReader;
// An object of texts, each key once; and such an object.
Status read_metadata(JsonReader& json, Metadata* metadata);
std::string metadata_text(const Metadata& metadata);

// How the format spells a dtype, and where that stands in the order in which its tools write tensors: the latter come
// first.
const char* format_name(rondo_dtype dtype);
int format_rank(rondo_dtype dtype);

}  // namespace rondo::models
