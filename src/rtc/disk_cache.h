// Compiled kernels on disk: one file each, named by a 128-bit key over everything that decides the image. A file that
// is not what its header says is removed and counted; the kernel is then compiled as if it had not been there. Failures
// to write are counted and otherwise of no consequence. Any thread and any number of processes may use the folder at
// once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace rondo::rtc {

struct Key {
  uint64_t words[2] = {};
  bool operator==(const Key& other) const { return words[0] == other.words[0] && words[1] == other.words[1]; }
};

// Two independent 64-bit mixes over a sequence of texts. Lengths count, so ("ab", "c") is not ("a", "bc").
class KeyBuilder {
 public:
  void add(std::string_view text);
  Key key() const { return key_; }

 private:
  Key key_{{0x243f6a8885a308d3u, 0x13198a2e03707344u}};
};

class DiskCache {
 public:
  enum class Folder { absent, trusted, refused };

  // `folder` empty: off, for the reason given. Refused when it is not ours or others can write it. When it is not there
  // it is made (0700) with the first file.
  DiskCache(std::string folder, int64_t limit_bytes, std::string why_off = "no folder is given");
  // The cache of the process, from the settings.
  static DiskCache& instance();

  // Empty when there is no cache; otherwise where files are or will be.
  const std::string& folder() const { return folder_; }
  // Why there is none; empty when there is one.
  const std::string& why_off() const { return why_off_; }
  // There is none because the folder that was meant is not to be trusted or cannot be made.
  bool refused() const { return state_.load(std::memory_order_relaxed) == Folder::refused; }
  // Why nothing can be written there, or where the folder would be made, found by writing; empty if it can be.
  std::string write_problem() const;
  bool find(const Key& key, std::string* image);
  // `name` goes into the file for people who look at it.
  void store(const Key& key, const char* name, const std::string& image);
  int64_t damaged() const { return damaged_.load(std::memory_order_relaxed); }
  int64_t failed_writes() const { return failed_writes_.load(std::memory_order_relaxed); }

 private:
  bool usable(bool make);
  std::string path_of(const Key& key) const;
  void trim();

  std::string folder_;
  std::string why_off_;
  std::atomic<Folder> state_{Folder::absent};
  const int64_t limit_bytes_;
  std::mutex mutex_;    // trimming
  int64_t bytes_ = -1;  // used by files, as far as this process knows; -1: not looked at yet
  std::atomic<int64_t> damaged_{0};
  std::atomic<int64_t> failed_writes_{0};
};

}  // namespace rondo::rtc
