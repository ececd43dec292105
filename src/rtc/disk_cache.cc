// Files of compiled kernels. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"

namespace rondo::rtc {

using Folder = DiskCache::Folder;

namespace {

constexpr char kMagic[8] = {'R', 'O', 'N', 'D', 'O', 'K', 'R', 'N'};
constexpr uint32_t kFormat = 1;
constexpr char kSuffix[] = ".kernel";

// What a file starts with; then the name, then the image.
struct Header {
  char magic[8];
  uint32_t format;
  uint32_t name_bytes;
  Key key;
  uint64_t image_bytes;
  Key checksum;  // of the image
};
static_assert(sizeof(Header) == 56);

bool read_all(int file, std::string* text) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  text->resize(static_cast<size_t>(status.st_size));
  size_t done = 0;
  while (done < text->size()) {
    const ssize_t got = ::read(file, text->data() + done, text->size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

// mkdir -p; folders on the way too are for the user alone.
bool make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (slash == std::string::npos) return true;
  }
}

// The folder, or where it is not there the nearest above it that is.
std::string nearest(std::string folder) {
  while (access(folder.c_str(), F_OK) != 0 && errno == ENOENT && folder != "/")
    folder.resize(std::max<size_t>(folder.rfind('/'), 1));
  return folder;
}

// What to think of a folder, and if it is refused, why: code that will run is only read from one that nobody else can
// write. A folder that is not there is refused when it could not be made.
Folder judge(const std::string& folder, std::string* why) {
  auto refuse = [why](std::string reason) {
    *why = std::move(reason);
    return Folder::refused;
  };
  if (folder[0] != '/') return refuse("it is not an absolute path");
  struct stat status;
  if (stat(folder.c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode)) return refuse("it is not a folder");
    if (status.st_uid != geteuid()) return refuse("it belongs to another user");
    if (status.st_mode & 022) return refuse("others can write to it");
    return Folder::trusted;
  }
  if (faccessat(AT_FDCWD, nearest(folder).c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return refuse(format("it cannot be made: %s", std::strerror(errno)));
  return Folder::absent;
}

std::string default_folder() {
  if (const char* base = secure_getenv("XDG_CACHE_HOME"); base && base[0] == '/') return std::string(base) + "/rondo";
  if (const char* home = secure_getenv("HOME"); home && home[0] == '/') return std::string(home) + "/.cache/rondo";
  return {};
}

template <class Visit>
void each_entry(const std::string& folder, const Visit& visit) {
  DIR* dir = opendir(folder.c_str());
  if (!dir) return;
  while (const dirent* entry = readdir(dir))
    if (entry->d_name[0] != '.') visit(std::string(entry->d_name));
  closedir(dir);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

uint64_t mix(uint64_t hash, uint64_t word, uint64_t factor) {
  const unsigned __int128 product = static_cast<unsigned __int128>(hash ^ word) * factor;
  const uint64_t folded = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  return (folded ^ (folded >> 29)) + word;  // a product of 0 must not forget the words before it
}

Key key_of(std::string_view text) {
  KeyBuilder builder;
  builder.add(text);
  return builder.key();
}

}  // namespace

void KeyBuilder::add(std::string_view text) {
  auto feed = [this](uint64_t word) {
    key_.words[0] = mix(key_.words[0], word, 0x9fb21c651e98df25u);
    key_.words[1] = mix(key_.words[1] ^ (word << 32 | word >> 32), word, 0xd6e8feb86659fd93u);
  };
  feed(text.size());
  for (size_t i = 0; i < text.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<size_t>(8, text.size() - i));
    feed(word);
  }
}

DiskCache::DiskCache(std::string folder, int64_t limit_bytes, std::string why_off)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  if (folder_.empty()) {
    why_off_ = std::move(why_off);
    return;
  }
  std::string why;
  state_ = judge(folder_, &why);
  if (state_ == Folder::refused) {
    why_off_ = format("%s is refused: %s (RONDO_CACHE names another folder, or 'off')", folder_.c_str(), why.c_str());
    log(RONDO_LOG_WARNING, "kernels are not cached: %s", why_off_.c_str());
    folder_.clear();
  }
}

// Whether files of the folder can be read, and with `make` written. What others put there meanwhile is judged first.
bool DiskCache::usable(bool make) {
  if (folder_.empty()) return false;
  Folder state = state_.load(std::memory_order_acquire);
  if (state == Folder::absent) {
    if (make && !make_folders(folder_)) return false;
    std::string why;
    state = judge(folder_, &why);
    if (state == Folder::refused)
      log(RONDO_LOG_WARNING, "kernels are not cached: %s is refused: %s", folder_.c_str(), why.c_str());
    state_.store(state, std::memory_order_release);
  }
  return state == Folder::trusted;
}

DiskCache& DiskCache::instance() {
  static auto* cache = [] {
    std::string folder = setting_is_set(Setting::cache) ? setting(Setting::cache) : default_folder();
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
  const std::string path = nearest(folder_) + format("/.rondo.trial.%d", static_cast<int>(getpid()));
  File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  std::string problem;
  if (!file || !write_all(file.get(), "trial") || !file.close()) problem = std::strerror(errno);
  unlink(path.c_str());
  return problem;
}

std::string DiskCache::path_of(const Key& key) const {
  const std::string name = format("%016llx%016llx", static_cast<unsigned long long>(key.words[0]),
                                  static_cast<unsigned long long>(key.words[1]));
  return folder_ + "/" + name.substr(0, 2) + "/" + name.substr(2) + kSuffix;
}

bool DiskCache::find(const Key& key, std::string* image) {
  if (!usable(false)) return false;
  const std::string path = path_of(key);
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return false;
  std::string text;
  Header header;
  bool good = read_all(file.get(), &text) && text.size() >= sizeof header;
  if (good) {
    std::memcpy(&header, text.data(), sizeof header);
    good = std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 && header.format == kFormat && header.key == key &&
           header.name_bytes <= text.size() && header.image_bytes == text.size() - sizeof header - header.name_bytes;
  }
  if (good) {
    *image = text.substr(sizeof header + header.name_bytes);
    good = key_of(*image) == header.checksum;
  }
  if (!good) {
    damaged_.fetch_add(1, std::memory_order_relaxed);
    log(RONDO_LOG_INFO, "the cached kernel %s is damaged and will be compiled again", path.c_str());
    unlink(path.c_str());
    return false;
  }
  // Most file systems do not keep access times by themselves; trimming goes by them.
  const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  futimens(file.get(), times);
  return true;
}

void DiskCache::store(const Key& key, const char* name, const std::string& image) {
  if (folder_.empty()) return;
  if (!usable(true)) {
    failed_writes_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.format = kFormat;
  header.name_bytes = static_cast<uint32_t>(std::strlen(name));
  header.key = key;
  header.image_bytes = image.size();
  header.checksum = key_of(image);

  const std::string path = path_of(key);
  static std::atomic<unsigned> counter{0};
  const std::string temporary = path + format(".%d.%u", static_cast<int>(getpid()), counter.fetch_add(1));
  mkdir(path.substr(0, path.rfind('/')).c_str(), 0700);
  File file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  // Readers see the whole file or none; after a crash of the machine the checksum tells.
  const bool good = file && write_all(file.get(), {reinterpret_cast<const char*>(&header), sizeof header}) &&
                    write_all(file.get(), name) && write_all(file.get(), image) && file.close() &&
                    rename(temporary.c_str(), path.c_str()) == 0;
  if (!good) {
    failed_writes_.fetch_add(1, std::memory_order_relaxed);
    log(RONDO_LOG_INFO, "the compiled kernel %s could not be kept in %s: %s", name, path.c_str(), std::strerror(errno));
    unlink(temporary.c_str());
    return;
  }
  std::lock_guard lock(mutex_);
  const auto written = static_cast<int64_t>(sizeof header + header.name_bytes + image.size());
  if (bytes_ >= 0) bytes_ += written;
  if (bytes_ < 0 || bytes_ > limit_bytes_) trim();
}

// Counts what is there, and if it is too much removes the files used longest ago until an eighth of the room is free.
void DiskCache::trim() {
  struct Entry {
    std::string path;
    int64_t bytes;
    int64_t used;
  };
  std::vector<Entry> entries;
  bytes_ = 0;
  const time_t now = time(nullptr);
  each_entry(folder_, [&](const std::string& shard) {
    each_entry(folder_ + "/" + shard, [&](const std::string& name) {
      const std::string path = folder_ + "/" + shard + "/" + name;
      struct stat status;
      if (name.find(kSuffix) == std::string::npos || lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return;
      if (!ends_with(name, kSuffix)) {
        // Half written by a process that died, or being written.
        if (now - status.st_mtime > 3600) unlink(path.c_str());
        return;
      }
      bytes_ += status.st_size;
      entries.push_back({path, status.st_size, status.st_atim.tv_sec * 1000000000 + status.st_atim.tv_nsec});
    });
  });
  if (bytes_ <= limit_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (bytes_ <= limit_bytes_ - limit_bytes_ / 8) break;
    if (unlink(entry.path.c_str()) == 0 || errno == ENOENT) bytes_ -= entry.bytes;
  }
}

}  // namespace rondo::rtc
