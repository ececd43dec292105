// Reads the model's file and the files of external data in its folder. They are read, not mapped, so that a file which
// shrinks meanwhile gives an error and no signal.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "onnx/file/failure.h"
#include "onnx/file/model.h"

namespace rondo_onnx {

namespace {

// Closes the descriptor that it was given.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {
    if (descriptor_ < 0) {
      const int why = errno;
      const bool link = why == ELOOP && (flags & O_NOFOLLOW) != 0;
      throw Failure(why == ENOENT || why == ENOTDIR ? RONDO_NOT_FOUND : RONDO_IO_ERROR,
                    excerpt(path) + " cannot be opened: " + (link ? "it is a link" : std::strerror(why)));
    }
    struct stat facts;
    if (::fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
      ::close(descriptor_);
      throw Failure(RONDO_IO_ERROR, excerpt(path) + " is no regular file");
    }
    size_ = static_cast<uint64_t>(facts.st_size);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(descriptor_); }

  uint64_t size() const { return size_; }
  // `offset` and `length` lie within size().
  std::string read(uint64_t offset, uint64_t length) const {
    std::string bytes(static_cast<size_t>(length), '\0');
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got =
          ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Failure(RONDO_IO_ERROR, excerpt(path_) + " cannot be read: " + std::strerror(errno));
      if (got == 0) throw Failure(RONDO_IO_ERROR, excerpt(path_) + " became shorter while it was read");
      done += static_cast<size_t>(got);
    }
    return bytes;
  }

 private:
  std::string path_;
  int descriptor_;
  uint64_t size_ = 0;
};

}  // namespace

std::string read_file(const std::string& path, uint64_t most) {
  const OpenFile file(path, O_NONBLOCK);
  if (file.size() > most)
    throw Failure(RONDO_OUT_OF_MEMORY, excerpt(path) + " has " + std::to_string(file.size()) + " bytes; at most " +
                                           std::to_string(most) + " may be read");
  return file.read(0, file.size());
}

std::string read_external(const std::string& model_path, const std::string& name, int64_t offset, int64_t length) {
  std::string file_name = name;
  if (file_name.compare(0, 2, "./") == 0) file_name.erase(0, 2);
  if (file_name.empty() || file_name == "." || file_name == ".." || file_name.find('/') != std::string::npos ||
      file_name.find('\\') != std::string::npos || file_name.find('\0') != std::string::npos)
    malformed("external data are in " + excerpt(name) + "; only a file in the model's own folder is read");
  const size_t slash = model_path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : model_path.substr(0, slash + 1);
  const OpenFile file(folder + file_name, O_NOFOLLOW | O_NONBLOCK);
  const auto from = static_cast<uint64_t>(offset);
  if (offset < 0 || from > file.size() || (length >= 0 && static_cast<uint64_t>(length) > file.size() - from))
    malformed("external data lie outside of the file " + excerpt(name) + ", which has " + std::to_string(file.size()) +
              " bytes");
  return file.read(from, length < 0 ? file.size() - from : static_cast<uint64_t>(length));
}

}  // namespace rondo_onnx
