// The disk cache of kernels: what is stored is found, damage is found out, the folder is trusted only when it is the
// user's alone, the size stays under the limit. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include "rtc/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace rondo::rtc {
namespace {

namespace fs = std::filesystem;

Key key_of(const std::string& text) {
  KeyBuilder builder;
  builder.add(text);
  return builder.key();
}

class DiskCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "rondo_disk_cache_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  std::vector<fs::path> files(const fs::path& folder) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }

  fs::path root_;
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
  EXPECT_EQ(cache.damaged() + cache.failed_writes() + later.damaged(), 0);
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
    EXPECT_EQ(cache.damaged(), ++damaged);
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
  for (const size_t at : {0u, 8u, 12u, 16u, 31u, 32u, 40u, 55u, 59u, 500u, 1058u}) {
    SCOPED_TRACE(at);
    damage(flip(at));
  }
  for (const size_t size : {0u, 10u, 56u, 900u}) {
    SCOPED_TRACE(size);
    damage([size](const fs::path& path) { fs::resize_file(path, size); });
  }
  damage([](const fs::path& path) { std::ofstream(path, std::ios::app) << "more"; });
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
  EXPECT_EQ(off.failed_writes(), 0);
}

TEST_F(DiskCacheTest, CountsWritesThatFail) {
  DiskCache cache(root_ / "c", 1 << 20);
  cache.store(key_of("k"), "add", "image");
  EXPECT_EQ(cache.failed_writes(), 0);
  fs::remove_all(root_ / "c");
  cache.store(key_of("k"), "add", "image");
  EXPECT_EQ(cache.failed_writes(), 1);
  // The folder could be made when the cache was, and no longer can.
  DiskCache late(root_ / "d" / "e", 1 << 20);
  EXPECT_EQ(late.why_off(), "");
  std::ofstream(root_ / "d") << "x";
  late.store(key_of("k"), "add", "image");
  EXPECT_EQ(late.failed_writes(), 1);
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

TEST_F(DiskCacheTest, TrustsNoFolderThatSomebodyElseMadeMeanwhile) {
  const fs::path folder = root_ / "a";
  DiskCache honest(folder, 1 << 20), cache(folder, 1 << 20);
  honest.store(key_of("k"), "add", "image");
  fs::permissions(folder, fs::perms::all);
  std::string found;
  EXPECT_FALSE(cache.find(key_of("k"), &found)) << "others could have written it";
  cache.store(key_of("other"), "add", "image");
  EXPECT_EQ(cache.failed_writes(), 1);
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
  EXPECT_EQ(cache.damaged(), 0);
}

}  // namespace
}  // namespace rondo::rtc
