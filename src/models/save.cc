// Writes a model file: it checks the tensors' names and the metadata, and copies the data.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "models/save.h"

#include <algorithm>
#include <cinttypes>
#include <iterator>

#include "base/files/replacement.h"
#include "base/text.h"
#include "models/json.h"
#include "ops/elementwise/transfer.h"

namespace rondo::models {

namespace {

// A list of texts, of which none may come twice.
Status check_texts(const char* list, std::vector<std::string_view> texts) {
  for (size_t i = 0; i < texts.size(); ++i)
    if (first_not_utf8(texts[i]) != std::string_view::npos)
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is '%s'; UTF-8 is needed", list, i, shown(texts[i]).c_str());
  std::sort(texts.begin(), texts.end());
  const auto twice = std::adjacent_find(texts.begin(), texts.end());
  if (twice == texts.end()) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s has '%s' twice; each must come once", list, shown(*twice).c_str());
}

Status check(const std::vector<NamedTensor>& tensors, const Metadata& metadata) {
  std::vector<std::string_view> names, keys;
  for (const NamedTensor& each : tensors) names.emplace_back(each.name);
  if (std::find(names.begin(), names.end(), kMetadata) != names.end())
    return error(RONDO_INVALID_ARGUMENT, "names has '__metadata__', which the format has for the metadata");
  RONDO_TRY(check_texts("names", std::move(names)));
  for (const auto& [key, value] : metadata) {
    keys.emplace_back(key);
    if (first_not_utf8(value) != std::string_view::npos)
      return error(RONDO_INVALID_ARGUMENT, "values: that of the key '%s' is not UTF-8", shown(key).c_str());
  }
  return check_texts("keys", std::move(keys));
}

std::vector<Entry> entries_of(const std::vector<NamedTensor>& tensors) {
  std::vector<Entry> entries;
  uint64_t at = 0;
  for (const NamedTensor& each : tensors) {
    Entry entry;
    entry.name = each.name;
    entry.dtype = format_name(each.view.dtype);
    entry.ndim = each.view.layout.ndim;
    std::copy_n(each.view.layout.shape, entry.ndim, entry.shape);
    entry.begin = at;
    entry.end = at += each.view.bytes();
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

Status save(const char* path, std::vector<NamedTensor> tensors, const Metadata& metadata) {
  RONDO_TRY(check(tensors, metadata));
  std::sort(tensors.begin(), tensors.end(), [](const NamedTensor& a, const NamedTensor& b) {
    const int left = format_rank(a.view.dtype), right = format_rank(b.view.dtype);
    return left != right ? left > right : a.name < b.name;
  });
  const std::string header = write_header(entries_of(tensors), metadata);
  if (header.size() > kMostHeader)
    return error(RONDO_INVALID_ARGUMENT,
                 "names and metadata need a header of %zu bytes; a safetensors file has at most %" PRIu64,
                 header.size(), kMostHeader);
  // A tensor with an error is found before anything is written.
  for (const NamedTensor& each : tensors)
    RONDO_TRY(each.view.engine()
                  .wait(*each.view.storage, Awaited::contents)
                  .with_context("tensor '" + shown(each.name) + "'"));

  const auto write = [&]() -> Status {
    Replacement file(path);
    RONDO_TRY(file.create());
    const uint64_t length = header.size();
    RONDO_TRY(file.write({reinterpret_cast<const char*>(&length), sizeof length}));
    RONDO_TRY(file.write(header));
    for (const NamedTensor& each : tensors)
      RONDO_TRY(ops::read_pieces(each.view, [&file](const char* data, size_t bytes) {
        return file.write({data, bytes});
      }));
    return file.complete();
  };
  return write().with_context(shown(path));
}

}  // namespace rondo::models
