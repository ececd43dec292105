// Owns a file's descriptor, writes all of a text to a file, and reads a small one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <rondo/base.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

namespace rondo {

// The status for the errno of a failed call on a file.
inline rondo_status file_error() {
  return errno == ENOMEM ? RONDO_OUT_OF_MEMORY : RONDO_IO_ERROR;
}

// The same file by a number above 2: those up to 2 are what a program writes its messages to, and where it has closed
// one, the next file that is opened would get them. -1 and errno where there is none.
inline int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > 2) return descriptor;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  const int why = errno;
  ::close(descriptor);
  errno = why;
  return moved;
}

// Closes what it holds. One thread at a time closes; reading and writing are as the system has them.
class File {
 public:
  File() = default;
  // Takes a descriptor that a call has just returned, or -1.
  explicit File(int descriptor) : descriptor_(above_standard(descriptor)) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  // Given up to the caller.
  int release() { return std::exchange(descriptor_, -1); }
  // A late write error is reported here.
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_ = -1;
};

// True if a file would become larger than the system allows: writing it would end the process by a signal.
inline bool above_file_limit(int file, size_t more) {
  struct rlimit limit;
  const off_t at = ::lseek(file, 0, SEEK_CUR);  // -1 where there is no place, as in a pipe
  return at >= 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         static_cast<rlim_t>(at) + more > limit.rlim_cur;
}

// Returns whether all of it was written; if not, errno says why.
inline bool write_all(int file, std::string_view text) {
  if (above_file_limit(file, text.size())) {
    errno = EFBIG;
    return false;
  }
  constexpr size_t kMost = size_t{1} << 30;  // the system takes no more than some 2 GiB at once
  while (!text.empty()) {
    const ssize_t put = ::write(file, text.data(), text.size() < kMost ? text.size() : kMost);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

// Reads the beginning of a file, `most` bytes at most: for texts of a few lines, those of the system's own file systems
// too, which do not say how long they are. Returns whether it could be opened; a part that cannot be read is left out.
inline bool read_text(const std::string& path, size_t most, std::string* text) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  text->resize(most);
  size_t done = 0;
  while (done < most) {
    const ssize_t got = ::read(file.get(), text->data() + done, most - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  text->resize(done);
  return true;
}

}  // namespace rondo
