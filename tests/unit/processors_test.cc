// Counting the processors that a process may use.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rondo/rondo.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/machine/processors.h"
#include "device/cpu/cpu_device.h"

namespace rondo {
namespace {

TEST(Processors, AThreadsOwnSet) {
  std::thread([] {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    const int all = CPU_COUNT(&set);
    EXPECT_GE(usable_processors(), 1);
    EXPECT_LE(usable_processors(), all);
    EXPECT_LE(usual_threads(), 8);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    EXPECT_EQ(usable_processors(), 1);
    EXPECT_EQ(usual_threads(), 1);
    rondo_device_info info = RONDO_DEVICE_INFO_INIT;
    ASSERT_TRUE(cpu_device().query(&info).ok());
    EXPECT_EQ(info.processors, 1);
  }).join();
}

// Files as the system has them for groups.
class Quota : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "rondo-groups-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void file(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  int limit(const std::string& memberships) { return processors_by_quota(memberships, folder_.string()); }
  int64_t memory(const std::string& memberships) { return memory_by_group(memberships, folder_.string()); }

 private:
  std::filesystem::path folder_;
};

TEST_F(Quota, None) {
  EXPECT_EQ(limit(""), 0);
  EXPECT_EQ(limit("0::/not/there\n"), 0);
  file("cpu.max", "max 100000\n");
  EXPECT_EQ(limit("0::/\n"), 0);
  for (const char* strange : {"", "\n", "100000", "100000 0\n", "0 100000\n", "-5 100000\n", "words of no use\n"}) {
    file("cpu.max", strange);
    EXPECT_EQ(limit("0::/\n"), 0) << strange;
  }
  EXPECT_EQ(limit("nonsense\n::\n:\n0:\n0::\n"), 0);
}
TEST_F(Quota, SecondVersion) {
  file("cpu.max", "400000 100000\n");
  EXPECT_EQ(limit("0::/\n"), 4);
  EXPECT_EQ(limit("0::/of/the/host"), 4);  // a container's own group is the uppermost that it sees
  EXPECT_EQ(limit("0::/../elsewhere\n"), 4);
  file("a/cpu.max", "150000 100000\n");
  file("a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(limit("0::/a/b\n"), 2);  // of the group around it, rounded up
  file("a/b/cpu.max", "1000 100000\n");
  EXPECT_EQ(limit("0::/a/b\n"), 1);
  EXPECT_EQ(limit("0::/a/\n"), 2);
}
TEST_F(Quota, FirstVersion) {
  file("cpu/cpu.cfs_quota_us", "-1\n");
  file("cpu/cpu.cfs_period_us", "100000\n");
  file("cpu/a/cpu.cfs_quota_us", "250000\n");
  file("cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit("4:memory:/a\n3:cpuset:/a\n"), 0);
  EXPECT_EQ(limit("4:memory:/\n3:cpu,cpuacct:/a\n0::/\n"), 3);
  EXPECT_EQ(limit("3:cpuacct,cpu:/\n"), 0);
}
TEST_F(Quota, OfMemory) {
  EXPECT_EQ(memory("0::/\n"), 0);
  for (const char* none : {"max\n", "", "0\n", "-1\n", "9223372036854771712\n"}) {
    file("memory.max", none);
    EXPECT_EQ(memory("0::/\n"), 0) << none;
  }
  file("memory.max", "8589934592\n");
  file("a/memory.max", "1073741824\n");
  EXPECT_EQ(memory("0::/a/b\n"), 1073741824);
  EXPECT_EQ(memory("0::/\n"), 8589934592);
  file("memory/c/memory.limit_in_bytes", "536870912\n");
  EXPECT_EQ(memory("4:memory:/c\n"), 536870912);
  EXPECT_GT(usable_memory(), 0);
}

}  // namespace
}  // namespace rondo
