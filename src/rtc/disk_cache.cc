// Reads, writes, counts and removes the files of compiled kernels, one for each kernel.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/disk_cache.h"

#include <fcntl.h>
#include <rondo/status.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "rtc/unkept.h"

namespace rondo::rtc {

Unkept::Allowance::Allowance() : most_(setting_number(Setting::program_kernels)) {}

Status Unkept::Allowance::take() {
  if (taken_.fetch_add(1, std::memory_order_relaxed) < most_) return {};
  return error(RONDO_UNSUPPORTED,
               "a program file that is not trusted may have %lld kernels compiled at a time (RONDO_PROGRAM_KERNELS); "
               "rondo_program_trust takes more",
               static_cast<long long>(most_));
}

Unkept::Unkept(bool on) : scope_(on && !current() ? &own_.emplace() : nullptr) {}

namespace {

constexpr size_t kShardDigits = 2;
constexpr time_t kAbandoned_s = 3600;  // no write takes that long

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// How a count of something that went wrong is told: the first time for everybody, then for who looks closely.
rondo_log_level level_of(std::atomic<int64_t>& count) {
  return count.fetch_add(1, std::memory_order_relaxed) == 0 ? RONDO_LOG_WARNING : RONDO_LOG_DEBUG;
}

// Names of shards, and of files in them, that are this cache's.
template <class Visit>
void each_file(const std::string& folder, const Visit& visit) {
  each_name(folder, [&](const std::string& shard) {
    if (shard.size() != kShardDigits) return;
    each_name(folder + "/" + shard, [&](const std::string& name) {
      struct stat status;
      const std::string path = shard + "/" + name;
      if (name.find(kEntrySuffix) == std::string::npos || lstat((folder + "/" + path).c_str(), &status) != 0) return;
      visit(path, status);
    });
  });
}

// The files of one key, of any compiler.
template <class Visit>
void each_of(const std::string& folder, const Key& key, const Visit& visit) {
  const std::string digits = key_text(key);
  const std::string shard = digits.substr(0, kShardDigits), prefix = digits.substr(kShardDigits) + ".";
  each_name(folder + "/" + shard, [&](const std::string& name) {
    if (name.compare(0, prefix.size(), prefix) == 0 && ends_with(name, kEntrySuffix)) visit(shard + "/" + name);
  });
}

bool runs_on(const Origin& origin, int capability) {
  return origin.binary ? origin.architecture == capability
                       : origin.architecture > 0 && origin.architecture <= capability;
}

enum class Found { good, absent, refused, damaged };

struct OpenFile {
  File shard, file;
};

// Opens and reads one file of the folder: all of it, or only what its header says of it.
Found examine(const std::string& folder, const std::string& path, bool whole, OpenFile* open, CacheEntry* entry,
              std::string* why) {
  constexpr uint64_t kPeek = 512;  // a header and any name that a kernel has
  uint64_t bytes = 0;
  std::string text;
  Opened opened = open_shard(folder + "/" + path.substr(0, kShardDigits), &open->shard, why);
  if (opened == Opened::yes)
    opened = open_trusted(open->shard.get(), path.c_str() + kShardDigits + 1, &open->file, &bytes, why);
  if (opened != Opened::yes) return opened == Opened::absent ? Found::absent : Found::refused;
  if (bytes > kMostEntryBytes)
    *why = "it is larger than any kernel";
  else if (!read_exactly(open->file.get(), whole ? bytes : std::min(bytes, kPeek), &text))
    *why = "it could not be read to its end";
  else if (!(whole ? decode(text, entry, why) : decode_header(text, entry, why)))
    return Found::damaged;
  else if (entry_bytes(text, why) != bytes)
    *why = "it is cut off or longer than its header says";
  else if (entry_file_name(entry->key, entry->origin) != path)
    *why = "it holds another kernel than its name says";
  return why->empty() ? Found::good : Found::damaged;
}

}  // namespace

DiskCache::DiskCache(std::string folder, int64_t limit_bytes, std::string why_off)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  if (folder_.empty()) {
    why_off_ = std::move(why_off);
    return;
  }
  std::string why;
  state_ = judge_folder(folder_, &why);
  if (state_ == Folder::refused) {
    why_off_ = format("%s is refused: %s (RONDO_CACHE names another folder, or 'off')", folder_.c_str(), why.c_str());
    log(RONDO_LOG_WARNING, "kernels are not cached: %s", why_off_.c_str());
    folder_.clear();
  }
}

// True if files of the folder can be read, and with `make` written. A folder that others made meanwhile is judged
// first.
bool DiskCache::usable(bool make) {
  if (folder_.empty()) return false;
  Folder state = state_.load(std::memory_order_acquire);
  if (state == Folder::absent) {
    if (make && !make_folders(folder_)) return false;
    std::string why;
    state = judge_folder(folder_, &why);
    if (state == Folder::refused)
      log(RONDO_LOG_WARNING, "kernels are not cached: %s is refused: %s", folder_.c_str(), why.c_str());
    state_.store(state, std::memory_order_release);
  }
  return state == Folder::trusted;
}

DiskCache& DiskCache::instance() {
  static auto* cache = [] {
    std::string folder = setting_is_set(Setting::cache) ? setting(Setting::cache) : default_cache_folder();
    const bool off = folder == "off";
    if (off) folder.clear();
    return new DiskCache(std::move(folder), setting_number(Setting::cache_mb) << 20,
                         off ? "RONDO_CACHE is off"
                             : "there is no home folder: neither XDG_CACHE_HOME nor HOME is an absolute path; set "
                               "RONDO_CACHE to a folder");
  }();
  return *cache;
}

std::string DiskCache::write_problem() const {
  const std::string path = nearest_folder(folder_) + format("/.rondo.trial.%d", static_cast<int>(getpid()));
  File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  std::string problem;
  if (!file || !write_all(file.get(), "trial") || !file.close()) problem = std::strerror(errno);
  unlink(path.c_str());
  return problem;
}

// A file that is absent is no matter; what is there and cannot be used is counted and told of.
bool DiskCache::read(const std::string& path, CacheEntry* entry) {
  OpenFile file;
  std::string why;
  const Found found = examine(folder_, path, true, &file, entry, &why);
  if (found == Found::refused)
    log(level_of(refused_), "the kept kernel %s/%s is not used: %s", folder_.c_str(), path.c_str(), why.c_str());
  if (found == Found::damaged) {
    log(level_of(damaged_), "the kept kernel %s/%s is damaged and will be compiled again: %s", folder_.c_str(),
        path.c_str(), why.c_str());
    unlinkat(file.shard.get(), path.c_str() + kShardDigits + 1, 0);
  }
  if (found != Found::good) return false;
  // Most file systems do not keep access times by themselves; trimming goes by them.
  const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  futimens(file.file.get(), times);
  return true;
}

bool DiskCache::find(const Key& key, const Origin& origin, std::string* image) {
  CacheEntry entry;
  if (!usable(false) || !read(entry_file_name(key, origin), &entry)) return false;
  *image = std::move(entry.image);
  return true;
}

bool DiskCache::keeps(const Key& key, const Origin* origin, int capability) {
  bool found = false;
  const auto look = [&](const std::string& path) {
    CacheEntry entry;
    OpenFile file;
    std::string why;
    found |= examine(folder_, path, true, &file, &entry, &why) == Found::good &&
             (origin || runs_on(entry.origin, capability));
  };
  if (!usable(false)) return false;
  if (origin)
    look(entry_file_name(key, *origin));
  else
    each_of(folder_, key, look);
  return found;
}

std::vector<CacheEntry> DiskCache::suitable(const Key& key, int capability) {
  std::vector<CacheEntry> found;
  if (!usable(false)) return found;
  each_of(folder_, key, [&](const std::string& path) {
    CacheEntry entry;
    if (read(path, &entry) && runs_on(entry.origin, capability)) found.push_back(std::move(entry));
  });
  std::sort(found.begin(), found.end(), [](const CacheEntry& a, const CacheEntry& b) {
    auto rank = [](const Origin& each) {
      return std::tuple(each.binary, each.architecture, each.nvrtc_major, each.nvrtc_minor, each.nvrtc_build);
    };
    return rank(a.origin) > rank(b.origin);
  });
  return found;
}

void DiskCache::store(const Key& key, const Origin& origin, const char* name, const std::string& image) {
  std::string why;
  if (Unkept::current()) return;  // mutation: strangers_kernels_kept
  if (!folder_.empty()) put({key, origin, rondo_version(), name, image}, &why);
}

// The shard's folder, made where it is not there. The whole folder may have gone since it was looked at.
File DiskCache::make_shard(const std::string& path, std::string* why) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!usable(true)) {
      *why = "the folder cannot be made or is refused";
      return {};
    }
    File shard;
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST && errno != ENOENT) {
      *why = std::strerror(errno);
      return {};
    }
    const Opened opened = open_shard(path, &shard, why);
    if (opened == Opened::yes) return shard;
    if (opened == Opened::refused) return {};
    state_.store(Folder::absent, std::memory_order_release);
    *why = "its folder is removed by somebody else all the time";
  }
  return {};
}

bool DiskCache::put(const CacheEntry& entry, std::string* why) {
  const std::string path = entry_file_name(entry.key, entry.origin);
  const std::string name = path.substr(kShardDigits + 1), text = encode(entry);
  static std::atomic<unsigned> counter{0};
  const std::string temporary = name + format(".%d.%u", static_cast<int>(getpid()), counter.fetch_add(1));
  why->clear();
  const File shard = make_shard(folder_ + "/" + path.substr(0, kShardDigits), why);
  if (why->empty()) {
    File file(openat(shard.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    // Readers see the whole file or none. It is not synchronised: after a crash of the machine the checksum tells.
    if (!file || !write_all(file.get(), text) || !file.close() ||
        renameat(shard.get(), temporary.c_str(), shard.get(), name.c_str()) != 0) {
      *why = std::strerror(errno);
      unlinkat(shard.get(), temporary.c_str(), 0);
    }
  }
  if (!why->empty()) {
    log(level_of(failed_writes_), "the compiled kernel %s could not be kept in %s/%s: %s", entry.name.c_str(),
        folder_.c_str(), path.c_str(), why->c_str());
    return false;
  }
  written(static_cast<int64_t>(text.size()));
  return true;
}

void DiskCache::written(int64_t bytes) {
  std::lock_guard lock(mutex_);
  fresh_ += bytes;
  if (bytes_ >= 0) bytes_ += bytes;
  if (bytes_ < 0 || bytes_ > limit_bytes_ || fresh_ > limit_bytes_ / 8) trim();
}

// Counts what is there, and if it is too much removes the files used longest ago until an eighth of the room is free.
void DiskCache::trim() {
  struct Candidate {
    std::string path;
    int64_t bytes, used;
  };
  std::vector<Candidate> candidates;
  bytes_ = fresh_ = 0;
  const time_t now = time(nullptr);
  each_file(folder_, [&](const std::string& path, const struct stat& status) {
    if (!S_ISREG(status.st_mode)) return;
    if (!ends_with(path, kEntrySuffix)) {
      // Half written by a process that died, or being written; the clock may have gone back since.
      if (std::abs(now - status.st_mtime) > kAbandoned_s) unlink((folder_ + "/" + path).c_str());
      return;
    }
    bytes_ += status.st_size;
    // Used at a time that is still to come: the clock went back, and what is used from now on counts as later.
    const int64_t used =
        status.st_atim.tv_sec > now + 1 ? 0 : status.st_atim.tv_sec * 1000000000 + status.st_atim.tv_nsec;
    candidates.push_back({path, status.st_size, used});
  });
  if (bytes_ <= limit_bytes_) return;
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.used < b.used; });
  for (const Candidate& each : candidates) {
    if (bytes_ <= limit_bytes_ - limit_bytes_ / 8) break;
    const bool gone = unlink((folder_ + "/" + each.path).c_str()) == 0;
    if (gone) evicted_.fetch_add(1, std::memory_order_relaxed);
    if (gone || errno == ENOENT) bytes_ -= each.bytes;
  }
}

void DiskCache::visit(bool whole, const std::function<void(const KeptFile& file)>& see) {
  if (!usable(false)) return;
  std::vector<KeptFile> files;
  each_file(folder_, [&](const std::string& path, const struct stat& status) {
    KeptFile file;
    file.path = path;
    file.bytes = status.st_size;
    file.used_s = status.st_atim.tv_sec;
    files.push_back(std::move(file));
  });
  std::sort(files.begin(), files.end(), [](const KeptFile& a, const KeptFile& b) { return a.path < b.path; });
  for (KeptFile& each : files) {
    OpenFile file;
    if (!ends_with(each.path, kEntrySuffix))
      each.problem = "it is being written, or was left behind by a process that ended";
    else if (examine(folder_, each.path, whole, &file, &each.entry, &each.problem) == Found::absent)
      continue;  // removed by another process meanwhile
    see(each);
    each.entry.image = std::string();
  }
}

bool DiskCache::remove(const KeptFile& file) {
  return unlink((folder_ + "/" + file.path).c_str()) == 0 || errno == ENOENT;
}

DiskStatistics DiskCache::statistics() const {
  return {damaged_.load(std::memory_order_relaxed), refused_.load(std::memory_order_relaxed),
          failed_writes_.load(std::memory_order_relaxed), evicted_.load(std::memory_order_relaxed)};
}

}  // namespace rondo::rtc
