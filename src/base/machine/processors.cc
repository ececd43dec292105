// Counts the processors and the memory that this process may use, as its affinity and its cgroups say.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/machine/processors.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string_view>
#include <thread>

#include "base/file.h"
#include "base/machine/decimal.h"
#include "base/text.h"
#include "base/threads/uncancelled.h"

namespace rondo {

namespace {

// 0 where the system does not say.
int processors_by_set() {
  constexpr size_t kMost = size_t{1} << 20;
  // The system refuses a set with less room than its own.
  for (size_t count = CPU_SETSIZE; count <= kMost; count *= 2) {
    cpu_set_t* const set = CPU_ALLOC(count);
    if (!set) return 0;
    const size_t bytes = CPU_ALLOC_SIZE(count);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const bool too_small = !known && errno == EINVAL;
    const int usable = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (!too_small) return usable;
  }
  return 0;
}

// Processors' worth of `quota` microseconds in each `period`; 0: no limit, as where either is not a number above 0.
int share(std::string_view quota, std::string_view period) {
  const double given = read_decimal(std::string(quota).c_str());
  const double of = read_decimal(std::string(period).c_str());
  if (!(given > 0 && of > 0)) return 0;
  const double whole = given / of;
  return whole > INT_MAX - 1 ? 0 : static_cast<int>(whole) + (whole > static_cast<int>(whole));
}

std::string line_of(const std::string& file) {
  std::string text;
  read_text(file, 256, &text);
  return text.substr(0, text.find('\n'));
}

// Reads the quota of one group, of version 2 of cgroups or of version 1.
int share_of_group(const std::string& group, bool second) {
  if (!second) return share(line_of(group + "/cpu.cfs_quota_us"), line_of(group + "/cpu.cfs_period_us"));
  const std::string line = line_of(group + "/cpu.max");
  std::string_view rest = line, quota, period;
  return take_word(&rest, &quota) && take_word(&rest, &period) ? share(quota, period) : 0;
}

// 0: no limit, as where the file is not there or has the word "max".
int64_t memory_of_group(const std::string& group, bool second) {
  const std::string line = line_of(group + (second ? "/memory.max" : "/memory.limit_in_bytes"));
  const double bytes = read_decimal(line.c_str());
  return bytes > 0 && bytes < 1e18 ? static_cast<int64_t>(bytes) : 0;  // the first version says "none" by a huge number
}

bool lists(std::string_view controllers, std::string_view wanted) {
  for (std::string_view each; take_part(&controllers, ',', &each);)
    if (each == wanted) return true;
  return false;
}

// A group's limit is one of all groups in it, so the smallest on the way up counts; 0: none has one. A container sees
// its own group as the uppermost, and may be told of it by a path that is not there.
template <typename Of>
auto least_of_groups(const std::string& memberships, const std::string& folder, const char* controller, Of of_group) {
  decltype(of_group(folder, true)) least = 0;
  std::string_view lines = memberships;
  for (std::string_view line; take_part(&lines, '\n', &line);) {  // number:controllers:/path
    std::string_view rest = line, number, controllers;
    if (!take_part(&rest, ':', &number) || !take_part(&rest, ':', &controllers)) continue;
    const bool second = controllers.empty();
    if (!second && !lists(controllers, controller)) continue;
    const std::string top = second ? folder : folder + "/" + controller;
    for (std::string path(rest);; path.resize(path.rfind('/'))) {
      while (!path.empty() && path.back() == '/') path.pop_back();
      const auto found = path.find("/..") == std::string::npos ? of_group(top + path, second) : 0;
      if (found && (!least || found < least)) least = found;
      if (path.find('/') == std::string::npos) break;
    }
  }
  return least;
}

std::string own_memberships() {
  std::string memberships;
  read_text("/proc/self/cgroup", 1 << 16, &memberships);
  return memberships;
}

}  // namespace

int processors_by_quota(const std::string& memberships, const std::string& folder) {
  return least_of_groups(memberships, folder, "cpu", share_of_group);
}

int64_t memory_by_group(const std::string& memberships, const std::string& folder) {
  return least_of_groups(memberships, folder, "memory", memory_of_group);
}

int usable_processors() {
  const Uncancelled uncancelled;  // files are read, and the thread may be a caller's
  int count = processors_by_set();
  if (!count) count = static_cast<int>(std::thread::hardware_concurrency());
  const int share = processors_by_quota(own_memberships(), "/sys/fs/cgroup");
  return std::max(share ? std::min(count, share) : count, 1);
}

int known_processors() {
  static const int count = usable_processors();
  return count;
}

int64_t usable_memory() {
  const Uncancelled uncancelled;
  const int64_t all = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const int64_t group = memory_by_group(own_memberships(), "/sys/fs/cgroup");
  return group && group < all ? group : all;
}

int usual_threads() {
  return std::min(usable_processors(), 8);
}

}  // namespace rondo
