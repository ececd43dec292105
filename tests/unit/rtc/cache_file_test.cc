// The file that carries kernels: what was exported is imported, any change of it is found out, and nothing of a file
// that is not whole is taken. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/cache_file.h"

#include <gtest/gtest.h>
#include <rondo/status.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "cache_fixture.h"

namespace rondo::rtc {
namespace {

namespace fs = std::filesystem;

class CacheFile : public CacheFixture {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CacheFixture::SetUp());
    DiskCache cache(root_ / "from", 1 << 20);
    for (int i = 0; i < 3; ++i)
      cache.store(key_of("k"), {80 + 5 * i, 1, 12, 8, 7}, "add", std::string(100 + i, static_cast<char>('a' + i)));
    cache.store(key_of("choice"), "choice", "of no GPU");
  }

  std::string exported() {
    DiskCache cache(root_ / "from", 1 << 20);
    CarriedCount count;
    const Status status = export_kernels(cache, {}, root_ / "kernels", &count);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(count.kernels, 3);
    EXPECT_EQ(count.choices, 1);
    return contents();
  }
  std::string contents() const {
    std::ifstream file(root_ / "kernels", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The status of importing these bytes, into a folder of their own.
  Status import(const std::string& text, CarriedCount* count = nullptr) {
    std::ofstream(root_ / "given", std::ios::binary) << text;
    fs::remove_all(root_ / "to");
    DiskCache cache(root_ / "to", 1 << 20);
    CarriedCount ignored;
    const Status status = import_kernels(cache, root_ / "given", count ? count : &ignored, nullptr);
    EXPECT_EQ(status.ok(), fs::exists(root_ / "to")) << "all is taken of it, or nothing";
    return status;
  }
};

TEST_F(CacheFile, CarriesKernels) {
  CarriedCount count;
  ASSERT_TRUE(import(exported(), &count).ok());
  EXPECT_EQ(count.kernels, 3);
  EXPECT_EQ(count.choices, 1);
  DiskCache to(root_ / "to", 1 << 20);
  std::string found;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(to.find(key_of("k"), {80 + 5 * i, 1, 12, 8, 7}, &found));
    EXPECT_EQ(found, std::string(100 + i, static_cast<char>('a' + i)));
  }
  ASSERT_TRUE(to.find(key_of("choice"), &found));
  EXPECT_EQ(found, "of no GPU");
  CarriedCount all;
  ASSERT_TRUE(import_kernels(to, root_ / "given", &count, &all).ok());
  EXPECT_EQ(count.kernels + count.choices, 0) << "they are there";
  EXPECT_EQ(all.kernels, 3);
  EXPECT_EQ(all.choices, 1);
}

TEST_F(CacheFile, TakesWhatTheFilterSays) {
  DiskCache from(root_ / "from", 1 << 20);
  CacheFilter filter;
  CarriedCount count;
  filter.architecture = 85;
  ASSERT_TRUE(export_kernels(from, filter, root_ / "kernels", &count).ok());
  EXPECT_EQ(count.kernels, 1);
  EXPECT_EQ(count.choices, 0) << "of which GPU they are is not told";
  filter.nvrtc = "12.9";
  const std::string before = contents();
  EXPECT_EQ(export_kernels(from, filter, root_ / "kernels", &count).code(), RONDO_NOT_FOUND);
  EXPECT_EQ(contents(), before) << "a former file stays";
  filter = {};
  filter.rondo = rondo_version();
  ASSERT_TRUE(export_kernels(from, filter, root_ / "kernels", &count).ok());
  EXPECT_EQ(count.kernels, 3);
  filter.rondo = 90000;
  EXPECT_EQ(export_kernels(from, filter, root_ / "kernels", &count).code(), RONDO_NOT_FOUND);
}

TEST_F(CacheFile, EveryChangeIsFoundOut) {
  const std::string good = exported();
  ASSERT_TRUE(import(good).ok());
  for (size_t at = 0; at < good.size(); at += at < 400 ? 1 : 13) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    EXPECT_EQ(import(bad).code(), RONDO_IO_ERROR) << "byte " << at;
  }
  for (size_t bytes = 0; bytes < good.size(); bytes += 7)
    EXPECT_EQ(import(good.substr(0, bytes)).code(), RONDO_IO_ERROR) << bytes << " bytes";
  EXPECT_EQ(import(good + "more").code(), RONDO_IO_ERROR);
  EXPECT_EQ(import(good + good).code(), RONDO_IO_ERROR);
}

// Bytes that nobody wrote, and heads and headers with lengths that lie: a status each time, never more memory than the
// file has, and no read behind its end, which the sanitizers' build sees.
TEST_F(CacheFile, AnyBytes) {
  const std::string good = exported();
  std::mt19937 random(1);
  std::vector<CacheEntry> entries;
  for (int i = 0; i < 5'000; ++i) {
    std::string text = good;
    const unsigned changes = 1 + random() % 6;
    for (unsigned c = 0; c < changes; ++c) {
      const size_t at = random() % (random() % 2 ? text.size() : 200);
      if (random() % 8 == 0)
        text.resize(at);
      else if (at < text.size())
        text[at] = static_cast<char>(random() % 4 ? random() : random() % 2 ? 0xff : 0);
      if (text.empty()) break;
    }
    entries.clear();
    EXPECT_EQ(read_cache_file(text, &entries).ok(), text == good);
    CacheEntry entry;
    std::string problem;
    const std::string_view inside = std::string_view(text).substr(std::min<size_t>(48, text.size()));
    decode_header(inside, &entry, &problem);
    decode(inside, &entry, &problem);
    EXPECT_LE(entry.name.size() + entry.image.size(), text.size());
  }
}

TEST_F(CacheFile, SaysWhatIsWrong) {
  const std::string good = exported();
  auto says = [this](const std::string& text, const char* part) {
    const Status status = import(text);
    EXPECT_NE(std::string(status.message()).find(part), std::string::npos) << status.message();
  };
  says("text", "is not a file of kernels");
  says(std::string(100, 'x'), "`rondo cache export` wrote");
  says(good.substr(0, good.size() - 1), "it is cut off, or something follows");
  std::string bad = good;
  bad[good.size() - 1] ^= 1;
  says(bad, "kernel 4 of 4, at byte");
  DiskCache to(root_ / "to", 1 << 20), off("", 1 << 20, "RONDO_CACHE is off"), small(root_ / "small", 100);
  CarriedCount count;
  EXPECT_EQ(import_kernels(to, root_ / "absent", &count, nullptr).code(), RONDO_NOT_FOUND);
  EXPECT_EQ(import_kernels(to, root_, &count, nullptr).code(), RONDO_IO_ERROR);
  EXPECT_EQ(import_kernels(off, root_ / "kernels", &count, nullptr).code(), RONDO_INVALID_STATE);
  EXPECT_EQ(export_kernels(off, {}, root_ / "kernels", &count).code(), RONDO_INVALID_STATE);
  const Status large = import_kernels(small, root_ / "kernels", &count, nullptr);
  EXPECT_EQ(large.code(), RONDO_INVALID_STATE);
  EXPECT_NE(std::string(large.message()).find("RONDO_CACHE_MB"), std::string::npos) << large.message();
  EXPECT_EQ(export_kernels(to, {}, root_ / "none", &count).code(), RONDO_NOT_FOUND);
  DiskCache from(root_ / "from", 1 << 20);
  EXPECT_EQ(export_kernels(from, {}, root_ / "no" / "folder", &count).code(), RONDO_IO_ERROR);
}

}  // namespace
}  // namespace rondo::rtc
