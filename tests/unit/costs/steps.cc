// The counter, without blocks that are counted. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include "steps.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace {
constinit thread_local std::uint64_t counted = 0;
}

extern "C" {
// Called by the compiler at each block.
void __sanitizer_cov_trace_pc();
void __sanitizer_cov_trace_pc() {
  ++counted;
}
// Called by the linker in the place of theirs.
void* __real_memmove(void* to, const void* from, std::size_t bytes);
void* __wrap_memmove(void* to, const void* from, std::size_t bytes);
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  counted += bytes / 64;
  return __real_memmove(to, from, bytes);
}
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes);
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  counted += bytes / 64;
  return __real_memcpy(to, from, bytes);
}
}

namespace costs {

std::uint64_t steps() {
  return counted;
}

void expect_linear(const std::string& what, const std::function<Costs(int count)>& costs, int count) {
  (void)costs(count / 10);  // what is made once
  const Costs few = costs(count), many = costs(10 * count);
  ASSERT_EQ(few.size(), many.size()) << what;
  for (size_t i = 0; i < few.size(); ++i) {
    const auto& [part, before] = few[i];
    const std::uint64_t after = many[i].second;
    EXPECT_GT(before, 0U) << what << ", " << part << ": nothing is counted";
    EXPECT_LE(after, 12 * before) << what << ", " << part << ": " << before << " steps with " << count << ", " << after
                                  << " with ten times as many";
    if (std::getenv("COSTS_SHOWN"))
      std::printf("%-40s %-24s %11llu %12llu %6.1f\n", what.c_str(), part.c_str(),
                  static_cast<unsigned long long>(before), static_cast<unsigned long long>(after),
                  static_cast<double>(after) / static_cast<double>(before));
  }
}

}  // namespace costs
