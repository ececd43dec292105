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
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is '%s'; UTF-8 is needed", list, i, excerpt(texts[i]).c_str());
  std::sort(texts.begin(), texts.end());
  const auto twice = std::adjacent_find(texts.begin(), texts.end());
  if (twice == texts.end()) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s has '%s' twice; each must come once", list, excerpt(*twice).c_str());
}

std::vector<TensorEntry> entries_of(const std::vector<NamedTensor>& tensors) {
  std::vector<TensorEntry> entries;
  uint64_t at = 0;
  for (const NamedTensor& each : tensors) {
    TensorEntry entry;
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

// Writes to a file, and computes the digest of all that was written if it is wanted.
class DigestWriter {
 public:
  DigestWriter(Replacement& file, bool wanted) : file_(file), wanted_(wanted) {}
  Status write(std::string_view text) {
    RONDO_TRY(file_.write(text));
    bytes_ += text.size();
    if (!wanted_) return {};
    for (; !text.empty() && !rest_.empty() && rest_.size() < Sha256::kBlock; text.remove_prefix(1)) rest_ += text[0];
    if (rest_.size() == Sha256::kBlock) {
      sum_.add(rest_);
      rest_.clear();
    }
    const size_t whole = rest_.empty() ? text.size() - text.size() % Sha256::kBlock : 0;
    sum_.add(text.substr(0, whole));
    rest_ += text.substr(whole);
    return {};
  }
  Written written() const { return {bytes_, sum_.end(rest_)}; }

 private:
  Replacement& file_;
  bool wanted_;
  Sha256 sum_;
  std::string rest_;  // of a block that is not yet whole
  uint64_t bytes_ = 0;
};

}  // namespace

Status check(const std::vector<NamedTensor>& tensors, const Metadata& metadata) {
  std::vector<std::string_view> names, keys;
  for (const NamedTensor& each : tensors) names.emplace_back(each.name);
  if (std::find(names.begin(), names.end(), kMetadata) != names.end())
    return error(RONDO_INVALID_ARGUMENT, "names has '__metadata__', which the format has for the metadata");
  RONDO_TRY(check_texts("names", std::move(names)));
  for (const auto& [key, value] : metadata) {
    keys.emplace_back(key);
    if (first_not_utf8(value) != std::string_view::npos)
      return error(RONDO_INVALID_ARGUMENT, "values: that of the key '%s' is not UTF-8", excerpt(key).c_str());
  }
  return check_texts("keys", std::move(keys));
}

Status write(Replacement& file, std::vector<NamedTensor> tensors, const Metadata& metadata, Written* written) {
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
                  .with_context("tensor '" + excerpt(each.name) + "'"));

  RONDO_TRY(file.create());
  DigestWriter writer(file, written != nullptr);
  const uint64_t length = header.size();
  RONDO_TRY(writer.write({reinterpret_cast<const char*>(&length), sizeof length}));
  RONDO_TRY(writer.write(header));
  for (const NamedTensor& each : tensors)
    RONDO_TRY(ops::read_pieces(each.view, [&writer](const char* data, size_t bytes) {
      return writer.write({data, bytes});
    }));
  if (written) *written = writer.written();
  return {};
}

Status save(const char* path, std::vector<NamedTensor> tensors, const Metadata& metadata) {
  RONDO_TRY(check(tensors, metadata));
  Replacement file(path);
  const auto complete = [&]() -> Status {
    RONDO_TRY(write(file, std::move(tensors), metadata, nullptr));
    return file.complete();
  };
  return complete().with_context(excerpt(path));
}

}  // namespace rondo::models
