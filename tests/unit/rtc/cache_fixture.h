// What the tests of the disk cache and of the file that carries kernels share: keys, and a folder that goes with the
// case.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "rtc/disk_cache.h"

namespace rondo::rtc {

inline Key key_of(const std::string& text) {
  KeyBuilder builder;
  builder.add(text);
  return builder.key();
}

class CacheFixture : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "rondo_cache_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::filesystem::path root_;
};

}  // namespace rondo::rtc
