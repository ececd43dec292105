// The disk cache of kernels: what is stored is found, damage is found out, folders and files are trusted only when they
// are the user's alone, the size stays under the limit, processes and threads may meet.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rondo/status.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "cache_fixture.h"

namespace rondo::rtc {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public CacheFixture {
 protected:
  std::vector<fs::path> files(const fs::path& folder) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }
};

TEST_F(DiskCacheTest, FindsWhatWasStored) {
  const std::string image("cubin\0with zeros", 16);
  DiskCache cache(root_ / "a" / "b", 1 << 20);
  std::string found;
  EXPECT_FALSE(cache.find(key_of("k"), &found));
  cache.store(key_of("k"), "add", image);
  ASSERT_TRUE(cache.find(key_of("k"), &found));
  EXPECT_EQ(found, image);
  EXPECT_FALSE(cache.find(key_of("other"), &found));
  DiskCache later(root_ / "a" / "b", 1 << 20);
  EXPECT_TRUE(later.find(key_of("k"), &found)) << "another process";
  EXPECT_EQ(cache.statistics().damaged + cache.statistics().failed_writes + later.statistics().damaged, 0);
  struct stat status;
  ASSERT_EQ(stat((root_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(DiskCacheTest, KeysTellPartsApart) {
  KeyBuilder one, two;
  one.add("ab");
  one.add("c");
  two.add("a");
  two.add("bc");
  EXPECT_FALSE(one.key() == two.key());
  EXPECT_FALSE(key_of("") == key_of(std::string(1, '\0')));
}

TEST_F(DiskCacheTest, EveryKindOfDamageIsFoundOut) {
  DiskCache cache(root_, 1 << 20);
  const Key key = key_of("k");
  int64_t damaged = 0;
  auto damage = [&](auto&& change) {
    cache.store(key, "add", std::string(1000, 'x'));
    const std::vector<fs::path> all = files(root_);
    ASSERT_EQ(all.size(), 1u);
    change(all[0]);
    std::string found;
    EXPECT_FALSE(cache.find(key, &found));
    EXPECT_EQ(cache.statistics().damaged, ++damaged);
    EXPECT_TRUE(files(root_).empty()) << "the file is removed";
  };
  auto flip = [](size_t at) {
    return [at](const fs::path& path) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char value = static_cast<char>(file.get() ^ 1);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(value);
    };
  };
  // Every byte of the header and of the name, and some of the image.
  const size_t whole = kEntryHeaderBytes + 3 + 1000;
  for (size_t at = 0; at < whole; at += at < kEntryHeaderBytes + 4 ? 1 : 97) {
    SCOPED_TRACE(at);
    damage(flip(at));
  }
  damage(flip(whole - 1));
  for (const size_t size : {size_t{0}, size_t{10}, kEntryHeaderBytes - 1, kEntryHeaderBytes, size_t{900}, whole - 1}) {
    SCOPED_TRACE(size);
    damage([size](const fs::path& path) { fs::resize_file(path, size); });
  }
  damage([](const fs::path& path) { std::ofstream(path, std::ios::app) << "more"; });
  damage([](const fs::path& path) { fs::resize_file(path, size_t{5} << 30); });  // with a hole: no memory for it either
  // A whole file of another kernel under this one's name.
  damage([&](const fs::path& path) {
    DiskCache(root_ / "other", 1 << 20).store(key_of("other"), "add", "image");
    fs::rename(files(root_ / "other")[0], path);
    fs::remove_all(root_ / "other");
  });
}

TEST_F(DiskCacheTest, RefusesFoldersThatOthersCanWrite) {
  const fs::path open = root_ / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms::all);
  EXPECT_EQ(DiskCache(open, 1 << 20).folder(), "");
  EXPECT_EQ(DiskCache("relative/folder", 1 << 20).folder(), "");
  EXPECT_NE(DiskCache("relative/folder", 1 << 20).why_off().find("relative/folder is refused"), std::string::npos);
  std::ofstream(root_ / "file") << "x";
  EXPECT_EQ(DiskCache(root_ / "file", 1 << 20).folder(), "");
  EXPECT_NE(DiskCache(root_ / "file" / "below", 1 << 20).why_off().find("cannot be made"), std::string::npos);
  DiskCache off("", 1 << 20);
  off.store(key_of("k"), "add", "image");
  std::string found;
  EXPECT_FALSE(off.find(key_of("k"), &found));
  EXPECT_EQ(off.statistics().failed_writes, 0);
}

TEST_F(DiskCacheTest, MakesItsFolderAgain) {
  DiskCache cache(root_ / "c", 1 << 20);
  cache.store(key_of("k"), "add", "image");
  fs::remove_all(root_ / "c");
  std::string found;
  EXPECT_FALSE(cache.find(key_of("k"), &found));
  cache.store(key_of("k"), "add", "image");
  EXPECT_TRUE(cache.find(key_of("k"), &found));
  EXPECT_EQ(cache.statistics().failed_writes, 0);
  fs::remove_all(root_ / "c");
  std::ofstream(root_ / "c") << "x";
  cache.store(key_of("k"), "add", "image");
  EXPECT_EQ(cache.statistics().failed_writes, 1);
}

struct Messages {
  Messages() { rondo_set_log(receive, this, nullptr, RONDO_LOG_DEBUG); }
  ~Messages() { rondo_set_log(nullptr, nullptr, nullptr, RONDO_LOG_OFF); }
  static void receive(void* arg, rondo_log_level level, const char* message) {
    if (level == RONDO_LOG_WARNING) static_cast<Messages*>(arg)->warnings.emplace_back(message);
  }
  std::vector<std::string> warnings;
};

TEST_F(DiskCacheTest, CountsWritesThatFailAndWarnsOnce) {
  const Messages messages;
  // The folder could be made when the cache was, and no longer can.
  DiskCache late(root_ / "d" / "e", 1 << 20);
  EXPECT_EQ(late.why_off(), "");
  std::ofstream(root_ / "d") << "x";
  late.store(key_of("k"), "add", "image");
  late.store(key_of("l"), "add", "image");
  EXPECT_EQ(late.statistics().failed_writes, 2);
  ASSERT_EQ(messages.warnings.size(), 1u);
  EXPECT_NE(messages.warnings[0].find("the compiled kernel add could not be kept in"), std::string::npos);
}

TEST_F(DiskCacheTest, AFileThatTheSystemDoesNotAllow) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const struct rlimit limit = {500, 500};
    setrlimit(RLIMIT_FSIZE, &limit);
    DiskCache cache(root_, 1 << 20);
    std::string found;
    cache.store(key_of("k"), "add", std::string(1000, 'x'));  // must not end the process by a signal
    bool good = cache.statistics().failed_writes == 1 && !cache.find(key_of("k"), &found);
    cache.store(key_of("small"), "add", "image");
    good = good && cache.find(key_of("small"), &found);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(files(root_).size(), 1u) << "nothing half written stays";
}

TEST_F(DiskCacheTest, UsesNoFileThatOthersMayHaveMade) {
  DiskCache cache(root_, 1 << 20);
  const Key key = key_of("k");
  int64_t refused = 0;
  auto refuses = [&](const char* what, auto&& change) {
    SCOPED_TRACE(what);
    cache.store(key, "add", "image");
    change(files(root_)[0]);
    std::string found;
    EXPECT_FALSE(cache.find(key, &found));
    EXPECT_EQ(cache.statistics().refused, ++refused);
    cache.store(key, "add", "image");
    EXPECT_TRUE(cache.find(key, &found)) << "a new one takes its place";
    EXPECT_EQ(cache.statistics().damaged, 0);
  };
  refuses("writable for the group", [](const fs::path& path) { fs::permissions(path, fs::perms(0620)); });
  refuses("writable for all", [](const fs::path& path) { fs::permissions(path, fs::perms(0602)); });
  refuses("a link", [&](const fs::path& path) {
    fs::rename(path, root_ / "elsewhere");
    fs::create_symlink(root_ / "elsewhere", path);
  });
  fs::remove(root_ / "elsewhere");
  refuses("a pipe, which nobody writes to", [](const fs::path& path) {
    fs::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  });
  if (geteuid() == 0)
    refuses("another user's", [](const fs::path& path) { ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0); });
  // The folder that it is in.
  const fs::path shard = files(root_)[0].parent_path();
  std::string found;
  fs::permissions(shard, fs::perms::all);
  EXPECT_FALSE(cache.find(key, &found));
  cache.store(key, "add", "image");
  EXPECT_EQ(cache.statistics().failed_writes, 1);
  fs::permissions(shard, fs::perms(0700));
  EXPECT_TRUE(cache.find(key, &found));
  fs::rename(shard, root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", shard);
  EXPECT_FALSE(cache.find(key, &found));
  EXPECT_EQ(cache.statistics().refused, refused + 2);
}

TEST_F(DiskCacheTest, ReadOnlyFolder) {
  DiskCache cache(root_, 1 << 20);
  cache.store(key_of("k"), "add", "image");
  const fs::path shard = files(root_)[0].parent_path();
  fs::permissions(shard, fs::perms(0500));
  fs::permissions(root_, fs::perms(0500));
  std::string found;
  EXPECT_TRUE(cache.find(key_of("k"), &found)) << "what is there is used";
  if (geteuid() != 0) {  // root writes wherever it likes
    cache.store(key_of("other"), "add", "image");
    EXPECT_EQ(cache.statistics().failed_writes, 1);
  }
  fs::permissions(root_, fs::perms(0700));
  fs::permissions(shard, fs::perms(0700));
}

Origin nvrtc(int architecture, bool binary, int major, int minor, uint64_t build = 1) {
  return {architecture, binary, major, minor, build};
}

TEST_F(DiskCacheTest, ImagesDependOnCompilerAndDevice) {
  DiskCache cache(root_, 1 << 20);
  const Key key = key_of("k");
  cache.store(key, nvrtc(90, true, 12, 8), "add", "image");
  std::string found;
  EXPECT_TRUE(cache.find(key, nvrtc(90, true, 12, 8), &found));
  for (const Origin& other : {nvrtc(80, true, 12, 8), nvrtc(90, false, 12, 8), nvrtc(90, true, 13, 8),
                              nvrtc(90, true, 12, 9), nvrtc(90, true, 12, 8, 2), Origin()})
    EXPECT_FALSE(cache.find(key, other, &found)) << entry_file_name(key, other);
  EXPECT_EQ(cache.statistics().damaged, 0);
}

TEST_F(DiskCacheTest, FindsWhatADeviceCanRun) {
  DiskCache cache(root_, 1 << 20);
  const Key key = key_of("k");
  int number = 0;
  for (const Origin& each : {nvrtc(75, false, 12, 8), nvrtc(80, false, 12, 8), nvrtc(90, true, 12, 4),
                             nvrtc(90, true, 12, 8), nvrtc(100, false, 12, 8), nvrtc(80, true, 12, 8)})
    cache.store(key, each, "add", std::to_string(number++));
  cache.store(key, "choice", "no image");
  cache.store(key_of("other"), nvrtc(90, true, 12, 8), "add", "other");
  auto images = [&](int capability) {
    std::string all;
    for (const CacheEntry& each : cache.suitable(key, capability)) all += each.image;
    return all;
  };
  EXPECT_EQ(images(90), "3210") << "cubins of its own, the newest first; then PTX, the newest first";
  EXPECT_EQ(images(86), "10");
  EXPECT_EQ(images(75), "0");
  EXPECT_EQ(images(120), "410");
  EXPECT_EQ(images(70), "");
}

TEST_F(DiskCacheTest, ClockThatGoesBack) {
  DiskCache cache(root_, 10'000);
  const timespec later[2] = {{time(nullptr) + 1'000'000, 0}, {time(nullptr) + 1'000'000, 0}};
  for (int i = 0; i < 8; ++i) cache.store(key_of("old " + std::to_string(i)), "add", std::string(1000, 'x'));
  for (const fs::path& path : files(root_)) ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), later, 0), 0);
  std::string found;
  EXPECT_TRUE(cache.find(key_of("old 3"), &found)) << "used now";
  for (int i = 0; i < 5; ++i) cache.store(key_of("new " + std::to_string(i)), "add", std::string(1000, 'x'));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(cache.find(key_of("new " + std::to_string(i)), &found)) << i;
  EXPECT_TRUE(cache.find(key_of("old 3"), &found));
  EXPECT_GT(cache.statistics().evicted, 0);
}

TEST_F(DiskCacheTest, WhatProcessesLeftHalfWrittenGoes) {
  DiskCache cache(root_, 10'000);
  cache.store(key_of("k"), "add", "image");
  const fs::path left = files(root_)[0].string() + ".1.1", fresh = files(root_)[0].string() + ".1.2";
  std::ofstream(left) << "half";
  std::ofstream(fresh) << "half";
  const timespec long_ago[2] = {{time(nullptr) - 7200, 0}, {time(nullptr) - 7200, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, left.c_str(), long_ago, 0), 0);
  cache.store(key_of("large"), "add", std::string(2000, 'x'));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(fresh)) << "somebody may be writing it";
}

TEST_F(DiskCacheTest, ManyProcesses) {
  std::vector<pid_t> children;
  for (int p = 0; p < 8; ++p) {
    children.push_back(fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() != 0) continue;
    // Too small for all of them: files go while others read them.
    DiskCache cache(root_ / "made by the first", 8'000);
    bool good = true;
    for (int i = 0; i < 200; ++i) {
      const std::string text = std::to_string((i * (p + 1)) % 20);
      std::string found;
      if (cache.find(key_of(text), &found))
        good = good && found == std::string(700, text[0]);
      else
        cache.store(key_of(text), "add", std::string(700, text[0]));
    }
    const DiskStatistics counts = cache.statistics();
    _exit(good && counts.damaged == 0 && counts.refused == 0 && counts.failed_writes == 0 ? 0 : 1);
  }
  for (const pid_t each : children) {
    int status = 0;
    ASSERT_EQ(waitpid(each, &status, 0), each);
    EXPECT_EQ(status, 0);
  }
  DiskCache cache(root_ / "made by the first", 8'000);
  cache.visit(true, [](const KeptFile& file) { EXPECT_EQ(file.problem, "") << file.path; });
}

TEST_F(DiskCacheTest, MakesItsFolderWithTheFirstFile) {
  const fs::path folder = root_ / "a" / "b";
  DiskCache cache(folder, 1 << 20);
  std::string found;
  EXPECT_EQ(cache.folder(), folder);
  EXPECT_FALSE(cache.find(key_of("k"), &found));
  EXPECT_TRUE(fs::is_empty(root_)) << "looking leaves nothing behind";
  cache.store(key_of("k"), "add", "image");
  EXPECT_EQ(files(folder).size(), 1u);
}

TEST_F(DiskCacheTest, TrustsNoFolderOfAnotherUser) {
  const fs::path folder = root_ / "a";
  DiskCache honest(folder, 1 << 20), cache(folder, 1 << 20);
  honest.store(key_of("k"), "add", "image");
  fs::permissions(folder, fs::perms::all);
  std::string found;
  EXPECT_FALSE(cache.find(key_of("k"), &found)) << "others could have written it";
  cache.store(key_of("other"), "add", "image");
  EXPECT_EQ(cache.statistics().failed_writes, 1);
  EXPECT_EQ(files(folder).size(), 1u);
}

TEST_F(DiskCacheTest, DropsWhatWasUsedLongestAgo) {
  DiskCache cache(root_, 10'000);
  auto name = [](int i) { return "kernel " + std::to_string(i); };
  std::string found;
  for (int i = 0; i < 30; ++i) {
    cache.store(key_of(name(i)), "add", std::string(1000, 'x'));
    EXPECT_TRUE(cache.find(key_of(name(0)), &found)) << "used all the time, after " << i;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the clock of files is coarse
  }
  uintmax_t total = 0;
  for (const fs::path& path : files(root_)) total += fs::file_size(path);
  EXPECT_LE(total, 10'000u);
  EXPECT_GE(total, 7'000u);
  EXPECT_TRUE(cache.find(key_of(name(29)), &found)) << "the newest";
  EXPECT_FALSE(cache.find(key_of(name(1)), &found)) << "the oldest";
}

TEST_F(DiskCacheTest, ManyThreads) {
  DiskCache cache(root_, 20'000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&cache] {
      for (int i = 0; i < 100; ++i) {
        const std::string text = std::to_string(i % 40);
        std::string found;
        if (cache.find(key_of(text), &found))
          EXPECT_EQ(found, std::string(700, text[0]));
        else
          cache.store(key_of(text), "add", std::string(700, text[0]));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache.statistics().damaged, 0);
}

}  // namespace
}  // namespace rondo::rtc
