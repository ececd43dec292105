// Opens model files, checks that they are unchanged, and reads tensors from them into memory.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "models/model_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstring>

#include "base/file.h"
#include "engine/views.h"
#include "models/json.h"
#include "ops/elementwise/transfer.h"

namespace rondo::models {

static_assert(std::endian::native == std::endian::little, "the format is little-endian, and data are not converted");

namespace {

// The data of one tensor, for the workers that fetch them.
class TensorData final : public ops::ByteSource {
 public:
  TensorData(Ref<ModelFile> file, const TensorEntry& entry) : file_(std::move(file)), entry_(entry) {}
  Status fetch(uint64_t offset, char* to, size_t bytes) const override {
    RONDO_TRY(file_->read(entry_.begin + offset, to, bytes));
    if (entry_.rondo_dtype != RONDO_BOOL) return {};
    // Operators rely on it, so it is seen to where foreign bytes come in.
    const char* odd = std::find_if(to, to + bytes, [](char byte) { return byte & ~1; });
    if (odd == to + bytes) return {};
    return file_->about(error(RONDO_IO_ERROR, "tensor '%s' is bool, and its element %" PRIu64 " is %d, not 0 or 1",
                              excerpt(entry_.name).c_str(), offset + static_cast<uint64_t>(odd - to),
                              static_cast<unsigned char>(*odd)));
  }

 private:
  Ref<ModelFile> file_;
  const TensorEntry& entry_;  // the file's
};

// A format that people try to open instead of a safetensors file, told by its first bytes.
struct OtherFormat {
  std::string_view begins;
  const char* name;
};
constexpr OtherFormat kOtherFormats[] = {
    {"version https://git-lfs", "a pointer of Git LFS, which stands for a file that was not fetched (git lfs pull)"},
    {"<", "a page of HTML or XML, as a failed download leaves it"},
    {"PK", "a zip archive, as torch.save and numpy.savez write them"},
    {"\x80\x02", "a Python pickle, which holds code"},
    {"\x80\x03", "a Python pickle, which holds code"},
    {"\x80\x04", "a Python pickle, which holds code"},
    {"\x80\x05", "a Python pickle, which holds code"},
    {"GGUF", "a GGUF file"},
    {"\x89HDF\r\n", "an HDF5 file"},
    {"\x93NUMPY", "a NumPy array (.npy)"},
    {"\x1f\x8b", "a gzip archive"},
    {"{", "JSON, such as the index of a model in several files"},
};
constexpr size_t kRecognised = 64;

constexpr uint64_t kPiece = 64 << 10;  // of a sealed file: a small tensor costs one

Status changed() {
  return error(RONDO_IO_ERROR, "it was changed since it was opened; open it again");
}

const char* other_format(std::string_view beginning) {
  beginning = without_space(beginning);
  for (const OtherFormat& each : kOtherFormats)
    if (beginning.substr(0, each.begins.size()) == each.begins) return each.name;
  return nullptr;
}

}  // namespace

Status ModelFile::open(const char* path, Ref<ModelFile>* file, bool external, std::string* bytes) {
  const Ref<ModelFile> opened = Ref<ModelFile>::adopt(new ModelFile(path));
  RONDO_TRY(opened->about(opened->open(external, bytes)));
  *file = opened;
  return {};
}

Status ModelFile::open(bool external, std::string* bytes) {
  if (bytes) {
    contents_ = std::move(*bytes);
    bytes_ = contents_.size();
  } else {
    // If it is a pipe, opening it must not wait for its other end.
    file_ = File(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (external ? O_NOFOLLOW : 0)));
    if (!file_)
      return error(errno == ENOENT || errno == ENOTDIR ? RONDO_NOT_FOUND : file_error(), "%s",
                   external && errno == ELOOP ? "it is a link; the file itself is needed" : std::strerror(errno));
    struct stat status;
    if (fstat(file_.get(), &status) != 0) return error(RONDO_IO_ERROR, "%s", std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return error(RONDO_IO_ERROR, "it is not a regular file");
    bytes_ = static_cast<uint64_t>(status.st_size);
    changed_ = status.st_mtim;
  }

  char first[kRecognised] = {};
  RONDO_TRY(read_at(0, first, std::min<uint64_t>(bytes_, sizeof first)));
  const std::string_view beginning(first, std::min<uint64_t>(bytes_, sizeof first));
  uint64_t length = 0;
  std::memcpy(&length, first, sizeof length);
  const bool fits = bytes_ >= kLengthBytes && length <= kMostHeader && length <= bytes_ - kLengthBytes;
  if (!fits || beginning.size() == kLengthBytes || beginning[kLengthBytes] != '{')
    if (const char* format = other_format(beginning))
      return error(RONDO_IO_ERROR, "it looks like %s; a safetensors file is needed", format);
  if (bytes_ < kLengthBytes)
    return error(RONDO_IO_ERROR,
                 "it has %" PRIu64
                 " bytes; a safetensors file begins with 8 that tell its header's "
                 "length",
                 bytes_);
  if (!fits)
    return error(RONDO_IO_ERROR,
                 "its first 8 bytes tell a header of %" PRIu64 " bytes; the file has %" PRIu64
                 " behind them, and a safetensors header at most %" PRIu64,
                 length, bytes_ - kLengthBytes, kMostHeader);
  data_at_ = kLengthBytes + length;
  data_bytes_ = bytes_ - data_at_;
  std::string text(data_at_, '\0');
  std::memcpy(text.data(), first, kLengthBytes);
  RONDO_TRY(read_at(kLengthBytes, text.data() + kLengthBytes, length));
  RONDO_TRY(read_header(std::string_view(text).substr(kLengthBytes), data_bytes_, &header_));
  if (external) head_ = std::move(text);
  return {};
}

Status ModelFile::seal(Digest* digest) {
  const std::lock_guard lock(sealing_);
  if (pieces_.empty()) RONDO_TRY(about(hash()));
  *digest = digest_;
  return {};
}

Status ModelFile::hash() {
  std::vector<Sha256::State> pieces((bytes_ + kPiece - 1) / kPiece);
  Sha256 sum;
  std::string piece;
  for (uint64_t at = 0; at < bytes_; at += kPiece) {
    piece.resize(std::min(kPiece, bytes_ - at));
    RONDO_TRY(read_at(at, piece.data(), piece.size()));
    // The header that was read when the file was opened is the one that counts.
    if (at < head_.size()) head_.copy(piece.data(), piece.size(), at);
    pieces[at / kPiece] = sum.state();
    if (bytes_ - at <= kPiece)
      digest_ = sum.end(piece);
    else
      sum.add(piece);
  }
  pieces_ = std::move(pieces);
  head_ = std::string();  // which gives its memory back
  return {};
}

Status ModelFile::about(const Status& status) const {
  return status.with_context(excerpt(path_));
}

Status ModelFile::read_at(uint64_t at, char* to, size_t bytes) const {
  if (!file_) {
    contents_.copy(to, bytes, at);
    return {};
  }
  constexpr size_t kMost = size_t{1} << 30;  // the system gives no more than some 2 GiB at once
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = pread(file_.get(), to + done, std::min(kMost, bytes - done), static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error(RONDO_IO_ERROR, "it cannot be read: %s", std::strerror(errno));
    if (got == 0)
      return error(RONDO_IO_ERROR, "it was cut since it was opened: byte %" PRIu64 " of %" PRIu64 " is missing",
                   at + done, bytes_);
    done += static_cast<size_t>(got);
  }
  return {};
}

Status ModelFile::check_unchanged() const {
  if (!file_) return {};
  struct stat status;
  if (fstat(file_.get(), &status) != 0) return error(RONDO_IO_ERROR, "%s", std::strerror(errno));
  if (static_cast<uint64_t>(status.st_size) == bytes_ && status.st_mtim.tv_sec == changed_.tv_sec &&
      status.st_mtim.tv_nsec == changed_.tv_nsec)
    return {};
  return changed();
}

// A piece whose bytes lead from the state before it to the one after it is the one that the digest is of.
Status ModelFile::read_sealed(uint64_t at, char* to, size_t bytes) const {
  std::string piece;
  for (size_t number = at / kPiece; bytes > 0; ++number) {
    const uint64_t begin = number * kPiece;
    piece.resize(std::min(kPiece, bytes_ - begin));
    RONDO_TRY(read_at(begin, piece.data(), piece.size()));
    Sha256 sum(pieces_[number], begin);
    const bool last = number + 1 == pieces_.size();
    if (!last) sum.add(piece);
    const bool same = last ? sum.end(piece) == digest_ : sum.state() == pieces_[number + 1];
    if (!same) return changed();  // mutation: pieces_not_compared
    const size_t taken = piece.copy(to, bytes, at - begin);
    at += taken;
    to += taken;
    bytes -= taken;
  }
  return {};
}

Status ModelFile::read(uint64_t at, char* to, size_t bytes) const {
  RONDO_TRY(about(pieces_.empty() ? read_at(data_at_ + at, to, bytes) : read_sealed(data_at_ + at, to, bytes)));
  return about(check_unchanged());
}

Status ModelFile::find(const char* name, const TensorEntry** entry) const {
  const auto found = header_.by_name.find(name);
  if (found == header_.by_name.end())
    return about(
        error(RONDO_NOT_FOUND, "there is no tensor '%s' among its %zu", excerpt(name).c_str(), header_.entries.size()));
  *entry = &header_.entries[found->second];
  return {};
}

Status load(const Ref<ModelFile>& file, const char* name, Engine& engine, Device& device, ops::Output& out) {
  const TensorEntry* entry = nullptr;
  RONDO_TRY(file->find(name, &entry));
  if (entry->rondo_dtype < 0)
    return file->about(error(RONDO_UNSUPPORTED, "tensor '%s' has the dtype %s, which Rondo does not have",
                             excerpt(name).c_str(), excerpt(entry->dtype).c_str()));
  if (entry->ndim > kMaxDims)
    return file->about(error(RONDO_UNSUPPORTED, "tensor '%s' has %" PRId64 " dimensions; Rondo's have at most %d",
                             excerpt(name).c_str(), entry->ndim, kMaxDims));
  const rondo_dtype dtype = static_cast<rondo_dtype>(entry->rondo_dtype);
  Layout shape;
  RONDO_TRY(file->about(check_shape(static_cast<int>(entry->ndim), entry->shape, dtype, &shape)));
  View view;
  RONDO_TRY(out.resolve(engine, device, dtype, shape, {}, false, &view));
  RONDO_TRY(ops::load_from(view, make_ref<TensorData>(file, *entry)));
  out.commit();
  return {};
}

}  // namespace rondo::models
