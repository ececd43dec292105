// Memory shared by ranks. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "meeting.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <random>

namespace simnccl {
namespace {

int open_other(int pid, int file) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, file);
  return open(path, O_RDWR | O_CLOEXEC);
}

}  // namespace

const char* kind_name(Kind kind) {
  static const char* const names[] = {"all-reduce",     "broadcast", "reduce", "all-gather",
                                      "reduce-scatter", "send",      "receive"};
  return names[static_cast<int>(kind)];
}

std::string entry_text(const Entry& entry) {
  char text[160];
  std::snprintf(text, sizeof text, "%s of %llu, dtype %d, op %d, root %d%s", kind_name(entry.kind),
                static_cast<unsigned long long>(entry.count), entry.dtype, entry.op, entry.root,
                entry.captured != 0 ? ", captured" : "");
  return text;
}

bool make_meeting(char (&id)[128]) {
  const int file = memfd_create("simnccl", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) return false;
  std::random_device random;
  std::memset(id, 0, sizeof id);
  std::snprintf(id, sizeof id, "simnccl %d %d %08x", getpid(), file, random());
  return true;
}

std::shared_ptr<Shared> open_meeting(const char (&id)[128]) {
  int pid = 0, maker_file = 0;
  if (std::memchr(id, 0, sizeof id) == nullptr || std::sscanf(id, "simnccl %d %d", &pid, &maker_file) != 2)
    return nullptr;
  const int file = open_other(pid, maker_file);
  if (file < 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<Shared*>(memory), [](Shared* shared) { munmap(shared, sizeof(Shared)); }};
}

void store(Entry& entry, const void* data, std::size_t bytes, int* file) {
  entry.bytes = bytes;
  entry.pid = getpid();
  entry.file = -1;
  if (bytes <= kInline) {
    if (bytes > 0) std::memcpy(entry.data, data, bytes);
    return;
  }
  if (*file < 0) *file = memfd_create("simnccl data", MFD_CLOEXEC);
  entry.file = *file;
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t put = pwrite(*file, static_cast<const char*>(data) + done, bytes - done, static_cast<off_t>(done));
    if (put <= 0) return;
    done += static_cast<std::size_t>(put);
  }
}

bool load(const Entry& entry, void* data, std::size_t from, std::size_t bytes) {
  if (from + bytes > entry.bytes) return false;
  if (entry.file < 0) {
    if (bytes > 0) std::memcpy(data, entry.data + from, bytes);
    return true;
  }
  const int file = open_other(entry.pid, entry.file);
  if (file < 0) return false;
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(file, static_cast<char*>(data) + done, bytes - done, static_cast<off_t>(from + done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  close(file);
  return done == bytes;
}

}  // namespace simnccl
