// Exports kept kernels from a folder to one file, and imports them from it into another folder.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/cache_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cinttypes>
#include <cstring>

#include "base/files/replacement.h"
#include "base/text.h"

namespace rondo::rtc {

namespace {

constexpr char kMagic[8] = {'R', 'O', 'N', 'D', 'O', 'K', 'R', 'S'};
constexpr uint32_t kFormat = 1;
constexpr uint64_t kMostBytes = uint64_t{4} << 30;  // all of it is in memory while it is checked

struct Head {
  char magic[8];
  uint32_t format;
  uint32_t reserved;  // 0
  uint64_t count;     // of entries
  uint64_t bytes;     // of the file, this head too
  Key checksum;       // of the checksums' places: each entry has its own; this one is of the head, with zeros here
};
static_assert(sizeof(Head) == 48);

Key checksum_of(Head head) {
  head.checksum = {};
  KeyBuilder builder;
  builder.add({reinterpret_cast<const char*>(&head), sizeof head});
  return builder.key();
}

Status check_folder(const DiskCache& cache) {
  if (!cache.folder().empty()) return {};
  return error(RONDO_INVALID_STATE, "compiled kernels are not kept: %s", cache.why_off().c_str());
}

Status read_file(const std::string& path, std::string* text) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!file || fstat(file.get(), &status) != 0)
    return error(errno == ENOENT ? RONDO_NOT_FOUND : RONDO_IO_ERROR, "it cannot be opened: %s", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return error(RONDO_IO_ERROR, "it is not a regular file");
  const auto bytes = static_cast<uint64_t>(status.st_size);
  if (bytes > kMostBytes)
    return error(RONDO_IO_ERROR, "it has %s; more than %s are not read", bytes_text(static_cast<double>(bytes)).c_str(),
                 bytes_text(static_cast<double>(kMostBytes)).c_str());
  if (!read_exactly(file.get(), bytes, text)) return error(RONDO_IO_ERROR, "it cannot be read to its end");
  return {};
}

}  // namespace

bool CacheFilter::takes(const KeptFile& file) const {
  const Origin& origin = file.entry.origin;
  if (architecture != 0 && (!file.problem.empty() || origin.architecture != architecture)) return false;
  if (!nvrtc.empty() && (!file.problem.empty() || origin.architecture == 0 ||
                         format("%d.%d", origin.nvrtc_major, origin.nvrtc_minor) != nvrtc))
    return false;
  if (rondo != 0 && (!file.problem.empty() || file.entry.rondo != rondo)) return false;
  return (used_before_s == 0 || file.used_s < used_before_s) && file.used_s >= used_since_s;
}

Status read_cache_file(std::string_view text, std::vector<CacheEntry>* entries) {
  Head head = {};
  if (text.size() < sizeof head)
    return error(RONDO_IO_ERROR, "it is not a file of kernels: it has %zu bytes, less than its head of %zu",
                 text.size(), sizeof head);
  std::memcpy(&head, text.data(), sizeof head);
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0)
    return error(RONDO_IO_ERROR,
                 "it is not a file of kernels: it does not begin as one that `rondo cache export` wrote");
  if (head.format != kFormat)
    return error(RONDO_IO_ERROR, "it has format %u, and this version of Rondo reads %u", head.format, kFormat);
  if (!(checksum_of(head) == head.checksum))
    return error(RONDO_IO_ERROR, "its head is damaged: its checksum does not fit its bytes");
  if (head.bytes != text.size())
    return error(RONDO_IO_ERROR, "it has %zu bytes, and its head says %" PRIu64 ": it is cut off, or something follows",
                 text.size(), head.bytes);
  uint64_t at = sizeof head;
  for (uint64_t i = 0; i < head.count; ++i) {
    CacheEntry entry;
    std::string problem;
    const std::string_view rest = text.substr(at);
    const uint64_t bytes = entry_bytes(rest, &problem);
    if (bytes > rest.size())
      problem = format("it has %" PRIu64 " bytes, and the file ends after %zu", bytes, rest.size());
    if (problem.empty() && decode(rest.substr(0, bytes), &entry, &problem) && entry.origin.architecture < 0)
      problem = "it is for no GPU";
    if (!problem.empty())
      return error(RONDO_IO_ERROR, "kernel %" PRIu64 " of %" PRIu64 ", at byte %" PRIu64 ": %s", i + 1, head.count, at,
                   problem.c_str());
    at += bytes;
    entries->push_back(std::move(entry));
  }
  if (at != text.size()) return error(RONDO_IO_ERROR, "%" PRIu64 " bytes follow the last kernel", text.size() - at);
  return {};
}

Status export_kernels(DiskCache& cache, const CacheFilter& filter, const std::string& path, CarriedCount* count) {
  RONDO_TRY(check_folder(cache));
  Head head = {};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.format = kFormat;
  head.bytes = sizeof head;
  std::vector<std::string> entries;
  *count = {};
  cache.visit(true, [&](const KeptFile& file) {
    if (!file.problem.empty() || !filter.takes(file)) return;
    entries.push_back(encode(file.entry));
    head.bytes += entries.back().size();
    count->add(file.entry);
  });
  if (entries.empty())
    return error(RONDO_NOT_FOUND, "there is no such kernel in %s, so nothing is written: %s", cache.folder().c_str(),
                 "operators on a GPU leave theirs there when they are first used");
  head.count = entries.size();
  head.checksum = checksum_of(head);
  const auto write = [&]() -> Status {
    Replacement file(path);
    RONDO_TRY(file.create());
    RONDO_TRY(file.write({reinterpret_cast<const char*>(&head), sizeof head}));
    for (const std::string& each : entries) RONDO_TRY(file.write(each));
    return file.complete();
  };
  return write().with_context(path);
}

Status import_kernels(DiskCache& cache, const std::string& path, CarriedCount* count, CarriedCount* all) {
  RONDO_TRY(check_folder(cache));
  std::string text;
  std::vector<CacheEntry> entries;
  RONDO_TRY(read_file(path, &text).with_context(path));
  RONDO_TRY(read_cache_file(text, &entries).with_context(path));
  if (static_cast<int64_t>(text.size()) > cache.limit_bytes())
    return error(
        RONDO_INVALID_STATE,
        "%s has %s of kernels, and the folder %s is kept under %s: set RONDO_CACHE_MB to more, here and for the "
        "programs that use them",
        path.c_str(), bytes_text(static_cast<double>(text.size())).c_str(), cache.folder().c_str(),
        bytes_text(static_cast<double>(cache.limit_bytes())).c_str());
  *count = {};
  for (const CacheEntry& each : entries) {
    if (all) all->add(each);
    std::string there, why;
    if (cache.find(each.key, each.origin, &there) && there == each.image) continue;
    if (!cache.put(each, &why))
      return error(RONDO_IO_ERROR, "'%s' cannot be kept in %s: %s; %" PRId64 " kernels were taken before it",
                   each.name.c_str(), cache.folder().c_str(), why.c_str(), count->kernels);
    count->add(each);
  }
  return {};
}

}  // namespace rondo::rtc
