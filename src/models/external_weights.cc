// Reads and writes the JSON of a program with the names of its model files, and opens these without leaving its folder.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "models/external_weights.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "base/file.h"
#include "base/files/replacement.h"
#include "base/files/trusted_file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "models/json.h"
#include "ops/elementwise/transfer.h"

namespace rondo::models {

namespace {

constexpr std::string_view kFirstMember = "\"rondo.program.file\"";  // tells such a file from others
constexpr uint64_t kGrammar = 1;
constexpr size_t kMostFiles = 256;        // each is open as long as the program is
constexpr size_t kLongestFileName = 255;  // bytes, as systems have them

constexpr const char* kNameNeeded =
    "the name of a file in the same folder is needed: 1 to 255 bytes of UTF-8 without a slash and control characters";

// A name in the same folder, so that nothing outside of it is read or written.
bool is_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestFileName || name == "." || name == "..") return false;
  for (const char each : name)
    if (each == '/' || static_cast<unsigned char>(each) < 0x20 || each == 0x7f) return false;
  return first_not_utf8(name) == std::string_view::npos;
}

// The path of a file in the folder of another one.
std::string path_of(std::string_view other, const std::string& name) {
  std::string path(other.substr(0, other.rfind('/') + 1));
  path += name;
  return path;
}

bool is_digest(std::string_view text) {
  return text.size() == 2 * sizeof(Digest) && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Status read_files(JsonReader& json, std::vector<ExternalFile>* files) {
  return json.array([&]() -> Status {
    ExternalFile file;
    int next = 0;
    RONDO_TRY(json.array([&]() -> Status {
      switch (next++) {
        case 0: return json.text(&file.name);
        case 1: return json.number(&file.bytes);
        default: return json.text(&file.digest);
      }
    }));
    if (next != 3 || !is_digest(file.digest))
      return json.wrong("a file has name, size and SHA-256, in 64 hexadecimal digits with small letters");
    if (!is_name(file.name)) return json.wrong(kNameNeeded);  // mutation: folders_in_names
    if (std::any_of(files->begin(), files->end(), [&](const ExternalFile& each) { return each.name == file.name; }))
      return json.wrong("a file comes twice");
    if (files->size() == kMostFiles) return json.wrong("there are more than 256 files");
    files->push_back(std::move(file));
    return {};
  });
}

Status read_program_json(std::string_view text, ProgramJson* read) {
  if (first_not_utf8(text) != std::string_view::npos) return error(RONDO_IO_ERROR, "it is not UTF-8");
  JsonReader json(text, "the file");
  constexpr const char* members[] = {"rondo.program.file", "metadata", "files", "program"};
  size_t next = 0;
  RONDO_TRY(json.object([&](const std::string& key) -> Status {
    if (next == std::size(members) || key != members[next])
      return json.wrong("the members are rondo.program.file, metadata, files and program, in this order");
    uint64_t grammar = 0;
    switch (next++) {
      case 0:
        RONDO_TRY(json.number(&grammar));
        if (grammar == kGrammar) return {};
        return error(RONDO_UNSUPPORTED, "its JSON is of kind %" PRIu64 "; this version reads kind %" PRIu64, grammar,
                     kGrammar);
      case 1: return read_metadata(json, &read->metadata);
      case 2: return read_files(json, &read->files);
      default: read->text = json.rest(); return {};
    }
  }));
  return next == std::size(members) ? json.end() : json.wrong("a member is missing");
}

bool is_program_json(std::string_view begin) {
  begin = without_space(begin);
  return begin.starts_with('{') && without_space(begin.substr(1)).starts_with(kFirstMember);
}

Status check_size(uint64_t bytes) {
  if (bytes <= kMostHeader) return {};
  return error(RONDO_IO_ERROR, "it has %" PRIu64 " bytes; such JSON has at most %" PRIu64, bytes, kMostHeader);
}

// The text of the file, if it begins as such JSON does. The failure to open it is told where it is opened as a model
// file.
Status read_json(const char* path, std::string* text) {
  const File file(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe is not waited for
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  char begin[256];  // with white space, as who lays it out anew puts in
  const ssize_t got = pread(file.get(), begin, sizeof begin, 0);
  if (got <= 0 || !is_program_json({begin, static_cast<size_t>(got)})) return {};
  const auto bytes = static_cast<uint64_t>(status.st_size);
  RONDO_TRY(check_size(bytes));
  if (!read_exactly(file.get(), bytes, text)) return error(RONDO_IO_ERROR, "it cannot be read, or was cut");
  return {};
}

Status read_and_open(const char* path, std::string* bytes, bool* is, ProgramJson* read) {
  std::string json;
  if (!bytes) {
    RONDO_TRY(read_json(path, &json));
  } else if (is_program_json(*bytes)) {
    RONDO_TRY(check_size(bytes->size()));
    json = std::move(*bytes);
  }
  *is = !json.empty();
  if (!*is) return {};
  RONDO_TRY(read_program_json(json, read));
  uint64_t headers = 0;
  for (ExternalFile& each : read->files) {
    if (bytes)
      return error(RONDO_UNSUPPORTED,
                   "the program names files of its folder, and bytes have no folder: open it by its path");
    RONDO_TRY(ModelFile::open(path_of(path, each.name).c_str(), &each.file, true));
    headers += each.file->file_bytes() - each.file->data_bytes();
    if (headers > kMostHeader)
      return each.file->about(
          error(RONDO_IO_ERROR, "with it the headers of the files have more than %" PRIu64 " bytes", kMostHeader));
    if (each.file->file_bytes() != each.bytes)
      return each.file->about(error(RONDO_IO_ERROR, "it has %" PRIu64 " bytes; the program names one of %" PRIu64,
                                    each.file->file_bytes(), each.bytes));
  }
  return {};
}

std::string text_of(const ProgramJson& json) {
  std::string text = "{";
  text += kFirstMember;
  text += ":1,\"metadata\":";
  text += metadata_text(json.metadata);
  text += ",\"files\":[";
  for (const ExternalFile& each : json.files)
    text += format("%s\n[%s,%" PRIu64 ",\"%s\"]", &each == json.files.data() ? "" : ",", json_text(each.name).c_str(),
                   each.bytes, each.digest.c_str());
  text += "],\"program\":\n";
  text += json.text;
  text += "}\n";
  return text;
}

// An error if a tensor is not the one of its name in the file.
Status check_same(const NamedTensor& tensor, const ModelFile& file, const TensorEntry& entry) {
  const View& view = tensor.view;
  bool same = entry.rondo_dtype == view.dtype && entry.ndim == view.layout.ndim &&
              std::equal(entry.shape, entry.shape + entry.ndim, view.layout.shape);
  uint64_t at = entry.begin;
  std::string bytes;
  Status read;  // the file's, which is no failure of the tensor
  if (same)
    RONDO_TRY(ops::read_pieces(view, [&](const char* data, size_t count) -> Status {
      bytes.resize(count);
      if (read.ok()) read = file.read(at, bytes.data(), count);
      same = same && std::memcmp(bytes.data(), data, count) == 0;
      at += count;
      return {};
    }));
  if (same || !read.ok()) return read;
  return file.about(error(RONDO_INVALID_ARGUMENT,
                          "its tensor '%s' has another dtype, shape or contents than the weight",
                          excerpt(entry.name).c_str()));
}

// Opens the files that are there, whose digests are then known.
Status open_files(const char* path, const std::vector<std::string>& names, ProgramJson* json) {
  if (names.size() >= kMostFiles)
    return error(RONDO_INVALID_ARGUMENT, "options->n_weights_from is %zu; at most %zu are possible", names.size(),
                 kMostFiles - 1);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!is_name(names[i]))
      return error(RONDO_INVALID_ARGUMENT, "options->weights_from[%zu] is '%s'; %s", i, excerpt(names[i]).c_str(),
                   kNameNeeded);
    if (std::count(names.begin(), names.begin() + static_cast<ptrdiff_t>(i), names[i]) != 0)
      return error(RONDO_INVALID_ARGUMENT, "options->weights_from has '%s' twice", excerpt(names[i]).c_str());
    ExternalFile& file = json->files.emplace_back();
    file.name = names[i];
    RONDO_TRY(ModelFile::open(path_of(path, names[i]).c_str(), &file.file, true));
    Digest digest;
    RONDO_TRY(file.file->seal(&digest));
    file.bytes = file.file->file_bytes();
    file.digest = hex(bytes_of(digest));
  }
  return {};
}

// Takes those out of the tensors that one of the files has.
Status take_found(const ProgramJson& json, std::vector<NamedTensor>* tensors) {
  std::vector<NamedTensor> left;
  std::vector<bool> used(json.files.size());
  for (NamedTensor& tensor : *tensors) {
    const ModelFile* found = nullptr;
    for (size_t i = 0; i < json.files.size(); ++i) {
      const ModelFile& file = *json.files[i].file;
      const auto entry = file.header().by_name.find(tensor.name);
      if (entry == file.header().by_name.end()) continue;
      if (found)
        return error(RONDO_INVALID_ARGUMENT, "two files of options->weights_from have the weight '%s'",
                     excerpt(tensor.name).c_str());
      found = &file;
      used[i] = true;
      RONDO_TRY(check_same(tensor, file, file.header().entries[entry->second]));
    }
    if (!found) left.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      return json.files[i].file->about(
          error(RONDO_INVALID_ARGUMENT, "options->weights_from names it, and it has none of the weights"));
  *tensors = std::move(left);
  return {};
}

}  // namespace

Status open_program_json(const char* path, std::string* bytes, bool* is, ProgramJson* read) {
  return read_and_open(path, bytes, is, read).with_context(excerpt(path));
}

Status check_digest(const ExternalFile& named) {
  Digest digest;
  RONDO_TRY(named.file->seal(&digest));
  const std::string found = hex(bytes_of(digest));
  if (found == named.digest) return {};  // mutation: digest_not_compared
  return named.file->about(error(RONDO_IO_ERROR, "its SHA-256 is %s; the program names one of %s", found.c_str(),
                                 excerpt(named.digest).c_str()));
}

Status save_external(const char* path, const ExternalWeights& external, std::vector<NamedTensor> tensors,
                     ProgramJson json) {
  RONDO_TRY(check(tensors, json.metadata));
  const std::string into = path_of(path, external.into);
  if (!external.into.empty() && !is_name(external.into))
    return error(RONDO_INVALID_ARGUMENT, "options->weights_into is '%s'; %s", excerpt(external.into).c_str(),
                 kNameNeeded);
  if (into == path || std::count(external.from.begin(), external.from.end(), external.into) != 0)
    return error(RONDO_INVALID_ARGUMENT, "the file of weights '%s' is one of the others", excerpt(into).c_str());
  RONDO_TRY(open_files(path, external.from, &json));
  RONDO_TRY(take_found(json, &tensors));
  if (!tensors.empty() && external.into.empty())
    return error(RONDO_INVALID_ARGUMENT,
                 "no file of options->weights_from has the weight '%s'; options->weights_into has to name one for it",
                 excerpt(tensors[0].name).c_str());
  // Both files are on the disk before the first has its name: where writing fails, the old ones stay.
  Replacement weights(into), program(path);
  const bool writes = !tensors.empty();
  if (writes) {
    const auto write_weights = [&]() -> Status {
      Written written;
      RONDO_TRY(write(weights, std::move(tensors), {}, &written));
      json.files.push_back({external.into, written.bytes, hex(bytes_of(written.digest)), {}});
      return weights.flush();
    };
    RONDO_TRY(write_weights().with_context(excerpt(into)));
  }
  const auto write_program = [&]() -> Status {
    const std::string text = text_of(json);
    if (text.size() > kMostHeader)
      return error(RONDO_INVALID_ARGUMENT, "the program's JSON has %zu bytes; at most %" PRIu64 " are possible",
                   text.size(), kMostHeader);
    RONDO_TRY(program.create());
    RONDO_TRY(program.write(text));
    return program.flush();
  };
  RONDO_TRY(write_program().with_context(excerpt(path)));
  if (writes) RONDO_TRY(weights.complete().with_context(excerpt(into)));
  return program.complete().with_context(excerpt(path));
}

}  // namespace rondo::models
