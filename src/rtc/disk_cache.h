// Keeps compiled kernels on disk: one file each, named by a 128-bit key over everything that the image is made from and
// by what made it. A file that is not what its header says is removed and counted; the kernel is then compiled as if it
// had not been there. Failures to write are counted and otherwise of no consequence; the first of each kind is a
// warning in the log. Any thread and any number of processes may use the folder at once: a file appears whole by being
// renamed, so that readers need no lock.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "rtc/cache_entry.h"
#include "rtc/cache_folder.h"

namespace rondo::rtc {

struct DiskStatistics {
  int64_t damaged;        // removed, since their bytes were not those that were written
  int64_t refused;        // left alone, since they are not this user's alone or cannot be read
  int64_t failed_writes;  // not kept
  int64_t evicted;        // removed to make room
};

// One file of the folder, for people who look.
struct KeptFile {
  std::string path;  // below the folder
  int64_t bytes = 0;
  int64_t used_s = 0;   // when it was used last, in seconds since 1970
  CacheEntry entry;     // nothing of it counts if there is a problem
  std::string problem;  // why it will not be used; empty if it will be
};

class DiskCache {
 public:
  // `folder` empty: off, for the reason given. Refused when it is not ours or others can write it. When it is not there
  // it is made (0700) with the first file.
  DiskCache(std::string folder, int64_t limit_bytes, std::string why_off = "no folder is given");
  // The cache of the process, from the settings.
  static DiskCache& instance();

  // Empty when there is no cache; otherwise where files are or will be.
  const std::string& folder() const { return folder_; }
  int64_t limit_bytes() const { return limit_bytes_; }
  // Why there is none; empty when there is one.
  const std::string& why_off() const { return why_off_; }
  // There is none because the folder that was meant is not to be trusted or cannot be made.
  bool refused() const { return state_.load(std::memory_order_relaxed) == Folder::refused; }
  // Why nothing can be written there, or where the folder would be made, found by writing; empty if it can be.
  std::string write_problem() const;

  bool find(const Key& key, const Origin& origin, std::string* image);
  // `name` goes into the file for people who look at it. Does nothing while the thread has an Unkept.
  void store(const Key& key, const Origin& origin, const char* name, const std::string& image);
  // Finds and stores texts that are neither compiled nor for a GPU.
  bool find(const Key& key, std::string* text) { return find(key, Origin(), text); }
  void store(const Key& key, const char* name, const std::string& text) { store(key, Origin(), name, text); }

  // True if find() would find it, or without an origin if suitable() would find any. Changes and counts nothing.
  bool keeps(const Key& key, const Origin* origin, int capability);

  // Images that a device of the capability can run, of any compiler, the best first: cubins for exactly that
  // architecture, then PTX of the newest one that it can translate; of those the newest NVRTC's.
  std::vector<CacheEntry> suitable(const Key& key, int capability);
  // Keeps an entry as it is. False: it could not be, and why not.
  bool put(const CacheEntry& entry, std::string* why);
  // Every file, in the order of their names; `whole`: with images and checked, not only the headers.
  void visit(bool whole, const std::function<void(const KeptFile& file)>& see);
  // Returns whether the file is gone; if not, errno says why.
  bool remove(const KeptFile& file);

  DiskStatistics statistics() const;

 private:
  bool usable(bool make);
  bool read(const std::string& path, CacheEntry* entry);
  File make_shard(const std::string& path, std::string* why);
  void written(int64_t bytes);
  void trim();

  std::string folder_;
  std::string why_off_;
  std::atomic<Folder> state_{Folder::absent};
  const int64_t limit_bytes_;
  std::mutex mutex_;    // counting and trimming
  int64_t bytes_ = -1;  // used by files, as far as this process knows; -1: not looked at yet
  int64_t fresh_ = 0;   // of those what it wrote since it looked last: others write as well
  std::atomic<int64_t> damaged_{0}, refused_{0}, failed_writes_{0}, evicted_{0};
};

}  // namespace rondo::rtc
