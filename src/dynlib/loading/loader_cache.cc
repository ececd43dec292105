// Reads the cache that ldconfig writes for the system's loader, to learn where a name would be found.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "dynlib/loading/system_loader.h"

namespace rondo {

namespace {

// Since glibc 2.2; in caches that old programs can read too, it follows the older form.
constexpr char kMagic[] = "glibc-ld.so.cache1.1";
constexpr char kOlderMagic[] = "ld.so-1.7.0";
constexpr size_t kOlderEntry = 12;

struct Header {
  char magic[sizeof kMagic - 1];
  uint32_t count;
  uint32_t string_bytes;
  uint8_t flags;
  uint8_t reserved[3];
  uint32_t extension_offset;
  uint32_t unused[3];
};
static_assert(sizeof(Header) == 48);

struct CachedLibrary {
  int32_t flags;
  uint32_t key, value;  // texts, from the header on
  uint32_t os_version;
  uint64_t processor;  // what the processor must have; 0: nothing
};
static_assert(sizeof(CachedLibrary) == 24);

std::string read_file(const std::string& path) {
  std::string bytes;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return bytes;
  struct stat info;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
    bytes.resize(static_cast<size_t>(info.st_size));
    size_t done = 0;
    for (ssize_t got; done < bytes.size() && (got = read(file, &bytes[done], bytes.size() - done)) > 0;)
      done += static_cast<size_t>(got);
    bytes.resize(done);
  }
  close(file);
  return bytes;
}

}  // namespace

std::vector<std::string> cached_files(const std::string& cache, const std::string& name, bool variants) {
  const std::string bytes = read_file(cache);
  size_t begin = 0;
  uint32_t older = 0;
  constexpr size_t kOlderHeader = 16;
  if (bytes.size() >= kOlderHeader && bytes.compare(0, sizeof kOlderMagic - 1, kOlderMagic) == 0) {
    std::memcpy(&older, &bytes[kOlderHeader - sizeof older], sizeof older);
    begin = (kOlderHeader + older * kOlderEntry + alignof(CachedLibrary) - 1) / alignof(CachedLibrary) *
            alignof(CachedLibrary);
  }
  Header header;
  if (bytes.size() < begin + sizeof header) return {};
  std::memcpy(&header, &bytes[begin], sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof header.magic) != 0) return {};
  if (header.count > (bytes.size() - begin - sizeof header) / sizeof(CachedLibrary)) return {};
  std::vector<std::string> files;
  for (uint32_t i = 0; i < header.count; ++i) {
    CachedLibrary entry;
    std::memcpy(&entry, &bytes[begin + sizeof header + i * sizeof entry], sizeof entry);
    if (begin + entry.key >= bytes.size() || begin + entry.value >= bytes.size()) continue;
    if (entry.processor != 0 && !variants) continue;
    if (name == bytes.c_str() + begin + entry.key) files.emplace_back(bytes.c_str() + begin + entry.value);
  }
  return files;
}

}  // namespace rondo
